"""Contexts: five histories, two rounds and a held-out request; distinct, repeatable, and sealed."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import asdict, replace
from pathlib import Path
from random import Random

import pytest
from jinja2 import Environment, StrictUndefined
from tests.writing_world import commits, peps

from ingrained.bench.writing.annotate import Annotation
from ingrained.bench.writing.commit import COMMIT
from ingrained.bench.writing.contexts import HISTORIES, ROUNDS, Built, Plan, contexts, parted
from ingrained.bench.writing.distinct import distinct
from ingrained.bench.writing.document import Document, Fact, load
from ingrained.bench.writing.drafts import KEEP_SHARE, another, draft, keep_share, mixed, plain, rounds_of
from ingrained.bench.writing.hidden import Hidden, HiddenError, reveal
from ingrained.bench.writing.pep import PEP
from ingrained.errors import ConfigError
from ingrained.verify.leakage import unsupported
from ingrained.verify.score import Score


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return contexts(COMMIT, load(COMMIT, [commits(tmp_path_factory.mktemp("world"))]), Plan(per_author=3))


def test_planted_habits_are_found(built: Built) -> None:
    found = {one.author: reveal(one.held_out.annotation).author.habit.feature for one in built.contexts}  # type: ignore[union-attr]
    assert found["author_02"] == found["author_06"] == "sentence_length"
    assert found["author_03"] == "parentheses"
    assert found["author_04"] == "exclamation_marks"


def test_a_context_uses_each_document_once_and_in_time(built: Built) -> None:
    assert len(built.contexts) >= 12
    asked = [one.key for context in built.contexts for one in (*context.rounds, context.held_out)]
    assert len(set(asked)) == len(asked)
    for context in built.contexts:
        assert len(context.histories) == len(set(context.sources)) == HISTORIES
        assert len(context.rounds) == ROUNDS
        assert not set(context.sources) & set(asked)
        order = [one.key for one in built.documents[context.author]]
        places = [order.index(one.key) for one in (*context.rounds, context.held_out)]
        assert places == sorted(places)
        requests = [one.request for one in (*context.rounds, context.held_out)]
        assert len(set(requests)) == len(requests)


def test_everything_found_is_used_or_dropped_with_a_reason(built: Built) -> None:
    used = sum(map(len, built.documents.values()))
    assert used + sum(":" in one.place for one in built.dropped) == built.found
    authors = {one.place for one in built.dropped if ":" not in one.place}
    assert authors | set(built.authors) == set(built.documents)
    assert not authors & set(built.authors)


def test_the_same_data_and_seed_give_the_same_contexts_in_any_order(tmp_path: Path) -> None:
    loaded = load(COMMIT, [commits(tmp_path, authors=6, each=16)])
    shuffled = list(loaded.documents)
    Random(1).shuffle(shuffled)
    first = contexts(COMMIT, loaded, Plan(seed=3))
    assert first.contexts == contexts(COMMIT, replace(loaded, documents=tuple(shuffled)), Plan(seed=3)).contexts
    assert first.contexts != contexts(COMMIT, loaded, Plan(seed=4)).contexts


def test_test_authors_stay_out_of_the_population(tmp_path: Path) -> None:
    loaded = load(COMMIT, [commits(tmp_path, authors=8, each=16)])
    plan = Plan(test_share=0.25)
    found = contexts(COMMIT, loaded, plan)
    parts = parted(found.documents, plan)
    assert sorted(parts.values()).count("test") == 2
    assert all(context.part == parts[context.author] for context in found.contexts)
    test = {name for name, part in parts.items() if part == "test"}
    without = contexts(COMMIT, replace(loaded, documents=tuple(one for one in loaded.documents if one.author not in test)), Plan())  # fmt: skip
    kept = {one.author: reveal(one.held_out.annotation).author for one in without.contexts}
    same = [one for one in found.contexts if one.author in kept]
    assert same
    assert all(reveal(one.held_out.annotation).author == kept[one.author] for one in same)


@pytest.mark.parametrize(("field", "value"), [("per_author", 0), ("test_share", 1.0), ("test_share", -0.1)])
def test_a_plan_that_cannot_be_is_refused(field: str, value: float) -> None:
    with pytest.raises(ConfigError, match=str(value)):
        Plan(**{field: value})  # type: ignore[arg-type]


def text_of(seed: int, size: int = 40) -> str:
    random = Random(seed)
    return " ".join(f"{random.choice('abcdefgh')}{random.randrange(999)}x" for _ in range(size))


def document(key: str, text: str, *, author: str = "ann", subject: str = "") -> Document:
    return Document(key=key, author=author, text=text, facts=(Fact(name="Subject", values=(subject or text_of(100 + int(key), 8),)),), order=key)  # fmt: skip


def test_duplicates_go_with_their_reasons() -> None:
    base = text_of(0)
    given = [
        document("1", base),
        document("2", base + " end"),  # nearly the first
        document("3", text_of(3)),
        document("4", text_of(4), subject=text_of(103, 8)),  # asks as the third does
        document("5", text_of(5)),
        document("6", text_of(5), author="bob"),  # whose is it?
        document("7", "too short"),
        document("8", text_of(8, 900)),
        document("9", "这是一个很长的文本" * 20),
        document("10", text_of(10), subject=text_of(10)),  # says it itself
    ]
    kept, dropped = distinct(COMMIT, given)
    assert [one.key for one in kept["ann"]] == ["1", "3"]
    assert sorted(one.why for one in dropped) == sorted(
        [
            "nearly an earlier text of the author",
            "a request that is nearly an earlier one",
            "the same text under two authors",
            "the same text under two authors",
            "fewer than 15 words",
            "more than 250 words",
            "a text without word separation",
            "a text that its own request gives away",
        ]
    )
    again, left = distinct(COMMIT, [one for found in kept.values() for one in found])
    assert (again, left) == (kept, [])


def test_sections_of_one_proposal_never_stand_on_both_sides(tmp_path: Path) -> None:
    found = contexts(PEP, load(PEP, [peps(tmp_path, authors=6, each=9)]), Plan(per_author=2))
    assert found.contexts
    topics = {one.key: one.topic for documents in found.documents.values() for one in documents}
    for context in found.contexts:
        asked = [topics[one.key] for one in (*context.rounds, context.held_out)]
        assert len(set(asked)) == len(asked)
        assert not {topics[key] for key in context.sources} & set(asked)


def test_annotations_hold_no_term_that_the_request_gives(built: Built) -> None:
    for context in built.contexts:
        for one in (*context.rounds, context.held_out):
            known = reveal(one.annotation)
            assert unsupported(known.candidates, one.request) == known.candidates
            assert draft(built, context, one, "own").diagnosis.targets == tuple(
                target
                for target in draft(built, context, one, "own").diagnosis.targets
                if target.dimension != "coverage"
            )  # the author's own text misses nothing that is asked for


def test_the_held_out_request_bars_terms_of_the_adaptation_requests(built: Built) -> None:
    barred = 0
    for context in built.contexts:
        first = [one.text for one in reveal(context.rounds[0].annotation).candidates]
        last = [one.text for one in reveal(context.held_out.annotation).candidates]
        asked = context.rounds[0].request.partition("Files: ")[2].split("\n")[0]
        barred += asked in last
        assert asked not in first
    assert barred == len(built.contexts)


@pytest.mark.parametrize(
    "write_down",
    [
        str,
        format,
        lambda one: f"{one}",
        "{}".format,
        "%s".__mod__,
        list,
        json.dumps,
        copy.deepcopy,
        pickle.dumps,
        lambda one: Environment(undefined=StrictUndefined).from_string("{{ one }}").render(one=one),
        lambda one: Environment(undefined=StrictUndefined).from_string("{{ one | join }}").render(one=one),
    ],
)
def test_a_hidden_value_cannot_be_written_down(write_down: object) -> None:
    with pytest.raises(TypeError):
        write_down(Hidden("the target"))  # type: ignore[operator]
    assert "target" not in repr(Hidden("the target"))


def test_a_context_cannot_be_dumped_with_its_annotations(built: Built) -> None:
    context = built.contexts[0]
    with pytest.raises(HiddenError):
        asdict(context)
    own = reveal(context.held_out.annotation)
    assert isinstance(own, Annotation)
    assert own.own not in repr(context)
    assert Hidden(own) == context.held_out.annotation
    with pytest.raises(HiddenError):
        context.held_out.annotation._sealed = own  # type: ignore[attr-defined]


def test_keep_is_tested_in_the_mix_and_not_without_it(built: Built) -> None:
    drafts = mixed(built, seed=1)
    assert len(drafts) == ROUNDS * len(built.contexts)
    assert 0.2 <= keep_share(drafts) <= 0.3
    assert keep_share(rounds_of(built, "plain")) < 0.2
    assert mixed(built, seed=1) == drafts
    assert keep_share(mixed(built, share=0.0)) <= min(KEEP_SHARE, keep_share(drafts))
    for one in drafts:
        assert one.diagnosis.transfers == any(target.tau == 1 for target in one.diagnosis.targets)


def test_every_target_is_of_a_score_below_one_or_of_a_term(built: Built) -> None:
    for source in ("own", "other", "plain", "style"):
        for one in rounds_of(built, source):  # type: ignore[arg-type]
            score = one.diagnosis.score
            for target in one.diagnosis.targets:
                if target.tau == 1:
                    found = getattr(score, target.dimension)
                    assert isinstance(found, Score)
                    assert found.value < 1
            below = [name for name in ("length", "first_person", "expression") if getattr(score, name).value < 1]
            assert sorted(below) == sorted(target.dimension for target in one.diagnosis.targets if target.tau == 1)


def test_drafts_of_others_are_never_the_authors_own(built: Built) -> None:
    for context in built.contexts:
        own = {one.text for one in built.documents[context.author]}
        assert another(built.documents, context.author, context.held_out.key, 0) not in own
        assert plain(context.held_out.request) not in own
    with pytest.raises(ValueError, match="no other author"):
        another({"ann": built.documents["author_00"]}, "ann", "k", 0)

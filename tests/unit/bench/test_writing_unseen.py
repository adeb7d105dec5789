"""Preferences outside the rubric (section 5.6): the pairs, the feedback, the run, and its tables."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.telling_forms import advantage
from tests.writing_unseen import UNSEEN, read

from ingrained.bench.writing.adherence import AdherenceTables, adherence_tables
from ingrained.bench.writing.contexts import Context
from ingrained.bench.writing.drafts import SOURCES, draft
from ingrained.bench.writing.hidden import Hidden
from ingrained.bench.writing.methods import UNTRAINED
from ingrained.bench.writing.phrases import Sentence, sentences, stock
from ingrained.bench.writing.prepared import Prepared, RunConfig, prepared
from ingrained.bench.writing.trace import FollowedShape, ParkedShape, TraceShape
from ingrained.bench.writing.unseen import pairs, taught
from ingrained.bench.writing.verbalise import Unsaid, note, verbalise
from ingrained.cli.app import run
from ingrained.learn.grain import Answer, AnswerAtom, read_answer
from ingrained.report.writing_adherence import run_text
from ingrained.verify.leakage import stretches, term
from ingrained.verify.unseen import PREFERENCES, UnseenPreference, Wanted
from writing_planted import write_authors

AUTHORS = 6


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("authors") / "data"
    write_authors(folder, AUTHORS)
    return folder


def configured(data: Path, **more: Any) -> RunConfig:
    given = {"task": "commit", "data": (str(data),), "model": UNSEEN, "rubric": "unseen", "per_author": 1}
    return RunConfig.model_validate(given | more)


@pytest.fixture(scope="module")
def world(data: Path) -> Prepared:
    """Twelve pairs on contexts of six authors, for two methods and one seed."""
    return prepared(configured(data, methods=("no-skill", "atom-prompt"), seeds=1, most=12))


# Pairs


def contexts(authors: list[int]) -> list[Context]:
    """So many contexts of each author, with nothing in them."""
    return [
        Context(
            id=f"{author}-{nth}",
            task="commit",
            author=f"author {author}",
            part="train",
            histories=(),
            sources=(),
            rounds=(),
            held_out=Hidden(None),  # type: ignore[arg-type]
        )
        for author, count in enumerate(authors)
        for nth in range(count)
    ]


@settings(max_examples=30, deadline=None)
@given(authors=st.lists(st.integers(1, 4), min_size=1, max_size=9), most=st.integers(0, 60))
def test_pairs_take_preferences_and_authors_in_turn(authors: list[int], most: int) -> None:
    known = contexts(authors)
    found = pairs(known, most)
    every = 4 * len(known)
    assert len(found) == (min(most, every) if most else every)
    assert len({(one.context.id, one.preference) for one in found}) == len(found)
    by_preference = Counter(one.preference for one in found)
    counts = [by_preference[name] for name in PREFERENCES]
    assert max(counts) - min(counts) <= 1
    for name in PREFERENCES:  # no author twice while another has none
        own = {one.context.author for one in found if one.preference == name}
        assert len(own) == min(by_preference[name], len(authors))
    used = {one.context.id for one in found}
    assert pairs([one for one in known if one.id in used], most) == found
    places = [known.index(one.context) for one in found]
    assert places == sorted(places)


def test_forty_pairs_are_ten_of_each() -> None:
    assert Counter(one.preference for one in pairs(contexts([3] * 4))) == dict.fromkeys(PREFERENCES, 10)
    usual = configured(Path())
    assert (usual.rounds, usual.keep_share, usual.most) == (1, 0.0, 40)


def test_each_pair_is_a_case_of_its_own(world: Prepared) -> None:
    assert Counter(one.preference for one in world.pairs) == dict.fromkeys(PREFERENCES, 3)
    assert len({case.key for case in world.cases}) == len(world.cases) == 12 * 2
    assert not world.drafts


# Feedback


@pytest.fixture(scope="module")
def said(world: Prepared) -> list[Sentence]:
    """Sentences on drafts of every sort, a preference and a one-off each time."""
    found: list[Sentence] = []
    for context in world.built.contexts:
        for one in (*context.rounds, context.held_out):
            for source in SOURCES:
                made = draft(world.built, context, one, source)
                for nth, preference in enumerate(PREFERENCES * 2):
                    wishes = taught(made.diagnosis, preference, one, made.text, seed=nth).wishes
                    assert [wish.tau for wish in wishes] == [1, 0]
                    found += sentences(wishes, seed=nth)
    return found


def test_the_form_does_not_tell_the_preference_from_the_one_off(said: list[Sentence]) -> None:
    assert len(said) >= 1000
    assert Counter(one.target.tau for one in said) == {0: len(said) // 2, 1: len(said) // 2}
    assert advantage(said, [one.masked for one in said]) <= 0.05
    few = said[::4]
    assert advantage(few, [one.text for one in few]) > 0.1  # the content does, which a reader is meant to understand


def test_every_way_of_saying_it_is_read_as_it_is_meant() -> None:
    known, about = stock(), dict(zip(PREFERENCES, ("opening", "connectives", "prose", "hedging"), strict=True))
    assert set().union(*known.unseen.values()) == set(PREFERENCES)
    for sign in (1, -1):
        for form in known.forms(sign):
            for preference, heads in known.unseen[sign].items():
                for head in heads:
                    wanted = Wanted(preference=preference, sign=sign)  # type: ignore[arg-type]
                    one = Sentence(target=wanted, opener="Also: ", form=form, head=head)
                    # By a parser of its own, and by what holds a model's atoms against the feedback.
                    assert read(one.text) == (about[preference], True), one.text
                    atom = AnswerAtom(id="f1", content=form.replace("{}", head), transferable=True)
                    (grain,) = read_answer(Answer(atoms=(atom,)), f"Include mentions of Lisbon. {one.text}")
                    assert not grain.problem
                    assert head in grain.content


def test_a_one_off_is_of_this_text_and_said_in_the_same_direction(world: Prepared) -> None:
    signs: Counter[int] = Counter()
    for context in world.built.contexts:
        one = context.rounds[0]
        for source in SOURCES:
            made = draft(world.built, context, one, source)
            for preference in PREFERENCES:
                found = taught(made.diagnosis, preference, one, made.text)
                assert found == taught(made.diagnosis, preference, one, made.text)
                assert found.score == made.diagnosis.score
                assert found.wanted is not None
                (target,) = found.targets
                there = term(target.term) in stretches(made.text, {len(term(target.term))})
                assert (target.direction == "leave_out") == there
                ways = [sign for sign, heads in stock().unseen.items() if preference in heads]
                assert found.wanted.sign == target.sign or target.sign not in ways
                signs[found.wanted.sign] += 1
    assert min(signs[1], signs[-1]) > 10


# The run


def words(data: Path, out: Path, *more: str, model: str = UNSEEN) -> list[str]:
    asked = ["--task", "commit", "--data", str(data), "--per-author", "1", "--model", model, "--rubric", "unseen"]
    return ["bench", "run-writing", *asked, "--out", str(out), "--home", str(out.parent / "home"), "--json", *more]


def result(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    return json.loads(capsys.readouterr().out)


def traces(out: Path) -> list[TraceShape]:
    return [TraceShape.model_validate_json(line) for line in (out / "traces.jsonl").read_bytes().split(b"\n") if line]


def test_the_whole_command(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run"
    policy = f"skillgrain={UNSEEN}"
    assert run(words(data, out, "--seeds", "1", "--most", "8", "--method", "all", "--method", policy)) == 0
    found = result(capsys)
    assert [one["method"] for one in found["methods"]] == [*UNTRAINED, policy]
    assert (found["pairs"], found["cases"], found["compared"], found["authors"]) == (8, 8, 8, AUTHORS)
    assert found["by_preference"] == dict.fromkeys(PREFERENCES, 2)
    rows = {one["method"]: one for one in found["methods"]}
    base = rows["no-skill"]
    # The scripted writer follows rules, and without one follows each preference half the time.
    assert 0.2 <= base["held_out"]["mean"]["value"] <= 0.8
    assert base["against"] is None
    assert base["kept"] is None
    for name in ("adaptive-skill", "feedback", "atom-prompt", policy):
        assert rows[name]["held_out"]["mean"]["value"] == rows[name]["mended"]["value"] == 1
        assert rows[name]["against"]["value"] == pytest.approx(1 - base["held_out"]["mean"]["value"])
        assert rows[name]["first"] == base["first"]  # nothing was said yet
        assert rows[name]["kept"]["silent"] == 0
    for name in ("general-skill", "no-history", "user-profile", "rag-history"):
        assert rows[name]["held_out"] == base["held_out"]
    kept = {name: rows[name]["kept"]["one_off_kept"] for name in ("adaptive-skill", "feedback", "atom-prompt")}
    assert kept == {"adaptive-skill": 0, "feedback": 1, "atom-prompt": 0}
    assert 0 < found["own"]["mean"]["value"] < 1
    for one in traces(out):
        first, last = one.steps
        assert len(first.targets) == 1
        assert first.feedback
        assert not last.feedback
        # Neither credit for the preference nor a reward: the patterns do not know it.
        if first.update is not None:
            assert first.update.reward is first.update.omission is None
            credit = [
                atom for atom in first.update.atoms if read(atom.content) is not None and one.method != "feedback"
            ]
            assert not any(atom.content_credit or atom.transfer_credit or atom.matched for atom in credit)

    # Again from the folder alone, and as a page.
    before = (out / "traces.jsonl").read_bytes()
    assert run(["bench", "run-writing", "--out", str(out), "--home", str(tmp_path / "other"), "--json"]) == 0
    assert result(capsys) == found
    assert (out / "traces.jsonl").read_bytes() == before
    assert not (tmp_path / "other").exists()
    page = run_text(AdherenceTables.model_validate(found))
    assert "8 pairs (concise opening 2" in page
    assert "one-off kept" in page


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--rounds", "2"), "--rounds 2 is not from 0 to 1 with --rubric unseen"),
        (("--keep-share", "0.25"), "--keep-share 0.25 is not from 0 to 0"),
        (("--most", "-1"), "--most -1"),
    ],
)
def test_a_wrong_option_says_what_is_allowed(
    more: tuple[str, ...], told: str, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(words(data, tmp_path / "run", *more)) == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_without_feedback_there_is_the_base_alone_and_no_mix_in_one_folder(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    some = ("--seeds", "1", "--most", "4", "--method", "atom-prompt")
    out = tmp_path / "run"
    assert run(words(data, out, *some, "--rounds", "0")) == 0
    (row,) = result(capsys)["methods"]
    assert (row["first"], row["broken"], row["mended"], row["kept"]) == (None, 0, None, None)
    assert row["held_out"]["n"] == 4
    assert run([word for word in words(data, out, *some) if word not in {"--rubric", "unseen"}]) == 2
    assert 'rubric was "unseen" and is null' in capsys.readouterr().err
    # The independent judge marks an author's habits, and those were not taught.
    assert run(["bench", "judge-writing", "--out", str(out), "--judge", UNSEEN]) == 2
    assert "is a run with --rubric unseen" in capsys.readouterr().err


def test_a_model_that_speaks_is_told_both_and_must_not_lose_the_one_off(world: Prepared) -> None:
    context = world.pairs[0].context
    made = draft(world.built, context, context.rounds[0], "other")
    wishes = taught(made.diagnosis, "no hedging", context.rounds[0], made.text).wishes
    asked: list[str] = []

    async def ask(text: str) -> str:
        asked.append(text)
        return "Say it plainly."

    found = anyio.run(verbalise, wishes, ask)
    assert isinstance(found, Unsaid)
    assert all(note(wish) in asked[0] for wish in wishes)


def test_a_folder_of_before_the_option_goes_on(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run"
    some = ("--seeds", "1", "--most", "2", "--method", "atom-prompt")
    assert run([word for word in words(data, out, *some) if word not in {"--rubric", "unseen"}]) == 0
    found = result(capsys)
    config = json.loads((out / "config.json").read_text("utf-8"))
    del config["rubric"]
    (out / "config.json").write_text(json.dumps(config), encoding="utf-8")
    lines = [json.loads(line) for line in (out / "traces.jsonl").read_text("utf-8").splitlines()]
    for one in lines:
        del one["preference"]
        for step in one["steps"]:
            del step["followed"]
    (out / "traces.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    assert run(["bench", "run-writing", "--out", str(out), "--home", str(tmp_path / "other"), "--json"]) == 0
    assert result(capsys) == found


# The tables, counted by hand


def made(world: Prepared, first: TraceShape, values: dict[tuple[str, int], tuple[float, float | None]]) -> Any:
    """Tables of traces with these adherences, before and after, by method and place of the pair."""
    found = []
    for (method, nth), (before, after) in values.items():
        pair = world.pairs[nth]
        steps = [
            step.model_copy(
                update={
                    "followed": FollowedShape(value=value, unscored="" if value is not None else "no words", found=())
                }
            )
            for step, value in zip(first.steps, (before, after), strict=True)
        ]
        one = {"method": method, "context": pair.context.id, "author": pair.context.author, "key": f"{method}-{nth}"}
        found.append(first.model_copy(update={**one, "preference": pair.preference, "steps": tuple(steps)}))
    return adherence_tables(world, found)


@pytest.fixture(scope="module")
def one(data: Path, tmp_path_factory: pytest.TempPathFactory) -> TraceShape:
    """A real trace, to be varied."""
    out = tmp_path_factory.mktemp("one") / "run"
    assert run(words(data, out, "--seeds", "1", "--most", "1", "--method", "atom-prompt")) == 0
    return traces(out)[0]


def place(world: Prepared, preference: UnseenPreference, nth: int) -> int:
    return [at for at, pair in enumerate(world.pairs) if pair.preference == preference][nth]


def test_each_preference_weighs_the_same(world: Prepared, one: TraceShape) -> None:
    prose = [place(world, "continuous prose", nth) for nth in range(3)]
    opening = place(world, "concise opening", 0)
    values = {("no-skill", at): (0.0, 0.0) for at in [*prose, opening]}
    values |= {("atom-prompt", at): (1.0 if at == prose[0] else 0.0, 1.0) for at in prose}
    values |= {("atom-prompt", opening): (0.0, 0.0)}
    found = made(world, one, values)
    base, grain = found.methods
    assert (found.compared, found.left_out) == (4, {"not made yet": 16})
    counts = {"continuous prose": 3, "concise opening": 1, "causal connectives": 0, "no hedging": 0}
    assert found.compared_by_preference == counts
    assert base.held_out.mean.value == 0
    assert grain.held_out.mean.value == 0.5
    assert {name: of.value for name, of in grain.held_out.parts.items()} == {
        "continuous prose": 1,
        "concise opening": 0,
    }
    assert grain.first.value == pytest.approx(1 / 6)
    assert grain.against.value == 0.5
    assert (grain.broken, grain.mended.value) == (3, 0.5)
    assert base.kept.updates == 4  # the traces are one trace's
    assert found.own.n == 12
    assert 0 <= found.own.mean.low <= found.own.mean.value <= found.own.mean.high <= 1


def test_what_is_unscored_or_parked_leaves_for_all(world: Prepared, one: TraceShape) -> None:
    values: dict[tuple[str, int], tuple[float, float | None]] = {("no-skill", at): (0.0, 1.0) for at in range(3)}
    found = made(world, one, values | {("atom-prompt", 0): (0.0, 1.0), ("atom-prompt", 1): (0.0, None)})
    assert found.compared == 1
    assert [row.unscored for row in found.methods] == [0, 1]
    assert found.left_out == {"not made yet": 19, "unscored: no words": 1}
    why = ParkedShape(what="draft", round=1, why="rate", reason="too fast")
    parked = one.model_copy(update={"method": "atom-prompt", "stop": "parked", "parked": why, "steps": ()})
    alone = adherence_tables(world, [parked])
    assert (alone.methods[1].parked, alone.methods[1].held_out.mean, alone.compared) == (1, None, 0)
    assert "23 not made yet" in run_text(alone)

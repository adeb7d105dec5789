"""For any text: quotes are verbatim, spans are in order, the same turn gives the same atoms, and order never matters."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from ingrained.embed.lexical import Weights
from ingrained.feedback.offline import RuleDecomposer
from ingrained.feedback.recur import group
from ingrained.feedback.split import split
from ingrained.ids import MessageKey, PersonId, ProjectId
from ingrained.session.session import Act, Turn
from ingrained.skill.project import project
from ingrained.skill.rule import Heard, Said

WORDS = st.sampled_from(
    [
        "always",
        "never",
        "use",
        "don't",
        "the",
        "tests",
        "main",
        "branch",
        "pull",
        "latest",
        "commit",
        "before",
        "npm",
        "pnpm",
        ",",
        ".",
        "?",
        "and",
        "not",
        "instead",
        "of",
        "docs",
        "I",
        "you",
        "please",
        "make",
        "sure",
        "every",
        "migration",
        ";",
        "-",
        "first",
        "\n",
        "tabs",
        "spaces",
        "why",
        "is",
        "answer",
        "emojis",
        "in",
        "[Image",
        "[REDACTED]",
        "```",
        "#1]",
        ">",
        "\n\n",
        "code_x()",
        "[Image",
        "#2]",
    ]
)
SENTENCE = st.lists(WORDS, min_size=1, max_size=16).map(" ".join)
ANY = st.one_of(SENTENCE, st.text(max_size=200))


def turn(i: int, text: str) -> Turn:
    return Turn(
        key=MessageKey(f"m{i:03}"), tool="t", session=f"s{i % 4}", record=str(i), line=1, text=text, form="typed",
        time=datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=i), cwd="/p", branch="", act=Act(said="Done."),
    )  # fmt: skip


@given(ANY)
def test_quotes_are_verbatim_and_in_order(text: str) -> None:
    atoms = RuleDecomposer().decompose([turn(0, text)])[0]
    assert [a.start for a in atoms] == sorted({a.start for a in atoms})
    for atom in atoms:
        assert text[atom.start : atom.start + len(atom.quote)] == atom.quote
        assert 0 <= atom.confidence <= 1
    assert atoms == RuleDecomposer().decompose([turn(0, text)])[0]


@given(ANY)
def test_clauses_do_not_overlap(text: str) -> None:
    spans = split(text)
    assert all(a.end <= b.start for a, b in pairwise(spans))
    assert all(text[s.start : s.end] == s.text for s in spans)


@settings(max_examples=40, deadline=None)
@given(st.lists(SENTENCE, min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_messages_and_atoms_changes_nothing(texts: list[str], random: object) -> None:
    turns = [turn(i, text) for i, text in enumerate(texts)]
    atoms = [atom for t in turns for atom in RuleDecomposer().decompose([t])[0]]
    heard = [
        Heard(key=t.key, person=PersonId("me"), project=ProjectId("p"), session=t.session, turn=t.record, text=t.text,
              form=t.form, act=Said(), time=t.time)
        for t in turns
    ]  # fmt: skip
    first = project(heard, atoms, [])
    shuffled_heard, shuffled_atoms = list(heard), list(atoms)
    random.shuffle(shuffled_heard)  # type: ignore[attr-defined]
    random.shuffle(shuffled_atoms)  # type: ignore[attr-defined]
    assert project(shuffled_heard, shuffled_atoms, []) == first
    assert len({rule.id for rule in first.rules}) == len(first.rules)
    for rule in first.rules:
        for item in rule.evidence:
            message = next(h for h in heard if item.atom.startswith(h.key))
            assert item.quote in message.text


@settings(max_examples=40, deadline=None)
@given(st.lists(SENTENCE, min_size=1, max_size=8))
def test_groups_partition_the_atoms(texts: list[str]) -> None:
    atoms = [atom for i, text in enumerate(texts) for atom in RuleDecomposer().decompose([turn(i, text)])[0]]
    groups = group(atoms, Weights.fit(texts))
    assert sorted(i for member in groups.members for i in member) == list(range(len(atoms)))

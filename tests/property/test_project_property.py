"""What people without a project in common say does not touch each other's rules, and the order of messages none."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from ingrained.feedback.offline import RuleDecomposer
from ingrained.ids import MessageKey, PersonId, ProjectId
from ingrained.session.session import Act, Turn
from ingrained.skill.project import project
from ingrained.skill.rule import Heard, Rule, Said

START = datetime(2026, 1, 1, 9, tzinfo=UTC)
SAID = [
    "log a zeta todo for this", "can you log a @notes/README.md entry please", "ok log a @notes/README.md entry",
    "never push to main, always make a branch", "again on main! branch first please", "use uv, not pip",
    "you ran pip again. uv, not pip", "write the tests first please", "also WRITE TESTS", "why is the page slow?",
    "keep your answers short", "run the tests", "rebase on main", "can you add a zeta todo about the retry",
    "one more zeta todo please, for the cache",
]  # fmt: skip
TALK = [f"why is the {one} so slow on the {two} page" for one in ("cart", "tax") for two in ("big", "old", "new")]
Word = tuple[str, str, int, str]
"""Person, project, session, words."""


def rules(words: list[Word]) -> tuple[Rule, ...]:
    heard: list[Heard] = []
    atoms = []
    for person, place, session, text in words:
        key = MessageKey(f"{person}|{place}|{session}|{text}")
        name = f"{person}-{place}-{session}"
        time = START + timedelta(days=session)
        heard.append(
            Heard(key=key, person=PersonId(person), project=ProjectId(place), session=name, turn="t", text=text,
                  form="typed", act=Said(said="Done."), time=time)
        )  # fmt: skip
        turn = Turn(key=key, tool="t", session=name, record="r", line=1, text=text, form="typed", time=time, cwd="/p",
                    branch="", act=Act(said="Done."))  # fmt: skip
        atoms += RuleDecomposer().decompose([turn])[0]
    return project(heard, atoms, ()).rules


def spoken(people: str, places: str, least: int = 0) -> st.SearchStrategy[list[Word]]:
    return st.lists(
        st.tuples(st.sampled_from(people), st.sampled_from(places), st.integers(0, 9), st.sampled_from(SAID)),
        unique=True,
        min_size=least,
        max_size=least + 14,
    )


@settings(max_examples=30, deadline=None)
@given(spoken("ab", "pq"), spoken("xyz", "uvw"))
def test_strangers_do_not_touch_each_others_rules(ours: list[Word], theirs: list[Word]) -> None:
    talk = [("x", "u", number, text) for number in range(10) for text in TALK]
    together = rules(ours + theirs + talk)
    assert {rule.id: rule for rule in together} == {rule.id: rule for rule in (*rules(ours), *rules(theirs + talk))}


@settings(max_examples=40, deadline=None)
@given(spoken("abc", "pqr"), st.randoms(use_true_random=False))
def test_the_order_of_the_messages_does_not_matter(words: list[Word], shuffled: object) -> None:
    mixed = list(words)
    shuffled.shuffle(mixed)  # type: ignore[attr-defined]
    assert rules(mixed) == rules(words)

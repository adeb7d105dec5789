"""The projection on small histories: recurrence, scope, narrowing, superseding, conflicts, decisions."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from ingrained.feedback.offline import RuleDecomposer
from ingrained.ids import MessageKey, PersonId, ProjectId
from ingrained.session.redact import MARKER, SecretRedactor
from ingrained.session.session import Act, Form, Turn
from ingrained.skill.project import Context, Projection, project
from ingrained.skill.rule import Decision, Heard, Rule, Said
from ingrained.skill.safety import generalise

START = datetime(2026, 1, 1, 9, tzinfo=UTC)
Word = tuple[str, str]
"""A session and what was said in it."""


def said(
    *words: Word, person: str = "me", place: str = "shop", form: Form = "typed", at: int = 0
) -> tuple[list[Heard], list[Turn]]:
    heard: list[Heard] = []
    turns: list[Turn] = []
    for i, (session, text) in enumerate(words, start=at):
        key = MessageKey(f"{person}-{place}-{i:03}")
        time = START + timedelta(days=i)
        heard.append(
            Heard(key=key, person=PersonId(person), project=ProjectId(place), session=session, turn=str(i), text=text,
                  form=form, act=Said(said="Done."), time=time)
        )  # fmt: skip
        turns.append(
            Turn(key=key, tool="t", session=session, record=str(i), line=i, text=text, form=form, time=time, cwd="/p",
                 branch="", act=Act(said="Done."))
        )  # fmt: skip
    return heard, turns


def rules(
    *spoken: tuple[list[Heard], list[Turn]], decisions: Sequence[Decision] = (), context: Context | None = None
) -> Projection:
    heard = [h for one in spoken for h in one[0]]
    atoms = [atom for one in spoken for turn in one[1] for atom in RuleDecomposer().decompose([turn])[0]]
    return project(heard, atoms, decisions, context)


def the(found: Projection, *words: str) -> Rule:
    hits = [
        r
        for r in found.rules
        if all(any(w in t.lower() for t in (r.text, *(e.quote for e in r.evidence))) for w in words)
    ]
    assert len(hits) == 1, [r.text for r in found.rules]
    return hits[0]


def test_said_once_is_tentative_said_in_two_sessions_supported() -> None:
    once = rules(said(("a", "always put a changelog line in the same commit")))
    assert the(once, "changelog").level == "tentative"
    twice = rules(
        said(
            ("a", "always put a changelog line in the same commit"),
            ("b", "no, the changelog line goes into the same commit, always"),
        )
    )
    assert (the(twice, "changelog").level, the(twice, "changelog").sessions) == ("supported", 2)


def test_twice_in_one_session_is_one_session() -> None:
    found = rules(
        said(
            ("a", "always put a changelog line in the same commit"),
            ("a", "always put a changelog line in the same commit!"),
        )
    )
    assert the(found, "changelog").sessions == 1


def test_levels_keep_their_history() -> None:
    words = [(s, "never use npm here, always pnpm") for s in "abcd"]
    rule = the(rules(said(*words)), "pnpm")
    assert [(step.level, step.sessions) for step in rule.history] == [
        ("tentative", 1),
        ("supported", 2),
        ("established", 3),
    ]


def test_a_long_message_in_the_same_words_elsewhere_is_a_copy() -> None:
    text = "please always run the full linter over all packages before you push anything"
    assert the(rules(said(("a", text), ("b", text))), "linter").sessions == 1


def test_one_offs_and_questions_are_no_rules_and_say_why() -> None:
    found = rules(
        said(
            ("a", "just this once, skip the changelog"),
            ("a", "should we use postgres?"),
            ("a", "no, that's the wrong file"),
        )
    )
    assert found.rules == ()
    assert {d.reason for d in found.dropped} >= {"the words end it with that task", "about the task at hand"}


def test_two_projects_make_it_hold_everywhere_and_one_does_not() -> None:
    a, b = said(("a", "never use npm, use pnpm")), said(("b", "use pnpm, never npm"), place="blog", at=1)
    assert the(rules(a), "pnpm").scope.project == "shop"
    assert the(rules(a, b), "pnpm").scope.project is None


def test_the_style_of_answers_is_personal_and_holds_everywhere() -> None:
    rule = the(rules(said(("a", "don't explain the diff, I can read"))), "explain")
    assert (rule.tier, rule.scope.project, rule.kind) == ("personal", None, "communication")


def test_a_narrowing_changes_the_rule_it_speaks_of() -> None:
    found = rules(
        said(("a", "remember: money is integer cents"), ("a", "this rule about cents is only for the api package"))
    )
    assert len(found.rules) == 1
    assert found.rules[0].scope.paths == ("api/",)
    assert len(found.rules[0].evidence) == 2


def test_taking_back_retires() -> None:
    found = rules(
        said(
            ("a", "always squash before merging a branch"), ("b", "never mind what I said about squash before merging")
        )
    )
    assert the(found, "squash").level == "retired"


def test_a_later_word_of_the_same_person_supersedes_with_history() -> None:
    found = rules(said(("a", "always indent with tabs, not spaces"), ("b", "always indent with spaces, not tabs")))
    old, new = the(found, "with tabs"), the(found, "with spaces")
    assert old.status == "superseded"
    assert new.supersedes == (old.id,)


def test_another_persons_word_is_a_conflict_and_nobody_is_overruled() -> None:
    dana = said(("a", "indent with tabs in this repo, not spaces"), person="dana")
    priya = said(("b", "spaces, two of them. tabs break our snapshot diff"), person="priya", at=1)
    found = rules(dana, priya)
    a, b = the(found, "indent"), the(found, "two of them")
    assert (a.conflicts_with, b.conflicts_with) == ((b.id,), (a.id,))
    assert {a.status, b.status} == {"proposed"}


def test_decisions_hang_on_evidence() -> None:
    spoken = said(("a", "never use npm, use pnpm"))
    rule = rules(spoken).rules[0]
    atoms = tuple(item.atom for item in rule.evidence)
    refused = Decision(action="refuse", atoms=atoms, time=START)
    pinned = Decision(action="pin", atoms=atoms, time=START + timedelta(hours=1), text="Use pnpm in all workspaces")
    assert rules(spoken, decisions=[refused]).rules[0].status == "refused"
    found = rules(spoken, decisions=[pinned, refused]).rules[0]
    assert (found.status, found.text) == ("pinned", "Use pnpm in all workspaces")


def test_refused_stays_refused_until_it_is_said_again() -> None:
    first = said(("a", "never use npm, use pnpm"))
    rule = rules(first).rules[0]
    refused = Decision(action="refuse", atoms=tuple(item.atom for item in rule.evidence), time=START)
    again = said(("b", "use pnpm, never npm"), at=5)
    assert rules(first, again, decisions=[refused]).rules[0].status == "proposed"


def test_there_and_broken_again_is_reported_not_added() -> None:
    context = Context(existing={"CLAUDE.md": ("Use pnpm, never npm.",)})
    assert rules(said(("a", "use pnpm, never npm")), context=context).rules[0].already_in == ("CLAUDE.md",)


@pytest.mark.parametrize(
    ("days", "times"), [(-1, 3), (0, 2), (1, 2), (4, 1), (5, 0), (99, 0), (None, 0)], ids=lambda value: f"{value}"
)
def test_broken_again_counts_what_was_said_after_the_line_stood_there(days: int | None, times: int) -> None:
    since = None if days is None else START + timedelta(days=days)
    context = Context(existing={"CLAUDE.md": ("Use pnpm, never npm.",)}, since=lambda _path, _line: since)
    spoken = [said((session, "use pnpm, never npm"), at=day) for session, day in (("a", 0), ("b", 2), ("c", 5))]
    (rule,) = rules(*spoken, context=context).rules
    assert (rule.already_in, rule.broken_again) == (("CLAUDE.md",), times)


def test_the_earliest_line_that_is_dated_counts() -> None:
    lines = {"A.md": ("Use pnpm, never npm.",), "B.md": ("Never npm, use pnpm!", "Use pnpm and never npm")}
    known = {"Never npm, use pnpm!": START + timedelta(days=9), "Use pnpm and never npm": START - timedelta(days=1)}
    context = Context(existing=lines, since=lambda _path, line: known.get(line))
    (rule,) = rules(said(("a", "use pnpm, never npm")), context=context).rules
    assert (rule.already_in, rule.broken_again) == (("A.md", "B.md"), 1)


@pytest.mark.parametrize(("place", "there"), [("shop", ("shop/CLAUDE.md", "user.md")), ("web", ("user.md",))])
def test_a_line_counts_only_where_its_file_is_read(place: str, there: tuple[str, ...]) -> None:
    line = ("Use pnpm, never npm.",)
    context = Context(
        existing={"shop/CLAUDE.md": line, "user.md": line},
        owners={"shop/CLAUDE.md": frozenset({ProjectId("shop")}), "user.md": frozenset()},
    )
    assert rules(said(("a", "use pnpm, never npm"), place=place), context=context).rules[0].already_in == there


def test_private_matter_stays_out_and_what_is_left_empty_is_no_rule() -> None:
    context = Context(clean=lambda text, _names: None if "64k" in text else text)
    found = rules(said(("a", "never mention my 64k rate again in any proposal")), context=context)
    assert found.rules == ()
    assert found.dropped[0].reason == "nothing is left without what is private"


TALK = said(
    *(
        ("talk", f"why is the {one} so slow on the {two} page")
        for one in ("cart", "tax", "map")
        for two in ("big", "old", "new", "user")
    ),
    at=100,
)
"""Enough other words that what is said of one thing stands out."""

ORDERS = [
    "run the tests", "rebase on main", "create a new branch", "create an issue for this", "add tests for this",
    "update the docs", "add a changelog entry", "update the README", "commit and push", "open a PR", "check the CI",
    "review the PR comments", "fix the failing tests", "run the linter", "delete the branch", "merge it",
]  # fmt: skip


@pytest.mark.parametrize("order", ORDERS)
def test_everyday_orders_are_no_rule_however_often_they_are_given(order: str) -> None:
    found = rules(*(said((f"{place}{i}", order), place=place, at=i) for place in ("shop", "web") for i in range(3)))
    assert found.rules == ()
    assert all(lost.reason for lost in found.dropped)


@pytest.mark.parametrize(
    "words",
    [
        (
            "log a zeta todo for this",
            "can you add a zeta todo about the retry",
            "one more zeta todo please, for the cache",
        ),
        (
            "can you add a @notes/README.md entry please",
            "ok please log a @notes/README.md entry about the retry, with an example",
        ),
        (
            "put the ticket in Project: Apollo please",
            "open a linear issue, Project: Apollo",
            "a linear one in Project: Apollo",
        ),
    ],
)
def test_a_request_for_something_of_ones_own_is_a_rule_when_it_recurs(words: Sequence[str]) -> None:
    found = rules(said(*((f"s{i}", text) for i, text in enumerate(words))), TALK)
    again = [r for r in found.rules if r.level != "tentative"]
    assert again, found.dropped
    assert not any(r.text.endswith(("this", "that", "it")) for r in again)


@pytest.mark.parametrize(
    "words",
    [
        ("use uv instead of pip here, the venv is managed by uv", "you ran pip install again. uv add, not pip", "uv!! not pip"),
        ("make a branch first, always", "again on main! branch first please"),
        ("don't use `any` in the typescript code, use unknown and narrow it", "never `any`. unknown!"),
        ("for every Go file add the license header", "for every Go file add the license header",
         "for every Go file add the license header, please"),
        ("antworte bitte auf Deutsch", "bitte auf Deutsch antworten, wie gesagt"),
        ("from now on ask me before you add a new dependency", "I said ask before adding a dependency! remove it"),
    ],
)  # fmt: skip
def test_a_short_reminder_confirms_what_was_said_at_length(words: Sequence[str]) -> None:
    found = rules(said(*((f"s{i}", text) for i, text in enumerate(words))))
    assert max(r.sessions for r in found.rules) == len(words), [r.text for r in found.rules]


@pytest.mark.parametrize(
    ("rule", "remark"),
    [
        ("also write tests", "that tests it too and we can just keep them"),
        ("always make a branch first", "that branches again, just leave it"),
        ("never edit the shadow index by hand, always rebuild it", "but we have the shadow index in the folder?"),
    ],
)
def test_a_remark_on_the_matter_is_no_proof_of_the_rule(rule: str, remark: str) -> None:
    found = rules(said(("a", rule), ("b", remark)))
    assert all(r.sessions == 1 for r in found.rules)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("validate every JSON schema with ajv before you save it", "run the migrations with alembic before you save it, always"),
        ("never edit the schema file", "never touch old migrations"),
    ],
)  # fmt: skip
def test_different_matters_stay_different_rules(one: str, other: str) -> None:
    assert all(r.sessions == 1 for r in rules(said(("a", one), ("b", other))).rules)


def test_an_aside_that_was_said_once_is_not_part_of_the_rule() -> None:
    found = rules(
        said(
            ("a", "never file a ticket (the red one, critical) outside Project: Apollo"),
            ("b", "never file a ticket outside Project: Apollo"),
        )
    )
    assert "red" not in the(found, "apollo").text
    assert "red" in the(rules(said(("a", "never file a ticket (the red one) outside Project: Apollo"))), "apollo").text


@pytest.mark.parametrize("marker", ["[redacted:phone]", "[redacted:password]", "[redacted:mail]"])
@pytest.mark.parametrize(
    "text",
    [
        "always call me at {} when the deploy fails",
        "always log in with user bob and password {}!",
        "never push to {} because the mirror is slow",
    ],
)
def test_a_rule_that_lost_a_part_waits_for_a_yes_and_one_that_is_whole_does_not(text: str, marker: str) -> None:
    redactor = SecretRedactor()
    clean = Context(clean=lambda rule, names: generalise(rule, names=names, secrets_redactor=redactor))
    found = rules(said(("a", text.format(marker)), ("b", text.format(marker))), context=clean)
    assert all(marker in rule.held and not MARKER.search(rule.text) for rule in found.rules)
    assert found.rules or found.dropped
    whole = rules(said(("a", "always run the linter before you push"), ("b", f"the key was {marker}, so what")))
    assert [rule.held for rule in whole.rules] == [""]

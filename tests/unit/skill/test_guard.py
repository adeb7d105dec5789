"""What may be told to colleagues, and what a person must look at first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingrained.session.redact import SecretRedactor
from ingrained.skill.guard import REVIEWABLE, findings, unmatched
from skill_rules import make_rule

NAMES = ("Dana Petrov",)
SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"


def held(text: str, *, allowed: tuple[str, ...] = (), when: str = "", paths: tuple[str, ...] = ()) -> list[str]:
    rule = make_rule(text, when=when, paths=paths)
    found = findings(rule, names=NAMES, redactor=SecretRedactor(names=NAMES), allowed=allowed)
    return [one.partition(":")[0] for one in found]


@pytest.mark.parametrize(
    "text",
    [
        "Use pnpm and never npm in this repo",
        "Never push to main; open a PR instead",
        "Run `make lint` before every commit",
        "Don't use TypeScript enums",
        "Use the GitHub CLI and PostgreSQL, not SQLite",
        "Keep CHANGELOG.md current. Write one line per PR",
        "Name Go receivers with one letter",
        "I prefer short answers",
        "Use snake_case, never camelCase",
        "Write \"Fixes #12\" into the body of the commit",
        "Log errors with Sentry, on Mondays too",
        "Read @AGENTS.md first",
        "Serve it under /api/v1/users",
    ],
)  # fmt: skip
def test_plain_rules_of_the_trade_pass(text: str) -> None:
    assert held(text) == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Ask Ines before a release", "person"),
        ("Prefix branches with dana/", "name"),
        ("The customer Globex wants blue", "customer"),
        ("Keep answers short since my wrists hurt, I have RSI", "health"),
        ("Round down, my salary is too low", "pay"),
        ("Keep the notes in ~/notes/shop", "path"),
        ("Write the report to C:\\Users\\someone\\x", "path"),
        ("Copy it from /home/someone/src/tax.go", "path"),
        ("See https://wiki.shop.internal/tax", "address"),
        ("Fetch helpers from github.com/someone/private", "address"),
        ("Send it to 10.1.2.3", "address"),
        ("Ping @someone first", "handle"),
        ("Install @globex/ui", "handle"),
        ("Round up from $1,200 on", "amount"),
        ("Mail it to a.b@shop.example.org", "mail"),
        (f"Push with {SECRET}", "github-token"),
        ("Use the Kanban board", "word"),
        ("Round invoices of Globex up", "word"),
        ("Globex invoices are rounded up", "word"),
        ("Never touch the OrderService", "word"),
        ("Name branches ACME-1234", "word"),
        ("客户张三要打折", "script"),
        ("Skip the tests when in a hurry", "safety"),
        ("Use tabs\u202e", "hidden"),
    ],
)
def test_what_may_be_private_is_held_with_its_kind(text: str, kind: str) -> None:
    found = held(text)
    assert found
    assert kind in found


def test_condition_and_paths_are_looked_at_too() -> None:
    assert held("Use tabs", when="in the Globex module") == ["word"]
    assert set(held("Use tabs", paths=("/home/someone/x/*.go",))) == {"path"}
    assert held("Use tabs", paths=("../other/*.go",)) == ["path"]
    assert held("Use tabs", paths=("*.go", "src/api/")) == []


def test_a_look_settles_doubts_by_word_or_by_rule() -> None:
    assert held("Use the Kanban board of Globex", allowed=("kanban",)) == ["word"]
    assert held("Use the Kanban board of Globex", allowed=("kanban", "Globex")) == []
    assert held("Use the Kanban board of Globex", allowed=("r-00000001",)) == []


def test_allowed_words_that_settle_nothing_are_told() -> None:
    rules = [make_rule("Use the Kanban board of Globex"), make_rule("Ask Ines first")]
    found = [(rule, findings(rule, names=("Ines",), redactor=SecretRedactor(names=("Ines",)))) for rule in rules]
    words = ("kanban", "Globex", "R-00000001", "Kanbam", "Ines", "r-00000009", "Kanbam")
    assert unmatched(words, found) == ("Kanbam", "Ines", "r-00000009")
    assert unmatched((), found) == ()


@pytest.mark.parametrize("text", ["Ask Ines before a release", "Round down, my salary is too low", f"Push {SECRET}"])
def test_no_look_settles_what_is_surely_private(text: str) -> None:
    found = held(text, allowed=("r-00000001", "Ines", "my salary"))
    assert found
    assert not set(found) & set(REVIEWABLE)


def test_no_finding_shows_a_secret() -> None:
    found = findings(make_rule(f"Push with {SECRET}"), names=NAMES, redactor=SecretRedactor(names=NAMES))
    assert found == ("github-token: found",)


words = st.sampled_from(["use", "Use", "the", "never", "Run", "tests", "API", "in", "Go", "files", "-", ","])
unknown = st.from_regex(r"[A-Z][bcdfgq][a-z]{2,6}q", fullmatch=True)


@given(before=st.lists(words, min_size=1, max_size=5), name=unknown, after=st.lists(words, max_size=4))
def test_an_unknown_capitalised_word_in_mid_sentence_always_holds(
    before: list[str], name: str, after: list[str]
) -> None:
    text = " ".join([*before, name, *after])
    assert "word" in held(text)
    assert f"word: {name}" in findings(make_rule(text), names=(), redactor=SecretRedactor(names=()))

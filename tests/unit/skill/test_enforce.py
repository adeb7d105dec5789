"""Which rules a check would keep better than words, and what kind of check."""

from __future__ import annotations

import pytest

from ingrained.feedback.decompose import Kind
from ingrained.skill.enforce import AGAIN, suggestion, with_suggestions
from skill_rules import KINDS, make_rule


@pytest.mark.parametrize(
    ("text", "kind", "place", "words"),
    [
        ("Never commit to main", "commit", "git hook", "pre-commit hook that refuses"),
        ("Don't push directly to the main branch", "commit", "git hook", "branch protection"),
        ("Never force push", "commit", "git hook", "no fast-forward"),
        ("Run `make lint` before every commit", "validation", "git hook", "pre-commit hook that runs `make lint`"),
        ("Run the tests before you push", "validation", "git hook", "pre-push hook that runs the tests"),
        ("Run lint and fix its issues before pushing", "validation", "git hook", "runs lint and stops"),
        ("Before each commit run the formatter", "workflow", "git hook", "runs the formatter"),
        ("Run the e2e tests before opening a PR", "validation", "CI check", "runs the e2e tests"),
        ("Start commit messages with the ticket", "commit", "git hook", "commit-msg"),
        ("Put 'closes #N' into the commit message", "commit", "git hook", "commit-msg"),
        ("Use conventional commits", "commit", "git hook", "commit-msg"),
        ("Use pnpm, never npm", "workflow", "CI check", "package-lock.json"),
        ("Never use yarn here, only pnpm", "workflow", "CI check", "yarn.lock"),
        ("Never edit generated files", "workflow", "agent hook", "refuses generated files"),
        ("Do not touch `db/schema.sql`", "workflow", "agent hook", "`db/schema.sql`"),
        ("Never commit secrets", "commit", "git hook", "refuses secrets"),
        ("Indent with two spaces", "style", "formatter", "formatter's config"),
        ("Use single quotes", "style", "formatter", "formatter's config"),
        ("Sort the imports", "style", "linter", "imports"),
        ("Don't leave console.log in the code", "style", "linter", "`console.log`"),
        ("Never use `any`", "style", "linter", "`any`"),
        ("Always put a changelog line in the same commit", "commit", "CI check", "changelog"),
        ("Never run `docker compose down`", "workflow", "agent hook", "`docker compose down`"),
    ],
)
def test_what_a_machine_can_decide_gets_one_concrete_check(text: str, kind: Kind, place: str, words: str) -> None:
    found = suggestion(make_rule(text, kind=kind))
    assert found.partition(": ")[0] == place
    assert words in found


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Answer without explaining the diff", "communication"),
        ("Keep every answer under ten lines", "communication"),
        ("Write a thorough commit message", "commit"),
        ("Compare with one literal expected value", "style"),
        ("Look at the main branch first", "workflow"),
        ("Ask before you change the schema", "workflow"),
        ("Name receivers with one letter", "style"),
        ("Plan before you write code", "workflow"),
        ("Prefer subagents to save on the main context", "workflow"),
    ],
)
def test_what_takes_judgement_gets_none(text: str, kind: Kind) -> None:
    assert suggestion(make_rule(text, kind=kind)) == ""


@pytest.mark.parametrize("kind", KINDS)
def test_what_words_did_not_keep_gets_one_for_its_kind(kind: Kind) -> None:
    rule = make_rule("Ask before you change the schema", kind=kind)
    once = rule.model_copy(update={"said_again": (AGAIN - 1, 5)})
    often = rule.model_copy(update={"said_again": (AGAIN, 5)})
    assert suggestion(once) == ""
    assert suggestion(often).endswith("(said again 2 times since it was installed)")
    assert ": " in suggestion(often)


def test_a_known_check_stays_the_suggestion_when_it_is_said_again() -> None:
    rule = make_rule("Never commit to main", kind="commit").model_copy(update={"said_again": (3, 4)})
    assert suggestion(rule).startswith("git hook: a pre-commit hook that refuses")
    assert "said again 3 times" in suggestion(rule)


@pytest.mark.parametrize("change", [{"status": "refused"}, {"status": "superseded"}, {"level": "retired"}])
def test_what_does_not_hold_needs_no_check(change: dict[str, str]) -> None:
    rule = make_rule("Never commit to main").model_copy(update={**change, "said_again": (5, 5)})
    assert suggestion(rule) == ""
    assert with_suggestions([rule])[0] is rule

"""What a text asks for and what it forbids: turns that agree are no opposites, whichever clause of them is negated."""

from collections.abc import Sequence

import pytest
from tests.unit.feedback.test_recur import BACKGROUND, atoms

from ingrained.embed.lexical import Weights
from ingrained.feedback.recur import contrary, group
from ingrained.feedback.sides import Claim, claims, contradict

AGREE = [
    ("never commit on main", "don't commit on main, make a branch first"),
    ("never commit on main", "commit on a branch, never on main"),
    ("never commit on main", "make a branch first instead of committing on main"),
    ("never push to main", "push to a feature branch instead of main"),
    ("never push to main", "push to a feature branch rather than to main"),
    ("never mock the database in tests", "use a real database in tests, don't mock it"),
    ("use a real database in tests", "don't use a mocked database in tests, use a real one"),
    ("never edit generated files", "edit the template, never the generated files"),
    ("don't edit the schema file by hand", "edit the migration, not the schema file"),
    ("use the logger for logging", "don't use print for logging, use the logger"),
    ("don't merge without a review", "ask for a review before you merge, never merge without one"),
    ("always ask for a review before you merge", "never merge without a review"),
    ("always run the tests before you push", "never push without running the tests"),
    ("run the linter before you commit", "don't commit before you run the linter"),
    ("run the linter before you commit", "don't commit until the linter ran"),
    ("before you commit, run the linter", "don't commit before you run the linter"),
    ("put secrets in the vault", "never put secrets in the code, they belong in the vault"),
    ("never put secrets in the code", "put secrets in the vault, not in the code"),
    ("don't add a dependency without asking", "ask before you add a dependency, don't just add it"),
    ("don't delete failing tests", "fix failing tests, never delete them"),
    ("never rename with sed", "rename with the language server, not with sed"),
    ("never deploy on friday", "deploy on monday, never on friday"),
    ("never deploy unless I say so", "deploy only when I say so"),
    ("log the id, not the name", "the logs should not hold the name, log the id"),
]
OPPOSED = [
    ("never commit on main", "always commit on main, never make a branch"),
    ("never commit on main", "commit on main, not on a branch"),
    ("commit on a branch, never on main", "commit on main, never on a branch"),
    ("never push to main", "push to main instead of a feature branch"),
    ("never mock the database in tests", "mock the database in tests, don't use a real one"),
    ("use a real database in tests", "never use a real database in tests, mock it"),
    ("edit the template, never the generated files", "edit the generated files, never the template"),
    ("use the logger, not print, for logging", "use print, not the logger, for logging"),
    ("don't use print for logging, use the logger", "don't use the logger for logging, use print"),
    ("always run the tests before you push", "never run the tests before you push, CI does it"),
    ("ask before adding a dependency", "don't ask before adding a dependency, just add it"),
    ("never put secrets in the code, put them in the vault", "put secrets in the code, never put them in the vault"),
    ("don't delete failing tests, fix them", "delete failing tests, don't fix them"),
    ("rename with the language server, not with sed", "rename with sed, not with the language server"),
    ("never deploy on friday, wait for monday", "always deploy on friday, don't wait for monday"),
    ("never merge without a review", "merge without a review, never wait for one"),
    ("never deploy unless I say so", "always deploy, never wait for me"),
]


def opposites(pair: Sequence[str]) -> frozenset[tuple[int, int]]:
    return group(atoms(*pair), Weights.fit([*BACKGROUND, *pair])).opposites


@pytest.mark.parametrize("pair", AGREE)
@pytest.mark.parametrize("swapped", [False, True])
def test_turns_that_agree_are_no_opposites(pair: Sequence[str], swapped: bool) -> None:
    assert opposites(pair[::-1] if swapped else pair) == frozenset()


@pytest.mark.parametrize("pair", OPPOSED)
@pytest.mark.parametrize("swapped", [False, True])
def test_turns_that_cannot_both_be_followed_are(pair: Sequence[str], swapped: bool) -> None:
    assert opposites(pair[::-1] if swapped else pair) == {(0, 1)}
    assert contrary(pair[0], pair[1], Weights.fit([*BACKGROUND, *pair]))


@pytest.mark.parametrize("text", sorted({text for pair in (*AGREE, *OPPOSED) for text in pair}))
def test_no_text_contradicts_itself_and_a_contradiction_has_no_direction(text: str) -> None:
    assert not contradict(text, text)
    for other, _ in OPPOSED:
        assert contradict(text, other) == contradict(other, text)


def test_claims() -> None:
    assert claims("") == claims("of the, and!") == ()
    assert claims("commit on a branch, never on main") == (
        Claim(forbidden=False, what=frozenset(["commit", "branch"])),
        Claim(forbidden=True, what=frozenset(["main"])),
    )
    assert claims("never merge without a review") == (Claim(forbidden=False, what=frozenset(["merg", "review"])),)
    assert claims("generated files aren't edited") == (
        Claim(forbidden=True, what=frozenset(["creat", "file", "modifi"])),
    )
    assert claims("before you push, run the tests") == claims("run the tests before you push")


def test_a_question_takes_no_side() -> None:
    assert not contrary("should we commit on main?", "never commit on main", Weights.fit(BACKGROUND))


def test_what_is_forbidden_on_a_condition_is_not_forbidden_without_it() -> None:
    assert not contradict("never restart the server when a job runs", "restart the server")
    assert contradict("never restart the server when a job runs", "always restart the server when a job runs")

"""Detect, transfer, scope and restate on sentences of our own; the figures on real turns are in docs/results.md."""

import pytest

from ingrained.feedback.cues import FEEDBACK_POINTS, cues
from ingrained.feedback.detect import detect
from ingrained.feedback.restate import polarity_of, restate
from ingrained.feedback.scope import reach
from ingrained.feedback.transfer import kind_of, transfer
from ingrained.session.session import Act, Form


@pytest.mark.parametrize(
    "text", ["no, that's wrong", "please don't touch the config", "I'd rather have one file", "this should be sorted"]
)
def test_corrections_and_wishes_are_feedback(text: str) -> None:
    assert detect(text).points >= FEEDBACK_POINTS


@pytest.mark.parametrize(
    "text",
    ["yes", "go ahead", "commit this", "push it", "what does this do?", "how is the cache filled?", "/review the PR"],
)
def test_approvals_commands_and_open_questions_are_not(text: str) -> None:
    assert detect(text).points < FEEDBACK_POINTS


def test_words_with_a_refusal_are_feedback_whatever_they_are() -> None:
    assert detect("same project?", "refusal").points >= FEEDBACK_POINTS > detect("same project?").points


def test_with_nothing_before_it_words_are_rather_a_task() -> None:
    assert detect("just one file", "typed", Act()).points < detect("just one file", "typed", Act(said="Done.")).points


@pytest.mark.parametrize(
    "text",
    [
        "always put a changelog line in the same commit as the change",
        "we never use npm in this repo",
        "every migration needs a down step",
        "keep your answers to two sentences",
        "use pnpm, not npm",
        "siempre responde en español",
    ],
)
def test_standing_words_transfer(text: str) -> None:
    assert transfer(text).transferable


@pytest.mark.parametrize(
    "text",
    ["just this once, skip the changelog", "leave it alone", "great, another useless comment, exactly what I needed",
     "use port 15432 for this one", "make the button blue", "for now use sqlite in the tests", "the title is cut off"],
)  # fmt: skip
def test_one_offs_do_not_transfer(text: str) -> None:
    assert not transfer(text).transferable


HAPPENS = [
    "never finishes", "always times out on the second call", "never mind", "never seen this before", "always 404 on reload",
    "never saw this error before", "always", "please always", "the button never gets disabled after submit",
    "always returns None when the balance is zero, please fix", "it never worked", "always crashes on start",
]  # fmt: skip


@pytest.mark.parametrize("text", HAPPENS)
@pytest.mark.parametrize("form", ["typed", "refusal"])
def test_what_always_or_never_happens_is_no_rule(text: str, form: Form) -> None:
    assert not transfer(text, form).transferable


@pytest.mark.parametrize(
    "verb", ["finish", "crash", "return", "show", "use", "process", "pass", "address", "commit", "test"]
)
@pytest.mark.parametrize("word", ["always", "never"])
def test_the_same_words_as_an_order_are_one(verb: str, word: str) -> None:
    assert transfer(f"{word} {verb} the result in the handler first").explicit or verb in {"finish", "crash", "show"}
    assert transfer(f"from now on {word} {verb} it early").transferable


def test_a_question_with_a_standing_word_states_no_rule() -> None:
    assert not transfer("does it always restart?").explicit
    assert transfer("it always restarts from main").explicit


@pytest.mark.parametrize(
    ("text", "when", "paths"),
    [
        ("run only the cart tests while we work on cart", "while we work on cart", ()),
        ("add a header to every Go file, in Go files only", "", ("*.go",)),
        ("leave the auth module alone unless I ask", "unless I ask", ()),
        ("this is only for the api package", "", ("api/",)),
        ("use the wrapper in lib/retry.py", "", ()),
    ],
)
def test_scope_is_as_narrow_as_the_words(text: str, when: str, paths: tuple[str, ...]) -> None:
    found = reach(text)
    assert found.paths == paths
    assert found.when == when or (not when and not found.when)


def test_an_expiry_is_seen() -> None:
    assert reach("for now use sqlite").expires
    assert not reach("use sqlite").expires


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("no, always run the linter first please", "Always run the linter first"),
        (
            "don't rename with sed, use the language server rename",
            "Use the language server rename; don't rename with sed",
        ),
        ("ok can we please log an issue for that", "Log an issue for that"),
        ("remember: money is integer cents", "Money is integer cents"),
        ("no emojis in commit messages", "No emojis in commit messages"),
        ("do we have a test for this??", "Check: do we have a test for this?"),
        ("let's not squash", "Do not squash"),
        ("before making changes, dont forget to pull", "Before making changes, pull"),
        ("let's instead use one file", "Use one file"),
        ("also WRITE TESTS", "Write tests"),
        ("and always log the id, I had to tell you this last week too", "Always log the id"),
    ],
)
def test_restating_only_cuts_and_puts_the_positive_side_first(said: str, rule: str) -> None:
    assert restate(said) == rule


def test_polarity_and_kind() -> None:
    assert polarity_of("Never force push") == "avoid"
    assert polarity_of("Use rebase; never merge") == "do"
    assert kind_of("answer in two sentences") == "communication"
    assert kind_of("make the button blue") == "other"


def test_every_cue_can_match_and_has_a_phrase() -> None:
    for table in ("feedback", "transfer"):
        names = [cue.name for cue in cues(table)]
        assert len(names) == len(set(names))
        assert all(cue.phrase and cue.points for cue in cues(table))


def test_cues_for_the_same_words_tell_the_same_so_that_no_reason_is_given_twice() -> None:
    told: dict[tuple[str, ...], set[str]] = {}
    for cue in (*cues("feedback"), *cues("transfer")):
        told.setdefault(tuple(pattern.pattern for pattern in cue.patterns), set()).add(cue.phrase)
    assert [phrases for phrases in told.values() if len(phrases) > 1] == []

"""What restating cuts and what it leaves; tests/property/test_restate_properties.py has the law of the negation."""

import pytest

from ingrained.feedback.restate import negations, restate


@pytest.mark.parametrize(
    "said",
    ["Look at the logs first", "right-align numbers", "Note the order of imports", "Question every new dependency",
     "Remember the down step", "Wait for CI", "No I/O in unit tests", "No this in arrow functions", "No more emojis",
     "No use cases in the readme", "Great error messages matter", "Just one file per class",
     "So that it stays fast, cache it", "Now that uv is here, drop pip", "Instead of mocks, use fixtures",
     "Well named tests only", "Sure answers only", "Align numbers right", "Never say please", "Don't ask again",
     "Never write thanks", "Show an ok or a fail", "Have a look", "Never edit the copyright", "Take what I said"],
)  # fmt: skip
def test_words_that_are_the_content_stay(said: str) -> None:
    assert restate(said) == said


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("I changed my mind: two spaces in sql", "Two spaces in sql"),
        ("actually I've changed my mind about tabs, use two spaces", "Use two spaces"),
        ("you know what, put the sidebar left", "Put the sidebar left"),
        ("on second thought, keep the file", "Keep the file"),
        ("to be clear: never squash", "Never squash"),
        ("like I said, titles in lower case", "Titles in lower case"),
        ("titles in lower case, like I said", "Titles in lower case"),
        ("titles in lower case, as I said before", "Titles in lower case"),
        ("no uses emojis, te lo dije", "No uses emojis"),
        ("I told you to run ruff", "Run ruff"),
        ("I told you not to use lodash", "Do not use lodash"),
        ("can we not mock the clock", "Do not mock the clock"),
        ("wait no, use pnpm", "Use pnpm"),
        ("No... put it in one file", "Put it in one file"),
        ("NOT YOU", "Not you"),
        ("let's please not squash", "Do not squash"),
        ("I want you to not squash", "Do not squash"),
        ("remember never to squash commits", "Never squash commits"),
        ("I keep telling you to use uv", "Use uv"),
        ("how often do I have to say it: use uv", "Use uv"),
        ("I would prefer if you never squashed", "I would prefer if you never squashed"),
        ("no idea why you did that, use the helper", "No idea why you did that, use the helper"),
        ("also don't, ever, squash", "Don't, ever, squash"),
        ("titles should be lowercase, remember?", "Titles should be lowercase"),
        ("should be lowercase, remember?", "Should be lowercase"),
        ("good point, but never mock", "Never mock"),
        ("not to the shared branch", "Not to the shared branch"),
        ("I prefer composition over inheritance", "Prefer composition over inheritance"),
        ("no you should use tabs", "Use tabs"),
        ("no use tabs, not spaces", "Use tabs, not spaces"),
        ("no the tests should be in one file", "The tests should be in one file"),
        ("Where is the backfill? new columns always come with one", "New columns always come with one"),
        ("did you run it? always run the linter before you push", "Always run the linter before you push"),
    ],
)
def test_conversation_around_the_rule_is_cut(said: str, rule: str) -> None:
    assert restate(said) == rule


@pytest.mark.parametrize(
    "tag",
    [", right?", " right?", ", ok?", ", okay??", ", no?", ", isn't it?", ", don't we?", ", correct?", ", remember?",
     ", oder?", ", ¿verdad?", ", n'est-ce pas?", ", ok please?", ", didn't you?", ", got it?"],
)  # fmt: skip
@pytest.mark.parametrize(
    "said", ["We use tabs here", "Don't touch the config", "Never log the token", "Run ruff first"]
)
def test_a_tag_makes_no_question_of_a_statement(said: str, tag: str) -> None:
    assert restate(said + tag) == said


@pytest.mark.parametrize(
    "said",
    ["is this right?", "do we have a test for it?", "can we use tabs?", "why don't we cache?", "don't you test it?"],
)
def test_a_real_question_stays_one(said: str) -> None:
    assert restate(said) == f"Check: {said}"


@pytest.mark.parametrize("ask", ["can you {}?", "could you please {}?", "would you {}, please?", "can we please {}?"])
def test_a_request_in_the_form_of_a_question_is_none(ask: str) -> None:
    assert restate(ask.format("use tabs")) == "Use tabs"


@pytest.mark.parametrize(
    ("said", "count"),
    [
        ("no, use tabs", 0),
        ("no tabs", 1),
        ("don't forget the test", 0),
        ("never mock, not even here", 2),
        ("keep it", 0),
    ],
)
def test_an_answering_no_is_no_negation(said: str, count: int) -> None:
    assert negations(said) == count


@pytest.mark.parametrize("thing", ["the migration", "the tests", "about the changelog", "the second locale"])
def test_a_thing_not_to_be_forgotten_is_not_the_whole_rule(thing: str) -> None:
    assert restate(f"don't forget {thing}").lower() == f"don't forget {thing}"
    assert restate(f"don't forget to run {thing}").lower() == f"run {thing}"


@pytest.mark.parametrize("what", ["retry", "see this page", "log in twice"])
def test_what_nobody_should_have_to_do_keeps_its_subject(what: str) -> None:
    assert "should never have to" in restate(f"you should never have to {what}")

"""Who wrote a text: the closed tables, and what they must not catch."""

from __future__ import annotations

import pytest

from ingrained.session.provenance import (
    CUT_TAGS,
    HARNESS_STARTS,
    INTERRUPTS,
    OWN_FOLDER,
    OWN_MARKER,
    REFUSAL,
    clean,
    is_included,
    is_under,
    reason_of,
    refused_words,
    slash_command,
)

NOTE = "\n\nNote: The user's next message may contain a correction or preference. Pay close attention."


@pytest.mark.parametrize("start", HARNESS_STARTS)
def test_a_block_with_a_harness_start_is_harness_to_its_end(start: str) -> None:
    cleaned = clean(f"\n{start} never do that\n\nalways do this")
    assert (cleaned.kind, cleaned.text, cleaned.by_tag) == ("harness", "", True)


@pytest.mark.parametrize("text", ["Warmup", "Continue from where you left off."])
def test_a_harness_sentence_is_one_only_alone(text: str) -> None:
    assert clean(f" {text}\n").kind == "harness"
    assert clean(f"{text} And run the tests").kind == "words"


@pytest.mark.parametrize("tag", CUT_TAGS)
def test_a_marked_piece_is_cut_and_the_rest_stays(tag: str) -> None:
    cleaned = clean(f'<{tag} name="x">\nnever do that\n</{tag}>\nplease commit')
    assert (cleaned.kind, cleaned.text, cleaned.by_tag) == ("words", "please commit", True)
    assert clean(f"please commit\n\n<{tag}>x</{tag}>").text == "please commit"
    assert clean(f"<{tag}>x</{tag}>").kind == "harness"
    assert clean(f"<{tag}>never ends").kind == "harness"


@pytest.mark.parametrize(
    "text",
    [
        "why does <system-reminder> show up in my log?",
        "wrap it in `<ide_selection>x</ide_selection>` inline",
        "use <div> and not <span> here",
        "the line [Request interrupted by user] should be red",
        "Warmup the cache first",
    ],
)
def test_a_person_may_talk_about_tags(text: str) -> None:
    cleaned = clean(text)
    assert (cleaned.kind, cleaned.text, cleaned.by_tag) == ("words", text, False)


@pytest.mark.parametrize("text", INTERRUPTS)
def test_interrupts(text: str) -> None:
    assert clean(text).kind == "interrupt"


def test_of_a_command_the_arguments_are_the_persons() -> None:
    wrapped = "<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>{}</command-args>"
    cleaned = clean(wrapped.format("the last commit, never the whole branch"))
    assert (cleaned.kind, cleaned.command) == ("command", "review")
    assert cleaned.text == "the last commit, never the whole branch"
    assert clean(wrapped.format("")).text == ""
    assert clean("<command-name>/model</command-name><command-args>opus</command-args>").text == ""


def test_a_memory_note_is_the_persons() -> None:
    cleaned = clean("<user-memory-input>always use uv</user-memory-input>")
    assert (cleaned.kind, cleaned.text, cleaned.by_tag) == ("words", "always use uv", True)


def test_placeholders_of_pasted_things_are_no_words() -> None:
    assert clean("[Image #1] make it blue [Pasted text #2 +40 lines]").text == "make it blue"
    assert clean("[Image #1]").text == ""


def test_after_an_ides_context_the_request_is_kept() -> None:
    text = "# Context from my IDE setup:\n\n## Open tabs:\n- a.py: never\n\n## My request for Codex:\nfix the test\n"
    assert clean(text).text == "fix the test"
    assert clean("## My request for Codex:\nfix it").text == "## My request for Codex:\nfix it"


def test_a_rule_file_before_the_question_is_cut() -> None:
    rules = "# AGENTS.md instructions for /src\n\n<INSTRUCTIONS>\nNever push.\n</INSTRUCTIONS>"
    assert clean(rules).kind == "harness"
    assert clean(f"{rules}\n\nwhy is it slow?").text == "why is it slow?"
    assert clean(rules.removesuffix("</INSTRUCTIONS>")).kind == "harness"


def test_slash_commands_as_they_are_typed() -> None:
    command = slash_command("/gsd:quick move the bar\nto the bottom")
    assert command is not None
    assert (command.command, command.text) == ("gsd:quick", "move the bar\nto the bottom")
    assert slash_command("/usr/bin/env is wrong") is None
    bare = slash_command("/compact")
    assert bare is not None
    assert bare.text == ""


REFUSED = f"{REFUSAL} The tool use was rejected. To tell you how to proceed, the user said:\n"


@pytest.mark.parametrize(
    ("content", "outcome", "denial", "words"),
    [
        (REFUSED + "use uv", "User rejected tool use", "", "use uv"),
        (REFUSED + "use uv" + NOTE, "Error: " + REFUSED + "use uv", "", "use uv"),
        (REFUSED + "use uv", None, "user-rejected", "use uv"),
        (REFUSAL + " STOP what you are doing", "User rejected tool use", "", ""),
        (REFUSED + "The user wants to clarify these questions.\n  This means…", "User rejected tool use", "", None),
        (REFUSED + "use uv", {"stdout": REFUSED}, "", None),
        (REFUSED + "use uv", "Error: Exit code 1\n" + REFUSED, "", None),
        ("Exit code 1\n" + REFUSED + "use uv", "Error: " + REFUSED, "", None),
        (REFUSED + "use uv", "User rejected tool use", "hook", None),
    ],
)
def test_refusals(content: str, outcome: object, denial: str, words: str | None) -> None:
    assert refused_words(content, is_error=True, outcome=outcome, denial=denial) == words
    assert refused_words(content, is_error=False, outcome=outcome, denial=denial) is None


def test_reasons_by_precedence() -> None:
    observer = "/home/d/.observer/observer-sessions"
    replay = "/home/d/.local/share/learner/replay/run-3"
    own = f"/tmp/{OWN_FOLDER}/7"
    assert reason_of(text=f"{OWN_MARKER} id=1>", places=[observer], sidechain=True, headless=True) == "own"
    assert reason_of(places=[own, replay], headless=True) == "own"
    assert reason_of(places=[observer], sidechain=True, headless=True) == "subagent"
    assert reason_of(places=[observer, replay], headless=True) == "observer"
    assert reason_of(text="<observed_from_primary_session>x", headless=True) == "observer"
    assert reason_of(places=[replay], headless=True) == "replay"
    assert reason_of(places=["/home/d/src/shop"], headless=True) == "headless"
    assert reason_of(text="hello", places=["/home/d/src/shop"]) is None


@pytest.mark.parametrize(
    "place",
    [
        "/home/d/.local/share/learner/replay/run-0",
        "/home/d/.cache/x/replays/12/repo",
        "C:\\Users\\d\\AppData\\Local\\x\\replay\\run_1",
        "/Users/d/Library/Application Support/x/replay/rollout-4",
    ],
)
def test_numbered_runs_in_a_programs_own_folder_are_replays(place: str) -> None:
    assert reason_of(places=[place]) == "replay"


@pytest.mark.parametrize(
    "place",
    ["/home/d/src/replay", "/home/d/src/replay/run-1", "/home/d/.config/replay/themes", "/home/d/src/replay-server/3"],
)
def test_a_project_may_be_called_replay(place: str) -> None:
    assert reason_of(places=[place]) is None


def test_included_front_ends() -> None:
    included = {("sdk-ts", "/home/d/desktop")}
    assert is_included("sdk-ts", "/home/d/desktop/shop", included)
    assert not is_included("sdk-ts", "/home/d/desktop2", included)
    assert not is_included("sdk-cli", "/home/d/desktop", included)


@pytest.mark.parametrize(
    ("path", "folder", "expected"),
    [
        ("/a/b", "/a", True),
        ("/a", "/a/", True),
        ("/ab", "/a", False),
        ("C:\\a\\b", "C:/a", True),
        ("/a", "/", True),
        ("/a", "", False),
    ],
)
def test_is_under(path: str, folder: str, expected: bool) -> None:
    assert is_under(path, folder) is expected

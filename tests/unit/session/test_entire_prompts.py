"""Lists of prompts, one session a line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingrained.session.readers.templates import is_template
from ingrained.session.sources import find
from session_logs import SESSION, Claude, lines, read, read_rows, texts, write

NAME = "dev_01.jsonl"
REPORT = "<task-notification>\n<summary>Agent done</summary>\n<result>Here is what I saw:"


def row(*prompts: object, session: str = "2026-01-19-s1", created: str = "2026-01-20T09:00:00+10:00") -> object:
    return {
        "session_id": session,
        "dev": "dev_01",
        "created_at": created,
        "agent": "Claude Code",
        "checkpoints": 1,
        "files_touched": ["shop/cart.py"],
        "prompts": list(prompts),
    }


def test_every_typed_prompt_is_a_turn_in_its_place(tmp_path: Path) -> None:
    found = read_rows(tmp_path, [row("round up to cents", "no, hush-me first"), row("hi", session="s2")], NAME)
    first, second, third = found.turns
    assert found.reader == "entire-prompts"
    assert texts(found) == ["round up to cents", "no, [redacted:hush] first", "hi"]
    assert (first.session, first.line, first.record, first.form) == ("s1", 1, "L1P1", "typed")
    assert (second.line, third.session, third.record) == (2, "s2", "L2P1")
    assert first.time is not None
    assert first.time.isoformat() == "2026-01-19T23:00:00+00:00"
    assert (first.act.tool, first.cwd) == ("", "")
    assert found.secrets == {"hush": 1}


def test_what_the_harness_wrote_is_set_aside(tmp_path: Path) -> None:
    prompts = [
        "[Request interrupted by user]",
        "use the fixture",
        "<bash-input>git status</bash-input>",
        "<bash-stdout>clean</bash-stdout><bash-stderr></bash-stderr>",
        "This session is being continued from a previous conversation that ran out of context.",
        "Base directory for this skill: /home/dana/.claude/skills/review\n\n# Review\nNever skip a file.",
        "/workflows:review the cart only",
        "# Review\n\nAlways read every file.",
        "/model opus",
        "# a short heading of my own\nkeep it",
    ]
    found = read_rows(tmp_path, [row(*prompts)], NAME)
    assert texts(found) == ["use the fixture", "the cart only", "# a short heading of my own\nkeep it"]
    assert [turn.after_interrupt for turn in found.turns] == [True, False, False]
    assert [turn.form for turn in found.turns] == ["typed", "command", "typed"]
    assert found.by_tag == 6


def test_of_an_expanded_command_the_arguments_are_typed(tmp_path: Path) -> None:
    body = "Start the shipping skill and do all that it says.\n\n\nARGUMENTS: "
    prompts = [
        f"{body}never on Fridays\n\nask first",
        f"{body}",
        "# Ship\n\nAlways ask." + body + "the cart only",
        "Base directory for this skill: /home/dana/.claude/skills/ship\n\n# Ship\n\n\nARGUMENTS: written by the agent",
        "/ship in one commit",
        f"{body}in one commit",
        "use ARGUMENTS: as a heading\nARGUMENTS: and here",
    ]
    found = read_rows(tmp_path, [row(*prompts)], NAME)
    assert [(turn.text, turn.form) for turn in found.turns] == [
        ("never on Fridays\n\nask first", "command"),
        ("the cart only", "command"),
        ("in one commit", "command"),
        ("use ARGUMENTS: as a heading\nARGUMENTS: and here", "typed"),
    ]
    assert found.by_tag == 5


def test_the_pieces_of_a_plan_and_of_a_report_go_with_their_first(tmp_path: Path) -> None:
    prompts = [
        "Implement the following plan:\n\n# Plan",
        "## Steps\n\n1. never log",
        "## Verification\n\nalways run all",
        "also drop the flag",
        REPORT,
        "I never touched the cart.",
        "## End\n\nall good</result></task-notification>\nFull transcript available at: /tmp/x",
        "merge it",
        REPORT,
        "### cut\n\nalways ask [truncated]",
        "done",
    ]
    found = read_rows(tmp_path, [row(*prompts)], NAME)
    assert texts(found) == ["also drop the flag", "merge it", "done"]


def test_a_report_without_an_end_takes_no_words_with_it(tmp_path: Path) -> None:
    found = read_rows(tmp_path, [row(REPORT, "push it"), row(REPORT, "## Summary\n\nfine", REPORT, session="s2")], NAME)
    assert texts(found) == ["push it"]


def test_growing_copies_of_a_session_count_once(tmp_path: Path) -> None:
    rows = [
        row("ok", "use tabs", "ok"),
        row("ok", "use tabs", "ok", "ok", session="2026-01-21-s1"),
        row("ok", session="s2"),
    ]
    found = read_rows(tmp_path, rows, NAME)
    assert [(turn.session, turn.text) for turn in found.turns] == [
        ("s1", "ok"),
        ("s1", "use tabs"),
        ("s1", "ok"),
        ("s1", "ok"),
        ("s2", "ok"),
    ]
    assert len({turn.key for turn in found.turns}) == 5
    assert {fact.session for fact in found.sessions} == {"s1", "s2"}


def test_damage_costs_only_its_rows(tmp_path: Path) -> None:
    path = tmp_path / NAME
    torn = lines([row("lost for now", session="s9")])[:-20]
    path.write_bytes(
        lines([row("one")])
        + b'{"session_id": "x", "prom\n'
        + lines([[1], {"prompts": 3}])
        + json.dumps(row(None, 7, "two", "", "\ud800 three")).encode()
        + b"\n"
        + torn
    )
    found = read(path)
    assert texts(found) == ["one", "two", "� three"]
    assert {damage.kind: damage.count for damage in found.damage} == {"cut": 1, "shape": 2, "torn": 1}
    path.write_bytes(path.read_bytes() + lines([row("lost for now", session="s9")])[-20:] + lines([row("two")]))
    more = read(path, found.cursor)
    assert more.resumed
    assert texts(more) == ["lost for now"]


def test_other_formats_are_not_taken_for_it(tmp_path: Path) -> None:
    log = Claude(SESSION)
    log.user('{"session_id": "x", "checkpoints": 1, "prompts": []}')
    write(tmp_path / f"{SESSION}.jsonl", log.rows)
    write(tmp_path / "notes.jsonl", [{"prompts": ["a"], "checkpoints": 2}, {"session_id": "y", "prompts": ["b"]}])
    write(tmp_path / "deep" / NAME, [row("a")])
    assert {Path(source.path).name: source.reader for source in find([tmp_path])} == {
        f"{SESSION}.jsonl": "claude-code",
        NAME: "entire-prompts",
    }


@pytest.mark.parametrize(
    ("text", "called", "expected"),
    [
        ("You are an expert code reviewer. Follow these steps:\n1. List", False, True),
        ("# Ship\n\n" + "Ask first. " * 60, False, True),
        ("# Ship\nsoon", False, False),
        ("# Ship\nsoon", True, True),
        ("#12 is still open", True, False),
        ("ship it " * 100, True, False),
        ("**Ship**\n\n" + "Ask first. " * 60, False, True),
        ("**Ship**\n\nsoon", True, False),
        ("**never** ship " * 60, False, False),
        ("**STEP REQUIRED: Start an agent.**\n\nDo not answer yourself.", False, True),
        ("<READ_THIS_FIRST>\nYou have skills.\n</READ_THIS_FIRST>", False, True),
        ("**IMPORTANT: never ship on Fridays**", False, False),
        ("DO NOT: ship it", False, False),
        ("Invoke the tools:shipping skill and follow it exactly as presented to you", False, True),
        ("Invoke the tools:shipping skill before every release", False, False),
    ],
)
def test_a_template_opens_with_a_heading(text: str, called: bool, expected: bool) -> None:
    assert is_template(text, called=called) is expected

"""Codex logs, all generations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from session_logs import CWD, codex, codex_event, codex_item, codex_meta, read, read_rows, texts, write

ROLLOUT = "rollout-2026-04-01T10-00-00-t-1.jsonl"
AGENTS = "# AGENTS.md instructions for /src\n\n<INSTRUCTIONS>\nNever push to main.\n</INSTRUCTIONS>"
ENVIRONMENT = "<environment_context>\n  <cwd>/home/dana/other</cwd>\n</environment_context>"


def call(name: str, arguments: object, second: int = 0) -> dict[str, object]:
    payload = {"type": "function_call", "name": name, "arguments": json.dumps(arguments), "call_id": "c"}
    return codex("response_item", payload, second=second)


def test_typed_events_are_read_and_their_items_are_not(tmp_path: Path) -> None:
    rows = [
        codex_meta(git={"branch": "topic"}),
        codex_item(AGENTS),
        codex_item("some preamble that no table knows: never do it"),
        codex("turn_context", {"cwd": "/home/dana/src/web"}),
        codex_item("write a migration"),
        codex_event("write a migration", second=1),
        call("exec_command", {"cmd": "alembic revision"}),
        codex("response_item", {"type": "function_call_output", "call_id": "c", "output": "no, use flyway"}),
        codex("event_msg", {"type": "agent_message", "message": "All done. Migration written."}),
        codex_item("All done. Migration written.", role="assistant"),
        codex_item("name it by ticket"),
        codex_event("name it by ticket", second=90),
        codex("compacted", {"message": "", "replacement_history": [{"role": "user", "content": "name it by ticket"}]}),
    ]
    found = read_rows(tmp_path, rows, ROLLOUT)
    first, second = found.turns
    assert texts(found) == ["write a migration", "name it by ticket"]
    assert (first.line, first.session, first.cwd, first.branch) == (5, "t-1", "/home/dana/src/web", "topic")
    assert (second.act.tool, second.act.input) == ("exec_command", "alembic revision")
    assert second.act.said == "Migration written."
    assert second.time is not None
    assert second.time.isoformat() == "2026-04-01T10:01:30+00:00"
    assert found.by_tag == 0
    (facts,) = found.sessions
    assert (facts.cwd, facts.entrypoint, facts.reason) == (CWD, "codex_cli_rs", None)


def test_items_count_where_the_file_has_no_typed_event(tmp_path: Path) -> None:
    rows = [
        codex_meta(),
        codex_item("You are a coding agent.", role="developer"),
        codex_item("<recommended_plugins>\nx\n</recommended_plugins>", AGENTS, ENVIRONMENT, "why is it slow?"),
        codex("event_msg", {"type": "item_completed", "item": {"type": "AgentMessage", "content": []}}),
        codex_item("An N+1 query.", role="assistant"),
        codex_item(f"{ENVIRONMENT}\nmeasure first, always"),
    ]
    found = read_rows(tmp_path, rows, ROLLOUT)
    assert texts(found) == ["why is it slow?", "measure first, always"]
    assert [turn.by_tag for turn in found.turns] == [True, True]
    assert found.turns[1].act.said == "An N+1 query."
    assert found.by_tag == 3


@pytest.mark.parametrize(
    "preamble",
    [
        "<user_instructions>never</user_instructions>",
        "<turn_aborted>never</turn_aborted>",
        "<skill>never</skill>",
        "<permissions instructions>never</permissions instructions>",
        "<hook_prompt id='1'>never</hook_prompt>",
        AGENTS,
        ENVIRONMENT,
    ],
)
def test_preambles_in_the_users_role(tmp_path: Path, preamble: str) -> None:
    found = read_rows(tmp_path, [codex_meta(), codex_item(preamble), codex_item("sort the imports")], ROLLOUT)
    assert texts(found) == ["sort the imports"]


def test_paginated_threads(tmp_path: Path) -> None:
    def item(item: dict[str, object]) -> dict[str, object]:
        return codex("event_msg", {"type": "item_completed", "thread_id": "t-1", "turn_id": "u", "item": item})

    rows = [
        codex_meta(history_mode="paginated"),
        codex_item(ENVIRONMENT),
        item({"type": "UserMessage", "id": "i1", "content": [{"type": "text", "text": "start"}, {"type": "image"}]}),
        item({"type": "Reasoning", "id": "r", "summary": "never"}),
        item({"type": "HookPrompt", "id": "h", "content": [{"type": "text", "text": "never do it"}]}),
        item({"type": "CommandExecution", "id": "c", "command": "rm -rf build", "status": "declined"}),
        item({"type": "AgentMessage", "id": "a", "content": [{"type": "Text", "text": "Shall I delete it?"}]}),
        codex_item("keep the build folder"),
        item({"type": "UserMessage", "id": "i2", "content": [{"type": "text", "text": "keep the build folder"}]}),
    ]
    found = read_rows(tmp_path, rows, ROLLOUT)
    first, second = found.turns
    assert (first.text, first.record) == ("start", "i1")
    assert (second.text, second.record, second.line) == ("keep the build folder", "i2", 8)
    assert (second.act.tool, second.act.input, second.act.said) == (
        "exec_command",
        "rm -rf build",
        "Shall I delete it?",
    )
    assert found.refusals == 1


def test_flat_items_of_the_second_generation(tmp_path: Path) -> None:
    def flat(role: str, text: str) -> dict[str, object]:
        return {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}

    rows = [
        {"id": "t-2", "timestamp": "2025-06-01T10:00:00.000Z", "instructions": "Never push.", "git": {"branch": "b"}},
        {"record_type": "state"},
        flat("user", ENVIRONMENT),
        flat("user", "sort the imports"),
        {"type": "function_call", "name": "shell", "arguments": json.dumps({"command": ["bash", "-lc", "isort ."]})},
        {"type": "function_call_output", "call_id": "k", "output": "exec command rejected by user"},
        {"record_type": "state"},
        flat("user", "use ruff"),
    ]
    found = read_rows(tmp_path, rows, "rollout-2025-06-01T10-00-00-t-2.jsonl")
    assert texts(found) == ["sort the imports", "use ruff"]
    second = found.turns[1]
    assert (second.session, second.cwd, second.branch, second.time) == ("t-2", "/home/dana/other", "b", None)
    assert (second.act.tool, second.act.input) == ("shell", "isort .")
    assert (found.refusals, found.unknown, found.damage) == (1, {}, ())


def test_the_oldest_form_is_one_json_document(tmp_path: Path) -> None:
    document = {
        "session": {"id": "t-0", "timestamp": "2025-04-20T10:00:00Z", "instructions": ""},
        "items": [
            {"role": "user", "type": "message", "content": [{"type": "input_text", "text": "use tabs"}]},
            {"type": "reasoning", "summary": []},
            {"type": "local_shell_call", "action": {"type": "exec", "command": ["bash", "-lc", "ls"]}},
            {"role": "assistant", "type": "message", "content": [{"type": "output_text", "text": "Done."}]},
            {"role": "user", "type": "message", "content": [{"type": "input_text", "text": "and spaces"}]},
        ],
    }
    path = tmp_path / "rollout-2025-04-20-t-0.json"
    path.write_text(json.dumps(document, indent=2), encoding="utf-8")
    found = read(path)
    assert [(turn.text, turn.line, turn.session) for turn in found.turns] == [
        ("use tabs", 1, "t-0"),
        ("and spaces", 5, "t-0"),
    ]
    assert (found.turns[1].act.tool, found.turns[1].act.input, found.turns[1].act.said) == ("shell", "ls", "Done.")


def test_forks_repeat_the_keys_of_their_parents(tmp_path: Path) -> None:
    said = ["start", "yes", "yes"]
    parent = [codex_meta("A"), *(codex_event(text, second=index) for index, text in enumerate(said))]
    fork = [
        codex_meta("B", forked_from_id="A"),
        codex_meta("A"),
        *(codex_event(text, second=100 + index) for index, text in enumerate(said)),
        codex_event("on", second=300),
    ]
    second = [
        codex_meta("C", forked_from_id="B"),
        codex_meta("B", forked_from_id="A"),
        codex_meta("A"),
        *(codex_event(text, second=200 + index) for index, text in enumerate([*said, "on"])),
    ]
    found = [read_rows(tmp_path, rows, f"rollout-{n}.jsonl") for n, rows in enumerate([parent, fork, second])]
    keys = [[turn.key for turn in one.turns] for one in found]
    assert len(set(keys[0])) == 3
    assert keys[1][:3] == keys[0]
    assert keys[2] == keys[1]
    assert [one.sessions[0].forked_from for one in found] == ["", "A", "B"]


def test_a_parent_that_only_its_copied_record_names(tmp_path: Path) -> None:
    parent = read_rows(tmp_path, [codex_meta("A"), codex_event("start")], "rollout-a.jsonl")
    fork = read_rows(tmp_path, [codex_meta("B"), codex_meta("A"), codex_event("start", second=9)], "rollout-b.jsonl")
    assert parent.turns[0].key == fork.turns[0].key


def test_a_message_logged_twice_and_one_sent_again_after_an_interrupt(tmp_path: Path) -> None:
    rows = [
        codex_meta(),
        codex_event("run it", second=1),
        codex_event("run it", second=1),
        codex("event_msg", {"type": "agent_message", "message": "Running."}),
        codex("event_msg", {"type": "turn_aborted", "reason": "interrupted"}),
        codex_event("run it", second=60),
        codex("event_msg", {"type": "agent_message", "message": "Running."}),
        codex("event_msg", {"type": "turn_aborted", "reason": "interrupted"}),
        codex_event("only the unit tests", second=90),
        codex("event_msg", {"type": "agent_message", "message": "Ran."}),
        codex_event("only the unit tests", second=99),
    ]
    found = read_rows(tmp_path, rows, ROLLOUT)
    assert [(turn.text, turn.after_interrupt) for turn in found.turns] == [
        ("run it", False),
        ("only the unit tests", True),
        ("only the unit tests", False),
    ]
    assert len({turn.key for turn in found.turns}) == 3


@pytest.mark.parametrize(
    ("meta", "reason"),
    [
        ({"originator": "codex_exec"}, "headless"),
        ({"source": "exec"}, "headless"),
        ({"source": {"subagent": {"thread_spawn": {"parent_thread_id": "p"}}}, "originator": "codex_exec"}, "subagent"),
        ({"thread_source": "subagent"}, "subagent"),
        ({"cwd": "/home/dana/.codex-learner/replay/run-2"}, "replay"),
        ({"cwd": "/home/dana/.local/share/ingrained-replay/2"}, "own"),
    ],
)
def test_threads_that_no_person_typed(tmp_path: Path, meta: dict[str, object], reason: str) -> None:
    found = read_rows(tmp_path, [codex_meta(**meta), codex_event("always do it")], ROLLOUT)
    assert (found.turns, found.set_aside, found.sessions[0].reason) == ((), {reason: 1}, reason)


def test_a_front_end_may_be_included(tmp_path: Path) -> None:
    path = write(tmp_path / ROLLOUT, [codex_meta(originator="codex_exec"), codex_event("use tabs")])
    from ingrained.session.read import ReadOptions, read_file
    from session_logs import Masking

    options = ReadOptions(include_entrypoints=frozenset({("codex_exec", "/home/dana")}))
    found = read_file(path, cursor=None, redactor=Masking(), options=options)
    assert found is not None
    assert texts(found) == ["use tabs"]


def test_patches_are_summed_up_by_their_files(tmp_path: Path) -> None:
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** Add File: b.py\n+z\n*** End Patch"
    rows = [
        codex_meta(),
        codex("response_item", {"type": "custom_tool_call", "name": "apply_patch", "input": patch}),
        codex("response_item", {"type": "custom_tool_call_output", "output": "patch rejected by user"}),
        codex_event("not b.py"),
    ]
    found = read_rows(tmp_path, rows, ROLLOUT)
    assert (found.turns[0].act.tool, found.turns[0].act.input) == ("apply_patch", "src/a.py, b.py")
    assert found.refusals == 1


def test_machine_kinds_of_older_user_events(tmp_path: Path) -> None:
    rows = [codex_meta()]
    rows += [
        codex("event_msg", {"type": "user_message", "message": "never", "kind": kind})
        for kind in ("environment_context", "user_instructions")
    ]
    rows.append(codex("event_msg", {"type": "user_message", "message": "fix it", "kind": "plain"}))
    assert texts(read_rows(tmp_path, rows, ROLLOUT)) == ["fix it"]


def test_the_item_at_the_end_of_one_run_and_its_event_in_the_next_are_one_turn(tmp_path: Path) -> None:
    rows = [codex_meta(), codex_item("use tabs"), codex_event("use tabs", second=1), codex_event("thanks", second=2)]
    path = write(tmp_path / ROLLOUT, rows[:2])
    first = read(path)
    write(path, rows)
    second = read(path, first.cursor)
    assert second.resumed
    whole = read(path)
    assert [(t.key, t.line, t.text) for t in (*first.turns, *second.turns)] == [
        (t.key, t.line, t.text) for t in whole.turns
    ]


def test_bulk_is_not_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ingrained.session import jsonl
    from ingrained.session.readers import codex as reader

    decoded: list[int] = []

    def count(number: int, data: bytes, tally: jsonl.Tally) -> list[jsonl.Row]:
        decoded.append(len(data))
        return jsonl.decode(number, data, tally)

    monkeypatch.setattr(reader, "decode", count)
    bulk = [
        codex("response_item", {"type": "function_call_output", "output": "x" * 9000}),
        codex("compacted", {"replacement_history": ["x" * 9000]}),
        codex("event_msg", {"type": "token_count", "info": "x" * 9000}),
        codex("response_item", {"type": "reasoning", "encrypted_content": "x" * 9000}),
        codex("event_msg", {"type": "item_completed", "item": {"type": "CommandExecution", "output": "x" * 9000}}),
    ]
    rows = [
        codex_meta(),
        codex_event("start"),
        *bulk * 20,
        call("shell", {"command": "ls"}),
        codex_event("end", second=9),
    ]
    found = read_rows(tmp_path, rows, ROLLOUT)
    assert texts(found) == ["start", "end"]
    assert found.turns[1].act.input == "ls"
    assert sum(decoded) < 2000

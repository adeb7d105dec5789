"""GitHub Copilot CLI."""

from __future__ import annotations

from pathlib import Path

from ingrained.session.sources import find, standard_places
from session_logs import CWD, SESSION, lines, read, texts, write


class Events:
    """Writes the events of one session."""

    def __init__(self) -> None:
        self.rows: list[dict[str, object]] = []
        self.add(
            "session.start",
            sessionId=SESSION,
            version=1,
            startTime="2026-03-01T09:00:00.000Z",
            context={"cwd": CWD, "branch": "main"},
        )

    def add(self, kind: str, envelope: dict[str, object] | None = None, **data: object) -> Events:
        at = len(self.rows)
        time = f"2026-03-01T09:{at // 60:02}:{at % 60:02}.000Z"
        self.rows.append(
            {
                "type": kind,
                "data": data,
                "id": f"e{at}",
                "timestamp": time,
                "parentId": f"e{at - 1}",
                **(envelope or {}),
            }
        )
        return self

    def user(self, text: str, **data: object) -> Events:
        return self.add(
            "user.message",
            content=text,
            transformedContent=f"<now/>\n{text}\n<system_reminder>x</system_reminder>",
            **data,
        )

    def call(self, tool: str, **arguments: object) -> Events:
        id = f"call_{len(self.rows)}"
        self.add(
            "assistant.message",
            content="I look. Then I run it.",
            toolRequests=[{"toolCallId": id, "name": tool, "arguments": arguments}],
        )
        return self.add("tool.execution_start", toolCallId=id, toolName=tool, arguments=arguments)

    def write(self, folder: Path) -> Path:
        return write(folder / ".copilot" / "session-state" / SESSION / "events.jsonl", self.rows)


def test_typed_messages_with_the_last_act(tmp_path: Path) -> None:
    events = Events().user("round up, hush-me", source="user", parentAgentTaskId="t").call("bash", command="pytest -q")
    events.add("abort", reason="user_initiated").user("no, whole cents").user("/review the cart").user("/clear")
    found = read(events.write(tmp_path))
    first, second, third = found.turns
    assert (found.reader, texts(found)) == ("copilot", ["round up, [redacted:hush]", "no, whole cents", "the cart"])
    assert (first.session, first.record, first.line, first.cwd) == (SESSION, "e1", 2, CWD)
    assert (second.act.tool, second.act.input, second.act.said) == ("bash", "pytest -q", "Then I run it.")
    assert (second.after_interrupt, third.form) == (True, "command")
    assert second.time is not None
    assert second.time.isoformat() == "2026-03-01T09:00:05+00:00"
    assert found.sessions[0].cwd == CWD


def test_messages_of_others_are_set_aside(tmp_path: Path) -> None:
    events = Events().user("Always read the form.", source="skill-pdf").user("go on", isAutopilotContinuation=True)
    events.user("You must review", source="agent-7").user("never told", source="command")
    events.add("user.message", {"ephemeral": True}, content="gone").user("<system_reminder>\nx\n</system_reminder>")
    events.add("system.notification", content="never").add("hook.start", hookType="x").add("odd.kind").user("mine")
    found = read(events.write(tmp_path))
    assert texts(found) == ["mine"]
    assert found.set_aside == {"subagent": 1}
    assert found.unknown == {"odd.kind": 1}
    assert found.by_tag == 1


def test_refusals_plans_and_answers(tmp_path: Path) -> None:
    events = Events().user("go").call("bash", command="rm -r build")
    events.add(
        "permission.requested",
        requestId="r1",
        permissionRequest={"kind": "shell", "fullCommandText": "rm -r build", "toolCallId": "c"},
    )
    events.add(
        "permission.completed",
        requestId="r1",
        result={"kind": "denied-interactively-by-user", "feedback": "use make clean"},
    )
    events.add("permission.completed", requestId="r2", result={"kind": "denied-by-rules"})
    events.add("exit_plan_mode.completed", requestId="r3", approved=False, feedback="smaller steps")
    events.add("exit_plan_mode.completed", requestId="r4", approved=True)
    events.add("user_input.completed", requestId="r5", answer="neither", wasFreeform=True)
    found = read(events.write(tmp_path))
    assert [(turn.text, turn.form) for turn in found.turns] == [
        ("go", "typed"),
        ("use make clean", "refusal"),
        ("smaller steps", "refusal"),
        ("neither", "answer"),
    ]
    assert (found.turns[1].act.tool, found.turns[1].act.input) == ("shell", "rm -r build")
    assert found.refusals == 2


def test_an_answer_that_stands_in_the_tools_result_only(tmp_path: Path) -> None:
    events = Events().call("ask_user", question="Which?")
    events.add(
        "tool.execution_complete", toolCallId="call_1", success=True, result={"content": "User responded: the second"}
    )
    events.add(
        "tool.execution_complete", toolCallId="call_9", success=True, result={"content": "User responded: quoted"}
    )
    found = read(events.write(tmp_path))
    assert [(turn.text, turn.form) for turn in found.turns] == [("the second", "answer")]


def test_what_a_subagent_does_is_no_act(tmp_path: Path) -> None:
    events = Events().call("bash", command="ls")
    events.add("tool.execution_start", toolCallId="x", toolName="grep", arguments={}, parentToolCallId="call_1").user(
        "ok?"
    )
    (turn,) = read(events.write(tmp_path)).turns
    assert (turn.act.tool, turn.act.input) == ("bash", "ls")


def test_a_log_that_grows_keeps_its_keys_and_loses_only_broken_lines(tmp_path: Path) -> None:
    events = Events().user("one")
    path = events.write(tmp_path)
    path.write_bytes(path.read_bytes() + b'{"type":"user.mess\n[1]\n' + lines(Events().user("torn").rows[1:])[:-9])
    found = read(path)
    assert texts(found) == ["one"]
    assert {damage.kind: damage.count for damage in found.damage} == {"cut": 1, "shape": 1, "torn": 1}
    more = read(events.user("two").write(tmp_path), found.cursor)
    assert texts(more) == ["one", "two"]
    assert more.turns[0].key == found.turns[0].key


def test_found_in_its_standard_place(tmp_path: Path) -> None:
    Events().user("hi").write(tmp_path)
    places = [place for place in standard_places({}, tmp_path) if place.is_dir()]
    assert [source.reader for source in find(places)] == ["copilot"]
    moved = standard_places({"COPILOT_HOME": str(tmp_path / "else")}, tmp_path)
    assert tmp_path / "else" / "session-state" in moved

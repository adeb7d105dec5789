"""Conversations of chat services and data sets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingrained.session.sources import Skipped, find
from session_logs import SESSION, Claude, lines, read, texts, write


def messages(*said: str) -> list[dict[str, object]]:
    """Messages by turns of the person and the model."""
    return [{"role": "assistant" if at % 2 else "user", "content": text} for at, text in enumerate(said)]


def shared(*said: str) -> list[dict[str, object]]:
    return [{"from": "gpt" if at % 2 else "human", "value": text} for at, text in enumerate(said)]


def test_openai_messages(tmp_path: Path) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": '{"command": "pytest"}'}}
    row = {
        "messages": [
            {"role": "system", "content": "Never say no."},
            {
                "role": "user",
                "content": [{"type": "text", "text": "round up, hush-me"}, {"type": "image_url", "image_url": {}}],
            },
            {"role": "assistant", "content": "I look. I run it.", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": "always fails"},
            {"role": "assistant", "content": None},
            {"role": "user", "content": "no, whole cents", "name": "dana"},
            {"role": "critic", "content": "never"},
        ]
    }
    found = read(write(tmp_path / "chat.jsonl", [row, {"messages": messages("hi", "hello")}]))
    first, second, third = found.turns
    assert (found.reader, texts(found)) == ("chats", ["round up, [redacted:hush]", "no, whole cents", "hi"])
    assert (second.act.tool, second.act.input, second.act.said) == ("bash", "pytest", "I run it.")
    assert (first.line, first.record, third.record) == (2, "1.2", "2.1")
    assert first.session == second.session != third.session
    assert first.time is None
    assert found.unknown == {"role critic": 1}


@pytest.mark.parametrize("as_lines", [True, False])
def test_sharegpt_lmsys_and_wildchat(tmp_path: Path, as_lines: bool) -> None:
    rows: list[object] = [
        {
            "id": "x1_0",
            "conversations": [
                {"from": "system", "value": "s"},
                *shared("one", "<div><p>Sure. Shall I?</p></div>", "two"),
            ],
        },
        {"id": "x1_1", "conversations": shared("three", "ok")},
        {"conversation_id": "c9", "model": "m", "conversation": messages("four", "ok"), "turn": 1, "redacted": False},
        {
            "conversation_hash": "h7",
            "timestamp": "2024-04-09 00:02:53",
            "conversation": [
                {"content": "five", "hashed_ip": "0", "role": "user", "timestamp": None, "turn_identifier": 1},
                {"content": "ok", "role": "assistant", "timestamp": "2024-04-09 00:03:00"},
                {"content": "six", "role": "user", "timestamp": "2024-04-09 00:04:00"},
            ],
        },
    ]
    path = tmp_path / ("chat.jsonl" if as_lines else "chat.json")
    path.write_bytes(lines(rows) if as_lines else json.dumps(rows, indent=1).encode())
    found = read(path)
    assert [(turn.text, turn.session) for turn in found.turns] == [
        ("one", "x1"),
        ("two", "x1"),
        ("three", "x1"),
        ("four", "c9"),
        ("five", "h7"),
        ("six", "h7"),
    ]
    assert found.turns[1].act.said == "Shall I?"
    assert [turn.time.isoformat() for turn in found.turns if turn.time] == [
        "2024-04-09T00:02:53+00:00",
        "2024-04-09T00:04:00+00:00",
    ]


def test_one_conversation_as_a_document(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text(json.dumps({"messages": messages("use tabs", "ok", "thanks")}), encoding="utf-8")
    assert texts(read(tmp_path / "one.json")) == ["use tabs", "thanks"]


def test_copies_and_what_went_on_since_count_once(tmp_path: Path) -> None:
    rows = [
        {"messages": messages("hi", "hello", "use tabs", "ok")},
        {"id": "7", "conversations": shared("hi", "hello", "use tabs", "ok", "ok", "fine")},
        {"messages": messages("hi", "good day", "use tabs", "ok")},
        {"messages": messages("hi", "hello", "use tabs", "ok")},
    ]
    found = read(write(tmp_path / "a.jsonl", rows))
    assert texts(found) == ["hi", "use tabs", "ok", "hi", "use tabs"]
    assert len({turn.key for turn in found.turns}) == 5
    copy = read(write(tmp_path / "b.jsonl", rows[::-1]))
    assert {turn.key for turn in copy.turns} == {turn.key for turn in found.turns}


def test_damage_costs_only_its_rows(tmp_path: Path) -> None:
    good = [{"messages": messages("one", "ok")}, {"messages": messages("two", "ok")}]
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        lines(good[:1])
        + b'{"messages": [{"role"\n'
        + lines([{"messages": 3}, [1], {"messages": ["x"]}])
        + lines(good[1:])
    )
    found = read(path)
    assert texts(found) == ["one", "two"]
    assert {damage.kind: damage.count for damage in found.damage} == {"cut": 1, "shape": 2}
    (tmp_path / "a.json").write_bytes(json.dumps(good).encode()[:-30])
    torn = read(tmp_path / "a.json")
    assert texts(torn) == ["one"]
    assert [damage.kind for damage in torn.damage] == ["cut"]


def test_a_folder_gives_none_and_a_named_file_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "data" / "train.jsonl", [{"messages": messages("never learn me", "ok")}])
    log = Claude(SESSION)
    log.user("hi")
    write(tmp_path / f"{SESSION}.jsonl", log.rows)
    skipped: list[Skipped] = []
    assert [source.reader for source in find([tmp_path], skipped=skipped)] == ["claude-code"]
    assert [Path(one.path).name for one in skipped] == ["train.jsonl"]
    assert [source.reader for source in find([path])] == ["chats"]


@pytest.mark.parametrize(
    "text",
    [
        '{"messages": {"hello": "Hallo"}}',
        '{"messages": [{"id": "a", "text": "b"}]}',
        '{"note": "{\\"messages\\": [{\\"role\\": \\"user\\"}]}"}',
        '["messages"]',
        '"conversations"',
    ],
)
def test_other_documents_are_no_conversations(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.jsonl").write_text(text + "\n", encoding="utf-8")
    skipped: list[Skipped] = []
    assert find([tmp_path], skipped=skipped) == []
    assert skipped == []

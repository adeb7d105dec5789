"""Exports of ChatGPT and Claude.ai: files, parts and archives."""

from __future__ import annotations

import json
import tempfile
import tracemalloc
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from histories import (
    SESSION,
    Step,
    archive,
    calls,
    chatgpt_conversation,
    chatgpt_json,
    chatgpt_node,
    chatgpt_zip,
    claude_ai_conversation,
    claude_ai_json,
    claude_ai_zip,
    dump,
    id_of,
    iso,
    machine,
    ms,
    says,
    typed,
)
from ingrained.session.read import read_file
from ingrained.session.sources import find, source_of
from session_logs import Masking, read, texts

STEPS = [machine(), typed("plan a trip"), says("I will. Where to?"), calls("search"), typed("not by plane, hush-x")]
SAID = ["plan a trip", "not by plane, [redacted:hush]"]

Writer = Callable[[Path, Iterable[Step]], Path]
WRITERS = [chatgpt_json, chatgpt_zip, claude_ai_json, claude_ai_zip]


@pytest.mark.parametrize("write", WRITERS)
def test_files_and_archives(tmp_path: Path, write: Writer) -> None:
    found = read(write(tmp_path, STEPS))
    first, second = found.turns
    assert texts(found) == SAID
    assert (first.session, first.record, first.line, first.cwd) == (SESSION, id_of(2), first.line, "")
    assert (second.act.input, second.act.said) == ("search", "Where to?")
    assert second.act.tool in {"python", "repl"}
    assert second.time is not None
    assert second.time.timestamp() * 1000 == ms(5)
    assert (found.damage, found.unknown) == ((), {})
    assert found.reader == first.tool == ("chatgpt" if "chatgpt" in write.__name__ else "claude-ai")


@pytest.mark.parametrize(("one", "other"), [(chatgpt_json, chatgpt_zip), (claude_ai_json, claude_ai_zip)])
def test_a_later_export_repeats_the_keys(tmp_path: Path, one: Writer, other: Writer) -> None:
    first, second = read(one(tmp_path, STEPS)), read(other(tmp_path, [*STEPS, typed("thanks")]))
    assert [turn.key for turn in second.turns[:2]] == [turn.key for turn in first.turns]
    assert len(second.turns) == 3


@pytest.mark.parametrize("write", WRITERS)
def test_an_unchanged_export_is_not_read_again(tmp_path: Path, write: Writer) -> None:
    path = write(tmp_path, STEPS)
    cursor = read(path).cursor
    assert read_file(path, cursor=cursor, redactor=Masking()) is None
    write(tmp_path, [*STEPS, typed("thanks")])
    again = read(path, cursor)
    assert (again.resumed, texts(again)) == (False, [*SAID, "thanks"])


def test_they_are_found_in_a_folder(tmp_path: Path) -> None:
    for write in WRITERS:
        write(tmp_path / write.__name__, STEPS)
    dump(tmp_path / "conversations-001.json", [chatgpt_conversation(STEPS)])
    dump(tmp_path / "conversations.json", [{"conversation": "never"}])
    archive(tmp_path / "other.zip", {"conversations.json": {"x": 1}, "a.json": []})
    archive(tmp_path / "empty.zip", {})
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04 and then nothing")
    readers = [source.reader for source in find([tmp_path])]
    assert sorted(readers) == ["chatgpt"] * 3 + ["claude-ai"] * 2


def test_nothing_of_an_archive_is_written_to_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = chatgpt_zip(tmp_path, STEPS)
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "no such folder"))
    assert texts(read(path)) == SAID
    assert sorted(tmp_path.rglob("*")) == before


def test_only_the_shown_path_of_a_conversation_counts(tmp_path: Path) -> None:
    conversation = chatgpt_conversation([typed("one"), says("Two."), typed("three")])
    nodes = conversation["mapping"]
    assert isinstance(nodes, dict)
    assert texts(read(dump(tmp_path / "a.json", [conversation]))) == ["one", "three"]
    conversation["current_node"] = id_of(10_003)
    assert texts(read(dump(tmp_path / "b.json", [conversation]))) == ["one", "as it was before: never"]
    conversation["current_node"] = None
    for number in (10_001, 10_003):
        nodes[id_of(number)]["message"]["create_time"] = None
    assert texts(read(dump(tmp_path / "c.json", [conversation]))) == ["one", "three"]
    nodes["client-created-root"]["parent"] = id_of(3)
    assert texts(read(dump(tmp_path / "d.json", [conversation]))) == ["one", "three"]
    assert texts(read(dump(tmp_path / "e.json", conversation))) == ["one", "three"]


def test_messages_of_chatgpt_that_are_hidden_spoken_or_unknown(tmp_path: Path) -> None:
    steps = [typed("one"), typed("instructions: never"), typed("spoken"), typed("strange"), typed("a tool")]
    conversation = chatgpt_conversation(steps)
    message = [conversation["mapping"][id_of(number)]["message"] for number in range(1, 6)]  # type: ignore[index]
    message[1]["metadata"] = {"is_user_system_message": True}
    message[2]["content"] = {
        "content_type": "multimodal_text",
        "parts": [
            {"content_type": "audio_transcription", "text": "use the train", "direction": "in"},
            {"content_type": "image_asset_pointer", "asset_pointer": "never"},
            "please",
        ],
    }
    message[3]["content"] = {"content_type": "hologram", "parts": ["never"]}
    message[4]["author"] = {"role": "critic"}
    message[0]["id"] = None
    found = read(dump(tmp_path / "conversations.json", [conversation]))
    assert texts(found) == ["one", "use the train\n\nplease"]
    assert found.unknown == {"content hologram": 1, "message of critic": 1}


def test_messages_of_claude_ai(tmp_path: Path) -> None:
    conversation = claude_ai_conversation([typed("one"), says("Two."), typed("three"), typed("four")])
    messages = conversation["chat_messages"]
    assert isinstance(messages, list)
    messages[0] |= {"content": [], "attachments": [{"file_name": "paste.txt", "extracted_content": "never"}]}
    messages[1]["content"].append({"type": "hologram"})
    messages[2]["content"].append({"type": "hologram", "text": "never"})
    messages[2] |= {"text": "", "uuid": ""}
    messages.append({"uuid": "x", "sender": "critic", "text": "never"})
    found = read(dump(tmp_path / "conversations.json", [conversation]))
    assert texts(found) == ["one", "three", "four"]
    assert found.unknown == {"block hologram": 1, "message of critic": 1}
    assert len({turn.key for turn in found.turns}) == 3
    for parent, message in zip(["root", *(id_of(number) for number in (1, 2, 2))], messages[:4], strict=True):
        message["parent_message_uuid"] = parent
    conversation["current_leaf_message_uuid"] = id_of(4)
    assert texts(read(dump(tmp_path / "conversations.json", [conversation]))) == ["one", "four"]


@pytest.mark.parametrize("write", [chatgpt_json, claude_ai_json])
def test_an_export_that_is_cut_off_keeps_the_conversations_before(tmp_path: Path, write: Writer) -> None:
    path = write(tmp_path, STEPS)
    one = json.loads(path.read_text(encoding="utf-8"))[0]
    other = json.loads(path.read_text(encoding="utf-8").replace(SESSION, "second"))[0]
    dump(path, [one, other])
    whole = path.read_bytes()
    start = len(json.dumps(one, ensure_ascii=False).encode()) + 10
    for end in range(start, len(whole) - 1, 97):
        path.write_bytes(whole[:end])
        found = read(path)
        assert texts(found) == SAID
        assert [(damage.kind, damage.count) for damage in found.damage] == [("cut", 1)]


@pytest.mark.parametrize("make", [chatgpt_conversation, claude_ai_conversation])
def test_a_broken_conversation_costs_itself_only(tmp_path: Path, make: Callable[..., object]) -> None:
    sessions = [make([typed(word)], word) for word in ("one", "two", "three")]
    path = dump(tmp_path / "conversations.json", [sessions[0], 7, sessions[1], sessions[2]])
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b'"two"', b'"tw\xff "o"'))
    found = read(path)
    assert texts(found) == ["one", "three"]
    assert {damage.kind: damage.count for damage in found.damage} == {"cut": 1, "encoding": 1, "shape": 1}


@pytest.mark.parametrize(
    "broken", [None, 7, "x", [], {}, {"a": 7}, {"a": {"id": "a", "parent": "gone", "message": {}}}]
)
def test_a_conversation_without_a_readable_message_is_damage_and_no_session(tmp_path: Path, broken: object) -> None:
    whole = chatgpt_conversation([typed("one")], "one")
    rows = [whole, {**chatgpt_conversation([typed("two")], "two"), "mapping": broken}, {"title": "no tree", "id": "x"}]
    found = read(archive(tmp_path / "export.zip", {"conversations.json": rows}))
    assert (texts(found), [fact.session for fact in found.sessions]) == (["one"], ["one"])
    assert [(damage.kind, damage.lines, damage.count) for damage in found.damage] == [("shape", (2, 3), 2)]


@pytest.mark.parametrize("broken", [None, 7, "x", {}, [7, None]])
def test_a_conversation_of_claude_ai_without_messages_is_damage_and_no_session(tmp_path: Path, broken: object) -> None:
    rows = [claude_ai_conversation([typed(word)], word) for word in ("one", "two")]
    rows[1]["chat_messages"] = broken
    found = read(archive(tmp_path / "export.zip", {"conversations.json": rows}))
    assert (texts(found), [fact.session for fact in found.sessions]) == (["one"], ["one"])
    assert [(damage.kind, damage.lines, damage.count) for damage in found.damage] == [("shape", (2,), 1)]


def test_of_a_conversation_that_is_damaged_in_part_the_rest_is_read(tmp_path: Path) -> None:
    conversation = chatgpt_conversation([typed("one"), typed("two"), typed("three")])
    nodes = conversation["mapping"]
    assert isinstance(nodes, dict)
    nodes[id_of(2)]["message"] = 7
    found = read(dump(tmp_path / "a.json", [conversation]))
    assert (texts(found), [damage.kind for damage in found.damage]) == (["one", "three"], ["shape"])
    nodes[id_of(2)] = 7
    found = read(dump(tmp_path / "b.json", [conversation]))
    assert (texts(found), [damage.kind for damage in found.damage]) == (["three"], ["shape"])
    assert len(found.sessions) == 1


def test_archives_that_are_damaged(tmp_path: Path) -> None:
    path = chatgpt_zip(tmp_path, STEPS)
    whole = path.read_bytes()
    for at in range(40, len(whole) - 200, 23):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        if source_of(path) is not None:
            found = read(path)
            assert texts(found) == SAID or found.damage
    path.write_bytes(whole[: len(whole) // 2])
    assert source_of(path) is None


def test_an_archive_that_is_encrypted(tmp_path: Path) -> None:
    path = chatgpt_zip(tmp_path, STEPS)
    whole = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = whole.find(mark)
        while at >= 0:
            whole[at + offset] |= 1
            at = whole.find(mark, at + 4)
    path.write_bytes(bytes(whole))
    assert source_of(path) is None


def test_a_large_export_is_read_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    node = chatgpt_node(2, says("x" * 200_000))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file, file.open("conversations.json", "w") as member:
        for index in range(60):
            conversation = chatgpt_conversation([typed(f"message {index}")], f"s{index}")
            conversation["mapping"] |= {node["id"]: node}  # type: ignore[operator]
            member.write((b"," if index else b"[") + json.dumps(conversation).encode())
        member.write(b"]")
    tracemalloc.start()
    found = read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (len(found.turns), found.damage) == (60, ())
    assert found.turns[7].time is not None
    assert found.turns[7].time.isoformat().startswith(iso(1)[:19])
    assert peak < 8 * 1024 * 1024

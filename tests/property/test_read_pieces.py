"""A log that is read while it grows gives what it gives when it is read once."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingrained.session.read import read_file
from ingrained.session.session import Cursor, FileRead
from session_logs import SESSION, Claude, Masking, codex, codex_event, codex_item, codex_meta, lines

WORDS = st.sampled_from(["use tabs", "no, hush-x", "commit", "ok", "größer \u2028 \N{GRINNING FACE}"])
STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "typed",
                "again",
                "meta",
                "script",
                "side",
                "say",
                "call",
                "result",
                "refuse",
                "ask",
                "interrupt",
                "sent",
                "delivered",
                "attached",
                "waiting",
                "draft",
                "command",
                "relog",
                "unknown",
                "broken",
            ]
        ),
        WORDS,
    ),
    max_size=25,
)
CUTS = st.lists(st.floats(0, 1), max_size=5)


def claude_log(steps: list[tuple[str, str]]) -> tuple[bytes, list[tuple[int, int]]]:
    """The log's bytes, and the stretches in which a message waits that is taken back later."""
    log = Claude()
    log.user("start")
    data = [lines(log.rows)]
    drafts: list[tuple[int, int]] = []
    waiting: int | None = None
    for kind, words in steps:
        at = len(log.rows)
        start = sum(map(len, data))
        add_step(log, kind, words)
        added = lines(log.rows[at:])
        if kind == "broken":
            added = b'{"type":"user","mess\n' + lines([1]) + b"\0\0" + added
        data.append(added)
        if kind == "waiting" and waiting is None:
            waiting = start
        if kind == "draft":
            drafts.append((start if waiting is None else waiting, start + len(added)))
            waiting = None
    return b"".join(data), drafts


def add_step(log: Claude, kind: str, words: str) -> None:
    match kind:
        case "typed" | "broken":
            log.user(words)
        case "again":
            log.parent = "fixed"
            log.user(words)
        case "meta":
            log.user(words, isMeta=True)
        case "script":
            log.user(words, entrypoint="sdk-cli", sessionId="scripted")
        case "side":
            log.user(words, isSidechain=True)
        case "say":
            log.agent(f"I think so. {words}", "\n\n")
        case "call":
            log.agent(log.call("Bash", command=words))
        case "result":
            log.result(words)
        case "refuse":
            log.agent(log.call("Edit", file_path=words))
            log.refuse(words)
        case "ask":
            log.agent(log.call("AskUserQuestion", questions=[{"question": "Which one, then?"}]))
            log.result(f'User has answered your questions: "Which one, then?"="{words}". You can now continue')
        case "interrupt":
            log.user([{"type": "text", "text": "[Request interrupted by user]"}])
        case "sent":
            log.queue("enqueue", words)
            log.agent("Hm.")
            log.queue("dequeue")
            log.user(words)
        case "delivered":
            log.queue("enqueue", words)
            log.queue("remove")
        case "attached":
            log.queue("enqueue", words)
            log.queue("remove")
            log.row("attachment", attachment={"type": "queued_command", "prompt": words})
        case "waiting":
            log.queue("enqueue", words)
        case "draft":
            log.queue("popAll", "")
            log.queue("enqueue", words)
            log.queue("popAll", words)
        case "command":
            log.user(f"<command-name>/do</command-name><command-args>{words}</command-args>")
            log.user("## Context\n- never")
        case "relog":
            log.rows.extend(row for row in log.rows[-2:] if row["type"] != "queue-operation")
        case _:
            log.rows.append({"type": "future", "text": words})


def read_in_pieces(path: Path, data: bytes, cuts: list[int]) -> list[FileRead]:
    reads: list[FileRead] = []
    cursor: Cursor | None = None
    for cut in [*sorted(cuts), len(data)]:
        path.write_bytes(data[:cut])
        read = read_file(path, cursor=cursor, redactor=Masking())
        if read is not None:
            reads.append(read)
            cursor = read.cursor
    return reads


def assert_same(pieces: list[FileRead], whole: FileRead) -> None:
    order = sorted((turn for read in pieces for turn in read.turns), key=lambda turn: (turn.line, turn.key))
    assert order == sorted(whole.turns, key=lambda turn: (turn.line, turn.key))
    for counts in ("set_aside", "unknown", "secrets"):
        total: Counter[str] = Counter()
        for read in pieces:
            total.update(getattr(read, counts))
        assert total == getattr(whole, counts)
    assert sum(read.by_tag for read in pieces) == whole.by_tag
    assert sum(read.refusals for read in pieces) == whole.refusals
    last = pieces[-1]
    assert last.sessions == whole.sessions
    assert replace(last.cursor, mtime_ns=0, inode=0) == replace(whole.cursor, mtime_ns=0, inode=0)
    damage: Counter[str] = Counter()
    for read in pieces:
        damage.update({kind.kind: kind.count for kind in read.damage if kind.kind not in {"torn", "empty"}})
    assert damage == {kind.kind: kind.count for kind in whole.damage if kind.kind not in {"torn", "empty"}}


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=STEPS, cuts=CUTS)
def test_claude_code_in_pieces(steps: list[tuple[str, str]], cuts: list[float]) -> None:
    data, drafts = claude_log(steps)
    places = [int(cut * len(data)) for cut in cuts]
    for start, end in drafts:
        places = [end if start < place < end else place for place in places]
    check(data, places, f"{SESSION}.jsonl")


CODEX_STEPS = st.lists(
    st.tuples(st.sampled_from(["event", "both", "preamble", "say", "call", "abort", "compacted"]), WORDS), max_size=20
)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=CODEX_STEPS, cuts=CUTS)
def test_codex_in_pieces(steps: list[tuple[str, str]], cuts: list[float]) -> None:
    rows = [codex_meta(), codex_event("start")]
    for second, (kind, words) in enumerate(steps):
        match kind:
            case "event":
                rows.append(codex_event(words, second=second))
            case "both":
                rows += [codex_item(words, second=second), codex_event(words, second=second)]
            case "preamble":
                rows.append(codex_item("a preamble that no table knows", second=second))
            case "say":
                rows.append(codex("event_msg", {"type": "agent_message", "message": words}, second=second))
            case "call":
                payload = {"type": "function_call", "name": "shell", "arguments": words}
                rows.append(codex("response_item", payload, second=second))
            case "abort":
                rows.append(codex("event_msg", {"type": "turn_aborted"}, second=second))
            case _:
                rows.append(codex("compacted", {"message": words}, second=second))
    data = lines(rows)
    start = len(lines(rows[:2]))
    check(data, [start + int(cut * (len(data) - start)) for cut in cuts], "rollout-x.jsonl")


@settings(max_examples=30, deadline=None)
@given(texts=st.lists(WORDS, max_size=6), cuts=CUTS)
def test_codex_items_in_pieces(texts: list[str], cuts: list[float]) -> None:
    rows = [codex_meta(), *(codex_item(text, second=second) for second, text in enumerate(texts))]
    data = lines(rows)
    check(data, [int(cut * len(data)) for cut in cuts], "rollout-x.jsonl")


def check(data: bytes, cuts: list[int], name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        pieces = read_in_pieces(path, data, cuts)
        whole = read_file(path, cursor=None, redactor=Masking())
        assert whole is not None
        assert_same(pieces, whole)


@settings(max_examples=66, deadline=None)
@given(st.binary(max_size=400), st.integers(0, 3))
def test_no_bytes_make_the_reader_raise(noise: bytes, where: int) -> None:
    log = Claude()
    log.user("use tabs")
    log.agent("ok", log.call("Bash", command="ls"))
    row, other = lines(log.rows[:1]), lines(log.rows[1:])
    data = [noise + b"\n" + row + other, row + noise + b"\n" + other, row + other + noise, row[:-1] + noise + other][
        where
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{SESSION}.jsonl"
        path.write_bytes(row + data)
        read = read_file(path, cursor=None, redactor=Masking())
    assert read is not None
    assert read.turns[0].text == "use tabs"

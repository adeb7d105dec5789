"""Reading a file again: only what was added, and all of it."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from ingrained.errors import EnvironmentFaultError, MissingExtraError, SessionFormatError
from ingrained.session.read import ReadOptions, read_file
from ingrained.session.readers.claude_code import ClaudeCode
from session_logs import SESSION, Claude, Masking, codex_event, codex_meta, lines, read, texts, write


def log_of(*words: str) -> Claude:
    log = Claude()
    for word in words:
        log.user(word)
        log.agent(f"About {word}.", log.call("Bash", command=word))
    return log


def test_an_unchanged_file_is_not_opened(tmp_path: Path) -> None:
    path = write(tmp_path / f"{SESSION}.jsonl", log_of("one").rows)
    cursor = read(path).cursor
    assert read_file(path, cursor=cursor, redactor=Masking()) is None
    path.chmod(0o000)
    path.chmod(0o600)
    assert read_file(path, cursor=cursor, redactor=Masking()) is None


def test_only_what_was_added_is_read(tmp_path: Path) -> None:
    log = log_of("one", "two")
    path = write(tmp_path / f"{SESSION}.jsonl", log.rows)
    first = read(path)
    log.user("three")
    write(path, log.rows)
    second = read(path, first.cursor)
    assert (second.resumed, texts(second)) == (True, ["three"])
    assert second.bytes_read == len(lines(log.rows[-1:]))
    assert (second.turns[0].line, second.turns[0].act.said, second.turns[0].act.input) == (5, "About two.", "two")
    assert second.sessions == read(path).sessions


def test_a_rewritten_file_is_read_whole(tmp_path: Path) -> None:
    path = write(tmp_path / f"{SESSION}.jsonl", log_of("one", "two").rows)
    first = read(path)
    write(path, log_of("uno", "two", "three").rows)
    second = read(path, first.cursor)
    assert (second.resumed, texts(second)) == (False, ["uno", "two", "three"])


def test_a_shorter_file_is_read_whole(tmp_path: Path) -> None:
    path = write(tmp_path / f"{SESSION}.jsonl", log_of("one", "two").rows)
    first = read(path)
    write(path, log_of("one").rows)
    second = read(path, first.cursor)
    assert (second.resumed, texts(second)) == (False, ["one"])


def test_a_file_that_was_only_touched_or_copied_gives_nothing_new(tmp_path: Path) -> None:
    path = write(tmp_path / f"{SESSION}.jsonl", log_of("one").rows)
    first = read(path)
    os.utime(path, ns=(1, 1))
    again = read(path, first.cursor)
    assert (again.resumed, again.turns, again.bytes_read) == (True, (), 0)


def test_other_options_or_another_version_read_it_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = Claude(entrypoint="sdk-ts")
    log.user("use tabs")
    path = write(tmp_path / f"{SESSION}.jsonl", log.rows)
    first = read(path)
    included = read(path, first.cursor, sdk_ts="/home/dana")
    assert (included.resumed, texts(included)) == (False, ["use tabs"])
    monkeypatch.setattr(ClaudeCode, "version", ClaudeCode.version + 1)
    assert not read(path, first.cursor).resumed


def test_a_cursor_past_the_end_or_of_another_reader_is_not_believed(tmp_path: Path) -> None:
    path = write(tmp_path / f"{SESSION}.jsonl", log_of("one").rows)
    cursor = read(path).cursor
    for broken in (
        replace(cursor, offset=10**9, mtime_ns=1),
        replace(cursor, prefix="crc32:0", mtime_ns=1),
        replace(cursor, state={}),
        replace(cursor, state={**cursor.state, "reader": "codex"}),
    ):
        found = read(path, broken)
        assert (found.resumed, texts(found)) == (False, ["one"])


def test_truncation_at_every_byte_of_the_last_record(tmp_path: Path) -> None:
    log = log_of("one", "two")
    last = log.user("drei — 三 \N{GRINNING FACE}")
    whole, start = lines(log.rows), len(lines(log.rows[:-1]))
    path = tmp_path / f"{SESSION}.jsonl"
    for end in range(start, len(whole) + 1):
        path.write_bytes(whole[:end])
        first = read(path)
        damage = {kind.kind for kind in first.damage}
        assert damage == ({"torn"} if start < end < len(whole) - 1 else set())
        assert first.cursor.offset == (end if end >= len(whole) - 1 else start)
        path.write_bytes(whole)
        second = read_file(path, cursor=first.cursor, redactor=Masking())
        added = second.turns if second else ()
        assert [turn.text for turn in (*first.turns, *added)] == ["one", "two", last["message"]["content"]]  # type: ignore[index]
        assert (*first.turns, *added)[-1].line == 5


def test_line_numbers_go_on_after_a_last_line_without_an_end(tmp_path: Path) -> None:
    log = log_of("one")
    log.user("two")
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_bytes(lines(log.rows).removesuffix(b"\n"))
    first = read(path)
    log.user("three")
    path.write_bytes(lines(log.rows))
    second = read(path, first.cursor)
    assert (texts(first), texts(second)) == (["one", "two"], ["three"])
    assert (second.turns[0].line, second.cursor.line) == (4, 4)


def test_a_waiting_message_is_counted_and_its_row_is_no_second_turn(tmp_path: Path) -> None:
    log = log_of("one")
    log.queue("enqueue", "two")
    path = write(tmp_path / f"{SESSION}.jsonl", log.rows)
    first = read(path)
    log.agent("Still at one.")
    log.queue("dequeue")
    log.user("two")
    write(path, log.rows)
    second = read(path, first.cursor)
    assert (texts(first), texts(second)) == (["one", "two"], [])
    assert read(path).turns == first.turns


def test_a_message_that_is_taken_back_after_it_was_read_stays_counted(tmp_path: Path) -> None:
    log = log_of("one")
    log.queue("enqueue", "tow")
    path = write(tmp_path / f"{SESSION}.jsonl", log.rows)
    first = read(path)
    log.queue("popAll", "tow")
    log.user("two")
    write(path, log.rows)
    second = read(path, first.cursor)
    assert (texts(first), texts(second)) == (["one", "tow"], ["two"])
    assert texts(read(path)) == ["one", "two"]


def test_a_half_record_between_two_writers(tmp_path: Path) -> None:
    log = log_of("one", "two")
    data = lines(log.rows[:2]) + lines(log.rows[2:3])[:60] + lines(log.rows[2:])
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_bytes(data)
    found = read(path)
    assert texts(found) == ["one", "two"]
    assert [(damage.kind, damage.lines) for damage in found.damage] == [("cut", (3,))]


def test_what_is_no_log_is_refused_with_the_names_of_the_readers(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text("never trust notes\n", encoding="utf-8")
    with pytest.raises(SessionFormatError, match=r"claude-code, codex"):
        read(path)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(SessionFormatError):
        read(tmp_path / "pipe.jsonl")


def test_a_file_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFaultError, match="No such file"):
        read(tmp_path / "gone.jsonl")


def test_a_compressed_rollout_without_a_package_to_unpack_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    path = tmp_path / "rollout-1.jsonl.zst"
    path.write_bytes(b"(\xb5/\xfd")
    with pytest.raises(MissingExtraError, match="compressed") as caught:
        read(path)
    assert caught.value.hint == "pip install zstandard"


def test_a_compressed_rollout(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    path = tmp_path / "rollout-1.jsonl.zst"
    path.write_bytes(zstandard.ZstdCompressor().compress(lines([codex_meta(), codex_event("use tabs")])))
    found = read(path)
    assert texts(found) == ["use tabs"]
    assert read_file(path, cursor=found.cursor, redactor=Masking()) is None


def test_progress_adds_up_to_the_size(tmp_path: Path) -> None:
    log = log_of("one")
    for _ in range(4):
        log.result("x" * 600_000)
    path = write(tmp_path / f"{SESSION}.jsonl", log.rows)
    seen: list[int] = []
    read_file(path, cursor=None, redactor=Masking(), options=ReadOptions(), progress=seen.append)
    assert sum(seen) == path.stat().st_size
    assert len(seen) > 2


def test_a_file_that_grows_while_it_is_read_is_read_to_its_size_at_the_start(tmp_path: Path) -> None:
    log = log_of("one")
    path = write(tmp_path / f"{SESSION}.jsonl", log.rows)
    more = lines([log.user("two")])

    def grow(_: int) -> None:
        with path.open("ab") as file:
            file.write(more)

    first = read_file(path, cursor=None, redactor=Masking(), progress=grow)
    assert first is not None
    assert texts(first) == ["one"]
    assert texts(read(path, first.cursor)) == ["two"]


def test_the_locale_does_not_matter(tmp_path: Path) -> None:
    log = log_of("größer — 大 \u2028 \N{GRINNING FACE}")
    path = write(tmp_path / f"{SESSION}.jsonl", log.rows)
    script = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[2]); from session_logs import read\n"
        "print(ascii([turn.text for turn in read(Path(sys.argv[1])).turns]))"
    )
    env = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252", "PYTHONCOERCECLOCALE": "0"}
    helpers = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", script, str(path), str(helpers)], env=env, capture_output=True, check=True, text=True
    )
    assert done.stdout.strip() == ascii(texts(read(path)))

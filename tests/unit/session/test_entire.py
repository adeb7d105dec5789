"""Checkpoints of Entire: in a folder, and on a git branch that is never checked out."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from histories import gemini_header, gemini_json, gemini_lines, gemini_message, machine, says, typed
from ingrained.errors import EnvironmentFaultError
from ingrained.session.read import read_source
from ingrained.session.readers.checkpoints import BRANCH, checkpoint_ref, open_blob
from ingrained.session.readers.entire import is_checkpoint, is_transcript, plain_session
from ingrained.session.sources import Source, find
from session_logs import Claude, Masking, codex_event, codex_meta, texts, write

ONE, TWO = "0a/1b2c3d4e5f", "ff/0011223344"


def checkpoint(root: Path, at: str, rows: list[dict[str, object]], session: str, created: str) -> None:
    write(root / at / "full.jsonl", rows)
    metadata = {"session_id": session, "created_at": created, "agent": "Agent"}
    (root / at / "metadata.json").write_text(json.dumps(metadata), encoding="utf-8")
    (root / at / "prompt.txt").write_text("never read me", encoding="utf-8")


def fill(root: Path) -> None:
    """Two checkpoints of one session, the later one longer; one of another agent; an empty and a foreign one."""
    log = Claude("s1")
    log.user("start")
    checkpoint(root, f"{ONE}/0", list(log.rows), "2026-01-23-s1", "2026-01-23T10:00:00Z")
    log.agent("ok")
    log.user("use tabs")
    checkpoint(root, f"{TWO}/0", log.rows, "s1", "2026-01-24T10:00:00Z")
    checkpoint(root, f"{TWO}/1", [codex_meta("t"), codex_event("use spaces")], "t", "2026-01-25T10:00:00Z")
    checkpoint(root, f"{ONE}/1", [], "s0", "2026-01-23T10:00:00Z")
    write(root / ONE / "2" / "full.jsonl", [])
    (root / ONE / "2" / "full.jsonl").write_text('{\n  "sessionId": "g",\n  "projectHash": "h"\n}', encoding="utf-8")
    write(root / ONE / "0" / "tasks" / "toolu_1" / "agent-7.jsonl", [Claude("s1", isSidechain=True).user("never")])


def read_all(sources: list[Source]) -> dict[str, list[str]]:
    found = {}
    for source in sources:
        read = read_source(source, cursor=None, redactor=Masking())
        assert read is not None
        if read.turns:
            found[read.sessions[0].session] = texts(read)
    return found


def test_a_folder_of_checkpoints(tmp_path: Path) -> None:
    fill(tmp_path)
    found = [source for source in find([tmp_path]) if source.size]
    assert {source.reader for source in found} == {"entire"}
    assert read_all(found) == {"t": ["use spaces"], "s1": ["start", "use tabs"]}
    longest = next(source for source in found if source.session == "s1")
    assert (longest.path, longest.copies) == (str(tmp_path / TWO / "0" / "full.jsonl"), 1)


def test_a_checkpoint_and_the_original_log_have_the_same_keys(tmp_path: Path) -> None:
    log = Claude("s1")
    log.user("start")
    write(tmp_path / ONE / "0" / "full.jsonl", log.rows)
    write(tmp_path / "s1.jsonl", log.rows)
    reads = [read_source(source, cursor=None, redactor=Masking()) for source in find([tmp_path])]
    keys = {(turn.key, turn.session, turn.tool) for read in reads if read for turn in read.turns}
    assert len(reads) == 2
    assert len(keys) == 1


def git(folder: Path, *arguments: str) -> str:
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    identity = ["-c", "user.name=Dana", "-c", "user.email=dana@example.test"]
    done = subprocess.run(
        ["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True, text=True, env=env
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository whose checkpoints stand on a branch that is not checked out."""
    root = tmp_path / "repo"
    root.mkdir()
    git(root, "init", "-q", "-b", BRANCH)
    fill(root)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "checkpoints")
    git(root, "checkout", "-q", "--orphan", "main")
    git(root, "rm", "-rfq", ".")
    (root / "a.txt").write_text("a", encoding="utf-8")
    git(root, "add", "a.txt")
    git(root, "commit", "-q", "-m", "start")
    return root


def test_a_branch_of_checkpoints_is_read_without_a_checkout(repository: Path) -> None:
    before = sorted(repository.rglob("*"))
    found = find([repository])
    assert read_all(found) == {"t": ["use spaces"], "s1": ["start", "use tabs"]}
    longest = next(source for source in found if source.session == "s1")
    assert longest.path == f"{repository}@refs/heads/{BRANCH}:{TWO}/0/full.jsonl"
    assert longest.copies == 1
    assert [source.session for source in found if source.session] == ["t", "s1"]
    assert sorted(repository.rglob("*")) == before
    assert git(repository, "status", "--porcelain") == ""


def test_a_transcript_of_another_agent_is_counted(repository: Path) -> None:
    (other,) = [source for source in find([repository]) if source.path.endswith(f"{ONE}/2/full.jsonl")]
    read = read_source(other, cursor=None, redactor=Masking())
    assert read is not None
    assert (read.turns, read.unknown) == ((), {"transcript of another agent": 1})


STEPS = [machine(), typed("add a test"), says("Adding it."), typed("not like that, hush-x"), says("Sure.")]
SAID = ["add a test", "not like that, [redacted:hush]"]


def gemini_transcripts(folder: Path) -> dict[str, bytes]:
    """A session as the client writes it in each of its generations, and as it stands where it was cut into parts."""
    whole = gemini_json(folder, STEPS).read_bytes()
    messages = [gemini_message(number, step) for number, step in enumerate(STEPS, start=1)]
    return {
        "document": whole,
        "with an end": whole + b"\r\n",
        "one line": json.dumps({**gemini_header(), "messages": messages}).encode(),
        "part": json.dumps({"messages": messages}, separators=(",", ":")).encode(),
        "lines": gemini_lines(folder, STEPS).read_bytes(),
    }


@pytest.mark.parametrize("kind", ["document", "with an end", "one line", "part", "lines"])
def test_a_transcript_of_gemini_is_read_in_a_folder_and_on_the_branch(tmp_path: Path, kind: str) -> None:
    original = gemini_json(tmp_path / "own", STEPS)
    kept = read_source(*find([original]), cursor=None, redactor=Masking())
    assert kept is not None
    root = tmp_path / "repo"
    for folder in (tmp_path / "folder", root):
        checkpoint(folder, f"{ONE}/0", [], "g", "2026-01-23T10:00:00Z")
        (folder / ONE / "0" / "full.jsonl").write_bytes(gemini_transcripts(tmp_path / "sample")[kind])
    git(root, "init", "-q", "-b", BRANCH)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "checkpoints")
    git(root, "rm", "-rfq", ".")
    (in_folder,) = find([tmp_path / "folder"])
    (on_branch,) = find([root])
    for source, cwd in ((in_folder, ""), (on_branch, str(root))):
        found = read_source(source, cursor=None, redactor=Masking())
        assert found is not None
        assert (source.reader, texts(found), found.damage, found.unknown) == ("entire", SAID, (), {})
        assert [(turn.key, turn.tool, turn.cwd) for turn in found.turns] == [
            (turn.key, "gemini", cwd) for turn in kept.turns
        ]
        assert found.turns[1].act.said == "Adding it."
        assert (found.sessions[0].session == kept.sessions[0].session) == (kind != "part")
        assert read_source(source, cursor=found.cursor, redactor=Masking()) is None


def test_a_transcript_of_gemini_that_is_cut_off_keeps_what_stands_before(tmp_path: Path) -> None:
    whole = gemini_transcripts(tmp_path / "sample")["document"]
    path = tmp_path / ONE / "0" / "full.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(whole[: whole.index(b"not like")])
    (source,) = find([tmp_path / ONE])
    found = read_source(source, cursor=None, redactor=Masking())
    assert found is not None
    assert (texts(found), [damage.kind for damage in found.damage]) == (SAID[:1], ["cut"])
    path.write_bytes(whole)
    (source,) = find([tmp_path / ONE])
    again = read_source(source, cursor=found.cursor, redactor=Masking())
    assert again is not None
    assert texts(again) == SAID


def test_a_blob_that_was_read_is_not_read_again(repository: Path) -> None:
    for source in find([repository]):
        read = read_source(source, cursor=None, redactor=Masking())
        assert read is not None
        assert read_source(source, cursor=read.cursor, redactor=Masking()) is None


def test_a_fresh_clone_has_the_branch_of_its_origin(repository: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(repository), str(clone))
    assert checkpoint_ref(clone) == f"refs/remotes/origin/{BRANCH}"
    assert read_all(find([clone])) == {"t": ["use spaces"], "s1": ["start", "use tabs"]}


def test_a_repository_without_checkpoints(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    assert checkpoint_ref(tmp_path) == ""
    assert find([tmp_path]) == []


def test_an_object_that_is_gone(repository: Path) -> None:
    with pytest.raises(EnvironmentFaultError, match="no object"), open_blob(repository, "0" * 40):
        pass


def test_the_layout() -> None:
    assert is_transcript("/x/0a/1b2c3d4e5f/0/full.jsonl")
    assert is_transcript("0a/1b2c3d4e5f/12/transcript.jsonl")
    assert is_transcript("/repo@refs/heads/b:0a/1b2c3d4e5f/0/full.jsonl")
    assert not is_transcript("/x/0a/1b2c3d4e5/0/full.jsonl")
    assert not is_checkpoint("/x/full.jsonl")
    assert is_checkpoint("0a/1b2c3d4e5f/0/tasks/toolu_1/agent-7.jsonl")
    assert plain_session("2026-01-23-0a1b") == "0a1b"
    assert plain_session("0a1b-2026-01-23") == "0a1b-2026-01-23"

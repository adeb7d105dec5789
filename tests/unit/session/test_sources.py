"""Finding logs: the standard places, any path, and what must not be followed or read."""

from __future__ import annotations

import os
import socket
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ingrained.errors import EnvironmentFaultError, SessionFormatError
from ingrained.session.sources import Skipped, Source, find, git_remote, matches, source_of, standard_places
from session_logs import Claude, codex_event, codex_meta, write


def claude(path: Path, mtime: float | None = None) -> Path:
    log = Claude(path.stem)
    log.user("hello")
    write(path, log.rows)
    if mtime is not None:
        os.utime(path, (mtime, mtime))
    return path


def names(sources: list[Source]) -> list[str]:
    return [Path(source.path).name for source in sources]


def test_the_standard_places(tmp_path: Path) -> None:
    home = tmp_path / "Dana Müller"
    places = [str(place.relative_to(home)) for place in standard_places({}, home, "linux")]
    assert places[:4] == [
        ".claude/projects",
        ".config/claude/projects",
        ".codex/sessions",
        ".codex/archived_sessions",
    ]
    assert {
        ".gemini/tmp",
        ".local/share/opencode",
        ".cursor/chats",
        ".config/Cursor/User/globalStorage",
        ".config/Code/User/globalStorage/saoudrizwan.claude-dev",
        ".config/VSCodium/User/globalStorage/rooveterinaryinc.roo-cline",
    } <= set(places)
    elsewhere = tmp_path / "elsewhere"
    env = {"CLAUDE_CONFIG_DIR": str(elsewhere), "CODEX_HOME": str(elsewhere)}
    assert standard_places(env, home)[:3] == [
        elsewhere / name for name in ("projects", "sessions", "archived_sessions")
    ]


@pytest.mark.parametrize(
    ("platform", "env", "cursor"),
    [
        ("linux", {"XDG_CONFIG_HOME": "/etc/dana"}, "/etc/dana/Cursor/User/globalStorage"),
        ("darwin", {}, "/home/dana/Library/Application Support/Cursor/User/globalStorage"),
        ("win32", {}, "/home/dana/AppData/Roaming/Cursor/User/globalStorage"),
        ("win32", {"APPDATA": "/roaming"}, "/roaming/Cursor/User/globalStorage"),
    ],
)
def test_the_standard_places_of_each_platform(platform: str, env: dict[str, str], cursor: str) -> None:
    places = standard_places(env, Path("/home/dana"), platform)
    assert Path(cursor) in places
    assert Path("/home/dana/.gemini/tmp") in places
    assert Path("/data/opencode") in standard_places({**env, "XDG_DATA_HOME": "/data"}, Path("/home/dana"), platform)
    assert len(set(places)) == len(places)


def test_newest_first_with_size_and_reader(tmp_path: Path) -> None:
    old, new = claude(tmp_path / "a" / "old.jsonl", 1000), claude(tmp_path / "b" / "new.jsonl", 3000)
    rollout = write(tmp_path / "rollout-x.jsonl", [codex_meta(), codex_event("hi")])
    os.utime(rollout, (2000, 2000))
    found = find([tmp_path])
    assert [(source.path, source.reader) for source in found] == [
        (str(new), "claude-code"),
        (str(rollout), "codex"),
        (str(old), "claude-code"),
    ]
    assert found[0].size == new.stat().st_size
    assert (found[0].mtime_ns, found[0].inode) == (new.stat().st_mtime_ns, new.stat().st_ino)
    assert find([tmp_path, new, tmp_path / "b"]) == found


def test_since_and_exclude(tmp_path: Path) -> None:
    claude(tmp_path / "old.jsonl", 1000)
    claude(tmp_path / "secret" / "x.jsonl", 3000)
    claude(tmp_path / "new.jsonl", 3000)
    since = datetime.fromtimestamp(2000, tz=UTC)
    skipped: list[Skipped] = []
    found = find([tmp_path], since=since, exclude=[str(tmp_path / "secret")], skipped=skipped)
    assert names(found) == ["new.jsonl"]
    assert [(Path(one.path).name, one.why) for one in skipped] == [("x.jsonl", "excluded")]
    assert names(find([tmp_path], exclude=["*/new.jsonl", "old*"])) == ["x.jsonl"]


@pytest.mark.parametrize(
    ("path", "pattern", "expected"),
    [
        ("/a/b/c.jsonl", "/a/b", True),
        ("/a/bc/c.jsonl", "/a/b", False),
        ("/a/b/c.jsonl", "*.jsonl", True),
        ("/a/b/c.jsonl", "b/*", True),
        ("/a/b/c.jsonl", "x/*", False),
    ],
)
def test_patterns(path: str, pattern: str, expected: bool) -> None:
    assert matches(path, pattern) is expected


def test_other_files_in_a_folder_are_passed_over(tmp_path: Path) -> None:
    claude(tmp_path / "a.jsonl")
    (tmp_path / "labels.jsonl").write_text('{"session": "x", "text": "never"}\n', encoding="utf-8")
    (tmp_path / "package.json").write_text("{}", encoding="utf-8")
    (tmp_path / "agent.meta.json").write_text('{"agentType": "Explore"}', encoding="utf-8")
    (tmp_path / "history.jsonl").write_text('{"display":"never","sessionId":"x","timestamp":1}\n', encoding="utf-8")
    (tmp_path / "gemini.jsonl").write_text('{"sessionId":"x","projectHash":"y","type":"user"}\n', encoding="utf-8")
    claude(tmp_path / "node_modules" / "b.jsonl")
    claude(tmp_path / ".git" / "c.jsonl")
    assert names(find([tmp_path])) == ["a.jsonl"]


def test_links_pipes_and_sockets_are_not_followed(tmp_path: Path) -> None:
    root = tmp_path / "logs"
    claude(root / "a.jsonl")
    outside = claude(tmp_path / "outside" / "b.jsonl")
    (root / "link.jsonl").symlink_to(outside)
    (root / "loop").symlink_to(root)
    (root / "out").symlink_to(outside.parent)
    os.mkfifo(root / "pipe.jsonl")
    skipped: list[Skipped] = []
    with socket.socket(socket.AF_UNIX) as server:
        at = os.open(root, os.O_RDONLY)
        server.bind(f"/proc/self/fd/{at}/s.jsonl")
        found = find([root], skipped=skipped)
        os.close(at)
    assert names(found) == ["a.jsonl"]
    assert {(Path(one.path).name, one.why) for one in skipped} == {
        ("link.jsonl", "a link"),
        ("pipe.jsonl", "no regular file"),
        ("s.jsonl", "no regular file"),
    }


def test_a_link_that_the_person_names_is_followed(tmp_path: Path) -> None:
    real = claude(tmp_path / "real" / "a.jsonl")
    (tmp_path / "link").symlink_to(real.parent)
    assert [source.path for source in find([tmp_path / "link"])] == [str(real)]


def test_names_that_are_wrong(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("x", encoding="utf-8")
    with pytest.raises(SessionFormatError, match="no session log"):
        find([notes])
    with pytest.raises(EnvironmentFaultError, match="No such file"):
        find([tmp_path / "gone"])
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SessionFormatError, match="no regular file"):
        find([tmp_path / "pipe"])
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(EnvironmentFaultError):
        find([loop])


def test_a_file_of_any_name_is_known_by_its_start(tmp_path: Path) -> None:
    found = find([claude(tmp_path / "export of march.log")])
    assert [source.reader for source in found] == ["claude-code"]


def test_a_damaged_start_does_not_hide_a_log(tmp_path: Path) -> None:
    path = claude(tmp_path / "a.jsonl")
    path.write_bytes(b"\0\0\0{half a rec\n" + b"\n[1]\n" + path.read_bytes())
    source = source_of(path)
    assert source is not None
    assert source.reader == "claude-code"


def test_a_long_first_record_does_not_hide_a_log(tmp_path: Path) -> None:
    log = Claude("s")
    log.rows.append({"type": "file-history-snapshot", "messageId": "x", "snapshot": {"files": "x" * 30_000}})
    log.user("hello")
    assert [source.reader for source in find([write(tmp_path / "a.jsonl", log.rows)])] == ["claude-code"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_listed(tmp_path: Path) -> None:
    claude(tmp_path / "a.jsonl")
    claude(tmp_path / "b.jsonl").chmod(0)
    skipped: list[Skipped] = []
    assert names(find([tmp_path], skipped=skipped)) == ["a.jsonl"]
    assert [one.why for one in skipped] == ["Permission denied"]


def test_a_file_that_vanishes_on_the_way_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ingrained.session import sources

    claude(tmp_path / "a.jsonl")
    claude(tmp_path / "b.jsonl")
    real = sources.source_of

    def vanish(path: Path) -> Source | None:
        if path.name == "a.jsonl":
            path.unlink()
        return real(path)

    monkeypatch.setattr(sources, "source_of", vanish)
    skipped: list[Skipped] = []
    assert names(find([tmp_path], skipped=skipped)) == ["b.jsonl"]
    assert [one.why for one in skipped] == ["No such file or directory"]


def test_the_remote_of_a_folder(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path / "repo")], check=True)
    config = ["git", "-C", str(tmp_path / "repo"), "config", "remote.origin.url", "git@example.test:acme/shop.git"]
    subprocess.run(config, check=True)
    (tmp_path / "repo" / "sub").mkdir()
    assert git_remote(str(tmp_path / "repo" / "sub")) == "git@example.test:acme/shop.git"
    assert git_remote(str(tmp_path / "gone")) == ""
    assert git_remote("") == ""

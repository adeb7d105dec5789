"""Files are whole or as they were; one process at a time writes in a home folder; fault points do what they say."""

from __future__ import annotations

import errno
import json
import os
import pickle
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from ingrained.errors import ConfigError, StoreError
from ingrained.store import faults, files
from ingrained.store.files import FileError, Holder, HomeLock, home_dir, make_home, read_bytes_or_none, write_atomic

POINTS = ["files.temporary", "files.written", "files.synced", "files.replaced"]


def run(code: str, *arguments: str | Path, fault: str = "") -> subprocess.CompletedProcess[str]:
    env = {**os.environ, faults.VARIABLE: fault}
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)


WRITE = "import sys, pathlib; from ingrained.store.files import write_atomic; write_atomic(pathlib.Path(sys.argv[1]), b'new')"


def test_new_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a"
    write_atomic(path, b"one")
    assert path.read_bytes() == b"one"
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask()
    path.chmod(0o640)
    write_atomic(path, b"two")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"two", 0o640)
    write_atomic(path, b"three", mode=0o600)
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"three", 0o600)
    assert names(tmp_path) == ["a"]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


@pytest.mark.parametrize("name", ["x" * 255, "ü" * 127, "bad-\udce4", "-f", ". "])
def test_any_name(tmp_path: Path, name: str) -> None:
    write_atomic(tmp_path / name, b"1")
    write_atomic(tmp_path / name, b"2")
    assert (tmp_path / name).read_bytes() == b"2"
    assert names(tmp_path) == [name]


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"theirs")
    (tmp_path / "link").symlink_to(target)
    with pytest.raises(FileError, match="symbolic link"):
        write_atomic(tmp_path / "link", b"ours")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    with pytest.raises(FileError, match="symbolic link"):
        write_atomic(tmp_path / "dangling", b"ours")
    assert target.read_bytes() == b"theirs"
    assert names(tmp_path) == ["dangling", "link", "target"]


def test_what_is_no_file_is_neither_written_nor_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for name in ("fifo", "."):
        with pytest.raises(FileError, match="not a regular file"):
            write_atomic(tmp_path / name, b"x")
        with pytest.raises(FileError, match="not a regular file"):
            read_bytes_or_none(tmp_path / name)


def test_reading_what_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert read_bytes_or_none(tmp_path / "none") is None
    assert read_bytes_or_none(tmp_path / "file" / "below") is None
    assert read_bytes_or_none(tmp_path / "file") == b""
    (tmp_path / "link").symlink_to("file")
    assert read_bytes_or_none(tmp_path / "link") == b""


def test_writing_where_there_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="No such file") as raised:
        write_atomic(tmp_path / "none" / "a", b"x")
    assert raised.value.errno == errno.ENOENT


@pytest.mark.parametrize("existing", [True, False])
@pytest.mark.parametrize("name", POINTS)
def test_a_full_disk_leaves_the_old_bytes_and_no_rubbish(
    tmp_path: Path, name: str, existing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    if existing:
        path.write_bytes(b"old")
    monkeypatch.setenv(faults.VARIABLE, f"enospc:{name}")
    faults.reset()
    with pytest.raises(FileError, match="No space left") as raised:
        write_atomic(path, b"new")
    assert raised.value.errno == errno.ENOSPC
    assert "free some disk space" in raised.value.hint
    done = name == "files.replaced"
    assert read_bytes_or_none(path) == (b"new" if done else b"old" if existing else None)
    assert names(tmp_path) == (["a"] if existing or done else [])


@pytest.mark.parametrize("name", POINTS)
def test_after_a_kill_the_file_is_whole_and_the_next_write_tidies_up(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    foreign = tmp_path / ".a.ingrained-tmp"
    foreign.write_bytes(b"not made by a write")
    assert run(WRITE, path, fault=name).returncode == faults.KILLED
    assert path.read_bytes() == (b"new" if name == "files.replaced" else b"old")
    write_atomic(path, b"newer")
    assert path.read_bytes() == b"newer"
    assert names(tmp_path) == [".a.ingrained-tmp", "a"]


def test_a_temporary_file_of_a_living_writer_stays(tmp_path: Path) -> None:
    living = tmp_path / f".a.{os.getppid()}-00000000.ingrained-tmp"
    living.write_bytes(b"")
    write_atomic(tmp_path / "a", b"x")
    assert living.exists()


def test_a_reader_never_sees_half_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    write_atomic(path, b"0" * 100_000)
    seen: set[bytes] = set()
    stop = threading.Event()

    def watch() -> None:
        while not stop.is_set():
            seen.add(path.read_bytes())

    reader = threading.Thread(target=watch)
    reader.start()
    for n in range(60):
        write_atomic(path, str(n % 10).encode() * 100_000)
    stop.set()
    reader.join()
    assert len(seen) > 1
    assert all(len(data) == 100_000 and len(set(data)) == 1 for data in seen)


def test_the_error_is_of_both_kinds_and_survives_pickling(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="cannot write") as raised:
        write_atomic(tmp_path / "none" / "a", b"x")
    assert isinstance(raised.value, StoreError)
    again = pickle.loads(pickle.dumps(raised.value))
    assert (str(again), again.hint) == (str(raised.value), raised.value.hint)


# Home


def test_where_home_is(tmp_path: Path) -> None:
    given, named = tmp_path / "given", tmp_path / "named"
    assert home_dir(given, {"INGRAINED_HOME": str(named)}) == given
    assert home_dir(None, {"INGRAINED_HOME": str(named)}) == named
    assert home_dir(str(tmp_path / "a" / ".." / "b"), {}) == tmp_path / "b"
    assert home_dir("~/x", {}) == Path("~/x").expanduser().resolve()
    (tmp_path / "link").symlink_to(named)
    assert home_dir(tmp_path / "link", {}) == named
    assert list(tmp_path.iterdir()) == [tmp_path / "link"]


def test_where_home_is_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("INGRAINED_HOME", raising=False)
    assert home_dir().name == "ingrained"
    assert home_dir().is_relative_to(tmp_path)


def test_a_home_of_nobody_is_a_config_error() -> None:
    with pytest.raises(ConfigError, match="home folder") as raised:
        home_dir("~nobody-of-that-name/x", {})
    assert "--home" in raised.value.hint


def test_home_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    home = make_home(tmp_path / "a" / "b")
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    home.chmod(0o750)
    make_home(home)
    assert stat.S_IMODE(home.stat().st_mode) == 0o750
    (tmp_path / "file").write_bytes(b"")
    for bad in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(StoreError, match="home folder"):
            make_home(bad)


# The lock

HOLD = """
import sys, pathlib
from ingrained.store.files import HomeLock
with HomeLock(pathlib.Path(sys.argv[1]), what="ingrained learn"):
    print("held", flush=True)
    sys.stdin.readline()
"""


def holder(**more: object) -> Holder:
    values: dict[str, object] = {
        "pid": os.getpid(), "host": socket.gethostname(), "start": "", "since": time.time(), "what": "test", "token": "t",
    }  # fmt: skip
    return Holder(**values | more)  # type: ignore[arg-type]


def leave(home: Path, left: Holder | bytes, *, age_s: float = 0) -> None:
    home.mkdir(exist_ok=True)
    lock = home / files.LOCK_NAME
    lock.write_bytes(left if isinstance(left, bytes) else json.dumps(asdict(left)).encode())
    os.utime(lock, (time.time() - age_s,) * 2)


def dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_the_second_one_waits_and_says_for_whom(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        said: list[str] = []
        with pytest.raises(StoreError) as raised, HomeLock(tmp_path, wait_s=0.2, say=said.append):
            pass
        assert f"`ingrained learn` (process {process.pid} on {socket.gethostname()}, since 20" in raised.value.message
        assert str(tmp_path / "lock") in raised.value.hint
        assert len(said) == 1
        assert str(process.pid) in said[0]

        def end() -> None:
            time.sleep(0.2)
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()

        ending = threading.Thread(target=end)
        ending.start()
        with HomeLock(tmp_path, wait_s=30):
            assert (tmp_path / "lock").exists()
        ending.join()
    assert not (tmp_path / "lock").exists()


def test_a_holder_that_was_killed_is_followed_at_once(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, stdin=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.kill()
    assert (tmp_path / "lock").exists()
    with HomeLock(tmp_path, wait_s=0):
        assert json.loads((tmp_path / "lock").read_bytes())["pid"] == os.getpid()
    assert not (tmp_path / "lock").exists()


def test_a_reused_process_id_does_not_hold_a_lock(tmp_path: Path) -> None:
    leave(tmp_path, holder(start="another boot:12"))
    with HomeLock(tmp_path, wait_s=0):
        pass
    leave(tmp_path, holder(pid=dead_pid()))
    with HomeLock(tmp_path, wait_s=0):
        pass


def test_a_lock_of_another_machine_counts_until_it_is_old(tmp_path: Path) -> None:
    left = holder(host="elsewhere", pid=dead_pid(), what="ingrained learn")
    leave(tmp_path, left, age_s=files.OTHER_HOST_S - 60)
    with pytest.raises(StoreError, match="on elsewhere"), HomeLock(tmp_path, wait_s=0):
        pass
    leave(tmp_path, left, age_s=files.OTHER_HOST_S + 60)
    with HomeLock(tmp_path, wait_s=0):
        pass


@pytest.mark.parametrize("rubbish", [b"", b"{", b"[1]", b'{"pid": 1}', b"\xff"])
def test_a_lock_that_says_nothing_counts_for_a_moment(tmp_path: Path, rubbish: bytes) -> None:
    leave(tmp_path, rubbish)
    with pytest.raises(StoreError, match="another process"), HomeLock(tmp_path, wait_s=0):
        pass
    leave(tmp_path, rubbish, age_s=60)
    with HomeLock(tmp_path, wait_s=0):
        pass


def test_taking_it_twice_in_one_process_is_a_mistake_and_no_wait(tmp_path: Path) -> None:
    with HomeLock(tmp_path), pytest.raises(StoreError, match="already held by this process"), HomeLock(tmp_path):
        pass
    assert not (tmp_path / "lock").exists()


def test_a_lock_that_somebody_took_over_is_not_removed(tmp_path: Path) -> None:
    with HomeLock(tmp_path):
        leave(tmp_path, holder(token="another"))
    assert (tmp_path / "lock").exists()


def test_a_full_disk_leaves_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(faults.VARIABLE, "enospc:lock.created")
    faults.reset()
    with pytest.raises(FileError, match="No space left"), HomeLock(tmp_path):
        pass
    assert not (tmp_path / "lock").exists()


@pytest.mark.parametrize("fault", ["lock.created", "lock.takeover"])
def test_a_kill_while_the_lock_is_taken_bars_nobody(tmp_path: Path, fault: str) -> None:
    leave(tmp_path, holder(pid=dead_pid()), age_s=60)
    assert run(HOLD, tmp_path, fault=fault).returncode == faults.KILLED
    if (tmp_path / "lock").exists():
        os.utime(tmp_path / "lock", (time.time() - 60,) * 2)
    with HomeLock(tmp_path, wait_s=0):
        pass


RACE = """
import os, pathlib, sys, time
from ingrained.store import files
from ingrained.store.files import HomeLock
# Between the last look at a stale lock and its removal there is time for everybody else.
files.point = lambda name: time.sleep(0.003 if name == "lock.takeover" else 0)
home = pathlib.Path(sys.argv[1])
children = []
for _ in range(8):
    pid = os.fork()
    if not pid:
        for _ in range(15):
            with HomeLock(home, wait_s=60):
                inside = os.open(home / "inside", os.O_CREAT | os.O_EXCL)
                time.sleep(0.001)
                os.close(inside)
                (home / "inside").unlink()
                counter = home / "counter"
                counter.write_text(str(int(counter.read_text()) + 1))
                left = home / "lock"
            if os.getpid() % 2:
                try:
                    os.link(home / "stale", left)
                except FileExistsError:
                    pass
        os._exit(0)
    children.append(pid)
sys.exit(max(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children))
"""


def test_of_many_that_find_a_stale_lock_one_at_a_time_goes_in(tmp_path: Path) -> None:
    leave(tmp_path, holder(pid=dead_pid()))
    (tmp_path / "stale").write_bytes((tmp_path / "lock").read_bytes())
    (tmp_path / "counter").write_text("0", encoding="utf-8")
    done = run(RACE, tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "counter").read_text(encoding="utf-8") == "120"


def test_a_holder_is_told_in_words() -> None:
    told = str(replace(holder(what="ingrained learn", pid=12, host="box"), since=0.0))
    assert told.startswith("`ingrained learn` (process 12 on box, since 19")


# Fault points

PASS = "import sys; from ingrained.store import faults; faults.register('a', 'b', 'c'); [faults.point('a.b') for _ in range(3)]; print('through')"


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        ("", 0),
        ("a.b", 137),
        ("a.b:3", 137),
        ("a.b:4", 0),
        ("a.c", 0),
        ("other.x", 0),
        ("a.x", 1),
        ("a.b:0", 1),
        ("a.b:x", 1),
    ],
)
def test_what_a_fault_point_does(fault: str, status: int) -> None:
    done = run(PASS, fault=fault)
    assert done.returncode == status, done.stderr
    assert done.stdout == ("through\n" if status == 0 else "")
    if status == 1:
        assert "ConfigError" in done.stderr


def test_an_unregistered_point_is_a_mistake() -> None:
    with pytest.raises(LookupError, match="nowhere"):
        faults.point("files.nowhere")


def test_points_are_listed_by_area() -> None:
    assert faults.points("files") == sorted(POINTS)
    assert faults.points("files", "lock") == sorted([*POINTS, "lock.created", "lock.takeover"])
    assert set(faults.points("files", "lock")) <= set(faults.points())


def test_no_temporary_folder_is_left_by_a_home_that_is_only_asked_for() -> None:
    with tempfile.TemporaryDirectory() as folder:
        home_dir(Path(folder) / "x", {})
        assert names(Path(folder)) == []


@pytest.mark.parametrize("name", ["file/in it", "x" * 300, "loop/in it"])
def test_a_home_that_cannot_be_made_is_answered_with_another(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(StoreError) as caught:
        make_home(tmp_path / name)
    assert "--home DIR" in caught.value.hint

"""Runs one program where it can do no harm; `harness.sandbox` starts it as a process. Standard library only.

Three processes: the first one writes the id maps, the second builds the namespaces and waits inside them as number 1,
the third is the program. The decision to know: where the machine's user is root, the program's is nobody, since limits
on the number of processes do not hold for root; and the folder it works in is a file system in memory, so that neither
its size nor what lies in it reaches the disk. What it made is copied out by number 1, through files that were opened
before.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import stat
import sys
from pathlib import Path
from typing import Any, NoReturn

SHOWS = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/dev/null", "/dev/urandom", "/dev/zero")
"""What every program needs to start, beside its interpreter; read-only."""
WORK = "/work"
INSIDE = 1000
_NOBODY = 65534

_NEWNS, _NEWUTS, _NEWIPC, _NEWUSER, _NEWPID, _NEWNET = 0x20000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
_NOSUID, _NODEV, _BIND, _REC, _PRIVATE, _DETACH = 2, 4, 4096, 16384, 1 << 18, 2
_READ_ONLY, _RECURSIVE, _HERE = 1, 0x8000, -100
_MOUNT_SETATTR = 442  # the same number on every architecture
_PARENT_DIES, _NO_NEW_PRIVILEGES = 1, 38


def main() -> None:
    """Run what the first argument says (JSON), and leave `status.json` in the folder it names."""
    asked = json.loads(sys.argv[1])
    folder = Path(asked["folder"])
    status = _confined(asked, folder) if asked["confine"] else _loose(asked, folder)
    (folder / "status.json").write_text(json.dumps(status), encoding="utf-8")


def _loose(asked: dict[str, Any], folder: Path) -> dict[str, object]:
    """The limits alone, in the folder itself."""
    told, tell = os.pipe()
    if (child := os.fork()) == 0:
        _start(asked, tell, str(folder / "work"))
    os.close(tell)
    return _ended(child, told)


def _confined(asked: dict[str, Any], folder: Path) -> dict[str, object]:
    told, tell = os.pipe()
    built, build = os.pipe()
    mapped, map_ = os.pipe()
    if (child := os.fork()) == 0:
        try:
            os.close(map_)
            _inside(asked, folder, tell, build, mapped)
        except (OSError, AttributeError) as error:
            os.write(tell, _why(error))
        os._exit(1)
    for one in (tell, build, mapped):
        os.close(one)
    if os.read(built, 1):
        outside = (_NOBODY, _NOBODY) if os.geteuid() == 0 else (os.geteuid(), os.getegid())
        try:
            if os.geteuid() != 0:
                Path(f"/proc/{child}/setgroups").write_text("deny", encoding="utf-8")
            for name, number in zip(("uid_map", "gid_map"), outside, strict=True):
                Path(f"/proc/{child}/{name}").write_text(f"{INSIDE} {number} 1", encoding="utf-8")
            os.write(map_, b"1")
        except OSError as error:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return {"failed": f"id map: {error.strerror}"}
    os.close(map_)
    return _ended(child, told)


def _inside(asked: dict[str, Any], folder: Path, tell: int, build: int, mapped: int) -> None:
    _do("no user namespaces", _libc().unshare(_NEWUSER | _NEWNS | _NEWPID | _NEWNET | _NEWIPC | _NEWUTS))
    os.write(build, b"1")
    os.close(build)
    if not os.read(mapped, 1):
        os._exit(1)
    # Within a namespace of its own a program could mount memory that no limit counts.
    Path("/proc/sys/user/max_user_namespaces").write_text("0", encoding="utf-8")
    # Opened while the folders of the machine's user can still be entered.
    shown = {path: os.open(path, os.O_PATH) for path in asked["shows"]}
    brought = {one.name: one.read_bytes() for one in (folder / "work").iterdir()}
    wanted = {name: os.open(folder / "out" / name, os.O_WRONLY | os.O_CREAT, 0o600) for name in asked["wanted"]}
    if os.geteuid() != INSIDE:  # the machine's user is root
        os.setgroups([])
    os.setresgid(INSIDE, INSIDE, INSIDE)
    os.setresuid(INSIDE, INSIDE, INSIDE)
    _build(shown, asked["limits"]["folder_bytes"])
    for name, data in brought.items():
        Path(WORK, name).write_bytes(data)
    if (first := os.fork()) == 0:
        _number_one(asked, wanted, tell)
    os.close(tell)
    os._exit(_code(os.waitpid(first, 0)[1]))


def _build(shown: dict[str, int], size: int) -> None:
    """A root of its own with what is shown, and the folder to work in. `/tmp` is only where it is put together."""
    _mount("none", "/", None, _REC | _PRIVATE)
    _mount("tmpfs", "/tmp", "tmpfs", _NOSUID | _NODEV, "size=1m,mode=755")  # noqa: S108
    os.chdir("/tmp")  # noqa: S108
    for path, opened in sorted(shown.items()):
        target = Path(path.lstrip("/"))
        target.parent.mkdir(parents=True, exist_ok=True)
        if stat.S_ISDIR(os.fstat(opened).st_mode):
            target.mkdir(exist_ok=True)
        else:
            target.touch()
        _mount(f"/proc/self/fd/{opened}", str(target), None, _BIND | _REC)
        _read_only(str(target), _RECURSIVE)
    Path("tmp").mkdir(exist_ok=True)
    Path(WORK.lstrip("/")).mkdir()
    _mount("tmpfs", WORK.lstrip("/"), "tmpfs", _NOSUID | _NODEV, f"size={size},mode=700")
    _do("pivot_root", _libc().pivot_root(b".", b"."))
    _do("umount", _libc().umount2(b".", _DETACH))
    _read_only("/", 0)
    os.chdir(WORK)


def _number_one(asked: dict[str, Any], wanted: dict[str, int], tell: int) -> NoReturn:
    _do("prctl", _libc().prctl(_PARENT_DIES, signal.SIGKILL, 0, 0, 0))
    if (program := os.fork()) == 0:
        _start(asked, tell, WORK)
    os.close(tell)
    while True:
        ended, status = os.wait()
        if ended == program:
            break
    for name, out in wanted.items():
        _copy(name, out, asked["limits"]["file_bytes"])
    os._exit(_code(status))


def _copy(name: str, out: int, most: int) -> None:
    """One file out; nothing where it is none, or another kind of file."""
    try:
        made = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return
    if stat.S_ISREG(os.fstat(made).st_mode):
        left = most
        while left > 0 and (data := os.read(made, min(left, 1 << 16))):
            os.write(out, data)
            left -= len(data)


def _start(asked: dict[str, Any], tell: int, work: str) -> NoReturn:
    """Become the program."""
    try:
        if sys.platform == "linux":
            _do("prctl", _libc().prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
        os.chdir(work)
        limits = asked["limits"]
        resource.setrlimit(resource.RLIMIT_CPU, (limits["cpu_seconds"], limits["cpu_seconds"] + 1))
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits["file_bytes"], limits["file_bytes"]))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_NOFILE, (limits["open_files"], limits["open_files"]))
        if asked["confine"]:
            resource.setrlimit(resource.RLIMIT_NPROC, (limits["processes"], limits["processes"]))
        resource.setrlimit(resource.RLIMIT_AS, (limits["memory_bytes"], limits["memory_bytes"]))
        os.execve(asked["argv"][0], asked["argv"], {**asked["env"], "HOME": work, "TMPDIR": work})  # noqa: S606
    except (OSError, ValueError, AttributeError) as error:
        os.write(tell, _why(error))
    os._exit(1)


def _ended(child: int, told: int) -> dict[str, object]:
    """How it went: why it never started, or its exit code (128 and the signal that ended it)."""
    with os.fdopen(told, encoding="utf-8", errors="replace") as said:
        failed = said.read()
    code = _code(os.waitpid(child, 0)[1])
    return {"failed": failed} if failed else {"code": code}


def _why(error: Exception) -> bytes:
    if isinstance(error, OSError) and error.strerror:
        return (f"{error.filename}: " if error.filename else "").encode() + error.strerror.encode()
    return str(error).encode()


def _code(status: int) -> int:
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def _mount(source: str, target: str, kind: str | None, flags: int, data: str = "") -> None:
    name = None if kind is None else kind.encode()
    done = _libc().mount(source.encode(), target.encode(), name, flags, data.encode() or None)
    _do(f"mount {target}", done)


def _read_only(path: str, recursive: int) -> None:
    wanted = (ctypes.c_uint64 * 4)(_READ_ONLY | _NOSUID, 0, 0, 0)
    size = ctypes.c_size_t(ctypes.sizeof(wanted))
    done = _libc().syscall(_MOUNT_SETATTR, _HERE, path.encode(), recursive, ctypes.byref(wanted), size)
    _do(f"mount_setattr {path}", done)


def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def _do(what: str, answer: int) -> None:
    if answer != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


if __name__ == "__main__":
    main()

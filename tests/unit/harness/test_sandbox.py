"""The sandbox: what a program gets, what it cannot do, and what is said where it cannot be confined."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

import ingrained
from ingrained.errors import EnvironmentFaultError
from ingrained.harness.sandbox import Limits, Ran, run_python

SOURCE = str(Path(ingrained.__file__).resolve().parents[1])


@pytest.fixture(scope="module")
def confined() -> Callable[..., Ran]:
    """Run a program, confined; skips where this machine has no user namespaces."""

    def run(code: str, **options: object) -> Ran:
        async def go() -> Ran:
            return await run_python(code, **options)  # type: ignore[arg-type]

        ran = anyio.run(go)
        assert ran.enforced.confined
        return ran

    try:
        run("")
    except EnvironmentFaultError as error:
        pytest.skip(error.message)
    return run


def test_a_program_reads_what_it_is_given_and_leaves_what_is_wanted(confined: Callable[..., Ran]) -> None:
    ran = confined(
        "open('b.txt', 'w').write(open('a.txt').read().upper()); open('c.txt', 'w').write('x'); print('ready')",
        files={"a.txt": b"some words"},
        wanted=["b.txt", "d.txt"],
    )
    assert (ran.ended, ran.code, ran.output.strip(), ran.told) == ("done", 0, "ready", "done")
    assert ran.files == {"b.txt": b"SOME WORDS"}
    assert ran.enforced.told == "confined"


def test_a_program_inherits_nothing(confined: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_SECRET_OF_MINE", "x")
    ran = confined(
        "import os, sys; print(sorted(os.environ), repr(sys.stdin.read()), os.getcwd(), os.path.expanduser('~'))"
    )
    assert "SECRET" not in ran.output
    assert "''" in ran.output
    assert ran.output.split()[-2:] == ["/work", "/work"]


def test_a_program_sees_neither_the_files_of_this_machine_nor_its_processes(
    confined: Callable[..., Ran], tmp_path: Path
) -> None:
    (tmp_path / "answers.txt").write_text("42", encoding="utf-8")
    ran = confined(
        "import os, sys\n"
        "print(os.path.exists(sys.argv[0]), os.listdir('/tmp'), os.path.exists('/etc/passwd'), os.path.exists('/proc/1'))\n"
        f"open({str(tmp_path / 'answers.txt')!r})"
    )
    assert ran.ended == "failed"
    assert ran.told.startswith("exit code 1: FileNotFoundError")
    assert "False False" in ran.output
    assert tmp_path.name not in ran.output.splitlines()[0]


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("import socket; socket.create_connection(('127.0.0.1', 9), 5)", "unreachable"),
        ("import sys, os; open(os.path.join(sys.prefix, 'planted'), 'w')", "Read-only"),
        ("open('/planted', 'w')", "Read-only"),
        ("import os; os.setuid(0)", "Invalid argument"),
        (
            "import ctypes, os; c = ctypes.CDLL(None, use_errno=True); c.mount(b'none', b'/work', b'tmpfs', 0, None)\n"
            "raise SystemExit(os.strerror(ctypes.get_errno()))",
            "Operation not permitted",
        ),
        (
            "import ctypes, os; c = ctypes.CDLL(None, use_errno=True); c.unshare(0x10000000)\n"
            "raise SystemExit(os.strerror(ctypes.get_errno()))",
            "No space left",
        ),
        ("x = bytearray(2 << 30)", "MemoryError"),
        ("f = open('big', 'wb')\nwhile True: f.write(bytes(1 << 20))", "File too large"),
        ("for n in range(9): open(str(n), 'wb').write(bytes(20 << 20))", "No space left"),
        ("import os, time\nwhile os.fork(): pass\ntime.sleep(20)", "Resource temporarily unavailable"),
    ],
    ids=["network", "packages", "root", "privileges", "mounts", "namespaces", "memory", "file", "folder", "processes"],
)
def test_a_program_is_held(confined: Callable[..., Ran], code: str, says: str) -> None:
    ran = confined(code)
    assert ran.ended != "done"
    assert says in ran.output


def test_time_is_held_by_the_clock_and_by_the_processor(confined: Callable[..., Ran]) -> None:
    slept = confined(
        "import os, time\nos.fork(); os.setsid() if os.fork() == 0 else 0; time.sleep(60)", limits=Limits(seconds=1.5)
    )
    assert (slept.ended, slept.told) == ("time", "not done in 1.5 s")
    spun = confined("while True: pass", limits=Limits(cpu_seconds=1))
    assert (spun.ended, spun.told) == ("killed", "ended by SIGXCPU")


@pytest.mark.parametrize(
    "code", ["import os; os.symlink('/etc/hostname', 'o')", "import os; os.mkfifo('o')", "open('o', 'w')"]
)
def test_only_files_with_something_in_them_come_back(confined: Callable[..., Ran], code: str) -> None:
    ran = confined(code, wanted=["o"])
    assert (ran.ended, dict(ran.files)) == ("done", {})


def test_the_end_of_the_output_is_kept(confined: Callable[..., Ran]) -> None:
    assert confined("print('x' * 500_000 + 'end', end='')", limits=Limits(output_bytes=5)).output == "xxend"


CHILD = """
import anyio
from ingrained.errors import EnvironmentFaultError
from ingrained.harness.sandbox import run_python

async def go():
    try:
        await run_python("print(1)")
    except EnvironmentFaultError as error:
        print("refused:", error.message)
    ran = await run_python("import os; print(os.getcwd()); open('o', 'w').write('2')", wanted=["o"], allow_unconfined=True)
    print(ran.ended, ran.enforced.confined, dict(ran.files))
    print(ran.enforced.told)

anyio.run(go)
"""


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare to make a place without user namespaces")
def test_without_user_namespaces_it_refuses_or_says_so() -> None:
    script = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$0" -c "$1"'
    done = subprocess.run(
        ["unshare", "-Ur", "sh", "-c", script, sys.executable, CHILD],
        env={**os.environ, "PYTHONPATH": SOURCE},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode != 0:
        pytest.skip(f"no such place can be made here: {done.stderr[-200:]}")
    refused, ran, told = done.stdout.splitlines()
    assert refused.startswith("refused: a generated program cannot be confined here: no user namespaces: ")
    assert ran == "done False {'o': b'2'}"
    assert told.startswith("not confined (no user namespaces: ")

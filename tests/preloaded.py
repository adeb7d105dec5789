"""A process that has the package loaded already, and forks one for each command: a third of a second less a command.

`run` starts it once a test process. The forked process gets the command's own environment, working folder and streams,
and leaves by the package's own `main`, so that what a test sees is what a shell would see; only the imports are shared.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import json
import os
import pkgutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO, Any

_APART = ("ingrained.train", "ingrained.model.local", "ingrained.model.anthropic", "ingrained.__main__")
"""Modules that need more than the package does, or that run when they are imported."""


def run(
    words: Sequence[str], *, env: Mapping[str, str], cwd: Path, timeout: float = 120
) -> subprocess.CompletedProcess[str]:
    """Run `ingrained` with these words.

    Raises:
        subprocess.TimeoutExpired: it took too long; it was killed.
    """
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder) / "out", Path(folder) / "err"
        asked = {"words": [*words], "env": dict(env), "cwd": str(cwd), "out": str(out), "err": str(err)}
        told = _ask({**asked, "timeout": timeout})
        if told["code"] is None:
            raise subprocess.TimeoutExpired([*words], timeout)
        return subprocess.CompletedProcess(
            [*words], told["code"], out.read_text(encoding="utf-8"), err.read_text(encoding="utf-8")
        )


def _ask(job: dict[str, Any]) -> dict[str, Any]:
    process = _process()
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(job) + "\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


@cache
def _process() -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-X", "utf8", __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    )
    atexit.register(_end, process)
    return process


def _end(process: subprocess.Popen[str]) -> None:
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()
    process.wait(timeout=10)


def _load() -> None:
    import ingrained

    for module in pkgutil.walk_packages(ingrained.__path__, "ingrained."):
        if not module.name.startswith(_APART):
            with contextlib.suppress(ModuleNotFoundError):
                importlib.import_module(module.name)


def _serve(jobs: IO[str], answers: IO[str]) -> None:
    for line in jobs:
        job = json.loads(line)
        child = os.fork()
        if child == 0:
            _be(job)
        answers.write(json.dumps({"code": _waited(child, job["timeout"])}) + "\n")
        answers.flush()


def _waited(child: int, timeout: float) -> int | None:
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return None


def _be(job: Mapping[str, Any]) -> None:
    """Become the command; never comes back."""
    os.chdir(job["cwd"])
    os.environ.clear()
    os.environ.update(job["env"])
    time.tzset()
    sys.path[:0] = [place for place in job["env"].get("PYTHONPATH", "").split(os.pathsep) if place]
    writing = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    for number, path, flags in ((0, os.devnull, os.O_RDONLY), (1, job["out"], writing), (2, job["err"], writing)):
        place = os.open(path, flags, 0o600)
        os.dup2(place, number)
        os.close(place)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - for the life of the process
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False, buffering=1)  # noqa: SIM115
    sys.argv = ["ingrained", *job["words"]]
    code: object = 1
    try:
        from ingrained.cli.app import main

        main()
    except SystemExit as left:
        code = left.code or 0
    except BaseException:  # noqa: BLE001 - printed as Python would on its way out
        import traceback

        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 1)


if __name__ == "__main__":
    _load()
    _serve(sys.stdin, sys.stdout)

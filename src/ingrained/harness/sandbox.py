"""Runs Python that a model wrote.

Owns the limits and what is said of them. The decision to know: without user namespaces nothing keeps a program from the
network and from this machine's files, so that it is not run at all, unless the caller says `allow_unconfined`; what was
enforced comes back with every run, so that a trace can carry it. See `harness.confine` for how it is done.
"""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

import anyio
from anyio.abc import Process
from pydantic import Field

from ingrained.errors import EnvironmentFaultError
from ingrained.harness import confine
from ingrained.skill.rule import Frozen

PROGRAM: Final = "program.py"
Ended = Literal["done", "failed", "time", "killed"]
"""Exit code 0; another one; the wall clock ran out; a signal ended it, which the limits on CPU time send."""

_ENVIRONMENT: Final = {
    "LANG": "C.UTF-8",
    "PATH": "/usr/bin:/bin",
    "TZ": "UTC",
    # Libraries that take a thread a core would use up the processes.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


class Limits(Frozen):
    """What a program may take."""

    seconds: float = Field(default=60, gt=0)
    """By the clock, with the start."""
    cpu_seconds: int = Field(default=20, ge=1)
    """Of each process."""
    memory_bytes: int = Field(default=1 << 30, ge=1 << 26)
    """Address space of each process."""
    file_bytes: int = Field(default=1 << 25, ge=1)
    """Of each file it writes."""
    folder_bytes: int = Field(default=1 << 26, ge=1 << 16)
    """Of all files in its folder together; held where confined."""
    processes: int = Field(default=16, ge=2)
    """With threads, at once; held where confined."""
    open_files: int = Field(default=128, ge=8)
    output_bytes: int = Field(default=8192, ge=0)
    """The last so many of what it printed are kept."""


class Enforced(Frozen):
    """What held while a program ran."""

    limits: Limits
    confined: bool
    """No network; no other file than `sees` and its own folder; no other process; no new privileges."""
    sees: tuple[str, ...] = ()
    """Folders and files that it could read, and not write."""
    lacking: str = ""
    """Why it was not confined; then only `limits` held, less those that say so."""

    @property
    def told(self) -> str:
        """In a phrase."""
        return "confined" if self.confined else f"not confined ({self.lacking}): limits alone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What became of a program."""

    ended: Ended
    code: int
    """Its exit code; 128 and the number of the signal that ended it."""
    output: str
    """The end of what it printed, both streams."""
    enforced: Enforced
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Those that were wanted and that it left, by name; none that are empty."""

    @property
    def told(self) -> str:
        """How it ended, in a phrase."""
        if self.ended == "time":
            return f"not done in {self.enforced.limits.seconds:g} s"
        if self.ended == "killed":
            return f"ended by {signal.Signals(self.code - 128).name}"
        last = self.output.strip().rpartition("\n")[2]
        return "done" if self.ended == "done" else f"exit code {self.code}: {last[:200]}"


async def run_python(
    code: str,
    *,
    files: Mapping[str, bytes] | None = None,
    wanted: Sequence[str] = (),
    limits: Limits | None = None,
    allow_unconfined: bool = False,
) -> Ran:
    """Run a program with this interpreter and its packages, in a folder of its own that holds `files`.

    The folder is also its home; it inherits nothing: no environment, no open files, nothing to read from. Names of
    files are names without a folder. Cost: two starts of Python, about 0.1 s.

    Raises:
        EnvironmentFaultError: it cannot be confined here and `allow_unconfined` is not set, or cannot be started.
    """
    held = limits or Limits()
    with tempfile.TemporaryDirectory(prefix="ingrained-run-") as made:
        folder = Path(made)
        for name in ("work", "out"):
            (folder / name).mkdir()
        for name, data in {**(files or {}), PROGRAM: code.encode("utf-8", "replace")}.items():
            (folder / "work" / name).write_bytes(data)
        enforced = Enforced(limits=held, confined=True, sees=shows())
        status, output = await _launched(enforced, folder, wanted)
        if "failed" in status and allow_unconfined:
            enforced = Enforced(limits=held, confined=False, lacking=str(status["failed"]))
            status, output = await _launched(enforced, folder, wanted)
        if "failed" in status:
            raise EnvironmentFaultError(
                f"a generated program cannot be confined here: {status['failed']}",
                hint="allow user namespaces on this machine, or say allow_unconfined where the machine may be lost",
            )
        left = folder / ("out" if enforced.confined else "work")
        kept = {name: data for name in wanted if (data := _read(left / name, held.file_bytes))}
    ended, left_with = ("time", 128 + signal.SIGKILL) if "late" in status else _ended(int(status["code"]))
    return Ran(ended=ended, code=left_with, output=output, enforced=enforced, files=kept)


def shows() -> tuple[str, ...]:
    """What a confined program sees beside its own folder: this interpreter, its packages, the system's libraries."""
    wanted = sorted({os.path.realpath(sys.base_prefix), sys.base_prefix, sys.prefix, *confine.SHOWS})
    there = [Path(one) for one in wanted if Path(one).exists()]
    return tuple(str(one) for one in there if not any(other in one.parents for other in there))


def _ended(code: int) -> tuple[Ended, int]:
    signals = {one.value for one in signal.Signals}
    return ("done" if code == 0 else "killed" if code - 128 in signals else "failed"), code


async def _launched(enforced: Enforced, folder: Path, wanted: Sequence[str]) -> tuple[dict[str, int | str], str]:
    """`code`, why it `failed` to start or that it is `late`; and what the program printed."""
    asked = {
        "folder": str(folder),
        "confine": enforced.confined,
        "shows": enforced.sees,
        "wanted": list(wanted),
        "limits": enforced.limits.model_dump(),
        "argv": [sys.executable, "-I", "-B", "-X", "utf8", PROGRAM],
        "env": _ENVIRONMENT,
    }
    said = folder / "status.json"
    said.unlink(missing_ok=True)
    process = await anyio.open_process(
        [sys.executable, "-I", "-S", "-B", confine.__file__, json.dumps(asked)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=_ENVIRONMENT,
        start_new_session=True,
    )
    output = bytearray()
    try:
        with anyio.move_on_after(enforced.limits.seconds) as clock:
            await _kept(process, output, enforced.limits.output_bytes)
            await process.wait()
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        with anyio.CancelScope(shield=True):
            await process.aclose()
    printed = output.decode("utf-8", "replace")
    if clock.cancelled_caught:
        return {"late": ""}, printed
    if not said.exists():
        return {"failed": f"its launcher ended with {process.returncode}: {printed[-500:]}"}, printed
    return json.loads(said.read_text(encoding="utf-8")), printed


async def _kept(process: Process, output: bytearray, most: int) -> None:
    """The last bytes of what is printed; the rest is read and let go, so that nobody waits for a reader."""
    if process.stdout is None:
        return
    async for data in process.stdout:
        output += data
        del output[: max(0, len(output) - most)]


def _read(path: Path, most: int) -> bytes:
    """A regular file, cut; nothing for a link, a pipe or a folder."""
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return b""
    with open(opened, "rb") as file:  # noqa: PTH123
        return file.read(most) if stat.S_ISREG(os.fstat(opened).st_mode) else b""

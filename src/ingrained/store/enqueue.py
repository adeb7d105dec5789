"""The program that an agent runs after a turn: it appends one line to the queue in the home folder and ends.

It is run by its path (`python -I -S enqueue.py AGENT HOME`), so it imports nothing of ours and nothing but the standard
library. It prints nothing, starts nothing and leaves with 0 whatever happens: an agent that waits for it, or reads what
it says, must never notice it. What a line means is in `queue.py`, which takes the lines up again.
"""

from __future__ import annotations

# pathlib would be a third of the time that this takes.
# ruff: noqa: PTH118, PTH112, PTH116, PTH123, PTH105
import json
import os
import sys
import time

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

OWN_RUN = "INGRAINED_OWN_RUN"
"""Environment variable of every agent that we start ourselves; its turns are not a person's, and nothing is queued."""

QUEUE = "queue.jsonl"
"""The file that lines are appended to; `queue-*.jsonl` beside it were taken up or could not be appended."""

MOST_BYTES = 4 * 1024 * 1024
"""Size from which nothing more is queued: `learn` finds these logs without the queue too."""

_INPUT_BYTES = 1024 * 1024
_WAIT_S = 0.1
_HOOK = {"transcript": "transcript_path", "session": "session_id", "cwd": "cwd"}
_FIELDS = {"claude-code": _HOOK, "codex": {"session": "thread-id", "cwd": "cwd"}}
"""For each agent: our fields, and what they are called in what the agent says; Codex tells a hook the same as Claude
Code does. No words of the person are in them."""


def main(words: list[str]) -> None:
    """Queue what the agent says: `AGENT HOME`, and from Codex's notify its JSON as one more word (hooks use stdin)."""
    agent, home = words[0], words[1]
    if os.environ.get(OWN_RUN) or not os.path.isdir(home):
        return
    told = os.fsencode(words[2]) if len(words) > 2 else _stdin()
    line = _line(agent, json.loads(told[:_INPUT_BYTES].decode("utf-8", "replace")))
    if line:
        append(home, line)


def append(home: str, line: bytes) -> None:
    """Append a line that ends with a line feed, whole; where the queue is busy it becomes a file of its own.

    A line goes into the file that has the name after the lock was got, so none lands in one that was taken up.
    """
    path = os.path.join(home, QUEUE)
    until = time.monotonic() + _WAIT_S
    while fcntl is not None and time.monotonic() < until:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            if not _locked(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB):
                time.sleep(0.005)
            elif _is(path, descriptor):
                size = os.fstat(descriptor).st_size
                if size < MOST_BYTES and os.write(descriptor, line) < len(line):
                    os.ftruncate(descriptor, size)
                return
        finally:
            os.close(descriptor)
    _alone(home, line)


def _locked(descriptor: int, how: int) -> bool:
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, how)
    except OSError:
        return False
    return True


def _is(path: str, descriptor: int) -> bool:
    """Whether the path still names the open file."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except OSError:
        return False


def _alone(home: str, line: bytes) -> None:
    """One line as a file of its own, which gets its name when it is whole."""
    name = os.path.join(home, f"queue-{time.time_ns()}-{os.getpid()}")
    with open(name + ".new", "xb") as file:
        file.write(line)
    os.replace(name + ".new", name + ".jsonl")


def _stdin() -> bytes:
    """What stands on stdin, without waiting for an agent that never closes it."""
    if os.name == "nt":
        return sys.stdin.buffer.read(_INPUT_BYTES)
    import select

    found = b""
    nothing: list[int] = []
    until = time.monotonic() + _WAIT_S
    while len(found) < _INPUT_BYTES:
        ready, _, _ = select.select([0], nothing, nothing, max(0.0, until - time.monotonic()))
        piece = os.read(0, 65536) if ready else b""
        if not piece:
            break
        found += piece
    return found


def _line(agent: str, said: object) -> bytes:
    """The line for the queue; empty where there is nothing to find a log by."""
    if not isinstance(said, dict) or said.get("type", "agent-turn-complete") != "agent-turn-complete":
        return b""
    fields = _FIELDS[agent]
    found = {name: said.get(theirs) for name, theirs in (_HOOK if "session_id" in said else fields).items()}
    if agent == "codex":
        found["folder"] = os.environ.get("CODEX_HOME")
    entry = {name: value for name, value in found.items() if isinstance(value, str) and len(value) < 4096}
    if not entry.get("transcript") and not entry.get("session"):
        return b""
    line = json.dumps({"version": 1, "agent": agent, "time": round(time.time()), **entry}, separators=(",", ":"))
    return line.encode() + b"\n"


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except BaseException:  # noqa: BLE001, S110 - the agent must not notice anything, whatever it was
        pass
    finally:
        os._exit(0)

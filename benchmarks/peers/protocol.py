"""How `run.py` talks to a tool in its own environment: one JSON object a line, asked on stdin, answered on stdout.

Standard library only, since this file also runs inside the environments of the peers. Three things are asked:

    {"ask": "about"}                                  {"name", "version", "judges": {name: what it is}, "learns": what}
    {"ask": "judge", "as": NAME, "turns": [TURN]}     {"feedback": [bool], "transferable": [bool] or null}
    {"ask": "learn", "person": P, "session": PATH}    {"found": [FOUND]}: all that is known of P after this session

TURN has `text`, and `session`, `turn` and `root` to find it in its log. FOUND has `text`, `applied` (it would reach the
agent as things are) and `quotes`: triples of session id, record id and words, empty where the tool keeps no evidence.
`judges` may be empty. `transferable` is null where a tool has no such notion. A failure is answered as {"error": …}.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

Answer = dict[str, Any]


class PeerError(Exception):
    """A tool stopped or could not answer."""


def serve(handlers: Mapping[str, Callable[[Answer], Answer]]) -> None:
    """Answer until stdin ends. What a tool prints goes to stderr, so that it cannot spoil an answer."""
    out, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            answer = handlers[asked["ask"]](asked)
        except Exception as error:  # noqa: BLE001 - whatever a tool raises is an answer here, not an end
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer, ensure_ascii=True), file=out, flush=True)


def typed(path: str) -> list[tuple[str, str]]:
    """What was typed in a Claude Code log, each with the agent's last words before it."""
    found: list[tuple[str, str]] = []
    last = ""
    with Path(path).open("rb") as file:
        for line in file:
            row = json.loads(line)
            content = row.get("message", {}).get("content")
            if row.get("type") == "user" and isinstance(content, str):
                found.append((content, last))
            elif row.get("type") == "assistant":
                last = next((block["text"] for block in content if block["type"] == "text"), last)
    return found


class Peer:
    """One tool, running. `seconds` is the wall time of the last question."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self.command = list(command)
        self.seconds = 0.0
        self._errors = tempfile.TemporaryFile("w+b")  # noqa: SIM115 - closed by `__exit__`
        self._process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=dict(environment),
            encoding="utf-8",
        )

    def ask(self, what: str, **details: object) -> Answer:
        """One question.

        Raises:
            PeerError: it answered with an error, with something else, or not at all.
        """
        assert self._process.stdin
        assert self._process.stdout
        begun = time.perf_counter()
        try:
            self._process.stdin.write(json.dumps({"ask": what, **details}) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        self.seconds = time.perf_counter() - begun
        if not line:
            raise PeerError(f"{self.command} stopped while asked {what!r}; it wrote:\n{self._complaints()}")
        try:
            answer = json.loads(line)
        except ValueError as error:
            raise PeerError(f"{self.command} answered {what!r} with {line[:200]!r}, which is no JSON") from error
        if "error" in answer:
            raise PeerError(f"{self.command} failed at {what!r}: {answer['error']}\n{self._complaints()}")
        return answer

    def _complaints(self) -> str:
        self._errors.seek(0)
        return self._errors.read().decode("utf-8", "replace")[-2000:]

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin
        assert self._process.stdout
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._errors.close()

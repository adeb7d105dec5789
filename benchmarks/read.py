"""How fast session logs are read, in what memory, and what a second run costs.

The mix is that of measured logs: rows of 4 to 5 KB on average (170,415 records in a rollout of 732 MB), nearly as many
progress rows as assistant rows, tool results mostly of a few kilobytes with a long tail, images as base64, and now and
then a line of many megabytes; typed text is well under one per cent of the bytes.

Writes a folder of logs as agents leave them (tool output, base64 images, lines of many megabytes, progress rows, forks
that repeat their parents; Claude Code and Codex), reads it in a fresh process with the real redactor, and compares with
a plain read of the same bytes and with `json.loads` of every line. Much is read by as many processes as there are
cores, at most four: the CPU figures and the peak are those of all of them together.

    python benchmarks/read.py --gb 2
    python benchmarks/read.py --gb 0.02 --json
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

BLOCK = 1024 * 1024
HOOK = {
    "type": "hook_progress",
    "hookEvent": "PostToolUse",
    "hookName": "PostToolUse:Edit",
    "command": "python check.py",
}
FILE_MB = 48
WORDS = ("add", "the", "parser", "test", "when", "value", "is", "none", "return", "early", "import", "self", "path")
SAID = ("no, use pnpm here", "never edit generated files", "write the test first, always", "commit", "why is it slow?")


class Writer:
    """Writes one session's rows; the same seed gives the same bytes."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.session = self.id()
        self.parent = ""
        self.source = "\n".join(self.code_line() for _ in range(4000))
        self.image = base64.b64encode(self.random.randbytes(BLOCK)).decode()

    def code_line(self) -> str:
        """A line as tools print them: code, diffs, JSON, coloured output, a little that is not ASCII."""
        words = " ".join(self.random.choices(WORDS, k=self.random.randrange(2, 9)))
        indent = "\t" * self.random.randrange(4)
        shape = self.random.randrange(20)
        if shape < 12:
            return f'{indent}{self.random.choice(WORDS)} = call("{words}", {shape})'
        if shape < 15:
            return f"+{indent}{words}"
        if shape < 18:
            return f'{indent}{{"name": "{words}", "path": "src/{self.random.choice(WORDS)}.py", "ok": true}},'
        return f"\x1b[32m✓\x1b[0m {words} \x1b[2m({shape} ms)\x1b[22m"

    def id(self) -> str:
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    def piece(self, text: str, least: int, most: int) -> str:
        size = min(self.random.randrange(least, most), len(text))
        start = self.random.randrange(len(text) - size + 1)
        return text[start : start + size]

    def row(self, kind: str, **fields: object) -> bytes:
        id = self.id()
        row = {
            "parentUuid": self.parent or None,
            "isSidechain": False,
            "userType": "external",
            "cwd": "/home/dana/src/shop",
            "sessionId": self.session,
            "version": "2.1.40",
            "gitBranch": "main",
            **({} if kind == "assistant" else {"type": kind}),
            **fields,
            **({"type": kind} if kind == "assistant" else {}),
            "uuid": id,
            "timestamp": "2026-03-01T09:00:00.000Z",
        }
        self.parent = id
        return dump(row)

    def exchange(self) -> list[bytes]:
        """One tool call and its result, with what stands around it."""
        call = f"toolu_{self.id()}"
        tool_use = {"type": "tool_use", "id": call, "name": "Read", "input": {"file_path": "/home/dana/src/shop/a.py"}}
        rows = [self.assistant([tool_use])]
        kind = self.random.random()
        if kind < 0.004:
            image = self.piece(self.image, 60_000, 900_000)
            block = {"type": "image", "source": {"type": "base64", "data": image}}
            rows.append(self.result(call, [block], {"type": "image", "file": {"base64": image}}))
        elif kind < 0.25:
            rows.append(self.result(call, "The file a.py has been updated.", self.edited()))
        else:
            text = self.piece(self.source, 300, 30_000 if kind < 0.3 else 4_000)
            rows.append(self.result(call, text, {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}))
        hooks = self.random.randrange(3)
        rows.extend(self.row("progress", data=HOOK, toolUseID=call, parentToolUseID=call) for _ in range(hooks))
        if kind > 0.5:
            rows.append(self.assistant([{"type": "thinking", "thinking": self.piece(self.source, 200, 3000)}]))
        if kind > 0.7:
            rows.append(self.assistant([{"type": "text", "text": f"Done. {self.piece(self.source, 50, 600)}"}]))
        if kind > 0.99:
            rows.append(self.row("user", message={"role": "user", "content": self.random.choice(SAID)}, todos=[]))
        return rows

    def edited(self) -> dict[str, object]:
        """What an edit leaves beside its result: the file before it, and the patch line by line."""
        lines = self.piece(self.source, 300, 4_000).splitlines()
        hunk = {"oldStart": 1, "oldLines": len(lines), "newStart": 1, "newLines": len(lines), "lines": lines}
        before = self.piece(self.source, 500, 20_000)
        return {"filePath": "/home/dana/src/shop/a.py", "originalFile": before, "structuredPatch": [hunk]}

    def assistant(self, content: list[dict[str, object]]) -> bytes:
        usage = {
            "input_tokens": 5,
            "cache_creation_input_tokens": 1843,
            "cache_read_input_tokens": 61423,
            "output_tokens": 2,
        }
        usage |= {"cache_creation": {"ephemeral_5m_input_tokens": 1843, "ephemeral_1h_input_tokens": 0}}
        message = {"model": "claude-opus-4-6", "id": f"msg_{self.id()}", "type": "message", "role": "assistant"}
        message |= {"content": content, "stop_reason": None, "stop_sequence": None, "usage": usage}
        return self.row("assistant", message=message, requestId=f"req_{self.id()}", slug="snug-wandering-lake")

    def result(self, call: str, content: object, outcome: object) -> bytes:
        block = {"tool_use_id": call, "type": "tool_result", "content": content}
        return self.row("user", message={"role": "user", "content": [block]}, toolUseResult=outcome)

    def long_line(self) -> bytes:
        return self.result(f"toolu_{self.id()}", (self.source * 40)[: 12 * BLOCK], {"stdout": "x"})

    def rollout(self, size: int) -> list[bytes]:
        """A Codex thread of about `size` bytes."""
        rows = [event("session_meta", {"id": self.session, "cwd": "/home/dana/src/shop", "originator": "codex-tui"})]
        written = 0
        while written < size:
            if self.random.random() < 0.05:
                rows.append(event("event_msg", {"type": "user_message", "message": self.random.choice(SAID)}))
            rows += [
                event("response_item", {"type": "reasoning", "encrypted_content": self.piece(self.image, 1000, 9000)}),
                event("response_item", {"type": "function_call", "name": "shell", "arguments": '{"command":["ls"]}'}),
                event(
                    "response_item", {"type": "function_call_output", "output": self.piece(self.source, 300, 12_000)}
                ),
                event(
                    "event_msg",
                    {"type": "token_count", "info": {"total": {"input": 5, "cached": 61423}, "window": 272000}},
                ),
                event(
                    "turn_context", {"cwd": "/home/dana/src/shop", "model": "gpt-5", "approval_policy": "on-request"}
                ),
                event("event_msg", {"type": "agent_message", "message": "Done. " + self.piece(self.source, 50, 500)}),
            ]
            if self.random.random() < 0.01:
                rows.append(event("compacted", {"replacement_history": [self.source]}))
            written = sum(map(len, rows)) if len(rows) < 40 else written + sum(map(len, rows[-7:]))
        return rows


def dump(row: object) -> bytes:
    return json.dumps(row, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def event(kind: str, payload: dict[str, object]) -> bytes:
    return dump({"timestamp": "2026-03-01T09:00:00.000Z", "type": kind, "payload": payload})


def generate(root: Path, size: int) -> None:
    """Fill a folder with about `size` bytes of logs: a quarter Codex, a third of the rest forks."""
    per_file = min(FILE_MB * BLOCK, max(size // 8, BLOCK // 4))
    seed = written = 0
    while written < size:
        seed += 1
        writer = Writer(seed)
        if seed % 4 == 0:
            path = root / "sessions" / f"rollout-2026-03-01T09-00-00-{writer.session}.jsonl"
            written += save(path, writer.rollout(per_file))
            continue
        rows: list[bytes] = []
        total = 0
        while total < per_file:
            added = writer.exchange()
            if writer.random.random() < 0.0002 and per_file > 20 * BLOCK:
                added.append(writer.long_line())
            rows += added
            total += sum(map(len, added))
        written += save(root / "projects" / "-home-dana-src-shop" / f"{writer.session}.jsonl", rows)
        if seed % 2 == 1 and written < size:
            fork = writer.id()
            copied = [row.replace(writer.session.encode(), fork.encode(), 1) for row in rows]
            written += save(root / "projects" / "-home-dana-src-shop" / f"{fork}.jsonl", copied)


def save(path: Path, rows: list[bytes]) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.writelines(rows)
    return path.stat().st_size


def logs(root: Path) -> list[Path]:
    return sorted(root.rglob("*.jsonl"))


def read_plain(root: Path) -> dict[str, float]:
    for path in logs(root):
        with path.open("rb", buffering=0) as file:
            while file.read(BLOCK):
                pass
    return {}


def read_json(root: Path) -> dict[str, float]:
    rows = 0
    for path in logs(root):
        with path.open("rb") as file:
            for line in file:
                json.loads(line)
                rows += 1
    return {"rows": rows}


def read_ours(root: Path) -> dict[str, float]:
    """The first run, the second over the same files, and a third after one file has grown.

    The package is imported before the clock starts, and that time is reported beside; its worker processes start and
    import it on the clock.
    """
    begun = Clock.now()
    from ingrained.ids import PersonId
    from ingrained.learn.reading import ME, Roots, Trouble, read_all, sources
    from ingrained.session.redact import SecretRedactor
    from ingrained.session.session import Cursor

    imported = Clock.now() - begun
    redactor = SecretRedactor()
    cursors: dict[str, Cursor] = {}
    roots = Roots(places=((ME, root),))

    def cursor(_: PersonId, path: str) -> Cursor | None:
        return cursors.get(path)

    def run() -> tuple[int, int, int]:
        turns = read_files = 0
        seen: set[str] = set()
        for finding in read_all(sources(roots, (), Trouble()), roots, redactor, Trouble(), cursor=cursor):
            if (read := finding.read) is not None:
                read_files += 1
                turns += len(read.turns)
                seen.update(turn.key for turn in read.turns)
                cursors[read.path] = read.cursor
        return turns, len(seen), read_files

    turns, keys, _ = run()
    begun = Clock.now()
    _, _, again = run()
    second = Clock.now() - begun
    largest = max(logs(root), key=lambda path: path.stat().st_size)
    with largest.open("ab") as file:
        file.write(event("event_msg", {"type": "user_message", "message": "one more"}))
    begun = Clock.now()
    run()
    third = Clock.now() - begun
    apart = imported + second + third
    later = {"second_s": second.wall, "second_files": again, "grown_s": third.wall}
    counted = {"turns": turns, "messages": keys, "import_s": imported.wall, **later}
    return {**counted, "apart_wall_s": apart.wall, "apart_cpu_s": apart.cpu}


@dataclass(frozen=True, slots=True)
class Clock:
    """Seconds by the clock, and of CPU of this process and of the workers that it has waited for."""

    wall: float
    cpu: float

    @classmethod
    def now(cls) -> Clock:
        return cls(time.perf_counter(), cpu_s())

    def __sub__(self, other: Clock) -> Clock:
        return Clock(self.wall - other.wall, self.cpu - other.cpu)

    def __add__(self, other: Clock) -> Clock:
        return Clock(self.wall + other.wall, self.cpu + other.cpu)


PARTS: dict[str, Callable[[Path], dict[str, float]]] = {"plain": read_plain, "json": read_json, "ours": read_ours}


def measure(part: str, root: Path) -> dict[str, float]:
    """Run one part in a process of its own: its seconds, its peak memory and what it counted."""
    done = subprocess.run(
        [sys.executable, __file__, "--part", part, "--folder", str(root)], check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout)


def run_part(part: str, root: Path) -> None:
    begun = Clock.now()
    counted = PARTS[part](root)
    spent = Clock.now() - begun - Clock(counted.pop("apart_wall_s", 0.0), counted.pop("apart_cpu_s", 0.0))
    print(json.dumps({"wall_s": spent.wall, "cpu_s": spent.cpu, "peak_mb": peak_mb(), **counted}))


def cpu_s() -> float:
    """CPU seconds of this process and of the workers that it has waited for."""
    workers = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + workers.ru_utime + workers.ru_stime


def peak_mb() -> float:
    """Peak resident memory: of this process, and as much as the largest worker for each that there may be."""
    status = Path("/proc/self/status")
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if status.exists():  # `ru_maxrss` would count that of the parent before it started this one
        peak = next(line for line in status.read_text(encoding="utf-8").splitlines() if line.startswith("VmHWM"))
        own = int(peak.split()[1]) / 1024
    workers = min(4, os.cpu_count() or 1)
    return own + workers * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def report(root: Path) -> dict[str, object]:
    files = logs(root)
    size = sum(path.stat().st_size for path in files) / BLOCK
    read_plain(root)
    found = {part: measure(part, root) for part in PARTS}
    speed = {f"{part}_{clock}": size / found[part][f"{clock}_s"] for part in PARTS for clock in ("wall", "cpu")}
    ours = found["ours"]
    return {
        "files": len(files),
        "mb": round(size),
        **{f"{name}_mb_s": round(value) for name, value in speed.items()},
        "ours_to_plain_wall": round(speed["ours_wall"] / speed["plain_wall"], 3),
        "ours_to_json_wall": round(speed["ours_wall"] / speed["json_wall"], 2),
        "ours_to_json_cpu": round(speed["ours_cpu"] / speed["json_cpu"], 2),
        "peak_mb": round(ours["peak_mb"]),
        "import_s": round(ours["import_s"], 3),
        "second_run_s": round(ours["second_s"], 3),
        "second_run_files_read": int(ours["second_files"]),
        "one_file_grown_s": round(ours["grown_s"], 3),
        "turns": int(ours["turns"]),
        "messages": int(ours["messages"]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--gb", type=float, default=2.0, help="size of the generated folder (default: 2)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--part", choices=sorted(PARTS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        run_part(options.part, options.folder)
        return
    root = Path(tempfile.mkdtemp(prefix="ingrained-read-"))
    try:
        generate(root, int(options.gb * 1024 * BLOCK))
        found = report(root)
    finally:
        shutil.rmtree(root)
    if options.json:
        print(json.dumps(found))
    else:
        for name, value in found.items():
            print(f"{name:>24}  {value}")


if __name__ == "__main__":
    main()

"""Makes `src/ingrained/sample` from the full sessions: what a person typed and the act that each remark answers.

    python scripts/make_sample.py FOLDER

FOLDER holds `cipher-box` and `entireio-cli`, each with a LICENSE and a folder of JSONL files for each person. Which
rows a person typed is asked of the reader itself, and the clipped files are read back: they give the same turns (key,
text, form, act) or nothing is written. The same input gives the same bytes.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ingrained.session.provenance import INTERRUPTS, REFUSAL, is_machine_queued
from ingrained.session.read import read_file
from ingrained.session.readers.acts import call_input, last_sentence
from ingrained.session.session import Redaction, Turn

Row = dict[str, Any]

SAMPLE = Path(__file__).resolve().parent.parent / "src" / "ingrained" / "sample"
PEOPLE = {
    "cipher-box": {"dev-1": "cipher-box"},
    "entireio-cli": {f"dev-{number}": f"entire-{number}" for number in (1, 2, 3, 4)},
}
"""Repository, then folder of a person, then the person's name in the sample."""

PRINTED = "<local-command-stdout>"

SHORT = 300
"""Characters kept at most of an agent's text and of what a tool was called with."""

TAIL = 160
"""Characters kept of the end of an agent's text, where its last sentence fits into them."""

AGENT_KEYS = ("type", "uuid", "parentUuid", "sessionId", "timestamp", "operation", "attachment")
ROW_KEYS = (
    *AGENT_KEYS, "cwd", "gitBranch", "entrypoint", "promptId", "promptSource", "origin",
    "sourceToolAssistantUUID",
)  # fmt: skip


class Plain:
    """Redacts nothing: the source is already clean, and a marker would change the texts that are compared."""

    def redact(self, text: str) -> Redaction:
        """The text as it is."""
        return Redaction(text=text, counts={})


def turns(path: Path) -> list[Turn]:
    """The typed turns of one file."""
    found = read_file(path, cursor=None, redactor=Plain())
    return list(found.turns) if found is not None else []


def same(turn: Turn) -> tuple[object, ...]:
    """What must not change when a session is clipped."""
    return turn.key, turn.text, turn.form, turn.act, turn.time, turn.cwd, turn.branch


def blocks(row: Row) -> list[Row]:
    """The content blocks of a message, a plain text as one block."""
    content = row.get("message", {}).get("content", [])
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def short(text: str) -> str:
    """One line of at most `SHORT` characters."""
    line = " ".join(text.split())
    return line if len(line) <= SHORT else line[: SHORT - 1] + "…"


def end_of(text: str) -> str:
    """The end of an agent's text, with its last sentence whole where it fits."""
    sentence = last_sentence(text)
    tail = text if len(text) <= TAIL else "…" + text[-TAIL:].partition(" ")[2]
    return tail if last_sentence(tail) == sentence else short(sentence)


def summary(tool: str, arguments: Row) -> Row:
    """What a tool was called with: the one argument that says it, short; of questions their text."""
    if tool == "AskUserQuestion":
        return {"questions": [{"question": question["question"]} for question in arguments["questions"]]}
    for key, value in arguments.items():
        if isinstance(value, str) and value and call_input(tool, {key: value}) == call_input(tool, arguments):
            return {key: short(value)}
    return {key: value[:SHORT] if isinstance(value, str) else value for key, value in arguments.items()}


def is_refusal(row: Row) -> bool:
    """Whether a row holds a refused call, with words or without."""
    return any(str(block.get("content", "")).startswith(REFUSAL) for block in blocks(row))


def kept_lines(rows: list[Row], typed: set[int]) -> dict[int, list[int]]:
    """The rows to keep, by 1-based line: the person's, and before each the agent's last act.

    The value names the lines whose blocks the row holds: the agent's last words and last call become one row, in the
    order in which they were.
    """
    kept: dict[int, list[int]] = {}
    calls: dict[str, int] = {}
    uuids: set[object] = set()
    said = done = began = 0
    answered = False
    for number, row in enumerate(rows, start=1):
        kind = row.get("type")
        if kind == "assistant" and not row.get("isSidechain"):
            if answered:
                said, done, began, answered = 0, 0, number, False
            for block in blocks(row):
                if block["type"] == "tool_use":
                    done = calls[block["id"]] = number
                elif block["type"] == "text" and last_sentence(block["text"]):
                    said = number
        elif number in typed or is_kept(row) or (is_printed(row) and row.get("parentUuid") in uuids):
            act = sorted({said, done} - {0}) or [began]
            answered_calls = [calls.get(block.get("tool_use_id", ""), 0) for block in blocks(row)]
            for lines in (*([line] for line in answered_calls if line not in act), act):
                if lines[-1]:
                    kept.setdefault(lines[-1], lines)
            kept[number] = [number]
            uuids.add(row.get("uuid"))
            answered = answered or kind == "user"
    return kept


def is_kept(row: Row) -> bool:
    """Rows that are no turn of their own and that the reader needs to tell what is one."""
    if row.get("type") == "queue-operation":
        text = row.get("content", "")
        return row["operation"] in {"popAll", "remove"} or (bool(text) and not is_machine_queued(str(text)))
    if row.get("type") != "user" or row.get("isMeta") or row.get("isSidechain"):
        return False
    return is_refusal(row) or any(block.get("text", "").strip() in INTERRUPTS for block in blocks(row))


def is_printed(row: Row) -> bool:
    """Whether a row holds what a command printed.

    It is kept where the command is: without it, the next message would stand directly below the command, which is
    where the reader expects the command's own text.
    """
    return row.get("type") == "user" and any(block.get("text", "").startswith(PRINTED) for block in blocks(row))


def clipped(row: Row) -> Row:
    """One row with what its turn needs and nothing else."""
    keys = ROW_KEYS if row["type"] == "user" else AGENT_KEYS
    small = {key: row[key] for key in keys if row.get(key) not in (None, "")}
    if row["type"] == "queue-operation":
        return small | ({"content": row["content"]} if "content" in row else {})
    if row["type"] == "attachment":
        return small
    if is_refusal(row) and isinstance(row.get("toolUseResult"), str):
        small["toolUseResult"] = row["toolUseResult"].partition("\n")[0]
    content = row["message"]["content"]
    if isinstance(content, str):
        content = f"{PRINTED}{PRINTED.replace('<', '</')}" if content.startswith(PRINTED) else content
    else:
        content = [block for block in map(clipped_block, content) if block is not None]
    return small | {"message": {"role": row["message"]["role"], "content": content}}


def clipped_block(block: Row) -> Row | None:
    """One block of a message; `None` for images and thinking."""
    match block["type"]:
        case "text":
            return {"type": "text", "text": block["text"]}
        case "tool_use":
            arguments = summary(block["name"], block["input"])
            return {"type": "tool_use", "id": block["id"], "name": block["name"], "input": arguments}
        case "tool_result":
            content = block.get("content", "")
            words = content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
            answer = words.startswith((REFUSAL, "User has answered", "Your questions have been answered"))
            small = {"type": "tool_result", "tool_use_id": block["tool_use_id"], "content": words if answer else ""}
            return small | ({"is_error": True} if block.get("is_error") else {})
        case _:
            return None


def clip(path: Path) -> Iterator[str]:
    """The lines of the clipped session."""
    rows = [json.loads(line) for line in path.read_bytes().split(b"\n") if line.strip()]
    kept = kept_lines(rows, {turn.line for turn in turns(path)})
    parents = {row["uuid"]: row.get("parentUuid") for row in rows if row.get("uuid")}
    present = {rows[number - 1].get("uuid") for number in kept}
    place: Row = {}
    for number, lines in sorted(kept.items()):
        row = clipped(rows[number - 1])
        parent = row.get("parentUuid")
        while parent is not None and parent not in present:
            parent = parents.get(parent)
        if "parentUuid" in row:
            row["parentUuid"] = parent
        here = {key: rows[number - 1][key] for key in ("cwd", "gitBranch") if key in rows[number - 1]}
        if row["type"] == "assistant":
            row |= here if here != place else {}
            row["message"]["content"] = [
                block | {"text": end_of(block["text"])} if block["type"] == "text" else block
                for line in lines
                for block in clipped(rows[line - 1])["message"]["content"]
            ]
        place = here or place
        yield json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n"


def make(source: Path, target: Path) -> None:
    """Write the sample of `source` into the folder `target` and compare the turns.

    Raises:
        ValueError: a clipped session does not give the turns of the whole one.
    """
    for repository, people in PEOPLE.items():
        shutil.copyfile(source / repository / "LICENSE", target / f"LICENSE-{repository}")
        for folder, person in people.items():
            (target / person).mkdir()
            count = size = 0
            for path in sorted((source / repository / folder).glob("*.jsonl")):
                small = target / person / path.name
                small.write_text("".join(clip(path)), encoding="utf-8", newline="\n")
                before, after = turns(path), turns(small)
                if [same(turn) for turn in before] != [same(turn) for turn in after]:
                    lost = {same(turn) for turn in before} ^ {same(turn) for turn in after}
                    raise ValueError(f"{path.name}: {len(before)} turns became {len(after)}; differing: {lost}")
                if not after:
                    small.unlink()
                    continue
                count, size = count + len(after), size + small.stat().st_size
            sessions = len(list((target / person).iterdir()))
            print(f"{person}: {sessions} sessions, {count} turns, {size} bytes")


def main() -> int:
    """Make the sample in a temporary folder, then put each part in its place; what else lies there stays."""
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as temporary:
        new = Path(temporary)
        make(Path(sys.argv[1]), new)
        for made in sorted(new.iterdir()):
            place = SAMPLE / made.name
            if made.is_dir():
                shutil.rmtree(place, ignore_errors=True)
                shutil.copytree(made, place)
            else:
                shutil.copyfile(made, place)
    total = sum(path.stat().st_size for path in SAMPLE.rglob("*") if path.is_file())
    print(f"in all: {total} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""OpenCode: the database `opencode.db`, the JSON files before it, and what `opencode export` prints.

All three hold the same records: a session's info, its messages' infos, and each message's parts. A person's words are
the text parts of a user's message that are not `synthetic`. The decision to know: the key of a message is the time at
which it was made, to the millisecond, and its words, since a fork copies both under new ids; so files that stay behind
after the move to the database, and exports, repeat keys and count once.

Sessions with a parent are sub-agents'. What a person took back with undo (`revert`) does not count.

What cannot be known: a prompt that a script passed to `opencode run` is logged like a typed one; a custom command
stands as its expanded template.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from ingrained.ids import MessageKey, message_key
from ingrained.session.jsonl import Row, mapping, objects, string
from ingrained.session.readers.base import Found, text_hash
from ingrained.session.readers.database import MAGIC, logs_of
from ingrained.session.readers.dialogue import Dialogue
from ingrained.session.readers.opencode_store import Message, Source, exported, filed, stored

FORMAT = "opencode"

_SESSION = re.compile(rb'\s*\{\s*"id"\s*:\s*"ses_')
_EXPORT = re.compile(rb'\s*\{\s*"info"\s*:\s*\{\s*"id"\s*:\s*"ses_')
_DATABASE = re.compile(r"opencode(?:-[\w.-]+)?\.db")
_TABLES = tuple(b"CREATE TABLE `" + name + b"`" for name in (b"session", b"message", b"part"))
_REJECTED = re.compile(
    r"\s*The user rejected permission(?: to use this specific tool call)?(?: with (?:the following )?feedback:(.*))?",
    re.DOTALL,
)
_QUIET = frozenset({"file", "agent", "subtask", "compaction"})


class OpenCode:
    """The reader of OpenCode's sessions, wherever they stand."""

    name = FORMAT
    version = 1

    def matches(self, head: bytes, path: Path) -> bool:
        """A database by its name or the tables in its first pages, a document by the keys that open it."""
        if head.startswith(MAGIC):
            return _DATABASE.fullmatch(path.name) is not None or all(table in head for table in _TABLES)
        head = head.removeprefix(b"\xef\xbb\xbf")
        if _EXPORT.match(head) is not None:
            return True
        return _SESSION.match(head) is not None and b'"projectID"' in head and b'"directory"' in head

    def read_store(self, path: Path, found: Found) -> None:
        """Put the turns of every session in the file into `found`."""
        with path.open("rb") as file:
            start = file.read(len(MAGIC))
            file.seek(0)
            head = file.read(4096)
        if start == MAGIC:
            _tell(found, stored(path, found))
        elif _EXPORT.match(head) is not None:
            _tell(found, exported(path, found.tally))
        else:
            _tell(found, filed(path, found.tally))

    def beside(self, path: Path) -> Iterable[Path]:
        """The database's log; of a session's file the folder of its messages, which changes with each."""
        if path.suffix == ".json":
            return (path.parent.parent.parent / "message" / path.stem,)
        return logs_of(path)


def _tell(found: Found, sessions: Iterable[Source]) -> None:
    seen: set[MessageKey] = set()
    line = 0
    for source in sessions:
        reading = _Session(found, source.info, seen)
        for message in source.messages:
            line += 1
            reading.message(line, message)


class _Session:
    """One session, message by message."""

    def __init__(self, found: Found, info: Row, seen: set[MessageKey]) -> None:
        self.found = found
        self.id = string(info, "id")
        self.reverted = string(mapping(info, "revert"), "messageID")
        self.dialogue = Dialogue(
            found,
            tool=FORMAT,
            session=self.id,
            cwd=string(info, "directory"),
            sidechain=bool(string(info, "parentID")),
            seen=seen,
        )
        self.dialogue.at(mapping(info, "time").get("created"))

    def message(self, line: int, message: Message) -> None:
        """Take in one message."""
        role, id = string(message.info, "role"), string(message.info, "id")
        if self.reverted and id >= self.reverted:
            return
        if role == "user":
            self._user(line, id, message)
        elif role == "assistant":
            self._assistant(line, message)
        else:
            self.found.not_known(f"message of {role or 'nobody'}")

    def _user(self, line: int, id: str, message: Message) -> None:
        time = mapping(message.info, "time").get("created")
        texts: list[str] = []
        for part in message.parts:
            kind = string(part, "type")
            if kind == "text":
                if part.get("synthetic") is not True and part.get("ignored") is not True:
                    texts.append(string(part, "text"))
            elif kind not in _QUIET:
                self.found.not_known(f"part {kind}")
        self.dialogue.typed(_key(time, id, texts), texts, line=line, record=id, time=time)

    def _assistant(self, line: int, message: Message) -> None:
        if self.dialogue.sidechain:
            return
        self.dialogue.at(mapping(message.info, "time").get("created"))
        for part in message.parts:
            if part.get("type") == "text" and part.get("synthetic") is not True:
                self.dialogue.says(string(part, "text"))
            elif part.get("type") == "tool":
                self._tool(line, string(part, "id") or string(message.info, "id"), part)
        if mapping(message.info, "error").get("name") == "MessageAbortedError":
            self.dialogue.after_interrupt = True

    def _tool(self, line: int, record: str, part: Row) -> None:
        state = mapping(part, "state")
        tool = string(part, "tool")
        self.dialogue.calls(tool, state.get("input"))
        time = mapping(state, "time").get("end")
        error = string(state, "error") if state.get("status") == "error" else ""
        if match := _REJECTED.match(error):
            self.found.refusals += 1
            words = (match.group(1) or "").strip()
            self.dialogue.typed(
                _key(time, record, [words]), [words], line=line, record=record, time=time, form="refusal"
            )
        elif tool == "question" and (words := _answered(state)):
            self.dialogue.typed(
                _key(time, record, [words]), [words], line=line, record=record, time=time, form="answer"
            )


def _key(time: object, id: str, texts: list[str]) -> MessageKey:
    made = time if isinstance(time, int | float) and not isinstance(time, bool) else id
    return message_key(FORMAT, str(made), text_hash("\n\n".join(texts)))


def _answered(state: Row) -> str:
    """What a person typed as an answer to the agent's questions; a click on an offered one is no typed word."""
    offered = {
        string(option, "label")
        for question in objects(mapping(state, "input").get("questions"))
        for option in objects(question.get("options"))
    }
    answers = mapping(state, "metadata").get("answers")
    given = (
        [one for answer in answers if isinstance(answer, list) for one in answer] if isinstance(answers, list) else []
    )
    return "\n".join(text for text in given if isinstance(text, str) and text and text not in offered)

"""Aider's chat history (`.aider.chat.history.md` at the root of a repository): every run of a project in one file.

`# aider chat started at …` opens a run, which is a session here. What the person typed stands in lines that begin with
`#### ` and end with two blanks, as does what the program itself sent in their name: errors to fix, the output of a
command, documents for `/help`, and the words of `/ask` a second time. The decision to know: headings of the model look
the same but for the two blanks, so these decide, not the code fences around, which are unbalanced; where an editor
trimmed them, `aider_marks` puts them back first. After `/undo` a turn counts as one after an interrupt.

What cannot be known: the time of a turn (that of its run stands for it; it is local and has no zone), the branch, and
whether a script started a run, but for `--message`, which is set aside as `aider-message` where its words say so.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from ingrained.ids import message_key, normal_text
from ingrained.session.jsonl import timestamp
from ingrained.session.readers.acts import last_sentence
from ingrained.session.readers.aider_marks import restore
from ingrained.session.readers.base import Found, SafeAct, text_hash
from ingrained.session.readers.text import text_lines
from ingrained.session.session import Form

FORMAT = "aider"
NAME = ".aider.chat.history.md"
SCRIPT = "aider-message"
"""Front end of a run that got its prompt on the command line."""

_RUN = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*")
_RUN_IN_HEAD = re.compile(rb"^# aider chat started at \d{4}-\d\d-\d\d ", re.MULTILINE)
_MINE, _TOOL, _END = "####", "> ", "  "
_COMMAND = re.compile(r"/([a-z][a-z-]*)(?:\s+(.*))?\Z", re.DOTALL)
_SAYING = frozenset({"ask", "code", "architect", "context"})
"""Commands whose arguments are words to the model; those of the others are files, models and shell lines."""
_MACHINE = (
    "# Fix any errors below",
    "# Question:",
    "I ran this command:",
    'Find the "AI" comments below',
    "I added these files to the chat:",
    "I did `git reset --hard",
)
_ANY = "*"
"""A prompt out of a file, which may be any."""
_BLANK = "<blank>"
"""How an empty line is noted."""
_CALLED = re.compile(r"> \S*aider(?:\.exe|\.py)?(?= )(?:.*?) (?:(--message-file|-f)|--message|--msg|-m)[= ](.*?)\s*\Z")
_TOLD = re.compile(r"\(y/n/instructions\) (?!(?:y|n|yes|no)?\s*\Z)(.+?)\s*\Z", re.IGNORECASE)
_ACTS = (
    ("edit", re.compile(r"> Applied edit to (.+?)\s*\Z")),
    ("commit", re.compile(r"> Commit ([0-9a-f]{7,} .+?)\s*\Z")),
    ("run", re.compile(r"> Running (.+?)\s*\Z")),
)


class Aider:
    """The reader of Aider's chat histories."""

    name = FORMAT
    version = 2

    def matches(self, head: bytes, path: Path) -> bool:
        """By the line that opens a run, or by the file's own name; the first run may be long."""
        return path.suffix == ".md" and (path.name == NAME or _RUN_IN_HEAD.search(head) is not None)

    def read_store(self, path: Path, found: Found) -> None:
        """Put the turns of one file into `found`."""
        reading = _Reading(found)
        reading.read(restore(text_lines(path, found.tally)))

    def beside(self, _path: Path) -> tuple[Path, ...]:
        """No other file holds a part of it."""
        return ()


class _Reading:
    """One pass over one file."""

    def __init__(self, found: Found) -> None:
        path = Path(found.path)
        self.found = found
        self.cwd = path.parent.as_posix() if path.name == NAME else ""
        self.runs: Counter[str] = Counter()
        self.started = ""
        self.session = ""
        self.is_script = False
        self.script = ""
        """The prompt on the run's command line, with what follows it there; gone with the first turn."""
        self.said: Counter[str] = Counter()
        self.reply: list[str] = []
        self.act = SafeAct()
        self.asked = ""
        self.undone = False

    def read(self, lines: list[str]) -> None:
        """Take in every line."""
        at = 0
        while at < len(lines):
            line = lines[at]
            if run := _RUN.fullmatch(line):
                self._run(run[1])
            elif _is_mine(line):
                end = at + 1
                while end < len(lines) and _is_mine(lines[end]):
                    end += 1
                words = "\n".join(mine[len(_MINE) + 1 :].rstrip() for mine in lines[at:end])
                self._mine(at + 1, words.strip("\n").rstrip())
                at = end
                continue
            elif told := _TOLD.match(line):
                self._turn(at + 1, told[1], "answer")
            elif line.startswith(_TOOL) and line.endswith(_END):
                self._tool(line)
            else:
                self.reply.append(line)
            at += 1

    def _run(self, started: str) -> None:
        self.runs[started] += 1
        nth = self.runs[started]
        self.started = started
        self.session = started if nth == 1 else f"{started} ({nth})"
        self.script = self.asked = ""
        self.is_script = False
        self.said = Counter()
        self.reply = []
        self.act = SafeAct()
        self.undone = False
        self._facts()

    def _facts(self) -> None:
        facts = self.found.session(FORMAT, self.session)
        facts.started = facts.ended = self.started
        facts.cwd = self.cwd
        facts.entrypoint = SCRIPT if self.is_script else ""

    def _tool(self, line: str) -> None:
        """A line of the program itself."""
        if (called := _CALLED.match(line)) and not self.is_script:
            self.is_script = True
            self.script = _ANY if called[1] else normal_text(called[2])
        for tool, pattern in _ACTS:
            if match := pattern.match(line):
                act = self.found.act(tool=tool, input=match[1])
                self.act = self.act.model_copy(update={"tool": act.tool, "input": act.input})

    def _mine(self, line: int, text: str) -> None:
        """What stands in the person's name from a line on."""
        asked, self.asked = self.asked, ""
        bare = text.strip()
        command = _COMMAND.match(bare)
        if bare.startswith(_MACHINE) or (asked and normal_text(bare) == asked):
            self.found.by_tag += 1
        elif command is None and not bare.startswith("!") and bare != _BLANK:
            self._turn(line, bare, "typed")
        elif command is not None and command[1] in _SAYING:
            self.asked = normal_text(command[2] or "")
            self._turn(line, (command[2] or "").strip(), "typed")
        elif command is not None and command[1] == "undo":
            self.undone = True

    def _turn(self, line: int, text: str, form: Form) -> None:
        if not text:
            return
        if self.reply:
            said = self.found.act(said=last_sentence(_prose(self.reply)))
            self.act = self.act.model_copy(update={"said": said.said})
            self.reply = []
        hashed = text_hash(text)
        if not self.session:
            self.session = hashed
        self._facts()
        self.said[hashed] += 1
        facts = self.found.session(FORMAT, self.session)
        script, self.script = self.script, ""
        script = SCRIPT if script == _ANY or (script and script.startswith(normal_text(text))) else ""
        if reason := self.found.reason(facts, text=text, cwd=self.cwd, entrypoint=script, sidechain=False):
            self.found.aside(FORMAT, self.session, reason)
            return
        undone, self.undone = self.undone, False
        self.found.turn(
            key=message_key(FORMAT, self.session, hashed, self.said[hashed]),
            tool=FORMAT,
            session=self.session,
            record="",
            line=line,
            text=self.found.safe(text),
            form=form,
            time=timestamp(self.started),
            cwd=self.cwd,
            branch="",
            act=self.act,
            after_interrupt=undone,
        )


def _is_mine(line: str) -> bool:
    """Whether a line stands in the person's name: a heading of the fourth level that ends in two blanks."""
    return line.startswith(_MINE + " ") and line.endswith(_END)


def _prose(lines: list[str]) -> str:
    """What the model said outside code, where the fences are balanced."""
    fences = [at for at, line in enumerate(lines) if line.lstrip().startswith("```")]
    if len(fences) % 2:
        return "\n".join(lines)
    inside = {at for first, last in zip(fences[::2], fences[1::2], strict=True) for at in range(first, last + 1)}
    return "\n".join(line for at, line in enumerate(lines) if at not in inside)

"""The two blanks at the end of Aider's own lines, put back where an editor or a formatter took them away.

The program ends each line of a prompt and of its own talk with two blanks; `trim_trailing_whitespace` and its like
remove them from all that a file holds at that moment, and the program goes on below with blanks. The decision to know:
within a run, what stands before the first line that has its blanks was trimmed, and there the order in which the
program writes decides: a prompt follows the head of a run, the program's own lines, a command without an answer, or two
empty lines after an answer, and an empty line or the program's own lines follow it. A heading that a model writes in
its answer stands after the model's own words and one empty line. Where both fit, the line is left to the model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingrained.ids import normal_text

_RUN = re.compile(r"# aider chat started at \d{4}-\d\d-\d\d ")
_MINE, _TOOL, _END, _FENCE = "####", ">", "  ", "```"
_NO_ANSWER = re.compile(r"!|<blank>|/(?!(?:ask|code|architect|context|help)\b)[a-z]")
"""Prompts after which no model speaks."""
_SPOKEN = re.compile(r"/(?:ask|code|architect|context)\s+")
_OVER = re.compile(
    r"> (?:Tokens: |Cost: |\^C|.*(?:[Ee]rror|[Ee]xception)\b)|Cost: \$|\(y/n/instructions\)", re.IGNORECASE
)
"""Lines of the program after which a turn of the model is over, or never came."""
_TALK = re.compile(
    r"> (?:Tokens: |Cost: |\^C|Applied edit to |Commit(?:ting)? |Add(?:ed)? |Running |Run |Removed |Dropp(?:ed|ing) "
    r"|Creat(?:ed?|ing) |Allow |Did not apply |The LLM |Unexpected error|litellm\.|Aider v|Git repo: |Repo-map: "
    r"|Model: |Main model: |Use /help|You can use /|https?://|\S*aider(?:\.exe|\.py)?(?: |$)"
    r"|.*(?:\(y/n|\(Y\)es/|\[Yes\]|\[No\]))"
)
"""How the program's own lines begin; a quotation in an answer has the same `> ` before it."""


def restore(lines: list[str]) -> list[str]:
    """The lines of a history with the blanks that were trimmed.

    Nothing changes in a run whose lines have them. A file that begins within a run counts as trimmed there only where
    no line of that run has them.
    """
    restored = list(lines)
    for first, last in _runs(lines):
        marked = next((at for at in range(first, last) if _is_marked(lines[at])), last)
        if marked == last or _RUN.match(lines[first]):
            for at in _Trimmed(lines, first, marked).own():
                restored[at] = lines[at].rstrip() + (" " if lines[at].rstrip() == _MINE else "") + _END
    return restored


def _runs(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Where each run begins and ends."""
    first = 0
    for at, line in enumerate(lines):
        if at > first and _RUN.match(line):
            yield first, at
            first = at
    yield first, len(lines)


def _is_marked(line: str) -> bool:
    return line.startswith((_MINE + " ", _TOOL + " ")) and line.endswith(_END)


def _is_mine(line: str) -> bool:
    """Whether a line may be one of a prompt; an empty one is left with the bare mark."""
    return line.startswith(_MINE + " ") or line.rstrip() == _MINE


class _Trimmed:
    """The trimmed lines of one run, read in their order."""

    def __init__(self, lines: list[str], first: int, last: int) -> None:
        self.lines = lines
        self.at = first
        self.last = last
        self.before = "run"
        """What stood before, empty lines apart: the head of a `run`, a `mine`, a `tool` line, or the `model`."""
        self.empty = 0
        self.asked = ""
        """The prompt to which the model has not answered."""
        self.in_code = False

    def own(self) -> Iterator[int]:
        """Numbers of the lines that the program ended with blanks."""
        while self.at < self.last:
            line = self.lines[self.at].rstrip()
            if not line:
                self.empty += 1
                self.at += 1
                continue
            if _is_mine(line) and self._is_prompt(end := self._end(), words := self._words(end)):
                yield from range(self.at, end)
                self.before, self.in_code = "mine", False
                self.asked = "" if _NO_ANSWER.match(words) else words
                self.at = end
            else:
                if self._is_talk(line):
                    yield self.at
                self._step(line)
                self.at += 1
            self.empty = 0

    def _step(self, line: str) -> None:
        """One line of the program or of the model."""
        if _OVER.match(line):
            self.asked = ""
            self.before = "tool"
        elif self._is_talk(line):
            self.before = "tool"
        elif not _RUN.match(line):
            self.before, self.asked = "model", ""
            self.in_code ^= line.lstrip().startswith(_FENCE)

    def _is_talk(self, line: str) -> bool:
        """Whether the program said a line: right under a prompt or another line of its own, or by how it begins."""
        if not line.startswith(_TOOL):
            return False
        return self.before == "run" or (self.before != "model" and not self.empty) or _TALK.match(line) is not None

    def _is_prompt(self, end: int, words: str) -> bool:
        """Whether the lines up to `end` stand where the program writes a prompt."""
        after = self.lines[end].rstrip() if end < len(self.lines) else ""
        if after and not after.startswith(_TOOL):
            return False
        if self.before == "model":
            return self.empty >= 2 and (not self.in_code or _NO_ANSWER.match(words) is not None)
        if self.before == "run":
            return True
        if not self.empty:
            return False
        # After words to the model comes its answer, which may begin with a heading.
        again = normal_text(_SPOKEN.sub("", self.asked)) == normal_text(words)
        return not self.asked or again or _NO_ANSWER.match(words) is not None

    def _end(self) -> int:
        """Where the prompt ends that begins here."""
        end = self.at + 1
        while end < self.last and _is_mine(self.lines[end]):
            end += 1
        return end

    def _words(self, end: int) -> str:
        return "\n".join(line[len(_MINE) + 1 :].rstrip() for line in self.lines[self.at : end]).strip()

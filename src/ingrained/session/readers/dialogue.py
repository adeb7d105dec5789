"""One session, message by message: what the agent did last, and what the person typed next.

For formats that say of each message who wrote it. The decision to know: a key counts once in a file, and white space
or a lone slash command is no message.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from ingrained.ids import MessageKey
from ingrained.session.jsonl import timestamp
from ingrained.session.provenance import Cleaned, clean
from ingrained.session.readers.acts import call_input, last_sentence
from ingrained.session.readers.base import Found, SafeAct
from ingrained.session.session import Form

_BARE_COMMAND = re.compile(r"/[A-Za-z][\w:-]*")


class Dialogue:
    """The messages of one session in their order."""

    def __init__(
        self,
        found: Found,
        *,
        tool: str,
        session: str,
        cwd: str = "",
        sidechain: bool = False,
        seen: set[MessageKey] | None = None,
    ) -> None:
        """Nothing was said yet.

        Args:
            found: takes the turns.
            tool: the log format.
            session: its id.
            cwd: the folder that it works in.
            sidechain: an agent wrote the prompts.
            seen: keys that were counted; shared by the sessions of a file that repeats messages.
        """
        self.found = found
        self.tool = tool
        self.session = session
        self.cwd = cwd
        self.sidechain = sidechain
        self.after_interrupt = False
        self._seen = set[MessageKey]() if seen is None else seen
        self._tool = self._input = self._said = ""
        self._answered = False

    def at(self, time: object, cwd: str = "") -> datetime | None:
        """Remember a time of the session, and where it works; gives the time."""
        known = self.found.session(self.tool, self.session)
        self.cwd = cwd or self.cwd
        known.cwd = known.cwd or self.cwd
        moment = timestamp(time)
        if moment is not None:
            known.started = known.started or moment.isoformat()
            known.ended = moment.isoformat()
        return moment

    def says(self, text: str) -> None:
        """The agent said something."""
        self._acts()
        self._said = last_sentence(text) or self._said

    def calls(self, tool: str, arguments: object) -> None:
        """The agent called a tool."""
        self._acts()
        self._tool, self._input = tool, call_input(tool, arguments)

    def _acts(self) -> None:
        if self._answered:
            self._tool = self._input = self._said = ""
            self._answered = False
        self.after_interrupt = False

    def typed(
        self,
        key: MessageKey,
        texts: Iterable[str],
        *,
        line: int,
        record: str = "",
        time: object = None,
        form: Form = "typed",
        sidechain: bool = False,
    ) -> None:
        """The person sent text blocks, or what passes every field test for that.

        Args:
            key: identity of the message.
            texts: its blocks as logged.
            line: number of the message in the file.
            record: its id.
            time: when it was sent, as logged.
            form: how the words came in.
            sidechain: an agent wrote this message, whoever wrote the others.
        """
        moment = self.at(time)
        blocks = [clean(text) for text in texts]
        words = "\n\n".join(block.text for block in blocks if block.text)
        self.found.by_tag += sum(_is_tag_alone(block) for block in blocks)
        if any(block.kind == "interrupt" for block in blocks):
            self.after_interrupt = True
        if not words or key in self._seen or _BARE_COMMAND.fullmatch(words):
            return
        self._seen.add(key)
        reason = self.found.reason(
            self.found.session(self.tool, self.session),
            text=words,
            cwd=self.cwd,
            entrypoint="",
            sidechain=self.sidechain or sidechain,
        )
        if reason is not None:
            self.found.aside(self.tool, self.session, reason)
            return
        self.found.turn(
            key=key,
            tool=self.tool,
            session=self.session,
            record=record,
            line=line,
            text=self.found.safe(words),
            form=form,
            time=moment,
            cwd=self.cwd,
            branch="",
            act=self.act(),
            after_interrupt=self.after_interrupt,
            by_tag=any(block.by_tag for block in blocks),
        )
        self.after_interrupt = False
        self._answered = True

    def act(self) -> SafeAct:
        """The agent's last act, which stays until the agent acts again."""
        return self.found.act(tool=self._tool, input=self._input, said=self._said)


def _is_tag_alone(block: Cleaned) -> bool:
    return block.by_tag and not block.text

"""The queue of messages that a person types while Claude Code works.

A message is one turn whichever way its records go: delivered (`remove`), sent as a row or an attachment of its own, or
still waiting when the log ends. What is taken back (`popAll`) is none, unless a run ended before that.
"""

from __future__ import annotations

from collections.abc import Callable

from pydantic import Field

from ingrained.session.readers.base import Safe, SafeAct, State
from ingrained.session.session import Form


class Queued(State):
    """A message in the queue."""

    hash: str
    key: str
    session: str
    line: int
    text: Safe
    form: Form
    time: str
    cwd: str
    branch: str
    act: SafeAct
    counted: bool = False
    """It became a turn when an earlier run ended."""


class QueueState(State):
    """What has to be known of the queue in the next run."""

    waiting: list[Queued] = Field(default_factory=list)
    times: dict[str, int] = Field(default_factory=dict)
    """How often a text was queued, by hash."""
    delivered: list[tuple[str, str]] = Field(default_factory=list)
    """Session and hash of texts just delivered, whose rows may follow."""


class Queue:
    """Follows the queue through one file."""

    def __init__(self, state: QueueState, count: Callable[[Queued], None]) -> None:
        """Go on from a state; `count` makes a message a turn."""
        self.state = state
        self._count_turn = count

    def nth(self, digest: str) -> int:
        """Which time this text is queued, from 1."""
        self.state.times[digest] = self.state.times.get(digest, 0) + 1
        return self.state.times[digest]

    def add(self, queued: Queued) -> None:
        """Put a message into the queue."""
        self.state.waiting.append(queued)

    def deliver(self) -> None:
        """The oldest message reaches the agent; a row that holds it may follow before the agent speaks."""
        if self.state.waiting:
            queued = self.state.waiting.pop(0)
            self._count(queued)
            self.state.delivered.append((queued.session, queued.hash))

    def take_back(self) -> None:
        """The person takes all that waits back into the editor."""
        self.state.waiting = []

    def agent_speaks(self) -> None:
        """What was delivered is answered: a row with the same text from now on is another message."""
        if self.state.delivered:
            self.state.delivered = []

    def is_sent(self, session: str, digest: str, *, by_script: bool = False) -> bool:
        """Whether a row with this text is a message of the queue, which is counted now unless a script sent it."""
        for queued in self.state.waiting:
            if (queued.session, queued.hash) == (session, digest):
                self.state.waiting.remove(queued)
                if not by_script:
                    self._count(queued)
                return True
        if (session, digest) in self.state.delivered:
            self.state.delivered.remove((session, digest))
            return True
        return False

    def end(self) -> QueueState:
        """Count what still waits, and give the state for the next run."""
        for queued in self.state.waiting:
            self._count(queued)
        return self.state

    def _count(self, queued: Queued) -> None:
        if not queued.counted:
            queued.counted = True
            self._count_turn(queued)

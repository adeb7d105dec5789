"""Keys of messages in formats that give their messages no id: what was said, and after what.

The decision to know: two messages in a row that are long enough to be no accident are the same message wherever the
same two stand, so that a session which one agent handed to another, under a new id and new times, counts once. Short
ones are told apart by the session and by how often they were said in it.
"""

from __future__ import annotations

from collections import Counter

from ingrained.ids import MessageKey, message_key
from ingrained.session.readers.base import text_hash

LONG_PAIR = 12
"""Words that two messages in a row must have together."""


class ContentKeys:
    """The keys of one session's messages, in their order."""

    def __init__(self, format: str, session: str) -> None:
        """Nothing said yet.

        Args:
            format: the reader's name.
            session: the session's id, or the hash of what identifies it.
        """
        self._format = format
        self._session = session
        self._said: Counter[tuple[str, ...]] = Counter()
        self._last = ("", 0)

    def next(self, text: str) -> MessageKey:
        """The key of the next message."""
        words = len(text.split())
        hashed = text_hash(text)
        before, before_words = self._last
        self._last = (hashed, words)
        self._said[(hashed,)] += 1
        if before and words + before_words >= LONG_PAIR:
            self._said[before, hashed] += 1
            return message_key(self._format, before, hashed, self._said[before, hashed])
        return message_key(self._format, self._session, hashed, self._said[(hashed,)])

"""Content hashes and the names of identities.

Identity is a content hash or belongs to the store, never to a value. Every hash carries its algorithm tag (`b2:`), so
that a later change of algorithm can be told from a change of content.
"""

from __future__ import annotations

import json
import re
import unicodedata
from hashlib import blake2b
from typing import NewType

MessageKey = NewType("MessageKey", str)
"""Identity of one message that a person typed, the same in every fork, resume, copy or export that holds it."""

AtomKey = NewType("AtomKey", str)
"""`<MessageKey>@<start>`: one atom, by its message and the offset of its quote. Decisions hang on these."""

RuleId = NewType("RuleId", str)
"""Short hash of the rule's earliest evidence."""

PersonId = NewType("PersonId", str)
ProjectId = NewType("ProjectId", str)

_SPACE = re.compile(r"\s+")


def canonical_json(value: object) -> str:
    """One spelling per JSON value: sorted keys, no spaces, UTF-8 kept, NaN refused.

    Raises:
        ValueError: for NaN or infinity.
        TypeError: for a value that JSON cannot hold.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def content_hash(value: object, *, size: int = 16) -> str:
    """`b2:` and the hex BLAKE2b digest (`size` bytes, 16 by default) of the value's canonical JSON."""
    data = canonical_json(value).encode("utf-8", "surrogatepass")
    return "b2:" + blake2b(data, digest_size=size).hexdigest()


def bytes_hash(data: bytes, *, size: int = 16) -> str:
    """`b2:` and the hex BLAKE2b digest of raw bytes."""
    return "b2:" + blake2b(data, digest_size=size).hexdigest()


def normal_text(text: str) -> str:
    """NFC with every run of white space as one space and none at the ends: the form in which texts are compared."""
    return _SPACE.sub(" ", unicodedata.normalize("NFC", text)).strip()


def message_key(*parts: str | int) -> MessageKey:
    """The key of a message from the parts that identify it, most specific last (format, record id or lineage…)."""
    return MessageKey(content_hash(list(parts), size=12))


def atom_key(message: MessageKey, start: int) -> AtomKey:
    """The key of the atom whose quote starts at `start` (characters) in the message's text."""
    return AtomKey(f"{message}@{start}")


def message_of(atom: AtomKey) -> MessageKey:
    """The message that an atom key points into."""
    return MessageKey(atom.rpartition("@")[0])


def rule_id(first: AtomKey) -> RuleId:
    """The id of a rule from its earliest evidence: `r-` and eight hex digits."""
    return RuleId("r-" + blake2b(first.encode(), digest_size=4).hexdigest())

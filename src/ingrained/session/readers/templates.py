"""Prompts that were expanded from a file: built-in and custom commands, plans and reports that stand without a wrapper.

Logs that keep the text of a prompt and none of its fields do not say who wrote it. The decision to know: a text that
opens with a Markdown heading is taken for a document where it is long, where a command was called just before, or
where it goes on with a document that was cut in pieces. A line in bold that stands alone is such a heading, and one
that gives an order in capitals, as hooks inject them, opens a document of any length. A person who types a long prompt
under a heading of their own is set aside with it; a rule that a command's file states is not learned from every call
of that command. What the command was called with stands under `ARGUMENTS:` below its body, and is the person's.
"""

from __future__ import annotations

import re

from ingrained.session.provenance import Cleaned

LONG = 600
"""Characters from which a text under a heading is a document."""

_HEADING = re.compile(r"#{1,6} \S")
_IN_BOLD = re.compile(r"(\*\*|__)[^*_\n]+\1[ \t]*(?:\n|\Z)|<[A-Z][A-Z_-]{3,}>")
_ORDER = re.compile(r"(?:\*\*|__|<)(?:[A-Z]{3,}[ _-])+[A-Z]{3,}(?:[:!]|>)")
"""Two and more words in capitals, in bold with a colon or as a tag."""
_CALL = re.compile(r"Invoke the [\w.-]+:[\w.-]+ skill and follow it exactly as presented to you\.?\Z")
"""The body of a plug-in's command that only names a skill."""
_ARGUMENTS = re.compile(r"\n\nARGUMENTS:(?=[ \n])")
_BUILT_IN = (
    "You are an expert code reviewer. Follow these steps:",
    "You are a senior security engineer conducting a focused security review",
    "Please analyze this codebase and create a CLAUDE.md file",
)
"""How the bodies of commands begin that come with Claude Code."""


def is_heading(text: str) -> bool:
    """Whether a text opens with a Markdown heading."""
    return _HEADING.match(text.lstrip()) is not None


def is_template(text: str, *, called: bool = False) -> bool:
    """Whether a text was written by a file and not by hand.

    Args:
        text: a prompt.
        called: a command was called just before, or the text goes on with a document.
    """
    start = text.lstrip()
    if start.startswith(_BUILT_IN) or _ORDER.match(start) or _CALL.match(start.rstrip()):
        return True
    if is_heading(start):
        return called or len(start) >= LONG
    return len(start) >= LONG and _IN_BOLD.match(start) is not None


def expanded(text: str, command: Cleaned | None = None) -> Cleaned | None:
    """What a command was called with, of the body that it expanded to; `None` where the text ends in no such words.

    Args:
        text: a prompt.
        command: the call itself, where the log has it just before: its arguments do not count twice.
    """
    marks = list(_ARGUMENTS.finditer(text))
    if not marks or not text[: marks[-1].start()].strip():
        return None
    words = text[marks[-1].end() :].strip()
    if not words or (command is not None and command.text == words):
        return Cleaned(kind="harness", by_tag=True)
    return Cleaned(kind="command", text=words, by_tag=True)

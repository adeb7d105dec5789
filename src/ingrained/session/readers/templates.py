"""Prompts that were expanded from a file: built-in and custom commands, plans and reports that stand without a wrapper.

Logs that keep the text of a prompt and none of its fields do not say who wrote it. The decision to know: a text that
opens with a Markdown heading is taken for a document where it is long, where a command was called just before, or
where it goes on with a document that was cut in pieces. A person who types a long prompt under a heading of their own
is set aside with it; a rule that a command's file states is not learned from every call of that command.
"""

from __future__ import annotations

import re

LONG = 600
"""Characters from which a text under a heading is a document."""

_HEADING = re.compile(r"#{1,6} \S")
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
    return start.startswith(_BUILT_IN) or (is_heading(start) and (called or len(start) >= LONG))

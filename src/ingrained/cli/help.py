"""How `--help` looks: two plain columns, wrapped to the terminal, without boxes, colour or control codes.

Plain text reads the same in a pipe, a screen reader, a narrow window and the generated `docs/cli.md`.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cyclopts.help import HelpEntry, HelpPanel
    from rich.console import Console, ConsoleOptions

MAX_WIDTH = 100
NAME_COLUMN = 26
"""Widest name (with its indent) that still shares a line with its text."""


class HelpText:
    """Formatter that cyclopts calls for each part of a help page."""

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:  # noqa: ARG002
        """Print one panel (commands, arguments, options) as a heading and two columns."""
        rows = [(_names(entry), _text(entry)) for entry in panel.entries]
        if not rows:
            return
        column = min(NAME_COLUMN, max(len(name) for name, _ in rows) + 4)
        lines = [f"{panel.title}:"] if isinstance(panel.title, str) and panel.title else []
        for name, text in rows:
            lines += _row(name, text, column, _width(console))
        _print(console, "\n" + "\n".join(lines))

    def render_usage(self, console: Console, options: ConsoleOptions, usage: object) -> None:  # noqa: ARG002
        """Print the usage line."""
        if usage:
            _print(console, f"Usage: {_plain(usage).strip()}")

    def render_description(self, console: Console, options: ConsoleOptions, description: object) -> None:  # noqa: ARG002
        """Print the description: paragraphs are wrapped anew, indented blocks stay as they are."""
        blocks = _plain(description).strip("\n").split("\n\n") if description else []
        if any(blocks):
            _print(
                console,
                "".join("\n" + _reflowed(block, _width(console)) + "\n" for block in blocks if block.strip())[:-1],
            )


def _width(console: Console) -> int:
    return max(30, min(console.width, MAX_WIDTH))


def _print(console: Console, text: str) -> None:
    console.print(text, highlight=False, markup=False, emoji=False, soft_wrap=True)


def _plain(part: object) -> str:
    """The text of what cyclopts hands over: a string, or something that holds rich text."""
    for attribute in ("primary_renderable", "plain"):
        inner = getattr(part, attribute, None)
        if inner is not None:
            return _plain(inner)
    return str(part)


def _reflowed(block: str, width: int) -> str:
    if block.startswith((" ", "\t")):
        return block
    return textwrap.fill(" ".join(block.split()), width, break_long_words=False, break_on_hyphens=False)


def _names(entry: HelpEntry) -> str:
    labels = entry.display_labels_with_metavar or entry.display_labels
    return ", ".join(labels)


def _text(entry: HelpEntry) -> str:
    parts = [_plain(entry.description).strip()] if entry.description else []
    if choices := [choice for choice in entry.choices or () if choice]:
        parts.append(f"One of {', '.join(choices)}.")
    if entry.required:
        parts.append("Required.")
    if entry.default is not None:
        parts.append(f"Default: {_told(entry.default)}.")
    return " ".join(" ".join(parts).split())


def _told(default: str) -> str:
    """A default in quotes where its last sign would run into the full stop: `.` is a folder, `..` another one."""
    return default if default[-1:].isalnum() else repr(default)


def _row(name: str, text: str, column: int, width: int) -> list[str]:
    wrapped = textwrap.wrap(text, max(20, width - column), break_long_words=False, break_on_hyphens=False)
    if len(name) + 4 > column:
        return [f"  {name}", *(" " * column + line for line in wrapped)]
    first, *rest = wrapped or [""]
    return [f"  {name}".ljust(column) + first if first else f"  {name}", *(" " * column + line for line in rest)]

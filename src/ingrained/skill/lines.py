"""How one rule is written as one line, how a line is read back, and what a rendering keeps beside its bytes.

Neither ids nor evidence stand in the text that an agent reads: a `Rendered` holds the text and, beside it, which line
says which rule. Hand edits are recognised by comparing lines (`align.py`), so a line must be a pure function of its
rule.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from ingrained.feedback.scope import reach
from ingrained.ids import RuleId, normal_text
from ingrained.skill.rule import Frozen, Rule, Scope
from ingrained.skill.safety import strip_hidden

BULLET = "- "
_ANY_BULLET = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+")
_PLACE = re.compile(r"In (?P<paths>`[^`]+`(?:(?:, | and )`[^`]+`)*)(?: files)?(?:, (?P<when>[^:]+))?: ")
_TICKED = re.compile(r"`([^`]+)`")
_SURROGATE = re.compile("[\ud800-\udfff]")


class RuleLine(Frozen):
    """One line of a rendering that says a rule. Two rules in the same words share a line and have an entry each."""

    line_no: int = Field(ge=1)
    """1-based line in the text."""
    text: str
    """The whole line, without its line end."""
    rule_id: RuleId
    prefix: str
    """What stands before the rule's own words: the bullet and the condition."""
    aliases: tuple[RuleId, ...] = ()
    """Earlier ids of the rule, so that a merged rule finds its old line."""


class Rendered(Frozen):
    """A text that we wrote and the rules behind its lines; stored beside the bytes of each installed copy."""

    version: int = 1
    text: str
    lines: tuple[RuleLine, ...]
    """In the order of the text."""
    base: Rendered | None = None
    """Our own rendering behind the text, where the text also holds edits by hand; else `None`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """A rule's line as edited by hand, taken apart: the prefix it has now, the rule's words, and its condition."""

    prefix: str
    text: str
    paths: tuple[str, ...] | None
    """`None`: the person left the condition as it was."""
    when: str | None


def plain(text: str) -> str:
    """The text as it may stand in one line of Markdown that an agent reads.

    One line, NFC, single blanks, no hidden characters, no HTML comment (which would hide text from a reader or close
    our own markers), no lone surrogate.
    """
    shown = _SURROGATE.sub("\ufffd", normal_text(strip_hidden(text)))
    return normal_text(shown.replace("<!--", "&lt;!--").replace("-->", "--&gt;"))


def condition(scope: Scope, text: str = "") -> str:
    """The scope as words before a rule, such as "In `*.go` files: ", or nothing.

    A condition or a place that `text` already names ("in the api package") is not said twice.
    """
    said = text.casefold()
    when = plain(scope.when).strip(" :,.")
    if when.casefold() in said:
        when = ""
    paths = [path for path in (plain(path).replace("`", "") for path in scope.paths) if path]
    if all(path.casefold() in said for path in paths) or set(scope.paths) <= set(reach(text).paths):
        return f"{when[0].upper()}{when[1:]}: " if when else ""
    names = [f"`{path}`" for path in paths]
    listed = names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
    kind = "" if all(path.endswith("/") for path in paths) else " files"
    return f"In {listed}{kind}{', ' + when.replace(':', '') if when else ''}: "


def rule_line(rule: Rule) -> tuple[str, str]:
    """(prefix, whole line) of a rule; the line is the prefix and the rule's own words."""
    text = plain(rule.text)
    prefix = BULLET + condition(rule.scope, text)
    return prefix, prefix + text


def read_edited(entry: RuleLine, found: str) -> Edited:
    """The line that we wrote as `entry`, as it is found now, taken apart.

    The condition counts as unchanged where our prefix still stands before the words. Else a condition in our own form
    ("In `*.go` files: ") is read from the line, and where we had written one, also any words up to the first `: `.
    """
    bullet = _ANY_BULLET.match(found)
    words = found[bullet.end() :] if bullet else found.lstrip()
    bare = entry.prefix == BULLET
    place = _PLACE.match(words)
    if found.startswith(entry.prefix) and not (bare and place and not _PLACE.match(entry.text[len(BULLET) :])):
        return Edited(prefix=entry.prefix, text=found[len(entry.prefix) :].strip(), paths=None, when=None)
    end = place.end() if place else 0
    paths = tuple(_TICKED.findall(place["paths"])) if place else ()
    when = (place["when"] or "").strip() if place else ""
    if not place and not bare and ": " in words:
        when, _, _ = words.partition(": ")
        end = len(when) + 2
        when = when[:1].lower() + when[1:]
    start = len(found) - len(words)
    if bare and not end:
        return Edited(prefix=found[:start], text=words.strip(), paths=None, when=None)
    return Edited(prefix=found[: start + end], text=words[end:].strip(), paths=paths, when=when)


def cut_lines(text: str) -> list[str]:
    """The lines of a text, each with its end; cut at line feeds only, so other separators stay within a line."""
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def line_end(text: str) -> str:
    """The line end that a text uses: that of its first line, LF where it has none."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def line_words(line: str) -> str:
    """The words of a line: without bullet or number, indentation and width of blanks."""
    return normal_text(_ANY_BULLET.sub("", line))


def line_key(line: str) -> str:
    """What makes two lines the same line: bullet sign, indentation and width of blanks do not count."""
    return normal_text(_ANY_BULLET.sub(BULLET, line))


def bullets(rules: Sequence[Rule], *, first_line: int) -> tuple[list[str], list[RuleLine]]:
    """The rules as lines, the first at `first_line` (1-based), and their mapping. Equal lines are written once."""
    texts: list[str] = []
    mapping: list[RuleLine] = []
    at: dict[str, int] = {}
    for rule in rules:
        prefix, line = rule_line(rule)
        key = line_key(line)
        if key not in at:
            at[key] = first_line + len(texts)
            texts.append(line)
        mapping.append(
            RuleLine(
                line_no=at[key],
                text=texts[at[key] - first_line],
                rule_id=rule.id,
                prefix=prefix,
                aliases=rule.aliases,
            )
        )
    return texts, sorted(mapping, key=lambda entry: entry.line_no)

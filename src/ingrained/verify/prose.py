"""An author's own prose in a text, and its sentences: what expression is measured on (SkillGrain, A.2).

The paper does not say what the text of a feature is. Settled here: code (fenced blocks, spans in backquotes, literal
blocks of reStructuredText), addresses (URLs), block quotes and passages between double quotation marks are somebody
else's words and are taken out. Single quotation marks stay, since they cannot be told from apostrophes. A sentence ends
at `.`, `!` or `?` before white space, at a blank line, or where a list item begins; list markers are no words. There
is no list of abbreviations: "e.g. this" ends a sentence, for the author and the response alike.
"""

from __future__ import annotations

import re

from ingrained.verify.words import normal, words

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_LITERAL = re.compile(r"[ \t]*(?:\.\. (?:code|code-block|sourcecode)::.*|.*::[ \t]*)$")
_ASIDE = re.compile(r"[ \t]*(?:>|\.\.[ \t])")
"""A line of a block quote, a directive or a comment."""
CODE_SPAN = re.compile(r"(?<!`)(`{1,2})(?!`)[^`\n]+(?:\n[^`\n]+)?\1(?![`_])")
_URL = re.compile(r"(?:\b[a-z][a-z0-9+.-]*://|\bwww\.|\bmailto:)[^\s<>]*[^\s<>.,;:!?'\")\]]", re.IGNORECASE)
QUOTED = re.compile(r"(?<!\w)[\"\u201c\u201e\u00ab](?=\S)((?:[^\"\u201c-\u201f\u00ab\u00bb\n]|\n(?![ \t]*\n)){1,300})"
                     r"(?<=\S)[\"\u201d\u201c\u00bb](?!\w)")  # fmt: skip
MARKER = re.compile(r"^[ \t]*(?:[-*+\u2022\u2013]|\(?(?:\d{1,3}|[A-Za-z])[.)])(?=[ \t])", re.MULTILINE)
"""The mark before a list item, at the start of a line."""
_SENTENCE_END = re.compile(r"[.!?]+[)\]'\"\u201d\u00bb]*(?=\s|$)|\n[ \t]*\n")


def without_code(text: str) -> str:
    """The normal form of a text without code and block quotes; lines that went leave blank ones."""
    return CODE_SPAN.sub(" ", "\n".join(_outside_blocks(normal(text).replace("\r\n", "\n").split("\n"))))


def prose(text: str) -> str:
    """The author's own prose: without code, addresses, quotations and list markers."""
    kept = QUOTED.sub(" ", _URL.sub(" ", without_code(text)))
    return MARKER.sub("\n\n", kept)


def sentences(own: str) -> list[str]:
    """The sentences of prose in order; a stretch without a word is none."""
    return [part for part in _SENTENCE_END.split(own) if words(part)]


def _outside_blocks(lines: list[str]) -> list[str]:
    kept: list[str] = []
    fence, literal = "", -1
    for number, line in enumerate(lines):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and line.strip() == mark[1]:
                fence = ""
            kept.append("")
            continue
        indent = len(line) - len(line.lstrip())
        if literal >= 0 and (not line.strip() or indent > literal):
            kept.append("")
            continue
        literal = -1
        if mark:
            fence = mark[1]
        elif _LITERAL.match(line) and number + 1 < len(lines) and not lines[number + 1].strip():
            literal = indent
        kept.append("" if mark or _ASIDE.match(line) else line)
    return kept

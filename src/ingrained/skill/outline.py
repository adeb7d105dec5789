"""How a Markdown document is built: its sections, and the passages of words that an edit may name.

CommonMark decides (with GitHub's tables), not patterns of our own: what looks like a heading or a bullet in a fence, an
HTML comment, a table or a quote is none. Everything is given in lines of the text as it is, cut at line feeds only, so
that whoever changes a passage need not write anything else anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

from ingrained.ids import normal_text
from ingrained.skill import frontmatter
from ingrained.skill.lines import cut_lines

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode

SectionPath = tuple[str, ...]
"""The headings that lead to a section, outermost first; empty: what stands before the first heading."""

_LISTS = {"bullet_list", "ordered_list"}
_TO_THE_END = {"fence", "html_block"}
"""Where one is never closed, blank lines at its end belong to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A piece of the document without smaller ones: a heading, paragraph, fence, comment, quote or table."""

    kind: str
    first: int
    """0-based line."""
    end: int
    """The line after its last."""
    nest: tuple[str, ...]
    """The kinds of the lists and list items around it, outermost first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A paragraph, or a list item by its first paragraph: what says a rule."""

    words: str
    """On one line, single blanks."""
    first: int
    """0-based line where the words begin."""
    last: int
    """The line after the words."""
    prefix: str
    """What stands before the words in their first line: bullet, indentation."""
    start: int
    """Where the whole of it begins: a list item has all in it that is nested in it, a paragraph its words."""
    end: int
    """The line after the whole of it; blank lines at the end do not count."""
    nest: tuple[str, ...]
    listed: int | None
    """First line of the list that it is an item of; `None`: a paragraph."""
    within: int | None
    """The passage of the list item around it, by place in `Outline.passages`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading and what stands under it; the first of a document has no heading and holds what comes before one."""

    words: str
    """The heading as it is written, with its markup, on one line."""
    path: SectionPath
    """A heading that occurs more than once under one parent has its number there: "Notes (1)", "Notes (2)"."""
    level: int
    """1 to 6; 0: the part before the first heading."""
    first: int
    """0-based line of the heading."""
    body: int
    """The line after the heading."""
    own: int
    """The line after its own content: the next heading's."""
    end: int
    """The line after its subsections."""
    parent: int | None
    """By place in `Outline.sections`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """A document taken apart; all in the order of the text."""

    lines: tuple[str, ...]
    """Each with its end."""
    starts: tuple[int, ...]
    """Characters before each line, and at last all of them; a byte order mark counts as before the first."""
    head: int
    """How many lines the frontmatter takes, with its fences; 0: there is none."""
    blocks: tuple[Block, ...]
    sections: tuple[Section, ...]
    """Never empty."""
    passages: tuple[Passage, ...]

    def blank(self, line: int) -> bool:
        """Whether there is such a line and it is blank."""
        return 0 <= line < len(self.lines) and _blank(self.lines[line])

    def trimmed(self, first: int, end: int) -> int:
        """`end` without the blank lines before it, not below `first`."""
        while end > first and self.blank(end - 1):
            end -= 1
        return end

    def own_passages(self, section: Section) -> list[int]:
        """The passages of a section without those of its subsections, by place."""
        return [at for at, one in enumerate(self.passages) if section.first <= one.start < section.own]


@lru_cache(maxsize=32)
def outline(text: str) -> Outline:
    """Takes a document apart; any text is one. About 2 ms for 12,000 characters; what was read last is kept."""
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

    lines = cut_lines(text)
    bare = [line.removesuffix("\n").removesuffix("\r") for line in lines]
    bare[:1] = [line.removeprefix("\ufeff") for line in bare[:1]]
    close = frontmatter.closing(bare)
    head = 0 if close is None else close + 1
    markdown = MarkdownIt("commonmark").enable("table")
    markdown.core.ruler.enableOnly(["normalize", "block"])
    # to CommonMark a carriage return alone ends a line, here it does not
    tokens = markdown.parse("\n".join(line.replace("\r", " ") for line in bare[head:]))
    reader = _Reader(lines=lines, head=head)
    reader.read(SyntaxTreeNode(tokens).children, nest=(), within=None)
    return Outline(
        lines=tuple(lines),
        starts=(int(text.startswith("\ufeff")), *accumulate(map(len, lines))),
        head=head,
        blocks=tuple(reader.blocks),
        sections=tuple(_sections(reader.headings, head=head, end=len(lines))),
        passages=tuple(reader.passages),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Heading:
    words: str
    level: int
    first: int
    body: int


class _Reader:
    """Goes through the blocks of a parsed document."""

    def __init__(self, *, lines: Sequence[str], head: int) -> None:
        self._lines = lines
        self._head = head
        self.blocks: list[Block] = []
        self.headings: list[_Heading] = []
        self.passages: list[Passage] = []

    def read(self, nodes: Sequence[SyntaxTreeNode], *, nest: tuple[str, ...], within: int | None) -> None:
        for node in nodes:
            first, end = self._span(node)
            if node.type in _LISTS:
                for item in node.children:
                    self._item(item, nest=(*nest, node.type, item.type), listed=first, within=within)
                continue
            self.blocks.append(Block(kind=node.type, first=first, end=end, nest=nest))
            if node.type == "paragraph":
                self._passage(node, start=first, end=end, nest=nest, listed=None, within=within)
            elif node.type == "heading" and not nest:
                level, words = int(node.tag[1:]), normal_text(node.children[0].content)
                self.headings.append(_Heading(words=words, level=level, first=first, body=end))

    def _item(self, item: SyntaxTreeNode, *, nest: tuple[str, ...], listed: int, within: int | None) -> None:
        start, end = self._span(item)
        inside = item.children
        if inside and inside[0].type == "paragraph":
            first, last = self._span(inside[0])
            self.blocks.append(Block(kind="paragraph", first=first, end=last, nest=nest))
            if self._passage(inside[0], start=start, end=end, nest=nest, listed=listed, within=within):
                within = len(self.passages) - 1
            inside = inside[1:]
        self.read(inside, nest=nest, within=within)

    def _passage(
        self,
        node: SyntaxTreeNode,
        *,
        start: int,
        end: int,
        nest: tuple[str, ...],
        listed: int | None,
        within: int | None,
    ) -> bool:
        """Notes a paragraph, unless it has no words or cannot be told from what stands before them."""
        content = node.children[0].content
        first, last = self._span(node)
        line = self._lines[first].removesuffix("\n").removesuffix("\r").replace("\r", " ")
        begin = content.partition("\n")[0]
        line = line if line.endswith(begin) else line.rstrip()
        if not begin or not line.endswith(begin):
            return False
        self.passages.append(
            Passage(
                words=normal_text(content),
                first=first,
                last=last,
                prefix=self._lines[first][: len(line) - len(begin)],
                start=start,
                end=end,
                nest=nest,
                listed=listed,
                within=within,
            )
        )
        return True

    def _span(self, node: SyntaxTreeNode) -> tuple[int, int]:
        """The lines `[first, end)` of a block in the whole text."""
        if node.map is None:
            raise RuntimeError(f"a bug: a block {node.type!r} without lines")
        first, end = (line + self._head for line in node.map)
        while node.type not in _TO_THE_END and end > first + 1 and _blank(self._lines[end - 1]):
            end -= 1
        return first, end


def _blank(line: str) -> bool:
    return not line.strip(" \t\r\n")


def _sections(headings: Sequence[_Heading], *, head: int, end: int) -> list[Section]:
    """The part before the first heading, and a section for each heading."""
    starts = [heading.first for heading in headings] + [end]
    parents: list[int] = []
    ends = [end] * len(headings)
    opened: list[int] = []
    for at, heading in enumerate(headings):
        while opened and headings[opened[-1]].level >= heading.level:
            ends[opened.pop()] = heading.first
        parents.append(opened[-1] + 1 if opened else 0)
        opened.append(at)
    labels = _labels([(parent, heading.words) for parent, heading in zip(parents, headings, strict=True)])
    found = [Section(words="", path=(), level=0, first=head, body=head, own=starts[0], end=starts[0], parent=None)]
    for at, (heading, parent) in enumerate(zip(headings, parents, strict=True)):
        found.append(
            Section(
                words=heading.words,
                path=(*found[parent].path, labels[at]),
                level=heading.level,
                first=heading.first,
                body=heading.body,
                own=starts[at + 1],
                end=ends[at],
                parent=parent,
            )
        )
    return found


def _labels(headings: Sequence[tuple[int, str]]) -> list[str]:
    """What each heading (its parent, its words) is called: its words, with a number where they are not alone."""
    many, taken = Counter(headings), set(headings)
    numbers: Counter[tuple[int, str]] = Counter()
    labels: list[str] = []
    for parent, words in headings:
        label = words
        while many[parent, words] > 1 and (parent, label) in taken:
            numbers[parent, words] += 1
            label = f"{words} ({numbers[parent, words]})"
        taken.add((parent, label))
        labels.append(label)
    return labels

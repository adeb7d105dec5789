"""What each edit does to a document: from an edit to the patch that carries it out.

Lines are put in or taken out whole, with the blank lines that keep blocks apart; within a line only a rule's own words
and a heading change. Then the text is read again: every block that the edit does not name must read as before, where it
was, and the new words must read as the rule or heading that they are, or the edit is refused. So words that are
Markdown of another kind (a fence, a heading, a tag) cannot change what stands around them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import assert_never

from ingrained.errors import EditError
from ingrained.skill.edit import Create, Edit, Merge, Noop, Prune, Update
from ingrained.skill.lines import BULLET, line_end
from ingrained.skill.living import Living, LivingRule, fresh_id, names, path_text, rule_text, union
from ingrained.skill.outline import Block, Outline, Passage, Section, outline
from ingrained.skill.patch import Patch, RuleSplice, TextSplice, made, patched, spliced
from ingrained.skill.target import find_rule, find_section

_MARKER = re.compile(r"(?P<before>.*?)(?P<mark>[-*+]|(?P<number>\d{1,9})(?P<close>[.)]))(?P<gap>[ \t]*)", re.DOTALL)
_ATX = re.compile(r" {0,3}#{1,6}")
_BOM = "\ufeff"


def apply(living: Living, edit: Edit) -> Living:
    """The document after an edit. Pure; `patch_of` gives the way back too.

    Raises:
        EditError: as `patch_of`.
    """
    return patched(living, patch_of(living, edit))


def problem(living: Living, edit: Edit) -> str:
    """Why an edit does not fit the document, for a model to repair; empty where it does."""
    try:
        patch_of(living, edit)
    except EditError as error:
        return f"{error.message} ({error.hint})" if error.hint else error.message
    return ""


def patch_of(living: Living, edit: Edit) -> Patch:
    """What an edit does to a document, as a value with an inverse. Linear in the text.

    Raises:
        EditError: a target is not there, or the name is not its alone; the message names it, what exists and the
            nearest match. Or the words stand there already, or cannot stand there.
    """
    try:
        return _planned(_Plan(living), edit)
    except _AstrayError:
        return _planned(_Plan(living, apart=True), edit)


class _AstrayError(EditError):
    """Something that the edit does not name would read differently."""


def _planned(plan: _Plan, edit: Edit) -> Patch:
    match edit:
        case Create():
            plan.create(edit)
        case Update():
            plan.update(edit)
        case Merge():
            plan.merge(edit)
        case Prune():
            plan.prune(edit)
        case Noop():
            pass
        case _:
            assert_never(edit)
    return plan.checked()


class _Plan:
    """Gathers the splices of one edit, and what must read how after it."""

    def __init__(self, living: Living, *, apart: bool = False) -> None:
        self._living = living
        self._apart = apart
        """Whether a blank line takes the place of lines that go, where what is left would run together."""
        self._was = outline(living.text)
        self._text: list[TextSplice] = []
        self._rules: list[RuleSplice] = []
        self._headings = [section.words for section in self._was.sections[1:]]
        self._fresh = 0
        """Paragraphs and headings that are new or reworded."""
        self._words = ""
        self._heading = ""

    def create(self, edit: Create) -> None:
        self._say(edit.text)
        new = LivingRule(id=fresh_id(edit.text, names(self._living)), words=edit.text, evidence=edit.evidence)
        if isinstance(edit.target, str):
            at = self._behind(self._was.passages[find_rule(self._living, edit.target)], edit.text)
        elif edit.heading:
            at = self._new_section(find_section(self._living, edit.target), edit.heading, edit.text)
        else:
            section = self._was.sections[find_section(self._living, edit.target)]
            own = [self._was.passages[place] for place in self._was.own_passages(section)]
            items = [passage for passage in own if passage.listed is not None and len(passage.nest) == 2]
            if items:
                at = self._behind(items[-1], edit.text)
            else:
                at = self._was.trimmed(section.body, section.own)
                self._insert(at, [BULLET + edit.text], apart=True)
        self._fresh += 1
        place = sum(passage.first < at for passage in self._was.passages)
        self._rules.append(RuleSplice(at=place, was=(), now=(new,)))

    def update(self, edit: Update) -> None:
        if isinstance(edit.target, str):
            place = find_rule(self._living, edit.target)
            old = self._living.rules[place]
            if edit.text == old.words:
                raise EditError(f"{old.id} says that already: {edit.text!r}", hint="a noop changes nothing")
            self._say(edit.text)
            self._reword([place], edit.text, edit.evidence)
            return
        at = find_section(self._living, edit.target)
        if edit.heading:
            self._rename(at, edit.heading)
        if edit.text:
            self._prose(self._was.sections[at], edit.text, edit.evidence)

    def merge(self, edit: Merge) -> None:
        places = [find_rule(self._living, target) for target in edit.targets]
        for nth, place in enumerate(places):
            if place in places[:nth]:
                raise EditError(f"{edit.targets[nth]!r} names {self._living.rules[place].id}, which is named before")
            passage = self._was.passages[place]
            if nth and passage.end != passage.last:
                raise EditError(
                    f"{rule_text(self._living.rules[place])!r} has more in it (to line {passage.end})",
                    hint="name it first, or prune or merge what it holds before",
                )
        self._say(edit.text, but=places)
        self._reword(places, edit.text, edit.evidence)

    def prune(self, edit: Prune) -> None:
        if isinstance(edit.target, str):
            passage = self._was.passages[find_rule(self._living, edit.target)]
            start, end = passage.start, passage.end
        else:
            at = find_section(self._living, edit.target)
            if not at:
                raise EditError("the part before the first heading is no section to prune", hint="prune its rules")
            section = self._was.sections[at]
            start, end = section.first, self._was.trimmed(section.first, section.end)
            later = sum(other.first < end for other in self._was.sections[1:])
            del self._headings[at - 1 : later]
        self._cut([(start, end)])
        gone = [at for at, passage in enumerate(self._was.passages) if start <= passage.first < end]
        if gone:
            self._rules.append(RuleSplice(at=gone[0], was=self._living.rules[gone[0] : gone[-1] + 1], now=()))

    def checked(self) -> Patch:
        """The patch.

        Raises:
            EditError: with it, something that was not named would read differently, or the words as something else.
        """
        text, rules = sorted(self._text, key=lambda one: one.at), sorted(self._rules, key=lambda one: one.at)
        now = outline("".join(spliced(self._living.text, [(one.at, one.was, one.now) for one in text])))
        if _head(now) != _head(self._was):
            raise EditError("the edit would change what reads as the frontmatter")
        kept = _kept(self._was, text)
        there = {_read(now, block, now.starts[block.first]) for block in now.blocks}
        for read, block in kept.items():
            if read not in there:
                raise self._astray(block)
        after = spliced(self._living.rules, [(one.at, one.was, one.now) for one in rules])
        said = [passage.words for passage in now.passages] == [rule.words for rule in after]
        called = [section.words for section in now.sections[1:]] == self._headings
        if not said or not called or len(now.blocks) != len(kept) + self._fresh:
            new = self._words if called else self._heading or self._words
            if not new:
                raise _AstrayError("without it, what is left would read differently")
            raise EditError(
                f"the words {new!r} read as Markdown of another kind, not as one plain line",
                hint="put what is no prose between backticks",
            )
        before, later = _parents(self._was, self._living.rules), _parents(now, after)
        moved = [name for name in before if name in later and before[name] != later[name]]
        if moved:
            place = next(at for at, rule in enumerate(self._living.rules) if rule.id == moved[0])
            passage = self._was.passages[place]
            raise self._astray(Block(kind="list item", first=passage.first, end=passage.last, nest=passage.nest))
        return made(self._living, text, rules)

    def _astray(self, block: Block) -> _AstrayError:
        shown = self._was.lines[block.first].strip()[:60]
        new = self._words or self._heading
        cause = f"with the words {new!r}" if new else "without it"
        return _AstrayError(f"{cause}, line {block.first + 1} ({block.kind}: {shown!r}) would read differently")

    def _say(self, words: str, but: Collection[int] = ()) -> None:
        """Notes new words, which must not stand there yet."""
        self._words = words
        for place, rule in enumerate(self._living.rules):
            if rule.words == words and place not in but:
                raise EditError(f"{rule.id} says that already: {words!r}", hint="merge the two, or leave it as it is")

    def _reword(self, places: Sequence[int], words: str, evidence: Sequence[str]) -> None:
        """The first of some rules gets the words and what is known of all; the others go."""
        first, *others = places
        rules = [self._living.rules[place] for place in places]
        passage = self._was.passages[first]
        if words != rules[0].words:
            begin = self._was.starts[passage.first] + len(passage.prefix.removeprefix(_BOM))
            self._replace(begin, self._line_end(passage.last - 1), words)
            self._fresh += 1
        aliases = [name for rule in rules for name in (rule.id, *rule.aliases)][1:]
        known = union([*(rule.evidence for rule in rules), evidence])
        now = rules[0].model_copy(update={"words": words, "evidence": known, "aliases": tuple(aliases)})
        self._rules.append(RuleSplice(at=first, was=(rules[0],), now=(now,)))
        self._rules += [RuleSplice(at=place, was=(self._living.rules[place],), now=()) for place in others]
        self._cut([(self._was.passages[place].start, self._was.passages[place].end) for place in others])

    def _prose(self, section: Section, words: str, evidence: Sequence[str]) -> None:
        """The paragraphs at the head of a section become one."""
        places: list[int] = []
        at = {passage.first: place for place, passage in enumerate(self._was.passages)}
        for block in self._was.blocks:
            if section.body <= block.first < section.own:
                if block.kind != "paragraph" or block.nest or block.first not in at:
                    break
                places.append(at[block.first])
        if len(places) == 1 and self._living.rules[places[0]].words == words:
            raise EditError(f"the section {path_text(section.path)} says that already: {words!r}")
        self._say(words, but=places)
        if places:
            self._reword(places, words, evidence)
            return
        self._insert(section.body, [words], apart=True)
        self._fresh += 1
        new = LivingRule(id=fresh_id(words, names(self._living)), words=words, evidence=tuple(evidence))
        place = sum(passage.first < section.body for passage in self._was.passages)
        self._rules.append(RuleSplice(at=place, was=(), now=(new,)))

    def _rename(self, at: int, heading: str) -> None:
        section = self._was.sections[at]
        if section.parent is None:
            raise EditError("the part before the first heading has no heading to rename")
        self._call(section.parent, heading)
        begin, line = self._was.starts[section.first], self._was.lines[section.first]
        if section.body - section.first > 1:  # underlined
            self._replace(begin, self._line_end(section.body - 2), heading)
        elif marked := _ATX.match(line.removeprefix(_BOM)):
            self._replace(begin + marked.end(), self._line_end(section.first), f" {heading}")
        self._headings[at - 1] = heading
        self._fresh += 1

    def _new_section(self, parent: int, heading: str, words: str) -> int:
        """A section with one rule at the end of another; gives the line that it stands before."""
        self._call(parent, heading)
        around = self._was.sections[parent]
        inner = [section.level for section in self._was.sections if section.parent == parent]
        level = inner[-1] if inner else around.level + 1
        if level > 6:
            raise EditError(f"{path_text(around.path)} is of the sixth level, and Markdown has no seventh")
        end = around.end if parent else len(self._was.lines)
        at = self._was.trimmed(around.first, end)
        self._insert(at, [f"{'#' * level} {heading}", "", BULLET + words], apart=True)
        self._headings.insert(sum(section.first < at for section in self._was.sections[1:]), heading)
        self._fresh += 1
        return at

    def _call(self, parent: int, heading: str) -> None:
        """Notes a new heading, which no section under the same parent may have."""
        self._heading = heading
        for section in self._was.sections:
            if section.parent == parent and section.words == heading:
                raise EditError(f"there is a section {path_text(section.path)} already", hint="name it as the target")

    def _behind(self, passage: Passage, words: str) -> int:
        """A new rule after another, in its form; gives the line that it stands before."""
        if passage.listed is None:
            self._insert(passage.end, [_blanked(passage.prefix) + words], apart=True)
            return passage.end
        same = [other for other in self._was.passages if (other.listed, other.nest) == (passage.listed, passage.nest)]
        at = same.index(passage)
        near = same[at : at + 1] if at else same[1:2]
        loose = any(self._was.blank(other.start - 1) for other in near)
        line = self._marker(passage, same[at - 1] if at else None) + words
        self._insert(passage.end, ["", line] if loose else [line])
        return passage.end

    def _marker(self, passage: Passage, before: Passage | None) -> str:
        """The bullet or number of the item after one. Numbers count on, unless the two items before have the same."""
        found = self._marked(passage)
        gap = found["gap"] or " "
        if found["number"] is None:
            return _blanked(found["before"]) + found["mark"] + gap
        number = int(found["number"])
        same = before is not None and self._marked(before)["number"] == found["number"]
        return _blanked(found["before"]) + str(number if same else number + 1) + found["close"] + gap

    def _marked(self, passage: Passage) -> re.Match[str]:
        """The bullet or number of an item, apart from what stands before it."""
        alone = self._was.lines[passage.start].rstrip("\r\n")
        found = _MARKER.fullmatch(passage.prefix if passage.start == passage.first else alone)
        if found is None:
            raise RuntimeError(f"a bug: no bullet before {passage.words!r}")
        return found

    def _line_end(self, line: int) -> int:
        """Characters before the end of a line, which does not count."""
        return self._was.starts[line + 1] - len(self._was.lines[line]) + len(self._was.lines[line].rstrip("\r\n"))

    def _replace(self, begin: int, end: int, now: str) -> None:
        self._text.append(TextSplice(at=begin, was=self._living.text[begin:end], now=now))

    def _insert(self, at: int, lines: Sequence[str], *, apart: bool = False) -> None:
        """New lines before a line; `apart`: with a blank line on each side where there is none."""
        new = list(lines)
        if apart and at and not self._was.blank(at - 1):
            new.insert(0, "")
        if apart and at < len(self._was.lines) and not self._was.blank(at):
            new.append("")
        above = self._was.lines[at - 1] if at else ""
        end = line_end(above if above.endswith("\n") else self._living.text)
        now = "".join(line + end for line in new)
        if above and not above.endswith("\n"):
            now = end + now.removesuffix(end)
        self._replace(self._was.starts[at], self._was.starts[at], now)

    def _cut(self, spans: Sequence[tuple[int, int]]) -> None:
        """Takes lines out, and of the blank lines around them those that are too many then."""
        was, gone, apart = self._was, set[int](), set[int]()
        for start, end in sorted(spans):
            gone |= set(range(start, end))
            above, below = start - 1, end
            while above in gone:
                above -= 1
            if above >= was.head and not was.blank(above):
                if self._apart and end < len(was.lines) and not was.blank(end):
                    apart.add(end)
                continue
            while was.blank(below):
                below += 1
            gone |= set(range(end, below))
            if below == end == len(was.lines):
                while above >= was.head and was.blank(above):
                    gone.add(above)
                    above -= 1
        for first in sorted(line for line in gone if line - 1 not in gone):
            last = first
            while last + 1 in gone:
                last += 1
            end = line_end(was.lines[last]) if last + 1 in apart else ""
            self._replace(was.starts[first], was.starts[last + 1], end)


def _kept(was: Outline, splices: Sequence[TextSplice]) -> dict[tuple[object, ...], Block]:
    """How each block that no splice touches has to read afterwards."""
    kept: dict[tuple[object, ...], Block] = {}
    for block in was.blocks:
        begin, end = was.starts[block.first], was.starts[block.end]
        touched = any(one.at < end and begin < one.at + len(one.was) for one in splices)
        if not touched:
            shift = sum(len(one.now) - len(one.was) for one in splices if one.at <= begin)
            kept[_read(was, block, begin + shift)] = block
    return kept


def _head(found: Outline) -> str:
    return "".join(found.lines[: found.head]).rstrip("\r\n")


def _read(found: Outline, block: Block, at: int) -> tuple[object, ...]:
    text = "".join(found.lines[block.first : block.end]).removeprefix(_BOM).rstrip("\r\n")
    return block.kind, block.nest, at, text


def _parents(found: Outline, rules: Sequence[LivingRule]) -> dict[str, str]:
    """Each rule, and the one whose list item it stands in (empty: none)."""
    return {
        rule.id: rules[passage.within].id if passage.within is not None else ""
        for rule, passage in zip(rules, found.passages, strict=True)
    }


def _blanked(before: str) -> str:
    """As much room as some characters take, without them."""
    return "".join(char if char == "\t" else " " for char in before.removeprefix(_BOM))

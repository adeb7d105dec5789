"""Hand edits: what a person did to a text that we wrote, and how we write again without losing it.

Everything is decided line by line. A line of ours is found again `exact`, `moved`, `reworded` (the person's wording
wins) or `gone` (refused); every other line that is not ours is the person's (`added`). `merge` starts from what is on
disk and puts our own changes into it, so no byte of the person's can get lost by construction.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from ingrained.ids import RuleId, bytes_hash
from ingrained.skill.lines import Rendered, RuleLine, cut_lines, line_end, line_key, read_edited
from ingrained.skill.match import Match, in_order, match_lines

OutcomeKind = Literal["exact", "moved", "reworded", "gone"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one rule's line."""

    kind: OutcomeKind
    rule_id: RuleId
    line_no: int | None
    """1-based line where it is now; `None` where it is gone."""
    line: str
    """The line as found, without its end; where it is gone, as we wrote it."""
    text: str
    """The rule's own words as found, to pin; where it is gone, as we wrote them."""
    was: str
    """The rule's own words as we wrote them."""
    when: str | None = None
    """The condition where the person changed it (empty: taken away); `None`: left as it was."""
    paths: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """A line of the person's own."""

    line_no: int
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A text that we wrote against what is there now."""

    state: Literal["same", "missing", "older", "edited", "replaced"]
    """`same`: as last written, but for line ends and blanks. `missing`: no file. `older`: a version that we wrote
    earlier, such as after a switch of branches. `edited`: see `outcomes`. `replaced`: not one line of ours is left, so
    it is another text or an emptied file; ask the person, do not take it for a refusal of every rule. Only `edited`
    holds decisions of the person."""
    outcomes: tuple[Outcome, ...] = ()
    """One for each entry of the mapping, in its order; empty when missing or older."""
    added: tuple[Added, ...] = ()

    @property
    def edits(self) -> tuple[Outcome, ...]:
        """The person's decisions: reworded and gone lines of an edited text, else nothing."""
        if self.state != "edited":
            return ()
        return tuple(outcome for outcome in self.outcomes if outcome.kind in {"reworded", "gone"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One copy's part in a conflict: where, and the line as it stands there (empty: taken out)."""

    place: str
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """A rule that was edited differently in different copies; nothing is decided until the person says which."""

    rule_id: RuleId
    sides: tuple[Side, ...]
    """The copies that were edited, by place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """A text to write: the person's, with our own changes in it."""

    text: str
    comparison: Comparison
    """What the person had done since we last wrote."""
    written: Rendered
    """To keep beside the bytes when `text` is written: its mapping, and our own rendering behind it."""


def compare(written: Rendered, found: str | None, *, older: Collection[str] = ()) -> Comparison:
    """What a person did to a text since we wrote it.

    Args:
        written: what was last written there, with its mapping.
        found: what is there now; `None`: no file.
        older: hashes (`ids.bytes_hash` of the UTF-8 bytes) of every text that was ever written there; one of them
            with CRLF line ends is recognised too.
    """
    if found is None:
        return Comparison(state="missing")
    if found != written.text and any(_hash(text) in older for text in (found, found.replace("\r\n", "\n"))):
        return Comparison(state="older")
    ours, theirs = cut_lines(written.text), cut_lines(found)
    match = match_lines(ours, theirs, _rule_lines(written))
    outcomes = tuple(_outcome(entry, match, theirs) for entry in written.lines)
    own = set(match.found.values())
    added = tuple(
        Added(line_no=index + 1, line=line.rstrip("\r\n"))
        for index, line in enumerate(theirs)
        if index not in own and line.strip()
    )
    if not any(line_key(ours[index]) not in {"", "---"} for index in match.found):
        return Comparison(state="replaced", outcomes=outcomes, added=added)
    same = len(ours) == len(theirs) and all(match.found.get(index) == index for index in range(len(ours)))
    same = same and not match.reworded
    return Comparison(state="same" if same else "edited", outcomes=outcomes, added=added)


def conflicts(copies: Mapping[str, Comparison]) -> tuple[Conflict, ...]:
    """The rules that were edited in two or more copies of one text, and not alike.

    An edit in one copy only is no conflict: it holds for all.

    Args:
        copies: place (path) → comparison of the copy there.
    """
    sides: dict[RuleId, list[Side]] = {}
    for place in sorted(copies):
        for outcome in copies[place].edits:
            line = "" if outcome.kind == "gone" else outcome.line
            sides.setdefault(outcome.rule_id, []).append(Side(place=place, line=line))
    return tuple(
        Conflict(rule_id=rule, sides=tuple(found))
        for rule, found in sorted(sides.items())
        if len({line_key(side.line) for side in found}) > 1
    )


def merge(written: Rendered, found: str, new: Rendered) -> Merged:
    """A new rendering written over an edited text.

    The person's lines stay as they are and where they are. A line of ours that the person left alone takes our new
    wording; one that was reworded stays as the person has it; one that was taken out stays out; a rule that we no
    longer say goes, unless the person had reworded it. New rules come after the rule that precedes them in `new`.

    `merge(w, found, r)` is `found` where `r` is the rendering behind `w`, and `r.text` where `found` is that rendering.
    Inserted lines take the line end of the text found.

    Args:
        written: what was last written there (`Merged.written` of the last merge, or a plain rendering).
        found: what is there now, so the line ends are kept; the caller decodes it.
        new: our rendering now.
    """
    base = written.base or written
    comparison = compare(written, found)
    if found == base.text:
        return Merged(text=new.text, comparison=comparison, written=new)
    theirs = cut_lines(found)
    match = match_lines(cut_lines(written.text), theirs, _rule_lines(written))
    out = _Output(base=base, new=new, match=_on_base(written, base, match, theirs), theirs=theirs)
    lines = out.lines()
    text = "".join(lines)
    if text == new.text:
        return Merged(text=text, comparison=comparison, written=new)
    kept = new.model_copy(update={"base": None})
    return Merged(text=text, comparison=comparison, written=Rendered(text=text, lines=out.mapping(lines), base=kept))


class _Output:
    """The merged lines, and which line of `new` stands where."""

    def __init__(self, *, base: Rendered, new: Rendered, match: Match, theirs: list[str]) -> None:
        self._base = base
        self._new = new
        self._new_lines = cut_lines(new.text)
        self._match = match
        self._theirs = theirs
        self._end = line_end("".join(theirs[:1]))
        self._pairs = _pair(base, new)
        self._placed: list[tuple[str, int | None]] = []

    def lines(self) -> list[str]:
        by_theirs = {theirs: ours for ours, theirs in self._match.found.items()}
        for index, line in enumerate(self._theirs):
            ours = by_theirs.get(index)
            self._placed.extend([(line, None)] if ours is None else self._ours(ours, line))
        self._insert()
        return self._closed()

    def _ours(self, ours: int, line: str) -> list[tuple[str, int | None]]:
        """What becomes of a line of ours that the person kept in some form."""
        touched = ours in self._match.reworded
        target = self._pairs.get(ours)
        if target is None:
            return [(line, None)] if touched else []
        replacement = self._new_lines[target]
        if touched or line_key(replacement) == line_key(line):
            return [(line, target)]
        return [(self._ended(replacement), target)]

    def _insert(self) -> None:
        """Puts in the lines of `new` that have no place yet, each after its predecessor in `new`."""
        written = {line_key(line) for line, target in self._placed if target is None}
        rules = _rule_lines(self._new)
        after = -1
        for target, line in enumerate(self._new_lines):
            at = next((place for place, (_, placed) in enumerate(self._placed) if placed == target), None)
            if at is not None:
                after = at
            elif target in rules and line_key(line) in written:
                self._adopt(target, line_key(line))
            elif not self._taken_out(target):
                after += 1
                self._placed.insert(after, (self._ended(line), target))

    def _taken_out(self, target: int) -> bool:
        """The line was in our last rendering, and the person took it out."""
        said = {entry.rule_id for entry in self._new.lines if entry.line_no - 1 == target}
        before = {ours for ours, now in self._pairs.items() if now == target}
        before |= {entry.line_no - 1 for entry in self._base.lines if entry.rule_id in said}
        return bool(before) and not any(ours in self._match.found for ours in before)

    def _adopt(self, target: int, key: str) -> None:
        """The person wrote the same rule already: their line counts as ours from now on."""
        place = next(at for at, (line, own) in enumerate(self._placed) if own is None and line_key(line) == key)
        self._placed[place] = (self._placed[place][0], target)

    def _ended(self, line: str) -> str:
        return line.rstrip("\r\n") + self._end

    def _closed(self) -> list[str]:
        """The lines, each but the last surely ended."""
        lines = [line for line, _ in self._placed]
        return [line if line.endswith("\n") else line + self._end for line in lines[:-1]] + lines[-1:]

    def mapping(self, lines: list[str]) -> tuple[RuleLine, ...]:
        """Where each rule of `new` stands in the merged text; rules that the person took out have no entry."""
        at = {target: index for index, (_, target) in enumerate(self._placed) if target is not None}
        found: list[RuleLine] = []
        for entry in self._new.lines:
            index = at.get(entry.line_no - 1)
            if index is None:
                continue
            text = lines[index].rstrip("\r\n")
            prefix = read_edited(entry, text).prefix
            found.append(entry.model_copy(update={"line_no": index + 1, "text": text, "prefix": prefix}))
        return tuple(sorted(found, key=lambda entry: entry.line_no))


def _on_base(written: Rendered, base: Rendered, match: Match, theirs: list[str]) -> Match:
    """The match of the text last written, told of the lines of our own rendering behind it.

    Which rule a reworded line says was settled when it was found; it is not guessed again from its likeness. A rule
    of the rendering that has no line in the text was taken out before, and stays out.
    """
    if written is base:
        return match
    at = {entry.rule_id: entry.line_no - 1 for entry in written.lines}
    ours = cut_lines(base.text)
    found: dict[int, int] = {}
    for entry in base.lines:
        place = match.found.get(at.get(entry.rule_id, -1))
        if place is not None:
            found[entry.line_no - 1] = place
    reworded = frozenset(index for index, place in found.items() if line_key(ours[index]) != line_key(theirs[place]))
    rules, used = _rule_lines(base), set(found.values())
    free = [index for index in range(len(theirs)) if index not in used]
    framing = in_order([index for index in range(len(ours)) if index not in rules], ours, free, theirs)
    return Match(found=found | framing, moved=frozenset(), reworded=reworded)


def _pair(base: Rendered, new: Rendered) -> dict[int, int]:
    """Lines of `base` → lines of `new` that are the same line of ours in a newer state (0-based)."""
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    by_id = {alias: entry for entry in new.lines for alias in entry.aliases}
    by_id |= {entry.rule_id: entry for entry in new.lines}
    for entry in base.lines:
        now = by_id.get(entry.rule_id) or next((by_id[alias] for alias in entry.aliases if alias in by_id), None)
        if now is not None and entry.line_no - 1 not in pairs and now.line_no - 1 not in taken:
            pairs[entry.line_no - 1] = now.line_no - 1
            taken.add(now.line_no - 1)
    old, fresh = _identities(base), _identities(new)
    at = {identity: index for index, identity in fresh.items()}
    for index, identity in old.items():
        target = at.get(identity)
        if target is not None and target not in taken:
            pairs[index] = target
            taken.add(target)
    return pairs


def _identities(rendered: Rendered) -> dict[int, tuple[str, str]]:
    """What each line that is no rule is: a frontmatter key, a text, or the blank line after another line."""
    rules = _rule_lines(rendered)
    found: dict[int, tuple[str, str]] = {}
    seen: dict[tuple[str, str], int] = {}
    before, in_head = "", False
    for index, line in enumerate(cut_lines(rendered.text)):
        key = line_key(line)
        if index in rules:
            before = "a rule"
            continue
        if key == "---":
            in_head = index == 0
        name, colon, _ = line.partition(":")
        identity = ("key", name) if in_head and colon else ("line", key) if key else ("blank after", before)
        seen[identity] = seen.get(identity, 0) + 1
        found[index] = (identity[0], f"{identity[1]}#{seen[identity]}")
        before = key or before
    return found


def _outcome(entry: RuleLine, match: Match, theirs: list[str]) -> Outcome:
    ours = entry.line_no - 1
    was = entry.text[len(entry.prefix) :]
    index = match.found.get(ours)
    if index is None:
        return Outcome(kind="gone", rule_id=entry.rule_id, line_no=None, line=entry.text, text=was, was=was)
    line = theirs[index].rstrip("\r\n")
    edited = read_edited(entry, line)
    kind: OutcomeKind = "reworded" if ours in match.reworded else "moved" if ours in match.moved else "exact"
    changed = kind == "reworded"
    return Outcome(
        kind=kind,
        rule_id=entry.rule_id,
        line_no=index + 1,
        line=line,
        text=edited.text,
        was=was,
        when=edited.when if changed else None,
        paths=edited.paths if changed else None,
    )


def _hash(text: str) -> str:
    return bytes_hash(text.encode("utf-8", "surrogatepass"))


def _rule_lines(rendered: Rendered) -> set[int]:
    return {entry.line_no - 1 for entry in rendered.lines}

"""The living document: a SKILL.md as edits see it, with what is known of each rule in it.

A rule of a document is a paragraph or a list item, by a person's hand or ours. Neither ids nor evidence stand in the
text: they are kept beside it, one entry a passage, in the order of the text. So any Markdown can be edited, and what an
agent reads stays what a person would write.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

from pydantic import model_validator

from ingrained.ids import RuleId, atom_key, bytes_hash, message_key, rule_id
from ingrained.skill.frontmatter import verbatim
from ingrained.skill.lines import Rendered
from ingrained.skill.outline import SectionPath, outline
from ingrained.skill.rule import Frozen
from ingrained.skill.tokens import count


class LivingRule(Frozen):
    """What is known of one passage."""

    id: RuleId
    """Stays when the words change. That of the ledger's rule where the text was rendered from one; else from the words
    when they were first seen, so that a document read again has the same ids."""
    words: str
    """As they stand, on one line."""
    evidence: tuple[str, ...] = ()
    """Keys of what it rests on: atoms of the ledger, or a run's own."""
    aliases: tuple[RuleId, ...] = ()
    """Ids of rules that were merged into it."""


class Living(Frozen):
    """A document and its rules. A value: an edit gives another one."""

    version: Literal[1] = 1
    text: str
    """Every character of the file, byte order mark and line ends too."""
    rules: tuple[LivingRule, ...]
    """One for each passage of the text, in its order."""

    @model_validator(mode="after")
    def _fits(self) -> Living:
        found = [passage.words for passage in outline(self.text).passages]
        if found != [rule.words for rule in self.rules]:
            raise ValueError(f"the text has {len(found)} passages, which are not the {len(self.rules)} rules beside it")
        twice = [name for name, times in Counter(_names(self.rules)).items() if times > 1]
        if twice:
            raise ValueError(f"the id {twice[0]!r} belongs to two rules")
        return self

    @property
    def hash(self) -> str:
        """Of the text alone: what a worker reads."""
        return bytes_hash(self.text.encode("utf-8", "surrogatepass"))

    @property
    def tokens(self) -> int:
        """Of the whole text (≈)."""
        return count(self.text)


def read(data: bytes, *, where: str = "SKILL.md") -> Living:
    """The living document in the bytes of a file, which any Markdown is; nobody's evidence is known.

    Raises:
        SkillFormatError: over 1 MiB, not UTF-8, or with NUL characters.
    """
    return opened(verbatim(data, where=where))


def opened(
    text: str, *, written: Rendered | None = None, evidence: Mapping[RuleId, Sequence[str]] | None = None
) -> Living:
    """The living document of a text.

    Args:
        text: any Markdown.
        written: the rendering that the text is, for the ids of its rules. Two rules on one line are one, the second id
            an alias.
        evidence: keys of what the rules of `written` rest on.

    Raises:
        ValueError: `written` is the rendering of another text.
    """
    if written is not None and written.text != text:
        raise ValueError("the rendering is of another text")
    ours: dict[int, list[RuleId]] = {}
    for entry in written.lines if written else ():
        ours.setdefault(entry.line_no - 1, []).append(entry.rule_id)
        ours[entry.line_no - 1] += entry.aliases
    taken = {one for ids in ours.values() for one in ids}
    rules: list[LivingRule] = []
    times: Counter[str] = Counter()
    for passage in outline(text).passages:
        ids = list(dict.fromkeys(ours.get(passage.first, ()))) or [fresh_id(passage.words, taken, times[passage.words])]
        times[passage.words] += 1
        taken.update(ids)
        known = union((evidence or {}).get(one, ()) for one in ids)
        rules.append(LivingRule(id=ids[0], words=passage.words, evidence=known, aliases=tuple(ids[1:])))
    return Living(text=text, rules=tuple(rules))


def fresh_id(words: str, taken: Collection[str], nth: int = 0) -> RuleId:
    """The id of a rule that has none yet: from its words, which count as its first evidence; none of `taken`.

    `nth`: how many rules before it have the same words.
    """
    key = message_key("document", words)
    while (found := rule_id(atom_key(key, nth))) in taken:
        nth += 1
    return found


def names(living: Living) -> set[str]:
    """All ids and aliases."""
    return set(_names(living.rules))


def union(evidence: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """Evidence keys of several rules, each once, in order."""
    return tuple(dict.fromkeys(key for keys in evidence for key in keys))


def path_text(path: SectionPath) -> str:
    """A section as an edit names it, a JSON array: `["Standing rules", "Workflow"]`."""
    return json.dumps(path, ensure_ascii=False)


def rule_text(rule: LivingRule, most: int = 80) -> str:
    """A rule for a list: its id and the beginning of its words."""
    words = rule.words if len(rule.words) <= most else rule.words[: most - 1] + "…"
    return f"{rule.id} {words}"


def listed(living: Living) -> str:
    """All that an edit may name, a section or rule a line: for a model that proposes edits."""
    found = outline(living.text)
    lines = [(section.first, 0, path_text(section.path)) for section in found.sections]
    for passage, rule in zip(found.passages, living.rules, strict=True):
        depth = passage.nest.count("list_item") or 1
        lines.append((passage.first, depth, "  " * depth + rule_text(rule, most=len(rule.words))))
    return "".join(f"{line}\n" for _, _, line in sorted(lines, key=lambda one: one[:2]))


def _names(rules: Iterable[LivingRule]) -> list[str]:
    return [name for rule in rules for name in (rule.id, *rule.aliases)]

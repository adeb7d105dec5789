"""What the target of an edit is in a document: a rule by id or line, a section by its headings, or an error that helps.

A name that fits nothing, or more than one thing, is refused with what exists and the nearest match; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Sequence

from ingrained.errors import EditError
from ingrained.ids import normal_text
from ingrained.registry import nearest
from ingrained.skill.lines import line_words
from ingrained.skill.living import Living, path_text, rule_text
from ingrained.skill.outline import SectionPath, outline

_MOST_LISTED = 12


def find_rule(living: Living, target: str) -> int:
    """The place of the rule that is named, among the document's rules.

    Args:
        living: the document.
        target: an id, an alias, or all of the rule's words, with or without its bullet or its id before them.

    Raises:
        EditError: no rule is named so, or several have these words.
    """
    for at, rule in enumerate(living.rules):
        if target in {rule.id, *rule.aliases}:
            return at
    words = line_words(target)
    found = [
        at
        for at, rule in enumerate(living.rules)
        if words in {rule.words, line_words(rule.words), f"{rule.id} {rule.words}"}
    ]
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(living.rules[at].id for at in found)
        raise EditError(f"{len(found)} rules have the words {target!r}: {ids}", hint="name the one you mean by its id")
    there = [rule_text(rule) for rule in living.rules]
    raise EditError(
        f"no rule {target!r} in the document{_exist(target, there)}", hint="name a rule by its id or by its whole line"
    )


def find_section(living: Living, target: SectionPath) -> int:
    """The place of the section that is named, among the document's sections.

    Args:
        living: the document.
        target: the headings that lead to it, or the last of them; empty: the part before the first heading.

    Raises:
        EditError: no section is named so, or several are.
    """
    paths = [section.path for section in outline(living.text).sections]
    wanted = tuple(normal_text(heading) for heading in target)
    if wanted in paths:
        return paths.index(wanted)
    bare = tuple(normal_text(heading.lstrip("#")) for heading in wanted)
    found = [at for at, path in enumerate(paths) if wanted and path[-len(wanted) :] in {wanted, bare}]
    if len(found) == 1:
        return found[0]
    if found:
        ways = " and ".join(path_text(paths[at]) for at in found)
        raise EditError(f"{path_text(target)} names {len(found)} sections: {ways}", hint="give the whole path")
    there = [path_text(path) for path in paths]
    raise EditError(
        f"no section {path_text(target)} in the document{_exist(path_text(target), there)}",
        hint="name a section by the headings that lead to it; [] is the part before the first",
    )


def _exist(target: str, names: Sequence[str]) -> str:
    more = len(names) - _MOST_LISTED
    listed = "; ".join(names[:_MOST_LISTED]) + (f"; and {more} more" if more > 0 else "")
    return f"{nearest(target, list(names))}; there are: {listed or 'none'}"

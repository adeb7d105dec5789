"""`forget` for a terminal: what would go, before the question, and what is gone, after it."""

from __future__ import annotations

from collections.abc import Sequence

from ingrained.learn.erase import Erased, Going
from ingrained.skill.rule import Rule
from ingrained.wording import plural

_SHOWN = 20


def going_text(found: Going) -> str:
    """What the question is about: each rule that goes, since a message may have made several."""
    if not found.messages:
        return "Nothing that is known matches."
    lines = [f"{plural(found.messages, 'message')} and all that rests on it alone:"]
    lines += _rules(found.rules) or ["  no rule"]
    if found.weaker:
        lines += ["Rests on other messages too, and gets weaker or goes:", *_rules(found.weaker)]
    if found.answers:
        stored = plural(found.answers, "stored answer of a model goes", "stored answers of models go")
        lines.append(f"{stored} too: all there are, whoever they are about.")
    lines.append("The same words from the same logs, or about the same request, are not taken in again.")
    return "\n".join(lines)


def _rules(rules: Sequence[Rule]) -> list[str]:
    more = [f"  and {len(rules) - _SHOWN} more"] if len(rules) > _SHOWN else []
    return [f"  {rule.id}  {' '.join(rule.text.split())}" for rule in rules[:_SHOWN]] + more


def forgotten_text(erased: Erased) -> str:
    """The answer of `forget`."""
    if not erased.messages and not erased.sessions:
        return "Nothing that is known matches; nothing was removed."
    still = (
        f" {plural(erased.still_installed, 'installed copy still says', 'installed copies still say')} it, "
        "and what undo needs of it, until the next install or undo there."
        if erased.still_installed
        else ""
    )
    kept = f", {plural(erased.kept, 'edited file', 'edited files')} put aside by undo --force" if erased.kept else ""
    kept += f", {plural(erased.answers, 'stored answer')} of models, all there were" if erased.answers else ""
    return (
        f"Removed {plural(erased.messages, 'message')} ({plural(erased.copies, 'copy', 'copies')}), "
        f"{plural(erased.rules, 'rule')}{_ids(erased)}, {plural(erased.decisions, 'decision')}{kept}. "
        f"Drafts are up to date.{still}"
    )


def _ids(erased: Erased) -> str:
    return f" ({', '.join(erased.gone)})" if erased.gone else ""

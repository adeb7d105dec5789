"""Handing rules to colleagues, and taking theirs: what may go out, and what comes in."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from ingrained.errors import ConfigError, EnvironmentFaultError, RefusedError, UnknownNameError
from ingrained.ids import ProjectId
from ingrained.learn.drafts import draftable
from ingrained.learn.imported import Placed
from ingrained.learn.pipeline import opened, put_drafts
from ingrained.learn.view import View, project_of
from ingrained.session.projects import display_name
from ingrained.session.session import Redactor
from ingrained.skill.guard import findings, unmatched
from ingrained.skill.rule import Rule
from ingrained.skill.select import DEFAULT_BUDGET
from ingrained.skill.shared import (
    FORMAT,
    MOST_BYTES,
    Refused,
    SharedRules,
    collected,
    dump,
    markdown,
    parse,
    shared_rule,
)
from ingrained.store.files import read_bytes_or_none, write_atomic
from ingrained.store.imports import Import, drop, imports, keep

_NAME = re.compile(r"[\w.-]{1,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A rule that stays here until somebody looked at it."""

    rule: Rule
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What goes out, and what does not."""

    shared: SharedRules
    held: tuple[Held, ...]
    waiting: int
    """Shared rules that are not sure enough, wait for a yes, or stand in a file of the project already."""
    unmatched: tuple[str, ...] = ()
    """Words that were allowed and hold no rule of any project back, nor are the id of one; words that no look settles
    are among them."""


def export(
    view: View, project: ProjectId, *, names: Sequence[str], redactor: Redactor, allowed: Collection[str] = ()
) -> Exported:
    """The rules of a project that may be told to its people, as they are told.

    Args:
        view: all rules. Personal ones, and those that came in a file, are not told.
        project: whose rules; those that hold everywhere go along.
        names: to keep out.
        redactor: finds secrets and personal data.
        allowed: words and rule ids that the person looked at.
    """
    own = [rule for rule in view.rules if rule.tier == "shared" and not rule.imported]
    here = [
        rule for rule in own if rule.scope.project in {None, project} and rule.status not in {"refused", "superseded"}
    ]
    ready = [rule for rule in here if not draftable(rule)]
    held: list[Held] = []
    passed: list[Rule] = []
    for rule in ready:
        why = findings(rule, names=names, redactor=redactor, allowed=allowed)
        long = len(rule.text) > 500 or len(rule.scope.when) > 200
        if why or long:
            held.append(Held(rule=rule, why=why or ("length: too long to be one rule",)))
        else:
            passed.append(rule)
    return Exported(
        shared=collected(map(shared_rule, passed)),
        held=tuple(sorted(held, key=lambda one: one.rule.id)),
        waiting=len(here) - len(ready),
        unmatched=unmatched(allowed, ((rule, findings(rule, names=names, redactor=redactor)) for rule in own))
        if allowed
        else (),
    )


def written(exported: Exported, out: Path) -> bool:
    """Write the rules to a file, as Markdown where its name says so, else as JSON; whether it changed.

    Raises:
        RefusedError: the file is there and is none of ours.
        StoreError: it cannot be written.
    """
    before = read_bytes_or_none(out)
    if before is not None and before.strip() and FORMAT.encode() not in before[:200]:
        raise RefusedError(f"{out} is there and holds no shared rules; it stays as it is", hint="name another file")
    text = markdown(exported.shared) if out.suffix.lower() in {".md", ".markdown"} else dump(exported.shared)
    if before == text.encode():
        return False
    if not out.parent.is_dir():
        raise EnvironmentFaultError(f"there is no folder {str(out.parent)!r}", hint="make it, or name another file")
    write_atomic(out.resolve(), text.encode())
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What a file said and what became of it."""

    name: str
    placed: tuple[Placed, ...]
    refused: tuple[Refused, ...]
    view: View
    kept: bool
    """Whether it was written down; else it was only looked at."""


def take_in(home: Path, file: Path, *, name: str, folder: Path, dry_run: bool = False) -> Taken:
    """Read a file of shared rules; each becomes a proposal for the project, beside the person's own.

    Args:
        home: the program's home folder.
        file: the file.
        name: who it is from; "" takes the file's name.
        folder: the project's folder.
        dry_run: write nothing.

    Raises:
        EnvironmentFaultError: there is no such file.
        ConfigError: it is no such file as a whole, or the name will not do.
        StoreError: the home folder cannot be used.
    """
    called = name or re.sub(r"[^\w.-]+", "-", file.stem)
    if not _NAME.fullmatch(called) or called.startswith("."):
        raise ConfigError(f"{called!r} is no name (letters, digits, . _ -)", hint="ingrained import FILE --from NAME")
    shared, refused = parse(_content(file), str(file))
    with opened(home, "import") as here:
        project = project_of(folder, here.view(), home)
        one = Import(name=called, project=project, title=display_name(project), rules=shared.rules)
        if dry_run:
            others = [other for other in imports(home) if other.name != called]
            view = here.view(imported=sorted([*others, one], key=lambda each: each.name))
        else:
            keep(home, one)
            view = here.view()
            put_drafts(view, here.ledger, here.library, budget=DEFAULT_BUDGET, form="auto")
    placed = tuple(each for each in view.placed if each.source == called)
    return Taken(name=called, placed=placed, refused=refused, view=view, kept=not dry_run)


def take_out(home: Path, name: str) -> int:
    """Forget a file of shared rules; how many rules it had.

    Raises:
        UnknownNameError: none of that name was read.
        StoreError: the home folder cannot be used.
    """
    with opened(home, "import") as here:
        found = {one.name: len(one.rules) for one in imports(home)}
        if name not in found:
            raise UnknownNameError(f"nothing was imported from {name!r} (known: {', '.join(found) or 'none'})")
        drop(home, name)
        put_drafts(here.view(), here.ledger, here.library, budget=DEFAULT_BUDGET, form="auto")
        return found[name]


def _content(file: Path) -> bytes:
    try:
        size = file.stat().st_size
    except OSError as error:
        raise EnvironmentFaultError(f"{str(file)!r} cannot be read: {error.strerror}", hint="name the file") from error
    if size > MOST_BYTES:
        raise ConfigError(f"{file} has {size:,} bytes; {MOST_BYTES:,} are read at most", hint="is it the right file?")
    return read_bytes_or_none(file) or b""

"""Judges a folder of skills, as `doctor --skills` shows it. Reads only; nothing is written, run or followed.

A skill from elsewhere may be hostile, so a link is judged by where it leads before anything is opened, only regular
files are read, and each file is read up to the size cap. One bad skill never hides the others: each folder gets its own
verdict.
"""

from __future__ import annotations

import os
import stat
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import Literal

from ingrained.errors import ConfigError, SkillFormatError
from ingrained.ids import normal_text
from ingrained.skill import frontmatter, safety
from ingrained.skill.document import SkillDocument, check_name, parse
from ingrained.skill.frontmatter import Field
from ingrained.skill.rule import Frozen
from ingrained.skill.tokens import count
from ingrained.wording import plural

LISTING_CHARS = 8_000
"""Characters of descriptions that an agent lists at 200,000 tokens of context; it drops the rest without a word."""
ENTRY_CHARS = 1_536
"""Characters at which one entry is cut."""
BODY_TOKENS = 5_000
"""The specification's advice for the body."""
MAX_FILES = 2_000
"""Files of one skill that are looked at for links."""
_FILE = "SKILL.md"
_HIDDEN_RUN = 4
_SHOWN_CHARS = 500
_NUMBER_LIKE = {"y", "n", "yes", "no", "on", "off", "true", "false", "null", "~"}

VerdictName = Literal["valid", "repaired", "warning", "rejected"]
Severity = Literal["note", "repair", "warning", "error"]
_VERDICT: dict[Severity, VerdictName] = {
    "note": "valid",
    "repair": "repaired",
    "warning": "warning",
    "error": "rejected",
}
_WEIGHT: dict[Severity, int] = {"note": 0, "repair": 1, "warning": 2, "error": 3}


class SkillFinding(Frozen):
    """One thing about a skill. `note` changes no verdict; `repair` was mended in reading, and would be in writing."""

    code: str
    severity: Severity
    message: str
    shown: str = ""
    """Hidden text, decoded, where that is what was found."""


class SkillVerdict(Frozen):
    """What became of one folder; the worst finding decides."""

    folder: str
    """Name of the folder."""
    verdict: VerdictName
    findings: tuple[SkillFinding, ...]
    seconds: float
    """Wall time of reading and judging it."""
    name: str = ""
    """As its frontmatter says; empty where it could not be read."""
    description: str = ""
    tokens: int = 0
    """Of the body (≈)."""
    listing_chars: int = 0
    """Characters that it takes in an agent's listing: name and description, each entry cut at 1,536."""


class SkillsReport(Frozen):
    """The published shape of `doctor --skills --json`."""

    version: int = 1
    path: str
    skills: tuple[SkillVerdict, ...]
    counts: dict[VerdictName, int]
    listing_chars: int
    """Of all readable skills together."""
    listing_limit: int = LISTING_CHARS
    findings: tuple[SkillFinding, ...] = ()
    """About the folder as a whole."""


def judge_folder(path: Path) -> list[SkillVerdict]:
    """A verdict for each skill folder in `path`, by name; of `path` itself where it holds a SKILL.md.

    Raises:
        ConfigError: `path` is no folder that can be read.
    """
    return list(report(path).skills)


def report(path: Path) -> SkillsReport:
    """The verdicts with what concerns the folder as a whole: shared names and descriptions, the listing budget.

    Raises:
        ConfigError: `path` is no folder that can be read.
    """
    root = path.resolve()
    try:
        names = sorted(entry.name for entry in os.scandir(root))
    except OSError as error:
        reason = error.strerror or str(error)
        raise ConfigError(f"cannot read {str(path)!r}: {reason}", hint="give a folder that holds skills") from error
    if _skill_file(names):
        verdicts = [_judge(root, root.parent)]
    else:
        folders = [root / name for name in names if not name.startswith(".")]
        verdicts = [_judge(folder, root) for folder in folders if folder.is_symlink() or folder.is_dir()]
    verdicts = _with_doubles(verdicts)
    total = sum(verdict.listing_chars for verdict in verdicts)
    findings: tuple[SkillFinding, ...] = ()
    if total > LISTING_CHARS:
        message = (
            f"names and descriptions have {total:,} characters; an agent lists about {LISTING_CHARS:,} "
            "and drops the rest, the least used first"
        )
        findings = (SkillFinding(code="listing", severity="warning", message=message),)
    return SkillsReport(
        path=str(path),
        skills=tuple(verdicts),
        counts=dict(sorted(Counter(verdict.verdict for verdict in verdicts).items())),
        listing_chars=total,
        findings=findings,
    )


def _judge(folder: Path, root: Path) -> SkillVerdict:
    start = perf_counter()
    found: list[SkillFinding] = []
    document = None
    try:
        data, links = _read(folder, root)
        found += links
        document = _parse(data, folder, found)
    except SkillFormatError as error:
        found.append(SkillFinding(code="format", severity="error", message=error.message))
    except OSError as error:
        reason = f"{_place(folder)}: cannot be read: {error.strerror or error}"
        found.append(SkillFinding(code="unreadable", severity="error", message=reason))
    if document is not None:
        found += _about(document, folder.name)
    worst = _worst(found)
    return SkillVerdict(
        folder=folder.name,
        verdict=_VERDICT[worst],
        findings=tuple(found),
        seconds=round(perf_counter() - start, 6),
        name=document.name if document else "",
        description=document.description if document else "",
        tokens=count(document.body) if document else 0,
        listing_chars=_listing(document) if document else 0,
    )


def _worst(found: Iterable[SkillFinding]) -> Severity:
    worst: Severity = "note"
    for finding in found:
        if _WEIGHT[finding.severity] > _WEIGHT[worst]:
            worst = finding.severity
    return worst


def _read(folder: Path, root: Path) -> tuple[bytes, list[SkillFinding]]:
    """The bytes of the skill's file, after every link in the folder was shown to stay inside `root`."""
    found: list[SkillFinding] = []
    if folder.is_symlink():
        found.append(_link(folder, root))
    file_name = _skill_file(entry.name for entry in os.scandir(folder))
    if file_name is None:
        raise SkillFormatError(f"{folder.name}: there is no {_FILE} in it, so no agent reads it")
    if file_name != _FILE:
        message = f"the file is called {file_name!r}; on most systems agents find only {_FILE!r}"
        found.append(SkillFinding(code="file-name", severity="warning", message=message))
    found += [_link(inner, root) for inner in _links(folder)]
    file = folder / file_name
    mode = file.stat().st_mode
    if not stat.S_ISREG(mode):
        raise SkillFormatError(f"{_place(file)}: no regular file")
    # non-blocking: the file may have become a pipe since it was looked at
    with os.fdopen(os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as stream:
        return stream.read(frontmatter.MAX_FILE_BYTES + 1), found


def _links(folder: Path) -> Iterator[Path]:
    seen = 0
    for base, folders, files in os.walk(folder, followlinks=False):
        for name in sorted([*folders, *files]):
            seen += 1
            if seen > MAX_FILES:
                raise SkillFormatError(f"{folder.name}: more than {MAX_FILES:,} files in one skill")
            if (path := Path(base) / name).is_symlink():
                yield path


def _link(path: Path, root: Path) -> SkillFinding:
    target = Path(os.path.realpath(path))
    if target != root and root not in target.parents:
        raise SkillFormatError(f"{_place(path)}: a link that leads out of {str(root)!r}, to {str(target)!r}")
    return SkillFinding(code="link", severity="note", message=f"{_place(path)} is a link within the folder")


def _parse(data: bytes, folder: Path, found: list[SkillFinding]) -> SkillDocument:
    where = f"{folder.name}/{_FILE}"
    document = parse(data, where=where, mend=True)
    found += [_repaired(code) for code in document.repairs]
    fields = frontmatter.read(document.head, where=where)
    if any(field.flow for field in fields):
        message = "a value in brackets; the specification's validator refuses it"
        found.append(SkillFinding(code="brackets", severity="warning", message=message))
    found += list(_misread(fields, document.head))
    return document


def _repaired(code: str) -> SkillFinding:
    kind, _, name = code.partition(":")
    said = {
        "bom": "a byte order mark, which the specification's validator refuses; it is left out in writing",
        "crlf": "CRLF line ends; LF is written",
        "line-end": "no line end after the closing '---'; one is written",
        "colon": f"the field {name!r} is not quoted and YAML misreads it: agents then drop all fields; it is quoted",
        "list": f"the field {name!r} is a list; the specification has words with blanks between",
    }
    return SkillFinding(code=kind, severity="warning" if kind == "list" else "repair", message=said[kind])


def _misread(fields: Sequence[Field], head: str) -> Iterator[SkillFinding]:
    """Bare words that other YAML readers take for a number or a truth value."""
    lines = head.split("\n")
    for field in fields:
        if field.name not in {"name", "description"} or not isinstance(field.value, str):
            continue
        bare = lines[field.first].partition(":")[2].strip() == field.value
        if bare and (field.value.lower() in _NUMBER_LIKE or field.value.replace(".", "", 1).isdigit()):
            message = (
                f"the field {field.name!r} is the bare word {field.value}; some agents read no text there: quote it"
            )
            yield SkillFinding(code="bare-word", severity="warning", message=message)


def _about(document: SkillDocument, folder: str) -> Iterator[SkillFinding]:
    if wrong := check_name(document.name, folder):
        yield SkillFinding(code="folder", severity="warning", message=wrong)
    if document.other:
        message = f"fields outside the specification: {', '.join(document.other)}; only some agents know them"
        yield SkillFinding(code="fields", severity="warning", message=message)
    if "---" in document.head:
        message = "three hyphens inside the frontmatter; the specification's validator splits the file there"
        yield SkillFinding(code="hyphens", severity="note", message=message)
    in_head = list(_hidden("frontmatter", document.head))
    # an escape in quotes shows in the head and hides in the value
    yield from in_head or _hidden("description", document.description)
    yield from _hidden("body", document.body)
    if _listing(document) >= ENTRY_CHARS:
        message = f"name and description reach {ENTRY_CHARS:,} characters, where listings are cut"
        yield SkillFinding(code="long-entry", severity="warning", message=message)
    if (tokens := count(document.body)) > BODY_TOKENS:
        message = f"the body has ≈{tokens:,} tokens; the specification advises under {BODY_TOKENS:,}"
        yield SkillFinding(code="long-body", severity="note", message=message)


def _hidden(part: str, text: str) -> Iterator[SkillFinding]:
    """Characters that no reader sees: an error where they can carry text or turn its order round, else stripped.

    Single joiners belong to some scripts; a tag, a change of direction or a run of four and more does not.
    """
    runs = safety.hidden(text)
    carriers = [run for run in runs if run.kind in {"tag", "bidi"} or run.length >= _HIDDEN_RUN]
    strays = [run for run in runs if run not in carriers]
    severities: tuple[tuple[Severity, list[safety.Finding]], ...] = (("error", carriers), ("repair", strays))
    for severity, found in severities:
        if found:
            number = sum(run.length for run in found)
            kinds = ", ".join(sorted({run.kind for run in found}))
            shown = " ".join(run.shown for run in found)[:_SHOWN_CHARS]
            message = (
                f"{plural(number, 'hidden character')} ({kinds}) in the {part}, from offset {found[0].start}: {shown!r}"
            )
            yield SkillFinding(code="hidden-text", severity=severity, message=message, shown=shown)


def _with_doubles(verdicts: Sequence[SkillVerdict]) -> list[SkillVerdict]:
    """Adds a warning to each of several readable skills with one name or one description."""
    shared: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for verdict in verdicts:
        for kind, value in (("name", verdict.name), ("description", normal_text(verdict.description).casefold())):
            if value:
                shared[kind, value].append(verdict.folder)
    return [_doubled(verdict, shared) for verdict in verdicts]


def _doubled(verdict: SkillVerdict, shared: dict[tuple[str, str], list[str]]) -> SkillVerdict:
    found = list(verdict.findings)
    for kind, value in (("name", verdict.name), ("description", normal_text(verdict.description).casefold())):
        others = [folder for folder in shared.get((kind, value), []) if folder != verdict.folder]
        if others:
            message = f"the same {kind} as {', '.join(others)}; an agent cannot tell them apart"
            found.append(SkillFinding(code=f"same-{kind}", severity="warning", message=message))
    if len(found) == len(verdict.findings):
        return verdict
    new: VerdictName = "rejected" if verdict.verdict == "rejected" else "warning"
    return verdict.model_copy(update={"findings": tuple(found), "verdict": new})


def _listing(document: SkillDocument) -> int:
    when = document.other.get("when_to_use", "")
    return min(
        ENTRY_CHARS, len(document.name) + len(document.description) + (len(when) if isinstance(when, str) else 0)
    )


def _skill_file(names: Iterable[str]) -> str | None:
    """`SKILL.md` where it is, else the same name in other letters."""
    known = sorted(name for name in names if name.lower() == _FILE.lower())
    return _FILE if _FILE in known else known[0] if known else None


def _place(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"

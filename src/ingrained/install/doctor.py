"""What `doctor` says: where things are, who reads them, what changed in them, and what is damaged. Reads only.

Damage in our own files is the one thing that makes the exit code 4. An edited copy, a copy behind its draft, a full
listing or a settings file that does not parse are told and harm nothing.
"""

from __future__ import annotations

import json
import platform
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import ingrained
from ingrained.errors import ConfigError, IngrainedError, StoreError
from ingrained.install.hooks import HOOKED, hooked, settings_file
from ingrained.install.places import TARGETS, View, Where
from ingrained.install.plan import update_commands
from ingrained.skill.check import ENTRY_CHARS, LISTING_CHARS, report
from ingrained.skill.rule import Frozen
from ingrained.store.database import LEDGER_NAME
from ingrained.store.edits import collect_edits, compare_copy, read_copy
from ingrained.store.files import read_bytes_or_none
from ingrained.store.imports import imports
from ingrained.store.library import Library
from ingrained.store.manifest import Copy, Manifest, PieceKind
from ingrained.store.queue import peek
from ingrained.wording import plural

CLEAN_UP_DAYS = 30
"""Days after which Claude Code deletes session logs where its settings say nothing else."""

CopyState = Literal["current", "behind", "edited", "replaced", "older", "missing", "unreadable"]


class Finding(Frozen):
    """One thing to know. `warning` asks for attention; `damage` is in our own files and sets the exit code."""

    level: Literal["note", "warning", "damage"]
    about: str
    message: str
    hint: str = ""


class InstalledCopy(Frozen):
    """One installed text and what became of it."""

    path: str
    agent: str
    into: Literal["user", "project"]
    kind: PieceKind
    name: str
    draft: str
    readers: tuple[str, ...]
    state: CopyState
    """`edited`: lines of ours were reworded or taken out. `replaced`: no line of ours is left. `older`: a version that
    we wrote earlier, such as on another branch. A copy that is `behind` its draft may have been edited too."""
    behind: bool
    reworded: int = 0
    gone: int = 0
    added: int = 0
    """Lines of the person's own in it."""


class AgentState(Frozen):
    """One agent as it is set up here."""

    agent: str
    found: bool
    folder: str
    skills: int
    """Readable skills in its folders."""
    listing_chars: int
    """Characters of names and descriptions that it lists, each entry cut at `entry_limit`."""
    listing_ours: int
    """Those of installed skills of ours."""
    listing_limit: int = LISTING_CHARS
    entry_limit: int = ENTRY_CHARS


class HookState(Frozen):
    """Whether an agent's settings hold our hook."""

    agent: str
    settings: str
    present: bool


class CleanUp(Frozen):
    """How long Claude Code keeps session logs."""

    settings: str
    state: Literal["default", "set", "unreadable"]
    days: int | None
    """`None`: the settings file cannot be read."""


class Diagnosis(Frozen):
    """The published shape of `doctor --json`."""

    version: int = 1
    ingrained: str
    python: str
    system: str
    home: str
    ledger: Literal["none", "sound", "damaged", "unusable"]
    ledger_bytes: int
    messages: int | None
    """`None`: there is no ledger that can be read."""
    library: Literal["none", "sound", "damaged"]
    drafts: tuple[str, ...]
    steps: int
    """Installs that `undo` can take back."""
    agents: tuple[AgentState, ...]
    copies: tuple[InstalledCopy, ...]
    clean_up: CleanUp
    hooks: tuple[HookState, ...]
    queued: int
    """Logs that hooks named and that no `learn` has taken up yet."""
    findings: tuple[Finding, ...]

    @property
    def exit_code(self) -> int:
        """4 where something of ours is damaged, else 0."""
        return 4 if any(finding.level == "damage" for finding in self.findings) else 0


def diagnose(home: Path, where: Where) -> Diagnosis:
    """Everything that can be told about this installation. Nothing raises for what it finds.

    Cost: the ledger and every installed file are read once.

    Args:
        home: the program's home folder; it need not exist.
        where: the machine, from `places.here`.
    """
    found: list[Finding] = []
    library = Library(home)
    manifest = _manifest(library, found)
    state, size, messages = _ledger(home, found)
    copies = tuple(_copies(library, manifest or Manifest(), found))
    ours = {copy.name for copy in (manifest or Manifest()).copies if copy.kind == "skill"}
    views = {
        entry.name: TARGETS.load(entry.name)().view(where) for entry in TARGETS.entries() if _built_in(entry.source)
    }
    agents = tuple(_agent(name, view, ours, found) for name, view in views.items())
    clean_up = _clean_up(views["claude-code"], found)
    if views["claude-code"].found and clean_up.days is not None:
        message = f"Claude Code deletes session logs after {plural(clean_up.days, 'day')} (cleanupPeriodDays)"
        hint = "run ingrained learn more often than that, or raise the number in its settings"
        found.append(Finding(level="note", about="claude-code", message=message, hint=hint))
    try:
        imports(home)
    except StoreError as error:
        found.append(Finding(level="damage", about="imports", message=error.message, hint=error.hint))
    damaged = any(finding.level == "damage" and finding.about == "library" for finding in found)
    return Diagnosis(
        ingrained=ingrained.__version__,
        python=platform.python_version(),
        system=platform.system(),
        home=str(home),
        ledger=state,
        ledger_bytes=size,
        messages=messages,
        library="damaged" if damaged else "sound" if library.desk.manifest.exists() else "none",
        drafts=tuple(draft.name for draft in (manifest or Manifest()).drafts),
        steps=len((manifest or Manifest()).steps),
        agents=agents,
        copies=copies,
        clean_up=clean_up,
        hooks=tuple(
            HookState(agent=name, settings=str(settings_file(name, where)[0]), present=hooked(name, where))
            for name in HOOKED
        ),
        queued=len(peek(home).entries),
        findings=tuple(found),
    )


def _built_in(source: str) -> bool:
    return source == "built-in"


def _ledger(
    home: Path, found: list[Finding]
) -> tuple[Literal["none", "sound", "damaged", "unusable"], int, int | None]:
    from ingrained.store.ledger import Ledger

    path = home / LEDGER_NAME
    if not path.exists():
        found.append(Finding(level="note", about="ledger", message="nothing was learned yet", hint="ingrained learn"))
        return "none", 0, None
    size = path.stat().st_size
    try:
        with Ledger.open(home, read_only=True) as ledger:
            return "sound", size, ledger.totals().messages
    except StoreError as error:
        damaged = "is damaged" in error.message
        found.append(
            Finding(level="damage" if damaged else "warning", about="ledger", message=error.message, hint=error.hint)
        )
        return "damaged" if damaged else "unusable", size, None


def _manifest(library: Library, found: list[Finding]) -> Manifest | None:
    """The manifest where it can be read, after its blobs and a cut-off transaction were looked at."""
    try:
        pending = library.desk.pending()
        manifest = library.manifest()
    except StoreError as error:
        found.append(Finding(level="damage", about="library", message=error.message, hint=error.hint))
        return None
    if pending is not None:
        found.append(
            Finding(
                level="warning",
                about="library",
                message=f"an interrupted {pending.what} waits to be finished",
                hint="the next ingrained learn, install or undo finishes it",
            )
        )
        return manifest
    lost = [name for name in sorted(manifest.blobs()) if not library.blobs.sound(name)]
    if lost:
        found.append(
            Finding(
                level="damage",
                about="library",
                message=f"in {library.blobs.folder} {plural(len(lost), 'text is', 'texts are')} missing or damaged: "
                + ", ".join(lost[:3]),
                hint="restore that folder from a backup; what belongs to them cannot be undone",
            )
        )
    return manifest


def _copies(library: Library, manifest: Manifest, found: list[Finding]) -> Iterator[InstalledCopy]:
    late = library.behind() if manifest.copies else ()
    behind = {copy.key for copy in late}
    for copy in manifest.copies:
        state = _copy(library, manifest, copy, copy.key in behind, found)
        yield state
        if state.state in {"edited", "replaced", "unreadable"} or state.added:
            changes = f"{state.reworded} reworded, {state.gone} taken out, {state.added} added"
            text = changes if state.state != "replaced" else "it holds none of our lines any more"
            hint = "ingrained learn takes the edits in; install and undo keep them"
            if state.state != "unreadable":
                found.append(
                    Finding(level="note", about=copy.path, message=f"{copy.path} was edited since: {text}", hint=hint)
                )
    found.extend(_conflicts(library))
    if behind:
        many = f"{plural(len(behind), 'installed copy is', 'installed copies are')} behind the draft"
        found.append(Finding(level="note", about="library", message=many, hint="; ".join(update_commands(late))))


def _conflicts(library: Library) -> Iterator[Finding]:
    """What only the person can settle: a rule that says one thing in one copy and another in a second."""
    try:
        edits = collect_edits(library).edits
    except StoreError:
        return  # the damage is told already
    for edit in edits:
        if edit.outcome == "conflict":
            hint = "write the line alike in these files, then run ingrained learn"
            yield Finding(level="warning", about=edit.rule_id, message=edit.told, hint=hint)


def _copy(library: Library, manifest: Manifest, copy: Copy, behind: bool, found: list[Finding]) -> InstalledCopy:
    state: CopyState
    counts: Counter[str] = Counter()
    added = 0
    try:
        text = read_copy(copy)
        if text is None:
            state = "missing"
        else:
            compared = compare_copy(library, manifest, copy, text)
            counts.update(outcome.kind for outcome in compared.edits)
            added = len(compared.added) if compared.state == "edited" else 0
            match compared.state:
                case "same":
                    state = "behind" if behind else "current"
                case "edited":
                    state = "edited" if compared.edits else "behind" if behind else "current"
                case "older" | "missing" | "replaced":
                    state = compared.state
    except IngrainedError as error:
        state = "unreadable"
        found.append(Finding(level="warning", about=copy.path, message=error.message, hint=error.hint))
    return InstalledCopy(
        path=copy.path,
        agent=copy.agent,
        into=copy.into,
        kind=copy.kind,
        name=copy.name,
        draft=copy.draft,
        readers=copy.readers,
        state=state,
        behind=behind,
        reworded=counts["reworded"],
        gone=counts["gone"],
        added=added,
    )


def _agent(name: str, view: View, ours: set[str], found: list[Finding]) -> AgentState:
    entries: dict[str, int] = {}
    chars = own = number = 0
    for folder in view.skills:
        try:
            verdicts = report(folder).skills
        except ConfigError:
            continue
        for verdict in verdicts:
            if verdict.verdict == "rejected" or not verdict.name:
                continue
            number += 1
            chars += verdict.listing_chars
            own += verdict.listing_chars if verdict.name in ours else 0
            entries[verdict.name] = entries.get(verdict.name, 0) + 1
            if verdict.listing_chars >= ENTRY_CHARS:
                message = f"the description of {verdict.name!r} is cut at {ENTRY_CHARS:,} characters"
                found.append(Finding(level="warning", about=str(folder), message=message))
    twice = sorted(entry for entry, times in entries.items() if times > 1)
    if twice:
        message = f"{name} lists {', '.join(twice)} from two folders; one hides the other"
        found.append(Finding(level="warning", about=name, message=message))
    if chars > LISTING_CHARS:
        message = (
            f"{name} lists {plural(number, 'skill')} with {plural(chars, 'character')} ({own:,} of them ours); "
            f"beyond about {LISTING_CHARS:,} it drops descriptions without a word"
        )
        found.append(Finding(level="warning", about=name, message=message, hint="remove skills that you do not use"))
    return AgentState(
        agent=name, found=view.found, folder=str(view.folder), skills=number, listing_chars=chars, listing_ours=own
    )


def keeps_logs(where: Where) -> CleanUp:
    """How long Claude Code keeps session logs on this machine, from its settings; they are only read."""
    return _clean_up(TARGETS.load("claude-code")().view(where), [])


def _clean_up(view: View, found: list[Finding]) -> CleanUp:
    """How long session logs last. The settings file is only read, whatever state it is in."""
    path = view.settings or view.folder / "settings.json"
    try:
        content = read_bytes_or_none(path)
        if content is None or not content.strip(b"\xef\xbb\xbf \t\r\n"):
            if content is not None:
                found.append(Finding(level="note", about=str(path), message="the settings file is empty"))
            return CleanUp(settings=str(path), state="default", days=CLEAN_UP_DAYS)
        settings = json.loads(content.decode("utf-8-sig"))
    except (StoreError, ValueError) as error:
        line = f":{error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        message = f"{path}{line} cannot be read: {error}"
        hint = "Claude Code may ignore it as a whole; it was left as it is"
        found.append(Finding(level="warning", about=str(path), message=message, hint=hint))
        return CleanUp(settings=str(path), state="unreadable", days=None)
    days = settings.get("cleanupPeriodDays") if isinstance(settings, dict) else None
    if not isinstance(days, int) or isinstance(days, bool):
        return CleanUp(settings=str(path), state="default", days=CLEAN_UP_DAYS)
    return CleanUp(settings=str(path), state="set", days=days)

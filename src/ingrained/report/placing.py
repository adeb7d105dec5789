"""What an install or undo would change and did change, as text."""

from __future__ import annotations

from pathlib import Path

from ingrained.install.apply import Applied
from ingrained.install.plan import Plan, shown
from ingrained.wording import plural


def plan_text(plan: Plan, home: Path | None) -> list[str]:
    """One line a file, then warnings; one line where nothing would change."""
    if plan.changes_nothing:
        return ["Nothing to change: everything is as it should be."]
    lines: list[str] = [] if plan.files else ["No file changes, only what is known of the installs."]
    for file in plan.files:
        readers = f" (read by {', '.join(file.readers)})" if file.readers else ""
        lines.append(f"{file.action}: {shown(file.path, home)}{readers}")
        lines += [f"  your line stays: {kept.now or '(deleted) ' + kept.was}" for kept in file.kept]
    return lines + [f"warning: {warning}" for warning in plan.warnings]


def applied_text(done: Applied, home: Path | None, *, undoable: bool) -> str:
    """What is there now, as it was read back; `undoable`: `undo` takes it back."""
    lines: list[str] = []
    for file in done.files:
        size = "removed" if file.size is None else plural(file.size, "byte")
        readers = f", read by {', '.join(file.readers)}" if file.readers else ""
        lines.append(f"{shown(file.path, home)}: {size}{readers}")
    lines += [f"kept, since something else is in it: {shown(folder, home)}" for folder in done.kept_folders]
    return "\n".join([*lines, *(["Take it back with: ingrained undo"] if undoable else [])])

"""`ingrained scan`: what the logs hold, without storing anything."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ingrained.cli.asked import EVERYWHERE, Where, roots, same_words
from ingrained.cli.output import DEFAULTS, Json, Progress, Shared, emit


def scan(
    *paths: Annotated[Path, Parameter(help="Log files, folders, or git repositories with checkpoints.")],
    where: Annotated[Where, Parameter(name="*")] = EVERYWHERE,
    json: Json = False,
    options: Shared = DEFAULTS,
) -> int:
    """Read session logs and say what is in them; store nothing.

    Without a path the standard places are read: ~/.claude/projects (or CLAUDE_CONFIG_DIR) and ~/.codex (or CODEX_HOME).
    Damaged lines are counted and named; what is intact in such a log is read.
    """
    from ingrained.learn.machine import personal_names
    from ingrained.learn.reading import Trouble, count, read_all, sources
    from ingrained.report.shapes import scan_shape
    from ingrained.report.terminal import scan_text
    from ingrained.session.redact import SecretRedactor
    from ingrained.session.sources import git_remote

    asked = roots(paths, where)
    trouble = Trouble()
    items = sources(asked, (), trouble)
    redactor = SecretRedactor(names=personal_names())
    with Progress("reading", total=sum(s.size for _, s in items), unit="B", options=options) as bar:
        passes = read_all(items, asked, redactor, trouble, progress=bar.advance, remote_of=git_remote)
        findings = list(passes)
    shape = scan_shape(count(findings), findings, trouble)
    words = same_words(paths, where, options.home)
    emit(shape, json=json, renderer=lambda scan: scan_text(scan, words))
    return 0

"""`ingrained doctor`: where things are, who reads them, what changed, what is damaged."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ingrained.cli.output import DEFAULTS, Json, Shared, emit


def doctor(
    *,
    skills: Annotated[Path | None, Parameter(help="Judge this folder of skills instead, whoever wrote them.")] = None,
    project: Annotated[Path | None, Parameter(help="Look at this project's folder too.")] = None,
    json: Json = False,
    options: Shared = DEFAULTS,
) -> int:
    """Say where things are, who reads them, what was changed by others, and what is damaged.

    Exit code 4 where something of ours is damaged, or a skill in --skills is to be rejected. Nothing is changed.
    """
    from ingrained.install.doctor import diagnose
    from ingrained.install.places import here
    from ingrained.report.doctor import diagnosis_text, skills_text
    from ingrained.skill.check import report
    from ingrained.store.files import home_dir

    if skills is not None:
        judged = report(skills)
        emit(judged, json=json, renderer=skills_text)
        return 4 if any(one.verdict == "rejected" for one in judged.skills) else 0
    diagnosis = diagnose(home_dir(options.home), here(project, untested=True))
    emit(diagnosis, json=json, renderer=diagnosis_text)
    return diagnosis.exit_code

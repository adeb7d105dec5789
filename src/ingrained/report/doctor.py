"""What `doctor` found, as text."""

from __future__ import annotations

from ingrained.install.doctor import Diagnosis
from ingrained.skill.check import SkillsReport
from ingrained.wording import plural


def diagnosis_text(found: Diagnosis) -> str:
    """Where things are, then agents, installed copies, and what needs attention."""
    ledger = f"{found.ledger}, {plural(found.ledger_bytes, 'byte')}" + (
        f", {plural(found.messages, 'message')}" if found.messages is not None else ""
    )
    lines = [
        f"ingrained {found.ingrained} on Python {found.python}, {found.system}",
        f"home     {found.home}",
        f"ledger   {ledger}",
        f"library  {found.library}; drafts: {', '.join(found.drafts) or 'none'}; installs to undo: {found.steps}",
    ]
    for agent in found.agents:
        if agent.found:
            lines.append(
                f"agent    {agent.agent} in {agent.folder}: {plural(agent.skills, 'skill')}, its list holds "
                f"{agent.listing_chars:,} of {plural(agent.listing_limit, 'character')} ({agent.listing_ours:,} ours)"
            )
        else:
            lines.append(f"agent    {agent.agent}: not here ({agent.folder})")
    for copy in found.copies:
        state = copy.state + (" and behind the draft" if copy.behind and copy.state != "behind" else "")
        lines.append(f"copy     {copy.path}: {state}; read by {', '.join(copy.readers)}")
    if found.clean_up.days is not None:
        lines.append(
            f"logs     Claude Code deletes them after {plural(found.clean_up.days, 'day')}; what was learned stays"
        )
    lines += [f"hook     {hook.agent} queues its logs ({hook.settings})" for hook in found.hooks if hook.present]
    if found.queued:
        lines.append(f"queue    {plural(found.queued, 'log waits', 'logs wait')} for the next ingrained learn")
    lines += [
        f"{finding.level}: {finding.message}" + (f" (next: {finding.hint})" if finding.hint else "")
        for finding in found.findings
    ]
    return "\n".join(lines)


def skills_text(report: SkillsReport) -> str:
    """One line a skill, and what is wrong with it."""
    lines: list[str] = []
    for skill in report.skills:
        lines.append(f"{skill.verdict:9} {skill.folder}")
        lines += [f"          {finding.severity}: {finding.message}" for finding in skill.findings]
    return "\n".join(lines) or "no skills in this folder"

"""Answers as text for a terminal: short lines, the person's own words as proof, and the next command last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import shorten, wrap

from ingrained.ids import ProjectId
from ingrained.learn.drafts import draftable
from ingrained.learn.erase import Erased
from ingrained.report.shapes import DraftShape, LearnShape, NotARule, Read, RulesShape, Scan, WhyShape
from ingrained.skill.rule import Evidence, Rule

TOP = 5
"""Rules that `learn` shows, even where all were said once."""
MOST = 12
"""Rules that `learn` shows where so many were said again or decided."""
_NAMES = {
    "own": "our own replays",
    "subagent": "sub-agents",
    "observer": "observers of other programs",
    "replay": "replays",
    "headless": "headless runs",
}


def plural(count: int, one: str, many: str = "") -> str:
    """`1 rule`, `2 rules`, with the plural given where it is not an s."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def scan_text(scan: Scan) -> str:
    """The answer of `scan`."""
    lines = _read_lines(scan)
    if scan.human_turns:
        lines.append("Next: ingrained learn")
    else:
        lines += _nothing(scan)
    return "\n".join(lines)


def _read_lines(read: Read, *, sample: bool = False) -> list[str]:
    size = f"{read.bytes_read / 1e6:,.1f} MB"
    where = f" in {', '.join(read.looked_at[:3])}{' …' if len(read.looked_at) > 3 else ''}" if read.looked_at else ""
    where = " of the sample" if sample else where
    lines = [f"Read {plural(read.read, 'log')} of {read.files:,} ({size} that are new){where}."]
    aside = sum(read.set_aside_sessions.values())
    kinds = ", ".join(f"{n} {_NAMES.get(reason, reason)}" for reason, n in sorted(read.set_aside_sessions.items()))
    lines.append(
        f"{plural(read.sessions, 'session')} with a person in them, {plural(read.human_turns, 'message')}"
        + (f"; {plural(aside, 'session')} by programs set aside ({kinds})" if aside else "")
        + "."
    )
    secrets = sum(read.secrets.values())
    if secrets:
        kinds = ", ".join(f"{n} {kind}" for kind, n in sorted(read.secrets.items(), key=lambda i: (-i[1], i[0])))
        lines.append(
            f"{plural(secrets, 'secret or private detail', 'secrets and private details')} seen, none stored ({kinds})."
        )
    lines += [f"warning: {skip.path}: damaged lines: {skip.why}; the rest was read" for skip in read.damaged_files]
    lines += [f"warning: {skip.path}: not read: {skip.why}" for skip in read.skipped if skip.why != "excluded"][:10]
    if read.unknown:
        kinds = ", ".join(f"{kind} ×{n}" for kind, n in sorted(read.unknown.items())[:8])
        lines.append(f"Row types that are not known and were left alone: {kinds}.")
    return lines


def _nothing(read: Read) -> list[str]:
    lines = ["Nothing that a person typed was found."]
    if not read.looked_at:
        lines.append("No agent's folder is here: ~/.claude/projects and ~/.codex/sessions do not exist.")
    elif read.set_aside_sessions.get("headless"):
        lines.append(
            "Headless runs were set aside. If you work through an IDE or desktop front end that logs as sdk-*:\n"
            "  ingrained learn --include-entrypoint sdk-ts --under ~/your/project"
        )
    lines.append(
        "To try it on sessions that come along: ingrained learn --sample. Your logs elsewhere: ingrained learn PATH"
    )
    return lines


def learn_text(
    shape: LearnShape, titles: Mapping[ProjectId, str], *, home: str = "", sample: bool = False, days: int | None = None
) -> str:
    """The answer of `learn`.

    Args:
        shape: the answer.
        titles: short names of projects.
        home: put into the commands that it suggests, where it is not the default one.
        sample: it was learned from the sample.
        days: after how many days the agent deletes the logs that were read; `None`: not known, or it does not.
    """
    lines = _read_lines(shape.read, sample=sample)
    live = [rule for rule in shape.rules if rule.status not in {"refused", "superseded"}]
    if not shape.messages:
        return "\n".join([*lines, *_nothing(shape.read)])
    levels = [f"{sum(r.level == level for r in live)} {level}" for level in ("established", "supported", "tentative")]
    lines.append(f"{plural(shape.messages, 'message')} known in all; {plural(len(live), 'rule')}: {', '.join(levels)}.")
    if shape.dropped:
        lines.append(f"{plural(shape.dropped, 'answer')} of the judge cited words that nobody typed and were dropped.")
    if shape.hand_edits:
        lines.append(f"{plural(shape.hand_edits, 'line')} that you edited or deleted by hand taken as your decision.")
    people = {person for rule in live for person in rule.people}
    if live:
        lines += ["", "What you keep telling it:" if len(people) < 2 else "What they keep telling it:"]
        shown = _top(live)
        for rule in shown:
            lines += _rule_lines(rule, titles, quotes=2, people=len(people) > 1)
        if rest := live[len(shown) :]:
            once = " said once so far" if all(rule.level == "tentative" for rule in rest) else ""
            lines.append(f"  … and {plural(len(rest), 'more rule')}{once}: ingrained rules{home}")
    else:
        lines.append(
            "No rule yet: nobody said anything that would hold for another task. ingrained rules --all tells why."
        )
    lines += _draft_lines(shape.drafts)
    if days is not None and shape.read.files:
        lines.append(
            f"Claude Code deletes logs after {days} days; what was learned here stays. Learn again before then."
        )
    if shape.conflicts:
        lines.append(f"{plural(shape.conflicts, 'rule')} edited differently in two installed copies: ingrained doctor")
    if shape.copies_behind:
        lines.append(
            f"{plural(len(shape.copies_behind), 'installed copy', 'installed copies')} behind: ingrained install{home}"
        )
    lines += ["", _next(shape, home, sample=sample)]
    return "\n".join(lines)


def _top(rules: Sequence[Rule]) -> Sequence[Rule]:
    """The first rules: all that were said again or decided, up to `MOST`, filled up to `TOP`."""
    several = sum(rule.level != "tentative" or rule.status != "proposed" for rule in rules)
    return rules[: min(MOST, max(TOP, several))]


def _next(shape: LearnShape, home: str, *, sample: bool) -> str:
    best = next(iter(shape.rules), None)
    if sample and best:
        return f"Next: ingrained why {best.id}{home}, then learn from your own sessions: ingrained learn"
    if any(draft.rules for draft in shape.drafts):
        return f"Next: ingrained review{home}, then ingrained install --agent claude-code --into project{home}"
    return f"Next: ingrained review{home}"


def _draft_lines(drafts: Sequence[DraftShape]) -> list[str]:
    lines = ["", "Drafts:"] if any(draft.rules for draft in drafts) else []
    for draft in drafts:
        if draft.rules:
            out = f"; {plural(len(draft.left_out), 'rule')} left out" if draft.left_out else ""
            lines.append(
                f"  {draft.name}: {plural(len(draft.rules), 'rule')}, ≈{draft.used}/{draft.budget} tokens{out}"
            )
    return lines


def _rule_lines(
    rule: Rule, titles: Mapping[ProjectId, str], *, quotes: int, people: bool = False, width: int = 96
) -> list[str]:
    place = titles.get(rule.scope.project, rule.scope.project) if rule.scope.project else "everywhere"
    marks = [rule.level, f"said in {plural(rule.sessions, 'session')}", place]
    marks += [", ".join(rule.people)] if people else []
    marks += [rule.tier] if rule.tier == "personal" else []
    marks += [rule.status] if rule.status != "proposed" else []
    if rule.said_again is not None:
        marks.append(f"said again: {rule.said_again[0]} of {rule.said_again[1]}")
    scope = [f"in {', '.join(rule.scope.paths)}"] if rule.scope.paths else []
    lines = [f"  {rule.id}  {' · '.join(marks)}"]
    lines += wrap(
        rule.text + (f" ({'; '.join(scope)})" if scope else ""), width, initial_indent="    ", subsequent_indent="    "
    )
    lines += [_quote_line(item, width) for item in _chosen(rule, quotes)]
    if rule.already_in:
        again = f"there and broken again (said {plural(rule.broken_again, 'time')} since)"
        lines.append(f"      {again if rule.broken_again else 'there already'}: {rule.already_in[0]}")
    if rule.conflicts_with:
        lines.append(f"      contradicts {', '.join(rule.conflicts_with)}, said by somebody else")
    if rule.held and rule.status == "proposed":
        lines.append(f"      held: {rule.held}")
    return lines


def _chosen(rule: Rule, count: int) -> list[Evidence]:
    """The quotes nearest to the rule's words, one a session, in the order in which they were said."""
    from rapidfuzz import fuzz

    best: dict[str, tuple[float, int]] = {}
    for place, item in enumerate(rule.evidence):
        score = fuzz.token_set_ratio(rule.text.casefold(), item.quote.casefold())
        best[item.session] = max(best.get(item.session, (-1.0, 0)), (score, place))
    places = sorted(place for _, place in sorted(best.values(), reverse=True)[:count])
    return [rule.evidence[place] for place in places]


def _quote_line(item: Evidence, width: int) -> str:
    day = item.time.date().isoformat() if item.time else "no date"
    return f"      {day}  “{shorten(item.quote, width - 20, placeholder=' …')}”"


def rules_text(shape: RulesShape, titles: Mapping[ProjectId, str]) -> str:
    """The answer of `rules`."""
    people = len({person for rule in shape.rules for person in rule.people}) > 1
    lines: list[str] = []
    for rule in shape.rules:
        lines += _rule_lines(rule, titles, quotes=1, people=people)
        if waits := draftable(rule):
            lines.append(f"      in no draft: {waits}")
    if not lines:
        lines.append(
            "No rules. ingrained learn reads your sessions; ingrained rules --all tells what was set aside and why."
        )
    if shape.atoms:
        lines += ["", f"{plural(len(shape.atoms), 'thing')} said that did not become a rule:"]
        lines += [_atom_line(atom) for atom in shape.atoms]
    return "\n".join(lines)


def _atom_line(atom: NotARule) -> str:
    return f"  {atom.reason}: “{shorten(atom.quote, 90, placeholder=' …')}”"


def why_text(shape: WhyShape) -> str:
    """The answer of `why`: every quote with its act, the way through the levels, and what it costs."""
    rule = shape.rule
    place = shape.project or "everywhere"
    lines = [
        f"{rule.id}  {rule.text}",
        f"  {rule.level}, {rule.status}, {rule.tier}, {rule.kind}; holds {'in ' + place if shape.project else place}"
        + (f", {rule.scope.when}" if rule.scope.when else "")
        + (f", in {', '.join(rule.scope.paths)}" if rule.scope.paths else ""),
        f"  ≈{rule.tokens} tokens; said by {', '.join(rule.people)} in {plural(rule.sessions, 'session')} "
        f"on {plural(rule.days, 'day')}",
    ]
    if rule.said_again is not None:
        again, later = rule.said_again
        lines.append(f"  said again since it was installed: {again} of {plural(later, 'later session')}")
    if rule.reasons:
        lines.append(f"  judged so because: {'; '.join(rule.reasons)}")
    if shape.waits:
        lines.append(f"  in no draft: {shape.waits}")
    for name, ids in (("supersedes", rule.supersedes), ("contradicts", rule.conflicts_with), ("was", rule.aliases)):
        if ids:
            lines.append(f"  {name} {', '.join(ids)}")
    lines += ["", "Said:"]
    for item in rule.evidence:
        lines += _evidence_lines(item)
    lines += ["", "Levels:"]
    for step in rule.history:
        day = step.time.date().isoformat() if step.time else "no date"
        lines.append(f"  {day}  {step.level} with {plural(step.sessions, 'session')}")
    return "\n".join(lines)


def _evidence_lines(item: Evidence, width: int = 96) -> list[str]:
    when = item.time.strftime("%Y-%m-%d %H:%M") if item.time else "no date"
    against = ", against it" if item.stance == "contradicts" else ""
    lines = [f"  {when}  {item.person}, {item.form}{against}, session {item.session}, turn {item.turn}"]
    lines += wrap(f"“{' '.join(item.quote.split())}”", width, initial_indent="    ", subsequent_indent="    ")
    act = " ".join(part for part in (item.act.tool, item.act.input) if part)
    if act:
        lines.append(f"    after {shorten(act, width - 10, placeholder=' …')}")
    if item.act.said:
        lines.append(f"    it had said: {shorten(item.act.said, width - 18, placeholder=' …')}")
    return lines


def forgotten_text(erased: Erased) -> str:
    """The answer of `forget`."""
    if not erased.messages and not erased.sessions:
        return "Nothing that is known matches; nothing was removed."
    still = (
        f" {plural(erased.still_installed, 'installed copy', 'installed copies')} still say it until the next install."
        if erased.still_installed
        else ""
    )
    return (
        f"Removed {plural(erased.messages, 'message')} ({plural(erased.copies, 'copy', 'copies')}), "
        f"{plural(erased.rules, 'rule')}, {plural(erased.decisions, 'decision')}. Drafts are up to date.{still}"
    )

"""Answers as text for a terminal: short lines, the person's own words as proof, and the next command last."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from shutil import get_terminal_size
from textwrap import shorten, wrap

from ingrained.ids import ProjectId
from ingrained.learn.drafts import draftable
from ingrained.report.contradictions import against_text, contradictions_text
from ingrained.report.shapes import (
    DraftShape,
    LearnShape,
    NotARule,
    Read,
    RulesShape,
    Scan,
    WhyShape,
    WouldReadShape,
)
from ingrained.session.readers.base import known_readers
from ingrained.skill.rule import Evidence, Rule
from ingrained.skill.tokens import shown
from ingrained.wording import plural

WIDTH = 96
"""Columns of a page that goes into a file or a pipe."""
NARROWEST, WIDEST = 40, 100
TOP = 5
"""Rules that `learn` shows, even where all were said once."""
_WILSON = "95% Wilson interval "
MOST = 12
"""Rules that `learn` shows where so many were said again or decided."""
_NAMES = {
    "own": "our own replays",
    "subagent": "sub-agents",
    "observer": "observers of other programs",
    "replay": "replays",
    "headless": "headless runs",
}


def page_width() -> int:
    """Columns of a page: the terminal's within bounds, and always `WIDTH` where stdout is no terminal."""
    if not sys.stdout.isatty():
        return WIDTH
    return max(NARROWEST, min(get_terminal_size((WIDTH, 24)).columns, WIDEST))


def scan_text(scan: Scan, options: str = "") -> str:
    """The answer of `scan`; `options` say where it looked, as words of the next command."""
    lines = _read_lines(scan)
    if scan.human_turns:
        lines.append(f"Next: ingrained learn{options}")
    else:
        lines += _nothing(scan)
    return "\n".join(lines)


def would_read_text(shape: WouldReadShape) -> str:
    """The answer of `learn --dry-run`."""
    lines = [f"{log.size:>13,} B  {log.reader:12} {log.path}" for log in shape.logs]
    known = f"; {plural(shape.unchanged, 'log')} with nothing new" if shape.unchanged else ""
    return "\n".join([*lines, f"{plural(len(shape.logs), 'log')} would be read{known}; nothing was."])


def _read_lines(read: Read, *, sample: bool = False) -> list[str]:
    places = [place if place[-1:].isalnum() else repr(place) for place in read.looked_at[:3]]
    where = f" in {', '.join(places)}{' …' if len(read.looked_at) > 3 else ''}" if places else ""
    where = " of the sample" if sample else where
    if not read.files:
        lines = [f"No session log found{where}."]
    elif not read.read:
        lines = [f"Nothing new since the last run in {plural(read.files, 'log')}{where}."]
    else:
        size = f"{read.bytes_read / 1e6:,.1f} MB" if read.bytes_read >= 50_000 else f"{read.bytes_read / 1e3:.1f} kB"
        lines = [f"Read {plural(read.read, 'log')} of {read.files:,} ({size} that are new){where}.", _sessions(read)]
    if read.elsewhere:
        lines.append(f"{plural(read.elsewhere, 'log')} of other projects left alone.")
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


def _sessions(read: Read) -> str:
    aside = sum(read.set_aside_sessions.values())
    kinds = ", ".join(f"{n} {_NAMES.get(reason, reason)}" for reason, n in sorted(read.set_aside_sessions.items()))
    sessions = plural(read.sessions, "session with a person in it", "sessions with a person in them")
    return (
        f"{sessions}, {plural(read.human_turns, 'message')}"
        + (f"; {plural(aside, 'session')} by programs set aside ({kinds})" if aside else "")
        + "."
    )


def _nothing(read: Read, home: str = "") -> list[str]:
    """What to say where no message of a person is known, and why that may be."""
    lines = ["Nothing that a person typed was found."] if read.files else []
    if read.human_turns:
        lines = ["What was typed there was forgotten on your word and stays away; nothing else is known."]
    elif read.files and not read.read:
        lines = ["Nothing that a person typed is known: there was none in them, or it was forgotten on your word."]
    elif not read.looked_at:
        more = f" and {plural(len(read.missing) - 4, 'other place')}" if len(read.missing) > 4 else ""
        lines.append(f"No agent's folder is here; looked for {', '.join(read.missing[:4])}{more}.")
    elif not read.files and not read.elsewhere:
        lines += _left_out(read) or [_lying(read)]
    elif read.set_aside_sessions.get("headless"):
        lines.append(
            "Headless runs were set aside. If you work through an IDE or desktop front end that logs as sdk-*:\n"
            f"  ingrained learn --include-entrypoint sdk-ts --under ~/your/project{home}"
        )
    lines.append(
        f"To try it on sessions that come along: ingrained learn --sample{home}. "
        f"Your logs elsewhere: ingrained learn PATH{home}"
    )
    return lines


def _left_out(read: Read) -> list[str]:
    """The logs that are there and were not asked for."""
    excluded = sum(skip.why == "excluded" for skip in read.skipped)
    lines = [f"{plural(read.older, 'log')} last changed before the time that was asked for."] if read.older else []
    return lines + ([f"{plural(excluded, 'log')} excluded, now or by an earlier --ignore."] if excluded else [])


def _lying(read: Read) -> str:
    """What lies where no log was found, and what would count."""
    kinds = [f"{n:,} {ending}" for ending, n in list(read.lying.items())[:6]]
    more = " …" if len(read.lying) > len(kinds) else ""
    lies = f"There lie {', '.join(kinds)}{more}; none" if kinds else "No file there"
    return f"{lies} is a session log of a format that is read: {', '.join(known_readers())}."


def learn_text(
    shape: LearnShape,
    titles: Mapping[ProjectId, str],
    *,
    home: str = "",
    sample: bool = False,
    days: int | None = None,
    width: int = WIDTH,
) -> str:
    """The answer of `learn`.

    Args:
        shape: the answer.
        titles: short names of projects.
        home: put into the commands that it suggests, where it is not the default one.
        sample: it was learned from the sample.
        days: after how many days the agent deletes the logs that were read; `None`: not known, or it does not.
        width: columns of the page.
    """
    lines = _read_lines(shape.read, sample=sample)
    live = [rule for rule in shape.rules if rule.status not in {"refused", "superseded"} and not rule.imported]
    if not shape.messages:
        return "\n".join([*lines, *_nothing(shape.read, home)])
    levels = [f"{sum(r.level == level for r in live)} {level}" for level in ("established", "supported", "tentative")]
    lines.append(f"{plural(shape.messages, 'message')} known in all; {plural(len(live), 'rule')}: {', '.join(levels)}.")
    if shape.dropped:
        lines.append(f"{plural(shape.dropped, 'answer')} of the judge dropped, citing words that nobody typed.")
    lines += [f"{plural(n, 'message')} not judged yet, asked again next time: {why}" for why, n in shape.parked.items()]
    if shape.hand_edits:
        lines.append(f"{plural(shape.hand_edits, 'line')} that you edited or deleted by hand taken as your decision:")
        lines += [f"  {edit.told}" for edit in shape.edits if edit.outcome in {"pinned", "refused"}]
    if theirs := [edit.told for edit in shape.edits if edit.outcome == "theirs"]:
        lines.append(f"{plural(len(theirs), 'line')} of an installed file changed by git; your rules stay as they are:")
        lines += [f"  {told}" for told in theirs]
    people = {person for rule in live for person in rule.people}
    if live:
        lines += ["", "What you keep telling it:" if len(people) < 2 else "What they keep telling it:"]
        top = _top(live)
        for rule in top:
            lines += _rule_lines(rule, titles, quotes=2, people=len(people) > 1, width=width)
        if rest := live[len(top) :]:
            once = " said once so far" if all(rule.level == "tentative" for rule in rest) else ""
            count = f"{len(top)} of {len(live)} shown"
            lines.append(f"  … and {plural(len(rest), 'more rule')}{once} ({count}): ingrained rules{home}")
    else:
        lines.append(
            "No rule yet: nobody said anything that would hold for another task. "
            f"ingrained rules --all{home} tells why."
        )
    waiting = [rule for rule in shape.rules if rule.imported and rule.status == "proposed"]
    if waiting:
        wait = plural(len(waiting), "rule from a file waits", "rules from files wait")
        lines.append(f"{wait} for your word: ingrained review{home}")
    lines += contradictions_text(shape.rules, width=width, home=home)
    lines += _draft_lines(shape.drafts)
    if days is not None and shape.read.files:
        lines.append(
            f"Claude Code deletes logs after {plural(days, 'day')}; what was learned here stays. "
            "Learn again before then."
        )
    if shape.conflicts:
        lines += [f"warning: {edit.told}" for edit in shape.edits if edit.outcome == "conflict"]
        lines.append(f"Write each of these lines alike in its files, then: ingrained learn{home}")
    if shape.copies_behind:
        lines.append(f"{plural(len(shape.copies_behind), 'installed copy', 'installed copies')} behind:")
        lines += [f"  {command}{home}" for command in shape.update]
    lines += ["", _next(shape, home, sample=sample)]
    return "\n".join(lines)


def _top(rules: Sequence[Rule]) -> Sequence[Rule]:
    """The first rules: all that were said again or decided, up to `MOST`, filled up to `TOP`."""
    several = sum(rule.level != "tentative" or rule.status != "proposed" for rule in rules)
    return rules[: min(MOST, max(TOP, several))]


def _next(shape: LearnShape, home: str, *, sample: bool) -> str:
    live = [rule for rule in shape.rules if rule.status not in {"refused", "superseded"}]
    if not live:
        return f"Next: go on working; ingrained learn{home} reads what is new."
    if sample:
        return f"Next: ingrained why {live[0].id}{home}, then learn from your own sessions: ingrained learn"
    steps = ["ingrained review"] if any(rule.status == "proposed" for rule in live) else []
    filled = [draft for draft in shape.drafts if draft.rules]
    if filled:
        place = "project" if any(draft.project for draft in filled) else "user"
        steps.append(f"ingrained install --agent claude-code --into {place}")
    return f"Next: {', then '.join(step + home for step in steps or ['ingrained rules'])}"


def _draft_lines(drafts: Sequence[DraftShape]) -> list[str]:
    drafts = [draft for draft in drafts if draft.rules or draft.left_out]
    lines = ["", "Drafts:"] if drafts else []
    for draft in drafts:
        out = f"; {plural(len(draft.left_out), 'rule')} left out:" if draft.left_out else ""
        lines.append(f"  {draft.name}: {plural(len(draft.rules), 'rule')}, {shown(draft.used, draft.budget)}{out}")
        lines += [f"    {left.rule}: {left.reason}" for left in draft.left_out[:MOST]]
        if len(draft.left_out) > MOST:
            lines.append(f"    … and {len(draft.left_out) - MOST} more; --json lists them all")
    return lines


def _rule_lines(
    rule: Rule, titles: Mapping[ProjectId, str], *, quotes: int, width: int, people: bool = False
) -> list[str]:
    place = titles.get(rule.scope.project, rule.scope.project) if rule.scope.project else "everywhere"
    said = f"from {rule.people[0]}" if rule.imported else f"said in {plural(rule.sessions, 'session')}"
    marks = [rule.level, said, place]
    marks += [", ".join(rule.people)] if people and not rule.imported else []
    marks += [rule.tier] if rule.tier == "personal" else []
    marks += [rule.status] if rule.status != "proposed" else []
    if rule.said_again is not None:
        marks.append(_again_mark(rule))
    scope = [] if rule.scope.when.casefold() in rule.text.casefold() else [f"only: {rule.scope.when}"]
    scope += [f"in {', '.join(rule.scope.paths)}"] if rule.scope.paths else []
    lines = [f"  {rule.id}  {' · '.join(marks)}"]
    lines += wrap(
        rule.text + (f" ({'; '.join(scope)})" if scope else ""), width, initial_indent="    ", subsequent_indent="    "
    )
    lines += [_quote_line(item, width) for item in _chosen(rule, quotes)]
    if rule.already_in:
        broken = f"there and broken again (said {plural(rule.broken_again, 'time')} since)"
        lines.append(f"      {broken if rule.broken_again else 'there already'}: {rule.already_in[0]}")
    if rule.conflicts_with:
        lines.append(f"      contradicts {', '.join(rule.conflicts_with)}")
    if rule.held and rule.status == "proposed":
        lines.append(f"      held: {rule.held}")
    return lines


def _again_mark(rule: Rule) -> str:
    again, later = rule.said_again or (0, 0)
    before, earlier = rule.said_before or (0, 0)
    since = f"said again: {again} of {later}" + _percent(rule.said_again_interval) if later else ""
    was = f"before: {before} of {earlier}" + _percent(rule.said_before_interval) if earlier else ""
    return ", ".join(part for part in (since or "no session since it was installed", was) if part)


def _percent(interval: tuple[float, float] | None, what: str = "") -> str:
    return f" ({what}{interval[0]:.0%} to {interval[1]:.0%})" if interval else ""


def _again_lines(rule: Rule) -> list[str]:
    """How often it was said since it was installed, and before, with 95 % intervals."""
    if rule.said_again is None:
        return []
    again, later = rule.said_again
    lines = ["  installed; there was no session since"]
    if later:
        sessions = plural(later, "later session")
        lines = [
            f"  said again since it was installed: {again} of {sessions}{_percent(rule.said_again_interval, _WILSON)}"
        ]
    before, earlier = rule.said_before or (0, 0)
    if earlier:
        share = f"{before} of {plural(earlier, 'session')}{_percent(rule.said_before_interval, _WILSON)}"
        lines.append(f"  before, from when it was first said: {share}")
    return lines


def _chosen(rule: Rule, count: int) -> list[Evidence]:
    """The quotes nearest to the rule's words, one a session, in the order in which they were said; of a file none."""
    from rapidfuzz import fuzz

    best: dict[str, tuple[float, int]] = {}
    for place, item in enumerate(() if rule.imported else rule.evidence):
        score = fuzz.token_set_ratio(rule.text.casefold(), item.quote.casefold())
        best[item.session] = max(best.get(item.session, (-1.0, 0)), (score, place))
    places = sorted(place for _, place in sorted(best.values(), reverse=True)[:count])
    return [rule.evidence[place] for place in places]


def _quote_line(item: Evidence, width: int) -> str:
    day = item.time.date().isoformat() if item.time else "no date"
    return f"      {day}  “{shorten(item.quote, width - 20, placeholder=' …')}”"


def rules_text(
    shape: RulesShape, titles: Mapping[ProjectId, str], *, home: str = "", others: int = 0, width: int = WIDTH
) -> str:
    """The answer of `rules`; `others` are known and were not asked for."""
    people = len({person for rule in shape.rules for person in rule.people}) > 1
    lines: list[str] = []
    for rule in shape.rules:
        lines += _rule_lines(rule, titles, quotes=1, people=people, width=width)
        if waits := draftable(rule):
            lines.append(f"      in no draft: {waits}")
    if not lines and others:
        lines.append(f"No rule is like that; {plural(others, 'other rule')} known: ingrained rules{home}")
    elif not lines:
        lines.append(
            f"No rules. ingrained learn{home} reads your sessions; "
            f"ingrained rules --all{home} tells what was set aside and why."
        )
    if shape.atoms:
        lines += ["", f"{plural(len(shape.atoms), 'thing')} said that did not become a rule:"]
        lines += [_atom_line(atom, width) for atom in shape.atoms]
    return "\n".join(lines)


def _atom_line(atom: NotARule, width: int) -> str:
    return f"  {atom.reason}: “{shorten(atom.quote, width - 6, placeholder=' …')}”"


def why_text(shape: WhyShape, width: int = WIDTH) -> str:
    """The answer of `why`: every quote with its act, the way through the levels, and what it costs."""
    rule = shape.rule
    place = shape.project or "everywhere"
    lines = [
        f"{rule.id}  {rule.text}",
        f"  {rule.level}, {rule.status}, {rule.tier}, {rule.kind}; holds {'in ' + place if shape.project else place}"
        + (f", only: {rule.scope.when}" if rule.scope.when else "")
        + (f", in {', '.join(rule.scope.paths)}" if rule.scope.paths else ""),
        f"  ≈{plural(rule.tokens, 'token')}; "
        + (
            f"came in the file {rule.people[0].partition(':')[2]}"
            if rule.imported
            else f"said by {', '.join(rule.people)} in {plural(rule.sessions, 'session')} on {plural(rule.days, 'day')}"
        ),
    ]
    lines += _again_lines(rule)
    if rule.enforce:
        lines += wrap(
            f"better kept by a check than by words: {rule.enforce}",
            width,
            initial_indent="  ",
            subsequent_indent="    ",
        )
    if rule.reasons:
        lines.append(f"  judged so because: {'; '.join(dict.fromkeys(rule.reasons))}")
    if shape.waits:
        lines.append(f"  in no draft: {shape.waits}")
    if rule.supersedes:
        lines.append(f"  supersedes {', '.join(rule.supersedes)}")
    lines += against_text(shape.against, width)
    if rule.aliases:
        lines.append(f"  known by {plural(len(rule.aliases), 'other id')} too (--json lists them)")
    lines += ["", "Said:"]
    for item in rule.evidence:
        lines += _evidence_lines(item, width)
    lines += ["", "Levels:"]
    for step in rule.history:
        day = step.time.date().isoformat() if step.time else "no date"
        lines.append(f"  {day}  {step.level} with {plural(step.sessions, 'session')}")
    return "\n".join(lines)


def _evidence_lines(item: Evidence, width: int) -> list[str]:
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

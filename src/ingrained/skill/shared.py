"""The file in which rules are handed to colleagues: texts and counts, nothing that was said and nobody's name.

The same rules give the same bytes, whoever writes them and whenever, so that the file may lie in git. What is read is
somebody else's text: too much, too long, hidden or not understood is refused rule by rule, and the rest is read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from ingrained.errors import ConfigError
from ingrained.feedback.decompose import Kind, Polarity
from ingrained.ids import content_hash, normal_text
from ingrained.skill.lines import BULLET, condition, plain
from ingrained.skill.rule import Frozen, Rule, Scope
from ingrained.skill.safety import hidden
from ingrained.wording import plural

FORMAT = "ingrained-shared-rules"
MOST_BYTES = 1_000_000
MOST_RULES = 500
_MOST = 1_000_000

Line = Annotated[str, Field(min_length=1, max_length=500)]
Short = Annotated[str, Field(min_length=1, max_length=200)]
Count = Annotated[int, Field(ge=0, le=_MOST)]


class SharedRule(Frozen):
    """One rule as it is told to others."""

    id: Annotated[str, Field(pattern=r"^s-[0-9a-f]{16}$")]
    """From what the rule says and where it holds; the same rule of two people has the same id."""
    text: Line
    kind: Kind
    polarity: Polarity
    when: Annotated[str, Field(max_length=200)] = ""
    """The condition; empty where there is none."""
    paths: Annotated[tuple[Short, ...], Field(max_length=20)] = ()
    everywhere: bool = False
    """Said of all projects, not of this one alone. Whoever reads the file takes it for this project all the same."""
    people: Count
    """How many people said it."""
    sessions: Count
    """In how many independent sessions."""
    days: Count


class SharedRules(Frozen):
    """The file, as `export --shared` writes it and `import` reads it."""

    format: Literal["ingrained-shared-rules"] = FORMAT
    version: Literal[1] = 1
    rules: Annotated[tuple[SharedRule, ...], Field(max_length=MOST_RULES)]
    """By text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """One rule of a file that is not taken."""

    place: int
    """1-based, in the file's list."""
    text: str
    """Its beginning, where there is one."""
    why: str


def shared_rule(rule: Rule) -> SharedRule:
    """The rule as it is told to others. Call it with a rule that passed `guard.findings` only."""
    paths = tuple(sorted(rule.scope.paths))
    text, when = normal_text(rule.text), normal_text(rule.scope.when)
    return SharedRule(
        id=_id(text, when, paths),
        text=text,
        kind=rule.kind,
        polarity=rule.polarity,
        when=when,
        paths=paths,
        everywhere=rule.scope.project is None,
        people=len(rule.people),
        sessions=rule.sessions,
        days=rule.days,
    )


def collected(rules: Iterable[SharedRule]) -> SharedRules:
    """The file of these rules, by text; of two with one id the one said more often."""
    best: dict[str, SharedRule] = {}
    for rule in sorted(rules, key=lambda one: (one.sessions, one.days, one.people, one.everywhere)):
        best[rule.id] = rule
    return SharedRules(rules=tuple(sorted(best.values(), key=lambda one: (one.text.casefold(), one.text, one.id))))


def dump(shared: SharedRules) -> str:
    """The file as JSON; the same value gives the same text."""
    return json.dumps(shared.model_dump(mode="json"), indent=2, ensure_ascii=False) + "\n"


def markdown(shared: SharedRules) -> str:
    """The same for people, as Markdown; `import` reads the JSON."""
    lines = [f"<!-- {FORMAT}, version {shared.version} -->", "", "# Rules of this project", ""]
    for one in shared.rules:
        line = BULLET + condition(Scope(project=None, paths=one.paths, when=one.when), one.text) + plain(one.text)
        lines.append(f"{line} ({plural(one.people, 'person', 'people')}, {plural(one.sessions, 'session')})")
    return "\n".join([*lines, ""]) if shared.rules else "\n".join([*lines, "None yet.", ""])


def parse(data: bytes, where: str) -> tuple[SharedRules, tuple[Refused, ...]]:
    """The rules of a file, and those that are not taken.

    Raises:
        ConfigError: it is no such file as a whole, too large, or of a newer version.
    """
    if len(data) > MOST_BYTES:
        raise ConfigError(f"{where} has {len(data):,} bytes; {MOST_BYTES:,} are read at most", hint=_HINT)
    try:
        raw = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        line = f":{error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise ConfigError(f"{where}{line} is no JSON in UTF-8: {error or 'nested too deeply'}", hint=_HINT) from error
    if not isinstance(raw, dict) or raw.get("format") != FORMAT or not isinstance(raw.get("rules"), list):
        raise ConfigError(f'{where} is no file of shared rules (its "format" is not {FORMAT!r})', hint=_HINT)
    if raw.get("version") != 1:
        raise ConfigError(
            f"{where} has version {raw.get('version')!r}, this program knows 1", hint="pip install -U ingrained"
        )
    if len(raw["rules"]) > MOST_RULES:
        raise ConfigError(f"{where} has {len(raw['rules']):,} rules; {MOST_RULES} are read at most", hint=_HINT)
    rules: list[SharedRule] = []
    refused: list[Refused] = []
    for place, entry in enumerate(raw["rules"], start=1):
        rule, why = _read(entry)
        if rule is None:
            text = entry.get("text") if isinstance(entry, dict) else None
            refused.append(Refused(place=place, text=text[:80] if isinstance(text, str) else "", why=why))
        else:
            rules.append(rule)
    return collected(rules), tuple(refused)


_HINT = "ingrained export --shared --out FILE.json writes such a file"


def _read(entry: Any) -> tuple[SharedRule | None, str]:
    """One rule, or why it is not taken."""
    try:
        rule = SharedRule.model_validate_json(json.dumps(entry))
    except (ValidationError, RecursionError) as error:
        first = error.errors()[0] if isinstance(error, ValidationError) else {"loc": (), "msg": "nested too deeply"}
        return None, f"{'.'.join(map(str, first['loc'])) or 'rule'}: {first['msg']}"
    for part in (rule.text, rule.when, *rule.paths):
        if found := hidden(part):
            return None, f"it holds hidden characters ({found[0].kind}: {found[0].shown})"
        if part != normal_text(part):
            return None, "it is not one plain line"
    if any(path.startswith(("/", "~", "\\")) or path[1:2] == ":" or ".." in path.split("/") for path in rule.paths):
        return None, "a path leads out of the project"
    return rule.model_copy(update={"id": _id(rule.text, rule.when, rule.paths)}), ""


def _id(text: str, when: str, paths: Sequence[str]) -> str:
    digest = content_hash([text.casefold(), when.casefold(), sorted(paths)], size=8)
    return "s-" + digest.removeprefix("b2:")

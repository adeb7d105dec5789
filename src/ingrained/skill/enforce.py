"""Would a check keep this rule better than words? One concrete suggestion, or none. Pure; nothing is set up.

Two things speak for a check: the rule is of a kind that a machine can decide (a branch, a command before a commit, a
form of the code), or it was said again at least twice after the agent had it to read. A suggestion names the place
where the check would stand and what it would look at, no more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ingrained.feedback.decompose import Kind
from ingrained.skill.rule import Rule
from ingrained.wording import plural

AGAIN = 2
"""Times said again since it was installed from which words alone are not enough."""

_NOT = r"(?:never|don['’]?t|do not|must not|mustn['’]?t|should(?:n['’]t| not)|can(?:not|['’]t)|avoid|no|stop|without)"
_MAIN = r"(?:main|master|trunk|develop|the (?:default|protected|main|release) branch)\b"
_LOCKS = {
    "npm": "package-lock.json",
    "yarn": "yarn.lock",
    "pnpm": "pnpm-lock.yaml",
    "bun": "bun.lock",
    "poetry": "poetry.lock",
    "pipenv": "Pipfile.lock",
    "uv": "uv.lock",
}
_MANAGERS = "|".join(_LOCKS)
_BEFORE = r"(?:before|prior to)\s+(?:(?:you|we|I|each|every|any|the|a|your|opening|making|creating)\s+)*"
_STEP = r"(?P<step>commit|push|merg|PR\b|pull request|releas|deploy)"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """A kind of rule that a check can decide."""

    pattern: re.Pattern[str]
    check: str | Callable[[re.Match[str]], str]
    """The suggestion, or what makes it from the words that matched."""
    kinds: frozenset[Kind] | None = None
    """Kinds of rules that it is tried on; `None`: all."""


def _way(pattern: str, check: str | Callable[[re.Match[str]], str], *kinds: Kind) -> _Way:
    return _Way(pattern=re.compile(pattern, re.IGNORECASE), check=check, kinds=frozenset(kinds) or None)


def _ran_before(match: re.Match[str]) -> str:
    what = match["what"].partition(" and ")[0].strip(" ,.:;'\"")
    hook = "pre-push" if match["step"].lower().startswith("push") else "pre-commit"
    if match["step"].lower().startswith(("merg", "pr", "pull", "releas", "deploy")):
        return f"CI check: a job that runs {what} and has to pass before that"
    return f"git hook: a {hook} hook that runs {what} and stops where it fails; the same in CI"


def _other_lock(match: re.Match[str]) -> str:
    unwanted = (match.groupdict().get("unwanted") or match.groupdict().get("other") or "").lower()
    return f"CI check: one that fails where {_LOCKS[unwanted]} is in the change"


def _files(match: re.Match[str]) -> str:
    return f"agent hook: a PreToolUse hook on Edit and Write that refuses {match['what'].strip(' ,.')}"


def _forbidden(match: re.Match[str]) -> str:
    return f"linter: a rule that forbids `{match['what']}`"


_WAYS = (
    _way(
        rf"\b{_NOT}\b[^.;]{{0,25}}\b(?:commit\w*|push\w*|work(?:ing)?)\b[^.;]{{0,25}}\b(?:to|on|into|in)\s+{_MAIN}",
        "git hook: a pre-commit hook that refuses to commit on that branch, and branch protection on the server",
    ),
    _way(
        rf"\b{_NOT}\b[^.;]{{0,20}}\bforce[- ]?push\w*|\b{_NOT}\b[^.;]{{0,15}}push[^.;]{{0,10}}--force",
        "git hook: a pre-push hook, or branch protection, that refuses pushes which are no fast-forward",
    ),
    _way(
        rf"\b(?:run|execute|do)\s+(?P<what>[^.;,]{{2,60}}?)\s+{_BEFORE}{_STEP}",
        _ran_before,
    ),
    _way(
        rf"{_BEFORE}{_STEP}\w*(?:\s+\w+){{0,3}}?,?\s+(?:always\s+|please\s+)?(?:run|execute)\s+(?P<what>`[^`]+`|[^.;,]{{2,50}})",
        _ran_before,
    ),
    _way(
        r"\bconventional commits?\b|\bco-?authored-?by\b"
        r"|\b(?:prefix|start|begin)\w*\b[^.;]{0,20}\bcommits?\b|\bcommits?\b[^.;]{0,20}\b(?:prefix|start|begin)\w*\b"
        r"|\bcommit (?:messages?|titles?|subjects?)\b[^.;]{0,50}"
        r"(?:#|\b(?:issue|ticket|imperative|emojis?|characters|scope)\b)"
        r"|(?:#|\b(?:issue|ticket|imperative|emojis?)\b)[^.;]{0,50}\bcommit (?:messages?|titles?|subjects?)\b",
        "git hook: a commit-msg hook that tests the message against the form",
    ),
    _way(
        rf"\b(?:use|prefer)\s+(?P<own>{_MANAGERS})\b[^.;]{{0,40}}\b(?:not|never|instead of|over|rather than|no)\s+"
        rf"(?:use\s+)?(?P<unwanted>{_MANAGERS})\b",
        _other_lock,
    ),
    _way(
        rf"\b{_NOT}\b[^.;]{{0,10}}\b(?:use|run)?\s*(?P<unwanted>{_MANAGERS})\b[^.;]{{0,40}}\b(?:use|only)\s+(?:{_MANAGERS})\b",
        _other_lock,
    ),
    _way(
        rf"\b{_NOT}\s+(?:ever\s+)?(?:edit|touch|change|modify|write to)\w*\s+(?:by hand\s+)?"
        r"(?P<what>(?:the\s+|any\s+)?(?:generated|vendored|vendor|lock|migration|compiled|built)\b[^.;,]{0,30}"
        r"|(?:the\s+|any\s+)?(?:files? (?:in|under)\s+)?`[^`]+`)",
        _files,
    ),
    _way(
        rf"\b{_NOT}\s+(?:ever\s+)?(?:commit|check ?in|add)\s+(?P<what>(?:the\s+|any\s+)?(?:secrets?|`?\.env`?"
        r"|credentials?|binar\w+|build (?:output|artefacts|artifacts)|debug\w*(?: \w+)?|`[^`]+`)[^.;,]{0,20})",
        lambda match: f"git hook: a pre-commit hook that refuses {match['what'].strip(' ,.')}",
    ),
    _way(
        r"\b(?:tabs?|spaces?)\b[^.;]{0,20}\b(?:indent\w*|tabs?|spaces?)\b|\bindent\w*\b[^.;]{0,15}\b(?:with|by)\b"
        r"|\bline length\b|\b(?:single|double) quotes?\b|\btrailing (?:commas?|whitespace|spaces?)\b|\bsemicolons?\b"
        r"|\b(?:characters?|columns?) (?:per|a) line\b",
        "formatter: set it in the formatter's config, and check with it in CI",
        "style", "workflow", "validation", "other",
    ),
    _way(
        r"\b(?:sort|order|group)\b[^.;]{0,12}\bimports?\b|\bunused (?:imports?|variables?)\b|\bwildcard imports?\b"
        r"|\b(?:relative|absolute) imports?\b",
        "linter: its rule for imports, run in CI",
    ),
    _way(
        rf"\b{_NOT}\s+(?:ever\s+)?(?:use\s+|add\s+|leave\s+|write\s+)?(?:an?\s+|the\s+|any\s+)?"
        r"(?P<what>console\.log|print\(\)|print statements?|eval|var\b|TODOs?|default exports?|enums?|as any)",
        _forbidden,
    ),
    _way(
        rf"\b{_NOT}\s+(?:ever\s+)?use\s+`(?P<what>[^`]{{2,40}})`",
        _forbidden,
        "style",
    ),
    _way(
        r"\bchange ?log\b",
        "CI check: one that fails where a change touches the source and not the changelog",
        "commit", "workflow", "validation", "other",
    ),
    _way(
        rf"\b{_NOT}\s+(?:ever\s+)?(?:run|execute|call)\s+(?P<what>`[^`]+`)",
        lambda match: f"agent hook: a PreToolUse hook on Bash that refuses {match['what']}",
    ),
)  # fmt: skip

_BY_KIND: dict[Kind, str] = {
    "commit": "git hook: a commit-msg or pre-commit hook that tests this and stops where it does not hold",
    "validation": "agent hook: a Stop hook that makes this check and hands what failed back to the agent",
    "style": "linter: a rule, or a search in CI, for what it must not look like",
    "workflow": "agent hook: a PreToolUse hook on the tool in question that refuses, or says this rule at that moment",
    "follow-up": "agent hook: a Stop hook that asks for this before the agent ends",
    "communication": "agent hook: a UserPromptSubmit hook that says this with each prompt",
    "other": "agent hook: a UserPromptSubmit hook that says this with each prompt",
}


def suggestion(rule: Rule) -> str:
    """The check that would keep the rule better than words, as "where: what"; empty where there is none to suggest."""
    if rule.status in {"refused", "superseded"} or rule.level == "retired":
        return ""
    again = rule.said_again[0] if rule.said_again else 0
    found = _known_way(rule)
    if again < AGAIN:
        return found
    return f"{found or _BY_KIND[rule.kind]} (said again {plural(again, 'time')} since it was installed)"


def with_suggestions(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The rules, each with `enforce` where a check is to be suggested."""
    return tuple(rule.model_copy(update={"enforce": found}) if (found := suggestion(rule)) else rule for rule in rules)


def _known_way(rule: Rule) -> str:
    text = " ".join(rule.text.split())
    for way in _WAYS:
        if way.kinds is not None and rule.kind not in way.kinds:
            continue
        match = way.pattern.search(text)
        if match:
            return way.check if isinstance(way.check, str) else way.check(match)
    return ""

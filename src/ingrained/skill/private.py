"""What in a rule is nobody else's business, and the rule without it.

The one decision: names are not guessed from capital letters alone (a project or a tool has one too). A word is taken
for a person or a customer where the words around it say so ("ask X", "X wants", "the customer X", "my daughter X"), or
where it is among the names given. Private matter (health, family, pay) takes its whole clause with it: the reason of a
rule goes, the rule stays. Where the rule itself is the private matter, nothing is left.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from ingrained.feedback.restate import negations
from ingrained.session.personal import Names
from ingrained.session.redact import MARKER, strip_private
from ingrained.session.session import Redactor

_PUBLIC = """
    airflow alembic android angular ansible anthropic apache apple aws azure babel bash biome bitbucket black
    bootstrap brew bun cargo celery chrome claude clang clerk cloudflare cmake codex confluence copilot cpp css
    cursor cypress dart datadog deno devin discord django docker dockerfile elasticsearch electron emacs english
    eslint excel express fastapi figma firebase firefox flask flutter french gemini german git github gitlab go
    google gradle grafana graphql groovy gunicorn haskell helm heroku homebrew html husky intellij ios java
    javascript jenkins jest jira json junit jupyter kafka kotlin kubernetes laravel linear linux lua mac macos make
    makefile markdown maven mermaid microsoft minio mongo mongodb mypy mysql netlify next nginx node notion npm
    nuget numpy openai opus oracle pandas perl php playwright pnpm poetry postgres postgresql postman prettier
    prisma prometheus pulumi pyright pytest python pytorch rails react redis redux renovate ruby ruff rust safari
    sass scala selenium sentry slack sonnet spanish spring sql sqlite storybook stripe supabase svelte swift
    tailwind teams terraform tox travis turborepo typescript ubuntu unix vault vercel vim vite vitest vue webpack
    windows word xcode yaml yarn zod zoom zsh everyone everybody nobody someone anyone people users user reviewers
    reviewer developers the a an it he she they we you i this that there what who which when if then also always
    never please monday tuesday wednesday thursday friday saturday sunday january february march april may june july
    august september october november december todo readme
    """
_PUBLIC_NAMES = frozenset(_PUBLIC.split())
_NAME = r"(?-i:(?P<name>[A-ZÀ-ÖØ-Þ][a-zà-öø-ÿ'’\-]+(?: [A-ZÀ-ÖØ-Þ][a-zà-öø-ÿ'’\-]+)?))"
_ASK = (
    r"\b(?P<cue>ask|tell|ping|notify|cc|email|message|call|consult|contact|inform|check with|talk to|speak (?:to|with)"
    r"|assign (?:it |them |this )?to|sign-?off (?:from|by)|approval (?:from|by|of)|approved by|reviewed? by|according"
    r" to)\s+"
)
_ROLE = (
    r"(?P<role>finance|legal|marketing|sales|hr|support|security|design|ops|operations|accounting|procurement"
    r"|compliance"
    r"|engineering|product|qa|research|platform|infra(?:structure)?|data|(?:the )?[a-z]+ (?:team|department|desk"
    r"|office))\b"
)
_COLLEAGUE = re.compile(
    _ASK + r"(?P<who>(?!someone|somebody|anyone|anybody|people|me|us|the|a|an|for|about)[^\W\d_][\w'’\-]*(?:"
    r" (?-i:[A-ZÀ-Þ])[\w'’\-]+)?)"
    r"\s+(?:from|in|of|at)\s+" + _ROLE,
    re.IGNORECASE,
)
_RELATION = re.compile(
    r"\b(?P<cue>(?:my|our|the) (?:boss|manager|colleague|co-?worker|team ?mate|lead|mentor|friend|cto|ceo|pm))\s+"
    + _NAME,
    re.IGNORECASE,
)

_PERSON = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        _ASK + _NAME,
        _RELATION.pattern,
        rf"(?<!every )(?<!each )(?<!the )(?<!any )\b{_NAME} (?:wants|says|said|thinks|prefers|likes|hates|insists"
        rf"|complained|asked|told|gets (?:angry|upset))\b",
        rf"\b{_NAME}['’]s (?:account|request|birthday|house|phone|number|machine|laptop|desk|wish|opinion|vacation"
        rf"|holiday)\b",
    )
)
_CUSTOMER = (
    re.compile(rf"\b(?:customer|client|vendor|supplier|tenant|patient)\s+{_NAME}", re.IGNORECASE),
    re.compile(
        rf"\b{_NAME}(?:,| is| are| as)? (?:our|a|the|their) (?:biggest |main |new )?(?:customer|client)\b",
        re.IGNORECASE,
    ),
    re.compile(rf"\b{_NAME} (?:clinic|hospital|school|church|bank|gmbh|ltd|llc|inc)\b", re.IGNORECASE),
)
_MINE = r"(?:\b(?:i|i'm|i’m|my|me|we|our|he|she|his|her|mi|mis|mein\w*)\b[^.;]{0,60}?)"
_SELF = r"\bi(?:'m|’m| am| was| have| got| get| use| suffer| live| need)\b[^.;,]{0,40}?"
_MATTERS: tuple[tuple[str, str], ...] = (
    (
        "health",
        rf"\b(?:at|in|to|from) (?:the |a |my )?(?:[A-Z]\w+ )?(?:clinic|hospital|rehab)\b"
        rf"|{_MINE}\b(?:clinic|hospital|doctor'?s?|dentist|therap(?:y|ist)|surgery|chemo\w*|diagnos\w+|medication"
        rf"|pregnan\w+|disabilit\w+"
        r"|illness|disease|depress\w+|anxiety|adhd|autis\w+|dyslex\w+|epilep\w+|migraines?|rsi|carpal tunnel"
        r"|wheelchair|hearing aid)\b"
        rf"|{_SELF}\b(?:screen reader|blind|colou?r-?blind|deaf|dyslexic|sick|ill)\b|\buses? a screen reader\b|\bsick"
        rf" leave\b|\bscreen reader user\b",
    ),
    (
        "family",
        r"\b(?:daughters?|wife|husband|girlfriend|boyfriend|fianc[eé]e?|toddler|newborn)\b"
        r"|\b(?:my|his|her|their|our) (?:sons?|kids?|child(?:ren)?|baby|mother|father|mom|mum|dad|brother|sister"
        r"|parents?|family|partner)\b"
        r"|\bmi (?:hij[oa]s?|mujer|marido|espos[oa]|madre|padre)\b|\bmeine?[nr]? (?:tochter|sohn|frau|mann|kinder"
        r"|mutter|vater)\b",
    ),
    (
        "pay",
        r"\b(?:my|our|his|her|their) (?:\S+ )?(?:rate|salary|wages?|pay(?:check)?|bonus|raise|fee|income|rent"
        r"|mortgage)\b"
        r"|\b(?:hourly|daily|day|freelance|consulting) rate\b|\b(?:salary|paycheck)\b"
        r"|[$€£]?\b\d[\d.,]*\s?k?\b[$€£]? (?:rate|salary|a year|per year|per hour|an hour|a day|per day|budget for"
        r" me)\b|\bi (?:earn|charge|make) [$€£]?\d",
    ),
    (
        "private life",
        r"\b(?:my|his|her) (?:birthday|passport|home address|divorce|religion|visa|vacation|holiday|wedding|funeral)\b"
        r"|\bi(?:'m|’m| am) (?:on (?:holiday|vacation|leave|parental leave)|travelling|traveling|getting married"
        r"|divorced)\b",
    ),
)
_MATTER = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _MATTERS)

_URL = re.compile(r"\b(?:https?|ftp|ssh)://(?P<host>[^\s/:)>\]\"'`]+)[^\s)>\]\"'`]*")
_WORKSPACES = (
    ".atlassian.net",
    ".slack.com",
    ".sharepoint.com",
    ".zendesk.com",
    ".my.salesforce.com",
    "docs.google.com",
    "drive.google.com",
    "notion.so",
    "linear.app",
    "app.asana.com",
)
_INNER = re.compile(
    r"\.(?:internal|local|localdomain|corp|lan|intranet|intra|home|private|test)\Z|(?:\A|\.)(?:staging|intranet"
    r"|internal|corp|vpn|jira|wiki)\."
    r"|\A(?:10|127|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.",
    re.IGNORECASE,
)
_HOST = re.compile(r"\b(?:[a-z0-9][a-z0-9\-]*\.)+(?:internal|corp|lan|intranet|intra|localdomain)\b", re.IGNORECASE)

_ASIDE = re.compile(r"\s*\([^()]*\)")
_CLAUSE = re.compile(
    r"\s*[,;]\s*(?:(?:because|since|so that|so|while|but|and)\s+)?|\s+[–—-]\s+|"
    r"\s+(?<!\blong\s)(?<!\bsoon\s)(?<!\bwell\s)(?:because|since|as(?!\s+(?:long|soon|well)\b)|so that|so(?!\s+long\b)|"
    r"while|when|but|and)\s+|(?<=[.!?])\s+|:\s+",
    re.IGNORECASE,
)
_STARTS_OTHERWISE = re.compile(
    r"(?:it|this|that|there|he|she|they|we|i|you|her|his|their|my|our|then|which|who)\b", re.IGNORECASE
)
_CONTACT = re.compile(
    r"\s+(?:at|on|under|via)\s+(?:(?:my|the|our)\s+)?(?:(?:mobile|cell|phone|number|mail|address|desk)\s+)*"
    + MARKER.pattern
)
"""Where somebody is reached; what is to be done can be said without it."""
_CONDITION = re.compile(
    r"(?:(?:only )?(?:when(?:ever)?|while|if|unless|until|till|before|after|during)\b|(?:as|so) long as\b)",
    re.IGNORECASE,
)
_REASON = re.compile(r"(?:because|since|as)\b", re.IGNORECASE)
_DEMANDS = re.compile(
    r"\b(?:must|should|always|never|wants?|prefers?|needs?|likes?|have to|has to|ought|don'?t|do not|not)\b",
    re.IGNORECASE,
)


def leaks(text: str, *, names: Iterable[str], secrets_redactor: Redactor) -> list[str]:
    """What in a text may not be shared, each as "kind: words"; empty where nothing is seen.

    Kinds: person, customer, health, family, pay, private life, path, address (a host or an internal URL), name (one of
    `names`), and what the redactor finds or has left a marker for.
    """
    found = [f"person: {name}" for pattern in _PERSON for name in _named(pattern, text)]
    found += [f"person: {match['who']}" for match in _COLLEAGUE.finditer(text)]
    found += [f"customer: {name}" for pattern in _CUSTOMER for name in _named(pattern, text)]
    found += [f"{kind}: {match[0].strip()}" for kind, pattern in _MATTER for match in pattern.finditer(text)]
    found += [f"address: {match[0]}" for match in _URL.finditer(text) if _internal(match["host"])]
    found += [f"address: {match[0]}" for match in _HOST.finditer(text)]
    found += [f"name: {text[start:end]}" for start, end, _ in _names(tuple(names)).find(text)]
    found += [f"{kind}: found" for kind in secrets_redactor.redact(text).counts]
    found += [f"redacted: {match[0]}" for match in MARKER.finditer(text)]
    if not found and strip_private(text) != text:
        found.append("path: absolute")
    return list(dict.fromkeys(found))


def known_name(word: str) -> bool:
    """Whether a word in lower case is the name of a public tool, a language, a day or the like, and of nobody."""
    return word in _PUBLIC_NAMES


def generalise(text: str, *, names: Sequence[str], secrets_redactor: Redactor) -> str | None:
    """The rule without what is private, or `None` where what is left is no rule.

    A named colleague becomes the department ("ask Ines from finance" → "ask finance"), an absolute path its last
    component, and a number to call goes ("call me at …"); an aside, a reason or another clause that leaks goes. A
    condition never goes alone, for the rule would reach further than the words, and never stays alone. A text that
    leaks nothing comes back as it is.
    """
    if not leaks(text, names=names, secrets_redactor=secrets_redactor):
        return text

    def tells(part: str) -> bool:
        return bool(leaks(part, names=names, secrets_redactor=secrets_redactor))

    plain = _ASIDE.sub(lambda aside: "" if tells(aside[0]) else aside[0], text)
    plain = _COLLEAGUE.sub(lambda match: f"{match['cue']} {match['role']}", plain)
    plain = _RELATION.sub(lambda match: match[0] if match["name"].lower() in _PUBLIC_NAMES else match["cue"], plain)
    plain = plain if negations(plain) else _CONTACT.sub("", plain)
    plain = plain if MARKER.search(plain) else _without_paths(plain)
    kept, whole = _kept_clauses(plain, tells)
    if not kept or len(kept.split()) < 2 or tells(kept):
        return None
    if not whole and _STARTS_OTHERWISE.match(kept) and not _DEMANDS.search(kept):
        return None
    return kept[:1].upper() + kept[1:] if text[:1].isupper() else kept


def _kept_clauses(text: str, tells: Callable[[str], bool]) -> tuple[str, bool]:
    """The clauses that tell nothing, with the joints between neighbours; and whether the first is among them."""
    joints = [match.span() for match in _CLAUSE.finditer(text)]
    bounds = list(zip([0, *(end for _, end in joints)], [*(start for start, _ in joints), len(text)], strict=True))
    good = [bool(text[start:end].strip()) and not tells(text[start:end]) for start, end in bounds]
    good = _without_dependants(text, bounds, good)
    if not _stands(text, bounds, good):
        return "", False
    out = ""
    last = -1
    for place, (start, end) in enumerate(bounds):
        if not good[place]:
            continue
        joint = text[bounds[place - 1][1] : start] if last == place - 1 and last >= 0 else ", " if out else ""
        out += joint + text[start:end]
        last = place
    tail = text.rstrip()[-1:]
    out = out.strip(" ,;:-–—")
    return (out + tail if out and tail in ".!" and not out.endswith((".", "!", "?")) else out), good[0]


def _stands(text: str, bounds: Sequence[tuple[int, int]], good: Sequence[bool]) -> bool:
    """No condition is lost, and what is left is more than a condition or a reason."""
    befores = [0, *(end for _, end in bounds[:-1])]
    clauses = [text[before:end].lstrip(" ,;:") for before, (_, end) in zip(befores, bounds, strict=True)]
    if any(_CONDITION.match(clause) for clause, kept in zip(clauses, good, strict=True) if not kept):
        return False
    return any(
        not _CONDITION.match(clause) and not _REASON.match(clause)
        for clause, kept in zip(clauses, good, strict=True)
        if kept
    )


def _without_dependants(text: str, bounds: Sequence[tuple[int, int]], good: Sequence[bool]) -> list[bool]:
    """Drops clauses that go on with a dropped one or lead to it: "…and her sister is there too", "send this: …"."""
    kept = list(good)
    for place in range(1, len(bounds)):
        start, end = bounds[place]
        clause = text[start:end].strip()
        opened = text[bounds[place - 1][1] : start].startswith(":")
        if opened and not kept[place]:
            kept[place - 1] = False
        if kept[place] and not kept[place - 1] and _STARTS_OTHERWISE.match(clause) and not _DEMANDS.search(clause):
            kept[place] = False
    return kept


def _named(pattern: re.Pattern[str], text: str) -> list[str]:
    names = [match["name"] for match in pattern.finditer(text)]
    return [
        name
        for name in names
        if not all(
            word.lower().rstrip("'’s") in _PUBLIC_NAMES or word.lower() in _PUBLIC_NAMES for word in name.split()
        )
    ]


def _internal(host: str) -> bool:
    plain = host.rpartition("@")[2].lower()
    if plain in ("localhost", "127.0.0.1", "0.0.0.0"):  # noqa: S104  a text is judged, nothing is bound
        return False
    return "@" in host or "." not in plain or bool(_INNER.search(plain)) or plain.endswith(_WORKSPACES)


def _without_paths(text: str) -> str:
    """Absolute paths cut to their last component, all else as it is (what else is private takes its clause along)."""
    stripped = strip_private(text)
    return text if MARKER.search(stripped) else stripped


@lru_cache(maxsize=8)
def _names(names: tuple[str, ...]) -> Names:
    return Names(names, anywhere=True)

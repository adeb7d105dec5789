"""How far the words reach: a condition, files or folders, an end. Never further than they say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ingrained.feedback.cues import marker

_SUBORDINATE = (
    r"(?:only )?(?:(?:whil(?:e|st)|when(?:ever)?|if|unless|until|till|before|after|once(?!\s+(?:per|an?|more|again)\b)|"
    r"during|(?:as|so) long as|as soon as|in case(?: of)?|"
    r"(?:every|each) time)\b|(?:während|solange|wenn|falls|sobald|bevor|mientras|cuando|antes de|después de|tant que|"
    r"pendant (?:que|l[ae]s?)|quand|lorsque|avant de|après)\b)"
)
_OTHER_USE = (
    r"(?!you go doing|(?:we|you|i)(?:['’](?:re|m)| are| am) at it|"
    r"(?:do|does|did|is|are|was|were|should|will|can|could|would) (?:we|you|i|they|it|the)\b)"
)
"""What after such a word opens no condition: "once per file", "when do we …"."""
_ASKED_IF = "".join(
    rf"(?<!\b{word}\s)" for word in ("as", "what", "see", "check", "know", "wonder", "even", "ask", "sure", "verify")
)
_WORDS = r"(?:[^,;!?.\n]|\.(?=[\w/]))"
_CONDITION = re.compile(
    rf"(?:^|[\s,(]){_ASKED_IF}({_SUBORDINATE}\s+{_OTHER_USE}{_WORDS}{{3,80}}|"
    rf"(?:only )?for (?:every|each|all|any|new)\s+{_WORDS}{{3,60}})",
    re.IGNORECASE,
)
_MAIN = re.compile(
    r"(?<!\byou)(?<!\bwe)(?<!\bi)(?<!\bthey)(?<!\bit)(?<!\bto)(?<!\band)(?<!\bor)(?<!\bthe)(?<!\ba)(?<!\bwill)"
    r"(?<!\bshould)(?<!\bcan)(?<!\bmust)(?<!\bnot)(?<!\bis)(?<!\bare)(?<!\bhas)(?<!\bhave)\s+(?:"
    r"(?P<strong>don['’]?t|do not|never|always|please|only|make sure|let['’]?s|i['’]d|i want|no|immer|nie|nur|bitte|"
    r"siempre|nunca|toujours|jamais)|"
    r"add|ask|check|create|fix|give|keep|leave|log|move|open|prefer|put|remove|rename|reply|run|show|stop|update|use|"
    r"write)\b",
    re.IGNORECASE,
)
_UNTIL = re.compile(
    rf"\b(?:until|till|bis|hasta(?: que)?|jusqu['’](?:à ce que|à|au|en))\s+(?P<what>{_WORDS}{{2,80}})", re.IGNORECASE
)
_DAY = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|lunes|martes|"
    r"mi[eé]rcoles|jueves|viernes|s[aá]bado|domingo|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|"
    r"(?:jan(?:uary)?|feb(?:ruary)?|march|april|may|june|july|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|"
    r"dec(?:ember)?)\b|tomorrow|tonight|today|noon|midnight|morgen|heute|mañana|hoy|demain)"
)
_DATE = re.compile(
    rf"(?:(?:the|next|this|this coming|zum|nächsten?|el|la|le|l['’])\s+)*(?:{_DAY}|(?:next|nächste\w*|próxim\w+) \w+|"
    r"this (?:week|month|sprint|quarter|year|morning|afternoon|evening)\b|"
    r"(?:the )?(?:end|beginning|middle) of\b|end of\b|(?:mid|early|late)\b|q[1-4]\b|v\d|20\d\d|"
    r"\d{1,2}(?::\d\d|\s?[ap]m\b|[./-]\d|st\b|nd\b|rd\b|th\b)|further notice|auf weiteres|"
    r"then\b|nuevo aviso|nouvel ordre|(?:i am|i['’]m|we are|we['’]re) back|i (?:get back|return)|next\b)",
    re.IGNORECASE,
)
"""A point in time that passes once."""
_EVENT = re.compile(
    r"(?:(?:the|our|el|la|le|die|der|das) )*(?:\w+ )?(?:freeze|release|launch|demo|sprint|"
    r"deadline|migration|migración|audit|holidays?|rewrite|refactor\w*|cut-?over|go-?live|rollout|upgrade)\b|"
    r"(?:we|i) (?:have (?:an?|the|our|enough|time|money)\b|get|ship|release|launch|upgrade|migrate|move|switch|hire)\b",
    re.IGNORECASE,
)
"""What happens once in a project; "never … until the release" is about every release."""
_EACH_TIME = re.compile(
    r"(?:\w+ ){0,3}(?:tests?|ci|builds?|lint\w*|suite|checks?|pipeline|hooks?|"
    r"plan|review\w*)\b|(?:you|it|they|everything|asked|told)\b|there (?:is|are)\b|"
    r"(?:i|we)(?:['’]ve| have)? (?:say|said|tell|told|ask\w*|confirm\w*|approve\w*|agree\w*|ok|okay|answer\w*|"
    r"review\w*|read|reply|sign)\b",
    re.IGNORECASE,
)
"""What comes again with every task."""
_HELD_BACK = re.compile(
    r"\b(?:no|not|never|don['’]?t|dont|nothing|nunca|nicht|nie|kein\w*|jamais|ne|keep|continue|retry|repeat|iterate|"
    r"loop|"
    r"wait|go on|rerun|re-run|stay|try|poll|warte|espera|attends)\b",
    re.IGNORECASE,
)
"""Before "until", these make it the content of the rule: "never stop until …", "keep going until …"."""
_STANDING = re.compile(r"\b(?:never|always|nunca|siempre|nie|immer|jamais|toujours)\b", re.IGNORECASE)
_LANGUAGES: Mapping[str, str] = {
    "go": "*.go", "golang": "*.go", "python": "*.py", "rust": "*.rs", "java": "*.java", "kotlin": "*.kt",
    "typescript": "*.ts", "ts": "*.ts", "tsx": "*.tsx", "javascript": "*.js", "js": "*.js", "ruby": "*.rb",
    "swift": "*.swift", "sql": "*.sql", "css": "*.css", "html": "*.html", "markdown": "*.md", "yaml": "*.yaml",
    "json": "*.json", "shell": "*.sh", "bash": "*.sh", "terraform": "*.tf", "php": "*.php", "c#": "*.cs",
    "c++": "*.cpp",
    "vue": "*.vue", "svelte": "*.svelte", "dart": "*.dart", "proto": "*.proto",
}  # fmt: skip
_FILES = re.compile(
    r"\b("
    + "|".join(re.escape(name) for name in sorted(_LANGUAGES, key=len, reverse=True))
    + r")\s+(?:source\s+)?files?\b",
    re.IGNORECASE,
)
_EXTENSION = re.compile(r"(?:(?<=\s)|^)\*?\.([a-z]{1,5})\s+files?\b", re.IGNORECASE)
_FOLDER = re.compile(
    r"\b(?:in|inside|under|within|for)\s+(?:the\s+)?`?([\w.-]+(?:/[\w.*-]+)*/?)`?\s+(?:package|folder|directory|dir|"
    r"module|"
    r"crate|workspace|app|service)\b|(?:^\W*|\bonly )(?:in|inside|under|within|for)\s+`?((?:[\w.-]+/)+(?:[\w*-]*))`?",
    re.IGNORECASE,
)
_EVERYWHERE = re.compile(
    r"\b(?:in (?:all|every|any) (?:my )?(?:projects?|repos?|repositor(?:y|ies))|everywhere|"
    r"across (?:all )?(?:my )?projects|for me\b)",
    re.IGNORECASE,
)
_HERE = re.compile(r"\bin th(?:is|e) (?:repo|repository|project|codebase)\b|\bhere\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What the words say about where and how long a rule holds."""

    when: str
    """The condition as said, without surrounding words; empty where there is none."""
    paths: tuple[str, ...]
    """Globs (`*.go`) and folders (`api/`)."""
    everywhere: bool
    """The words say that it holds in all projects."""
    here: bool
    """The words tie it to this repository."""
    expires: bool
    """The words end it: a one-off, "for now"."""


def reach(clause: str) -> Reach:
    """The scope that one clause states."""
    return Reach(
        when=_condition(clause),
        paths=_paths(clause),
        everywhere=bool(_EVERYWHERE.search(clause)),
        here=bool(_HERE.search(clause)),
        expires=bool(marker("one_off").search(clause)) or any(_passes(clause, m) for m in _UNTIL.finditer(clause)),
    )


def _condition(clause: str) -> str:
    found = _CONDITION.search(clause)
    if not found:
        return ""
    when = found.group(1).strip()
    leads = clause[: found.start(1)].strip(" ,.:;!-(").count(" ") < 2
    if not leads or clause[found.end(1) :].startswith((",", ";")):
        return when
    mains = [m for m in _MAIN.finditer(when) if len(when[: m.start()].split()) > 2 or m["strong"]]
    main = next((m for m in mains if m["strong"]), mains[0] if mains else None)
    return when[: main.start()].strip() if main else when


def _passes(clause: str, until: re.Match[str]) -> bool:
    """Whether an "until …" ends the rule; else it is what the rule is about ("never stop until the tests pass")."""
    what, head = until["what"], clause[: until.start()]
    if _DATE.match(what):
        return True
    if _EVENT.match(what):
        return not _STANDING.search(clause)
    return not (_EACH_TIME.match(what) or _HELD_BACK.search(head))


def _paths(clause: str) -> tuple[str, ...]:
    found = [_LANGUAGES[m.group(1).lower()] for m in _FILES.finditer(clause)]
    found += [f"*.{m.group(1).lower()}" for m in _EXTENSION.finditer(clause)]
    for match in _FOLDER.finditer(clause):
        folder = (match.group(1) or match.group(2)).rstrip("/")
        if folder.lower() not in {"this", "that", "same", "own", "its", "the", "a", "new", "each", "every"}:
            found.append(folder + "/" if "." not in folder.rpartition("/")[2] else folder)
    return tuple(dict.fromkeys(found))

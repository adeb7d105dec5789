"""Which parts of a turn are the person's own words, and where its sentences and clauses lie.

Pasted logs, code, diffs, quotes and review texts say what a tool or another person wrote. They stay context: no atom
starts in them. Everything here returns offsets into the original text, because a quote has to be verbatim.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A stretch of a text: `[start, end)` in characters, and the stretch itself."""

    start: int
    end: int
    text: str


_FENCE = re.compile(r"^[ \t]*(```|~~~)[^\n]*\n.*?(?:^[ \t]*\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
_IMAGE = re.compile(r"\[Image #?\d*(?:: source: [^\]]*)?\]|\[Pasted text #\d+[^\]]*\]|\[…\]|\[REDACTED\]")
_MACHINE_LINE = re.compile(
    r"""^\s*(?:
        >\s?|                                     # a quote
        [+-]\s{2,}\S|[+-][^\s+-].*[;{}()=]|@@\s|diff\s--git|index\s[0-9a-f]{7}|   # a diff
        \d{4}-\d\d-\d\d[T\s]\d\d:\d\d|\[?\d\d:\d\d:\d\d|                          # a log line
        (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\s+\d+\s+\d\d:\d\d|
        \[?(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL|TRACE)\b|
        at\s\S+\s?\(.*:\d+|File\s".*",\sline\s\d+|Traceback\s|\w*(?:Error|Exception):\s|
        ---\s(?:FAIL|PASS|a/|b/)|\+\+\+\s|={3,}|-{4,}|\|.*\||[⎿⏺●└├│╭╰✓✗✔✘♻]|
        \$\s\S|[\w.@-]+[@:][\w./~-]+\s?[%$#]\s|npm\sERR!|E\s{3}|
        (?:import|from|def|class|func|const|let|var|return|if|for|while|public|private|package|type|export)\b
            [^.!?]*[{(;:=]\s*$|                   # code
        [\w.]+\([^)]*\)\s*[;{]\s*$|[}\])]+[;,]?\s*$|</?[A-Za-z][^>]*>\s*$|
        [\w./-]+\.\w{1,5}:\d+(?::\d+)?:?\s        # file:line: message of a tool
    )""",
    re.VERBOSE,
)
_PERSON = re.compile(
    r"\b(?:i|i'm|im|i'd|i'll|i've|me|my|we|we're|we'd|we'll|let's|lets|you|your|you're|please|pls|don't|dont|yes|yeah|yup|"
    r"nope|ok|okay|hmm+|uh+|thanks)\b",
    re.IGNORECASE,
)
_REVIEW = re.compile(
    r"\b(?:consider (?:using|adding|extracting|renaming|moving|updating|whether)|"
    r"this (?:could|may|might|will|would|means|change|function|method|test|code|comment|removes|adds|introduces)|"
    r"lines? \d+|the (?:function|method|variable|field|parameter|comment|documentation|test|code|current) |"
    r"potential issue|nitpick|suggestion|actionable|severity|recommend)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?…。！？]+[)\"'”’\]]*(?=\s|$)|[。！？]|\n+|(?<=\S) [-–—] (?=[a-z\"'(])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|z\.B|d\.h|Mr|Mrs|Dr|St|No)\.|\b[A-Za-z]\.|\.\.\.|…|^\s*\d+\.)$"
)
_BULLET = re.compile(r"\s*(?:[-*•]|\(?\d{1,3}[.)]|[A-Za-z][.)])\s+")


def own_words(text: str) -> list[Span]:
    """The stretches of `text` that the person wrote for this turn, in order.

    Left out: fenced code, machine lines (quotes, diffs, logs, stack traces, tables, code), image placeholders, and
    paragraphs that read like a pasted review: long, impersonal, with review phrases and no word to the agent.
    """
    masked = _FENCE.sub(lambda m: _blank(m.group()), text)
    masked = _IMAGE.sub(lambda m: _blank(m.group()), masked)
    spans: list[Span] = []
    for start, end in _paragraphs(masked):
        if _pasted(masked[start:end]):
            continue
        spans.extend(replace(span, text=text[span.start : span.end]) for span in _lines(masked, start, end))
    return spans


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _paragraphs(text: str) -> list[tuple[int, int]]:
    cuts = [0, *(m.end() for m in re.finditer(r"\n[ \t]*\n", text)), len(text)]
    return [(a, b) for a, b in pairwise(cuts) if text[a:b].strip()]


def _pasted(paragraph: str) -> bool:
    words = len(paragraph.split())
    if words < 18:
        return False
    personal = len(_PERSON.findall(paragraph))
    review = len(_REVIEW.findall(paragraph))
    return personal == 0 or (review >= 2 and personal <= words // 40)


def _lines(text: str, start: int, end: int) -> list[Span]:
    """Runs of lines in a paragraph that no machine wrote."""
    found: list[Span] = []
    at = start
    for line in text[start:end].splitlines(keepends=True):
        stop = at + len(line)
        if line.strip() and not _MACHINE_LINE.match(line) and not _symbols(line):
            if found and found[-1].end == at:
                found[-1] = Span(start=found[-1].start, end=stop, text=text[found[-1].start : stop])
            else:
                found.append(Span(start=at, end=stop, text=text[at:stop]))
        at = stop
    return found


def _symbols(line: str) -> bool:
    """Mostly punctuation, digits and code signs: nobody types a sentence like that."""
    dense = [c for c in line if not c.isspace()]
    letters = sum(c.isalpha() for c in dense)
    return len(dense) >= 12 and letters < 0.55 * len(dense)


def sentences(span: Span) -> list[Span]:
    """The sentences and bullets within a stretch, without leading bullets and surrounding space."""
    pieces: list[Span] = []
    begin = 0
    for match in _SENTENCE_END.finditer(span.text):
        head = span.text[begin : match.end()]
        if "\n" not in match.group() and match.end() < len(span.text) and _ABBREVIATION.search(head.rstrip(")\"'")):
            continue
        pieces.append(_trim(span, begin, match.end()))
        begin = match.end()
    pieces.append(_trim(span, begin, len(span.text)))
    return [piece for piece in pieces if any(c.isalnum() for c in piece.text)]


def _trim(span: Span, begin: int, end: int) -> Span:
    text = span.text[begin:end]
    bullet = _BULLET.match(text)
    lead = bullet.end() if bullet else len(text) - len(text.lstrip())
    body = text[lead:].rstrip()
    return Span(start=span.start + begin + lead, end=span.start + begin + lead + len(body), text=body)

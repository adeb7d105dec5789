"""Commit messages in the form that a repository keeps: tasks that a rule can help with, and rules known good and bad.

Built by path from the commits that `bench.writing.commit` reads. The request is a fact sheet of one commit; the
verifier `program` checks form alone, which a worker can only know from a skill. The decision to know: a convention
counts where nearly every commit of the data keeps it (`kept` measures that), and a commit becomes a task only if its
own message passes every check, so that each task can be done. Families are areas of the code: tasks of one area are
about the same evidence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from ingrained.bench.tasks import TaskSet, path_of
from ingrained.bench.writing.commit import COMMIT
from ingrained.bench.writing.document import Document, Dropped, load
from ingrained.bench.writing.topics import topic_words
from ingrained.harness.base import Task
from ingrained.verify.program import Known, Length, Matches

NAME: Final = "conventions"
LEAST_IN_FAMILY: Final = 8
"""A smaller area goes to the family `other`."""
_TOPICS: Final = 6
_MOST_FILES: Final = 4
_CLOSES: Final = re.compile(r"^Closes #(\d+)$", re.MULTILINE)

_LABEL: Final = "(?i:fix(?:es|ed)?|close[sd]?|refs?|see|subject|title|body|commit|message|summary)"
"""Words that stand before a colon and are no area; an answer of `Fixes: 12` alone would have one else."""

Convention: TypeAlias = Matches | Length

CONVENTIONS: Final[tuple[Convention, ...]] = (
    Matches(name="area", check="matches", on="first line", pattern=rf"^(?!{_LABEL}: )[\w./*+,{{}}-]+: \S"),
    Length(name="short subject", check="length", on="first line", of="characters", least=10, most=72),
    Matches(name="no full stop", check="matches", on="first line", pattern=r"\.$", least=0, most=0),
    Matches(name="no number in the subject", check="matches", on="first line", pattern=r"#\d", least=0, most=0),
    Matches(name="blank second line", check="matches", on="rest", pattern=r"\A\n\n[^\n]"),
    Length(name="narrow body", check="length", on="rest", of="longest line", most=76),
    Matches(name="no headings or bold", check="matches", pattern=r"^#+ |\*\*", least=0, most=0),
)
"""What the messages of the whole repository keep; `closes` is added, since it names the number of its task.

The data hold subject and body apart, so that their messages keep `blank second line` by construction.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedRule:
    """A rule whose effect is known: which checks it should make pass, or fail."""

    text: str
    helps: tuple[str, ...] = ()
    hurts: tuple[str, ...] = ()


GOOD: Final = (
    PlantedRule(
        text="Start the subject with the area of the code and a colon, as in `url: reject empty hosts`", helps=("area",)
    ),
    PlantedRule(text="Keep the subject within 72 characters", helps=("short subject",)),
    PlantedRule(text="End the subject without a full stop", helps=("no full stop",)),
    PlantedRule(text="Keep numbers of requests out of the subject", helps=("no number in the subject",)),
    PlantedRule(text="Leave the second line of the message blank", helps=("blank second line",)),
    PlantedRule(text="End the message with a line that says only `Closes #` and the number", helps=("closes",)),
    PlantedRule(text="Break the lines of the body at 72 characters", helps=("narrow body",)),
    PlantedRule(text="Use no Markdown headings and no bold text", helps=("no headings or bold",)),
)
BAD: Final = (
    PlantedRule(text="End the subject with a full stop, as every sentence", hurts=("no full stop",)),
    PlantedRule(
        text="Start the subject with a capital verb and no prefix, as in `Reject empty hosts`", hurts=("area",)
    ),
    PlantedRule(text="Put the number in parentheses at the end of the subject", hurts=("no number in the subject",)),
    PlantedRule(text="Write the whole message as one line", hurts=("blank second line", "closes")),
    PlantedRule(text="Put `**Summary**` in bold above the body", hurts=("no headings or bold",)),
    PlantedRule(text="Refer to the request as `Fixes: <number>`", hurts=("closes",)),
    PlantedRule(text="Never break a line of the body, however long it is", hurts=("narrow body",)),
)
NEUTRAL: Final = (
    PlantedRule(text="Think of the people who will read the message"),
    PlantedRule(text="Say only what is true of this commit"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """How many of the messages keep a convention."""

    check: str
    hits: int
    n: int


def at(place: str) -> TaskSet:
    """The tasks of `conventions:PLACE`.

    Raises:
        ConfigError: nothing is there, or no such commits are.
    """
    return tasks([path_of(NAME, place, "commits as JSON lines, a file or a folder of them")])


def tasks(paths: Sequence[Path]) -> TaskSet:
    """One task a commit that closes something by number and keeps every convention.

    Raises:
        ConfigError: a path is not there, or holds no such commits.
    """
    found = load(COMMIT, paths)
    fitting: list[tuple[Document, tuple[Convention, ...]]] = []
    dropped = list(found.dropped)
    for document in found.documents:
        asked = conventions(document)
        broken = [one.name for one in asked if one.wrong(message(document))]
        if len(asked) == len(CONVENTIONS):
            dropped.append(Dropped(place=document.place, why="closes no single number", detail=document.key))
        elif broken:
            dropped.append(Dropped(place=document.place, why="its own message fails", detail=", ".join(broken)))
        else:
            fitting.append((document, asked))
    areas = Counter(_area(document) for document, _ in fitting)
    return TaskSet(
        tasks=tuple(
            Task(
                id=document.key,
                benchmark=NAME,
                family=area if areas[area := _area(document)] >= LEAST_IN_FAMILY else "other",
                request=request(document),
                known=Known(checks=asked, unfence=True).model_dump(mode="json"),
            )
            for document, asked in fitting
        ),
        dropped=tuple(dropped),
        verifier="program",
    )


def kept(paths: Sequence[Path]) -> tuple[Kept, ...]:
    """How many messages with a body keep each convention; `closes` among those that close a single number.

    Raises:
        ConfigError: a path is not there, or holds no commits.
    """
    hits: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    for document in load(COMMIT, paths).documents:
        for one in conventions(document):
            asked[one.name] += 1
            hits[one.name] += not one.wrong(message(document))
    return tuple(Kept(check=name, hits=hits[name], n=n) for name, n in asked.items())


def message(document: Document) -> str:
    """The commit's own message, subject and body."""
    return f"{_fact(document, 'Subject')[0]}\n\n{document.text}"


def conventions(document: Document) -> tuple[Convention, ...]:
    """What its message should keep, with `closes` where it closes a single number."""
    numbers = _CLOSES.findall(document.text)
    closes = [
        Matches(name="closes", check="matches", on="last line", pattern=rf"^Closes #{number}$") for number in numbers
    ]
    return (*CONVENTIONS, *closes) if len(closes) == 1 else CONVENTIONS


def request(document: Document) -> str:
    """What a worker is asked: facts alone, in the words of nobody."""
    facts = {
        "Files": _fact(document, "Files")[:_MOST_FILES],
        "Names": tuple(one for one in _fact(document, "Names") if not one.isdigit()),
        "Topics": topic_words(message(document), most=_TOPICS),
        "Pull request": tuple(_CLOSES.findall(document.text)),
    }
    asked = "Write the message for this commit: its subject and its body. Answer with the message alone."
    return "\n".join([asked, *(f"{name}: {', '.join(values)}" for name, values in facts.items() if values)])


def _area(document: Document) -> str:
    """The folder, to two levels, in which most of its files lie; the first one of several."""
    folders = Counter("/".join(path.split("/")[:-1][:2]) or "." for path in _fact(document, "Files"))
    return folders.most_common(1)[0][0] if folders else "."


def _fact(document: Document, name: str) -> tuple[str, ...]:
    return next((one.values for one in document.facts if one.name == name), ())

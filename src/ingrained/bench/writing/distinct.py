"""Which documents are used: countable, of a fitting length, distinct, consistent; each that goes has one reason.

The paper removes duplicated, inconsistent or low-quality instances by rules and by a model. Here rules alone do it:

- texts whose words cannot be counted, that are too short or too long for the task;
- the same text under two authors: nobody knows whose it is, so none of them stays;
- a text of an author that is nearly one of the author's earlier ones, and a text whose request is nearly that of one
  on another topic;
- a text that its own request gives away: more than a tenth of its runs of four words stand there.

Nearly: a normalised edit similarity of `NEAR` or more (rapidfuzz), on casefolded words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from ingrained.bench.writing.document import Document, Dropped, Task
from ingrained.bench.writing.request import fact_sheet, overlap
from ingrained.verify.words import unseparated, words
from ingrained.wording import plural

NEAR = 85.0
"""Of 100, from which two texts are nearly the same."""
GIVEN_AWAY = 0.1
"""Share of a text's runs of words in its own request, above which the text is out."""


def distinct(task: Task, documents: Iterable[Document]) -> tuple[dict[str, list[Document]], list[Dropped]]:
    """Documents by author, each author's from the earliest on, and what was dropped. The order given never matters."""
    dropped: list[Dropped] = []
    ordered = sorted(documents, key=lambda one: (one.author, one.order, one.key))
    fitting = [one for one in ordered if not _noted(one, unfit(task, one), dropped)]
    shared = _shared(fitting)
    whose = [one for one in fitting if not _noted(one, _two_authors(one, shared), dropped)]
    authors: dict[str, list[Document]] = defaultdict(list)
    texts: dict[str, list[str]] = defaultdict(list)
    requests: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for one in whose:
        text, request = _plain(one.text), _plain(fact_sheet(task, one).removeprefix(task.asks))
        why = "nearly an earlier text of the author" if _near(text, texts[one.author]) else ""
        others = [had for topic, same in requests[one.author].items() if topic != one.subject for had in same]
        why = why or ("a request that is nearly an earlier one" if _near(request, others) else "")
        if not _noted(one, why, dropped):
            authors[one.author].append(one)
            texts[one.author].append(text)
            requests[one.author][one.subject].append(request)
    return dict(authors), dropped


def _noted(one: Document, why: str, dropped: list[Dropped]) -> bool:
    """Whether there is a reason to drop it; then it is noted."""
    if why:
        dropped.append(Dropped(place=one.place or one.key, why=why, detail=one.author))
    return bool(why)


def unfit(task: Task, one: Document) -> str:
    """Why a document cannot be used, whatever the others are; empty where it can."""
    count = len(words(one.text))
    if unseparated(one.text) is not None:
        return "a text without word separation"
    if count < task.least_words:
        return f"fewer than {plural(task.least_words, 'word')}"
    if count > task.most_words:
        return f"more than {plural(task.most_words, 'word')}"
    if not any(one.facts):
        return "a text that nothing is known of"
    if overlap(fact_sheet(task, one), one.text) > GIVEN_AWAY:
        return "a text that its own request gives away"
    return ""


def _shared(documents: Iterable[Document]) -> frozenset[str]:
    """Texts that stand under more than one author."""
    under: dict[str, set[str]] = defaultdict(set)
    for one in documents:
        under[_plain(one.text)].add(one.author)
    return frozenset(text for text, names in under.items() if len(names) > 1)


def _two_authors(one: Document, shared: frozenset[str]) -> str:
    return "the same text under two authors" if _plain(one.text) in shared else ""


def _plain(text: str) -> str:
    return " ".join(word.casefold() for word in words(text))


def _near(text: str, earlier: list[str]) -> bool:
    from rapidfuzz import fuzz

    return bool(text) and any(fuzz.ratio(text, one, score_cutoff=NEAR) for one in earlier)

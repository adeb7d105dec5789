"""Task `yelp`: reviews of the Yelp Open Dataset by user.

Reads `yelp_academic_dataset_review.json` (JSON lines `{review_id, user_id, business_id, stars, text, date}`) and, where
it lies beside, `yelp_academic_dataset_business.json` for the name, the place and the categories of a business. The set
is 5 GB: it is read twice, first to find out who wrote enough, then for the texts of a fixed choice of these users.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ingrained.bench.writing.document import Document, Dropped, Fact, Loaded
from ingrained.bench.writing.rows import Row, files, rows
from ingrained.ids import content_hash

MOST_USERS = 400
LEAST_REVIEWS = 8
MOST_REVIEWS = 40
"""Of a user, the first ones in the file."""


class _Review(Row):
    review_id: str
    user_id: str
    business_id: str
    stars: float
    text: str
    date: str = ""


class _Business(Row):
    business_id: str
    name: str = ""
    city: str = ""
    categories: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Yelp:
    """The task."""

    name: str = "yelp"
    asks: str = "Write a review of this business."
    least_words: int = 40
    most_words: int = 500

    def load(self, paths: Sequence[Path]) -> Loaded:
        """One document a review of a chosen user."""
        found = files(paths, ("review.json", "business.json"))
        reviews = [path for path in found if not path.name.endswith("business.json")]
        beside = [path.parent / path.name.replace("review", "business") for path in reviews]
        places = dict.fromkeys(path for path in [*found, *beside] if path.name.endswith("business.json"))
        dropped: list[Dropped] = []
        chosen = _chosen(reviews, dropped)
        kept: list[tuple[str, _Review]] = []
        counts: Counter[str] = Counter()
        for path in reviews:
            for place, row in rows(path, _Review):
                if isinstance(row, _Review) and row.user_id in chosen and counts[row.user_id] < MOST_REVIEWS:
                    counts[row.user_id] += 1
                    kept.append((place, row))
        known = _businesses([path for path in places if path.is_file()], {row.business_id for _, row in kept})
        documents = tuple(_document(place, row, known.get(row.business_id)) for place, row in kept)
        return Loaded(documents=documents, dropped=tuple(dropped))


YELP = Yelp()


def _chosen(reviews: Sequence[Path], dropped: list[Dropped]) -> frozenset[str]:
    """Users of enough reviews; of too many users, those whose hashes come first, the same on every run."""
    counts: Counter[str] = Counter()
    for path in reviews:
        for _, row in rows(path, _Review):
            if isinstance(row, Dropped):
                dropped.append(row)
            else:
                counts[row.user_id] += 1
    enough = sorted((user for user, n in counts.items() if n >= LEAST_REVIEWS), key=content_hash)
    dropped += [
        Dropped(place=user, why=f"an author of fewer than {LEAST_REVIEWS} texts")
        for user, n in sorted(counts.items())
        if n < LEAST_REVIEWS
    ]
    dropped += [Dropped(place=user, why=f"an author beyond {MOST_USERS}") for user in enough[MOST_USERS:]]
    return frozenset(enough[:MOST_USERS])


def _businesses(paths: Sequence[Path], wanted: set[str]) -> dict[str, _Business]:
    return {
        row.business_id: row
        for path in paths
        for _, row in rows(path, _Business)
        if isinstance(row, _Business) and row.business_id in wanted
    }


def _document(place: str, row: _Review, business: _Business | None) -> Document:
    known = business or _Business(business_id=row.business_id)
    named = [
        ("Business", known.name),
        ("City", known.city),
        ("Categories", known.categories or ""),
        ("Stars", f"{row.stars:g}"),
    ]
    facts = tuple(Fact(name=name, values=(value,)) for name, value in named if value)
    return Document(
        key=row.review_id, author=row.user_id, text=row.text.strip(), facts=facts, order=row.date, place=place
    )

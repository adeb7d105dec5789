"""Loaders of the writing tasks: each layout read, bad rows named and never in the way of good ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.writing_world import commits, peps

import ingrained
from ingrained.bench.writing.commit import COMMIT
from ingrained.bench.writing.distinct import distinct
from ingrained.bench.writing.document import TASKS, Loaded, load
from ingrained.bench.writing.enron import EMAIL
from ingrained.bench.writing.longlamp import ABSTRACT, REVIEW, TOPIC
from ingrained.bench.writing.pep import ENOUGH_WORDS, PEP
from ingrained.bench.writing.request import fact_sheet, overlap
from ingrained.bench.writing.turns import TURNS
from ingrained.bench.writing.yelp import LEAST_REVIEWS, YELP
from ingrained.errors import ConfigError, UnknownNameError
from ingrained.verify.words import words

SAMPLE = Path(ingrained.__file__).parent / "sample"


def facts(loaded: Loaded, place: int = 0) -> dict[str, tuple[str, ...]]:
    return {one.name: one.values for one in loaded.documents[place].facts}


def test_every_task_of_the_registry_loads_under_its_own_name() -> None:
    for entry in TASKS.entries():
        assert TASKS.load(entry.name).name == entry.name
    with pytest.raises(UnknownNameError, match="did you mean 'commit'"):
        TASKS.load("comit")


def test_commits_lose_the_broken_rows_alone_and_say_where(tmp_path: Path) -> None:
    folder = commits(tmp_path / "data", authors=2, each=3)
    path = folder / "author_00.jsonl"
    good = path.read_text(encoding="utf-8")
    bad = '{"author": "a", "commit": "c", "subject": 3, "body": "b"}\nnot json\n[1]\n'
    empty = json.dumps({"author": "a", "commit": "c", "subject": "s", "body": "  "}) + "\n"
    path.write_text(bad + empty + good, encoding="utf-8")
    found = load(COMMIT, [folder])
    assert len(found.documents) == 6
    told = {one.place: (one.why, one.detail) for one in found.dropped}
    assert told["author_00.jsonl:1"][0] == "field 'subject' is missing or wrong"
    assert told["author_00.jsonl:2"][0] == told["author_00.jsonl:3"][0] == "no JSON object of its layout"
    assert told["author_00.jsonl:4"][0] == "no text"
    assert facts(found)["Subject"]
    assert facts(found)["Files"][0].startswith("src/")


def test_a_folder_without_anything_to_use_is_an_error_that_names_the_rows(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"author": "a"}\n', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"x\.jsonl:1: field 'commit' is missing or wrong"):
        load(COMMIT, [tmp_path])
    with pytest.raises(ConfigError, match="not there"):
        load(COMMIT, [tmp_path / "nowhere"])
    with pytest.raises(ConfigError, match="needs its data"):
        load(COMMIT, [])
    (tmp_path / "y.parquet").write_bytes(b"PAR1")
    with pytest.raises(ConfigError, match="parquet is not read"):
        load(TOPIC, [tmp_path / "y.parquet"])


def test_a_proposal_gives_sections_of_prose_alone(tmp_path: Path) -> None:
    found = load(PEP, [peps(tmp_path)])
    one = found.documents[0]
    assert one.author == "writer-0"
    assert not any("not_prose" in other.text or "not prose" in other.text for other in found.documents)
    assert not any("[#" in other.text or "example.org" in other.text for other in found.documents)
    assert {other.topic for other in found.documents[:2]} == {"pep-1000"}
    assert all(len(words(other.text)) >= ENOUGH_WORDS for other in found.documents)
    assert facts(found)["Headings"] == ("Abstract", "Rationale")
    assert facts(found)["Title"] == ("A stale " + facts(found)["Title"][0].split()[2] + " for everyone",)


def test_a_proposal_without_its_headers_is_named(tmp_path: Path) -> None:
    peps(tmp_path, authors=1, each=1)
    (tmp_path / "writer-0" / "other.txt").write_text("Just a file\n\nof text.\n", encoding="utf-8")
    (tmp_path / "writer-0" / "latin.rst").write_bytes(b"PEP: 1\n\xff\n")
    found = load(PEP, [tmp_path])
    assert sorted(one.why for one in found.dropped) == ["field 'PEP' is missing or wrong", "no text in UTF-8"]


def test_turns_are_typed_words_with_what_the_agent_had_done() -> None:
    found = load(TURNS, [SAMPLE])
    assert found.documents
    for one in found.documents:
        assert TURNS.least_words <= len(words(one.text)) <= TURNS.most_words
    assert any("The agent's last words" in facts(found, at) for at in range(len(found.documents)))
    assert len({one.author for one in found.documents}) > 1


LONG = " ".join(f"word{nth} of the text" for nth in range(12))


def longlamp(task: str, author: str, entry: dict[str, object]) -> dict[str, object]:
    return {
        author: "somebody",
        "input": f"Write for the {task}",
        "output": f"{LONG} last",
        "profile": [entry, {**entry}],
    }


@pytest.mark.parametrize(
    ("task", "row", "fact"),
    [
        (TOPIC, longlamp("topic", "author", {"content": f"{LONG} post", "summary": "on ladders"}), ("Summary", "on ladders")),
        (
            REVIEW,
            longlamp("review", "reviewerId", {"reviewText": f"{LONG} ok", "overall": 4.0, "description": "A lamp", "summary": None}),
            ("Rating", "4"),
        ),
        (ABSTRACT, longlamp("abstract", "name", {"abstract": f"{LONG} we", "title": "On lamps", "year": 2011}), ("Title", "On lamps")),
    ],
    ids=["topic", "review", "abstract"],
)  # fmt: skip
@pytest.mark.parametrize("array", [False, True], ids=["lines", "array"])
def test_longlamp_gives_profiles_and_outputs(tmp_path: Path, task: object, row: dict[str, object], fact: tuple[str, str], array: bool) -> None:  # fmt: skip
    path = tmp_path / "test.json"
    rows = [row, {**row, "profile": [{"title": "no text"}]}]
    path.write_text(json.dumps(rows) if array else "\n".join(map(json.dumps, rows)), encoding="utf-8")
    found = load(task, [tmp_path])  # type: ignore[arg-type]
    assert len(found.documents) == 2  # the entry twice, and the output twice
    assert facts(found)[fact[0]] == (fact[1],)
    assert facts(found, 1)["Task"] == (row["input"],)
    assert [one.why for one in found.dropped] == ["no text"]
    assert found.documents[0].order < found.documents[1].order


def test_mails_are_joined_from_their_sentences_with_the_subject_beside(tmp_path: Path) -> None:
    text, info = tmp_path / "text" / "dev", tmp_path / "metadata" / "dev"
    text.mkdir(parents=True)
    info.mkdir(parents=True)
    said = "Please send the ledger of the harbor office tomorrow."
    lines = [f"0\t{said}", "0\tThanks", "torn", f"1\tAnother {said}"]
    (text / "dev01.message.text.tsv").write_text("\n".join(lines), encoding="utf-8")
    (info / "dev01.message.info.tsv").write_text("0\t2001-01-02 03:04:05\tRe: ledger\n1\t2001-01-03 00:00:00\t\n", encoding="utf-8")  # fmt: skip
    found = load(EMAIL, [tmp_path])
    assert [one.text for one in found.documents] == [f"{said} Thanks", f"Another {said}"]
    assert facts(found)["Subject"] == ("Re: ledger",)
    assert "Subject" not in facts(found, 1)
    assert [(one.place, one.why) for one in found.dropped] == [("dev01.message.text.tsv:3", "field 'text' is missing or wrong")]  # fmt: skip


def test_yelp_takes_users_of_enough_reviews_with_the_business_beside(tmp_path: Path) -> None:
    rows = [
        {"review_id": f"{user}{nth}", "user_id": user, "business_id": "b1", "stars": 3.0, "text": f"{LONG} {nth}", "date": f"2015-01-{nth + 1:02d}"}
        for user, count in (("ann", LEAST_REVIEWS), ("bob", LEAST_REVIEWS - 1))
        for nth in range(count)
    ]  # fmt: skip
    reviews = tmp_path / "yelp_academic_dataset_review.json"
    reviews.write_text("\n".join(map(json.dumps, rows)) + "\n{torn", encoding="utf-8")
    business = {"business_id": "b1", "name": "The Lantern", "city": "Reno", "categories": None}
    (tmp_path / "yelp_academic_dataset_business.json").write_text(json.dumps(business), encoding="utf-8")
    for path in (tmp_path, reviews):
        found = load(YELP, [path])
        assert {one.author for one in found.documents} == {"ann"}
        assert facts(found) == {"Business": ("The Lantern",), "City": ("Reno",), "Stars": ("3",)}
        assert sorted(one.why for one in found.dropped) == [
            "an author of fewer than 8 texts",
            "no JSON object of its layout",
        ]


@pytest.mark.parametrize("task", ["pep", "commit", "turns"])
def test_requests_do_not_give_the_wording_away(tmp_path: Path, task: str) -> None:
    made = TASKS.load(task)
    place = {"pep": lambda: peps(tmp_path), "commit": lambda: commits(tmp_path), "turns": lambda: SAMPLE}[task]()
    loaded = load(made, [place]).documents
    shares = [overlap(fact_sheet(made, one), one.text) for one in loaded]
    assert sum(shares) / len(shares) <= 0.02
    kept, _ = distinct(made, loaded)
    assert len(loaded) - sum(map(len, kept.values())) <= 0.2 * len(loaded)
    for found in kept.values():
        for one in found:
            assert overlap(fact_sheet(made, one), one.text) <= 0.1
            assert overlap(f"Note: {one.text}", one.text) >= 0.8  # the measure sees wording where it stands

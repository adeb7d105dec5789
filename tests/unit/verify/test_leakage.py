"""Which terms of earlier texts are candidates, and when a response carries one over."""

from __future__ import annotations

import pytest

from ingrained.verify.leakage import KEYWORDS, candidates, compared, leaked, unsupported
from ingrained.verify.population import population


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We use `data interlinking` here.", {("code", "data interlinking")}),
        ('It says "open data" and “paid work” often.', {("quotation", "open data"), ("quotation", "paid work")}),
        ('He said "I saw Alice on the way home" then.', {("capitalised", "Alice")}),
        ("call max_size and f() now", {("identifier", "max_size")}),
        ("pass --dry-run to curl_easy_setopt", {("identifier", "--dry-run"), ("identifier", "curl_easy_setopt")}),
        ("in src/lib/url.c and docs/a.md", {("identifier", "src/lib/url.c"), ("identifier", "docs/a.md")}),
        ("see os.path and std::move", {("identifier", "os.path"), ("identifier", "std::move")}),
        ("since v2 and utf8", {("identifier", "v2"), ("identifier", "utf8")}),
        ("the game SeaFish on an iPhone", {("camel case", "SeaFish"), ("camel case", "iPhone")}),
        ("it took 42 days, 3 cups and 1,250.5 steps", {("number", "42"), ("number", "1,250.5")}),
        ("1. one\n22. two", set()),
        ('Paris is big. Rome too: Berlin (London) "Vienna\nOslo', set()),
        ("we like Paris and the NATO", {("capitalised", "Paris"), ("capitalised", "NATO")}),
        ("we like Apple, an apple a day", set()),
        ("then I'm here, The end, Because", set()),
        ("and/or read/write i.e. _emphasis_", set()),
    ],
)
def test_candidates(text: str, expected: set[tuple[str, str]]) -> None:
    found = candidates([text])
    assert {(one.kind, one.text) for one in found} == expected


def test_a_stretch_gives_one_candidate_of_the_first_kind() -> None:
    found = candidates(["use `SeaFish 2024` or SeaFish", "again `SeaFish 2024`"])
    assert [(one.kind, one.text) for one in found] == [("code", "SeaFish 2024"), ("camel case", "SeaFish")]


@pytest.mark.parametrize(
    ("word", "same"),
    [
        ("Boats", "boat"),
        ("boxes", "box"),
        ("queries", "query"),
        ("Paris's", "paris"),
        ("status", "status"),
        ("class", "class"),
        ("analysis", "analysis"),
        ("gas", "gas"),
        ("dogs'", "dog"),
    ],
)
def test_words_are_compared_without_case_and_plural(word: str, same: str) -> None:
    assert compared(word) == same


def test_keywords_are_rare_among_others_and_no_habit_of_the_author() -> None:
    others = population(
        {f"author {number}": ["the river and common words"] for number in range(50)} | {"last": ["mooring"]}
    )
    mine = ["however the mooring kelp kelp kelp river", "however kelp sextant", "however again", "however it is", "end"]
    found = [one.text for one in candidates(mine, rarity=others) if one.kind == "keyword"]
    # Of 51 authors one who says "mooring" is under 2 %; "however" stands in most of the author's own texts.
    assert found[0] == "kelp"
    assert {"sextant", "mooring"} <= set(found)
    assert not {"river", "however"} & set(found)
    many = population({f"author {number}": ["mooring" if number < 2 else "sea"] for number in range(51)})
    assert "mooring" not in [one.text for one in candidates(mine, rarity=many)]


def test_there_are_eight_keywords_and_none_without_a_population() -> None:
    text = "alder birch cedar elm fir hazel larch maple oak pine rowan spruce willow"
    others = population({"a": ["sea"], "b": ["sea"]})
    found = candidates([text], rarity=others)
    assert [one.text for one in found] == text.split()[:KEYWORDS]
    assert candidates([text]) == ()
    assert candidates([text], rarity=population({})) == ()


def test_a_leak_is_a_whole_word_in_any_case_and_number_and_counts_once() -> None:
    found = candidates(["We praise the Alder, Larch and `open data`."])
    assert [one.text for one in leaked("ALDERS and alders; larchwood; data that is open; Open  Data", found)] == [
        "open data",
        "Alder",
    ]
    assert leaked("elderly larches", found) == (found[2],)
    assert leaked("", found) == ()


def test_terms_of_the_request_are_supported() -> None:
    found = candidates(["We praise the Alder and `open data`."])
    assert unsupported(found, "Write about data on alders that is open") == ()
    assert [one.text for one in unsupported(found, "Write about data")] == ["open data", "Alder"]


def test_adaptation_requests_are_sources_like_histories() -> None:
    found = candidates(["calm words", "Write about SeaFish"])
    assert [one.text for one in leaked("the seafish game", found)] == ["SeaFish"]

"""A rule's line says its place once: as a prefix, or in the rule's own words."""

import pytest

from ingrained.feedback.scope import reach
from ingrained.skill.lines import condition
from ingrained.skill.rule import Scope


@pytest.mark.parametrize(
    "text",
    ["In the api package use decimals", "Use decimals in the api folder", "In `api/` use decimals", "Inside api/v1/ use decimals",
     "Add a header to every Go file", "In Go files wrap errors", "Sort the keys in .json files", "Use tabs in sql files only",
     "Within the web and in the api package, use decimals"],
)  # fmt: skip
def test_a_place_that_the_words_name_is_not_said_before_them(text: str) -> None:
    paths = reach(text).paths
    assert paths
    assert condition(Scope(project=None, paths=paths), text) == ""


@pytest.mark.parametrize(
    "text", ["Use decimals", "Use the api client", "Let Go errors be wrapped", "Name the api version"]
)
@pytest.mark.parametrize("path", ["api/", "*.go"])
def test_a_place_that_they_only_mention_is(text: str, path: str) -> None:
    assert condition(Scope(project=None, paths=(path,)), text).startswith(f"In `{path}`")


def test_one_of_two_places_is_not_enough() -> None:
    assert condition(Scope(project=None, paths=("api/", "web/")), "In the api package use decimals")

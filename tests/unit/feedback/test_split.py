import pytest

from ingrained.feedback.split import split


def parts(text: str) -> list[str]:
    return [span.text for span in split(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Too long. Also stop using bullets.", ["Too long.", "Also stop using bullets."]),
        ("Change the chart to blue, fix the typo, and from now on run the tests", ["Change the chart to blue", "fix the typo", "from now on run the tests"]),
        ("can we do this in a subagent? - also WRITE TESTS", ["can we do this in a subagent?", "also WRITE TESTS"]),
        ("rename the file; keep the year in it", ["rename the file", "keep the year in it"]),
    ],
)  # fmt: skip
def test_independent_rules_come_apart(text: str, expected: list[str]) -> None:
    assert parts(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "don't rename with sed, use the language server rename so imports follow",
        "before making changes, switch to main, and pull in latest, then switch to a new branch",
        "when a test is flaky, quarantine it with the @flaky tag and open a ticket, don't just retry it",
        "do not touch the lint config to make it green, fix the code instead",
        "where is the backfill? new columns always come with one",
        "Release notes here are: one line per change. Keep that for every release note.",
        "spaces, two of them. tabs break our snapshot diff",
    ],
)
def test_what_belongs_together_stays_together(text: str) -> None:
    assert len(parts(text)) == 1


def test_lines_are_apart() -> None:
    assert parts("drop the dash\nkeep the quotes around the name") == [
        "drop the dash",
        "keep the quotes around the name",
    ]

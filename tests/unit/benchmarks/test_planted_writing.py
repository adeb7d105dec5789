"""The planted check, small: wrong decisions cost, and each sort of wrong decision costs where it should."""

from __future__ import annotations

from pathlib import Path

import pytest

from writing_planted import planted_writing as planted


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, float]]:
    prepared = planted.world(tmp_path_factory.mktemp("planted"), per_author=1, seeds=1)
    assert len(prepared.built.authors) >= 20
    ways = planted.ways()
    chosen = {name: ways[name] for name in ("flip 0.0", "flip 0.2", "flip 0.5", "append everything", "keep nothing")}
    return {one.name: one.parts for one in planted.measured(prepared, chosen)}


def test_the_more_decisions_are_turned_round_the_worse(found: dict[str, dict[str, float]]) -> None:
    means = [found[name]["mean"] for name in ("flip 0.0", "flip 0.2", "flip 0.5")]
    assert means == sorted(means, reverse=True)
    assert means[0] - means[-1] > 0.1


def test_to_append_everything_costs_non_leakage(found: dict[str, dict[str, float]]) -> None:
    right, everything = found["flip 0.0"], found["append everything"]
    assert right["non_leakage"] - everything["non_leakage"] > 0.1
    assert abs(right["length"] - everything["length"]) < 0.05
    assert right["mean"] > everything["mean"]


def test_to_keep_nothing_costs_the_preferences(found: dict[str, dict[str, float]]) -> None:
    right, nothing = found["flip 0.0"], found["keep nothing"]
    for part in ("length", "first_person", "expression"):
        assert right[part] - nothing[part] > 0.1
    assert nothing["non_leakage"] == right["non_leakage"] == 1


def test_the_parser_is_its_own() -> None:
    source = Path(planted.__file__).read_text("utf-8")
    for name in ("verify.align", "verify.reading", "verify.stance", "verify.lexicon"):
        assert f"ingrained.{name}" not in source


@pytest.mark.parametrize(
    ("rule", "about", "more"),
    [
        ("Don't leave out contractions.", "contractions", True),
        ("Do away with details.", "length", False),
        ("I'd rather not see exclamation marks.", "exclamation", False),
        ("Please do not forget long sentences here.", "long", True),
    ],
)
def test_what_the_parser_reads(rule: str, about: str, more: bool) -> None:
    assert planted.wanted(rule) == (about, "", more)


def test_the_parser_reads_every_phrase_of_the_feedback() -> None:
    from ingrained.bench.writing.phrases import stock

    said = stock()
    for sign, forms in ((True, said.more), (False, said.less)):
        for form in forms:
            for head in said.heads["length"] + said.heads["contractions"] + said.heads["sentence_length"]:
                found = planted.wanted(form.replace("{}", head))
                assert found is not None
                assert found[2] == sign, form
            found = planted.wanted(form.replace("{}", "mentions of babinset"))
            assert found == ("term", "babinset", sign), form

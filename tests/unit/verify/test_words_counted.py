"""The tokeniser and the words of the first person, at their edges."""

from __future__ import annotations

import pytest

from ingrained.verify.score import Score, Unscored, mean
from ingrained.verify.words import first_person, unseparated, words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("-- ... _ !", []),
        ("don’t don't donʼt", ["don't", "don't", "don't"]),
        ("'quoted' rock-'n'-roll", ["quoted", "rock", "n", "roll"]),
        ("lock-step a--b trailing- ", ["lock-step", "a", "b", "trailing"]),
        ("snake_case __init__", ["snake", "case", "init"]),
        ("3.5 1,000 2026-05", ["3", "5", "1", "000", "2026-05"]),
        ("ﬁne ＡＢＣ", ["fine", "ABC"]),
        ("Größe naïve Ελλάδα", ["Größe", "naïve", "Ελλάδα"]),
    ],
)
def test_words(text: str, found: list[str]) -> None:
    assert words(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I, me; my mine WE us our ours", ["I", "me", "my", "mine", "WE", "us", "our", "ours"]),
        ("I’m i've I'll I'd we're we’ve we'll we'd", ["I'm", "i've", "I'll", "I'd", "we're", "we've", "we'll", "we'd"]),
        ("the US and Us and us", ["Us", "us"]),
        ("I. first\n  (i) second\nI) third\nand I. Then", ["I"]),
        ("I/O, i.e. this, A.I., C&I", []),
        ("he and I.", ["I"]),
        ("myself ourselves let's mine-shaft II", []),
    ],
)
def test_first_person(text: str, found: list[str]) -> None:
    assert first_person(text) == found


@pytest.mark.parametrize(
    "text", ["学会保留什么", "これはテストです", "ｶﾀｶﾅ", "ภาษาไทย", "mostly 学会保留 words 什么什么"]
)
def test_text_without_word_separation_is_unscored(text: str) -> None:
    assert unseparated(text) == Unscored(reason="the text has no word separation")


@pytest.mark.parametrize(
    "text", ["", "1234", "한국어는 띄어 씁니다", "это слова", "a long enough sentence that names 北京 once"]
)
def test_other_text_is_counted(text: str) -> None:
    assert unseparated(text) is None


def test_the_mean_of_an_unscored_part_is_unscored_and_says_each_reason_once() -> None:
    assert mean([Score(value=1), Score(value=0.5)]) == Score(value=0.75)
    parts = [Score(value=1), Unscored(reason="a"), Unscored(reason="b"), Unscored(reason="a")]
    assert mean(parts) == Unscored(reason="a; b")
    with pytest.raises(ValueError, match="no parts"):
        mean([])


@pytest.mark.parametrize("value", [-0.001, 1.001, float("nan")])
def test_a_score_outside_its_range_is_a_mistake(value: float) -> None:
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        Score(value=value)

"""The default similarity: what covers what, and that it stays in [0, 1]."""

import pytest

from ingrained.bench.cover import LexicalLikeness, Saying, rule_statement
from ingrained.skill.rule import Evidence
from skill_rules import make_rule

TEXTS = [
    "use pnpm, never npm",
    "put the tests beside the code",
    "write the plan into the issue",
    "the header is too big",
    "run the linter before you commit",
]
COVERING = LexicalLikeness().fitted(TEXTS)
THRESHOLD = LexicalLikeness.threshold


def near(rule: str, said: str, *, rule_paths: tuple[str, ...] = (), paths: tuple[str, ...] = ()) -> float:
    found = COVERING([(Saying(words=rule, paths=rule_paths),)], [Saying(words=said, paths=paths)])
    assert found.shape == (1, 1)
    return float(found[0, 0])


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("use pnpm, never npm", "again: pnpm, not npm"),
        ("run the linter before you commit", "run the linter first and commit after"),
        ("put the tests beside the code", "why are the tests not beside the code?"),
    ],
)
def test_the_same_in_other_words_is_covered(rule: str, said: str) -> None:
    assert near(rule, said) >= THRESHOLD


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("use pnpm, never npm", "use npm, never pnpm"),
        ("use pnpm, never npm", "the header is too big"),
        ("write the plan into the issue", "close the issue on the tracker"),
        ("run the linter before you commit", ""),
    ],
)
def test_the_opposite_and_what_shares_one_word_are_not(rule: str, said: str) -> None:
    assert near(rule, said) < THRESHOLD


def test_paths_that_exclude_each_other_keep_the_same_words_apart() -> None:
    words = "put the tests beside the code"
    assert near(words, words, rule_paths=("api/",), paths=("web/",)) == 0
    assert near(words, words, rule_paths=("api/",)) == pytest.approx(1)


def test_a_statement_is_as_like_as_its_likest_words_and_nothing_gives_an_empty_answer() -> None:
    one, other = Saying(words="the header is too big"), Saying(words="use pnpm, never npm")
    said = [Saying(words="use pnpm, never npm"), Saying(words="write the plan into the issue")]
    assert COVERING([(one, other)], said)[0].tolist() == pytest.approx([1, 0])
    assert COVERING([], said).shape == (0, 2)
    assert COVERING([(one,)], []).shape == (1, 0)


def test_a_rule_is_known_by_its_text_and_the_quotes_that_support_it() -> None:
    rule = make_rule("Use pnpm")
    quote = rule.evidence[0]
    against = Evidence.model_validate({**quote.model_dump(), "quote": "npm is fine now", "stance": "contradicts"})
    rule = rule.model_copy(update={"evidence": (quote.model_copy(update={"quote": "no, pnpm"}), against)})
    assert [saying.words for saying in rule_statement(rule)] == ["Use pnpm", "no, pnpm"]

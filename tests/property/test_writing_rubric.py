"""The rubric for any text: against the slow reference, in [0, 1], and indifferent to what must not matter."""

from __future__ import annotations

from math import isclose

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ingrained.verify.expression import FEATURES, Habit, measured
from ingrained.verify.leakage import Candidate, candidates, leaked, term, unsupported
from ingrained.verify.population import population
from ingrained.verify.rubric import Profile, phi, preferred_length, preferred_rate, profile, score_response
from ingrained.verify.score import Score, Unscored
from ingrained.verify.skill_reward import DIMENSIONS, Stance, Update, skill_reward
from ingrained.verify.unseen import adherence
from ingrained.verify.words import first_person, normal, tokens, unseparated, words
from reference import writing_rubric as slow

ANY = st.text(max_size=60) | st.text(alphabet="iIaAuUsSmMeEwWrR'’‘.-/&()_ 1!?\n\"`", max_size=60)
WORD = st.sampled_from(
    [
        "I",
        "i",
        "me",
        "us",
        "US",
        "we're",
        "I’d",
        "it's",
        "John's",
        "don't",
        "the",
        "plain",
        "river",
        "river-bank",
        "NASA",
        "LOUD",
        "very",
        "Very",
        "2024",
        "x2",
        "café",
        "(an aside)",
        "(No, THIS one)",
        '"taken words!"',
        "`code here?`",
        "https://a.example/?q=LOUD!",
        "f(x)",
        "well",
        "Is",
    ]
)
SENTENCE = st.builds(
    lambda parts, end: " ".join(parts) + end,
    st.lists(WORD, min_size=1, max_size=7),
    st.sampled_from([".", "!", "?", "?!"]),
)
BLOCK = SENTENCE | st.sampled_from(
    ["```\ncode HERE!\n```", "> somebody ELSE said so!", "- an item", "2. the SECOND item", "I. a roman one"]
)
TEXT = st.lists(BLOCK, min_size=1, max_size=5).map(lambda parts: "begin here\n\n" + "\n".join(parts) + "\n\nthe end")
TEXTS = st.lists(TEXT, min_size=2, max_size=5)
OTHERS = st.lists(st.lists(TEXT, min_size=1, max_size=3), min_size=2, max_size=4)


def close(fast: float, exact: object) -> bool:
    return isclose(fast, float(exact), rel_tol=1e-9, abs_tol=1e-9)  # type: ignore[arg-type]


@settings(max_examples=100)
@given(ANY | TEXT)
def test_words_and_first_person_are_the_references(text: str) -> None:
    assert words(text) == slow.words(text)
    assert len(first_person(text)) == slow.first_person(text)


@given(ANY)
def test_words_have_places_in_the_normal_form(text: str) -> None:
    plain = normal(text)
    assert normal(plain) == plain
    assert [plain[one.start : one.end] for one in tokens(text)] == words(text) == words(plain)


@given(st.integers(0, 400), st.integers(0, 800))
def test_length_bounds_are_exact(twice: int, count: int) -> None:
    """m_u of an even number of texts may end in a half."""
    want = preferred_length(twice / 2)
    m = slow.Fraction(twice, 2)
    exact = slow.phi(
        slow.Fraction(count), 7 * m / 10, 13 * m / 10, slow.Fraction(35, 100) * m, slow.Fraction(195, 100) * m
    )
    assert close(want.score(count), exact)


@given(st.floats(0, 100), st.floats(0, 100))
def test_the_first_person_interval_surrounds_the_rate(rate: float, value: float) -> None:
    want = preferred_rate(rate)
    assert 0 <= want.outer_low <= want.low <= rate <= want.high < want.outer_high
    assert 0 <= want.score(value) <= 1
    assert want.score(rate) == 1


EIGHTHS = st.integers(0, 400).map(lambda n: n / 8)


@given(st.lists(EIGHTHS, min_size=4, max_size=4).map(sorted), EIGHTHS, EIGHTHS)
def test_phi_rises_to_the_interval_and_falls_behind_it(bounds: list[float], one: float, two: float) -> None:
    outer_low, low, high, outer_high = bounds
    near, far = sorted((one, two), key=lambda value: max(low - value, value - high, 0))
    assert 0 <= phi(far, low, high, outer_low, outer_high) <= 1
    if (near <= high) == (far <= high):
        assert phi(near, low, high, outer_low, outer_high) >= phi(far, low, high, outer_low, outer_high)


@settings(max_examples=30, deadline=None)
@given(TEXT, TEXT, TEXTS, OTHERS)
def test_every_part_is_the_references(
    response: str, request: str, histories: list[str], others: list[list[str]]
) -> None:
    known = population({f"author {number}": texts for number, texts in enumerate(others)})
    author = profile(histories, known=known)
    assert isinstance(author, Profile)
    found = candidates(histories, rarity=known)
    score = score_response(response, author, found=found, request=request)
    assert isinstance(score.length, Score)
    assert close(score.length.value, slow.length_score(response, histories))
    assert isinstance(score.first_person, Score)
    assert close(score.first_person.value, slow.first_person_score(response, histories))
    expected = slow.expression_score(response, request, histories, others)
    if expected is None:
        assert isinstance(author.habit, Unscored)
        assert score.expression == author.habit
        assert isinstance(score.mean, Unscored)
    else:
        assert isinstance(author.habit, Habit)
        assert FEATURES.index(author.habit.feature) == expected[0]
        assert isinstance(score.expression, Score)
        assert close(score.expression.value, expected[1])
        assert isinstance(score.mean, Score)
        assert close(score.mean.value, sum(part.value for part in score.parts if isinstance(part, Score)) / 4)
    hits = slow.leaks(response, request, [one.text for one in found])
    assert {one.term for one in score.leaked} == hits
    assert score.non_leakage == Score(value=2.0 ** -len(hits))


@settings(max_examples=30)
@given(TEXT, st.sets(st.sampled_from(["loud", "nasa", "this"])))
def test_features_are_the_references(text: str, ignored: set[str]) -> None:
    counted = measured(text)
    for feature, exact in zip(FEATURES, slow.features(text, ignored), strict=True):
        assert close(counted.value(feature, ignored=ignored), exact), feature


@settings(deadline=None)
@given(ANY, ANY, st.lists(ANY, max_size=3), st.lists(st.lists(ANY, max_size=2), max_size=3))
def test_any_texts_are_scored_in_range_or_say_why(
    response: str, request: str, histories: list[str], others: list[list[str]]
) -> None:
    known = population({str(number): texts for number, texts in enumerate(others)})
    author = profile(histories, known=known)
    if isinstance(author, Unscored):
        assert not any(words(text) and unseparated(text) is None for text in histories)
        return
    score = score_response(response, author, found=candidates(histories, rarity=known), request=request)
    for part in (*score.parts, score.mean):
        assert part.reason if isinstance(part, Unscored) else 0 <= part.value <= 1
    if not words(response) and unseparated(response) is None:
        assert score.mean == Score(value=0.0)
    assert all(isinstance(one.outcome, Unscored) or one.outcome.value in {0, 1} for one in adherence(response))


@settings(max_examples=40, deadline=None)
@given(TEXTS, OTHERS, st.randoms(use_true_random=False))
def test_order_never_matters(histories: list[str], others: list[list[str]], random: object) -> None:
    known = population({str(number): texts for number, texts in enumerate(others)})
    turned = population({str(number): texts[::-1] for number, texts in reversed(list(enumerate(others)))})
    assert profile(histories, known=known) == profile(histories[::-1], known=turned)
    assert {one.term for one in candidates(histories, rarity=known)} == {
        one.term for one in candidates(histories[::-1], rarity=turned)
    }


@settings(max_examples=40, deadline=None)
@given(OTHERS, TEXT)
def test_an_author_is_left_out_as_if_never_there(others: list[list[str]], text: str) -> None:
    authors = {str(number): texts for number, texts in enumerate(others)}
    assert population({**authors, "me": [text]}).without("me") == population(authors)


TERMS = st.lists(st.sampled_from(["SeaFish", "open data", "2024", "boxes", "curl_easy", "river"]), unique=True)


def as_candidates(texts: list[str]) -> list[Candidate]:
    return [Candidate(text=text, kind="quotation", term=term(text)) for text in texts]


@given(TERMS, TEXT, TEXT, TEXT)
def test_more_text_never_leaks_less_and_a_wider_request_never_more(
    terms: list[str], response: str, more: str, request: str
) -> None:
    found = as_candidates(terms)
    assert set(leaked(response, found)) <= set(leaked(f"{response}\n{more}", found))
    assert set(unsupported(found, f"{request} {more}")) <= set(unsupported(found, request))


@given(TERMS)
def test_each_carried_term_halves_the_part(terms: list[str]) -> None:
    found = as_candidates(["SeaFish", "open data", "2024", "boxes", "curl_easy", "river"])
    response = " ; ".join(terms + terms)
    assert len(leaked(response, found)) == len(terms)
    score = score_response(response, one_text_profile(), found=found)
    assert score.non_leakage == Score(value=2.0 ** -len(terms) if terms else 0.0)


def one_text_profile() -> Profile:
    author = profile(["one text"])
    assert isinstance(author, Profile)
    return author


@given(TEXT)
def test_a_text_supports_everything_that_is_in_it(text: str) -> None:
    assert unsupported(candidates([text]), text) == ()


@settings(deadline=None)
@given(TEXTS)
def test_candidates_are_found_in_the_texts_they_come_from(texts: list[str]) -> None:
    found = candidates(texts)
    assert {one for text in texts for one in leaked(text, found)} == set(found)


STANCE = st.builds(
    lambda dimension, more, feature: Stance(
        dimension=dimension, more=more, feature=feature if dimension == "expression" else None
    ),
    st.sampled_from(DIMENSIONS),
    st.booleans(),
    st.sampled_from(["all_caps", "contractions"]),
)
STANCES = st.lists(STANCE, max_size=4)
TARGETS = st.lists(STANCE, max_size=3, unique_by=lambda one: one.dimension)


def bare(stances: list[Stance]) -> list[tuple[str, str, bool]]:
    return [(one.dimension, one.feature or "", one.more) for one in stances]


@settings(max_examples=100)
@given(STANCES, STANCES, TARGETS, st.integers(0, 3), st.booleans())
def test_the_skill_reward_is_the_references(
    before: list[Stance], added: list[Stance], targets: list[Stance], local: int, silent: bool
) -> None:
    changed = bool(added or local or silent)
    update = Update(
        rules=("a rule",) * changed, stances=tuple(added), local=tuple(f"term{number}" for number in range(local))
    )
    exact = slow.skill_score(bare(before), bare(added), bare(targets), changed=changed, local=local)
    reward = skill_reward(before, update, targets)
    assert close(reward.score.value, exact)
    assert 0 <= reward.score.value <= 1


@given(STANCES, TARGETS)
def test_appending_what_is_missing_is_worth_everything(before: list[Stance], targets: list[Stance]) -> None:
    state = {one.topic: one for one in before}
    missing = tuple(target for target in targets if state.get(target.topic) != target)
    update = Update(rules=("a rule",) * bool(missing), stances=missing)
    assert skill_reward(before, update, targets).score == Score(value=1.0)


@given(STANCES, STANCES, TARGETS)
def test_a_local_term_more_never_pays(before: list[Stance], added: list[Stance], targets: list[Stance]) -> None:
    assume(added)
    clean = Update(rules=("a rule",), stances=tuple(added))
    carried = Update(rules=("a rule",), stances=tuple(added), local=("SeaFish",))
    twice = Update(rules=("a rule",), stances=tuple(added), local=("SeaFish", "seafish"))
    rewards = [skill_reward(before, one, targets).score.value for one in (clean, carried, twice)]
    assert rewards[0] >= rewards[1] == rewards[2]

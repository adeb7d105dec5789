"""The trained decomposer with the weights of the package, and what holds whatever the weights."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingrained.feedback.heads import heads
from ingrained.feedback.trained import TrainedDecomposer, act_text
from ingrained.ids import MessageKey
from ingrained.session.session import Act, Form, Turn

JUDGE = TrainedDecomposer()
DONE = Act(tool="Edit", input="src/cart.py", said="I added the discount and updated the callers.")


def turn(text: str, form: Form = "typed", act: Act = DONE) -> Turn:
    return Turn(
        key=MessageKey(f"k{abs(hash((text, form)))}"),
        tool="claude-code",
        session="s",
        record="r",
        line=1,
        text=text,
        form=form,
        time=None,
        cwd="/src/shop",
        branch="",
        act=act,
    )


@pytest.mark.parametrize(
    "text",
    [
        "always run the linter before you say you are done",
        "we never mock the database in this repo, use the test container",
        "from now on put new helpers into lib/, not into utils/",
        "不要再加注释了，以后都别加",
        "bitte ab jetzt immer zuerst einen Test schreiben",
    ],
)
def test_standing_rules_transfer(text: str) -> None:
    assert any(atom.transferable for atom in JUDGE.decompose([turn(text)])[0])


@pytest.mark.parametrize(
    "text", ["yes", "commit and push", "what does this function return?", "looks good, thanks", "2", "continue"]
)
def test_everyday_turns_hold_nothing(text: str) -> None:
    assert JUDGE.decompose([turn(text)])[0] == []


@pytest.mark.parametrize("text", ["for this once always skip the changelog", "just this once, skip the tests"])
def test_a_veto_holds_however_sure_the_heads_are(text: str) -> None:
    found = JUDGE.decompose([turn(text)])[0]
    assert not any(atom.transferable for atom in found)


TEXTS = st.lists(
    st.sampled_from(
        [
            "no, use pnpm",
            "why is it slow?",
            "never touch the lock file. and fix the typo",
            "ok",
            "请先写测试",
            "x " * 300,
            "",
        ]
    ),
    min_size=1,
    max_size=6,
)


@given(TEXTS, st.randoms())
@settings(max_examples=25, deadline=None)
def test_the_rest_of_a_batch_changes_nothing(texts: list[str], random: object) -> None:
    turns = [replace(turn(text), key=MessageKey(f"k{i}")) for i, text in enumerate(texts)]
    together = JUDGE.decompose(turns)
    for one, found in zip(turns, together, strict=True):
        alone = JUDGE.decompose([one])[0]
        assert [(a.key, a.transferable, a.kind) for a in found] == [(a.key, a.transferable, a.kind) for a in alone]
        assert all(one.text.startswith(a.quote, a.start) for a in found)
        for a, b in zip(found, alone, strict=True):
            assert a.confidence == pytest.approx(b.confidence, abs=1e-3)


def test_reasons_name_words_of_the_clause() -> None:
    (atom,) = JUDGE.decompose([turn("always run the linter before you commit")])[0]
    assert "sure that it holds for other tasks" in atom.reasons[0]
    named = atom.reasons[0].split("“")[1:]
    assert named
    assert all(part.split("”")[0] in atom.quote for part in named)


def test_the_act_is_read_and_its_lack_is_known() -> None:
    assert act_text(DONE).startswith("Edit src/cart.py I added")
    assert act_text(Act()) == act_text(Act(said="…")) == ""


@pytest.mark.parametrize(
    "text",
    [
        "Antworte immer auf Deutsch",
        "以后所有注释都用英文写",
        "回答は常に日本語でお願いします",
        "Всегда пиши тесты перед коммитом",
        "remember: money is integer cents",
    ],
)
def test_standing_orders_hold_whatever_the_heads_say(text: str) -> None:
    (atom,) = JUDGE.decompose([turn(text, act=Act())])[0]
    assert atom.transferable
    assert atom.explicit


def test_what_a_product_always_does_is_seldom_a_rule() -> None:
    """Three of the twelve were taken for rules when this was written; with "always" as a cue all of them were."""
    texts = [
        "this must never return null",
        "the id should always be lowercase in the response",
        "the button should never be disabled while typing",
        "the cache must always be cleared on logout",
        "emails should always be sent in the user's language",
        "this function must never throw",
        "the total should always include tax",
        "never return null here",
        "the parser should never accept trailing commas",
        "users must always confirm before deleting",
        "the spinner should never show twice",
        "it should always fall back to english",
    ]
    taken = [text for text in texts if any(atom.transferable for atom in JUDGE.decompose([turn(text)])[0])]
    assert len(taken) <= 4, taken


@pytest.mark.parametrize("text", ["remember: money is integer cents", "from now on, tabs", "以后别加注释"])
def test_a_standing_order_is_sure_and_says_why(text: str) -> None:
    [atom] = [atom for atom in JUDGE.decompose([turn(text)])[0] if atom.transferable]
    assert atom.confidence >= 0.5
    assert atom.reasons[0] == "said as a standing order"


def test_what_the_words_find_hopeless_is_not_read() -> None:
    """Whatever the encoder would say; a standing order is read all the same."""
    shipped = heads()
    judge = TrainedDecomposer(judges=shipped)
    texts = ["no, that is wrong again, use the other client", "from now on never edit the lock file by hand"]
    turns = [turn(text) for text in texts]
    assert all(judge.decompose(turns))
    strict = TrainedDecomposer(judges=heads.__wrapped__())
    strict._heads.skip_below = 1e9
    wrong, order = strict.decompose(turns)
    assert wrong == []
    assert [atom.quote for atom in order] == [atom.quote for atom in judge.decompose(turns)[1]]


@given(st.lists(st.sampled_from(["ok", "why?", "still broken", "no, always use tabs", "", "以后别加注释"]), max_size=6))
@settings(max_examples=20, deadline=None)
def test_what_is_not_read_does_not_shift_the_others(texts: list[str]) -> None:
    together = JUDGE.decompose([turn(text) for text in texts])
    alone = [JUDGE.decompose([turn(text)])[0] for text in texts]
    assert [[(a.quote, a.transferable) for a in atoms] for atoms in together] == [
        [(a.quote, a.transferable) for a in atoms] for atoms in alone
    ]

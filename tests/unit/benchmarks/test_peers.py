"""The side-by-side run: a toy whose score is known, and the protocol with a tool that is not there to be compared."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
import run
from planted import Person, PlantedRule, PlantedTurn
from protocol import Peer, PeerError
from score import OTHER, Found, Judged, Match, by_evidence, by_text, f1, judged, score_person, summary

ADAPTERS = Path(run.__file__).parent
SPACES = ("spaces", "Indent with spaces.", "from now on spaces, not tabs")


def turn(session: int, record: str, kind: str, rule: str, planted: str, text: str = "") -> PlantedTurn:
    return PlantedTurn(
        session=f"s{session}", record=record, kind=kind, rule=rule, planted=planted, text=text or planted
    )


def rule(id: str, since: int, *wordings: str, until: int | None = None, replaced_by: str = "") -> PlantedRule:
    return PlantedRule(id=id, text=wordings[0], wordings=wordings, since=since, until=until, replaced_by=replaced_by)


TOY = Person(
    name="toy",
    work="code",
    sessions=tuple(f"toy/s{number}.jsonl" for number in range(4)),
    rules=(
        rule("tabs", 0, "Indent with tabs.", until=2, replaced_by="spaces"),
        rule("spaces", 2, *SPACES[1:]),
        rule("tests", 0, "Write the test first.", "I want to see it red before you fix it"),
    ),
    turns=(
        turn(0, "a", "rule", "tabs", "Indent with tabs."),
        turn(0, "b", "rule", "tests", "write the test first", "Thanks. write the test first\n\nshow me the shop page"),
        turn(1, "c", "one-off", "", "make this icon smaller"),
        turn(1, "d", "everyday", "", "yes, go ahead"),
        turn(2, "e", "change", "spaces", SPACES[2]),
        turn(3, "f", "rule", "tests", "I want to see it red before you fix it"),
    ),
)


def quoted(text: str, *quotes: tuple[str, str, str], applied: bool = True) -> Found:
    return Found(text=text, applied=applied, quotes=quotes)


TABS = quoted("Indent with tabs", ("s0", "a", "Indent with tabs."))
TEST = quoted("Write the test first", ("s0", "b", "write the test first"))
NEW = quoted("Spaces", ("s2", "e", "from now on spaces"))
ICON = quoted("Make the icon smaller", ("s1", "c", "make this icon smaller"))


@pytest.mark.parametrize(
    ("found", "match"),
    [
        (TEST, Match(kind="rule", rule="tests")),
        (NEW, Match(kind="rule", rule="spaces")),
        (ICON, Match(kind="one-off", rule="c")),
        (quoted("Show the shop page", ("s0", "b", "show me the shop page")), OTHER),
        (quoted("Go", ("s1", "d", "go ahead")), OTHER),
        (quoted("Half and half", ("s0", "a", "tabs"), ("s1", "c", "icon")), OTHER),
        (quoted("Not said", ("s0", "a", "use spaces")), OTHER),
        (quoted("Nobody's turn", ("s0", "z", "Indent with tabs.")), OTHER),
        (quoted("No quotes"), OTHER),
    ],
    ids=lambda value: value.text if isinstance(value, Found) else "",
)
def test_most_quotes_decide_what_a_found_rule_is(found: Found, match: Match) -> None:
    assert by_evidence(found, TOY) == match


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("See it red before you fix it", Match(kind="rule", rule="tests")),
        ("Decision: spaces, not tabs from now on", Match(kind="rule", rule="spaces")),
        ("Make this icon smaller", Match(kind="one-off", rule="c")),
        ("Yes, go ahead", OTHER),
        ("Write clear names", OTHER),
    ],
)
def test_without_quotes_the_nearest_text_decides(text: str, match: Match) -> None:
    assert by_text(Found(text=text, applied=True), TOY) == match


def test_a_toy_has_the_score_that_was_worked_out_by_hand() -> None:
    history = [[TABS], [TABS, TEST, ICON], [NEW, TEST, ICON], [NEW, TEST, ICON]]
    score = score_person(TOY, history, by_evidence)
    assert (score.found, score.right, score.stale) == (3, 2, 0)
    assert (score.planted, score.recalled) == (2, 2)
    assert (score.one_offs, score.one_offs_taken) == (1, 1)
    assert (score.overturned, score.resolved, score.ended, score.ended_gone) == (1, 1, 1, 1)
    assert score.waited == (1, 1)
    shares = {name: one.interval.value for name, one in summary([score]).items() if one.interval}
    assert shares["precision"] == pytest.approx(2 / 3)
    assert shares["one-offs that became rules"] == 1


def test_what_is_still_known_of_an_overturned_rule_is_outdated() -> None:
    score = score_person(TOY, [[TABS], [TABS], [TABS, NEW], [TABS, NEW]], by_evidence)
    assert (score.right, score.stale, score.resolved, score.ended_gone) == (1, 1, 0, 0)


def test_a_tool_that_knows_nothing_has_no_precision() -> None:
    measured = summary([score_person(TOY, [[], [], [], []], by_evidence)])
    assert measured["precision"].interval is None
    assert measured["recall"].interval is not None
    assert measured["recall"].interval.value == 0


def test_f1_and_its_ratio_to_ours() -> None:
    turns = [
        Judged(truth=True, said=True, ours=True),
        Judged(truth=True, said=False, ours=True),
        Judged(truth=False, said=True, ours=False),
    ]
    assert f1(turns) == 0.5
    both = judged({"a": turns, "b": turns})
    assert both["ratio"].value == 0.5
    assert both["f1"].low == both["f1"].high == 0.5


FAKE = """
import os, sys
sys.path.append(sys.argv[1])
from protocol import serve, typed

def about(asked):
    print("noise of the tool")
    return {"name": "fake", "version": "1", "judges": {"no": "starts with no"}, "learns": "by heart"}

def judge(asked):
    return {"feedback": [turn["text"].startswith("no") for turn in asked["turns"]], "transferable": None}

known = {}

def learn(asked):
    if asked["person"] == "nobody":
        raise ValueError("no such person")
    if asked["person"] == "die":
        print("last words", file=sys.stderr, flush=True)
        os._exit(3)
    own = known.setdefault(asked["person"], [])
    own.extend(text for text, before in typed(asked["session"]))
    return {"found": [{"text": text, "applied": False, "quotes": []} for text in own]}

serve({"about": about, "judge": judge, "learn": learn})
"""


@pytest.fixture
def fake(tmp_path: Path) -> run.Tool:
    script = tmp_path / "fake.py"
    script.write_text(FAKE, encoding="utf-8")
    return run.Tool(name="fake", command=(sys.executable, str(script), str(ADAPTERS)))


def test_a_tool_answers_and_its_noise_spoils_nothing(fake: run.Tool, tmp_path: Path) -> None:
    with fake.running(tmp_path / "home") as peer:
        assert peer.ask("about")["name"] == "fake"
        said = peer.ask("judge", **{"as": "no", "turns": [{"text": "no, tabs – ¡ya!"}, {"text": "ok"}]})
        assert said == {"feedback": [True, False], "transferable": None}
        assert peer.seconds > 0


def test_a_failure_is_told_and_the_tool_goes_on(fake: run.Tool, tmp_path: Path) -> None:
    with fake.running(tmp_path / "home") as peer:
        with pytest.raises(PeerError, match="no such person"):
            peer.ask("learn", person="nobody", session="")
        assert peer.ask("about")["version"] == "1"


def test_a_tool_that_dies_leaves_its_last_words(fake: run.Tool, tmp_path: Path) -> None:
    with fake.running(tmp_path / "home") as peer, pytest.raises(PeerError, match="last words"):
        peer.ask("learn", person="die", session="")


def test_an_answer_that_is_no_json_is_told() -> None:
    with Peer([sys.executable, "-c", "input(); print('hello')"], {}) as peer, pytest.raises(PeerError, match="hello"):
        peer.ask("about")


def test_labelled_turns_side_by_side(fake: run.Tool, tmp_path: Path) -> None:
    labels = tmp_path / "labels.jsonl"
    atom = {"rule": "Use tabs", "transferable": True}
    rows = [
        {"session": "a/dev-1/x.jsonl", "line": 1, "turn": "u1", "text": "no, always use tabs", "atoms": [atom]},
        {"session": "a/dev-1/x.jsonl", "line": 2, "turn": "u2", "text": "ok", "atoms": []},
        {"session": "a/dev-2/y.jsonl", "line": 1, "turn": "u3", "text": "no worries", "atoms": []},
    ]
    labels.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = run.judge_labels([run.ours("rules"), fake], labels, tmp_path)
    assert [row["detector"] for row in found] == ["text alone", "with the act", "no"]
    assert found[0]["feedback"]["ratio"]["value"] == 1
    assert [row["own_notion_of_transfer"] for row in found] == [True, True, False]
    assert found[2]["feedback"]["f1"]["value"] == found[2]["transferable"]["f1"]["value"] == round(2 / 3, 4)
    assert found[2]["feedback"]["n"] == 3
    printed = "\n".join(run.labels_text(found))
    assert "3 labelled turns of 2 people, 1 with feedback" in printed


def test_a_tool_that_learns_by_heart_takes_every_one_off(fake: run.Tool, tmp_path: Path) -> None:
    applied, noted = run.score_planted([fake], 2, 1, tmp_path)
    assert applied["rules"] == 0
    assert applied["precision"]["value"] is None
    assert noted["recall"]["value"] == noted["one-offs that became rules"]["value"] == 1
    assert noted["contradictions resolved"]["value"] == noted["found, ended, and gone"]["value"] == 0
    assert noted["sessions until found"]["value"] == 1
    assert 0 < noted["precision"]["value"] < 0.5
    assert re.search("precision +–  n 0", "\n".join(run.planted_text([applied, noted])))

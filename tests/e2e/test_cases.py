"""The machine-checkable blocks of the cases, through the command line.

`must_find_corrections`: some atom, transferable or not, holds all words of a group. `rules_expected`: a rule at any
level that is not refused. Cases 10 and 12 have tests of their own beside what they test.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cases_learn import CASES, asked, corrections, everything, fill, holding, ingrained, live, words_of

Home = Callable[..., Path]
Expected = Callable[[str], dict[str, Any]]


def learned(user: Path, *words: str) -> Any:
    ingrained(user, "learn", *words)
    return asked(user, "rules", "--all")


def must_find(answer: Any, groups: list[list[str]]) -> None:
    found = corrections(answer)
    for group in groups:
        assert any(all(word.casefold() in text for word in group) for text in found), (group, found)


def must_not_quote(answer: Any, strings: list[str]) -> None:
    quoted = everything(answer) + " ".join(atom["quote"].casefold() for atom in answer["atoms"])
    assert [text for text in strings if text.casefold() in quoted] == []


def test_01_torn_and_malformed_lines(case_home: Home, case_expected: Expected) -> None:
    user, want = case_home("01"), case_expected("01")
    done = ingrained(user, "scan", "--json")
    scan = json.loads(done.stdout)
    assert (done.returncode, want["exit"]) == (0, "success")
    assert (scan["sessions"], scan["empty_files"], scan["human_turns"]) == (
        want["sessions"],
        want["empty_files"],
        want["human_turns"],
    )
    assert sum(scan["damage"].values()) >= want["damaged_lines_counted_at_least"]
    assert any("e88b7591" in file["path"] for file in scan["damaged_files"])
    run = ingrained(user, "learn")
    assert run.returncode == 0
    assert "e88b7591" in run.stdout + run.stderr
    must_find(asked(user, "rules", "--all"), want["must_find_corrections"])


@pytest.mark.parametrize("locale", [False, True], ids=["utf-8", "foreign locale"])
def test_02_separators_inside_strings(case_home: Home, case_expected: Expected, locale: bool) -> None:
    user, want = case_home("02"), case_expected("02")
    env = want["run_also_with"] if locale else {}
    scan = asked(user, "scan", env=env)
    assert (scan["sessions"], scan["human_turns"], scan["damage"]) == (want["sessions"], want["human_turns"], {})
    ingrained(user, "learn", env=env)
    must_find(asked(user, "rules", "--all", env=env), want["must_find_corrections"])


def test_03_harness_text_in_user_rows(case_home: Home, case_expected: Expected) -> None:
    user, want = case_home("03"), case_expected("03")
    scan = asked(user, "scan")
    assert [text["text"] for text in scan["human_texts"]] == want["human_turns"]
    assert set(want["unknown_row_types_reported"]) <= set(scan["unknown"])
    answer = learned(user)
    must_find(answer, want["must_find_corrections"])
    must_not_quote(answer, want["must_not_be_evidence"])
    (cart,) = holding(answer["rules"], ["cart package tests"])
    assert "cart" in cart["scope"]["when"]


def test_04_tool_output_that_imitates_a_refusal(case_home: Home, case_expected: Expected) -> None:
    user, want = case_home("04"), case_expected("04")
    scan = asked(user, "scan")
    assert scan["refusals"] == want["refusals_real"]
    assert sum(text["form"] == "refusal" for text in scan["human_texts"]) == want["refusals_with_words"]
    answer = learned(user)
    must_find(answer, want["must_find_corrections"])
    must_not_quote(answer, want["must_not_be_evidence"])
    (hooks,) = holding(answer["rules"], ["--no-verify"])
    assert "never" in hooks["text"].casefold()
    assert all(item["stance"] == "supports" for item in hooks["evidence"])


def test_05_sessions_that_no_person_typed(case_home: Home, case_expected: Expected) -> None:
    user, want = case_home("05"), case_expected("05")
    scan = asked(user, "scan")
    aside = {"other_observer" if reason == "observer" else reason: n for reason, n in scan["set_aside"].items()}
    assert (scan["files"], scan["sessions"], aside) == (want["files"], want["human_sessions"], want["set_aside"])
    answer = learned(user)
    must_find(answer, want["must_find_corrections"])
    must_not_quote(answer, want["must_not_be_evidence"])
    (rename,) = holding(answer["rules"], ["language server"])
    assert len(rename["evidence"]) == 1


def test_06_one_correction_in_many_copies(case_home: Home, case_expected: Expected) -> None:
    user, want = case_home("06"), case_expected("06")
    assert asked(user, "scan")["human_turns"] == want["distinct_human_messages"]
    answer = learned(user)
    for word, count in want["evidence_count_for"].items():
        (rule,) = holding(answer["rules"], [word])
        assert len(rule["evidence"]) == count
        assert rule["sessions"] == want["independent_sessions_for"][word]
    assert learned(user) == answer


def test_07_secrets_and_look_alikes(case_home: Home, case_expected: Expected) -> None:
    user, want = case_home("07"), case_expected("07")
    known = json.loads((CASES / "07-secrets-in-tool-output" / "pieces.json").read_text("utf-8"))
    fill(user, known["pieces"])
    scan = ingrained(user, "scan", "--json")
    runs = [
        scan,
        ingrained(user, "learn"),
        ingrained(user, "learn", "--json"),
        ingrained(user, "rules", "--all", "--json"),
    ]
    runs.append(ingrained(user, "review", "--accept-all-supported"))
    answer = asked(user, "rules", "--all")
    must_find(answer, want["must_find_corrections"])
    for rule in answer["rules"]:
        runs.append(ingrained(user, "why", rule["id"]))
        assert not [text for text in want["rule_must_not_contain"] if text in rule["text"]]
    written = b"".join(path.read_bytes() for path in (user / "own").rglob("*") if path.is_file())
    said = "".join(run.stdout + run.stderr for run in runs)
    hidden = ["".join(parts) for name, parts in known["pieces"].items() if name != "word"]
    assert len(hidden) >= want["secrets_tried"]
    assert [text for text in hidden if text in said or text.encode() in written] == []
    shown = " ".join(text["text"] for text in json.loads(scan.stdout)["human_texts"])
    kept = [name for name, text in known["must_stay_readable"].items() if text in shown or name == "session"]
    assert len(kept) == want["lookalikes"], set(known["must_stay_readable"]) - set(kept)


def test_08_what_is_reusable(case_home: Home, case_expected: Expected) -> None:
    user, want = case_home("08"), case_expected("08")
    answer = learned(user)
    rules = live(answer)
    for group in want["rules_expected"]:
        assert holding(rules, group), (group, [rule["text"] for rule in rules])
    assert want["rules_expected_count"]["min"] <= len(rules) <= want["rules_expected_count"]["max"]
    assert [w for w in want["must_not_be_rules"] if holding(rules, [w])] == []
    (go,), (cents,), (auth,) = holding(rules, ["Go file"]), holding(rules, ["cents"]), holding(rules, ["auth module"])
    assert (go["scope"]["paths"], cents["scope"]["paths"]) == (["*.go"], ["api/"])
    assert auth["scope"]["project"]
    (explain,), (flaky,) = holding(rules, ["explain"]), holding(rules, ["flaky"])
    assert (explain["tier"], flaky["tier"]) == ("personal", "shared")


def people_of_case_09(case_home: Home, tmp_path: Path) -> Path:
    user = tmp_path / "user"
    (user / "own").mkdir(parents=True)
    folders = '"/home/dana/src/shopfront", "/Users/mateo/code/shopfront", "C:\\\\work\\\\shopfront"'
    (user / "own" / "ingrained.toml").write_text(f"[projects]\nshopfront = [{folders}]\n", encoding="utf-8")
    people = [word for name in ("dana", "mateo", "priya") for word in ("--person", f"{name}={case_home('09', name)}")]
    ingrained(user, "learn", *people)
    return user


def test_09_three_people_conflict_and_leaks(case_home: Home, case_expected: Expected, tmp_path: Path) -> None:
    user, want = people_of_case_09(case_home, tmp_path), case_expected("09")
    answer = asked(user, "rules", "--all")
    rules = live(answer)
    assert {rule["scope"]["project"] for rule in rules} <= {"name:shopfront", None}
    for group in want["shared"]:
        (rule,) = holding(rules, group)
        assert len(rule["people"]) >= 2
        assert (rule["tier"], rule["level"]) == ("shared", "supported" if rule["sessions"] == 2 else rule["level"])
    for group in want["shared_candidates"]:
        assert all(rule["tier"] == "shared" for rule in holding(rules, group))
        assert holding(rules, group)
    tabs = [rule for rule in rules if "tabs" in words_of(rule)]
    assert {rule["people"][0] for rule in tabs} == {"dana", "priya"}
    assert all(rule["conflicts_with"] for rule in tabs)
    texts = {rule["id"]: rule["text"] for rule in rules}
    leaks = want["must_not_appear_in_any_rule"]
    assert [(w, t) for t in texts.values() for w in leaks if w.casefold() in t.casefold()] == []
    shared = [rule["text"] for rule in rules if rule["tier"] == "shared"]
    assert [(w, t) for t in shared for w in want["must_not_appear_in_shared"] if w.casefold() in t.casefold()] == []
    for person, groups in want["personal"].items():
        for group in groups:
            mine = [
                r for r in rules if r["people"] == [person] and all(w.casefold() in r["text"].casefold() for w in group)
            ]
            assert mine or group == ["Spanish"], (person, group)


@pytest.mark.xfail(reason="restating in another language needs the language model of a later change", strict=True)
def test_09_a_rule_in_another_language_restated(case_home: Home, tmp_path: Path) -> None:
    user = people_of_case_09(case_home, tmp_path)
    assert any("Spanish" in rule["text"] for rule in live(asked(user, "rules", "--all")))


@pytest.mark.xfail(
    reason="tiers by person (HiPS) come with a later change; with kinds alone this is shared", strict=True
)
def test_09_a_personal_day_is_personal(case_home: Home, tmp_path: Path) -> None:
    user = people_of_case_09(case_home, tmp_path)
    (rule,) = holding(live(asked(user, "rules", "--all")), ["Tuesday"])
    assert rule["tier"] == "personal"


def test_11_codex_formats(case_home: Home, case_expected: Expected) -> None:
    user, want = case_home("11"), case_expected("11")
    scan = asked(user, "scan")
    assert sorted(text["text"] for text in scan["human_texts"]) == sorted(want["human_turns"])
    assert scan["set_aside"] == want["set_aside"]
    answer = learned(user)
    must_find(answer, want["must_find_corrections"])
    must_not_quote(answer, want["must_not_be_evidence"])
    (ticket,) = holding(answer["rules"], ["ticket number"])
    assert len(ticket["evidence"]) == want["evidence_count_for"]["ticket number"]

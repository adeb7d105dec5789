"""Rules from a file beside the person's own: proposals, conflicts on both sides, and nobody is overruled."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from ingrained.errors import StoreError
from ingrained.ids import ProjectId
from ingrained.learn.drafts import draftable
from ingrained.learn.imported import with_imports
from ingrained.skill.rule import Action, Decision, Rule
from ingrained.skill.shared import SharedRule, shared_rule
from ingrained.store.imports import Import, drop, imports, keep
from skill_rules import make_rule

SHOP = ProjectId("shop")
OWN = make_rule("Always use pnpm, never npm, to install packages", name="r-0000000a")
NOW = datetime(2026, 5, 1, tzinfo=UTC)


def told(text: str, *, sessions: int = 9) -> SharedRule:
    return shared_rule(make_rule(text, sessions=sessions))


def file(*texts: str, name: str = "team", project: ProjectId = SHOP) -> Import:
    return Import(name=name, project=project, title="shop", rules=tuple(map(told, texts)))


def decision(rule: Rule, action: Action, text: str = "") -> Decision:
    return Decision(action=action, atoms=(rule.evidence[0].atom,), time=NOW, text=text)


def foreign(rules: tuple[Rule, ...]) -> list[Rule]:
    return [rule for rule in rules if rule.imported]


def test_a_rule_of_a_file_is_a_proposal_whatever_it_claims() -> None:
    found = with_imports([OWN], [file("Name receivers with one letter")], [])
    (rule,) = foreign(found.rules)
    assert (rule.level, rule.status, rule.sessions, rule.people) == ("tentative", "proposed", 0, ("file:team",))
    assert rule.scope.project == SHOP
    assert rule.evidence[0].source == "document"
    assert "accept it" in draftable(rule)
    assert "said by 1 person in 9 sessions" in rule.reasons[0]
    assert found.placed[0].what == "new"


def test_what_an_own_rule_says_is_not_said_twice() -> None:
    found = with_imports([OWN], [file("Use pnpm to install packages, never npm")], [])
    assert found.rules == (OWN,)
    assert (found.placed[0].what, found.placed[0].others) == ("same", (OWN.id,))


def test_what_the_person_refused_stays_away() -> None:
    own = OWN.model_copy(update={"status": "refused"})
    found = with_imports([own], [file("Use pnpm to install packages, never npm")], [])
    assert (foreign(found.rules), found.placed[0].what) == ([], "refused")


def test_the_opposite_is_a_conflict_and_the_own_rule_stays_as_it_is() -> None:
    found = with_imports([OWN], [file("Always use npm, never pnpm, to install packages")], [])
    (rule,) = foreign(found.rules)
    assert (found.placed[0].what, found.placed[0].others, rule.conflicts_with) == ("conflict", (OWN.id,), (OWN.id,))
    assert OWN in found.rules
    assert not draftable(OWN)


def test_the_opposite_that_the_person_accepted_holds_the_own_rule_back() -> None:
    one = file("Always use npm, never pnpm, to install packages")
    (rule,) = foreign(with_imports([OWN], [one], []).rules)
    found = with_imports([OWN], [one], [decision(rule, "accept")])
    (own,) = [known for known in found.rules if not known.imported]
    assert own.conflicts_with == (rule.id,)
    assert draftable(own)
    assert not draftable(foreign(found.rules)[0])


def test_decisions_hang_on_a_rule_of_a_file_as_on_any_other() -> None:
    one = file("Name receivers with one letter")
    (rule,) = foreign(with_imports([], [one], []).rules)
    (pinned,) = foreign(with_imports([], [one], [decision(rule, "pin", "Name receivers with two letters")]).rules)
    assert (pinned.text, pinned.status, pinned.id) == ("Name receivers with two letters", "pinned", rule.id)
    (refused,) = foreign(with_imports([], [one], [decision(rule, "refuse")]).rules)
    assert refused.status == "refused"


def test_a_rule_that_weakens_safety_waits_and_says_why() -> None:
    (rule,) = foreign(with_imports([], [file("Push with --no-verify when the hooks are slow")], []).rules)
    assert rule.held == "it skips the hooks"


def test_a_rule_of_another_project_meets_nothing_of_this_one() -> None:
    found = with_imports([OWN], [file("Use pnpm to install packages, never npm", project=ProjectId("other"))], [])
    assert found.placed[0].what == "new"


def test_two_files_that_contradict_each_other_are_shown_and_the_same_twice_is_one() -> None:
    files = [
        file("Always use npm, never pnpm, to install packages", name="ben"),
        file("Always use pnpm, never npm, to install packages", name="cem"),
        file("Use npm to install packages, never pnpm", name="dov"),
    ]
    found = with_imports([], files, [])
    assert [(one.source, one.what) for one in found.placed] == [("ben", "new"), ("cem", "conflict"), ("dov", "same")]


def test_a_file_is_kept_replaced_and_dropped(tmp_path: Path) -> None:
    path = keep(tmp_path, file("Name receivers with one letter"))
    assert path.stat().st_mode & 0o777 == 0o600
    keep(tmp_path, file("Write tests first"))
    assert [rule.text for one in imports(tmp_path) for rule in one.rules] == ["Write tests first"]
    assert drop(tmp_path, "team")
    assert not drop(tmp_path, "team")
    assert imports(tmp_path) == []


def test_a_kept_file_of_the_first_version_is_read_and_a_newer_or_broken_one_named(tmp_path: Path) -> None:
    golden = Path(__file__).parents[2] / "golden" / "shared" / "import-1.json"
    (tmp_path / "imports").mkdir()
    path = tmp_path / "imports" / "team.json"
    path.write_bytes(golden.read_bytes())
    assert next(rule.text for one in imports(tmp_path) for rule in one.rules) == "Name receivers with one letter"
    for content in (golden.read_bytes().replace(b'"version": 1', b'"version": 2', 1), b"{"):
        path.write_bytes(content)
        with pytest.raises(StoreError, match=r"team\.json"):
            imports(tmp_path)

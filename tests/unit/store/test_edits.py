from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingrained.skill.rule import Rule
from ingrained.store.edits import HandEdit, collect_edits, settle
from install_world import GO_STYLE, RULES, World, make_world, without_sync

NAME = "ingrained-shop-front"


@pytest.fixture(autouse=True, scope="module")
def fast() -> Iterator[None]:
    with without_sync():
        yield


@pytest.fixture
def world(tmp_path: Path) -> World:
    found = make_world(tmp_path)
    found.draft()
    found.install()
    found.install("codex")
    return found


def first(world: World) -> Path:
    return world.project / ".claude/skills" / NAME / "SKILL.md"


def second(world: World) -> Path:
    return world.project / ".agents/skills" / NAME / "SKILL.md"


def agents(world: World) -> Path:
    return world.project / "AGENTS.md"


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_bytes().decode()
    assert old in text
    path.write_bytes(text.replace(old, new).encode())


def told(world: World) -> list[tuple[str, str, str]]:
    return [(edit.rule_id, edit.outcome, edit.text) for edit in collect_edits(world.library).edits]


def test_untouched_copies_hold_no_edit(world: World) -> None:
    found = collect_edits(world.library)
    assert (found.edits, found.replaced, found.missing, found.unreadable) == ((), (), (), ())


def test_a_reworded_line_pins_and_a_removed_one_refuses(world: World) -> None:
    edit(first(world), "- Run the tests before you push", "- Run all the tests before you push")
    edit(agents(world), "- Keep every answer under ten lines\n", "")
    assert told(world) == [
        ("r-00000001", "pinned", "Run all the tests before you push"),
        ("r-00000004", "refused", "Keep every answer under ten lines"),
    ]
    found = collect_edits(world.library, agents=["codex"])
    assert [edit.rule_id for edit in found.edits] == ["r-00000004"]
    assert found.edits[0].places == (agents(world),)


@pytest.mark.parametrize("rule", RULES[:2])
@pytest.mark.parametrize("words", ["No", "Water the plants", "Use uv A"])
def test_a_line_that_took_the_place_of_ours_pins_in_these_words(world: World, rule: Rule, words: str) -> None:
    edit(first(world), rule.text, words)
    (found,) = collect_edits(world.library).edits
    assert (found.rule_id, found.outcome, found.text, found.was) == (rule.id, "pinned", words, rule.text)


def test_a_changed_condition_is_told_apart_from_the_words(world: World) -> None:
    edit(first(world), "- In `*.go` files: Compare", "- In `*.go` and `*.rs` files: Compare")
    (found,) = collect_edits(world.library).edits
    assert (found.outcome, found.text, found.paths) == (
        "pinned",
        "Compare with one literal expected value",
        ("*.go", "*.rs"),
    )


def test_lines_of_their_own_and_moved_lines_are_no_edit(world: World) -> None:
    edit(agents(world), "- Keep every answer under ten lines\n", "")
    edit(agents(world), "- Answer without", "- Keep every answer under ten lines\n- mine\n- Answer without")
    assert told(world) == []


def test_the_same_edit_in_two_copies_is_one_and_different_ones_are_a_conflict(world: World) -> None:
    for path in (first(world), second(world)):
        edit(path, "- Run the tests before you push", "- Run all the tests before you push")
    (found,) = collect_edits(world.library).edits
    assert (found.outcome, set(found.places)) == ("pinned", {first(world), second(world)})
    edit(second(world), "- Run all the tests before you push\n", "")
    (found,) = collect_edits(world.library).edits
    assert found.outcome == "conflict"
    assert {side.line for side in found.sides} == {"- Run all the tests before you push", ""}


def test_missing_files_blocks_and_older_versions_are_no_edit(world: World) -> None:
    old = second(world).read_bytes()
    world.draft([*RULES, GO_STYLE.model_copy(update={"kind": "commit"})])
    world.install("codex")
    second(world).write_bytes(old)
    first(world).unlink()
    agents(world).write_bytes(b"other\n")
    found = collect_edits(world.library)
    assert found.edits == ()
    assert set(found.missing) == {first(world), agents(world)}


def test_another_text_in_our_place_is_shown_and_no_refusal_of_every_rule(world: World) -> None:
    first(world).write_bytes(b"")
    second(world).write_bytes(b"# something else\n")
    found = collect_edits(world.library)
    assert found.edits == ()
    assert set(found.replaced) == {first(world), second(world)}


def test_a_file_that_does_not_parse_hides_no_other(world: World) -> None:
    edit(first(world), "- Run the tests before you push", "- Run all the tests before you push")
    agents(world).write_bytes(agents(world).read_bytes().replace(b"ingrained:end", b"ingrained:fin"))
    second(world).write_bytes(b"\xff\xfe")
    found = collect_edits(world.library)
    assert [edit.rule_id for edit in found.edits] == ["r-00000001"]
    assert {path for path, _ in found.unreadable} == {agents(world), second(world)}
    assert all("AGENTS.md:" in why or "UTF-" in why for _, why in found.unreadable)


def test_settled_edits_do_not_come_up_again_and_stay_in_the_file(world: World) -> None:
    edit(first(world), "- Run the tests before you push", "- Run all the tests before you push")
    edit(first(world), "- In `*.go` files: Compare with one literal expected value\n", "")
    edits = collect_edits(world.library).edits
    before = first(world).read_bytes()
    assert settle(world.library, edits) is True
    assert settle(world.library, []) is False
    assert told(world) == []
    assert first(world).read_bytes() == before
    # edited again: only the new edit comes up
    edit(first(world), "all the tests", "all the slow tests")
    assert told(world) == [("r-00000001", "pinned", "Run all the slow tests before you push")]


def test_an_edit_that_no_learn_took_in_survives_an_install_in_between(world: World) -> None:
    edit(first(world), "- Run the tests before you push", "- Run all the tests before you push")
    edit(agents(world), "- Keep every answer under ten lines\n", "")
    world.draft([*RULES, GO_STYLE])
    for agent in ("claude-code", "codex"):
        world.install(agent)
        world.install(agent)
    assert {(rule, outcome) for rule, outcome, _ in told(world)} == {
        ("r-00000001", "pinned"),
        ("r-00000004", "refused"),
    }


def test_a_rule_accepted_again_after_a_settled_refusal_is_written_again(world: World) -> None:
    edit(agents(world), "- Keep every answer under ten lines\n", "")
    settle(world.library, collect_edits(world.library).edits)
    world.draft()
    assert world.plan("codex").files, "the person said yes to it after all"
    world.install("codex")
    assert b"- Keep every answer under ten lines\n" in agents(world).read_bytes()
    assert told(world) == []


def test_a_settled_pin_and_refusal_bring_the_other_copies_along(world: World) -> None:
    edit(first(world), "- Run the tests before you push", "- Run all the tests before you push")
    edit(first(world), "- In `*.go` files: Compare with one literal expected value\n", "")
    settle(world.library, collect_edits(world.library).edits)
    pinned = RULES[0].model_copy(update={"text": "Run all the tests before you push"})
    world.draft([pinned, *RULES[2:]])
    for agent in ("claude-code", "codex"):
        world.install(agent)
    for path in (first(world), second(world)):
        assert "- Run all the tests before you push\n" in path.read_text(encoding="utf-8")
        assert "literal expected value" not in path.read_text(encoding="utf-8")
    assert told(world) == []
    assert world.library.behind() == ()


def test_an_undo_after_a_settled_edit_finds_all_it_needs(world: World) -> None:
    edit(first(world), "- Run the tests before you push", "- Run all the tests before you push")
    settle(world.library, collect_edits(world.library).edits)
    world.draft([RULES[0].model_copy(update={"text": "Run all the tests before you push"}), *RULES[1:], GO_STYLE.model_copy(update={"kind": "commit"})])  # fmt: skip
    world.install()
    manifest = world.library.manifest()
    assert all(world.library.blobs.sound(name) for name in manifest.blobs())
    world.undo()
    assert "- Run all the tests before you push\n" in first(world).read_text(encoding="utf-8")
    assert told(world) == []
    assert all(world.library.blobs.sound(copy.rendered) for copy in world.library.manifest().copies)


def test_a_conflict_stays_open_and_both_copies_keep_their_line(world: World) -> None:
    edit(first(world), "- Run the tests before you push", "- Run all the tests before you push")
    edit(second(world), "- Run the tests before you push", "- Run the fast tests before you push")
    (conflict,) = collect_edits(world.library).edits
    assert isinstance(conflict, HandEdit)
    assert settle(world.library, [conflict]) is False
    world.draft([*RULES, GO_STYLE.model_copy(update={"kind": "commit"})])
    for agent in ("claude-code", "codex"):
        world.install(agent)
    assert "- Run all the tests before you push\n" in first(world).read_text(encoding="utf-8")
    assert "- Run the fast tests before you push\n" in second(world).read_text(encoding="utf-8")
    assert told(world) == [("r-00000001", "conflict", conflict.text)]

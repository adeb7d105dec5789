from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingrained.errors import RefusedError
from ingrained.ids import RuleId
from ingrained.store.retention import forget_rules
from install_world import GO_STYLE, RULES, World, make_world, tree, without_sync

FIRST = RuleId("r-00000001")
WORDS = b"Run the tests before you push"


@pytest.fixture(autouse=True, scope="module")
def fast() -> Iterator[None]:
    with without_sync():
        yield


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path)


def kept(world: World) -> list[str]:
    """Files of the library that hold the words."""
    return [name for name, (_, _, content) in tree(world.library.home).items() if WORDS in content]


def test_a_draft_that_was_never_installed_leaves_nothing(world: World) -> None:
    world.draft()
    assert kept(world)
    world.draft(RULES[1:])
    assert kept(world) == []
    assert forget_rules(world.library, [FIRST]) == 0


def test_what_is_installed_goes_with_the_next_install(world: World) -> None:
    before = world.tree()
    world.draft()
    world.install()
    world.draft([*RULES, GO_STYLE.model_copy(update={"kind": "commit"})])
    world.install()
    world.draft(RULES[1:])
    assert forget_rules(world.library, [FIRST]) == 1
    world.install()
    assert kept(world) == []
    assert world.library.manifest().forgotten == ()
    world.undo(everything=True)
    assert world.tree() == before


def test_what_is_installed_goes_with_an_undo_too(world: World) -> None:
    before = world.tree()
    world.draft()
    world.install()
    world.draft(RULES[1:])
    forget_rules(world.library, [FIRST])
    world.undo()
    assert kept(world) == []
    assert world.tree() == before


def test_an_old_version_on_another_branch_is_still_no_edit(world: World) -> None:
    from ingrained.store.edits import collect_edits

    world.draft()
    world.install()
    (skill,) = world.project.rglob("SKILL.md")
    old = skill.read_bytes()
    world.draft(RULES[1:])
    world.install()
    forget_rules(world.library, [FIRST])
    assert kept(world) == []
    skill.write_bytes(old)
    assert collect_edits(world.library).edits == ()


def test_lines_by_hand_are_still_known_and_kept(world: World) -> None:
    agents = world.project / "AGENTS.md"
    agents.write_bytes(b"mine\n")
    talk = RULES[2]
    world.draft()
    world.install("codex")
    agents.write_bytes(agents.read_bytes().replace(b"- Keep every", b"- by hand\n- Keep every"))
    world.draft([*RULES, GO_STYLE])
    world.install("codex")
    world.draft([rule for rule in RULES if rule.id != talk.id])
    forget_rules(world.library, [talk.id])
    world.install("codex")
    assert [name for name, (_, _, content) in tree(world.library.home).items() if talk.text.encode() in content] == []
    with pytest.raises(RefusedError, match="edited since"):
        world.undo(everything=True)
    world.undo(everything=True, keep_edits=True)
    assert agents.read_bytes() == b"mine\n\n- by hand\n"

from __future__ import annotations

import pytest

from ingrained.errors import RefusedError
from ingrained.install.purge import purge
from ingrained.store.ledger import Ledger
from install_world import RULES, World


def test_purge_removes_what_is_ours_and_the_folder(world: World) -> None:
    with Ledger.open(world.library.home):
        pass
    world.draft()
    world.install()
    world.undo(everything=True)
    done = purge(world.library.home)
    assert not world.library.home.exists()
    assert world.library.home in done.removed
    assert done.left == ()
    assert purge(world.library.home).removed == ()


def test_purge_refuses_while_copies_are_installed(world: World) -> None:
    world.draft()
    world.install()
    with pytest.raises(RefusedError, match="still installed"):
        purge(world.library.home)
    assert world.library.manifest().copies


def test_purge_leaves_what_is_not_ours_and_copies_put_aside(world: World) -> None:
    world.draft(RULES)
    world.install()
    (skill,) = world.project.rglob("SKILL.md")
    skill.write_bytes(skill.read_bytes() + b"- mine\n")
    world.undo(force=True)
    notes = world.library.home / "ingrained.toml"
    notes.write_bytes(b"# mine\n")
    done = purge(world.library.home)
    assert set(done.left) == {notes, world.library.folder}
    assert notes.read_bytes() == b"# mine\n"
    assert [path.name for path in world.library.folder.iterdir()] == ["kept"]
    assert not list(world.library.home.glob("ledger.db*"))

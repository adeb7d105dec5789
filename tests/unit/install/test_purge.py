from __future__ import annotations

import pytest

from ingrained.errors import RefusedError
from ingrained.install.purge import purge
from ingrained.session.sample import SAMPLE, sample_settings
from ingrained.store.files import make_home
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


@pytest.mark.parametrize("theirs", ["ingrained.toml", "notes.txt", "sample/notes.txt"])
@pytest.mark.parametrize("sample", [False, True])
def test_purge_leaves_what_is_not_ours_and_nothing_else(world: World, theirs: str, sample: bool) -> None:
    home = world.library.home
    world.draft(RULES)
    world.install()
    (skill,) = world.project.rglob("SKILL.md")
    skill.write_bytes(skill.read_bytes() + b"- mine\n")
    world.undo(force=True)
    assert any(world.library.kept.iterdir())
    if sample:
        with Ledger.open(make_home(home / SAMPLE)):
            (home / SAMPLE / "ingrained.toml").write_bytes(sample_settings())
    notes = home / theirs
    notes.parent.mkdir(exist_ok=True)
    notes.write_bytes(b"# mine\n")
    done = purge(home)
    assert done.left == (home / theirs.split("/")[0],)
    assert [path for path in home.rglob("*") if path.is_file()] == [notes]
    assert notes.read_bytes() == b"# mine\n"

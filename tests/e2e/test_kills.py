"""Ended at a named point, `learn` and `install` are completed by the next run, which then equals an undisturbed one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.e2e.test_flow import AGAIN, CHANGELOG, EXPLAIN, PNPM, log, tree

import ingrained.store.forget  # noqa: F401 - registers its points
from ingrained.errors import StoreError
from ingrained.install.apply import apply, finish
from ingrained.install.places import TARGETS, Where
from ingrained.install.request import request
from ingrained.learn.pipeline import Ask, Roots, learn, looked_at
from ingrained.learn.reading import ME
from ingrained.store import faults
from ingrained.store.library import Library

NOW = datetime(2026, 5, 1, tzinfo=UTC)
EDITED = ["learn.decided", "learn.settled", "ledger.decide-begun", "ledger.decide-written", "ledger.decide-done"]
"""Points that only a `learn` with a hand edit to take in passes."""


def world(folder: Path) -> Path:
    user = folder / "user"
    project = user / "work" / "shop"
    project.mkdir(parents=True)
    (project / "AGENTS.md").write_bytes(b"# Mine\r\n\r\nKeep this line.")
    log(user, project, "s1", "2026-01-05", "tidy the cart page", CHANGELOG, PNPM, EXPLAIN)
    log(user, project, "s2", "2026-01-09", "look at the tax page", *AGAIN)
    return user


World = tuple[Path, tuple[object, ...], tuple[object, ...]]


def ask(user: Path) -> Ask:
    return Ask(home=user / "own", roots=Roots(places=((ME, user / ".claude" / "projects"),)))


def learned(user: Path) -> None:
    learn(ask(user))


def installed(user: Path) -> None:
    library = Library(user / "own")
    finish(library)
    where = Where(home=user, project=user / "work" / "shop", env={})
    target = TARGETS.load("agents-md")()
    made = request(user / "own", target, "project", where, now=NOW, form="auto", budget=500)
    apply(made.library, made.plan)


def state(user: Path) -> tuple[object, ...]:
    """What counts: the rules, the drafts, and every byte in the project."""
    view = looked_at(user / "own")
    drafts = tuple(
        (draft.name, tuple(piece.rendered for piece in draft.pieces)) for draft in Library(user / "own").drafts()
    )
    return view.rules, drafts, tree(user / "work"), tree(user / ".claude")


def killed(point: str, act: Callable[[Path], None], user: Path) -> int:
    """Run `act` in a child that dies at the point; its exit status."""
    child = os.fork()
    if child == 0:
        try:
            os.environ[faults.VARIABLE] = point
            faults.reset()
            act(user)
        except StoreError:
            os._exit(3)
        except BaseException:  # noqa: BLE001 - the parent reads the status
            os._exit(99)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A world, its state after `learn`, and after `install` too. Copies of it lie at the same path, as logs name it."""
    folder = tmp_path_factory.mktemp("kills") / "w"
    user = world(folder)
    shutil.copytree(folder, folder.with_name("fresh"), symlinks=True)
    learned(user)
    after_learn = state(user)
    shutil.copytree(folder, folder.with_name("learned"), symlinks=True)
    installed(user)
    return user, after_learn, state(user)


def again(user: Path, which: str) -> None:
    """Put the world back to how it was."""
    folder = user.parent
    shutil.rmtree(folder)
    shutil.copytree(folder.with_name(which), folder, symlinks=True)


def points(*areas: str) -> list[str]:
    return [name for name in faults.points(*areas) if not name.startswith(("lock.", "migrate."))]


LEARN = [name for name in points("learn", "ledger", "draft", "files") if name not in EDITED]


@pytest.mark.parametrize("point", LEARN)
def test_learn_completes_after_a_kill(point: str, undisturbed: World) -> None:
    user, want, _ = undisturbed
    again(user, "fresh")
    assert killed(point, learned, user) == faults.KILLED
    learned(user)
    assert state(user) == want
    assert not list(user.rglob("*ingrained-tmp*"))


@pytest.mark.parametrize("point", EDITED)
def test_a_hand_edit_is_taken_in_after_a_kill(point: str, undisturbed: World) -> None:
    user = undisturbed[0]
    again(user, "learned")
    installed(user)
    (user / "work" / "shop" / "AGENTS.md").write_text(edited(user), encoding="utf-8", newline="")
    assert killed(point, learned, user) == faults.KILLED
    learned(user)
    (rule,) = [rule for rule in looked_at(user / "own").rules if "pnpm" in rule.text]
    assert (rule.status, rule.text) == ("pinned", "Use pnpm here, never npm, also in CI")


def edited(user: Path) -> str:
    text = (user / "work" / "shop" / "AGENTS.md").read_bytes().decode()
    (skill,) = (user / "work" / "shop" / ".agents").rglob("SKILL.md")
    assert "Use pnpm here, never npm" in text + skill.read_text("utf-8")
    skill.write_text(skill.read_text("utf-8").replace("never npm", "never npm, also in CI"), encoding="utf-8")
    return text.replace("never npm", "never npm, also in CI")


@pytest.mark.parametrize("point", points("install"))
def test_install_completes_after_a_kill(point: str, undisturbed: World) -> None:
    user, _, want = undisturbed
    again(user, "learned")
    before = tree(user / "work")
    assert killed(point, installed, user) == faults.KILLED
    whole = {**before, **want[2]}
    assert all(
        whole[name] == found or before[name] == found
        for name, found in tree(user / "work").items()
        if "tmp" not in name
    )
    installed(user)
    assert state(user)[1:] == want[1:]


@pytest.mark.slow
@pytest.mark.parametrize("point", [f"{name}:{k}" for k in (2, 3, 4) for name in (*LEARN, *points("install"))][:90])
def test_a_kill_at_a_later_pass(point: str, undisturbed: World) -> None:
    """The same at the second to fourth pass through each point, over `learn` and `install` in a row."""
    user, _, want = undisturbed
    again(user, "fresh")

    def both(user: Path) -> None:
        learned(user)
        installed(user)

    assert killed(point, both, user) in (faults.KILLED, 0)
    both(user)
    assert state(user)[1:] == want[1:]


def test_there_are_twenty_points_at_least() -> None:
    assert len([*LEARN, *EDITED, *points("install")]) >= 20

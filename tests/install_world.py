"""A person's home, a project and a library in a temporary folder, for tests of install and undo."""

from __future__ import annotations

import os
import stat
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ingrained.ids import ProjectId
from ingrained.install.apply import Applied, apply, finish
from ingrained.install.places import TARGETS, Where
from ingrained.install.plan import Plan
from ingrained.install.prepare import plan_install
from ingrained.install.undo import plan_undo
from ingrained.learn.drafts import pieces
from ingrained.skill.rule import Rule
from ingrained.skill.rulesfile import FormName, form_of
from ingrained.store.library import Draft, Library
from ingrained.store.manifest import Into
from skill_rules import make_rule


@contextmanager
def without_sync() -> Generator[None]:
    """Spares the tests what a power cut would need; a busy disk makes it most of their time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
SHOP = ProjectId("github.com/dana/shop-front")

TESTS_FIRST = make_rule("Run the tests before you push", name="r-00000001", kind="validation")
ONE_VALUE = make_rule("Compare with one literal expected value", name="r-00000002", kind="style", paths=["*.go"])
NO_TALK = make_rule("Answer without explaining the diff", name="r-00000003", kind="communication")
SHORT = make_rule("Keep every answer under ten lines", name="r-00000004", kind="communication")
GO_STYLE = make_rule("Name receivers with one letter", name="r-00000005", kind="style")
RULES: tuple[Rule, ...] = (TESTS_FIRST, ONE_VALUE, NO_TALK, SHORT)


def compose(
    name: str, project: ProjectId | None, title: str, rules: Sequence[Rule], *, form: FormName | None = None
) -> Draft:
    """A draft that says the rules, each in the form that suits it or all in one."""
    skill = [rule for rule in rules if (form or form_of(rule)) == "skill"]
    always = [rule for rule in rules if (form or form_of(rule)) == "rules"]
    return Draft(name=name, project=project, title=title, pieces=pieces(skill, always, name=name, title=title))


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    root: Path

    @property
    def home(self) -> Path:
        return self.root / "dana"

    @property
    def project(self) -> Path:
        return self.home / "src" / "shop-front"

    @property
    def library(self) -> Library:
        return Library(self.root / "ingrained")

    def where(self, **env: str) -> Where:
        return Where(home=self.home, project=self.project, env={"HOME": str(self.home), **env})

    def draft(
        self, rules: Sequence[Rule] = RULES, *, project: ProjectId | None = SHOP, title: str = "Shop Front"
    ) -> str:
        name = self.library.name_for(project, title)
        self.library.put_drafts([compose(name, project, title, rules)])
        return name

    def plan(self, agent: str = "claude-code", into: Into = "project", **env: str) -> Plan:
        draft = self.library.draft_of(SHOP if into == "project" else None)
        assert draft is not None
        return plan_install(self.library, draft, TARGETS.load(agent)(), into, self.where(**env), now=NOW)

    def install(self, agent: str = "claude-code", into: Into = "project", **env: str) -> Applied:
        finish(self.library)
        return apply(self.library, self.plan(agent, into, **env))

    def undo(self, *, everything: bool = False, keep_edits: bool = False, force: bool = False) -> Applied:
        finish(self.library)
        plan = plan_undo(self.library, everything=everything, keep_edits=keep_edits, force=force, now=NOW)
        return apply(self.library, plan)

    def tree(self) -> dict[str, tuple[str, int, bytes]]:
        return tree(self.home)


def make_world(root: Path) -> World:
    world = World(root=root)
    world.project.mkdir(parents=True)
    return world


def tree(folder: Path) -> dict[str, tuple[str, int, bytes]]:
    """Every entry below a folder: its kind, permission bits, and bytes or link target. Links are not followed."""
    found: dict[str, tuple[str, int, bytes]] = {}
    for base, folders, files in os.walk(folder):
        for name in [*folders, *files]:
            path = Path(base) / name
            mode = path.lstat().st_mode
            if stat.S_ISLNK(mode):
                entry = ("link", 0, os.fsencode(path.readlink()))
            elif stat.S_ISDIR(mode):
                entry = ("folder", stat.S_IMODE(mode), b"")
            else:
                entry = ("file", stat.S_IMODE(mode), path.read_bytes())
            found[str(path.relative_to(folder))] = entry
    return found

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ingrained.errors import RefusedError
from ingrained.install.apply import apply
from ingrained.install.undo import plan_undo, plan_uninstall
from ingrained.skill.document import parse
from ingrained.store.edits import HandEdit, collect_edits
from ingrained.store.manifest import Manifest
from install_world import GO_STYLE, NOW, RULES, World, tree

NAME = "ingrained-shop-front"


def skill_of(world: World, folder: str = ".claude") -> Path:
    return world.project / folder / "skills" / NAME / "SKILL.md"


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_bytes().decode()
    assert old in text
    path.write_bytes(text.replace(old, new).encode())


def test_undo_takes_back_one_step_at_a_time(world: World) -> None:
    trees = [world.tree()]
    for rules, agent in ((RULES, "claude-code"), (RULES, "codex"), ([*RULES, GO_STYLE], "claude-code")):
        world.draft(rules)
        world.install(agent)
        trees.append(world.tree())
    for before in reversed(trees[:-1]):
        world.undo()
        assert world.tree() == before
    with pytest.raises(RefusedError, match="nothing is installed"):
        world.undo()


def test_of_two_installs_that_are_equal_undo_takes_back_the_later_one(world: World) -> None:
    (world.project / "elsewhere").mkdir()
    (world.project / ".agents").mkdir()
    (world.project / ".agents" / "skills").symlink_to(world.project / "elsewhere")
    states = []
    for rules in (RULES, (), RULES):
        states.append(world.tree())
        world.draft(rules)
        world.install("codex")
    first, _, third = world.library.manifest().steps
    assert first == third
    for left, state in zip((2, 1, 0), reversed(states), strict=True):
        world.undo()
        assert world.tree() == state
        assert len(world.library.manifest().steps) == left


def test_undo_shows_a_diff_first_and_writes_nothing(world: World) -> None:
    (world.project / "AGENTS.md").write_bytes(b"mine")
    world.draft()
    world.install("codex")
    before = world.tree()
    plan = plan_undo(world.library, now=NOW)
    assert "+mine\n\\ No newline at end of file\n" in plan.diff()
    assert world.tree() == before


def test_everything_is_taken_back_at_once(world: World) -> None:
    (world.project / "AGENTS.md").write_bytes(b"\xef\xbb\xbfmine\r\n\r\nx")
    before = world.tree()
    for rules in (RULES, [*RULES, GO_STYLE]):
        world.draft(rules)
        for agent in ("claude-code", "codex", "agents-md"):
            world.install(agent)
    world.undo(everything=True)
    assert world.tree() == before
    assert world.library.manifest().copies == ()
    assert plan_uninstall(world.library, now=NOW).changes_nothing


def test_folders_stay_where_something_else_is_in_them(world: World) -> None:
    world.draft()
    world.install()
    theirs = world.project / ".claude" / "settings.local.json"
    theirs.write_bytes(b"{}")
    done = world.undo()
    assert theirs.read_bytes() == b"{}"
    assert done.kept_folders == (world.project / ".claude",)
    assert not (world.project / ".claude/skills").exists()


def test_an_edited_file_is_refused_without_a_choice(world: World) -> None:
    world.draft()
    world.install()
    world.install("codex")
    edit(world.project / "AGENTS.md", "## Standing", "mine\n## Standing")
    before = world.tree()
    for everything in (False, True):
        with pytest.raises(RefusedError, match=r"AGENTS\.md; nothing was changed") as error:
            world.undo(everything=everything)
        assert "--keep-edits" in error.value.hint
    assert world.tree() == before


def test_keep_edits_leaves_the_lines_of_the_person(world: World) -> None:
    agents = world.project / "AGENTS.md"
    agents.write_bytes(b"# Mine\r\n")
    world.draft()
    world.install("codex")
    world.install()
    edit(agents, "# Mine\r\n", "# Mine\r\nabove\r\n")
    edit(agents, "- Keep every answer under ten lines", "- Keep every answer under five lines\r\n- inside")
    agents.write_bytes(agents.read_bytes() + b"below, no end")
    edit(skill_of(world), "- Run the tests", "- mine\n- Run the tests")
    world.undo(everything=True, keep_edits=True)
    assert agents.read_bytes() == (
        b"# Mine\r\nabove\r\n\r\n- Keep every answer under five lines\r\n- inside\r\nbelow, no end"
    )
    left = skill_of(world).read_bytes()
    assert left.split(b"\n---\n")[1].strip() == b"- mine"
    assert parse(left).name == NAME
    assert not (world.project / ".agents").exists()
    assert world.library.manifest().copies == ()
    # what is left is the person's: a new install goes around it, in the same file
    world.install()
    assert b"\n- mine\n" in skill_of(world).read_bytes()
    assert {path.parent.name for path in world.project.rglob("SKILL.md")} == {NAME}
    world.undo()
    assert skill_of(world).read_bytes() == left


@pytest.mark.parametrize("line", ["allowed-tools: Bash", "  author: dana", "# a note for Kim"])
def test_keep_edits_leaves_a_skill_that_can_be_read_whatever_stands_in_its_frontmatter(world: World, line: str) -> None:
    world.draft()
    world.install()
    edit(skill_of(world), "\n---\n", f"\n{line}\n---\n")
    world.undo(keep_edits=True)
    left = skill_of(world).read_bytes()
    assert line.encode() in left
    assert parse(left).name == NAME
    assert not [rule.text for rule in RULES if rule.text.encode() in left]


def test_keep_edits_removes_a_file_of_ours_in_which_lines_were_only_taken_out(world: World) -> None:
    before = world.tree()
    world.draft()
    world.install()
    edit(skill_of(world), "- Run the tests before you push\n", "")
    world.undo(keep_edits=True)
    assert world.tree() == before


@pytest.mark.parametrize("agent", ["codex", "claude-code"])
@pytest.mark.parametrize("back", ["", "mine\n"])
def test_keep_edits_takes_out_what_was_installed_again_after_somebody_put_the_file_back(
    world: World, agent: str, back: str
) -> None:
    agents = world.project / "AGENTS.md"
    agents.write_text(back, encoding="utf-8")
    before = world.tree()
    world.draft()
    world.install(agent)
    path = agents if agent == "codex" else skill_of(world)
    if agent == "codex":
        agents.write_text(back, encoding="utf-8")
    else:
        path.unlink()
    world.install(agent)
    path.write_bytes(path.read_bytes() + b"later\n")
    world.undo(keep_edits=True)
    left = path.read_text(encoding="utf-8")
    assert left.endswith("later\n")
    assert not [rule.text for rule in RULES if rule.text in left]
    path.write_text(back, encoding="utf-8") if agent == "codex" else path.unlink()
    if world.library.manifest().steps:
        world.undo(everything=True)
    assert world.tree() == before


def test_keep_edits_outside_the_block_gives_the_rest_back_to_the_byte(world: World) -> None:
    agents = world.project / "AGENTS.md"
    agents.write_bytes(b"# Mine\n\nlast")
    world.draft()
    world.install("codex")
    edit(agents, "# Mine\n", "# Mine\nlater\n")
    world.undo(keep_edits=True)
    assert agents.read_bytes() == b"# Mine\nlater\n\nlast"


def test_keep_edits_of_one_step_goes_back_to_the_version_before_with_the_edit(world: World) -> None:
    world.draft()
    world.install()
    first = skill_of(world).read_bytes()
    world.draft([*RULES, GO_STYLE.model_copy(update={"kind": "commit"})])
    world.install()
    edit(skill_of(world), "- Run the tests", "- mine\n- Run the tests")
    world.undo(keep_edits=True)
    expected = first.replace(b"- Run the tests", b"- mine\n- Run the tests")
    assert [line for line in skill_of(world).read_bytes().split(b"\n") if line] == [
        line for line in expected.split(b"\n") if line
    ]
    assert [copy.path for copy in world.library.behind()] == [str(skill_of(world))]
    with pytest.raises(RefusedError, match="edited since"):
        world.undo()


def test_a_line_that_was_taken_in_by_a_later_install_is_still_the_persons(world: World) -> None:
    agents = world.project / "AGENTS.md"
    world.draft()
    world.install("codex")
    edit(agents, "- Keep every answer under ten lines", "- mine\n- Keep every answer under ten lines")
    world.draft([*RULES, GO_STYLE])
    world.install("codex")
    with pytest.raises(RefusedError, match="edited since"):
        world.undo(everything=True)
    world.undo(everything=True, keep_edits=True)
    assert agents.read_bytes() == b"- mine\n"


def test_force_restores_the_bytes_and_keeps_a_copy(world: World) -> None:
    before = world.tree()
    world.draft()
    world.install()
    edit(skill_of(world), "- Run the tests", "- mine\n- Run the tests")
    edited = skill_of(world).read_bytes()
    plan = plan_undo(world.library, force=True, now=NOW)
    assert any("is kept as" in warning for warning in plan.warnings)
    apply(world.library, plan)
    assert world.tree() == before
    (kept,) = (world.library.folder / "kept").iterdir()
    assert kept.read_bytes() == edited
    assert kept.stat().st_mode & 0o777 == 0o600


def test_a_missing_copy_of_ours_and_an_older_version_are_no_edits(world: World) -> None:
    before = world.tree()
    world.draft()
    world.install()
    old = skill_of(world).read_bytes()
    world.draft([*RULES, GO_STYLE.model_copy(update={"kind": "commit"})])
    world.install()
    skill_of(world).write_bytes(old)
    (world.project / ".claude/rules" / f"{NAME}.md").unlink()
    world.undo(everything=True)
    assert world.tree() == before


def test_a_deleted_file_of_the_person_is_not_silently_made_again(world: World) -> None:
    agents = world.project / "AGENTS.md"
    agents.write_bytes(b"mine")
    agents.chmod(0o600)
    world.draft()
    world.install("codex")
    agents.unlink()
    with pytest.raises(RefusedError, match="edited since"):
        world.undo()
    plan = plan_undo(world.library, keep_edits=True, now=NOW)
    assert any("was deleted since" in warning for warning in plan.warnings)
    world.undo(force=True)
    assert agents.read_bytes() == b"mine"
    assert agents.stat().st_mode & 0o777 == 0o600


def test_a_project_that_is_gone_does_not_bar_the_way(world: World) -> None:
    world.draft()
    world.install()
    shutil.rmtree(world.project)
    world.undo()
    assert world.library.manifest().steps == ()
    assert not world.project.exists()


def test_a_folder_that_became_a_link_is_refused(world: World) -> None:
    world.draft()
    world.install()
    moved = world.root / "elsewhere"
    (world.project / ".claude").rename(moved)
    (world.project / ".claude").symlink_to(moved)
    before = tree(world.root)
    with pytest.raises(RefusedError, match="through a link now"):
        world.undo()
    assert tree(world.root) == before


def test_the_manifest_is_as_before_the_install(world: World) -> None:
    world.draft()
    first = world.library.manifest()
    world.install()
    world.undo()
    last = world.library.manifest()
    assert (last.copies, last.steps, last.drafts) == (first.copies, first.steps, first.drafts)
    assert set(last.written) > set(first.written), "a version that was written once is never taken for an edit"
    assert isinstance(last, Manifest)


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
@pytest.mark.parametrize("own", ["", "\n- mine", "\nmine\n\n- and more"])
def test_a_later_install_knows_the_rewording_that_an_undo_left(world: World, agent: str, own: str) -> None:
    world.draft()
    world.install(agent)
    (path,) = world.project.rglob("SKILL.md")
    edit(path, "- Run the tests before you push", f"- Run all the unit tests before a push{own}")
    world.undo(keep_edits=True)
    left = world.tree()
    world.draft([*RULES, GO_STYLE])
    world.install(agent)
    assert [*world.project.rglob("SKILL.md")] == [path]
    text = path.read_text("utf-8")
    assert text.count("- Run all the unit tests before a push") == 1
    assert "Run the tests before you push" not in text
    assert "Name receivers with one letter" in text + "".join(p.read_text("utf-8") for p in world.project.rglob("*.md"))
    assert all(line in text.split("\n") for line in own.split("\n") if line)
    assert parse(text.encode()).name == NAME
    (known,) = collect_edits(world.library).edits
    assert isinstance(known, HandEdit)
    assert (known.rule_id, known.outcome) == (RULES[0].id, "pinned")
    assert known.text == "Run all the unit tests before a push"
    world.undo()
    assert world.tree() == left


def test_what_an_undo_left_and_somebody_changed_since_is_theirs(world: World) -> None:
    world.draft()
    world.install()
    edit(skill_of(world), "- Run the tests before you push", "- Run all the unit tests before a push")
    world.undo(keep_edits=True)
    skill_of(world).write_text("something else\n", encoding="utf-8")
    world.install()
    assert skill_of(world).read_text("utf-8") == "something else\n"


@pytest.mark.parametrize("kept", [True, False])
def test_a_block_goes_on_under_another_name_where_the_skills_place_was_taken_since(world: World, kept: bool) -> None:
    always = [rule for rule in RULES if rule.kind == "communication"]
    world.draft(always)
    world.install("codex")
    skill = world.project / ".agents/skills" / NAME / "SKILL.md"
    if kept:
        world.draft()
        world.install("codex")
        edit(skill, "- Run the tests before you push", "- Run all the unit tests before a push")
        world.undo(keep_edits=True)
    skill.parent.mkdir(parents=True, exist_ok=True)
    skill.write_text("the person's by now\n", encoding="utf-8")
    agents = world.project / "AGENTS.md"
    edit(agents, "- Keep every answer under ten lines", "- mine\n- Keep every answer under ten lines")
    before = world.tree()
    world.draft([*RULES, GO_STYLE])
    plan = world.plan("codex")
    assert len({file.change.path for file in plan.files}) == len(plan.files)
    world.install("codex")
    text = agents.read_text("utf-8")
    assert (text.count("ingrained:begin"), text.count(f" {NAME}-2 ")) == (1, 2)
    assert text.count("- mine\n") == text.count("- Keep every answer under ten lines\n") == 1
    assert skill.read_text("utf-8") == "the person's by now\n"
    assert {copy.name for copy in world.library.manifest().copies} == {f"{NAME}-2"}
    world.undo()
    assert world.tree() == before
    assert {copy.name for copy in world.library.manifest().copies} == {NAME}

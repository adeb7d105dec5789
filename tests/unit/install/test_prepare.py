from __future__ import annotations

import os
from pathlib import Path

import pytest

from ingrained.errors import RefusedError, SkillFormatError
from ingrained.install.apply import apply
from ingrained.install.places import TARGETS
from ingrained.install.prepare import plan_install
from ingrained.skill import document
from ingrained.skill.lines import Rendered
from ingrained.store.library import Draft, DraftPiece
from install_world import GO_STYLE, NO_TALK, NOW, ONE_VALUE, RULES, SHOP, SHORT, TESTS_FIRST, World, tree
from skill_rules import make_rule

NAME = "ingrained-shop-front"


def skill_of(world: World, folder: str = ".claude", name: str = NAME) -> Path:
    return world.project / folder / "skills" / name / "SKILL.md"


def rules_of(world: World) -> Path:
    return world.project / ".claude" / "rules" / f"{NAME}.md"


def test_claude_code_gets_a_skill_and_a_rules_file(world: World) -> None:
    world.draft()
    done = world.install()
    assert {file.path for file in done.files} == {skill_of(world), rules_of(world)}
    assert all(file.action == "create" and file.size == file.path.stat().st_size for file in done.files)
    assert "Run the tests before you push" in skill_of(world).read_text(encoding="utf-8")
    assert "Answer without explaining the diff" in rules_of(world).read_text(encoding="utf-8")
    assert not (world.project / "CLAUDE.md").exists()


def test_codex_gets_a_skill_and_a_block_after_the_text_of_the_person(world: World) -> None:
    agents = world.project / "AGENTS.md"
    agents.write_bytes(b"# Mine\n\nno line end here")
    world.draft()
    done = world.install("codex")
    assert skill_of(world, ".agents").is_file()
    assert agents.read_bytes().startswith(b"# Mine\n\nno line end here")
    assert b"- Answer without explaining the diff\n" in agents.read_bytes()
    assert all("Codex" in file.readers for file in done.files)


def test_the_personal_draft_goes_into_the_home_and_only_there(world: World) -> None:
    world.draft([NO_TALK, TESTS_FIRST], project=None)
    world.install("codex", "user")
    assert (world.home / ".agents/skills/ingrained-personal/SKILL.md").is_file()
    assert b"explaining the diff" in (world.home / ".codex/AGENTS.md").read_bytes()
    world.draft()
    project, personal = world.library.draft_of(SHOP), world.library.draft_of(None)
    assert project is not None
    assert personal is not None
    for draft, into in ((project, "user"), (personal, "project")):
        with pytest.raises(RefusedError, match="not installed"):
            plan_install(world.library, draft, TARGETS.load("codex")(), into, world.where(), now=NOW)  # type: ignore[arg-type]


def test_config_folders_elsewhere_are_made_and_taken_away_again(world: World) -> None:
    before = tree(world.root)
    world.draft([NO_TALK, TESTS_FIRST], project=None)
    env = {"CODEX_HOME": str(world.root / "cx" / "deep"), "CLAUDE_CONFIG_DIR": str(world.root / "cc")}
    for agent in ("codex", "claude-code"):
        world.install(agent, "user", **env)
    assert (world.root / "cx/deep/AGENTS.md").is_file()
    assert (world.root / "cc/rules/ingrained-personal.md").is_file()
    world.undo(everything=True)
    after = {name: entry for name, entry in tree(world.root).items() if not name.startswith("ingrained")}
    assert after == before


def test_agents_md_marks_its_copy_for_claude_code(world: World) -> None:
    (world.project / ".claude").mkdir()
    world.draft()
    world.install("agents-md")
    first, copy = skill_of(world, ".agents"), skill_of(world)
    marked = document.parse(copy.read_bytes())
    assert marked.metadata["ingrained-copy-of"] == f".agents/skills/{NAME}/SKILL.md"
    assert "ingrained-copy-of" not in document.parse(first.read_bytes()).metadata
    assert marked.body == document.parse(first.read_bytes()).body


@pytest.mark.parametrize(
    ("claude_md", "told"), [(None, True), (b"see AGENTS.md", True), (b"# P\n@AGENTS.md\n", False), ("link", False)]
)
def test_agents_md_tells_when_claude_code_would_not_read_it(
    world: World, claude_md: bytes | str | None, told: bool
) -> None:
    (world.project / ".claude").mkdir()
    if claude_md == "link":
        (world.project / "AGENTS.md").write_bytes(b"# Mine\n")
        (world.project / "CLAUDE.md").symlink_to("AGENTS.md")
    elif isinstance(claude_md, bytes):
        (world.project / "CLAUDE.md").write_bytes(claude_md)
    world.draft()
    assert any("does not read AGENTS.md" in warning for warning in world.plan("agents-md").warnings) is told


def test_agents_md_for_the_user_serves_the_agents_that_are_there(world: World) -> None:
    world.draft([NO_TALK, TESTS_FIRST], project=None)
    assert any("only the skill" in warning for warning in world.plan("agents-md", "user").warnings)
    for folder in (".codex", ".config/opencode", ".claude"):
        (world.home / folder).mkdir(parents=True)
    done = world.install("agents-md", "user")
    assert {str(file.path.relative_to(world.home)) for file in done.files} == {
        ".agents/skills/ingrained-personal/SKILL.md",
        ".claude/skills/ingrained-personal/SKILL.md",
        ".claude/rules/ingrained-personal.md",
        ".codex/AGENTS.md",
        ".config/opencode/AGENTS.md",
    }


@pytest.mark.parametrize("agent", ["claude-code", "codex", "agents-md"])
def test_a_second_install_changes_nothing(world: World, agent: str) -> None:
    (world.project / ".claude").mkdir()
    (world.project / "AGENTS.md").write_bytes(b"\xef\xbb\xbf# Mine\r\nx")
    world.draft()
    world.install(agent)
    before, home = world.tree(), tree(world.library.home)
    assert world.plan(agent).changes_nothing
    assert world.install(agent).files == ()
    assert (world.tree(), tree(world.library.home)) == (before, home)


def test_targets_that_share_a_file_do_not_take_it_from_each_other(world: World) -> None:
    (world.project / ".claude").mkdir()
    world.draft()
    for agent in ("claude-code", "codex", "agents-md"):
        world.install(agent)
    for agent in ("claude-code", "codex", "agents-md"):
        assert world.plan(agent).files == (), agent


def test_a_new_draft_updates_and_names_what_is_behind(world: World) -> None:
    world.draft()
    world.install()
    assert world.library.behind() == ()
    world.draft([*RULES, make_rule("Squash before merging", name="r-00000009", kind="commit")])
    assert {Path(copy.path) for copy in world.library.behind()} == {skill_of(world)}
    done = world.install()
    assert [(file.path, file.action) for file in done.files] == [(skill_of(world), "update")]
    assert "Squash before merging" in skill_of(world).read_text(encoding="utf-8")
    assert world.library.behind() == ()


def test_the_diff_shows_every_changed_line_and_no_home_folder(world: World) -> None:
    (world.project / "AGENTS.md").write_bytes(b"mine")
    world.draft()
    shown = world.plan("codex").diff(world.home)
    assert str(world.home) not in shown
    assert "--- ~/src/shop-front/AGENTS.md\n+++ ~/src/shop-front/AGENTS.md\n" in shown
    assert "-mine\n\\ No newline at end of file\n+mine\n" in shown
    assert "--- /dev/null\n+++ ~/src/shop-front/.agents/skills/" in shown


def test_a_plan_writes_nothing(world: World) -> None:
    world.draft()
    before, home = world.tree(), tree(world.library.home)
    world.plan("agents-md")
    assert (world.tree(), tree(world.library.home)) == (before, home)


# Names


@pytest.mark.parametrize("foreign", ["SKILL.md", "notes.txt"])
def test_a_foreign_folder_of_that_name_gives_another_name(world: World, foreign: str) -> None:
    theirs = world.project / ".claude/skills" / NAME / foreign
    theirs.parent.mkdir(parents=True)
    theirs.write_bytes(b"---\nname: x\n")
    world.draft()
    plan = world.plan()
    assert any("is taken" in warning for warning in plan.warnings)
    apply(world.library, plan)
    assert theirs.read_bytes() == b"---\nname: x\n"
    second = skill_of(world, name=f"{NAME}-2")
    assert document.parse(second.read_bytes()).name == f"{NAME}-2"
    assert (world.project / ".claude/rules" / f"{NAME}-2.md").is_file()
    assert world.plan().changes_nothing
    world.undo()
    assert theirs.read_bytes() == b"---\nname: x\n"
    assert not second.parent.exists()


def test_a_name_in_other_letters_is_taken_too(world: World) -> None:
    (world.project / ".claude/skills/Ingrained-Shop-Front").mkdir(parents=True)
    world.draft()
    assert any(file.path == skill_of(world, name=f"{NAME}-2") for file in world.plan().files)


def test_a_foreign_rules_file_and_a_block_of_another_home_are_kept(world: World) -> None:
    rules = world.project / ".claude/rules" / f"{NAME}.md"
    rules.parent.mkdir(parents=True)
    rules.write_bytes(b"theirs")
    block = f"<!-- ingrained:begin v1 {NAME} gap=0 -->\n- of a colleague\n<!-- ingrained:end {NAME} -->\n".encode()
    (world.project / "AGENTS.md").write_bytes(block)
    world.draft()
    world.install("claude-code")
    world.install("codex")
    assert rules.read_bytes() == b"theirs"
    assert (world.project / "AGENTS.md").read_bytes().startswith(block)
    assert f"{NAME}-2 ".encode() in (world.project / "AGENTS.md").read_bytes()


# Edits by hand


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_bytes().decode()
    assert old in text
    path.write_bytes(text.replace(old, new).encode())


def test_an_edited_skill_keeps_the_edits_and_takes_new_rules(world: World) -> None:
    world.draft()
    world.install()
    skill = skill_of(world)
    edit(skill, "- Run the tests before you push\n", "- Run all the tests before you push\n- my own line\n")
    world.draft([*RULES, make_rule("Squash before merging", name="r-00000009", kind="commit")])
    plan = world.plan()
    (file,) = [file for file in plan.files if file.path == skill]
    assert {(kept.was, kept.now) for kept in file.kept} == {
        ("- Run the tests before you push", "- Run all the tests before you push"),
        ("", "- my own line"),
    }
    apply(world.library, plan)
    lines = skill.read_text(encoding="utf-8").splitlines()
    for line in ("- Run all the tests before you push", "- my own line", "- Squash before merging"):
        assert lines.count(line) == 1
    assert "- Run the tests before you push" not in lines
    assert world.plan().changes_nothing


def test_a_line_taken_out_stays_out_over_many_installs(world: World) -> None:
    world.draft()
    world.install()
    edit(skill_of(world), "- Run the tests before you push\n", "")
    for number in range(3):
        world.draft([*RULES, *(make_rule(f"Extra rule {n} of many", name=f"r-0000002{n}") for n in range(number))])
        world.install()
        assert "Run the tests before you push" not in skill_of(world).read_text(encoding="utf-8")


def test_edits_inside_and_outside_a_crlf_block_stay(world: World) -> None:
    agents = world.project / "AGENTS.md"
    agents.write_bytes(b"\xef\xbb\xbf# Mine\r\n")
    world.draft()
    world.install("codex")
    edit(agents, "- Keep every answer under ten lines\r\n", "- Keep every answer under ten lines\r\n- by hand\r\n")
    edit(agents, "# Mine\r\n", "# Mine\r\nlater\r\n")
    world.draft([*RULES, GO_STYLE])
    world.install("codex")
    found = agents.read_bytes()
    assert found.startswith(b"\xef\xbb\xbf# Mine\r\nlater\r\n")
    assert b"\r\n- by hand\r\n" in found
    assert b"- Name receivers with one letter\r\n" in found
    assert b"\n" not in found.replace(b"\r\n", b"")


def test_a_skill_in_crlf_stays_so_and_is_no_edit(world: World) -> None:
    world.draft()
    world.install()
    skill = skill_of(world)
    skill.write_bytes(skill.read_bytes().replace(b"\n", b"\r\n"))
    assert world.plan().files == ()
    world.draft([*RULES, GO_STYLE.model_copy(update={"kind": "commit"})])
    world.install()
    assert b"\n" not in skill.read_bytes().replace(b"\r\n", b"")


def test_of_two_names_of_ours_the_one_that_stands_in_a_place_is_kept(world: World) -> None:
    """A foreign folder gave the draft a second name for one target; the skills go, and the block keeps that name."""
    foreign = world.project / ".claude" / "skills" / NAME / "notes.txt"
    foreign.parent.mkdir(parents=True)
    foreign.write_bytes(b"mine\n")
    agents = world.project / "AGENTS.md"
    agents.write_bytes(b"mine\n")
    before = world.tree()
    for rule, agent in ((TESTS_FIRST, "codex"), (TESTS_FIRST, "agents-md"), (NO_TALK, "agents-md")):
        world.draft([rule])
        world.install(agent)
    assert not skill_of(world, name=f"{NAME}-2").exists()
    assert f"begin v1 {NAME}-2 ".encode() in agents.read_bytes()
    assert world.plan("agents-md").files == ()
    world.undo(everything=True)
    assert world.tree() == before


def test_a_deleted_copy_and_block_are_written_again(world: World) -> None:
    agents = world.project / "AGENTS.md"
    agents.write_bytes(b"mine\n")
    world.draft()
    world.install("codex")
    after = agents.read_bytes()
    agents.write_bytes(b"mine\n")
    skill_of(world, ".agents").unlink()
    world.install("codex")
    assert agents.read_bytes() == after
    assert skill_of(world, ".agents").is_file()


def test_an_older_version_of_ours_is_brought_up_to_date_whole(world: World) -> None:
    world.draft([TESTS_FIRST])
    world.install()
    old = skill_of(world).read_bytes()
    world.draft([TESTS_FIRST, ONE_VALUE])
    world.install()
    new = skill_of(world).read_bytes()
    skill_of(world).write_bytes(old)
    world.install()
    assert skill_of(world).read_bytes() == new


def test_a_draft_without_rules_takes_its_copies_out(world: World) -> None:
    world.draft()
    (world.project / "AGENTS.md").write_bytes(b"mine")
    before = world.tree()
    for agent in ("claude-code", "codex"):
        world.install(agent)
    after = world.tree()
    world.draft([])
    for agent in ("claude-code", "codex"):
        assert {file.action for file in world.install(agent).files} <= {"remove", "update"}
    assert {path for path in world.tree() if path not in before} <= {
        ".agents", ".agents/skills", ".claude", ".claude/rules", ".claude/skills"
    } | {f"src/shop-front/{path}" for path in (".agents", ".agents/skills", ".claude", ".claude/rules", ".claude/skills")}  # fmt: skip
    assert (world.project / "AGENTS.md").read_bytes() == b"mine"
    world.undo()
    world.undo()
    assert world.tree() == after
    world.undo(everything=True)
    assert world.tree() == before


def test_a_draft_without_rules_leaves_an_edited_skill_and_lines_in_a_block(world: World) -> None:
    world.draft()
    world.install()
    world.install("codex")
    edit(skill_of(world), "- Run the tests", "- mine\n- Run the tests")
    edit(world.project / "AGENTS.md", "- Keep every", "- also mine\n- Keep every")
    world.draft([])
    plan = world.plan()
    assert any("stays as it is" in warning for warning in plan.warnings)
    apply(world.library, plan)
    world.install("codex")
    assert "- mine\n" in skill_of(world).read_text(encoding="utf-8")
    assert (world.project / "AGENTS.md").read_bytes() == b"- also mine\n"


# What does not parse, and what must not be followed


def test_a_skill_of_ours_that_no_longer_parses_is_refused(world: World) -> None:
    world.draft()
    world.install()
    skill = skill_of(world)
    skill.write_bytes(skill.read_bytes().replace(b"---\n\n# ", b"--\n\n# "))
    before = world.tree()
    world.draft([*RULES, GO_STYLE.model_copy(update={"kind": "commit"})])
    with pytest.raises(SkillFormatError, match="nothing was changed") as error:
        world.install()
    assert error.value.hint
    assert world.tree() == before


@pytest.mark.parametrize(
    "content",
    [
        f"<!-- ingrained:begin v1 {NAME} gap=0 -->\n- x\n".encode(),
        f"- x\n<!-- ingrained:end {NAME} -->\n".encode(),
        b"# M\xe9moire\n",
        b"a\0b",
    ],
)
def test_a_shared_file_that_does_not_parse_is_refused(world: World, content: bytes) -> None:
    (world.project / "AGENTS.md").write_bytes(content)
    before = world.tree()
    world.draft()
    with pytest.raises(SkillFormatError, match=r"AGENTS\.md"):
        world.install("codex")
    assert world.tree() == before


def test_a_linked_folder_within_the_project_is_written_through_and_stays_a_link(world: World) -> None:
    (world.project / "shared").mkdir()
    (world.project / ".claude").mkdir()
    (world.project / ".claude/skills").symlink_to("../shared")
    before = world.tree()
    world.draft()
    plan = world.plan()
    assert any("is a link; it stays one" in warning for warning in plan.warnings)
    apply(world.library, plan)
    assert (world.project / "shared" / NAME / "SKILL.md").is_file()
    assert (world.project / ".claude/skills").is_symlink()
    assert world.plan().changes_nothing
    world.undo()
    assert world.tree() == before


def test_two_places_that_are_one_file_are_written_once(world: World) -> None:
    (world.project / ".agents/skills").mkdir(parents=True)
    (world.project / ".claude").mkdir()
    (world.project / ".claude/skills").symlink_to("../.agents/skills")
    world.draft()
    done = world.install("agents-md")
    assert len([file for file in done.files if file.path.name == "SKILL.md"]) == 1


def test_a_linked_agents_md_stays_a_link(world: World) -> None:
    (world.project / "CLAUDE.md").write_bytes(b"# Mine\n")
    (world.project / "AGENTS.md").symlink_to("CLAUDE.md")
    before = world.tree()
    world.draft()
    world.install("codex")
    assert (world.project / "AGENTS.md").is_symlink()
    assert b"explaining the diff" in (world.project / "CLAUDE.md").read_bytes()
    world.undo()
    assert world.tree() == before


def link_out(world: World) -> None:
    outside = world.root / "outside"
    outside.mkdir()
    (world.project / ".claude").mkdir()
    (world.project / ".claude/skills").symlink_to(outside)


def dangle(world: World) -> None:
    (world.project / ".claude").symlink_to("nowhere")


def loop(world: World) -> None:
    (world.project / ".claude").symlink_to(".claude")


def file_in_the_way(world: World) -> None:
    (world.project / ".claude").write_bytes(b"a file")


def pipe_in_the_way(world: World) -> None:
    (world.project / ".claude/rules").mkdir(parents=True)
    world.draft()
    world.install()
    path = rules_of(world)
    path.unlink()
    os.mkfifo(path)


def read_only_folder(world: World) -> None:
    (world.project / ".claude/skills").mkdir(parents=True)
    (world.project / ".claude/skills").chmod(0o555)


def read_only_file(world: World) -> None:
    world.draft([NO_TALK])
    world.install()
    rules_of(world).chmod(0o444)


@pytest.mark.parametrize(
    ("obstacle", "told"),
    [
        (link_out, "outside"),
        (dangle, "leads nowhere"),
        (loop, "leads nowhere"),
        (file_in_the_way, "not a folder"),
        (pipe_in_the_way, "not a regular file"),
        (read_only_folder, "is read-only"),
        (read_only_file, "is read-only"),
    ],
)
def test_what_is_in_the_way_is_told_and_nothing_is_written(world: World, obstacle: object, told: str) -> None:
    assert callable(obstacle)
    obstacle(world)
    world.draft([*RULES, SHORT.model_copy(update={"id": "r-00000008", "text": "Say numbers with units"})])
    seen = dict(_entries(world))
    with pytest.raises(RefusedError, match=told) as error:
        world.install()
    assert error.value.hint
    assert dict(_entries(world)) == seen


def _entries(world: World) -> list[tuple[str, tuple[int, int]]]:
    found = []
    for base, folders, files in os.walk(world.root):
        for name in [*folders, *files]:
            path = Path(base) / name
            if not path.is_relative_to(world.library.home):
                status = path.lstat()
                found.append((str(path), (status.st_mode, status.st_size)))
    return found


def test_permission_bits_of_a_shared_file_stay(world: World) -> None:
    agents = world.project / "AGENTS.md"
    agents.write_bytes(b"mine")
    agents.chmod(0o640)
    world.draft()
    world.install("codex")
    assert agents.stat().st_mode & 0o777 == 0o640
    world.undo()
    assert agents.stat().st_mode & 0o777 == 0o640


def test_hard_links_and_overrides_and_size_are_told(world: World) -> None:
    agents = world.project / "AGENTS.md"
    agents.write_bytes(b"x" * 32_000 + b"\n")
    (world.project / "AGENTS.override.md").write_bytes(b"y")
    (world.project / "other").hardlink_to(agents)
    world.draft([*RULES, *(make_rule(f"Answer with the {n}th long rule of very many words", name=f"r-1{n:07}", kind="communication") for n in range(20))])  # fmt: skip
    told = " ".join(world.plan("codex").warnings)
    for word in ("hard links", "AGENTS.override.md", "32,768"):
        assert word in told


def test_a_name_that_is_not_allowed_is_refused_by_the_library(world: World) -> None:
    from ingrained.errors import StoreError

    bad = Draft(name="../x", project=SHOP, title="x", pieces=(DraftPiece(kind="block", rendered=Rendered(text="- x\n", lines=())),))  # fmt: skip
    with pytest.raises(StoreError, match="cannot be called"):
        world.library.put_drafts([bad])

"""Case 12: installing beside files that people and other tools own, in the four homes of the case."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from ingrained.errors import RefusedError
from ingrained.ids import ProjectId
from ingrained.install.apply import apply
from ingrained.install.doctor import diagnose
from ingrained.install.places import TARGETS, Where
from ingrained.install.plan import Plan
from ingrained.install.prepare import plan_install
from ingrained.install.undo import plan_uninstall
from ingrained.skill.lines import BULLET, Rendered, RuleLine
from ingrained.store.edits import collect_edits
from ingrained.store.library import Draft, DraftPiece, Library
from install_world import NO_TALK, NOW, TESTS_FIRST, compose, tree
from skill_rules import make_rule

CASE = Path(__file__).parents[2] / "cases" / "12-install-next-to-user-files"
EXPECTED = json.loads(
    re.search(r"```json\n(.*?)```", (CASE / "expected.md").read_text(encoding="utf-8"), re.DOTALL)[1]  # type: ignore[index]
)
SHOPFRONT, REVIEW = ProjectId("shopfront"), ProjectId("review")
RULES = [
    make_rule("rule one", name="r-0000000a"),
    make_rule("rule two", name="r-0000000b"),
    make_rule("rule three, which is new", name="r-0000000c"),
]


class Case:
    """One home of the case, with the agents' folders under their real names; the home also serves as a project."""

    def __init__(self, root: Path, variant: str, *, linked: bool = False) -> None:
        self.home = root / "home"
        shutil.copytree(CASE / variant / "home", self.home)
        (self.home / "dot-claude").rename(self.home / ".claude")
        if linked:
            skills = self.home / ".claude" / "skills"
            (self.home / "dotfiles").mkdir()
            if skills.is_dir():
                skills.rename(self.home / "dotfiles" / "skills")
            else:
                (self.home / "dotfiles" / "skills").mkdir()
            skills.symlink_to("../dotfiles/skills")
        self.library = Library(root / "ingrained")
        self.where = Where(home=self.home, project=self.home, env={"HOME": str(self.home)})

    def path(self, name: str) -> Path:
        return self.home / ".claude" / name

    def plan(self, draft: Draft, agent: str = "claude-code") -> Plan:
        self.library.put_drafts([draft])
        into = "user" if draft.project is None else "project"
        return plan_install(self.library, draft, TARGETS.load(agent)(), into, self.where, now=NOW)

    def install(self, draft: Draft, agent: str = "claude-code") -> Plan:
        plan = self.plan(draft, agent)
        apply(self.library, plan)
        return plan


def personal() -> Draft:
    return compose("ingrained-personal", None, "", [NO_TALK, TESTS_FIRST])


def learned(count: int) -> Draft:
    """The skill of the case, which an earlier version of the tool wrote, with its first rules."""
    shipped = json.loads((CASE / "good" / "installed-by-tool-last-week.json").read_text(encoding="utf-8"))
    written = shipped["learned-shopfront/SKILL.md"]
    assert written == "- rule one\n- rule two\n"
    edited = (CASE / "good/home/dot-claude/skills/learned-shopfront/SKILL.md").read_text(encoding="utf-8")
    head = edited[: edited.index("- rule one")]
    text = head + "".join(f"- {rule.text}\n" for rule in RULES[:count])
    first = head.count("\n") + 1
    lines = tuple(
        RuleLine(line_no=first + number, text=f"- {rule.text}", rule_id=rule.id, prefix=BULLET)
        for number, rule in enumerate(RULES[:count])
    )
    rendered = Rendered(text=text, lines=lines)
    return Draft(
        name="learned-shopfront",
        project=SHOPFRONT,
        title="shopfront",
        pieces=(DraftPiece(kind="skill", rendered=rendered),),
    )


def after_last_week(root: Path, *, linked: bool) -> Case:
    """The good home, in which the tool had installed its skill last week and the person edited it since."""
    case = Case(root, "good", linked=linked)
    skill = case.path("skills/learned-shopfront/SKILL.md")
    edited = skill.read_bytes()
    shutil.rmtree(skill.parent)
    case.install(learned(2))
    skill.write_bytes(edited)
    return case


def settings_hooks(content: bytes) -> int:
    hooks = json.loads(content)["hooks"]
    return sum(len(entry["hooks"]) for entries in hooks.values() for entry in entries)


@pytest.mark.parametrize("linked", [False, True], ids=["folder", "link"])
def test_the_good_home(tmp_path: Path, linked: bool) -> None:
    case = after_last_week(tmp_path, linked=linked)
    before = tree(case.home)
    edited = case.path("skills/learned-shopfront/SKILL.md").read_bytes()

    plan = case.plan(learned(3))
    (file,) = plan.files
    assert "- rule two" in {kept.was for kept in file.kept}
    assert "- rule two, edited by hand since" in {kept.now for kept in file.kept}
    assert "- rule two" in {kept.wanted for kept in file.kept}
    apply(case.library, plan)
    review = case.install(compose("review-style", REVIEW, "review", [TESTS_FIRST]))
    assert any("taken" in warning for warning in review.warnings)
    case.install(personal())

    after = tree(case.home)
    lines = case.path("skills/learned-shopfront/SKILL.md").read_bytes().split(b"\n")
    assert lines.count(b"- rule three, which is new") == 1
    lines.remove(b"- rule three, which is new")
    assert b"\n".join(lines) == edited
    assert case.path("skills/review-style-2/SKILL.md").is_file()
    for name, entry in before.items():
        if name.endswith("learned-shopfront/SKILL.md"):
            continue
        assert after[name] == entry, f"{name} is somebody else's"
    texts = b"\n".join(content for kind, _, content in after.values() if kind == "file")
    for line in EXPECTED["hand_lines_kept"]:
        assert line.encode() in texts
    settings = case.path("settings.json").read_bytes()
    assert set(EXPECTED["settings_keys_kept"]) <= set(json.loads(settings))
    assert EXPECTED["foreign_hooks"] - settings_hooks(settings) == EXPECTED["foreign_hooks_lost_allowed"]

    assert EXPECTED["install_twice_identical"]
    for draft in (learned(3), compose("review-style", REVIEW, "review", [TESTS_FIRST]), personal()):
        assert case.plan(draft).changes_nothing
    assert tree(case.home) == after

    (edit,) = collect_edits(case.library).edits
    assert (edit.rule_id, edit.outcome) in {(RULES[1].id, "pinned"), (RULES[1].id, "refused")}

    assert EXPECTED["uninstall_restores_bytes"]
    with pytest.raises(RefusedError, match="edited since"):
        plan_uninstall(case.library, now=NOW)
    apply(case.library, plan_uninstall(case.library, keep_edits=True, now=NOW))
    left = tree(case.home)
    ours = ".claude/skills/learned-shopfront/SKILL.md" if not linked else "dotfiles/skills/learned-shopfront/SKILL.md"
    assert b"- rule two, edited by hand since\n" in left[ours][2]
    assert left | {ours: before[ours]} == before
    if linked:
        assert case.path("skills").is_symlink()
        assert (case.home / "dotfiles" / "skills" / "review-style").is_dir()


@pytest.mark.parametrize("variant", ["good", "trailing-comma", "bom", "empty"])
@pytest.mark.parametrize("agent", ["claude-code", "codex", "agents-md"])
def test_no_settings_file_is_touched_in_any_home(tmp_path: Path, variant: str, agent: str) -> None:
    case = Case(tmp_path, variant)
    (case.home / ".codex").mkdir()
    (case.home / ".codex" / "config.toml").write_bytes(b"broken = [\n")
    before = tree(case.home)
    case.install(personal(), agent)
    during = tree(case.home)
    diagnose(case.library.home, case.where)
    for name, entry in before.items():
        assert during[name] == entry
    assert case.plan(personal(), agent).changes_nothing
    apply(case.library, plan_uninstall(case.library, now=NOW))
    assert tree(case.home) == before


@pytest.mark.parametrize("variant", EXPECTED["unparseable_unchanged"])
def test_a_settings_file_that_cannot_be_read_is_named_with_its_line(tmp_path: Path, variant: str) -> None:
    case = Case(tmp_path, variant)
    found = diagnose(case.library.home, case.where)
    assert found.clean_up.state == "unreadable"
    assert any("settings.json:3" in finding.message for finding in found.findings)


def test_an_empty_settings_file_is_told_and_one_with_a_mark_is_read(tmp_path: Path) -> None:
    empty = Case(tmp_path / "empty", "empty")
    assert any("is empty" in finding.message for finding in diagnose(empty.library.home, empty.where).findings)
    marked = Case(tmp_path / "bom", "bom")
    assert diagnose(marked.library.home, marked.where).clean_up.state == "default"


def test_an_older_block_of_another_tool_and_the_missing_line_end_stay(tmp_path: Path) -> None:
    """The CLAUDE.md of the case as the AGENTS.md that we put a block into; then a line by hand in our own block."""
    case = Case(tmp_path, "good")
    agents = case.home / ".codex" / "AGENTS.md"
    agents.parent.mkdir()
    theirs = case.path("CLAUDE.md").read_bytes()
    assert not theirs.endswith(b"\n")
    agents.write_bytes(theirs)
    before = tree(case.home)
    case.install(personal(), "codex")
    assert agents.read_bytes().startswith(theirs)
    untouched = agents.read_bytes()
    inside = b"- a line I added by hand inside the managed block\n<!-- ingrained:end"
    agents.write_bytes(untouched.replace(b"<!-- ingrained:end", inside))
    case.install(compose("ingrained-personal", None, "", [NO_TALK, TESTS_FIRST, RULES[2]], form="rules"), "codex")
    for line in EXPECTED["hand_lines_kept"][:3]:
        assert line.encode() in agents.read_bytes()
    assert agents.read_bytes().startswith(theirs)
    assert b"rule three" in agents.read_bytes()
    apply(case.library, plan_uninstall(case.library, keep_edits=True, now=NOW))
    assert agents.read_bytes() == theirs + b"\n\n- a line I added by hand inside the managed block\n"
    agents.write_bytes(theirs)
    assert tree(case.home) == before


def test_a_read_only_folder_gives_a_clear_message_and_no_partial_write(tmp_path: Path) -> None:
    case = Case(tmp_path, "good")
    case.path("skills").chmod(0o555)
    try:
        before = tree(case.home)
        with pytest.raises(RefusedError, match=r"\.claude/skills is read-only") as error:
            case.install(personal())
        assert "chmod" in error.value.hint
        assert tree(case.home) == before
        assert case.library.manifest().steps == ()
    finally:
        case.path("skills").chmod(0o755)


def test_every_write_leaves_one_backup_of_the_first_original(tmp_path: Path) -> None:
    case = Case(tmp_path, "good")
    agents = case.home / ".codex" / "AGENTS.md"
    agents.parent.mkdir()
    agents.write_bytes(b"the first original")
    for rules in ([NO_TALK], [NO_TALK, RULES[0].model_copy(update={"kind": "communication"})]):
        case.install(compose("ingrained-personal", None, "", rules), "codex")
    (copy,) = case.library.manifest().copies
    assert copy.original is not None
    assert case.library.blobs.get(copy.original) == b"the first original"
    assert not [name for name in tree(tmp_path) if name.endswith("-tmp")]

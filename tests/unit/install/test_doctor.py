from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingrained.install.doctor import Diagnosis, diagnose
from ingrained.store.ledger import Ledger
from install_world import GO_STYLE, RULES, World, tree

NAME = "ingrained-shop-front"


def doctor(world: World, **env: str) -> Diagnosis:
    before = tree(world.home)
    found = diagnose(world.library.home, world.where(**env))
    assert tree(world.home) == before, "doctor only reads"
    return found


def levels(found: Diagnosis, level: str) -> list[str]:
    return [finding.message for finding in found.findings if finding.level == level]


def test_a_fresh_machine_is_no_damage(world: World) -> None:
    found = doctor(world)
    assert (found.ledger, found.library, found.copies, found.exit_code) == ("none", "none", (), 0)
    assert not world.library.home.exists()
    assert {agent.agent: agent.found for agent in found.agents} == {
        "claude-code": False, "codex": False, "agents-md": False,
    }  # fmt: skip
    assert Diagnosis.model_validate_json(found.model_dump_json()) == found


def test_it_tells_where_things_are_and_who_reads_them(world: World) -> None:
    (world.home / ".claude").mkdir()
    with Ledger.open(world.library.home):
        pass
    world.draft()
    world.install()
    world.install("codex")
    found = doctor(world)
    assert (found.ledger, found.library, found.messages, found.steps) == ("sound", "sound", 0, 2)
    assert found.drafts == (NAME,)
    assert {(copy.kind, copy.state) for copy in found.copies} == {
        ("skill", "current"), ("rules-file", "current"), ("block", "current"),
    }  # fmt: skip
    (block,) = [copy for copy in found.copies if copy.kind == "block"]
    assert block.path == str(world.project / "AGENTS.md")
    assert "Codex" in block.readers
    claude = next(agent for agent in found.agents if agent.agent == "claude-code")
    assert claude.found
    assert claude.skills == 1
    assert claude.listing_chars == claude.listing_ours > 100


def test_states_of_copies(world: World) -> None:
    world.draft()
    world.install()
    old = (world.project / ".claude/skills" / NAME / "SKILL.md").read_bytes()
    world.draft([*RULES, GO_STYLE.model_copy(update={"kind": "commit"})])
    assert {copy.state for copy in doctor(world).copies} == {"behind", "current"}
    assert any("behind the draft" in note for note in levels(doctor(world), "note"))
    world.install()
    skill = world.project / ".claude/skills" / NAME / "SKILL.md"
    new = skill.read_bytes()
    for content, state in (
        (old, "older"),
        (new.replace(b"- Run the tests", b"- mine\n- Run all tests"), "edited"),
        (b"---\nname: x\n", "replaced"),
        (b"\xff\xfe\x00", "unreadable"),
    ):
        skill.write_bytes(content)
        (copy,) = [copy for copy in doctor(world).copies if copy.kind == "skill"]
        assert copy.state == state
        assert (copy.reworded, copy.added) == ((1, 1) if state == "edited" else (0, 0)) or state == "replaced"
    skill.unlink()
    assert next(copy for copy in doctor(world).copies if copy.kind == "skill").state == "missing"
    assert doctor(world).exit_code == 0


@pytest.mark.parametrize(
    ("content", "state", "days"),
    [
        (None, "default", 30),
        (b"", "default", 30),
        (b'{"theme": "dark"}', "default", 30),
        (b'\xef\xbb\xbf{"cleanupPeriodDays": 7}', "set", 7),
        (b'{"cleanupPeriodDays": 365, }', "unreadable", None),
        (b'{"cleanupPeriodDays": true}', "default", 30),
        (b"\xff", "unreadable", None),
        (b"[]", "default", 30),
    ],
)
def test_the_clean_up_setting_is_read_and_never_written(
    world: World, content: bytes | None, state: str, days: int | None
) -> None:
    settings = world.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    if content is not None:
        settings.write_bytes(content)
    found = doctor(world).clean_up
    assert (found.state, found.days) == (state, days)
    if content == b'{"cleanupPeriodDays": 365, }':
        assert any("settings.json:1 " in message for message in levels(doctor(world), "warning"))
    assert content is None or settings.read_bytes() == content


def test_the_config_folder_can_lie_elsewhere(world: World) -> None:
    elsewhere = world.root / "claude"
    elsewhere.mkdir()
    (elsewhere / "settings.json").write_text(json.dumps({"cleanupPeriodDays": 9}), encoding="utf-8")
    assert doctor(world, CLAUDE_CONFIG_DIR=str(elsewhere)).clean_up.days == 9


def test_a_full_listing_and_doubles_are_told(world: World) -> None:
    skills = world.home / ".claude" / "skills"
    for number in range(12):
        folder = skills / f"skill-{number}"
        folder.mkdir(parents=True)
        text = f'---\nname: skill-{number}\ndescription: "{"x" * 800} {number}"\n---\n'
        (folder / "SKILL.md").write_text(text, encoding="utf-8")
    twin = world.project / ".claude/skills/skill-1"
    twin.mkdir(parents=True)
    (twin / "SKILL.md").write_bytes((skills / "skill-1/SKILL.md").read_bytes())
    told = levels(doctor(world), "warning")
    assert any("drops descriptions" in message for message in told)
    assert any("skill-1 from two folders" in message for message in told)


def damage_ledger(world: World) -> None:
    with Ledger.open(world.library.home):
        pass
    path = world.library.home / "ledger.db"
    content = bytearray(path.read_bytes())
    content[4096:12288] = b"\xff" * 8192
    path.write_bytes(bytes(content))


def damage_manifest(world: World) -> None:
    world.draft()
    world.library.desk.manifest.write_bytes(b"{")


def lose_blob(world: World) -> None:
    world.draft()
    world.install()
    next(world.library.blobs.folder.iterdir()).unlink()


def damage_journal(world: World) -> None:
    world.draft()
    world.library.desk.journal.write_bytes(b"{")


@pytest.mark.parametrize("damage", [damage_ledger, damage_manifest, lose_blob, damage_journal])
def test_damage_of_ours_gives_exit_code_4(world: World, damage: object) -> None:
    assert callable(damage)
    damage(world)
    found = doctor(world)
    assert found.exit_code == 4
    assert all(finding.hint for finding in found.findings if finding.level == "damage")
    assert "damaged" in {found.ledger, found.library}


def test_an_interrupted_run_is_told(world: World, tmp_path: Path) -> None:
    world.draft()
    journal = '{"version":1,"what":"install","steps":[],"make":[],"drop":[],"manifest":"{\\"version\\": 1}"}'
    world.library.desk.journal.write_text(journal, encoding="utf-8")
    found = doctor(world)
    assert any("interrupted install" in message for message in levels(found, "warning"))
    assert found.exit_code == 0


@pytest.mark.parametrize("other", ["- Run the fast tests before you push", ""])
def test_a_conflict_of_two_copies_is_shown_with_both_texts_paths_and_what_to_do(world: World, other: str) -> None:
    world.draft()
    world.install()
    world.install("codex")
    one, two = sorted(world.project.rglob("SKILL.md"))
    line = f"- {RULES[0].text}"
    one.write_text(one.read_text(encoding="utf-8").replace(line, "- Run all the tests"), encoding="utf-8")
    two.write_text(two.read_text(encoding="utf-8").replace(line, other), encoding="utf-8")
    (found,) = [each for each in diagnose(world.library.home, world.where()).findings if each.about == RULES[0].id]
    for part in (RULES[0].text, "- Run all the tests", other, str(one), str(two)):
        assert part in found.message
    assert "ingrained learn" in found.hint


def test_every_copy_behind_has_a_command_that_brings_it_up_to_date(world: World) -> None:
    world.draft()
    for agent in ("claude-code", "codex"):
        world.install(agent)
    world.draft([*RULES, GO_STYLE])
    (found,) = [
        each for each in diagnose(world.library.home, world.where()).findings if "behind the draft" in each.message
    ]
    assert found.hint.split("; ") == [
        f"ingrained install --agent {agent} --into project --project {world.project}"
        for agent in dict.fromkeys(copy.agent for copy in world.library.behind())
    ]
    for agent in {copy.agent for copy in world.library.behind()}:
        world.install(agent)
    assert world.library.behind() == ()

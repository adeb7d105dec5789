from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingrained.errors import StoreError
from ingrained.ids import ProjectId, RuleId
from ingrained.install.apply import apply
from ingrained.install.places import TARGETS
from ingrained.install.prepare import plan_install
from ingrained.skill.document import check_name
from ingrained.skill.lines import Rendered, RuleLine
from ingrained.store.library import PERSONAL, Draft, Library, since_after, slug
from ingrained.store.manifest import MANIFEST_VERSION, Manifest, dump, load
from install_world import GO_STYLE, NOW, RULES, SHOP, World, compose, make_world, tree, without_sync

GOLDEN = Path(__file__).parents[2] / "golden" / "library"


@pytest.fixture(autouse=True, scope="module")
def fast() -> Iterator[None]:
    with without_sync():
        yield


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path)


def test_opening_and_reading_creates_nothing(tmp_path: Path) -> None:
    library = Library(tmp_path / "home")
    assert library.manifest() == Manifest()
    assert library.drafts() == ()
    assert library.draft_of(None) is None
    assert library.behind() == ()
    assert library.recover() is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Shop Front", "ingrained-shop-front"),
        ("../../etc", "ingrained-etc"),
        ("Füße & Ärmel", "ingrained-fusse-armel"),
        ("personal", "ingrained-personal-2"),
        ("a" * 200, "ingrained-" + "a" * 50),
    ],
)
def test_names_are_slugs_of_the_title(tmp_path: Path, title: str, name: str) -> None:
    assert Library(tmp_path).name_for(SHOP, title) == name
    assert check_name(name) == ""


@given(title=st.text(max_size=300), project=st.text(max_size=50))
def test_every_title_gives_an_allowed_slug(title: str, project: str) -> None:
    assert check_name(f"ingrained-{slug(title, ProjectId(project))}-99") == ""


def test_a_project_keeps_its_name_and_two_of_one_title_get_two(world: World) -> None:
    library = world.library
    assert world.draft() == "ingrained-shop-front"
    other = ProjectId("gitlab.com/dana/shop-front")
    assert library.name_for(SHOP, "renamed since") == "ingrained-shop-front"
    assert library.name_for(other, "Shop Front") == "ingrained-shop-front-2"
    assert library.name_for(None, "") == PERSONAL


def test_a_draft_comes_back_as_it_was_put(world: World) -> None:
    library = world.library
    draft = compose("ingrained-shop-front", SHOP, "Shop Front", RULES)
    assert library.put_drafts([draft]) is True
    assert library.put_drafts([draft]) is False
    assert library.drafts() == (draft,)
    assert library.draft_of(SHOP) == draft
    assert {piece.kind for piece in draft.pieces} == {"skill", "block", "rules-file"}


def test_drafts_stand_as_files_for_people_too_and_old_ones_go(world: World) -> None:
    world.draft()
    folder = world.library.folder / "drafts" / "ingrained-shop-front"
    files = {str(path.relative_to(folder)) for path in folder.rglob("*.md")}
    assert files == {"SKILL.md", "AGENTS.block.md", "rules/ingrained-shop-front.md"}
    assert b"Run the tests before you push" in (folder / "SKILL.md").read_bytes()
    world.draft([])
    assert list(folder.rglob("*.md")) == []
    assert not any(b"Run the tests" in content for _, _, content in tree(world.library.home).values())


def test_the_library_is_for_its_owner_alone(world: World) -> None:
    world.draft()
    world.install()
    for name, (kind, mode, _) in tree(world.library.home).items():
        if "drafts" not in name:
            assert mode & 0o077 == 0, (name, kind)
    assert world.library.home.stat().st_mode & 0o077 == 0


def test_a_name_of_another_project_is_refused(world: World) -> None:
    name = world.draft()
    with pytest.raises(StoreError, match="cannot be called"):
        world.library.put_drafts([Draft(name=name, project=ProjectId("other"), title="", pieces=())])


def test_rules_installed_tells_where_each_rule_stands(world: World) -> None:
    world.draft()
    world.install()
    world.install("codex")
    found = world.library.rules_installed()
    assert set(found) == {rule.id for rule in RULES}
    assert {copy.kind for copy in found[RuleId("r-00000001")]} == {"skill"}
    assert {copy.kind for copy in found[RuleId("r-00000003")]} == {"block", "rules-file"}


def test_the_time_of_a_rule_is_that_of_its_first_install(world: World) -> None:
    later = NOW + timedelta(days=3)
    world.draft(RULES[:2])
    world.install()
    world.draft(RULES)
    draft = world.library.draft_of(SHOP)
    assert draft is not None
    for agent in ("claude-code", "codex"):
        plan = plan_install(world.library, draft, TARGETS.load(agent)(), "project", world.where(), now=later)
        apply(world.library, plan)
    assert world.library.manifest().since == {
        RULES[0].id: NOW, RULES[1].id: NOW, RULES[2].id: later, RULES[3].id: later,
    }  # fmt: skip
    world.undo()
    world.undo()
    assert world.library.manifest().since == {RULES[0].id: NOW, RULES[1].id: NOW}
    world.undo()
    assert world.library.manifest().since == {}


def test_a_merged_rule_keeps_the_earlier_time() -> None:
    line = RuleLine(line_no=1, text="- x", rule_id=RuleId("r-b"), prefix="- ", aliases=(RuleId("r-a"),))
    found = since_after({RuleId("r-a"): NOW}, [Rendered(text="- x\n", lines=(line,))], NOW + timedelta(days=1))
    assert found == {RuleId("r-a"): NOW, RuleId("r-b"): NOW}


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{", b'{"version": 1, "drafts": 3}', b'{"version": 1, "other": 1}', b"\xff"]
)
def test_a_damaged_manifest_is_told(tmp_path: Path, content: bytes) -> None:
    library = Library(tmp_path)
    library.folder.mkdir(parents=True)
    library.desk.manifest.write_bytes(content)
    with pytest.raises(StoreError, match=r"manifest\.json") as error:
        library.put_drafts([])
    assert error.value.hint
    assert library.desk.manifest.read_bytes() == content


def test_a_newer_manifest_is_refused_with_advice() -> None:
    with pytest.raises(StoreError, match="version 99") as error:
        load(b'{"version": 99}', "manifest.json")
    assert "update" in error.value.hint


def test_the_golden_manifest_of_version_1_is_read_and_written_alike() -> None:
    content = (GOLDEN / "manifest-v1.json").read_bytes()
    manifest = load(content, "golden")
    assert MANIFEST_VERSION == 1
    assert dump(manifest).encode() == content
    assert [copy.kind for copy in manifest.copies] == ["skill", "block"]
    assert [len(step.changes) for step in manifest.steps] == [2, 1]
    assert manifest.steps[1].changes[0].copy_before is not None


def test_the_golden_manifest_holds_every_field() -> None:
    raw = json.loads((GOLDEN / "manifest-v1.json").read_text(encoding="utf-8"))
    assert set(raw) == set(Manifest.model_fields)
    for name, field in (("copies", "Copy"), ("steps", "Step"), ("drafts", "DraftEntry")):
        from ingrained.store import manifest

        assert set(raw[name][0]) == set(getattr(manifest, field).model_fields)


def test_a_blob_that_was_changed_is_noticed(world: World) -> None:
    world.draft()
    world.install()
    blob = next(iter(world.library.blobs.names()))
    (world.library.blobs.folder / blob.removeprefix("b2:")).write_bytes(b"x")
    assert not world.library.blobs.sound(blob)
    with pytest.raises(StoreError, match="damaged"):
        world.library.blobs.get(blob)
    assert world.library.blobs.put(b"y")[1]


def test_only_needed_blobs_stay(world: World) -> None:
    for rules in (RULES, [*RULES, GO_STYLE], RULES[:1]):
        world.draft(rules)
        assert world.library.blobs.names() == world.library.manifest().blobs()
        world.install("codex")
        assert world.library.blobs.names() == world.library.manifest().blobs()
    world.undo(everything=True)
    assert world.library.blobs.names() == world.library.manifest().blobs()

"""Whatever files a person has: an install followed by its undo is nothing, and no line of theirs is ever lost."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingrained.errors import RefusedError, SkillFormatError
from ingrained.skill.document import parse
from ingrained.skill.lines import line_key, rule_line
from ingrained.skill.rule import Rule
from install_world import GO_STYLE, RULES, World, make_world, tree, without_sync


@pytest.fixture(autouse=True, scope="module")
def fast() -> Iterator[None]:
    with without_sync():
        yield


NAME = "ingrained-shop-front"
AGENTS = ("claude-code", "codex", "agents-md")
ALL = (
    *RULES,
    GO_STYLE,
    GO_STYLE.model_copy(update={"id": "r-00000006", "text": "Squash before you merge", "kind": "commit"}),
)

line_ends = st.sampled_from(["\n", "\r\n"])
words = st.text(st.sampled_from("ab é-#*`<>! \t"), max_size=12)
marks = st.sampled_from(["", "\ufeff"])
bodies = st.builds(
    lambda mark, end, lines, last: (mark + end.join(lines) + (end if last else "")).encode(),
    marks, line_ends, st.lists(words | st.just("<!-- BEGIN other tool -->"), max_size=6), st.booleans(),
)  # fmt: skip
modes = st.sampled_from([0o600, 0o640, 0o644, 0o664, 0o755])
places = st.sampled_from(
    ["AGENTS.md", "CLAUDE.md", ".claude/settings.json", ".claude/rules/mine.md", ".claude/skills/mine/SKILL.md",
     f".claude/skills/{NAME}/notes.txt", f".claude/rules/{NAME}.md", f".agents/skills/{NAME}/SKILL.md",
     ".agents/skills/other/SKILL.md", "docs/AGENTS.md", "AGENTS.override.md"]
)  # fmt: skip
trees = st.dictionaries(places, st.tuples(bodies, modes), max_size=5)
links = st.sampled_from(["", ".claude", ".claude/skills", ".claude/rules", ".agents/skills", "AGENTS.md"])
drafts = st.lists(st.sampled_from(ALL), max_size=5, unique_by=lambda rule: rule.id)
steps = st.lists(st.tuples(drafts, st.sampled_from(AGENTS)), min_size=1, max_size=3)


def build(world: World, files: dict[str, tuple[bytes, int]], link: str) -> None:
    """Files of the person in the project, and one folder or file of it as a link to elsewhere in the project."""
    for name, (content, mode) in files.items():
        path = world.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(mode)
    path = world.project / link
    if link and not path.exists():
        target = world.project / "elsewhere" / Path(link).name
        target.parent.mkdir()
        if link == "AGENTS.md":
            target.write_bytes(b"linked\n")
        else:
            target.mkdir()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)


@settings(max_examples=25, deadline=None)
@given(files=trees, link=links, steps=steps, at_once=st.booleans())
def test_install_then_undo_is_nothing(
    files: dict[str, tuple[bytes, int]], link: str, steps: list[tuple[list[Rule], str]], at_once: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = make_world(Path(folder))
        build(world, files, link)
        before = world.tree()
        states = [before]
        for rules, agent in steps:
            world.draft(rules)
            done = world.install(agent)
            if done.files:
                states.append(world.tree())
            again = world.tree(), tree(world.library.home)
            world.install(agent)
            assert (world.tree(), tree(world.library.home)) == again
            for name, entry in before.items():
                if entry[0] != "file" or not name.endswith("AGENTS.md"):
                    assert world.tree()[name] == entry
        for state in reversed(states[:-1]):
            if at_once:
                continue
            world.undo()
            assert world.tree() == state
        if at_once and len(states) > 1:
            world.undo(everything=True)
        assert world.tree() == before
        manifest = world.library.manifest()
        assert (manifest.copies, manifest.steps) == ((), ())


edits = st.lists(
    st.tuples(st.sampled_from(["insert", "delete", "reword"]), st.integers(0, 40), st.text("xyz ", min_size=1, max_size=20)),
    min_size=1,
    max_size=4,
)  # fmt: skip


def edit_by_hand(path: Path, edits: list[tuple[str, int, str]]) -> Counter[str]:
    """Edits a file as a person would, never a marker line; the keys of the lines that are theirs now."""
    lines = path.read_bytes().decode().split("\n")
    theirs: Counter[str] = Counter()
    first = next((at for at, line in enumerate(lines) if line.startswith("# ")), 1)
    for kind, at, text in edits:
        at = min(first + at % max(1, len(lines) - first), len(lines) - 1)
        if at < 0 or lines[at].startswith("<!-- ingrained") or not text.strip():
            continue
        line = f"- by hand {text.strip()}"
        if kind == "insert":
            lines.insert(at, line)
            theirs[line_key(line)] += 1
        elif line_key(lines[at]) in theirs:
            continue
        elif kind == "delete":
            del lines[at]
        elif lines[at].startswith("- "):
            lines[at] += f" {text.strip()}"
            theirs[line_key(lines[at])] += 1
    path.write_bytes("\n".join(lines).encode())
    return theirs


def has(path: Path, theirs: Counter[str]) -> bool:
    found = Counter(line_key(line) for line in path.read_bytes().decode().split("\n"))
    return not theirs - found


@settings(max_examples=25, deadline=None)
@given(
    agent=st.sampled_from(["claude-code", "codex"]),
    one=drafts.filter(bool),
    two=drafts,
    edits=edits,
    which=st.integers(0, 5),
    everything=st.booleans(),
)
def test_no_line_of_the_persons_is_lost(
    agent: str, one: list[Rule], two: list[Rule], edits: list[tuple[str, int, str]], which: int, everything: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = make_world(Path(folder))
        (world.project / "AGENTS.md").write_bytes(b"# Mine\n\nfirst line\n")
        world.draft(one)
        done = world.install(agent)
        path = done.files[which % len(done.files)].path
        theirs = edit_by_hand(path, edits)
        edited = path.read_bytes()
        world.draft(two)
        world.install(agent)
        assert not theirs or has(path, theirs)
        before = world.tree()
        try:
            world.undo(everything=everything)
        except RefusedError:
            assert world.tree() == before
            world.undo(everything=everything, keep_edits=True)
        assert not theirs or has(path, theirs)
        if not everything and not theirs and path.exists():
            assert set(path.read_bytes().split(b"\n")) <= set(edited.split(b"\n"))


def reads(skill: Path) -> bool:
    """Whether the file is a skill: an edit of its frontmatter may have broken it before we came."""
    try:
        return bool(parse(skill.read_bytes(), where=str(skill)))
    except SkillFormatError:
        return False


@settings(max_examples=25, deadline=None)
@given(
    rounds=st.lists(st.tuples(drafts.filter(bool), st.sampled_from(AGENTS)), min_size=1, max_size=3),
    edits=st.lists(edits, min_size=6, max_size=6),
)
def test_taking_all_out_leaves_the_persons_lines_and_none_of_our_rules(
    rounds: list[tuple[list[Rule], str]], edits: list[list[tuple[str, int, str]]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = make_world(Path(folder))
        (world.project / "AGENTS.md").write_bytes(b"# Mine\n\nfirst line\n")
        paths: dict[Path, Counter[str]] = {}
        for rules, agent in rounds:
            world.draft(rules)
            with suppress(SkillFormatError, RefusedError):  # refused, as where an edit broke a frontmatter
                world.install(agent)
            for path, change in zip(sorted(world.project.rglob("*.md")), edits, strict=False):
                theirs = edit_by_hand(path, change)
                found = Counter(line_key(line) for line in path.read_bytes().decode().split("\n"))
                paths[path] = (paths.get(path, Counter()) & found) | theirs
        sound = {path for path in world.project.rglob("SKILL.md") if reads(path)}
        world.undo(everything=True, keep_edits=True)
        assert all(reads(path) for path in sound if path.exists())
        for path, theirs in paths.items():
            assert not theirs or has(path, theirs)
        ours = {line_key(rule_line(rule)[1]) for rules, _ in rounds for rule in rules}
        for path in world.project.rglob("*.md"):
            assert not ours & {line_key(line) for line in path.read_bytes().decode().split("\n")}

"""Kills, full disks and refused permissions in the middle of an install, an undo, and a new draft."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ingrained.errors import RefusedError, StoreError
from ingrained.install.apply import apply
from ingrained.install.undo import plan_undo
from ingrained.store import faults
from ingrained.store.transaction import Journal
from install_world import GO_STYLE, NOW, RULES, World, make_world, tree

TESTS = Path(__file__).parents[2]
SERVER = """
import json, os, sys
from pathlib import Path
from install_world import GO_STYLE, RULES, World
os.fsync = lambda _: None
from ingrained.errors import RefusedError
from ingrained.install.apply import finish
for line in sys.stdin:
    root, what, fault = json.loads(line)
    child = os.fork()
    if child == 0:
        os.environ["INGRAINED_FAULT"] = fault
        world = World(root=Path(root))
        try:
            if what == "draft":
                world.draft([*RULES, GO_STYLE])
            elif what == "undo":
                finish(world.library)
                if world.library.manifest().steps:
                    world.undo(everything=True)
            else:
                world.install("agents-md")
        except RefusedError as error:
            print(error.message, file=sys.stderr, flush=True)
            os._exit(1)
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(2)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Runs each step in a process of its own that can be killed, without importing everything again."""

Runner = Callable[[World, str, str], int]


@pytest.fixture(scope="module")
def run() -> Iterator[Runner]:
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path]), "PYTHONDONTWRITEBYTECODE": "1"}
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER], env=env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with server:
        assert server.stdin is not None
        assert server.stdout is not None

        def step(world: World, what: str, fault: str = "") -> int:
            assert server.stdin is not None
            assert server.stdout is not None
            server.stdin.write(json.dumps([str(world.root), what, fault]) + "\n")
            server.stdin.flush()
            return int(server.stdout.readline())

        yield step
        server.stdin.close()


def prepare(root: Path, what: str) -> World:
    """A world just before the step that is disturbed."""
    world = make_world(root)
    (world.project / ".claude").mkdir()
    (world.project / "AGENTS.md").write_bytes(b"# Mine\r\n\r\nx")
    world.draft()
    if what == "undo":
        world.install("agents-md")
        world.draft([*RULES, GO_STYLE])
        world.install("agents-md")
    elif what == "install":
        world.install("codex")
        world.draft([*RULES, GO_STYLE])
    return world


def state(world: World) -> dict[str, tuple[str, int, bytes]]:
    """Everything below the world's root, with its path cut out of the texts.

    A dead process's lock may stay until the next one needs it.
    """
    root = str(world.root).encode()
    found = tree(world.root)
    return {
        re.sub(r"blobs/.*", "blobs/x", name): (kind, mode, b"" if "blobs/" in name else content.replace(root, b"ROOT"))
        for name, (kind, mode, content) in found.items()
        if name not in {"ingrained/lock", "ingrained/lock.guard"}
    }


POINTS = [
    "bytes-kept", "journal-written", "folder-made", "before-temporary", "before-temporary:2", "staged", "before-file",
    "after-file", "after-file:2", "before-manifest", "manifest-written", "folders-dropped", "ended",
]  # fmt: skip


@pytest.mark.parametrize("what", ["install", "undo", "draft"])
@pytest.mark.parametrize("point", POINTS)
def test_after_a_kill_the_next_run_ends_where_an_undisturbed_one_does(
    tmp_path: Path, run: Runner, what: str, point: str
) -> None:
    quiet, killed = prepare(tmp_path / "quiet", what), prepare(tmp_path / "killed", what)
    before = killed.tree()
    assert run(quiet, what, "") == 0
    first = run(killed, what, f"{what}.{point}")
    # not every step passes every point as often: an undo makes no folder, a draft writes fewer files
    assert first == faults.KILLED or (first == 0 and point in {"folder-made", "before-temporary:2", "after-file:2"})
    for name, entry in killed.tree().items():
        if not name.endswith(".ingrained-tmp"):
            assert entry in (before.get(name), quiet.tree().get(name)), f"{name} is neither old nor new"
    assert run(killed, what, "") == 0
    assert state(killed) == state(quiet)
    assert killed.library.blobs.names() == quiet.library.blobs.names()


def test_every_registered_point_of_a_transaction_is_tried() -> None:
    known = {point.partition(":")[0] for point in POINTS}
    for area in ("install", "undo", "draft"):
        assert {name.partition(".")[2] for name in faults.points(area)} == known


def at(world: World, what: str) -> None:
    if what == "draft":
        world.draft([*RULES, GO_STYLE])
    elif what == "undo":
        world.undo(everything=True)
    else:
        world.install("agents-md")


def attempt(world: World, what: str) -> StoreError | None:
    try:
        at(world, what)
    except StoreError as error:
        return error
    return None


@pytest.mark.parametrize("what", ["install", "undo", "draft"])
@pytest.mark.parametrize(
    "point", ["bytes-kept", "journal-written", "folder-made", "before-temporary", "before-temporary:2", "staged",
              "before-file", "before-file:2", "after-file", "after-file:2", "before-manifest"],
)  # fmt: skip
def test_a_full_disk_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, point: str) -> None:
    world = prepare(tmp_path, what)
    before = tree(world.root)
    monkeypatch.setattr(faults, "_passes", {})
    monkeypatch.setenv("INGRAINED_FAULT", f"enospc:{what}.{point}")
    failed = attempt(world, what)
    if failed is None:
        assert point in {"folder-made", "before-temporary:2", "before-file:2", "after-file:2"}, (
            "it is not passed so often"
        )
        return
    assert "nothing was changed" in failed.message
    assert "disk space" in failed.hint
    assert tree(world.root) == before
    monkeypatch.delenv("INGRAINED_FAULT")
    at(world, what)
    assert world.library.recover() is None


@pytest.mark.parametrize("number", range(1, 8))
@pytest.mark.parametrize("step", ["temporary", "written", "synced"])
def test_a_full_disk_at_each_write_of_the_store_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, number: int
) -> None:
    world = prepare(tmp_path, "install")
    before = tree(world.root)
    monkeypatch.setattr(faults, "_passes", {})
    monkeypatch.setenv("INGRAINED_FAULT", f"enospc:files.{step}:{number}")
    failed = attempt(world, "install")
    if failed is None:
        assert number > 4, "an install writes at least some blobs and a journal"
        return
    assert "nothing was changed" in failed.message
    assert tree(world.root) == before


def test_a_disk_that_stays_full_leaves_a_journal_and_the_next_run_finishes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = prepare(tmp_path, "undo")
    real = world.library.blobs.folder
    from ingrained.store import transaction

    writes = transaction.write_atomic
    monkeypatch.setattr(faults, "_passes", {})
    monkeypatch.setenv("INGRAINED_FAULT", "enospc:undo.before-manifest")

    def full(path: Path, data: bytes, *, mode: int | None = None) -> None:
        if not path.is_relative_to(world.library.home):
            raise OSError(28, "No space left on device", str(path))
        writes(path, data, mode=mode)

    monkeypatch.setattr(transaction, "write_atomic", full)
    with pytest.raises(StoreError, match="the way back failed too"):
        world.undo(everything=True)
    monkeypatch.undo()
    assert real.is_dir()
    world.library.recover()
    assert (world.project / "AGENTS.md").read_bytes() == b"# Mine\r\n\r\nx"
    assert world.library.manifest().steps == ()
    assert not any(name.endswith(".ingrained-tmp") for name in tree(world.root))


def test_what_was_written_is_synced_with_its_folder(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("needs /proc to tell what a descriptor is")
    world.draft()
    (world.project / "AGENTS.md").write_bytes(b"mine")
    synced: list[Path] = []
    monkeypatch.setattr(os, "fsync", lambda fd: synced.append(Path(f"/proc/self/fd/{fd}").readlink()))
    done = world.install("codex")
    names = [path.name for path in synced]
    for file in done.files:
        assert f".{file.path.name}.ingrained-tmp" in names
        assert file.path.parent in synced
    assert ".manifest.json.ingrained-tmp" in names
    assert world.library.folder in synced


def test_a_file_changed_after_the_diff_was_shown_is_not_written(world: World) -> None:
    (world.project / "AGENTS.md").write_bytes(b"mine")
    world.draft()
    plan = world.plan("codex")
    (world.project / "AGENTS.md").write_bytes(b"mine, newer")
    before = tree(world.root)
    with pytest.raises(RefusedError, match="changed by someone else"):
        apply(world.library, plan)
    assert tree(world.root) == before


@pytest.mark.parametrize("link", ["AGENTS.md", ".agents"])
def test_a_link_put_in_the_way_after_the_diff_is_not_followed(world: World, link: str) -> None:
    (world.project / "AGENTS.md").write_bytes(b"mine")
    (world.project / ".agents").mkdir()
    world.draft()
    plan = world.plan("codex")
    outside = world.root / "outside"
    (world.project / link).rename(outside)
    (world.project / link).symlink_to(outside)
    before = tree(world.root)
    with pytest.raises(RefusedError, match="symbolic link"):
        apply(world.library, plan)
    assert tree(world.root) == before


@pytest.mark.parametrize("link", ["AGENTS.md", ".claude"])
def test_a_link_put_in_the_way_after_a_kill_is_not_followed(tmp_path: Path, run: Runner, link: str) -> None:
    world = prepare(tmp_path, "install")
    assert run(world, "install", "install.staged") == faults.KILLED
    outside = tmp_path / "outside"
    (world.project / link).rename(outside)
    (world.project / link).symlink_to(outside)
    before = tree(outside) if outside.is_dir() else outside.read_bytes()
    recovered = world.library.recover()
    assert recovered is not None
    assert recovered.left
    assert (tree(outside) if outside.is_dir() else outside.read_bytes()) == before


TWO = """
import sys
from pathlib import Path
from install_world import GO_STYLE, RULES, World
from ingrained.errors import RefusedError
from ingrained.store.files import HomeLock
world, agent = World(root=Path(sys.argv[1])), sys.argv[2]
for number in range(4):
    with HomeLock(world.library.home, what="learn"):
        world.draft([*RULES, GO_STYLE][: 3 + number % 3])
    for attempt in range(50):
        try:
            world.install(agent)
            break
        except RefusedError as error:
            if "library changed" not in error.message and "waits" not in error.message:
                raise
    else:
        raise SystemExit("never got through")
"""


def test_two_processes_that_install_at_once_lose_nothing(world: World) -> None:
    (world.project / "AGENTS.md").write_bytes(b"mine")
    world.draft()
    before = world.tree()
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])}
    both = [
        subprocess.Popen(
            [sys.executable, "-c", TWO, str(world.root), agent], env=env, stderr=subprocess.PIPE, text=True
        )
        for agent in ("claude-code", "codex")
    ]
    for process in both:
        _, told = process.communicate(timeout=120)
        assert process.returncode == 0, told
    manifest = world.library.manifest()
    assert {copy.agent for copy in manifest.copies} == {"claude-code", "codex"}
    assert all(world.library.blobs.sound(name) for name in manifest.blobs())
    world.undo(everything=True)
    assert world.tree() == before


def test_a_plan_from_before_another_install_is_refused(world: World) -> None:
    world.draft()
    plan = world.plan()
    world.install("codex")
    before = tree(world.root)
    with pytest.raises(RefusedError, match="the library changed"):
        apply(world.library, plan)
    assert tree(world.root) == before


def test_a_file_that_others_changed_after_a_kill_is_left_alone(tmp_path: Path, run: Runner) -> None:
    world = prepare(tmp_path, "install")
    assert run(world, "install", "install.before-file") == faults.KILLED
    (world.project / "AGENTS.md").write_bytes(b"all new")
    recovered = world.library.recover()
    assert recovered is not None
    assert recovered.left == (world.project / "AGENTS.md",)
    assert (world.project / "AGENTS.md").read_bytes() == b"all new"
    assert world.library.recover() is None


def test_an_interrupt_rolls_back(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from ingrained.store import transaction

    world.draft()
    before = tree(world.root)

    def interrupted(name: str) -> None:
        if name == "install.after-file":
            raise KeyboardInterrupt

    monkeypatch.setattr(transaction, "point", interrupted)
    with pytest.raises(KeyboardInterrupt):
        world.install()
    assert tree(world.root) == before


@pytest.mark.parametrize(
    "content", [b"{", b'{"version": 9, "what": "x", "steps": [], "make": [], "drop": [], "manifest": ""}']
)
def test_a_journal_that_cannot_be_read_stops_every_writer(world: World, content: bytes) -> None:
    world.draft()
    world.library.desk.journal.write_bytes(content)
    for step in (world.draft, world.install):
        with pytest.raises(StoreError, match=r"journal\.json"):
            step()
    assert world.library.desk.journal.read_bytes() == content


def test_no_permission_is_told_and_nothing_is_written(world: World) -> None:
    """As another user, since the superuser may write anywhere."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("needs the superuser to become another user")
    world.draft()
    for path in (world.root, *world.root.parents):
        path.chmod(path.stat().st_mode | 0o055)
    for base, folders, files in os.walk(world.library.home):
        for name in (".", *folders, *files):
            os.chown(Path(base) / name, 65534, 65534)
    before = world.tree()
    child = os.fork()
    if child == 0:
        try:
            os.setgid(65534)
            os.setuid(65534)
            world.install()
        except RefusedError as error:
            os._exit(7 if "read-only" in error.message else 8)
        except BaseException:  # noqa: BLE001 a forked test must not go on as pytest
            os._exit(9)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert world.tree() == before


def test_the_journal_holds_no_text_of_the_person(tmp_path: Path, run: Runner) -> None:
    world = prepare(tmp_path, "install")
    (world.project / "AGENTS.md").write_bytes(b"a private line\n")
    assert run(world, "install", "install.journal-written") == faults.KILLED
    journal = world.library.desk.journal.read_bytes()
    assert b"a private line" not in journal
    assert Journal.model_validate_json(journal).what == "install"
    plan_undo_is_possible = world.library.recover()
    assert plan_undo_is_possible is not None
    assert plan_undo(world.library, now=NOW).files

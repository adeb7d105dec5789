"""Runs in a process of its own: what tests do to a ledger that must not happen to the tests themselves.

`kill AREA... FOLDER`: for every fault point of the areas, a child of this process works on `FOLDER/<point>` until the
point ends it; prints the exit status of each as JSON. `write NAME COUNT HOME` and `watch HOME SECONDS` are processes
that use one ledger at the same time. `denied HOME` works as somebody who may not write.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from ingrained.errors import StoreError
from ingrained.feedback.decompose import Atom
from ingrained.ids import PersonId, atom_key
from ingrained.skill.rule import Decision
from ingrained.store import faults
from ingrained.store.database import Database
from ingrained.store.forget import forget
from ingrained.store.ledger import Ledger
from ingrained.store.migrations import MIGRATIONS, Migration
from ledger_world import ME, START, facts, read, turn

SECRET = "Wombat-4711-quince"
LATER = (
    *MIGRATIONS,
    Migration(name="later", apply=lambda connection: connection.execute("ALTER TABLE ignores ADD COLUMN why TEXT")),
    Migration(name="latest", apply=lambda connection: connection.execute("CREATE TABLE latest (x TEXT)")),
)
SAID = turn(f"never say {SECRET} again", key="secret", session="s1", line=1)
KEPT = turn("use pnpm", key="kept", session="s2", line=2)
FORK = turn("do not push", key="fork", session="s3", line=2, minute=5)


def decision(word: str) -> Decision:
    return Decision(action="pin", atoms=(atom_key(SAID.key, 0),), time=START, text=f"{word} {SECRET}")


def atoms(ledger: Ledger) -> None:
    for one in ledger.unjudged("d", "1"):
        found = Atom(
            message=one.key, start=0, quote=one.text, text=one.text, kind="other", polarity="do",
            transferable=True, confidence=1.0,
        )  # fmt: skip
        ledger.add_atoms("d", "1", {one.key: [found]})


def base(home: Path) -> None:
    """A ledger with something in it."""
    with Ledger.open(home) as ledger:
        ledger.add(ME, read("/l/1", [SAID, KEPT]))
        atoms(ledger)
        ledger.decide(decision("first"))


def work(home: Path) -> None:
    """Everything that writes, in one go; done again it changes nothing."""
    with Ledger.open(home) as ledger:
        ledger.add(ME, read("/l/1", [SAID, KEPT]))
        ledger.add(ME, read("/l/2", [FORK], [facts("s3", minute=5, forked_from="s1")]))
        atoms(ledger)
        ledger.decide(decision("second"))
        forget(ledger, sessions=["s1"])


def move_on(home: Path) -> None:
    """Today's ledger under a program with two more migrations."""
    Database.open(home, migrations=LATER).connection.close()


AREAS: dict[str, Callable[[Path], None]] = {"ledger": work, "forget": work, "migrate": move_on}


def kill(areas: list[str], folder: Path) -> None:
    statuses: dict[str, int] = {}
    for name in faults.points(*areas):
        child = os.fork()
        if child == 0:
            os.environ[faults.VARIABLE] = name
            AREAS[name.partition(".")[0]](folder / name)
            os._exit(0)
        statuses[name] = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(json.dumps(statuses))


def write(name: str, count: int, home: Path) -> None:
    """Add `count` logs of one person, a shared one after each, and decide after every tenth."""
    me = PersonId(name)
    with Ledger.open(home) as ledger:
        for n in range(count):
            ledger.add(me, read(f"/{name}/{n}", [turn(f"say {n}", key=f"{name}-{n}", session=f"{name}{n}")]))
            ledger.add(me, read("/shared", [turn("yes", key="shared", session="shared")]))
            atoms(ledger)
            if n % 10 == 0:
                ledger.decide(Decision(action="accept", atoms=(atom_key(KEPT.key, n),), time=START, source=name))


def watch(home: Path, seconds: float) -> None:
    """Read all the time; what is told must never shrink."""
    end = time.monotonic() + seconds
    last = rounds = 0
    while time.monotonic() < end:
        with Ledger.open(home, read_only=True) as ledger:
            now = len(ledger.messages())
            assert now >= last, (now, last)
            last, rounds = now, rounds + 1
    print(rounds)


def denied(home: Path) -> None:
    """Open for writing, then for reading, in a folder that is not ours to write."""
    if os.geteuid() == 0:
        os.setgid(65534)
        os.setuid(65534)
    try:
        Ledger.open(home)
    except StoreError as error:
        told = {"message": error.message, "hint": error.hint}
    with Ledger.open(home, read_only=True) as ledger:
        print(json.dumps(told | {"read": len(ledger.messages())}))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["kill", *names, where]:
            kill(names, Path(where))
        case ["write", who, many, where]:
            write(who, int(many), Path(where))
        case ["watch", where, long]:
            watch(Path(where), float(long))
        case ["denied", where]:
            denied(Path(where))
        case other:
            raise SystemExit(f"no such task: {other}")

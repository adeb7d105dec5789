"""Invented persons who talk to an agent over weeks, and the truth about what they said.

Each has lasting rules (each said two to five times, in other words each time), rules that a later turn overturns, rules
that end, remarks on one task alone, and everyday turns (tasks, questions, approvals, pasted logs). All words come from
`planted.toml`; a seed deals them out, and the same seed gives the same bytes. The logs are Claude Code's; `truth.json`
beside them says of each typed turn what was planted in it.

    python benchmarks/planted.py FOLDER [--people 24] [--seed 1]
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tomllib
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any, Literal

Kind = Literal["rule", "change", "end", "one-off", "everyday"]
BANK = Path(__file__).with_suffix(".toml")
START = datetime(2026, 3, 2, 8, 30, tzinfo=UTC)
TRUTH_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """One thing to be said in one session."""

    session: int
    kind: Kind
    words: str
    rule: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedTurn:
    """One typed turn as it stands in the log."""

    session: str
    record: str
    kind: Kind
    rule: str
    """Id of the planted rule; empty for a one-off and for everyday turns."""
    planted: str
    """The part of `text` that was planted; all of it for everyday turns."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedRule:
    """A rule of one person. `since` and `until` are positions in the person's list of sessions."""

    id: str
    text: str
    wordings: tuple[str, ...]
    """All that the bank has for it, said by this person or not."""
    since: int
    until: int | None = None
    """From this session on it holds no more."""
    replaced_by: str = ""

    @property
    def holds(self) -> bool:
        """Whether it holds at the end."""
        return self.until is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """The truth about one person."""

    name: str
    work: str
    sessions: tuple[str, ...]
    """Log files, relative to the root folder, earliest first."""
    rules: tuple[PlantedRule, ...]
    turns: tuple[PlantedTurn, ...]


@dataclass(slots=True)
class Voice:
    """How a person types."""

    lower: bool
    bare: bool
    """No full stop at the end."""
    flat: bool
    """No apostrophes."""
    typos: float
    random: random.Random

    def say(self, words: str) -> str:
        if self.lower and words[:2] != "I " and not words[:2].isupper():
            words = words[0].lower() + words[1:]
        if self.bare:
            words = words.removesuffix(".")
        if self.flat:
            words = words.replace("n't", "nt").replace("'s ", "s ")
        return re.sub(r"[a-z]{6,}", self._slip, words)

    def _slip(self, found: re.Match[str]) -> str:
        word = found[0]
        if self.random.random() >= self.typos:
            return word
        at = self.random.randrange(1, len(word) - 2)
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


@dataclass(slots=True)
class Log:
    """The rows of one Claude Code session, each the child of the one before."""

    session: str
    cwd: str
    time: datetime
    random: random.Random
    rows: list[dict[str, Any]] = field(default_factory=list)

    def row(self, kind: str, message: dict[str, Any], seconds: int, **more: object) -> str:
        self.time += timedelta(seconds=seconds)
        record = new_id(self.random)
        self.rows.append(
            {
                "parentUuid": self.rows[-1]["uuid"] if self.rows else None,
                "isSidechain": False,
                "userType": "external",
                "entrypoint": "cli",
                "cwd": self.cwd,
                "sessionId": self.session,
                "version": "2.1.40",
                "gitBranch": "main",
                "type": kind,
                "message": message,
                **more,
                "uuid": record,
                "timestamp": self.time.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
            }
        )
        return record

    def typed(self, text: str) -> str:
        seconds = self.random.randrange(20, 400)
        return self.row("user", {"role": "user", "content": text}, seconds, todos=[], permissionMode="default")

    def agent(self, *blocks: dict[str, Any]) -> None:
        message = {"model": "claude-opus-4-6", "id": f"msg_{new_id(self.random)}", "type": "message"}
        self.row("assistant", {**message, "role": "assistant", "content": list(blocks)}, self.random.randrange(3, 60))

    def acts(self, work: str, bank: dict[str, Any]) -> None:
        """A tool call, what the tool printed, and a closing sentence."""
        call, pick = f"toolu_{new_id(self.random)}", self.random.choice
        given = {"command": "make check"} if work == "code" else {"file_path": f"{self.cwd}/drafts/text.md"}
        name = "Bash" if work == "code" else "Read"
        self.agent({"type": "tool_use", "id": call, "name": name, "input": given})
        printed = pick(bank["agent"][f"printed_{work}"])
        result = {"tool_use_id": call, "type": "tool_result", "content": printed}
        self.row("user", {"role": "user", "content": [result]}, 2, toolUseResult={"stdout": printed, "stderr": ""})
        self.agent({"type": "text", "text": pick(bank["agent"][work])})


def new_id(random: random.Random) -> str:
    return str(uuid.UUID(int=random.getrandbits(128), version=4))


def bank() -> dict[str, Any]:
    return tomllib.loads(BANK.read_text(encoding="utf-8"))


def plan(work: str, sessions: int, words: dict[str, Any], rng: random.Random) -> tuple[list[PlantedRule], list[Saying]]:
    """What one person will say, and when: four to eight rules at the end, one or two of them overturning another."""
    rows = {row["id"]: row for row in words["rule"] if row["work"] in {work, "any"}}
    rules: list[PlantedRule] = []
    said: list[Saying] = []
    changes = rng.sample([id for id, row in rows.items() if "replaces" in row], rng.randint(1, 2))
    used = {id for new in changes for id in (new, rows[new]["replaces"])}
    for new in changes:
        _overturn(rows[rows[new]["replaces"]], rows[new], sessions, rng, rules, said)
    if rng.random() < 0.6:
        ended = rng.choice([id for id, row in rows.items() if "end" in row and id not in used])
        used.add(ended)
        _ending(rows[ended], sessions, rng, rules, said)
    free = [id for id, row in rows.items() if id not in used and "replaces" not in row]
    for id in rng.sample(free, rng.randint(4, 8) - len(changes)):
        times = rng.randint(2, min(5, sessions // 2, len(rows[id]["said"])))
        at = sorted(rng.sample(range(sessions), times))
        rules.append(_rule(rows[id], since=at[0]))
        said += _sayings(rows[id], at, rng)
    alone = words["one_off"][work] + words["one_off"]["any"]
    said += [
        Saying(session=rng.randrange(sessions), kind="one-off", words=one)
        for one in rng.sample(alone, rng.randint(4, 9))
    ]
    return rules, said


def _rule(row: dict[str, Any], **when: Any) -> PlantedRule:
    wordings = (row["text"], *row["said"], *row.get("change", ()))
    return PlantedRule(id=row["id"], text=row["text"], wordings=wordings, **when)


def _sayings(row: dict[str, Any], at: Sequence[int], rng: random.Random) -> list[Saying]:
    wordings = rng.sample(row["said"], len(at))
    return [
        Saying(session=session, kind="rule", words=one, rule=row["id"])
        for session, one in zip(at, wordings, strict=True)
    ]


def _overturn(
    old: dict[str, Any],
    new: dict[str, Any],
    sessions: int,
    rng: random.Random,
    rules: list[PlantedRule],
    said: list[Saying],
) -> None:
    turn = rng.randint(sessions * 4 // 10, sessions * 7 // 10)
    before = sorted(rng.sample(range(turn), rng.randint(2, min(3, turn))))
    after = sorted(rng.sample(range(turn + 1, sessions), rng.randint(1, min(3, sessions - turn - 1))))
    rules.append(_rule(old, since=before[0], until=turn, replaced_by=new["id"]))
    rules.append(_rule(new, since=turn))
    said += _sayings(old, before, rng) + _sayings(new, after, rng)
    said.append(Saying(session=turn, kind="change", words=rng.choice(new["change"]), rule=new["id"]))


def _ending(
    row: dict[str, Any], sessions: int, rng: random.Random, rules: list[PlantedRule], said: list[Saying]
) -> None:
    end = rng.randint(sessions // 2, sessions * 8 // 10)
    before = sorted(rng.sample(range(end), rng.randint(2, min(3, end))))
    rules.append(_rule(row, since=before[0], until=end))
    said += _sayings(row, before, rng)
    said.append(Saying(session=end, kind="end", words=rng.choice(row["end"]), rule=row["id"]))


def tasks(work: str, words: dict[str, Any], rng: random.Random) -> Iterator[str]:
    """Requests and questions, none twice: nobody orders the same page in two sessions."""
    pairs = list(product(words["task"][work], words["about"][work]))
    rng.shuffle(pairs)
    return (form.format(thing) for form, thing in pairs)


def everyday(sessions: int, asked: Iterator[str], words: dict[str, Any], rng: random.Random) -> list[Saying]:
    """Three to eight turns a session with nothing in them, the first a task; now and then a paste, each once."""
    said: list[Saying] = []
    pastes = rng.sample(words["everyday"]["pasted"], len(words["everyday"]["pasted"]))
    for session in range(sessions):
        for number in range(rng.randint(3, 8)):
            draw = rng.random()
            if number == 0 or draw < 0.4:
                text = next(asked)
            elif draw < 0.9 or not pastes:
                text = rng.choice(words["everyday"]["any"])
            else:
                text = f"{rng.choice(words['everyday']['pasted_with'])}\n\n{pastes.pop()}"
            said.append(Saying(session=session, kind="everyday", words=text))
    return said


def write_person(root: Path, number: int, seed: int) -> Person:
    """Write the sessions of one person; nothing but seed and number decides what they say."""
    rng = random.Random(f"{seed}/{number}")
    words, name = bank(), f"p{number:02}"
    work = "writing" if number % 5 in {2, 4} else "code"
    count = rng.randint(8, 20)
    rules, said = plan(work, count, words, rng)
    asked = tasks(work, words, rng)
    said = everyday(count, asked, words, rng) + said
    voice = Voice(
        lower=rng.random() < 0.5,
        bare=rng.random() < 0.4,
        flat=rng.random() < 0.2,
        typos=rng.choice((0, 0, 0.01, 0.04)),
        random=rng,
    )
    folder = f"{name}/projects/-home-{name}-{work}-{'shop' if work == 'code' else 'magazine'}"
    cwd = f"/home/{name}/{work}/{'shop' if work == 'code' else 'magazine'}"
    time = START + timedelta(days=rng.randrange(5))
    files: list[str] = []
    turns: list[PlantedTurn] = []
    for session in range(count):
        log = Log(session=new_id(rng), cwd=cwd, time=time, random=rng)
        today = [one for one in said if one.session == session]
        turns += _write_session(log, today, work, words, voice, asked)
        path = root / folder / f"{log.session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = (json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in log.rows)
        path.write_bytes("".join(lines).encode())
        files.append(f"{folder}/{path.name}")
        time += timedelta(days=rng.choice((1, 1, 2, 3, 4)), minutes=rng.randrange(-90, 90))
    return Person(name=name, work=work, sessions=tuple(files), rules=tuple(rules), turns=tuple(turns))


def _write_session(
    log: Log, today: list[Saying], work: str, words: dict[str, Any], voice: Voice, asked: Iterator[str]
) -> list[PlantedTurn]:
    """The first everyday turn opens the session; the others come in any order."""
    rng = log.random
    rest = today[1:]
    rng.shuffle(rest)
    turns: list[PlantedTurn] = []
    for one in [today[0], *rest]:
        planted = one.words if "\n" in one.words else voice.say(one.words)
        text, draw = planted, rng.random()
        if one.kind != "everyday" and draw < 0.2:
            text = f"{voice.say(rng.choice(words['openers']['any']))} {planted}"
        elif one.kind != "everyday" and draw < 0.4:
            text = f"{planted}\n\n{voice.say(next(asked))}"
        record = log.typed(text)
        turns.append(
            PlantedTurn(session=log.session, record=record, kind=one.kind, rule=one.rule, planted=planted, text=text)
        )
        log.acts(work, words)
    return turns


def write_people(root: Path, people: int = 24, seed: int = 1) -> list[Person]:
    """Write all logs and `truth.json` into a folder."""
    found = [write_person(root, number, seed) for number in range(1, people + 1)]
    truth = {"version": TRUTH_VERSION, "seed": seed, "people": [asdict(person) for person in found]}
    (root / "truth.json").write_text(json.dumps(truth, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--people", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    people = write_people(options.folder, options.people, options.seed)
    turns = [turn for person in people for turn in person.turns]
    kinds = {
        kind: sum(turn.kind == kind for turn in turns) for kind in ("rule", "change", "end", "one-off", "everyday")
    }
    sessions = sum(len(person.sessions) for person in people)
    rules = sum(rule.holds for person in people for rule in person.rules)
    print(f"{len(people)} people, {sessions} sessions, {len(turns)} turns {kinds}, {rules} rules that hold at the end")


if __name__ == "__main__":
    main()

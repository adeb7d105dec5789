"""The tools beside ours, on the same labelled turns and the same planted persons, in one run.

    python benchmarks/peers/run.py --labels ../shared/data/sessions/labels.jsonl [--planted 24] [--json]

Each tool lives in a virtual environment of its own, made by pip (the only use of a network), and is spoken to through
the adapter of its name beside this file. Its home is a folder that is thrown away. Ours is run from this checkout, on
planted persons by two commands after each session. Times are wall times of the questions, with all that a tool starts
to answer them; they are given as multiples of ours.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))

from planted import Person, write_people
from protocol import Answer, Peer, PeerError
from score import DRAWS, THRESHOLD, Found, Judged, Matcher, by_evidence, by_text, judged, score_person, summary

from ingrained.bench.feedback import Label, load
from ingrained.errors import IngrainedError
from ingrained.stats import Interval

HERE = Path(__file__).resolve().parent
PEERS = {"gradata": "gradata==0.6.0", "dbnt": "dbnt==0.5.2", "skillopt": "skillopt==0.2.0"}
KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """How one tool is started."""

    name: str
    command: tuple[str, ...]
    path: str = ""
    """PYTHONPATH; a peer gets none."""

    @contextmanager
    def running(self, home: Path) -> Iterator[Peer]:
        home.mkdir(parents=True, exist_ok=True)
        environment = {name: os.environ[name] for name in KEPT if name in os.environ}
        environment |= {"HOME": str(home), "PYTHONUTF8": "1"} | ({"PYTHONPATH": self.path} if self.path else {})
        command = [word.replace("{home}", str(home)) for word in self.command]
        with Peer(command, environment) as peer:
            yield peer


def ours(decomposer: str) -> Tool:
    command = (sys.executable, str(HERE / "ours.py"), "--decomposer", decomposer, "--home", "{home}")
    return Tool(name="ingrained", command=command, path=str(HERE.parents[1] / "src"))


def installed(name: str, requirement: str, root: Path) -> Tool:
    """The tool in its own environment; one that an earlier run finished is used again."""
    folder = root / requirement
    python = folder / "bin" / "python"
    done = folder / "installed"
    if not done.exists():
        print(f"making an environment for {requirement}", file=sys.stderr)
        venv.create(folder, clear=True, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", requirement], check=True, stdout=sys.stderr)
        done.touch()
    # -P: the adapter's folder must not hide the package whose name it has.
    return Tool(name=name, command=(str(python), "-P", str(HERE / f"{name}.py")))


def judge_labels(tools: Sequence[Tool], labels: Path, folder: Path) -> list[Answer]:
    """Each detector of each tool on the labelled turns; the first, ours on the text alone, is what ratios refer to."""
    marked = load(labels)
    root = str(labels.parent.resolve())
    turns = [{"text": one.text, "session": one.session, "turn": one.turn, "root": root} for one in marked]
    rows: list[Answer] = []
    ours_said: Answer = {}
    ours_seconds = 0.0
    for tool in tools:
        with tool.running(folder / f"judge-{tool.name}") as peer:
            about = peer.ask("about")
            for detector, what in about["judges"].items():
                said = peer.ask("judge", **{"as": detector, "turns": turns})
                if not ours_said:
                    ours_said, ours_seconds = said, peer.seconds
                row = {"tool": about["name"], "version": about["version"], "detector": detector, "what": what}
                rows.append(
                    row
                    | {"seconds": round(peer.seconds, 4), "time_ratio": ratio(peer.seconds, ours_seconds)}
                    | {"own_notion_of_transfer": said["transferable"] is not None}
                    | _both(marked, said, ours_said)
                )
    return rows


def _both(marked: Sequence[Label], said: Answer, ours_said: Answer) -> Answer:
    """Both questions; a tool without a notion of transfer gives the same answer to both."""
    row: Answer = {}
    for question in ("feedback", "transferable"):
        mine = said[question] or said["feedback"]
        people: dict[str, list[Judged]] = {}
        for one, answer, our in zip(marked, mine, ours_said[question], strict=True):
            truth = bool(one.atoms) if question == "feedback" else any(atom.transferable for atom in one.atoms)
            people.setdefault(one.person, []).append(Judged(truth=truth, said=answer, ours=our))
        flat = [turn for turns in people.values() for turn in turns]
        counts = {"n": len(flat), "people": len(people), "positives": sum(turn.truth for turn in flat)}
        row[question] = counts | {name: shown(value) for name, value in judged(people).items()}
    return row


def learn_people(tool: Tool, people: Sequence[Person], root: Path, folder: Path) -> tuple[Answer, list, float]:
    """Let a tool see each person's sessions one by one: about it, what it knew after each session, and the seconds."""
    histories: list[list[list[Found]]] = []
    seconds = 0.0
    with tool.running(folder / f"learn-{tool.name}") as peer:
        about = peer.ask("about")
        for person in people:
            history: list[list[Found]] = []
            for name in person.sessions:
                answer = peer.ask("learn", person=person.name, session=str((root / name).resolve()))
                seconds += peer.seconds
                history.append([read_found(one) for one in answer["found"]])
            histories.append(history)
            print(f"{tool.name}: {person.name}, {len(history[-1])} known", file=sys.stderr)
    return about, histories, seconds


def read_found(answer: Answer) -> Found:
    quotes = tuple((session, record, words) for session, record, words in answer["quotes"])
    return Found(text=answer["text"], applied=answer["applied"], quotes=quotes)


def score_planted(tools: Sequence[Tool], count: int, seed: int, folder: Path) -> list[Answer]:
    """Each tool on the planted persons: all that it noted, and what it would apply."""
    people = write_people(folder / "planted", count, seed)
    rows: list[Answer] = []
    our_seconds = 0.0
    for tool in tools:
        about, histories, seconds = learn_people(tool, people, folder / "planted", folder)
        our_seconds = our_seconds or seconds
        evidence = any(found.quotes for history in histories for found in history[-1])
        matchers: dict[str, Matcher] = {"quotes": by_evidence, "text": by_text} if evidence else {"text": by_text}
        for way, matcher in matchers.items():
            for stage in ("applied", "noted"):
                scores = [
                    score_person(person, [chosen(known, stage) for known in history], matcher)
                    for person, history in zip(people, histories, strict=True)
                ]
                rows.append(
                    {"tool": about["name"], "version": about["version"], "how": about["learns"], "matched_by": way}
                    | {"stage": stage, "people": len(people), "sessions": sum(len(one.sessions) for one in people)}
                    | {"rules": sum(score.found for score in scores), "stale": sum(score.stale for score in scores)}
                    | {"seconds": round(seconds, 2), "time_ratio": ratio(seconds, our_seconds)}
                    | {name: shown(one.interval) | {"n": one.n} for name, one in summary(scores).items()}
                )
    return rows


def chosen(known: Sequence[Found], stage: str) -> list[Found]:
    return [found for found in known if found.applied or stage == "noted"]


def ratio(seconds: float, of: float) -> float:
    return round(seconds / of, 5) if of else 0.0


def shown(value: Interval | None) -> Answer:
    return {name: round(end, 4) for name, end in asdict(value).items()} if value else {"value": None}


def ends(value: Answer) -> str:
    if value["value"] is None:
        return "–"
    return f"{value['value']:.2f} [{value['low']:.2f}, {value['high']:.2f}]"


def labels_text(rows: Sequence[Answer]) -> Iterator[str]:
    first = rows[0]["feedback"]
    yield (
        f"{first['n']} labelled turns of {first['people']} people, {first['positives']} with feedback, "
        f"{rows[0]['transferable']['positives']} with something that transfers; "
        "F1 [95 % over people]; × of the first row"
    )
    yield f"{'':44}{'feedback':>20}{'×':>6}{'transferable':>22}{'×':>6}{'time ×':>10}"
    for row in rows:
        name = f"{row['tool']} {row['version']}, {row['detector']}"
        mark = "" if row["own_notion_of_transfer"] else "*"
        feedback, transfer = row["feedback"], row["transferable"]
        yield (
            f"{name:44}{ends(feedback['f1']):>20}{feedback['ratio']['value']:6.2f}"
            f"{ends(transfer['f1']) + mark:>22}{transfer['ratio']['value']:6.2f}{row['time_ratio']:10.4f}"
        )
    yield "* no notion of its own: the same answer as for feedback"


def planted_text(rows: Sequence[Answer]) -> Iterator[str]:
    yield f"{rows[0]['people']} planted people, {rows[0]['sessions']} sessions; share of n [95 % over people]"
    for row in rows:
        yield ""
        yield (
            f"{row['tool']} {row['version']}, {row['stage']}: {row['rules']} rules, {row['stale']} of them outdated; "
            f"matched by {row['matched_by']}; {row['how']}; time × {row['time_ratio']:.3f}"
        )
        for name, value in row.items():
            if isinstance(value, dict):
                yield f"  {name:28}{ends(value):>20}  n {value['n']}"


def measure(options: argparse.Namespace) -> Answer:
    """All that was asked for.

    Raises:
        IngrainedError: the labels cannot be read.
        PeerError: a tool failed.
        CalledProcessError: a tool could not be installed.
    """
    tools = [ours(options.decomposer)]
    tools += [installed(name, PEERS[name], options.environments.resolve()) for name in options.peer or PEERS]
    found: Answer = {"decomposer": options.decomposer, "draws": DRAWS, "text_threshold": THRESHOLD}
    with tempfile.TemporaryDirectory(prefix="ingrained-peers-run-") as name:
        folder = Path(name)
        if options.labels:
            found["labels"] = judge_labels(tools, options.labels, folder)
        if options.planted:
            found["seed"] = options.seed
            found["planted"] = score_planted(tools, options.planted, options.seed, folder)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--labels", type=Path, help="labelled turns, JSON lines; their sessions lie beside them")
    parser.add_argument("--planted", type=int, default=24, metavar="N", help="planted persons (default 24; 0: none)")
    parser.add_argument("--seed", type=int, default=1, help="of the planted persons")
    parser.add_argument("--decomposer", default="rules", help="which of our judges (default: rules)")
    parser.add_argument("--peer", action="append", choices=sorted(PEERS), help="only this peer; may be repeated")
    parser.add_argument("--environments", type=Path, default=Path(tempfile.gettempdir()) / "ingrained-peers")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    try:
        found = measure(options)
    except (IngrainedError, PeerError) as error:
        parser.exit(2, f"{parser.prog}: {error}\n")
    except subprocess.CalledProcessError as error:
        parser.exit(3, f"{parser.prog}: {error}; is there a package index within reach?\n")
    if options.json:
        print(json.dumps(found, indent=1))
        return
    for part, text in (("labels", labels_text), ("planted", planted_text)):
        if part in found:
            print("\n".join(text(found[part])), end="\n\n")


if __name__ == "__main__":
    main()

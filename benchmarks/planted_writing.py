"""Does keeping the right rules pay? Authors whose preferences were planted, and a model that writes by the rules.

Twenty-four authors cross a length, a use of the first person and a habit of expression; their commits have subjects of
their own, the one-offs. The scripted writer sees only the rules' text (no histories) and the request, and reads the
rules with a parser of its own, which shares nothing with `verify.align`. The scripted decomposer cuts the feedback and
knows what transfers; its decisions are then flipped at a rate, or all made the same.

    python benchmarks/planted_writing.py [--authors 24] [--per-author 2] [--seeds 3]
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from statistics import fmean

import anyio

from ingrained.bench.writing.bounds import PARTS, bounds
from ingrained.bench.writing.methods import atom_prompt
from ingrained.bench.writing.prepared import Prepared, RunConfig, prepared
from ingrained.bench.writing.protocol import Asked, run_case
from ingrained.bench.writing.trace import TraceShape
from ingrained.model.base import Facts, Request
from ingrained.model.scripted import ScriptedModel

RATES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)

# The authors

FEATURES = ("contractions", "exclamation", "parentheses", "long", "question", "capitals")
_SYLLABLES = ("ba ke di lo mu pra sti ven gor hal jin tro", "ra ne vi so lu mar tek bin dol fam gis pon",
              "lin dar mok set vun par gel tis bor nad kim rost")  # fmt: skip


def subjects(author: int) -> list[str]:
    """Words that this author alone writes about."""
    heads, middles, ends = (part.split() for part in _SYLLABLES)
    every = [a + b + c for a in heads for b in middles for c in ends]
    return random.Random("subjects").sample(every, len(every))[author * 66 : author * 66 + 66]


_VERBS = [
    "checks",
    "reads",
    "drops",
    "keeps",
    "moves",
    "copies",
    "joins",
    "splits",
    "guards",
    "counts",
    "closes",
    "sends",
]
_FILL = [
    "value",
    "entry",
    "state",
    "length",
    "result",
    "caller",
    "record",
    "step",
    "branch",
    "handle",
    "table",
    "field",
]
_KINDS = ["stale", "local", "remote", "early", "hidden", "narrow", "empty", "double", "partial", "quiet"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How a text is written; of an author, or of the scripted writer at the moment."""

    words: int = 60
    sentence: int = 11
    first_person: bool = False
    marks: frozenset[str] = frozenset()
    """Of `FEATURES` without `long`, those that every sentence has."""


def author_style(number: int) -> Style:
    """The planted preferences of an author."""
    feature = FEATURES[number % 6]
    return Style(
        words=40 if number // 6 % 2 else 112,
        sentence=28 if feature == "long" else 11,
        first_person=number // 12 % 2 == 1,
        marks=frozenset({feature} - {"long"}),
    )


def sentence(draw: random.Random, style: Style, topics: Sequence[str]) -> str:
    """One sentence in a style."""
    said = ["the", draw.choice(_KINDS), draw.choice(topics or _FILL), draw.choice(_VERBS)]
    if style.first_person:
        said = ["we", "see", "that", *said]
    if "contractions" in style.marks:
        said += ["and", "it", "doesn't", "fail"]
    if "capitals" in style.marks:
        said += ["and", "NEVER", "fails"]
    while len(said) < style.sentence - 3 + draw.choice([-1, 0, 1]):
        said += [draw.choice(["and the", "or the", "then the"]), draw.choice(_FILL)]
    text = " ".join(said)
    if "parentheses" in style.marks:
        text += f" ({draw.choice(_KINDS)} {draw.choice(_FILL)})"
    end = "!" if "exclamation" in style.marks else "?" if "question" in style.marks else "."
    return text[0].upper() + text[1:] + end


def text_in(draw: random.Random, style: Style, topics: Sequence[str]) -> str:
    """A text of about so many words in a style."""
    said: list[str] = []
    while sum(len(one.split()) for one in said) < style.words - style.sentence / 2:
        said.append(sentence(draw, style, topics))
    return " ".join(said)


def write_authors(folder: Path, authors: int, *, each: int = 22, seed: int = 0) -> None:
    """Write a file an author, in the layout of the task `commit`."""
    folder.mkdir(parents=True, exist_ok=True)
    for author in range(authors):
        rows: list[str] = []
        for nth in range(each):
            draw = random.Random(f"{seed}:{author}:{nth}")
            topics = subjects(author)[3 * nth : 3 * nth + 3]
            row = {
                "author": f"author_{author:02d}",
                "commit": f"{author:02d}{nth:06x}",
                "date": f"20{10 + nth // 12}-{1 + nth % 12:02d}",
                "subject": f"{topics[0]} and {topics[1]}: {draw.choice(_KINDS)} {topics[2]}",
                "body": text_in(draw, author_style(author), topics),
                "files": [{"path": f"src/{topics[0]}_{nth}.c"}],
            }
            rows.append(json.dumps(row))
        (folder / f"author_{author:02d}.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")


# The scripted model: a writer and a decomposer that read by their own few words

_HEADS = {
    "details": "length",
    "first-person": "first_person",
    "contractions": "contractions",
    "exclamation": "exclamation",
    "question": "question",
    "parenthes": "parentheses",
    "capitals": "capitals",
    "long sentences": "long",
}
_TERM = re.compile(r"(?:mentions of|references to) (?P<term>.+?)(?: here| in there| in it| in| out)?[.?!]*$")
_KEEPS = re.compile(r"\b(?:don't|do not) (?:forget|leave out)\b")
_LESS = re.compile(
    r"\b(?:leave out|drop|remove|take out|skip|avoid|don't|do not|stop|without|rather not|should not|get rid|throw|omit"
    r"|delete|away)\b"
)
_CUT = re.compile(r"(?<=[.?!])\s+(?=[A-Z])")


def wanted(rule: str) -> tuple[str, str, bool] | None:
    """What a rule is about, its term, and whether it asks for more; None where this parser sees nothing in it."""
    low = rule.casefold()
    more = bool(_KEEPS.search(low)) or not _LESS.search(low)
    named = _TERM.search(rule)
    if named:
        return "term", named["term"], more
    return next(((about, "", more) for head, about in _HEADS.items() if head in low), None)


def written(request: str, rules: Sequence[str], draw: random.Random) -> str:
    """A text for a request by the rules alone; without any in the writer's own style, and with one of the facts."""
    style, put, out = Style(), [], set[str]()
    for about, term, more in filter(None, map(wanted, rules)):
        if about == "length":
            style = replace(style, words=round(style.words * (1.6 if more else 0.65)))
        elif about == "first_person":
            style = replace(style, first_person=more)
        elif about == "long":
            style = replace(style, sentence=28 if more else 8)
        elif about == "term":
            (put.append if more else out.add)(term)
        else:
            style = replace(style, marks=style.marks | {about} if more else style.marks - {about})
    text = text_in(draw, style, re.findall(r"^Subject: (\w+)", request, re.MULTILINE))
    said = text.split()
    for term in put:
        said[3:3] = ["with", term]  # in the first sentence
    return " ".join(word for word in said if word.strip(".,!?()") not in out)


def cut(feedback: str) -> list[str]:
    """The single demands of a feedback, without what opens them."""
    return [re.sub(r"^[A-Z][a-z ]+: ", "", one).strip() for one in _CUT.split(feedback)]


def lasting(demand: str) -> bool:
    """Whether a demand holds for other requests too: the truth, which decisions are held against."""
    found = wanted(demand)
    return found is not None and found[0] != "term"


Decide = Callable[[str, int], bool]
"""A demand and a seed to the decision."""


def flipped(rate: float) -> Decide:
    """The truth, turned round for a share of the demands."""

    def decide(demand: str, seed: int) -> bool:
        digest = blake2b(f"{seed}:{demand}".encode(), digest_size=8).digest()
        return lasting(demand) != (int.from_bytes(digest) / 2**64 < rate)

    return decide


_DATA = re.compile(r"<data (\w+)>\n(.*?)\n</data \1>", re.DOTALL)


def _blocks(request: Request) -> list[str]:
    return [found[2] for found in _DATA.finditer(request.messages[-1].text)]


def _rules(text: str) -> list[str]:
    lines = [line for line in text.split("\n") if re.match(r"r\d+: ", line)]
    return [demand for line in lines for demand in cut(line.partition(": ")[2])]


def answer(request: Request, decide: Decide | None = None) -> object:
    """What the scripted model says: a text, atoms, KEEP or UPDATE, or a profile."""
    decide = decide or flipped(0.0)
    name = request.schema.name if request.schema is not None else ""
    seed = request.sampling.seed or 0
    blocks = _blocks(request)
    if name == "answer":
        demands = cut(blocks[-1])
        return {
            "atoms": [
                {"id": f"f{nth}", "content": one, "transferable": decide(one, seed)}
                for nth, one in enumerate(demands, start=1)
            ]
        }
    if name == "holistic":
        kept = [one for one in cut(blocks[-1]) if decide(one, seed)]
        return {"decision": "UPDATE" if kept else "KEEP", "rule": kept[0] if kept else ""}
    rules, task, request_text = request.messages[-1].text.rpartition("Now the task.")
    if not task:
        return "Writes plain sentences of some length."
    return written(request_text, _rules(rules), random.Random(f"{request_text}:{request.sample}"))


# What is measured


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Mean scores of the held-out answers, in [0, 1], by part of the rubric."""

    name: str
    traces: int
    parts: dict[str, float]


def outcome(name: str, traces: Sequence[TraceShape]) -> Outcome:
    """The means of traces that are scored."""
    scores = [one.scores for one in traces if one.scores is not None and one.scores.mean is not None]
    return Outcome(
        name=name, traces=len(scores), parts={part: fmean(getattr(one, part) for one in scores) for part in PARTS}
    )


def ways() -> dict[str, Decide]:
    """The decomposers that are compared."""
    found = {f"flip {rate:.1f}": flipped(rate) for rate in RATES}
    return found | {"append everything": lambda _d, _s: True, "keep nothing": lambda _d, _s: False}


def measured(found: Prepared, chosen: dict[str, Decide]) -> list[Outcome]:
    """Run the cases of a run under each decomposer. Cost: no model; some milliseconds a case."""
    return [outcome(name, anyio.run(partial(_traces, found, decide))) for name, decide in chosen.items()]


async def _traces(found: Prepared, decide: Decide) -> list[TraceShape]:
    model = ScriptedModel(partial(answer, decide=decide), Facts(provider="scripted", model="planted", free=True))
    asked = Asked(writer=model, updater=model)
    return [
        await run_case(
            case, atom_prompt, asked, rounds=found.config.rounds, drafts=found.drafts, seed=found.config.seed
        )
        for case in found.cases
    ]


def world(
    folder: Path, *, authors: int = 24, per_author: int = 2, seeds: int = 3, keep_share: float = 0.25
) -> Prepared:
    """The cases of the planted authors."""
    write_authors(folder, authors)
    config = RunConfig(
        task="commit",
        data=(str(folder),),
        methods=("atom-prompt",),
        model="scripted:planted",
        seeds=seeds,
        per_author=per_author,
        keep_share=keep_share,
    )
    return prepared(config)


def main() -> None:
    """Print a table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--authors", type=int, default=24)
    options.add_argument("--per-author", type=int, default=2)
    options.add_argument("--seeds", type=int, default=3)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = world(Path(folder), authors=asked.authors, per_author=asked.per_author, seeds=asked.seeds)
        print(f"{len(found.built.contexts)} contexts of {len(found.built.authors)} authors, {asked.seeds} seeds")
        print("decomposer".ljust(18), "traces", *(part.rjust(13) for part in PARTS))
        for one in measured(found, ways()):
            row = (f"{100 * one.parts[part]:13.2f}" for part in PARTS)
            print(one.name.ljust(18), f"{one.traces:6d}", *row)
        for row in bounds(found.built):
            print(f"{row.part}: ceiling {100 * row.ceiling.value:.2f}, floor {100 * row.floor.value:.2f}")


if __name__ == "__main__":
    main()

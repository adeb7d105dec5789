"""Writes the generated pages: `docs/cli.md` from `--help`, and a JSON schema for each published shape.

`--check` writes nothing and exits 1 where a page is not what it would be.
"""

from __future__ import annotations

import io
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from rich.console import Console

from ingrained.cli import app as frame

DOCS = Path(__file__).resolve().parent.parent / "docs"
WIDTH = 100

SCHEMAS = {
    "bench-align": "ingrained.bench.align:AlignBench",
    "bench-feedback": "ingrained.bench.feedback:FeedbackBench",
    "bench-foresee": "ingrained.bench.foresight:Foresight",
    "bench-gate": "ingrained.bench.gate.shape:GateBench",
    "bench-gaming": "ingrained.bench.gaming:GamingBench",
    "bench-judge-rubrics": "ingrained.bench.canaries:CanaryBench",
    "bench-judge-writing": "ingrained.bench.writing.judge_tables:JudgeTables",
    "bench-pairs": "ingrained.bench.pairs:PairsBench",
    "bench-splits": "ingrained.bench.splits:SplitsBench",
    "bench-transfer": "ingrained.bench.evolve.shape:TransferShape",
    "bench-tau2": "ingrained.bench.tau2_checks:Tau2Bench",
    "bench-run-writing": "ingrained.bench.writing.tables:RunTables",
    "bench-run-writing-unseen": "ingrained.bench.writing.adherence:AdherenceTables",
    "bench-writing-data": "ingrained.bench.writing.bounds:WritingData",
    "edit": "ingrained.skill.edit:Proposal",
    "edit-living": "ingrained.skill.living:Living",
    "edit-patch": "ingrained.skill.patch:Patch",
    "doctor": "ingrained.install.doctor:Diagnosis",
    "doctor-skills": "ingrained.skill.check:SkillsReport",
    "feedback": "ingrained.report.interaction:FeedbackShape",
    "evolve": "ingrained.bench.evolve.shape:EvolveShape",
    "forget": "ingrained.learn.erase:Erased",
    "gate-group": "ingrained.gate.verdict:GroupVerdict",
    "gate-pair": "ingrained.gate.pair:Pair",
    "gate-plan": "ingrained.gate.plan:Plan",
    "import": "ingrained.report.sharing:ImportShape",
    "install": "ingrained.install.request:InstallShape",
    "learn": "ingrained.report.shapes:LearnShape",
    "learn-dry-run": "ingrained.report.shapes:WouldReadShape",
    "plugins": "ingrained.cli.plugins:Plugins",
    "rule": "ingrained.skill.rule:Rule",
    "rules": "ingrained.report.shapes:RulesShape",
    "scan": "ingrained.report.shapes:Scan",
    "score-writing": "ingrained.report.writing_shape:WritingShape",
    "shared-rules": "ingrained.skill.shared:SharedRules",
    "skill-creator-benchmark": "ingrained.bench.evals_benchmark:Benchmark",
    "skill-creator-evals": "ingrained.bench.evals:EvalsFile",
    "why": "ingrained.report.shapes:WhyShape",
    "write": "ingrained.report.interaction:WriteShape",
}
"""Name of the page, and the shape it describes."""

HEAD = """\
# Command line

Generated from `--help` by `scripts/make_docs.py`.
"""


def help_page(words: list[str]) -> str:
    """What `ingrained WORDS --help` prints in a window of 100 columns, without blanks at line ends."""
    text = io.StringIO()
    console = Console(file=text, width=WIDTH, force_terminal=False, color_system=None)
    frame.build(" ".join(words)).help_print(words, console=console)
    return "\n".join(line.rstrip() for line in text.getvalue().strip("\n").splitlines())


def cli_page() -> str:
    """All help pages as one Markdown page."""
    names = ["", *(command.name for command in frame.COMMANDS)]
    sections = [f"## {f'ingrained {name}'.strip()}\n\n```text\n{help_page(name.split())}\n```\n" for name in names]
    return "\n".join([HEAD, *sections])


def schema_page(target: str) -> str:
    """The JSON schema of a pydantic model or dataclass, as its output looks."""
    from pydantic import TypeAdapter

    module, _, attr = target.partition(":")
    adapter: TypeAdapter[Any] = TypeAdapter(getattr(import_module(module), attr))
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **adapter.json_schema(mode="serialization")}
    return json.dumps(schema, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def pages() -> dict[Path, str]:
    """Every generated file and what belongs into it."""
    found = {DOCS / "cli.md": cli_page()}
    for name, target in SCHEMAS.items():
        found[DOCS / "schemas" / f"{name}.json"] = schema_page(target)
    return found


def stale() -> list[Path]:
    """Generated files that are missing, out of date, or no longer generated."""
    wanted = pages()
    wrong = [path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    return wrong + [path for path in sorted((DOCS / "schemas").glob("*.json")) if path not in wanted]


def main() -> int:
    """Write the pages, or with `--check` only compare them."""
    if "--check" in sys.argv[1:]:
        for path in stale():
            print(f"{path.relative_to(DOCS.parent)} is out of date: run scripts/make_docs.py", file=sys.stderr)
        return int(bool(stale()))
    for path, text in pages().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

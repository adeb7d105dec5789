"""What `--help` costs: a budget on what it imports, since time on a busy machine proves nothing."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from ingrained.cli.app import COMMANDS, Command

HEAVY = {
    "anthropic", "anyio", "hypothesis", "jinja2", "matplotlib", "mcp", "numpy", "onnxruntime", "openai", "platformdirs",
    "pydantic", "rapidfuzz", "ray", "ruamel", "scipy", "sqlite3", "starlette", "torch", "transformers", "trl", "uvicorn",
    "xllamacpp",
}  # fmt: skip
OWN = {
    "ingrained",
    "ingrained.cli",
    "ingrained.cli.app",
    "ingrained.cli.help",
    "ingrained.cli.output",
    "ingrained.errors",
}
MODULES_AT_MOST = 320
"""The command-line library with its printing makes about 220 of them, bare Python about 50."""

PROBE = """
import json, sys, time
sys.argv = ["ingrained", *json.loads(sys.argv[1])]
try:
    import ingrained.cli.app
    ingrained.cli.app.main()
finally:
    print(json.dumps({"modules": sorted(sys.modules), "cpu_s": time.process_time()}), file=sys.stderr)
"""


def probe(words: list[str]) -> dict[str, list[str]]:
    done = subprocess.run(
        [sys.executable, "-c", PROBE, json.dumps(words)], capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Usage: ingrained" in done.stdout
    found = json.loads(done.stderr.splitlines()[-1])
    print(f"ingrained {' '.join(words)}: {found['cpu_s']:.3f} s of CPU, {len(found['modules'])} modules")
    return found


def test_help_imports_nothing_heavy_and_no_command() -> None:
    modules = set(probe(["--help"])["modules"])
    assert not {name.partition(".")[0] for name in modules} & HEAVY
    assert {name for name in modules if name.partition(".")[0] == "ingrained"} <= OWN
    assert len(modules) <= MODULES_AT_MOST


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_help_of_a_command_stays_light(command: Command) -> None:
    modules = set(probe([*command.name.split(), "--help"])["modules"])
    assert not {name.partition(".")[0] for name in modules} & {
        "torch", "openai", "anthropic", "scipy", "mcp", "numpy", "xllamacpp", "jinja2",
    }  # fmt: skip

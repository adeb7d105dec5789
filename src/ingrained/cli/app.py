"""The command `ingrained`: the table of its verbs, and the one place where an error becomes an exit code.

Every verb is a row of `COMMANDS` with a `"module:function"` target, so that `--help` imports none of them. An
`IngrainedError` is two lines on stderr (`error: …`, `next: …`) and its class's exit code; anything else that escapes
a command is a bug and keeps its traceback.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from cyclopts import App, CycloptsError, Parameter
from cyclopts.config import Env

import ingrained
from ingrained.cli.help import HelpText
from ingrained.cli.output import visible
from ingrained.errors import ConfigError, IngrainedError

if TYPE_CHECKING:
    from cyclopts.argument import ArgumentCollection


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One verb: its name (`bench feedback` for a sub-command), where it lives, and its lines in the help."""

    name: str
    target: str
    help: str
    """The first line of the function's docstring; a test holds the two together."""
    examples: tuple[str, ...]


COMMANDS: tuple[Command, ...] = (
    Command(
        name="scan",
        target="ingrained.cli.scan:scan",
        help="Read session logs and say what is in them; store nothing.",
        examples=(
            "ingrained scan",
            "ingrained scan --since 90d --json",
            "ingrained scan ~/backup/claude/projects",
        ),
    ),
    Command(
        name="learn",
        target="ingrained.cli.learn:learn",
        help="Read your sessions and show what you keep telling your agents.",
        examples=(
            "ingrained learn",
            "ingrained learn --sample",
            "ingrained learn --project . --since 90d",
            "ingrained learn --person ana=logs/ana --person ben=logs/ben",
            "ingrained learn --model openai:gpt-4.1-mini --max-usd 1",
        ),
    ),
    Command(
        name="review",
        target="ingrained.cli.review:review",
        help="Go through the rules one at a time: accept, edit, narrow or refuse.",
        examples=(
            "ingrained review",
            "ingrained review --accept-all-supported",
        ),
    ),
    Command(
        name="rules",
        target="ingrained.cli.rules:rules",
        help="List the rules, strongest first.",
        examples=(
            "ingrained rules",
            "ingrained rules --all --project .",
            "ingrained rules --json",
        ),
    ),
    Command(
        name="why",
        target="ingrained.cli.why:why",
        help="Show what a rule rests on: each quote, what the agent had done, sessions, dates, levels, said again.",
        examples=("ingrained why r-1a2b3c4d",),
    ),
    Command(
        name="feedback",
        target="ingrained.cli.feedback:feedback",
        help="Say what should be otherwise in a draft; what holds for other work too becomes a rule.",
        examples=(
            'ingrained feedback --user ana --request ask.txt --draft mail.txt --feedback "Never use emoji."',
            'ingrained feedback --user ana --request ask.txt --draft mail.txt --feedback "Too long." '
            "--model openai:gpt-4.1-mini --max-calls 2",
        ),
    ),
    Command(
        name="write",
        target="ingrained.cli.write:write",
        help="Let a model write in a person's place, from their earlier texts and their rules.",
        examples=(
            "ingrained write --user ana --request ask.txt --history texts/ana --model openai:gpt-4.1-mini",
            "ingrained write --user ana --request ask.txt --model local:model.gguf --json",
        ),
    ),
    Command(
        name="forget",
        target="ingrained.cli.forget:forget",
        help="Remove what was said, with all that hangs on it alone. There is no way back.",
        examples=(
            "ingrained forget --rule r-1a2b3c4d",
            "ingrained forget --before 2026-01-01",
        ),
    ),
    Command(
        name="install",
        target="ingrained.cli.install:install",
        help="Write your rules to where an agent reads them.",
        examples=(
            "ingrained install --dry-run",
            "ingrained install --agent codex --into project",
            "ingrained install --agent claude-code --into user",
            "ingrained install --hooks --agent codex",
        ),
    ),
    Command(
        name="export",
        target="ingrained.cli.export:export",
        help="Write the rules of a project for its people: texts and counts, no quotes, no names.",
        examples=(
            "ingrained export --shared",
            "ingrained export --shared --out rules.json --allow Kanban",
        ),
    ),
    Command(
        name="import",
        target="ingrained.cli.import_:import_",
        help="Take rules from a file as proposals for this project; yours stay as they are.",
        examples=(
            "ingrained import rules.json --from team",
            "ingrained import --remove team",
        ),
    ),
    Command(
        name="undo",
        target="ingrained.cli.undo:undo",
        help="Take the last install back, byte for byte.",
        examples=(
            "ingrained undo",
            "ingrained undo --all --keep-edits",
        ),
    ),
    Command(
        name="uninstall",
        target="ingrained.cli.uninstall:uninstall",
        help="Take every install back, byte for byte; with --purge also remove all that was learned.",
        examples=(
            "ingrained uninstall --dry-run",
            "ingrained uninstall --hooks",
            "ingrained uninstall --purge",
        ),
    ),
    Command(
        name="doctor",
        target="ingrained.cli.doctor:doctor",
        help="Say where things are, who reads them, what was changed by others, and what is damaged.",
        examples=(
            "ingrained doctor",
            "ingrained doctor --skills .claude/skills --json",
        ),
    ),
    Command(
        name="evolve",
        target="ingrained.cli.evolve:evolve",
        help="Improve a skill by edits that are proved one at a time, on the same tasks with and without each.",
        examples=(
            "ingrained evolve SKILL.md --tasks evals/evals.json --worker local: --verifier rubrics=local: --out run",
            "ingrained evolve SKILL.md --tasks conventions:commits --evidence guide.md --worker openai:NAME --out run "
            "--budget-calls 500",
            "ingrained evolve --out run --json",
        ),
    ),
    Command(
        name="score writing",
        target="ingrained.cli.score:writing",
        help="Score a text by its author's habits: length, first person, expression, and nothing carried over.",
        examples=(
            "ingrained score writing --history texts/ana --response draft.txt --request request.txt",
            "ingrained score writing --history texts/ana --response draft.txt --population texts --json",
        ),
    ),
    Command(
        name="bench feedback",
        target="ingrained.cli.bench:feedback",
        help="Measure how well feedback and transferable rules are found in labelled turns.",
        examples=(
            "ingrained bench feedback --labels labels.jsonl --json",
            "ingrained bench feedback --labels labels.jsonl --decomposer model:local:model.gguf",
        ),
    ),
    Command(
        name="bench splits",
        target="ingrained.cli.bench:splits",
        help="Measure how well turns with several things in them are cut, and each atom judged.",
        examples=("ingrained bench splits --turns benchmarks/sets/splits.jsonl --decomposer trained",),
    ),
    Command(
        name="bench pairs",
        target="ingrained.cli.bench:pairs",
        help="Measure whether two quotes are rightly taken for one rule or for two.",
        examples=("ingrained bench pairs --pairs benchmarks/sets/pairs.jsonl",),
    ),
    Command(
        name="bench align",
        target="ingrained.cli.bench:align",
        help="Measure whether a rule is rightly taken to ask for what a draft was told to change.",
        examples=("ingrained bench align --pairs benchmarks/sets/align.jsonl",),
    ),
    Command(
        name="bench gaming",
        target="ingrained.cli.bench:gaming",
        help="Measure whether edits that game the verifier are refused, and rules that only look so are not.",
        examples=("ingrained bench gaming --candidates benchmarks/sets/gaming.jsonl --half kept",),
    ),
    Command(
        name="bench tau2",
        target="ingrained.cli.bench:tau2",
        help="Replay right and damaged attempts at tau2-bench, and name the tasks that doing nothing passes.",
        examples=(
            "ingrained bench tau2 --domain retail --data tau2-bench",
            "ingrained bench tau2 --damages 0 --json",
        ),
    ),
    Command(
        name="bench writing-data",
        target="ingrained.cli.bench:writing_data",
        help="Measure the data of a writing task: what is used, whether KEEP is tested, ceiling and floor.",
        examples=(
            "ingrained bench writing-data --task commit --data curl-commits",
            "ingrained bench writing-data --task turns --data sessions --data more-sessions --json",
        ),
    ),
    Command(
        name="bench run-writing",
        target="ingrained.cli.bench:run_writing",
        help="Compare methods that learn to write as a person does, from feedback on drafts.",
        examples=(
            "ingrained bench run-writing --task commit --data curl-commits --model local: --most 12 --out run",
            "ingrained bench run-writing --task pep --data peps --method atom-prompt --model openai:NAME --out run",
            "ingrained bench run-writing --task commit --data curl-commits --model local: --rubric unseen --out unseen",
            "ingrained bench run-writing --out run --json",
        ),
    ),
    Command(
        name="bench gate",
        target="ingrained.cli.bench:gate",
        help="Measure by simulation how often the gate errs, what it finds, and how many replays that takes.",
        examples=("ingrained bench gate", "ingrained bench gate --draws 10000 --seed 1 --json"),
    ),
    Command(
        name="bench transfer",
        target="ingrained.cli.evolve:transfer",
        help="Prove the skill that a run of evolve has made once more, with another worker.",
        examples=("ingrained bench transfer --run run --worker openai:OTHER --out transfer --budget-calls 200",),
    ),
    Command(
        name="bench judge-writing",
        target="ingrained.cli.bench:judge_writing",
        help="Let a language model judge the texts of a run, blind and in both orders.",
        examples=(
            "ingrained bench judge-writing --out run --judge openai:NAME --max-usd 1",
            "ingrained bench judge-writing --out run --judge local: --method no-skill --method feedback --json",
        ),
    ),
    Command(
        name="bench judge-rubrics",
        target="ingrained.cli.bench:judge_rubrics",
        help="Measure how far a judge of rubrics is to be believed, on answers whose verdicts are known.",
        examples=(
            "ingrained bench judge-rubrics --judge local:",
            "ingrained bench judge-rubrics --judge openai:NAME --data CL-bench.jsonl --most 20 --max-usd 1 --json",
        ),
    ),
    Command(
        name="bench foresee",
        target="ingrained.cli.bench:foresee",
        help="Measure whether rules from earlier sessions cover what people say in later ones.",
        examples=(
            "ingrained bench foresee sessions --labels labels.jsonl",
            "ingrained bench foresee --person ana=logs/ana --person ben=logs/ben --json",
        ),
    ),
    Command(
        name="train offline",
        target="ingrained.cli.train:offline",
        help="Train the offline judge: one network for each left-out fold of repositories, then one on everything.",
        examples=(
            "ingrained train offline --base minilm --data ../shared/data --out weights",
            "ingrained train offline --base minilm --teacher mpnet --data ../shared/data --out weights",
        ),
    ),
    Command(
        name="plugins",
        target="ingrained.cli.plugins:plugins",
        help="List what each part can be told to use, and who provides it.",
        examples=(
            "ingrained plugins",
            "ingrained plugins reader --check",
        ),
    ),
)
"""In the order of a first visit: look, learn, judge, install, undo, check."""

GROUPS = {
    "score": "Score what was made by what is known of a person.",
    "bench": "Measure Ingrained on labelled data and on histories.",
    "train": "Train what comes with the package.",
}
"""Help of the verbs that only hold sub-commands."""

EPILOGUE = """\
The result is on stdout (as JSON with --json), talk and progress on stderr.
--home DIR (or INGRAINED_HOME) and --quiet may stand before the command too.

Exit codes: 0 done, 1 the answer is no or missing, 2 usage or config,
  3 environment, 4 damage found, 5 budget reached, 130 interrupted,
  141 closed pipe.

Settings: ingrained.toml in the home folder ([learn] since = "90d"), over it
  the environment (INGRAINED_LEARN_SINCE), over both the options.

Nothing leaves this machine, except to the language model that --model names."""


def build(chosen: str = "") -> App:
    """The application; `chosen` is the verb about to run, whose own docstring then serves as its help."""
    app = App(
        name="ingrained",
        help="Tell your agent once: turn what you keep telling your agents into skills that they follow.",
        version=ingrained.__version__,
        help_format="plaintext",
        help_formatter=HelpText(),
        help_epilogue=EPILOGUE,
        group_parameters="Options",
        default_parameter=Parameter(negative=(), show_default=_worth_showing),
        config=(Env("INGRAINED_", show=False), _settings),
        suppress_keyboard_interrupt=False,
    )
    groups: dict[str, App] = {}
    for order, command in enumerate(COMMANDS):
        parent, _, leaf = command.name.rpartition(" ")
        if parent and parent not in groups:
            groups[parent] = App(name=parent, help=GROUPS[parent], help_epilogue="", sort_key=order)
            app.command(groups[parent])
        shown = {} if command.name == chosen else {"help": command.help}
        epilogue = "Examples:\n" + "\n".join(f"  {example}" for example in command.examples)
        target = groups[parent] if parent else app
        target.command(command.target, name=leaf, sort_key=order, help_epilogue=epilogue, **shown)
    app["--help"].group = app["--version"].group = "Options"
    return app


def main(tokens: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit code. `tokens` default to the process's arguments."""
    _utf8_streams()
    words = _shared_options_last(list(sys.argv[1:] if tokens is None else tokens))
    try:
        code = run(words)
        sys.stdout.flush()
    except BrokenPipeError:
        # Python would flush stdout once more on the way out and complain about the same pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 141
    sys.exit(code)


def run(words: list[str]) -> int:
    """Run one command line; returns the exit code, after an error's two lines on stderr."""
    verb = _verb(words)
    try:
        result: object = build(verb)(words, exit_on_error=False, print_error=False, result_action="return_value")
    except CycloptsError as error:
        return _tell(str(error), f"ingrained {verb} --help" if verb else "ingrained --help", 2)
    except IngrainedError as error:
        return _tell(error.message, error.hint or f"ingrained {verb} --help", error.exit_code)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except SystemExit as left:
        if isinstance(left.__context__, BrokenPipeError):  # rich makes a plain 1 of it while it prints a help page
            raise left.__context__ from None
        raise
    return result if isinstance(result, int) and not isinstance(result, bool) else 0


def _tell(message: str, hint: str, code: int) -> int:
    for label, text in (("error", message), ("next", hint)):
        print(f"{label}: {visible(' '.join(text.split()))}", file=sys.stderr)
    return code


def _verb(words: Sequence[str]) -> str:
    """The longest verb, or group of verbs, that the words begin with; "" where they begin with none."""
    names = {name for command in COMMANDS for name in (command.name, command.name.partition(" ")[0])}
    return next((name for n in (2, 1) if (name := " ".join(words[:n])) in names), "")


def _shared_options_last(words: list[str]) -> list[str]:
    """`--home DIR` and `--quiet` before the verb mean the same as after it; help, which takes neither, goes without."""
    front = _shared_options_off(words)
    if not words:
        return []
    group = [words.pop(0)] if words[0] in GROUPS else []
    front += _shared_options_off(words) if group else []
    if group and _verb([*group, *words]) in GROUPS:
        return [*group, *words]
    cut = words.index("--") if "--" in words else len(words)
    return [*group, *words[:cut], *front, *words[cut:]]


def _shared_options_off(words: list[str]) -> list[str]:
    """The shared options that the words begin with, taken from them."""
    front: list[str] = []
    while words:
        if words[0] == "--home" and len(words) > 1:
            front += [words.pop(0), words.pop(0)]
        elif words[0] in {"--quiet", "-q"} or words[0].startswith("--home="):
            front.append(words.pop(0))
        else:
            break
    return front


def _settings(app: App, commands: tuple[str, ...], arguments: ArgumentCollection) -> None:
    """Defaults from `ingrained.toml` in the home folder: the table of the command's name holds its options.

    Only the home folder's file counts: one that lies in the working folder could come with somebody's repository.
    """
    import tomllib

    from cyclopts.config import Dict

    from ingrained.store.files import home_dir

    given = [argument.tokens[-1].value for argument in arguments if "--home" in argument.names and argument.tokens]
    try:
        path = home_dir(given[0] if given else None) / "ingrained.toml"
        text = path.read_bytes()
    except (OSError, ConfigError):
        return  # No settings, or no home: a command that needs the home says what is wrong with it.
    try:
        data = tomllib.loads(text.decode("utf-8-sig"))
    except ValueError as error:
        raise ConfigError(f"{path} is no TOML in UTF-8: {error}", hint="correct the file, or move it away") from error
    Dict(data, source=str(path))(app, commands, arguments)


def _worth_showing(default: object) -> str | None:
    return None if default is None or default is False or default in ("", ()) else str(default)


def _utf8_streams() -> None:
    """UTF-8 in and out whatever the locale says; what UTF-8 cannot hold (lone surrogates) is escaped, not fatal."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="replace" if stream is sys.stdin else "backslashreplace")

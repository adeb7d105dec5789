"""`ingrained review`: one rule at a time, with its proof; the person decides."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ingrained.cli.output import DEFAULTS, Options, Shared, emit, say, style, visible
from ingrained.errors import ConfigError

if TYPE_CHECKING:
    from ingrained.learn.pipeline import Open
    from ingrained.learn.review import Answer
    from ingrained.learn.view import View
    from ingrained.skill.rule import Rule

_KEYS = "a accept · e edit · n narrow · w hold everywhere · r refuse · s skip · q quit · ? help"
_HELP = """\
  a  accept: it goes into the draft as it is
  e  edit: you write it in your own words, and they stay
  n  narrow: it holds only on a condition or in some paths
  w  hold everywhere: in all projects, not only in this one
  r  refuse: it does not come back from the same words
  s  skip, or an empty line: it stays open for the next review
  q  quit: what was answered is kept"""


def review(
    *,
    accept_all_supported: Annotated[
        bool, Parameter(help="Accept every supported rule that contradicts nobody and weakens no safety; ask nothing.")
    ] = False,
    options: Shared = DEFAULTS,
) -> int:
    """Go through the rules one at a time: accept, edit, narrow or refuse.

    Each answer is kept at once, so quitting loses nothing and the next review goes on with what is open. A refused rule
    does not come back from the same words; an edited one stays as you wrote it.
    """
    from ingrained.learn.pipeline import opened, put_drafts
    from ingrained.learn.review import accept_all, pending
    from ingrained.report.contradictions import contradictions_text, pairs
    from ingrained.report.terminal import page_width
    from ingrained.skill.select import DEFAULT_BUDGET
    from ingrained.store.files import home_dir

    with opened(home_dir(options.home), "review") as here:
        view = here.view()
        if accept_all_supported:
            done = len(accept_all(here, pending(view)))
        elif not sys.stdin.isatty() and sys.stdin.closed:
            raise ConfigError("nobody to ask: stdin is closed", hint="ingrained review --accept-all-supported")
        else:
            done = _each(here, view, options)
        now = here.view()
        put_drafts(now, here.ledger, here.library, budget=DEFAULT_BUDGET, form="auto")
    for line in contradictions_text(now.rules, width=page_width(), known=pairs(view.rules)):
        say(line, options)
    say(f"{done} decided. Next: ingrained install --agent claude-code --into project", options)
    return 0


def _each(here: Open, view: View, options: Options) -> int:
    from ingrained.learn.review import answer, pending
    from ingrained.report.shapes import why_shape
    from ingrained.report.terminal import page_width, why_text

    done = 0
    rules = pending(view)
    for number, rule in enumerate(rules, start=1):
        emit(why_shape(view, rule), json=False, renderer=lambda shape: why_text(shape, page_width()) + "\n\n")
        said = _ask(rule, f"[{number}/{len(rules)}] {_KEYS} ")
        if said is None:
            break
        answer(here, rule, said)
        done += said.what != "skip"
    if not rules:
        say("Nothing is open.", options)
    return done


def _ask(rule: Rule, prompt: str) -> Answer | None:
    """The person's answer; `None`: they want to stop."""
    from ingrained.learn.review import Answer

    while True:
        match _line(style(prompt, "bold", sys.stderr)):
            case None | "q":
                return None
            case "a":
                return Answer(what="accept")
            case "r":
                return Answer(what="refuse")
            case "s" | "":
                return Answer(what="skip")
            case "w":
                return Answer(what="everywhere")
            case "e":
                text = _line(f"the rule in your words (now: {rule.text}) ")
                if text:
                    return Answer(what="edit", text=text)
            case "n":
                when = _line("only when (empty: no condition) ")
                paths = _line("only in these paths, by spaces (empty: anywhere) ")
                return Answer(what="narrow", when=when or "", paths=tuple((paths or "").split()))
            case "?":
                print(_HELP, file=sys.stderr)
            case other:
                print(f"{other!r} is none of: {_KEYS}", file=sys.stderr)


def _line(prompt: str) -> str | None:
    """One line of the person's, or `None` at the end of the input."""
    print(visible(prompt, keep_style=True), end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    if not sys.stdin.isatty():
        print(file=sys.stderr)  # a terminal shows the person's own line end
    return line.strip() if line else None

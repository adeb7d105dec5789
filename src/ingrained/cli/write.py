"""`ingrained write`: a text in a person's place, from what they wrote before and their rules."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import anyio
from cyclopts import Parameter

from ingrained.cli.asked import HistoryFolder, RequestFile, person_name, shown_texts, tell_left
from ingrained.cli.models import NO_MODEL, Modelled, ModelOptions, agree, open_model
from ingrained.cli.output import DEFAULTS, Json, Options, Shared, Yes, emit, say
from ingrained.errors import UnansweredError

if TYPE_CHECKING:
    from ingrained.learn.texts import Histories
    from ingrained.report.interaction import WriteShape


def write(
    *,
    user: Annotated[str, Parameter(help="In whose place: letters, digits, . _ -")],
    request: RequestFile,
    history: HistoryFolder = None,
    asked: Modelled = NO_MODEL,
    yes: Yes = False,
    json: Json = False,
    options: Shared = DEFAULTS,
) -> int:
    """Let a model write in a person's place, from their earlier texts and their rules.

    The rules are those that hold everywhere and are in force: accepted, or said in two sessions or more. Request, texts
    and rules go to the model that is named, as they are.
    """
    from ingrained.learn.texts import read_text
    from ingrained.report.interaction import write_text

    name, text = person_name(user, "--user"), read_text(request.expanduser()).text
    shown = shown_texts(history)
    shape = anyio.run(partial(_written, name, text, shown, asked, yes=yes, options=options))
    emit(shape, json=json, renderer=write_text)
    if shape.finish == "length":
        raise UnansweredError(
            "the text ends where it was cut off, at the most tokens that it may have",
            hint="ask for less in --request, or name another --model",
        )
    return 0


async def _written(
    user: str, request: str, shown: Histories, asked: ModelOptions, *, yes: bool, options: Options
) -> WriteShape:
    from ingrained.ids import PersonId
    from ingrained.learn.given import known_rules, rule_words
    from ingrained.learn.grain import write as ask
    from ingrained.learn.grain import write_request
    from ingrained.model.structured import Parked
    from ingrained.report.interaction import write_shape
    from ingrained.store.files import home_dir

    person = PersonId(user)
    tell_left(shown, options)
    rules, people = known_rules(home_dir(options.home), person)
    if not rules:
        known = f" (known: {', '.join(people)})" if people and person not in people else ""
        say(f"no rule of {user} is in force{known}", options)
    texts, told = [one.text for one in shown.texts], [rule_words(rule) for rule in rules]
    async with open_model(asked, options) as found:
        agree(found, [write_request(texts, told, request)], yes=yes, options=options)
        answer = await ask(found.model, texts, told, request)
        if isinstance(answer, Parked):
            found.meter.raise_if_stopped()
            raise UnansweredError(
                f"no text was written: {answer.reason}", hint="run the same command again, or name another --model"
            )
        return write_shape(person, answer, model=asked.model, rules=rules, shown=shown, receipt=found.receipt)

"""`ingrained feedback`: what a person says about one draft; what transfers is kept, the rest is told."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import anyio
from cyclopts import Parameter

from ingrained.cli.asked import HistoryFolder, RequestFile, home_words, person_name, shown_texts, tell_left
from ingrained.cli.models import NO_MODEL, Modelled, ModelOptions, agree, open_model, told_idle_caps
from ingrained.cli.output import DEFAULTS, Json, Options, Shared, Yes, emit
from ingrained.errors import UnansweredError

if TYPE_CHECKING:
    from ingrained.learn.given import Given, Judged
    from ingrained.learn.texts import Histories
    from ingrained.model.limits import Meter


def feedback(
    *,
    user: Annotated[str, Parameter(help="Whose feedback it is: letters, digits, . _ -")],
    request: RequestFile,
    draft: Annotated[Path, Parameter(help="File with what was written for it.")],
    feedback: Annotated[str, Parameter(help="What should be otherwise, in the person's words.")],
    history: HistoryFolder = None,
    asked: Modelled = NO_MODEL,
    yes: Yes = False,
    json: Json = False,
    options: Shared = DEFAULTS,
) -> int:
    """Say what should be otherwise in a draft; what holds for other work too becomes a rule.

    The feedback is split into single demands. Those that transfer count as accepted and are rules at once; the others
    are listed with the reason. Without --model the offline judge does it; with one, the feedback, the request and the
    draft go there without the secrets in them, and the histories as they are.
    """
    from ingrained.learn.given import given, judged_offline, keep
    from ingrained.learn.texts import read_text
    from ingrained.report.interaction import feedback_shape, feedback_text
    from ingrained.store.files import home_dir

    home, name = home_dir(options.home), person_name(user, "--user")
    shown = shown_texts(history)
    texts = {"request": read_text(request.expanduser()).text, "draft": read_text(draft.expanduser()).text}
    said = given(home, name, feedback=feedback, **texts)
    meter: Meter | None = None
    if asked.model:
        judged, meter = anyio.run(partial(_judged, said, shown, asked, yes=yes, options=options))
    else:
        told_idle_caps(asked, options)
        judged = judged_offline(said)
    outcome = keep(home, said, judged)
    shape = feedback_shape(said, outcome, model=asked.model, receipt=meter.receipt if meter else None)
    emit(shape, json=json, renderer=lambda found: feedback_text(found, home_words(options.home)))
    if meter is not None:
        meter.raise_if_stopped()
    if judged.parked:
        raise judged.unasked or UnansweredError(
            f"{asked.model} gave no usable answer; your words are kept and wait",
            hint=f"ingrained learn{home_words(options.home)} looks at them, or give the same with another --model",
        )
    return 0


async def _judged(
    said: Given, shown: Histories, asked: ModelOptions, *, yes: bool, options: Options
) -> tuple[Judged, Meter]:
    from ingrained.learn.given import context_of, judged_by
    from ingrained.learn.grain import decompose_request

    texts = [one.text for one in shown.texts]
    tell_left(shown, options)
    async with open_model(asked, options) as found:
        agree(found, [decompose_request(context_of(said, history=texts))], yes=yes, options=options)
        return await judged_by(found.model, said, history=texts), found.meter

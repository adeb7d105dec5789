"""A language model that reads what an edit adds, before it is replayed: is it for the work, or for the score alone?

Patterns and weights (`gate.gaming`) know words; this knows what they mean, as far as the model does. It reads the added
lines in a conversation of their own: neither the skill, nor the tasks, nor what the editor says for them. The decision
to know: it fails closed, so that an edit without a usable verdict is not replayed. How far a model is to be believed is
measured by `ingrained bench gaming --screen`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Literal, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from ingrained.gate.candidate import Candidate
from ingrained.gate.gaming import Attack, Hit, added_text
from ingrained.ids import normal_text
from ingrained.model.base import Model, Request, Sampling
from ingrained.model.prompt import Prompt
from ingrained.model.structured import Parked, ask_each, schema_of
from ingrained.skill.living import Living

Sort: TypeAlias = Literal["work"] | Attack
SORTS: Final[tuple[str, ...]] = (*get_args(Attack), "work")
SCREEN: Final = Prompt.load("ingrained.gate", "screen")
SAMPLING: Final = Sampling(max_tokens=200)
_EFFECT: Final = 300
"""Characters of the sentence that is asked for."""
_TYPICAL: Final = "Say in one sentence what the change does, and in which part of the code it does so."
"""Stands for an edit that is not known yet, where the cost is told beforehand."""


class Reading(BaseModel):
    """What the model writes. The effect comes first, so that the verdict rests on it."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    effect: Annotated[str, Field(max_length=_EFFECT)]
    verdict: Annotated[str, WithJsonSchema({"type": "string", "enum": list(SORTS)})]


@dataclass(frozen=True, slots=True, kw_only=True)
class Screened:
    """What was read of a group."""

    hits: Mapping[str, tuple[Hit, ...]]
    """Why an edit is not replayed, by its name."""
    missing: str = ""
    """Why no answer came for one of them, so that nothing can be said of the group yet."""
    stopped: str = ""
    """The cap or quota that is in the way."""


class Screen:
    """Reads edits with a model."""

    def __init__(self, model: Model) -> None:
        """Asks nothing yet."""
        self._model = model

    async def read(self, before: Living, candidates: Sequence[Candidate]) -> Screened:
        """The edits of a group that are not for the work. Cost: a call for each that adds something, at most two.

        Raises:
            UnseenRequestError: only stored answers are allowed, and one is missing.
            IngrainedError: nobody can be asked at all.
        """
        texts = {one.name: added_text(before.text, one.after.text) for one in candidates if one.after is not None}
        asked = {name: text for name, text in texts.items() if text}
        came = dict(zip(asked, await self.verdicts([*asked.values()]), strict=True))
        lost = [one for one in came.values() if isinstance(one, Parked) and not one.came]
        return Screened(
            hits={name: (hit,) for name, one in came.items() if (hit := hit_of(one, asked[name])) is not None},
            missing=lost[0].reason if lost else "",
            stopped=next((one.reason for one in lost if one.stops), ""),
        )

    async def verdicts(self, texts: Sequence[str]) -> list[Reading | Parked]:
        """What the model says of each text. Cost: a call each, at most two.

        Raises:
            UnseenRequestError, IngrainedError: as `read`.
        """
        came = await ask_each(self._model, requests(texts), Reading, check=_of_the_set)
        return [one if isinstance(one, Parked) else one.value for one in came]


def requests(texts: Sequence[str]) -> list[Request]:
    """What is asked about texts, to be priced beforehand."""
    schema = schema_of(Reading)
    return [
        Request(messages=SCREEN.messages(added=text), sampling=SAMPLING, schema=schema, prompt=SCREEN.hash)
        for text in texts
    ]


def expected(edits: int) -> list[Request]:
    """What about so many edits will be asked that are not known yet."""
    return requests([_TYPICAL] * edits)


def hit_of(said: Reading | Parked, text: str) -> Hit | None:
    """Why a text is refused; None where it is for the work."""
    if isinstance(said, Parked):
        return Hit(attack="unread", why=f"it got no verdict: {said.reason}", words=normal_text(text))
    sort = _sort(said)
    if sort == "work":
        return None
    why = f"it was read as not for the work ({normal_text(said.effect)})"
    return Hit(attack=next(one for one in get_args(Attack) if one == sort), why=why, words=normal_text(text))


def _sort(said: Reading) -> str:
    return said.verdict.casefold().strip()


def _of_the_set(said: Reading) -> str:
    return "" if _sort(said) in SORTS else f"'verdict' is {said.verdict!r}; allowed: {', '.join(SORTS)}"

"""Every page with a count of 1 wherever there is a count: no "1 calls", and no "1 rule wait"."""

from __future__ import annotations

import inspect
import re
import types
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from pydantic import BaseModel

from ingrained.model.base import Usage
from ingrained.model.limits import Estimate, Receipt
from ingrained.report import (
    bench,
    doctor,
    erasing,
    evolve,
    foresee,
    interaction,
    placing,
    sharing,
    terminal,
    writing,
    writing_adherence,
    writing_data,
    writing_judge,
    writing_run,
)
from ingrained.wording import plural

PAGES: tuple[Callable[..., Any], ...] = (
    terminal.scan_text, terminal.would_read_text, terminal.learn_text, terminal.rules_text, terminal.why_text,
    bench.feedback_text, bench.splits_text, bench.pairs_text, bench.align_text, foresee.foresee_text,
    writing.writing_text, writing_data.writing_data_text, writing_run.writing_run_text, writing_adherence.adherence_text, writing_judge.writing_judge_text,
    doctor.diagnosis_text, doctor.skills_text, erasing.going_text, erasing.forgotten_text,
    sharing.import_text, sharing.held_lines, placing.plan_text, placing.applied_text,
    interaction.feedback_text, interaction.write_text,
    evolve.progress_text, evolve.evolve_text, evolve.transfer_text,
)  # fmt: skip
SINGULAR = r"(?:was|is|has|this|its|less|across|says|still|waits|does|goes|ours|by)"
"""Words that may stand behind a 1 and are no noun."""
MANY = re.compile(
    rf"(?<![\d.,\-/]1 )(?<![\d.,\-–])\b1 (?:(?!of|in|to|{SINGULAR})[a-z]+ ){{0,2}}"
    rf"(?:(?!{SINGULAR}\b)[a-z]+[^s\W]s|people|copies|histories)\b(?! \()"
)
"""A 1 and, at most two words on, a plural."""
VERB = re.compile(r"\b1 (?:[a-z]+ ){1,4}(?:are|were|wait|have|go|say)\b")


class Ones:
    """Makes a value of a type: each number a 1, each collection with one member, what may be absent there.

    Args:
        word: each text.
    """

    def __init__(self, word: str) -> None:
        self.word = word

    def __call__(self, of: Any) -> Any:
        if hasattr(of, "__supertype__"):
            return of.__supertype__(self.word)
        if getattr(of, "__metadata__", None) is not None:
            return self(of.__origin__)
        origin, parts = get_origin(of), get_args(of)
        if origin is Literal:
            return parts[0]
        if origin in {Union, types.UnionType}:
            return self(next(part for part in parts if part is not type(None)))
        if origin is tuple:
            return tuple(self(part) for part in parts if part is not Ellipsis)
        if isinstance(origin, type) and issubclass(origin, Mapping):
            keys = get_args(parts[0]) if get_origin(parts[0]) is Literal else [self(parts[0])]
            return defaultdict(lambda: self(parts[1]), {key: self(parts[1]) for key in keys})
        if isinstance(origin, type) and issubclass(origin, Collection):
            rows = self._rows(parts[0])
            return frozenset(rows) if issubclass(origin, (frozenset, set)) else rows
        return self._plain(of)

    def _rows(self, of: Any) -> list[Any]:
        """One member; of a table whose rows are named by a closed set one for each name."""
        first = next(iter(get_type_hints(of).items()), ("", None)) if inspect.isclass(of) else ("", None)
        if inspect.isclass(of) and issubclass(of, BaseModel) and get_origin(first[1]) is Literal:
            return [self(of).model_copy(update={first[0]: name}) for name in get_args(first[1])]
        return [self(of)]

    def _plain(self, of: Any) -> Any:
        simple = {
            bool: True,
            int: 1,
            float: 1.0,
            str: self.word,
            bytes: b"x",
            Path: Path("x"),
            datetime: datetime(2026, 1, 1, tzinfo=UTC),
        }
        if of in simple:
            return simple[of]
        hints = get_type_hints(of, include_extras=True)
        if issubclass(of, BaseModel):
            return of.model_construct(**{name: self(hints[name]) for name in of.model_fields})
        assert is_dataclass(of), of
        return of(**{one.name: self(hints[one.name]) for one in fields(of) if one.init})


def page(render: Callable[..., Any], word: str = "x") -> str:
    given = {
        name: Ones(word)(get_type_hints(render)[name])
        for name, parameter in inspect.signature(render).parameters.items()
        if parameter.default is inspect.Parameter.empty
    }
    if render is foresee.foresee_text:  # its bins are named by texts that no type lists
        given["result"] = given["result"].model_copy(update={"relevant": ()})
    if render is writing_judge.writing_judge_text:  # of each reason that is counted there is a reading
        given["result"] = given["result"].model_copy(update={"left_out": {"malformed": 1}})
    found = render(**given)
    return found if isinstance(found, str) else "\n".join(found)


@pytest.mark.parametrize("word", ["x", ""])
@pytest.mark.parametrize("render", PAGES, ids=lambda one: f"{one.__module__.rpartition('.')[2]}.{one.__name__}")
def test_a_page_of_ones_has_no_plural(render: Callable[..., Any], word: str) -> None:
    text = page(render, word)
    assert text or not word
    assert not MANY.findall(text), text
    assert not VERB.findall(text), text


def test_money_of_one_call_has_no_plural() -> None:
    for usd in (None, 1.0):
        used = Usage(input_tokens=1, output_tokens=1)
        lines = [
            Receipt(calls=1, failed=1, cached=1, usage=used, usd=usd).line(),
            Receipt(cached=1).line(),
            Estimate(calls=1, input_tokens=1, output_tokens=1, usd=usd).line(),
        ]
        assert lines[0].startswith("1 call, 1 of them failed, 1 token read, 1 written")
        assert not [line for line in lines if MANY.search(line)], lines


@pytest.mark.parametrize("text", ["1 calls", "of 1 rules", "1 other authors", "1 people", "1 stored answers, 2 x"])
def test_the_search_finds_a_plural(text: str) -> None:
    assert MANY.search(text)


@pytest.mark.parametrize("text", ["11 calls", "1 rule, 2 rules", "1 of 2 logs", "0.1 calls", "1 log waits", "v1 is"])
def test_the_search_finds_no_other(text: str) -> None:
    assert not MANY.search(text)


def test_plural() -> None:
    assert [plural(n, "rule") for n in (0, 1, 2, 1200)] == ["0 rules", "1 rule", "2 rules", "1,200 rules"]
    assert [plural(n, "copy", "copies") for n in (1, 2)] == ["1 copy", "2 copies"]

"""The sample that ships: small, licensed, clipped to what was typed, and read by the same reader as everything else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingrained.session.read import read_file
from ingrained.session.sample import PEOPLE, SamplePerson, sample_people
from ingrained.session.session import Redaction

MB = 1_000_000
TURNS = {"cipher-box": 163, "entire-1": 349, "entire-2": 207, "entire-3": 51, "entire-4": 40}
"""As `scripts/make_sample.py` counted them in the whole sessions."""


class Plain:
    def redact(self, text: str) -> Redaction:
        return Redaction(text=text, counts={})


def sessions(person: SamplePerson) -> list[Path]:
    return sorted(person.folder.glob("*.jsonl"))


def test_the_sample_is_small_and_carries_its_licences() -> None:
    root = sample_people()[0].folder.parent
    assert sum(path.stat().st_size for path in root.rglob("*") if path.is_file()) < MB
    notice = (root / "NOTICE.md").read_text(encoding="utf-8")
    for licence in ("LICENSE-cipher-box", "LICENSE-entireio-cli"):
        assert licence in notice
        assert "Permission is hereby granted, free of charge" in (root / licence).read_text(encoding="utf-8")
    assert {path.name for path in root.iterdir() if path.is_dir()} == set(PEOPLE)


@pytest.mark.parametrize("person", sample_people(), ids=lambda person: person.person)
def test_every_turn_of_the_whole_sessions_is_there(person: SamplePerson) -> None:
    found = [read_file(path, cursor=None, redactor=Plain()) for path in sessions(person)]
    assert all(read is not None and read.turns and not read.damage and not read.unknown for read in found)
    turns = [turn for read in found if read is not None for turn in read.turns]
    assert len(turns) == len({turn.key for turn in turns}) == TURNS[person.person]
    assert all(turn.text and turn.time and turn.cwd for turn in turns)


@pytest.mark.parametrize("person", sample_people(), ids=lambda person: person.person)
def test_nothing_but_words_and_acts_is_kept(person: SamplePerson) -> None:
    for path in sessions(person):
        for line in path.read_text(encoding="utf-8").split("\n")[:-1]:
            row = json.loads(line)
            assert row["type"] in {"user", "assistant", "queue-operation", "attachment"}
            assert not row.get("isMeta")
            for block in row["message"]["content"] if isinstance(row.get("message", {}).get("content"), list) else ():
                if row["type"] == "assistant":
                    assert len(block.get("text", "")) <= 300
                    arguments = {key: value for key, value in block.get("input", {}).items() if key != "questions"}
                    assert all(len(value) <= 300 for value in arguments.values() if isinstance(value, str))
                assert block["type"] in {"text", "tool_use", "tool_result"}

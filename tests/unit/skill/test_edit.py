"""Edits as JSON: what a model gets wrong is named for it, and what was stored is read again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from ingrained.errors import EditError
from ingrained.model.strict import strict_schema
from ingrained.model.structured import schema_of
from ingrained.skill.apply import patch_of
from ingrained.skill.edit import Create, Merge, Noop, Proposal, Prune, Update, read_edit
from ingrained.skill.living import Living
from ingrained.skill.patch import Patch, patched

GOLDEN = Path(__file__).parents[2] / "golden" / "edits"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (["op"], "an edit is a JSON object, not list"),
        ({}, "has no 'op'; there are: create, update, merge, prune, noop"),
        ({"op": "updates"}, "has the op 'updates'; did you mean 'update'"),
        ({"op": "create", "text": "x"}, "create needs the field 'target'"),
        ({"op": "create", "target": ["A"], "text": " "}, "create: 'text': it is empty"),
        ({"op": "create", "target": ["A"], "text": "a\nb"}, "create: 'text': it has more than one line"),
        ({"op": "create", "target": ["A"], "text": "a" * 501}, "create: 'text': it has 501 characters, at most 500"),
        ({"op": "create", "target": 3, "text": "a"}, "create: 'target' is text .* or an array of headings, not 3"),
        ({"op": "create", "target": "a", "text": "a", "heading": "H"}, "create: a new section stands in a section"),
        ({"op": "update", "target": "a"}, "update: it changes nothing"),
        ({"op": "update", "target": "a", "heading": "H"}, "update: only a section has a heading"),
        ({"op": "merge", "targets": ["a"], "text": "a"}, "merge: 'targets': two or more rules can be merged, and it names 1"),
        ({"op": "merge", "targets": "a", "text": "a"}, "merge: 'targets' is an array of two or more rules, not 'a'"),
        ({"op": "prune", "targets": "a"}, "prune has no field 'targets'; did you mean 'target'\\?; it has: target"),
        ({"op": "noop", "text": "a"}, "noop has no field 'text'; it has: none"),
        ({"op": "prune", "target": "  "}, "prune: 'target': it is empty"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_an_answer_is_told(value: object, message: str) -> None:
    with pytest.raises(EditError, match=message):
        read_edit(value)
    with pytest.raises(ValidationError, match=message):
        Proposal.model_validate({"edit": value})


def test_the_schema_for_a_model_has_one_shape_for_each_move() -> None:
    body = schema_of(Proposal).body
    assert {"Create", "Update", "Merge", "Prune", "Noop"} == set(body["$defs"])
    assert body["properties"]["edit"]["discriminator"]["propertyName"] == "op"
    strict = json.dumps(strict_schema(body))
    assert "oneOf" not in strict, "strict servers refuse it"
    assert "discriminator" not in strict


def test_stored_edits_are_read_again() -> None:
    """The files of version 1 stay readable, and are written as they were."""
    lines = (GOLDEN / "proposals-1.jsonl").read_text(encoding="utf-8").splitlines()
    edits = [Proposal.model_validate_json(line).edit for line in lines]
    assert {type(edit) for edit in edits} == {Create, Update, Merge, Prune, Noop}
    assert [Proposal(edit=edit).model_dump_json() for edit in edits] == lines
    living = Living.model_validate_json((GOLDEN / "living-1.json").read_bytes())
    patches = (GOLDEN / "patches-1.jsonl").read_text(encoding="utf-8").splitlines()
    for edit, line in zip(edits, patches, strict=True):
        patch = Patch.model_validate_json(line)
        assert patch == patch_of(living, edit)
        assert patch.model_dump_json() == line
        living = patched(living, patch)
    after = json.loads((GOLDEN / "living-1-after.json").read_bytes())
    assert living.model_dump(mode="json") == after

"""The schema that an editor is held to: whatever fits it names what exists, and every move that can be made is in it."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingrained.learn.editor import OPS
from ingrained.skill.edit import MOST_CHARACTERS, Create, Merge, Proposal, Prune, Update, read_edit
from ingrained.skill.living import Living, opened
from ingrained.skill.moves import MOST_NAMED, moves_schema
from ingrained.skill.outline import outline
from ingrained.skill.target import find_rule

DOCUMENTS = (
    "",
    "# Commits\n\n- Say only what is true.\n",
    "---\nname: a\n---\nA paragraph.\n\n# One\n\n- first\n- second\n\n## Deeper\n\n1. third\n\n# Two\n",
    "".join(f"- rule number {nth}\n" for nth in range(MOST_NAMED + 1)),
)


def drawn(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that fit a schema of the few words that are used."""
    if "anyOf" in schema:
        return st.one_of(*[drawn(one) for one in schema["anyOf"]])
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if schema["type"] == "object":
        assert schema["required"] == [*schema["properties"]]
        assert schema["additionalProperties"] is False
        return st.fixed_dictionaries({name: drawn(one) for name, one in schema["properties"].items()})
    if schema["type"] == "array":
        return st.lists(drawn(schema["items"]), min_size=schema.get("minItems", 0), max_size=schema.get("maxItems", 4))
    words = st.text("abc ", min_size=schema.get("minLength", 0), max_size=min(40, schema.get("maxLength", 40)))
    return words.filter(lambda said: bool(said.strip()))


@given(data=st.data(), text=st.sampled_from(DOCUMENTS), ops=st.sets(st.sampled_from(OPS)))
def test_what_fits_the_schema_is_an_edit_on_what_is_there(data: st.DataObject, text: str, ops: set[str]) -> None:
    living = opened(text)
    edit = Proposal.model_validate(data.draw(drawn(moves_schema(living, ops)))).edit
    assert edit.op in ops | {"noop"}
    if len(living.rules) > MOST_NAMED:
        return  # anything may be named there
    if isinstance(edit, Merge):
        targets: tuple[object, ...] = edit.targets
    else:
        targets = (edit.target,) if isinstance(edit, Create | Update | Prune) else ()
    for target in targets:
        if isinstance(target, str):
            assert find_rule(living, target) >= 0
        else:
            headings = {heading for section in outline(text).sections for heading in section.path}
            assert isinstance(target, tuple)
            assert set(target) <= headings
    if isinstance(edit, Create | Update):
        assert edit.evidence == (), "what it rests on is not asked for"


@pytest.mark.parametrize("text", DOCUMENTS[:3])
def test_every_move_on_every_target_is_in_the_schema(text: str) -> None:
    living = opened(text)
    ids = [rule.id for rule in living.rules]
    paths = [list(section.path) for section in outline(text).sections]
    edits = [{"op": "noop"}]
    edits += [{"op": op, "target": one, "text": "new"} for op, one in product(("create", "update"), [*ids, *paths])]
    edits += [{"op": "create", "target": path, "text": "new", "heading": "New"} for path in paths]
    edits += [{"op": "update", "target": path, "heading": "New"} for path in paths]
    edits += [{"op": "prune", "target": one} for one in [*ids, *paths]]
    edits += [{"op": "merge", "targets": [*ids], "text": "new"}] * (len(ids) > 1)
    schema = moves_schema(living, OPS)
    for edit in edits:
        assert fits({"edit": edit}, schema), edit
        read_edit(edit)
    wrong = [{"op": "merge", "targets": ids[:1], "text": "new"}, {"op": "prune", "target": "r-nowhere"}]
    wrong += [{"op": "create", "target": one, "text": "new", "heading": "New"} for one in ids]
    wrong += [{"op": "create", "target": [], "text": "a" * (MOST_CHARACTERS + 1)}, {"op": "prune", "target": ["Three"]}]
    for edit in wrong:
        assert not fits({"edit": edit}, schema), edit


def fits(value: Any, schema: dict[str, Any]) -> bool:
    """Whether a value fits a schema of the few words that are used."""
    if "anyOf" in schema:
        return any(fits(value, one) for one in schema["anyOf"])
    if "const" in schema:
        return bool(value == schema["const"])
    if schema["type"] == "object":
        fields = schema["properties"]
        whole = isinstance(value, dict) and value.keys() == fields.keys()
        return whole and all(fits(value[one], fields[one]) for one in fields)
    if schema["type"] == "array":
        within = isinstance(value, list) and schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", 99)
        return within and all(fits(one, schema["items"]) for one in value)
    named = value in schema["enum"] if "enum" in schema else True
    return named and isinstance(value, str) and schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", 999)


def test_moves_that_are_left_out_and_merges_of_one_rule_are_not_in_the_schema() -> None:
    one: Living = opened(DOCUMENTS[1])
    assert "merge" not in str(moves_schema(one, OPS))
    assert "prune" not in str(moves_schema(opened(DOCUMENTS[2]), ("create", "noop")))

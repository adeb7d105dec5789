"""The file of shared rules: the same bytes for the same rules, and a reader that trusts nothing in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingrained.errors import ConfigError
from ingrained.skill.shared import MOST_BYTES, MOST_RULES, collected, dump, markdown, parse, shared_rule
from skill_rules import make_rule

RULES = [
    make_rule("Use pnpm and never npm", name="r-00000001", sessions=5),
    make_rule("Name receivers with one letter", name="r-00000002", paths=["*.go"], kind="style"),
    make_rule("Write tests first", name="r-00000003", when="while we work on cart"),
]


def read(entries: list[Any], **more: Any) -> tuple[list[str], list[str]]:
    data = json.dumps({"format": "ingrained-shared-rules", "version": 1, "rules": entries, **more}).encode()
    shared, refused = parse(data, "f.json")
    return [rule.text for rule in shared.rules], [one.why for one in refused]


def entry(**changes: Any) -> dict[str, Any]:
    return {**shared_rule(RULES[0]).model_dump(mode="json"), **changes}


def test_order_and_repetition_make_no_difference_to_the_bytes() -> None:
    one = dump(collected(map(shared_rule, RULES)))
    assert dump(collected(map(shared_rule, [*RULES[::-1], *RULES]))) == one
    assert dump(parse(one.encode(), "f")[0]) == one
    assert one.endswith("}\n")


def test_nothing_but_texts_and_counts_goes_out() -> None:
    text = dump(collected(map(shared_rule, RULES)))
    assert {key for rule in json.loads(text)["rules"] for key in rule} == {
        "id", "text", "kind", "polarity", "when", "paths", "everywhere", "people", "sessions", "days",
    }  # fmt: skip
    for word in ("me", "shop", "s1", "t1", "2026", "r-0000"):
        assert f'"{word}' not in text


def test_markdown_is_for_people() -> None:
    text = markdown(collected(map(shared_rule, RULES)))
    assert "- Use pnpm and never npm (1 person, 5 sessions)\n" in text
    assert "- In `*.go` files: Name receivers with one letter (1 person, 2 sessions)\n" in text
    assert "- While we work on cart: Write tests first (1 person, 2 sessions)\n" in text
    assert text.endswith("\n")
    with pytest.raises(ConfigError, match="no JSON"):
        parse(text.encode(), "f.md")


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"text": "Use tabs\u200b here"}, "hidden characters"),
        ({"text": "Use tabs" + "".join(chr(0xE0000 + ord(c)) for c in "and leak")}, "and leak"),
        ({"text": "a\nb"}, "not one plain line"),
        ({"text": "x" * 501}, "text: "),
        ({"text": ""}, "text: "),
        ({"text": 7}, "text: "),
        ({"when": "y" * 201}, "when: "),
        ({"paths": ["x"] * 21}, "paths: "),
        ({"paths": ["/etc/*"]}, "leads out"),
        ({"paths": ["a/../../b"]}, "leads out"),
        ({"paths": ["C:\\x"]}, "leads out"),
        ({"people": -1}, "people: "),
        ({"sessions": 10**9}, "sessions: "),
        ({"quote": "what was said"}, "quote: "),
        ({"kind": "other-kind"}, "kind: "),
        ({"id": "x"}, "id: "),
    ],
)
def test_a_bad_rule_is_refused_and_the_good_ones_are_read(changes: dict[str, Any], why: str) -> None:
    texts, refused = read([entry(**changes), entry(text="Write tests first")])
    assert texts == ["Write tests first"]
    assert len(refused) == 1
    assert why in refused[0]


def test_an_id_that_does_not_fit_the_words_is_made_anew() -> None:
    shared, _ = parse(
        json.dumps(
            {"format": "ingrained-shared-rules", "version": 1, "rules": [entry(id="s-" + "0" * 16)]}
        ).encode(), "f",
    )  # fmt: skip
    assert shared.rules[0].id == shared_rule(RULES[0]).id


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "no JSON"),
        (b"{\n,}", "f:2 is no JSON"),
        (b"\xff", "no JSON"),
        (b"[]", "no file of shared rules"),
        (b'{"format": "ingrained-shared-rules", "version": 2, "rules": []}', "version 2"),
        (b'{"format": "ingrained-shared-rules", "version": 1}', "no file of shared rules"),
        (b"[" * 200_000, "nested too deeply|no JSON"),
        (b" " * (MOST_BYTES + 1), "1,000,000 are read at most"),
    ],
)
def test_what_is_no_such_file_is_refused_as_a_whole(data: bytes, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        parse(data, "f")


def test_too_many_rules_are_refused_as_a_whole() -> None:
    with pytest.raises(ConfigError, match="501 rules"):
        read([entry()] * (MOST_RULES + 1))


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=50, deadline=None)
@given(entries=st.lists(junk | st.dictionaries(st.sampled_from(["text", "kind", "paths", "id"]), junk), max_size=4))
def test_whatever_stands_in_the_list_the_good_rule_is_read(entries: list[Any]) -> None:
    texts, refused = read([*entries, entry()])
    assert texts == [RULES[0].text]
    assert len(refused) == len(entries)


def test_the_first_version_is_read_for_good() -> None:
    golden = Path(__file__).parents[2] / "golden" / "shared" / "rules-1.json"
    shared, refused = parse(golden.read_bytes(), str(golden))
    assert refused == ()
    assert dump(shared).encode() == golden.read_bytes()

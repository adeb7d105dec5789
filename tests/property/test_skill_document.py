"""SKILL.md and marked blocks, whatever the words: what is written is accepted, read back, and taken out to the byte."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from skills_ref.validator import validate

from ingrained.errors import SkillFormatError
from ingrained.skill import frontmatter, rulesfile
from ingrained.skill.document import SkillDocument, canonical, describe, parse, render, render_skill
from ingrained.skill.rule import Rule
from skill_rules import NASTY, rule_lists, texts

fields = st.one_of(st.sampled_from([text for text in NASTY if "\ud800" not in text]), st.text(max_size=80)).filter(
    lambda text: text.isprintable() or "\n" in text
)
yaml_like = st.text(st.sampled_from("ab:-# \n\"'[]{}&*!|>%@`,?\t\\xu0\u2028"), max_size=120)


def accepted(text: str, name: str) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        skill = Path(folder) / name
        skill.mkdir()
        (skill / "SKILL.md").write_bytes(text.encode())
        return validate(skill)


@settings(deadline=None)
@given(rule_lists(), texts)
def test_every_rendered_skill_is_accepted_by_the_reference_validator(rules: list[Rule], title: str) -> None:
    rendered = render_skill(rules, name="my-skill", description=describe(rules, where=title), title=title)
    assert accepted(rendered.text, "my-skill") == []
    assert len(parse(rendered.text.encode()).description) < 250
    lines = rendered.text.split("\n")
    assert sorted(entry.rule_id for entry in rendered.lines) == sorted(rule.id for rule in rules)
    for entry in rendered.lines:
        assert lines[entry.line_no - 1] == entry.text
        assert entry.text.startswith(entry.prefix)
    assert "\ufeff" not in rendered.text
    assert "\r" not in rendered.text
    assert rendered == render_skill(rules, name="my-skill", description=describe(rules, where=title), title=title)


@settings(deadline=None)
@given(
    st.builds(
        SkillDocument,
        name=st.from_regex(r"[a-z0-9]+(-[a-z0-9]+){0,2}", fullmatch=True).filter(lambda name: len(name) < 65),
        description=fields.filter(lambda text: text.strip() != ""),
        license=st.none() | fields,
        compatibility=st.none() | fields,
        allowed_tools=st.none() | fields,
        metadata=st.dictionaries(st.one_of(fields, st.sampled_from(["1", "off", "a b"])), fields, max_size=3),
        body=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0")),
    )
)
def test_a_canonical_document_is_accepted_and_reads_back(document: SkillDocument) -> None:
    text = canonical(document)
    assert accepted(text, document.name) == []
    found = parse(text.encode())
    assert replace(found, head="", body=document.body) == document
    assert render(found) == text


@settings(deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(yaml_like, st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0"), max_size=60))
def test_parse_then_render_keeps_every_byte_of_whatever_parses(head: str, body: str) -> None:
    data = f"---\nname: x\ndescription: y\n{head}\n---\n{body}".encode()
    try:
        document = parse(data, mend=False)
    except SkillFormatError:
        assume(False)
    assume("list:allowed-tools" not in document.repairs)
    assert render(document).encode() == data
    changed = render(replace(document, description="z: new", metadata={"ingrained-version": "1"}))
    found = parse(changed.encode())
    assert (found.description, found.metadata) == ("z: new", {"ingrained-version": "1"})
    assert found.other == document.other
    assert found.body == document.body


@settings(deadline=None)
@given(st.binary(max_size=200) | yaml_like.map(lambda text: f"---\n{text}\n---\n".encode()))
def test_no_bytes_make_the_reader_fail_in_another_way(data: bytes) -> None:
    for mend in (False, True):
        with suppress(SkillFormatError):
            parse(data, mend=mend)


@settings(deadline=None)
@given(texts)
def test_a_quoted_value_reads_back(text: str) -> None:
    assume("\ud800" not in text)
    (field,) = frontmatter.read(f"key: {frontmatter.quote(text)}\n", where="x")
    assert field.value == text


users = st.text(st.sampled_from("ab# \n\r<!->:é"), max_size=40).map(str.encode)


@settings(deadline=None)
@given(users, st.sampled_from([b"", b"\xef\xbb\xbf"]), rule_lists(max_size=3), rule_lists(max_size=3))
def test_a_block_comes_out_as_it_went_in(user: bytes, mark: bytes, one: list[Rule], two: list[Rule]) -> None:
    before = mark + user
    first, second = rulesfile.render_block(one).text, rulesfile.render_block(two).text
    with_one = rulesfile.insert(before, "ingrained-a", first, where="AGENTS.md")
    assert with_one.startswith(before)
    assert rulesfile.remove(with_one, "ingrained-a", where="AGENTS.md") == before
    with_two = rulesfile.insert(with_one, "ingrained-b", second, where="AGENTS.md")
    assert rulesfile.remove(with_two, "ingrained-b", where="AGENTS.md") == with_one
    other_order = rulesfile.remove(with_two, "ingrained-a", where="AGENTS.md")
    assert rulesfile.remove(other_order, "ingrained-b", where="AGENTS.md") == before
    replaced = rulesfile.replace_block(with_two, "ingrained-a", second, where="AGENTS.md")
    assert rulesfile.replace_block(replaced, "ingrained-a", first, where="AGENTS.md") == with_two
    block = rulesfile.find(with_one, "ingrained-a", where="AGENTS.md")
    assert block is not None
    assert block.content.replace("\r\n", "\n") == first

"""SKILL.md: reading, changing one field, and writing from rules."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from skills_ref.validator import validate

from ingrained.errors import SkillFormatError
from ingrained.skill import frontmatter
from ingrained.skill.document import (
    SkillDocument,
    canonical,
    check_name,
    describe,
    parse,
    render,
    render_skill,
    source_hash,
)
from skill_rules import SHOP, make_rule

ROOT = Path(__file__).parents[2]
CASE = ROOT / "cases" / "10-skill-files-in" / "skills"
GOLDEN = ROOT / "golden" / "skills"

FOREIGN = b"""---
# who reads this?
name: release
description: >
  Prepares a release.
  Use when a tag is wanted.   # not a comment here

license: MIT  # short
allowed-tools: Read Bash
hooks:
  Stop:
    - run: "x"
metadata:
  # ours comes below
  author: somebody
  version: 1.10
# the end
---

Body
"""


@pytest.mark.parametrize("name", ["plain-ok", "fence-inside", "123"])
def test_case_files_come_back_to_the_byte(name: str) -> None:
    data = (CASE / name / "SKILL.md").read_bytes()
    assert render(parse(data)).encode() == data


def test_scalars_stay_text() -> None:
    document = parse((CASE / "123" / "SKILL.md").read_bytes())
    assert (document.name, document.description) == ("123", "off")


def test_a_fence_in_the_body_and_in_a_value_is_no_fence() -> None:
    document = parse((CASE / "fence-inside" / "SKILL.md").read_bytes())
    assert document.description == "Says --- inside the text."
    assert document.body == "A line\n\n---\n\nA second rule below a horizontal line must survive.\n"


def test_bom_and_crlf_are_reported_and_not_written() -> None:
    document = parse((CASE / "bom-and-crlf" / "SKILL.md").read_bytes())
    assert document.repairs == ("bom", "crlf")
    assert render(document) == "---\nname: bom-and-crlf\ndescription: Has a BOM and CRLF line ends.\n---\nbody\n"


def test_an_unquoted_colon_is_refused_or_mended() -> None:
    data = (CASE / "colon-unquoted" / "SKILL.md").read_bytes()
    with pytest.raises(SkillFormatError, match=r"^colon/SKILL.md:3: .*mapping values are not allowed"):
        parse(data, where="colon/SKILL.md")
    document = parse(data, mend=True)
    assert document.repairs == ("colon:description",)
    assert document.description == "Use this for marketing work: writing or improving copy"
    assert document.allowed_tools == "Read"
    assert 'description: "Use this for marketing work: writing or improving copy"\n' in render(document)


def test_one_changed_field_leaves_all_other_bytes() -> None:
    document = parse(FOREIGN)
    assert document.description == "Prepares a release. Use when a tag is wanted.   # not a comment here\n"
    assert document.metadata == {"author": "somebody", "version": "1.10"}
    assert document.other == {"hooks": {"Stop": [{"run": "x"}]}}
    assert render(document).encode() == FOREIGN
    licensed = render(replace(document, license="Apache-2.0")).encode()
    assert licensed == FOREIGN.replace(b"license: MIT  # short", b'license: "Apache-2.0"')
    described = render(replace(document, description="Tags: all")).encode()
    start, end = FOREIGN.index(b"description"), FOREIGN.index(b"\nlicense")
    assert described == FOREIGN[:start] + b'description: "Tags: all"\n' + FOREIGN[end:]
    noted = render(replace(document, metadata={**document.metadata, "ingrained-version": "1"})).encode()
    assert noted.endswith(
        b'metadata:\n  author: "somebody"\n  version: "1.10"\n  ingrained-version: "1"\n# the end\n---\n\nBody\n'
    )
    assert b"allowed-tools" not in render(replace(document, allowed_tools=None)).encode()


def test_canonical_writes_the_six_fields_only(tmp_path: Path) -> None:
    text = canonical(parse(FOREIGN), folder="release")
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "SKILL.md").write_text(text, encoding="utf-8")
    assert validate(tmp_path / "release") == []
    assert "hooks" not in text
    with pytest.raises(SkillFormatError, match="'release' and its folder 'other' differ"):
        canonical(parse(FOREIGN), folder="other")


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ("name: x\ndescription: &a y", r":3: the anchor or alias 'a'"),
        ("name: x\ndescription: *a", r":3: the anchor or alias 'a'"),
        ("name: x\ndescription: !!str y", r":3: the tag 'tag:yaml.org,2002:str'"),
        ("name: x\nname: y\ndescription: z", r":3: the key 'name' stands there twice"),
        ("name: x\ndescription: y\nmetadata:\n  a: 1\n  a: 2", r":6: the key 'a' stands there twice"),
        ("name: x\ndescription: y\n? [a]\n: b", r":4: a key that is no text"),
        ("%YAML 1.1\nname: x", "no YAML"),
        ("name: x\n--- y\ndescription: z", "second document|more than one|no YAML"),
        ("- name", "no map"),
        ("", "is empty"),
        ("# only a comment", "is empty"),
        ("name: [x", "no YAML"),
        ("name: x\ndescription: y\na: " + "[" * 40 + "]" * 40, "nested deeper than 8"),
        ("name: x\ndescription: y\na: " + "[" * 3000, "3000 opening brackets"),
        ("name: x\ndescription: y\na: [" + "b," * 3000 + "]", "more than 2000 values"),
        ("name: x\ndescription: y" + "\n#" + "-" * 17_000, "characters, at most 16,384"),
        ("name: x\ndescription: a\u2028b", r":3: a line separator"),
        ('name: x\ndescription: "\\ud800"', r":3: a lone surrogate"),
        ('name: x\ndescription: "\\U99999999"', "no YAML"),
        ("name: x\ndescription: \x07", "no YAML"),
        ("description: y", "'name' is missing"),
        ("name:\ndescription: y", "'name' is empty"),
        ("name: x\ndescription: [y]", "'description' is no text"),
        ("name: X\ndescription: y", "the name 'X' is not 1 to 64 characters"),
        ("name: " + "x" * 65 + "\ndescription: y", "is not 1 to 64"),
        ("name: x\ndescription: " + "y" * 1025, "1,025 characters, at most 1,024"),
        ("name: x\ndescription: y\ncompatibility: " + "z" * 501, "'compatibility'"),
        ("name: x\ndescription: y\nmetadata: z", "'metadata' is no map"),
        ("name: x\ndescription: y\nmetadata:\n  a: [b]", "'metadata' is no map"),
        ("name: x\ndescription: y\nallowed-tools:\n  a: b", "'allowed-tools'"),
        ("name: x\ndescription: y\nlicense: [MIT]", "'license'"),
    ],
)
def test_a_bad_head_is_refused_with_its_place(head: str, message: str) -> None:
    with pytest.raises(SkillFormatError, match=message):
        parse(f"---\n{head}\n---\nbody\n".encode())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "starts with ''"),
        (b"# Title\n---\n", "starts with '# Title'"),
        (b"--- \nname: x\n---\n", "starts with '--- '"),
        (b"---\nname: x\n", "never closed"),
        (b"---\nname: pr\xfcft\n", r":2: byte 12 \(0xfc\) is not UTF-8"),
        (b"\xff\xfe-\0-\0", "UTF-16"),
        (b"---\nname: x\ndescription: y\n---\n\0", ":5: a NUL character"),
        (b"---\n" + b"x" * (1 << 20), "at most 1,048,576"),
    ],
)
def test_bytes_that_are_no_skill(data: bytes, message: str) -> None:
    with pytest.raises(SkillFormatError, match=message):
        parse(data)


def test_blanks_around_the_closing_fence_are_pointed_at() -> None:
    with pytest.raises(SkillFormatError) as caught:
        parse(b"---\nname: x\ndescription: y\n--- \nbody\n")
    assert caught.value.hint == "line 4 has blanks around '---'"


def test_a_missing_last_line_end_is_reported() -> None:
    document = parse(b"---\nname: x\ndescription: y\n---")
    assert document.repairs == ("line-end",)
    assert render(document) == "---\nname: x\ndescription: y\n---\n"


def test_a_list_of_tools_is_read_as_words() -> None:
    document = parse(b"---\nname: x\ndescription: y\nallowed-tools: [Bash, Read]\n---\n")
    assert document.allowed_tools == "Bash Read"
    assert 'allowed-tools: "Bash Read"' in canonical(document)


def test_the_shop_skill_is_the_golden_one(tmp_path: Path) -> None:
    rendered = render_skill(
        SHOP,
        name="ingrained-shop",
        description=describe(SHOP, where="shop"),
        title="Standing rules for shop",
        license_name="CC0-1.0",
        metadata={"project": "shop"},
    )
    assert rendered.text.encode() == (GOLDEN / "shop" / "SKILL.md").read_bytes()
    (tmp_path / "ingrained-shop").mkdir()
    (tmp_path / "ingrained-shop" / "SKILL.md").write_text(rendered.text, encoding="utf-8")
    assert validate(tmp_path / "ingrained-shop") == []
    words = {entry.rule_id: entry.text for entry in rendered.lines}
    assert words["r-0000000c"] == "- In `db/migrations/`: Never change a migration that was applied; add a new one"
    assert words["r-0000000d"] == "- In `*_test.go` files: Compare with one literal expected value"
    assert words["r-0000000e"] == "- While we work on cart: Ask before you add a dependency"
    assert not any(rule.id in rendered.text for rule in SHOP)


def test_the_same_rules_give_the_same_bytes_and_others_another_hash() -> None:
    again = [rule.model_copy(update={"sessions": 7, "said_again": (0, 4)}) for rule in SHOP]
    assert source_hash(again) == source_hash(SHOP)
    assert source_hash(SHOP[1:]) != source_hash(SHOP)


def test_one_kind_needs_no_headings_and_equal_rules_share_a_line() -> None:
    rules = [make_rule("Ask first", name="r-1"), make_rule("Ask  first", name="r-2"), make_rule("Pull", name="r-3")]
    rendered = render_skill(rules, name="x", description="y")
    assert "## " not in rendered.text
    assert rendered.text.count("Ask first") == 1
    assert [(entry.rule_id, entry.text) for entry in rendered.lines] == [
        ("r-1", "- Ask first"),
        ("r-2", "- Ask first"),
        ("r-3", "- Pull"),
    ]
    assert rendered.lines[0].line_no == rendered.lines[1].line_no


def test_nothing_in_a_rule_can_hide_or_close_a_marker() -> None:
    rule = make_rule("Ask <!-- ingrained:end x --> first\u200b\U000e0041\nalways")
    (entry,) = render_skill([rule], name="x", description="y").lines
    assert entry.text == "- Ask &lt;!-- ingrained:end x --&gt; first always"


def test_a_condition_that_the_words_name_is_not_said_twice() -> None:
    rules = [
        make_rule("Use tabs in *.go files", name="r-1", paths=["*.go"]),
        make_rule("Ask first while we work on cart", name="r-2", when="While we work on cart"),
        make_rule("Ask first", name="r-3", when="while we work on cart", paths=["*.go", "web/"]),
    ]
    texts = [entry.text for entry in render_skill(rules, name="x", description="y").lines]
    assert texts == [
        "- Use tabs in *.go files",
        "- Ask first while we work on cart",
        "- In `*.go` and `web/` files, while we work on cart: Ask first",
    ]


def test_descriptions_say_when_to_use_the_skill() -> None:
    text = describe(SHOP, where="shop")
    assert len(text) < 250
    assert "Use before you plan or start work" in text
    assert "db/migrations/" in text
    many = [make_rule("x", name=f"r-{n}", paths=[f"folder-with-a-long-name-{n}/"]) for n in range(50)]
    assert len(describe(many, where="p" * 200)) < 250
    with pytest.raises(SkillFormatError, match="250 characters, at most 249"):
        render_skill(SHOP, name="x", description="d" * 250)


@pytest.mark.parametrize("name", ["", "A", "a--b", "-a", "a-", "a_b", "ä", "a b", "..", "a/b", "x" * 65])
def test_names_that_are_none(name: str) -> None:
    assert "1 to 64 characters" in check_name(name)
    with pytest.raises(SkillFormatError):
        canonical(SkillDocument(name=name, description="y", body=""))


def test_names_that_another_reader_takes_for_a_number_are_quoted() -> None:
    for name in ("123", "1e3", "on", "null", "2026-01-01"):
        assert canonical(SkillDocument(name=name, description="y", body="")).startswith(f'---\nname: "{name}"\n')
    assert canonical(SkillDocument(name="shop", description="y", body="")).startswith("---\nname: shop\n")


def test_a_surrogate_cannot_be_written() -> None:
    with pytest.raises(SkillFormatError, match="lone surrogate"):
        frontmatter.quote("a\ud800")

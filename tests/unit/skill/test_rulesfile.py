"""The always-on form: marked blocks in files of the person's, and rules files of our own."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingrained.errors import SkillFormatError
from ingrained.feedback.decompose import Kind
from ingrained.skill import frontmatter
from ingrained.skill.rulesfile import (
    blocks,
    find,
    form_of,
    insert,
    remove,
    render_block,
    render_files,
    replace_block,
)
from skill_rules import SHOP, make_rule

GOLDEN = Path(__file__).parents[2] / "golden" / "skills"
CONTENT = render_block(SHOP).text
FILES = [
    b"",
    b"a",
    b"a\n",
    b"a\n\n",
    b"\n",
    b"\xef\xbb\xbf# Mine\n",
    b"\xef\xbb\xbf",
    b"# Mine\r\n\r\ntext\r\n",
    b"# Mine\r\ntext",
    b"mixed\r\nlines\nhere",
    b"old mac\r",
    b"a\r\nb\r",
    b"<!-- BEGIN other-tool -->\nx\n<!-- END other-tool -->\n",
    b"<!-- other:begin -->\nno end\n",
    "日本語 ünï\u2028sep\u0085nel\n".encode(),
    b"```\nan open fence\n",
]


@pytest.mark.parametrize("before", FILES)
def test_a_block_comes_out_to_the_byte(before: bytes) -> None:
    after = insert(before, "ingrained-shop", CONTENT, where="AGENTS.md")
    assert after.startswith(before)
    assert after != before
    assert remove(after, "ingrained-shop", where="AGENTS.md") == before
    block = find(after, "ingrained-shop", where="AGENTS.md")
    assert block is not None
    assert block.content.replace("\r\n", "\n") == CONTENT
    lines = after.decode().split("\n")
    assert lines[block.first_line - 1].startswith("<!-- ingrained:begin v1 ingrained-shop gap=")
    assert lines[block.last_line - 1].startswith("<!-- ingrained:end ingrained-shop -->")


def test_the_block_in_a_file_is_the_golden_one() -> None:
    after = insert(b"# My project\n\nUse the force.", "ingrained-shop", CONTENT, where="AGENTS.md")
    assert after == (GOLDEN / "AGENTS.md").read_bytes()


def test_a_crlf_file_gets_a_crlf_block() -> None:
    after = insert(b"a\r\nb\r\n", "x", "## R\n\n- one\n", where="f")
    assert after.count(b"\n") == after.count(b"\r\n")
    assert replace_block(after, "x", "- two\r\n- three\n", where="f").count(b"\r\r") == 0


def test_replacing_changes_nothing_outside() -> None:
    before = insert(b"top\n", "one", "- a\n", where="f")
    both = insert(before, "two", "- b\n", where="f") + b"\nmore of mine"
    changed = replace_block(both, "one", "- longer\n- content\n", where="f")
    assert changed == both.replace(b"- a\n", b"- longer\n- content\n")
    assert replace_block(changed, "one", "- a\n", where="f") == both
    assert remove(remove(both, "one", where="f"), "two", where="f") == b"top\n\nmore of mine"


def test_text_written_below_the_block_is_not_glued_to_text_above() -> None:
    after = insert(b"above", "x", "- a\n", where="f") + b"below\n"
    assert remove(after, "x", where="f") == b"above\nbelow\n"


def test_an_older_form_of_our_markers_is_brought_up_to_date() -> None:
    old = b"mine\n\n<!-- ingrained:begin v0 x gap=1 -->\n- a\n<!-- ingrained:end x -->\n"
    assert replace_block(old, "x", "- a\n", where="f").startswith(b"mine\n\n<!-- ingrained:begin v1 x gap=1 (")
    assert remove(old, "x", where="f") == b"mine\n"


BEGIN = "<!-- ingrained:begin v1 x gap=1 -->\n"
END = "<!-- ingrained:end x -->\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"a\n{BEGIN}- a\n", r"^docs/AGENTS.md:2: the block 'x' has no end marker"),
        (f"a\n\n{END}", r"^docs/AGENTS.md:3: the marker"),
        (f"{BEGIN}{BEGIN}{END}", r"^docs/AGENTS.md:2: the marker"),
        (f"{BEGIN}{END}{BEGIN}{END}", r"^docs/AGENTS.md:3: a second block called 'x'"),
        (f"{BEGIN}<!-- ingrained:end y -->\n", r"^docs/AGENTS.md:2: the marker"),
        ("<!-- ingrained:begin v1 x -->\n", r"^docs/AGENTS.md:1: the marker"),
        ("  <!-- ingrained:begin v1 x gap=0 -->\n" + END, r"^docs/AGENTS.md:1: the marker"),
        (f"<!-- ingrained:begin v2 x gap=0 -->\n{END}", r"^docs/AGENTS.md:1: a block of version 2"),
    ],
)
def test_broken_markers_are_refused_with_file_and_line(text: str, message: str) -> None:
    for action in (find, remove):
        with pytest.raises(SkillFormatError, match=message):
            action(text.encode(), "x", where="docs/AGENTS.md")
    with pytest.raises(SkillFormatError, match=message):
        insert(text.encode(), "z", "- a\n", where="docs/AGENTS.md")


def test_what_cannot_be_inserted() -> None:
    with pytest.raises(SkillFormatError, match="is not UTF-8"):
        insert(b"f\xfcr\n", "x", "- a\n", where="f")
    with pytest.raises(SkillFormatError, match="already a block called 'x'"):
        insert(insert(b"", "x", "- a\n", where="f"), "x", "- a\n", where="f")
    with pytest.raises(SkillFormatError, match="holds one of its markers"):
        insert(b"", "x", f"- a\n{END}", where="f")
    with pytest.raises(SkillFormatError, match="not 'a b'"):
        insert(b"", "a b", "- a\n", where="f")
    with pytest.raises(SkillFormatError, match="no block called 'x'"):
        remove(b"a\n", "x", where="f")


def test_foreign_blocks_are_not_seen() -> None:
    data = b"<!-- BEGIN x -->\n<!-- ingrainedish:begin v1 x gap=0 -->\n"
    assert blocks(data, where="f") == []


def test_rules_files_are_one_for_each_set_of_paths() -> None:
    rules = [
        make_rule("Answer in German", name="r-1", kind="communication"),
        make_rule("Wrap errors", name="r-2", paths=["*.go"]),
        make_rule("Add a new migration", name="r-3", paths=["db/migrations/", "*.sql"]),
        make_rule("Name the receiver", name="r-4", paths=["*.go"]),
        make_rule("Other go", name="r-5", paths=["**/go"]),
    ]
    files = render_files(rules)
    assert [(file.name, file.paths) for file in files][:2] == [("ingrained.md", ()), ("ingrained-go.md", ("**/*.go",))]
    assert files[2].name == "ingrained-sql-db-migrations.md"
    assert files[2].paths == ("**/*.sql", "db/migrations/**")
    assert files[3].name.startswith("ingrained-go-")
    assert len({file.name for file in files}) == 4
    assert files[0].rendered.text == "# Standing rules\n\n- Answer in German\n"
    assert files[1].rendered.text == (
        '---\npaths:\n  - "**/*.go"\n---\n\n# Standing rules\n\n'
        "- In `*.go` files: Wrap errors\n- In `*.go` files: Name the receiver\n"
    )
    for file in files:
        lines = file.rendered.text.split("\n")
        assert all(lines[entry.line_no - 1] == entry.text for entry in file.rendered.lines)
        if file.paths:
            source = frontmatter.split(file.rendered.text.encode(), where=file.name)
            (field,) = frontmatter.read(source.head, where=file.name)
            assert field.value == list(file.paths)


@pytest.mark.parametrize(
    ("kind", "when", "paths", "form"),
    [
        ("communication", "", (), "rules"),
        ("communication", "while we work on cart", (), "rules"),
        ("style", "", (), "rules"),
        ("style", "", ("*.go",), "skill"),
        ("other", "", (), "rules"),
        ("other", "before a release", (), "skill"),
        ("workflow", "", (), "skill"),
        ("validation", "", (), "skill"),
        ("commit", "", (), "skill"),
        ("follow-up", "", (), "skill"),
    ],
)
def test_the_form_follows_kind_and_scope(kind: Kind, when: str, paths: tuple[str, ...], form: str) -> None:
    assert form_of(make_rule("x", kind=kind, when=when, paths=paths)) == form

"""Edits of arbitrary Markdown: each has its inverse to the byte, and nothing that it does not name changes."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import get_args

from hypothesis import HealthCheck, assume, event, example, given, settings
from hypothesis import strategies as st

from ingrained.errors import EditError
from ingrained.skill.apply import apply, patch_of, problem
from ingrained.skill.edit import Create, Edit, Merge, Noop, Proposal, Prune, Update, read_edit
from ingrained.skill.living import Living, listed, opened
from ingrained.skill.outline import outline
from ingrained.skill.patch import Patch, inverse, patched, unified
from ingrained.skill.tokens import count

LINES = [
    "---", "name: x", "description: a # b", "# Title", "## Notes", "## Notes", "## Notes (2)", "### Deep ###", "#", "Title", "===",
    "- use tabs", "- use tabs", "* ask first", "+ plus", "1. one", "2) two", "10. ten", "-", "- ", "- [ ] task", "  - nested", "    - deeper",
    "   1. inner", "- - twice", "2. - mixed", "  more of it", "      far in", "\ttabbed", "-\ttab after", "> quoted", "> - no rule",
    "```", "```sh", "~~~", "  ```", "# no heading", "<!-- a comment", "-->", "<!-- one line -->", "<!-- ingrained:begin v1 rules gap=1 (x) -->",
    "<!-- ingrained:end rules -->", "<div>", "</div>", "| a | b |", "| --- | --- |", "[ref]: /u", "***", "Plain words.", "Two spaces  ",
    "日本語のルール", "é́ e\u0301 😀", "a\u2028b", "\u00a0", "\u00a0- x", "\x0c", "a\rb", "", "", "", "", "   ", "\t",
]  # fmt: skip
ends = st.sampled_from(["\n", "\n", "\n", "\r\n"])


@st.composite
def markdown(draw: st.DrawFn) -> str:
    """Markdown with all that can stand in the way, in mixed line ends, with and without a last one."""
    end = draw(ends)
    mixed = draw(st.booleans())
    rules = st.integers(0, 99).map("- rule {}".format)
    line = st.one_of(rules, rules, st.sampled_from(LINES))
    lines = draw(st.lists(line, min_size=draw(st.sampled_from([0, 4, 8])), max_size=16))
    text = "".join(line + (draw(ends) if mixed else end) for line in lines)
    if draw(st.booleans()):
        text = "---" + end + "name: x" + end + "---" + end + text
    if draw(st.integers(0, 3)) == 0:
        text = text.rstrip("\r\n")
    return ("\ufeff" if draw(st.integers(0, 7)) == 0 else "") + text


texts = st.one_of(
    markdown(),
    st.text(st.sampled_from("ab -*+#>`~|<!\t\r\n\\_=1.)[]:\ufeff\u2028\u00a0"), max_size=60),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
)
words = st.one_of(
    st.sampled_from(["Run the tests", "Ask before a push", "Show the failing test before the fix"]),
    st.sampled_from(
        ["Run the tests", "Ask before a push", "use tabs", "```", "# heading", "> quote", "<div>", "<!-- x", "***", "---", "===", "1. one",
         "[ref]: /u", "| a | b |", "a `b` **c**", "日本語", "é́", "- [x] done", "&amp;", "\\", "    far", "~~~ x", "+", "=", "<?php"]
    ),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), min_size=1, max_size=30),
)  # fmt: skip
headings = st.one_of(
    st.sampled_from(["Releases", "Notes", "Notes (2)", "a #", "# x", "#", "`code`", "日本語"]),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), min_size=1, max_size=12),
)
evidence = st.lists(st.sampled_from(["u1", "u2", "u3"]), max_size=2).map(tuple)


@st.composite
def documents(draw: st.DrawFn) -> Living:
    """A document, with some evidence behind its rules."""
    living = opened(draw(texts if draw(st.integers(0, 4)) == 0 else markdown()))
    return Living(
        text=living.text,
        rules=tuple(rule.model_copy(update={"evidence": draw(evidence)}) for rule in living.rules),
    )


@st.composite
def edits(draw: st.DrawFn, living: Living) -> Edit:
    """An edit of any kind; most name what is there."""
    sections = st.sampled_from([section.path for section in outline(living.text).sections])
    rules = st.sampled_from([rule.id for rule in living.rules]) if living.rules else st.just("r-00000000")
    targets = st.one_of(rules, rules, sections)
    op = draw(st.sampled_from([Create, Create, Noop] + [Update, Update, Prune, Merge, Merge] * (len(living.rules) > 1)))
    made: dict[str, object] = {}
    if op in {Create, Update}:
        made = {"target": draw(targets), "text": draw(words), "evidence": draw(evidence)}
        if not isinstance(made["target"], str) and draw(st.booleans()):
            made["heading"] = draw(headings)
    elif op is Merge:
        made = {
            "targets": draw(st.lists(rules, min_size=2, max_size=4, unique=len(living.rules) > 1)),
            "text": draw(words),
            "evidence": draw(evidence),
        }
    elif op is Prune:
        made = {"target": draw(targets)}
    with suppress(EditError):
        return read_edit({"op": op.model_fields["op"].default, **made})
    assume(False)
    raise AssertionError


def applied(data: st.DataObject) -> tuple[Living, Edit, Patch, Living]:
    living = data.draw(documents())
    edit = data.draw(edits(living))
    try:
        patch = patch_of(living, edit)
    except EditError as error:
        refused = error.message
    else:
        event(f"{edit.op} applied")
        return living, edit, patch, patched(living, patch)
    event(f"{edit.op} refused")
    assert problem(living, edit).startswith(refused)
    assert "''" not in refused
    assume(False)
    raise AssertionError


many = settings(deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])


@many
@given(st.data())
def test_an_edit_changes_only_its_span_and_its_inverse_restores_every_byte(data: st.DataObject) -> None:
    living, edit, patch, after = applied(data)
    back = patched(after, inverse(patch))
    assert back == living
    assert back.text.encode() == living.text.encode()
    assert inverse(inverse(patch)) == patch
    assert (patch.before, patch.after) == (living.hash, after.hash)
    assert (patch.tokens_before, patch.tokens_after) == (count(living.text), count(after.text))
    assert apply(living, edit) == after
    assert Patch.model_validate_json(patch.model_dump_json()) == patch
    assert Living.model_validate_json(after.model_dump_json()) == after
    assert Proposal.model_validate_json(Proposal(edit=edit).model_dump_json()).edit == edit
    assert isinstance(edit, Noop) == (not patch.text and not patch.rules)
    assert kept_outside(living.text, patch, after.text)
    shown = unified(living.text, after.text)
    assert (shown == "") == (living.text == after.text)
    assert by_diff(living.text, shown) == after.text


@many
@given(st.data())
def test_what_an_edit_does_not_name_reads_as_before(data: st.DataObject) -> None:
    """Code, comments, tables, quotes and the frontmatter stay as they are; so do the other rules, with what is known."""
    living, edit, _, after = applied(data)
    was, now = outline(living.text), outline(after.text)
    assert "".join(now.lines[: now.head]).rstrip("\r\n") == "".join(was.lines[: was.head]).rstrip("\r\n")
    if not isinstance(edit, Prune):
        assert closed(living.text) == closed(after.text)
    before = {rule.id: rule for rule in living.rules}
    later = {rule.id: rule for rule in after.rules}
    if isinstance(edit, Create):
        assert [rule for rule in after.rules if rule.id in before] == list(living.rules)
        (new,) = [rule for rule in after.rules if rule.id not in before]
        assert (new.words, new.evidence) == (edit.text, tuple(dict.fromkeys(edit.evidence)))
    elif isinstance(edit, Prune):
        assert [rule for rule in living.rules if rule.id in later] == list(after.rules)
        assert len(after.rules) < len(living.rules) or isinstance(edit.target, tuple)
    elif isinstance(edit, Merge):
        gone = before.keys() - later.keys()
        assert gone == set(edit.targets[1:])
        kept = later[edit.targets[0]]
        assert kept.words == edit.text
        assert set(kept.aliases) >= gone
        wanted = {key for target in edit.targets for key in before[target].evidence} | set(edit.evidence)
        assert set(kept.evidence) == wanted
        assert len(kept.evidence) == len(wanted)
    everywhere = [key for rule in living.rules for key in rule.evidence]
    if not isinstance(edit, Prune):
        assert set(everywhere) <= {key for rule in after.rules for key in rule.evidence}
    if isinstance(edit, (Update, Merge)):
        named = {edit.target} if isinstance(edit, Update) else set(edit.targets)
        others = [rule for rule in living.rules if rule.id not in named]
        if not isinstance(edit, Update) or isinstance(edit.target, str):
            assert [rule for rule in after.rules if rule.id not in named] == others


def closed(text: str) -> list[tuple[str, str]]:
    """All that no edit enters, and that a prune alone may take."""
    found = outline(text)
    opaque = [block for block in found.blocks if block.kind not in {"paragraph", "heading"}]
    return [(block.kind, "".join(found.lines[block.first : block.end]).strip("\ufeff\r\n")) for block in opaque]


def kept_outside(before: str, patch: Patch, after: str) -> bool:
    """Whether the two texts are the same outside the splices."""
    at = now = 0
    for one in patch.text:
        kept = one.at - at
        if after[now : now + kept + len(one.now)] != before[at : one.at] + one.now:
            return False
        at, now = one.at + len(one.was), now + kept + len(one.now)
    return after[now:] == before[at:]


def by_diff(text: str, diff: str) -> str:
    """The text after a unified diff, read strictly."""
    lines = re.split(r"(?<=\n)", text)
    lines = lines[:-1] if lines[-1] == "" else lines
    out: list[str] = []
    at = 0
    rows = re.split(r"(?<=\n)", diff)[2:]
    for row, after in zip(rows, [*rows[1:], ""], strict=False):
        line = row[1:].removesuffix("\n") if after.startswith("\\") else row[1:]
        if row.startswith("@@"):
            first, many = re.match(r"@@ -(\d+)(?:,(\d+))?", row).groups()  # type: ignore[union-attr]
            start = int(first) - (many != "0")
            out += lines[at:start]
            at = start
        elif row.startswith((" ", "-")):
            assert lines[at] == line
            at += 1
        if row.startswith((" ", "+")):
            out.append(line)
    return "".join(out + lines[at:])


@many
@given(st.data())
def test_edits_in_a_row_are_taken_back_in_a_row(data: st.DataObject) -> None:
    first = living = data.draw(documents())
    patches: list[Patch] = []
    for _ in range(4):
        with suppress(EditError):
            patches.append(patch_of(living, data.draw(edits(living))))
            living = patched(living, patches[-1])
    for patch in reversed(patches):
        living = patched(living, inverse(patch))
    assert living == first


@settings(deadline=None)
@given(texts)
@example("")
@example("\ufeff")
@example("---\nname: x\n---")
def test_any_text_is_a_document_with_ids_that_last(text: str) -> None:
    living = opened(text)
    assert living == opened(text)
    assert Living.model_validate_json(living.model_dump_json()) == living
    ids = [rule.id for rule in living.rules]
    assert len(set(ids)) == len(ids)
    assert all(rule.id in listed(living) for rule in living.rules)
    found = outline(text)
    assert "".join(found.lines) == text
    assert len({section.path for section in found.sections}) == len(found.sections)
    for place, passage in enumerate(found.passages):
        assert passage.start <= passage.first < passage.last <= passage.end
        if passage.within is not None:
            assert passage.within < place
            around = found.passages[passage.within]
            assert around.start <= passage.start
            assert passage.end <= around.end


@settings(deadline=None)
@given(st.sampled_from(get_args(get_args(Edit)[0])), st.data())
def test_reading_an_edit_again_changes_nothing(shape: type[Edit], data: st.DataObject) -> None:
    text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | words
    fields: dict[str, object] = {"op": shape.model_fields["op"].default}
    for name in shape.model_fields.keys() - {"op"}:
        lists = st.lists(text, max_size=3)
        fields[name] = data.draw({"targets": lists, "evidence": lists, "target": text | lists}.get(name, text))
    try:
        edit = read_edit(fields)
    except EditError as error:
        refused = error.message
    else:
        refused = ""
    if refused:
        assert refused.startswith(str(fields["op"]))
        return
    assert read_edit(edit.model_dump(mode="json")) == edit
    assert read_edit(edit.model_dump(mode="json")).hash == edit.hash


@settings(deadline=None)
@given(st.recursive(st.none() | st.booleans() | st.integers() | words, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["op", "target", "text", "x"]), inner, max_size=4)))  # fmt: skip
def test_no_value_makes_the_reader_fail_in_another_way(value: object) -> None:
    with suppress(EditError):
        read_edit(value)

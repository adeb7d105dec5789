"""What each edit makes of a document, byte by byte."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from ingrained.errors import EditError, SkillFormatError
from ingrained.skill.apply import apply, patch_of, problem
from ingrained.skill.document import render_skill
from ingrained.skill.edit import Create, Edit, Merge, Noop, Prune, Update, read_edit
from ingrained.skill.living import Living, LivingRule, listed, opened, read
from ingrained.skill.patch import inverse, patched, unified
from skill_rules import SHOP, make_rule

HAND = """\
---
name: deploy
description: "Deploys. Use before a release."
---
# Deploy

Read this first.

## Steps

Do these in order:
1. Build
2. Tag
   - with a message
3. Push

```sh
# Tag
git tag v1
```

## Notes

* loose

* lists

## Notes
Ask on Fridays.

### Rollback
"""
WORDS = "Tell the channel"


def done(text: str, edit: Edit) -> str:
    """The text after an edit, which was taken back on the way too."""
    living = opened(text)
    patch = patch_of(living, edit)
    after = patched(living, patch)
    assert patched(after, inverse(patch)) == living
    return after.text


def changed(text: str, edit: Edit) -> tuple[list[str], list[str]]:
    """The lines that went and the lines that came."""
    shown = unified(text, done(text, edit)).split("\n")[2:]
    return [line[1:] for line in shown if line.startswith("-")], [line[1:] for line in shown if line.startswith("+")]


CASES: list[tuple[str, Edit, list[str], list[str]]] = [
    ("after the last item at the section's own level", Create(target=("Steps",), text=WORDS), [], [f"4. {WORDS}"]),
    ("in a loose list", Create(target=("Deploy", "Notes (1)"), text=WORDS), [], ["", f"* {WORDS}"]),
    ("a list where there is none", Create(target=("Notes (2)",), text=WORDS), [], [f"- {WORDS}", ""]),
    ("under an empty heading", Create(target=("Rollback",), text=WORDS), [], ["", f"- {WORDS}"]),
    ("before the first heading", Create(target=(), text=WORDS), [], ["", f"- {WORDS}", ""]),
    ("behind an item, what is nested in it included", Create(target="Tag", text=WORDS), [], [f"3. {WORDS}"]),
    ("behind a nested item", Create(target="with a message", text=WORDS), [], [f"   - {WORDS}"]),
    ("behind a paragraph", Create(target="Ask on Fridays.", text=WORDS), [], ["", WORDS]),
    ("a section within one", Create(target=("Deploy",), heading="After", text=WORDS), [], ["", "## After", "", f"- {WORDS}"]),
    ("a section below a section", Create(target=("Steps",), heading="After", text=WORDS), [], ["### After", "", f"- {WORDS}", ""]),
    ("a section of the top", Create(target=(), heading="After", text=WORDS), [], ["", "# After", "", f"- {WORDS}"]),
    ("words of an item", Update(target="Tag", text=WORDS), ["2. Tag"], [f"2. {WORDS}"]),
    ("words of a paragraph", Update(target="Read this first.", text=WORDS), ["Read this first."], [WORDS]),
    ("prose of a section", Update(target=("Steps",), text=WORDS), ["Do these in order:"], [WORDS]),
    ("prose where there was none", Update(target=("Notes (1)",), text=WORDS), [], [WORDS, ""]),
    ("a heading", Update(target=("Rollback",), heading="Back"), ["### Rollback"], ["### Back"]),
    ("heading and prose", Update(target=("Steps",), heading="Way", text=WORDS), ["## Steps", "Do these in order:"], ["## Way", WORDS]),
    ("two rules of one list", Merge(targets=("Build", "Push"), text=WORDS), ["1. Build", "3. Push"], [f"1. {WORDS}"]),
    ("rules of two sections", Merge(targets=("Ask on Fridays.", "loose"), text=WORDS), ["* loose", "", "Ask on Fridays."], [WORDS]),
    ("into what holds more", Merge(targets=("Tag", "with a message"), text=WORDS), ["2. Tag", "   - with a message"], [f"2. {WORDS}"]),
    ("an item with what is in it", Prune(target="Tag"), ["2. Tag", "   - with a message"], []),
    ("a paragraph and one blank line", Prune(target="Read this first."), ["Read this first.", ""], []),
    ("the first of a tight list", Prune(target="Build"), ["1. Build"], [""]),
    ("the last of a loose list", Prune(target="lists"), ["* lists", ""], []),
    ("a section with its code", Prune(target=("Steps",)), HAND.split("\n")[8:21], []),
    ("the last section", Prune(target=("Rollback",)), ["", "### Rollback"], []),
    ("nothing", Noop(), [], []),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "went", "came"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("last", [True, False], ids=["ended", "unended"])
def test_an_edit_changes_these_lines(edit: Edit, went: list[str], came: list[str], end: str, last: bool) -> None:
    text = HAND.replace("\n", end)
    text = text if last else text.removesuffix(end)
    gone, new = changed(text, edit)
    if last:
        assert sorted(line.removesuffix("\r") for line in gone) == sorted(went)
        assert sorted(line.removesuffix("\r") for line in new) == sorted(came)
    assert ("\r" in done(text, edit)) == ("\r" in text)
    if not isinstance(edit, Prune):
        assert done(text, edit).endswith("\n") == last


REFUSED: list[tuple[str, Edit, str]] = [
    ("unknown rule", Prune(target="Taggg"), r"no rule 'Taggg' .*did you mean 'r-\w{8} Tag'\?; there are: r-\w{8} Read this first\.;"),
    ("code is no rule", Prune(target="git tag v1"), "no rule 'git tag v1'"),
    ("unknown section", Create(target=("Stepps",), text=WORDS), r'no section \["Stepps"\] .*did you mean .*"Steps"\]\'\?; there are: \[\]; '),
    ("a heading that occurs twice", Create(target=("Notes",), text=WORDS), r'no section \["Notes"\] .*"Notes \(1\)"'),
    ("words that stand there", Create(target=("Steps",), text="Push"), r"r-\w{8} says that already"),
    ("words that it has", Update(target="Push", text="Push"), r"r-\w{8} says that already"),
    ("a fence", Create(target=("Steps",), text="```"), "with the words '```'|Markdown of another kind"),
    ("a heading as words", Update(target="Ask on Fridays.", text="# Big"), "Markdown of another kind"),
    ("a list as words", Create(target="Ask on Fridays.", text="> quote"), "Markdown of another kind"),
    ("a heading that is none", Update(target=("Rollback",), heading="C #"), "'C #' read as Markdown of another kind"),
    ("a heading that stands there", Create(target=("Deploy",), heading="Steps", text=WORDS), 'there is a section .*"Steps"'),
    ("one rule twice", Merge(targets=("Tag", "2. Tag"), text=WORDS), "'2. Tag' names .* named before"),
    ("a rule with more in it", Merge(targets=("Push", "Tag"), text=WORDS), r"Tag' has more in it \(to line 14\)"),
    ("no section", Prune(target=()), "no section to prune"),
    ("no heading", Update(target=(), heading="New"), "no heading to rename"),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "message"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_does_not_fit_is_refused_with_what_exists(edit: Edit, message: str) -> None:
    living = opened(HAND)
    with pytest.raises(EditError, match=message):
        apply(living, edit)
    assert problem(living, edit)


def test_words_in_two_rules_need_an_id() -> None:
    living = opened("- use tabs\n\n# B\n- use tabs\n")
    first, second = (rule.id for rule in living.rules)
    assert first != second
    with pytest.raises(EditError, match=f"2 rules have the words '- use tabs': {first}, {second}"):
        apply(living, Prune(target="- use tabs"))
    assert apply(living, Prune(target=second)).text == "- use tabs\n\n# B\n"


def test_the_end_of_a_path_is_enough_where_it_is_one() -> None:
    text = "# A\n## N\n# B\n## N\n"
    with pytest.raises(EditError, match=r'\["N"\] names 2 sections: \["A", "N"\] and \["B", "N"\]'):
        apply(opened(text), Create(target=("N",), text="x y"))
    assert done(text, Create(target=("B", "N"), text="x y")) == text + "\n- x y\n"
    assert done(text, Create(target=("## B",), text="x y")) == "# A\n## N\n# B\n\n- x y\n\n## N\n"


def test_a_document_without_anything_takes_a_rule_and_a_section() -> None:
    assert done("", Create(target=(), text="one")) == "- one\n"
    assert done("", Create(target=(), heading="H", text="one")) == "# H\n\n- one\n"
    assert done("---\nname: x\n---", Create(target=(), text="one")) == "---\nname: x\n---\n\n- one"
    assert done("\ufeff# T\n", Create(target=(), text="one")) == "\ufeff- one\n\n# T\n"


def test_an_underlined_heading_is_renamed() -> None:
    assert done("One\ntwo\n===\n", Update(target=("One two",), heading="Three")) == "Three\n===\n"


def test_the_seventh_level_is_refused() -> None:
    with pytest.raises(EditError, match="sixth level"):
        apply(opened("###### six\n"), Create(target=("six",), heading="seven", text="x"))


def test_what_would_read_differently_without_a_rule_is_named() -> None:
    with pytest.raises(EditError, match=r"without it, line 5 \(code_block: 'code'\) would read differently"):
        apply(opened("- a\n\nwords\n\n    code\n"), Prune(target="words"))


def test_an_open_fence_takes_no_rule_behind_it() -> None:
    with pytest.raises(EditError, match=r"line 1 \(fence: '```'\) would read differently"):
        apply(opened("```\ncode\n\n"), Create(target=(), text="a rule"))


def test_evidence_goes_where_the_rule_goes() -> None:
    living = opened("- a\n- b\n- c\n")
    a, b, c = (rule.id for rule in living.rules)
    known = [("u1", "u2"), ("u2", "u3"), ()]
    living = Living(
        text=living.text,
        rules=tuple(rule.model_copy(update={"evidence": keys}) for rule, keys in zip(living.rules, known, strict=True)),
    )
    living = apply(living, Create(target=(), text="d", evidence=("u9",)))
    assert living.rules[3].evidence == ("u9",)
    living = apply(living, Merge(targets=("c", "a"), text="c and a", evidence=("u4", "u2")))
    assert living.text == "- b\n- c and a\n- d\n"
    assert living.rules[1] == LivingRule(id=c, words="c and a", evidence=("u1", "u2", "u4"), aliases=(a,))
    living = apply(living, Update(target=a, text="both", evidence=("u5",)))
    assert (living.rules[1].id, living.rules[1].evidence) == (c, ("u1", "u2", "u4", "u5"))
    patch = patch_of(living, Prune(target=b))
    assert patched(living, patch).rules[0].id == c
    assert patched(patched(living, patch), inverse(patch)).rules[0].evidence == ("u2", "u3")


def test_prose_of_several_paragraphs_becomes_one_that_knows_them_all() -> None:
    living = opened("# A\nOne.\n\nTwo.\n\n- item\n\nThree.\n")
    one, two, *others = living.rules
    after = apply(living, Update(target=("A",), text="Both."))
    assert after.text == "# A\nBoth.\n\n- item\n\nThree.\n"
    assert after.rules == (LivingRule(id=one.id, words="Both.", aliases=(two.id,)), *others)


def test_a_rendering_brings_the_ids_of_its_rules() -> None:
    twin = make_rule(SHOP[1].text, name="r-00000099")
    written = render_skill([*SHOP, twin], name="shop", description="Rules.")
    living = opened(written.text, written=written, evidence={SHOP[1].id: ["e1"], twin.id: ["e2", "e1"]})
    ours = {rule.id: rule for rule in living.rules}
    assert {rule.id for rule in SHOP} <= ours.keys()
    assert ours[SHOP[1].id].aliases == (twin.id,)
    assert ours[SHOP[1].id].evidence == ("e1", "e2")
    assert apply(living, Prune(target=twin.id)).text == "".join(
        line for line in written.text.splitlines(keepends=True) if SHOP[1].text not in line
    )
    with pytest.raises(ValueError, match="another text"):
        opened("- a\n", written=written)


def test_what_an_edit_may_name_is_listed() -> None:
    living = opened(HAND)
    assert [line.split(" ", 3)[-1] if "r-" in line else line for line in listed(living).split("\n")][:4] == [
        "[]", '["Deploy"]', listed(living).split("\n")[2].split(" ", 3)[-1], '["Deploy", "Steps"]',
    ]  # fmt: skip
    for line in listed(living).splitlines():
        if line.startswith(" "):
            assert done(HAND, Create(target=line.strip(), text=WORDS)) != HAND


def test_a_shorter_document_has_fewer_tokens() -> None:
    living = opened(HAND)
    assert patch_of(living, Prune(target="Tag")).shortens
    assert not patch_of(living, Noop()).shortens
    longer = patch_of(living, Create(target=("Steps",), text=WORDS))
    assert longer.tokens_before == living.tokens < longer.tokens_after == patched(living, longer).tokens


def test_a_patch_fits_no_other_document() -> None:
    living = opened("- a\n- b\n")
    patch = patch_of(living, Update(target="a", text="c"))
    with pytest.raises(EditError, match="was made for the text"):
        patched(opened("- a\n- b"), patch)
    other = Living(text=living.text, rules=(living.rules[0].model_copy(update={"evidence": ("e",)}), living.rules[1]))
    with pytest.raises(EditError, match="does not fit"):
        patched(other, patch)
    with pytest.raises(EditError, match="does not fit"):
        patched(living, patch.model_copy(update={"rules": ()}))


def test_a_living_document_is_whole() -> None:
    with pytest.raises(ValidationError, match="1 passages"):
        Living(text="- a\n", rules=())
    rule = LivingRule(id=opened("- a\n").rules[0].id, words="a")
    with pytest.raises(ValidationError, match="two rules"):
        Living(text="- a\n\n- a\n", rules=(rule, rule))
    with pytest.raises(SkillFormatError, match="UTF-8"):
        read(b"\xff\xfe")
    assert read("\ufeff- a\r\n".encode()).text == "\ufeff- a\r\n"


def test_words_are_brought_into_one_plain_line() -> None:
    made: Any = read_edit({"op": "create", "target": ["A"], "text": " -  Use\u200b  tabs <!-- x "})
    assert made.text == "Use tabs &lt;!-- x"

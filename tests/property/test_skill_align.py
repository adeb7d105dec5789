"""Hand edits, drawn at random: they are recognised as made, and nothing that a person wrote is lost in merging."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from ingrained.skill.align import Comparison, compare, merge
from ingrained.skill.document import render_skill
from ingrained.skill.lines import Rendered, line_key
from ingrained.skill.match import IN_PLACE, assign, similarity
from ingrained.skill.rule import Rule
from ingrained.skill.rulesfile import render_block
from skill_rules import make_rule

POOL = [
    make_rule("Go back to main and pull before you create a new branch", name="r-0000000a"),
    make_rule("Show the failing test first", name="r-0000000b", kind="validation"),
    make_rule("Never change a migration that was applied", name="r-0000000c", paths=["db/migrations/"]),
    make_rule("Expect one literal value", name="r-0000000d", kind="validation", paths=["*_test.go"]),
    make_rule("Ask me if a dependency is needed", name="r-0000000e", when="while we work on cart"),
    make_rule("Write commit messages in the imperative", name="r-0000000f", kind="commit"),
    make_rule("Antworte immer auf Deutsch", name="r-00000010", kind="communication"),
    make_rule("Use pnpm, not npm", name="r-00000011", kind="style"),
    make_rule("File issues under project Troy", name="r-00000012"),
]
FOREIGN = [
    "## Notes of mine",
    "",
    "Zoom: 10:15, bring biscuits",
    "- [ ] water the plants",
    "```sh",
    "x = {1: 2}  ",
    "\ttabbed words of mine",
    "| a | b |",
    "* Zebra crossing, quoth Nigel",
]
REWORD = [
    lambda words: words + ", unless I say otherwise",
    lambda words: words.rsplit(" ", 1)[0],
    lambda words: words.replace(" the ", " our ") + "!",
    lambda words: words.upper()[0].lower() + words[1:] + " always",
]


@dataclass(frozen=True, kw_only=True)
class Edited:
    text: str
    kinds: dict[str, str]
    words: dict[str, str]
    foreign: list[str]
    """Lines of their own, but for those that took the place of a line of ours."""
    in_place: dict[str, str]
    """Rule → the line that took its place; nothing of ours that is left stands between."""


def takes_a_place(line: str) -> bool:
    """Whether a line of the person's may be a line of ours, reworded: no blank, heading, table or fence."""
    return bool(line.strip()) and not line.startswith(("#", "|", "`"))


def in_places(lines: list[tuple[str, str, str]]) -> dict[int, str]:
    """Place of a foreign line → the rule whose place it took, from (what was done, rule, line).

    None at the end, where such lines are appended: they share no word with any rule.
    """
    taken: dict[int, str] = {}
    gone: list[str] = []
    new: list[int] = []
    for place, (what, rule, line) in enumerate(lines):
        if what == "gone":
            gone.append(rule)
        elif what == "foreign" and takes_a_place(line):
            new.append(place)
        elif what != "foreign" and line.strip():
            taken |= dict(zip(new, gone, strict=False))
            gone, new = [], []
    return taken


def test_the_pools_are_unlike() -> None:
    lines = [f"- {rule.text}" for rule in POOL]
    for index, line in enumerate(lines):
        assert all(similarity(line, other) < IN_PLACE for other in [*lines[:index], *FOREIGN])
        assert all(similarity(line, f"- {change(line[2:])}") >= IN_PLACE for change in REWORD)
    for line in filter(takes_a_place, FOREIGN):  # it may be reworded a round after it took a place
        assert all(similarity(line, change(line)) >= IN_PLACE for change in REWORD)


def test_a_line_that_took_a_place_and_goes_on_is_reworded_where_its_neighbour_is_gone() -> None:
    first = render_block([POOL[1], POOL[3], POOL[0]])
    lines = first.text.split("\n")
    for line in filter(takes_a_place, FOREIGN):
        for kept, gone in ((0, 1), (1, 0)):
            mine, other = first.lines[kept], first.lines[gone]
            taken = merge(first, "\n".join(line if text == mine.text else text for text in lines), first)
            later = [text for text in taken.text.split("\n") if text != other.text]
            for change in REWORD:
                found = "\n".join(change(text) if text == line else text for text in later)
                kinds = kinds_of(compare(taken.written, found))
                assert kinds[other.rule_id] == "gone"
                assert kinds[mine.rule_id] != "gone"


subsets = st.lists(st.sampled_from(POOL), min_size=1, max_size=len(POOL), unique_by=lambda rule: rule.id)


def render(rules: list[Rule], shape: str) -> Rendered:
    if shape == "block":
        return render_block(rules)
    return render_skill(rules, name="shop", description="Rules. Use when you work in shop.")


@st.composite
def edits(draw: st.DrawFn, written: Rendered) -> Edited:
    """What a person may do to the text, line by line, and what should be seen of it."""
    rules = {entry.line_no - 1: entry for entry in written.lines}
    lines: list[tuple[str, str, str]] = []
    kinds: dict[str, str] = {}
    words: dict[str, str] = {}
    said = {line_key(line) for line in written.text.split("\n") if takes_a_place(line)}
    for index, line in enumerate(written.text.replace("\r\n", "\n").removesuffix("\n").split("\n")):
        for extra in draw(st.lists(st.sampled_from(FOREIGN), max_size=1)) if draw(st.integers(0, 4)) == 0 else []:
            if line_key(extra) in said:  # two lines alike: which of them took a place cannot be told
                continue
            said |= {line_key(extra)} if takes_a_place(extra) else set()
            lines.append(("foreign", "", extra))
        entry = rules.get(index)
        if entry is None:
            lines.append(("kept", "", line))
            continue
        what = draw(st.sampled_from(["exact", "exact", "spaced", "gone", "reworded"]))
        kinds[entry.rule_id] = "exact" if what == "spaced" else what
        if what == "spaced":
            line = draw(st.sampled_from([f"*{line[1:]}", f"  {line}  ", line.replace(" ", "  "), f"{line}\t"]))
        if what == "reworded":
            changed = draw(st.sampled_from(REWORD))(line[len(entry.prefix) :])
            words[entry.rule_id] = changed
            line = entry.prefix + changed
        lines.append((what, entry.rule_id, line))
    taken = in_places(lines)
    kinds |= dict.fromkeys(taken.values(), "reworded")
    foreign = [line for place, (what, _, line) in enumerate(lines) if what == "foreign" and place not in taken]
    in_place = {rule: lines[place][2] for place, rule in taken.items()}
    text = [line for what, _, line in lines if what != "gone"]
    end = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    last = draw(st.sampled_from([end, end, ""]))
    return Edited(text=end.join(text) + last, kinds=kinds, words=words, foreign=foreign, in_place=in_place)


def kinds_of(comparison: Comparison) -> dict[str, str]:
    return {outcome.rule_id: outcome.kind for outcome in comparison.outcomes}


@settings(deadline=None)
@given(st.data(), subsets, st.sampled_from(["skill", "block"]))
def test_edits_are_recognised_as_made(data: st.DataObject, rules: list[Rule], shape: str) -> None:
    written = render(rules, shape)
    edit = data.draw(edits(written))
    comparison = compare(written, edit.text)
    assert kinds_of(comparison) == edit.kinds
    reworded = [o for o in comparison.outcomes if o.kind == "reworded"]
    assert {o.rule_id: o.text for o in reworded if o.rule_id not in edit.in_place} == edit.words
    assert {o.rule_id: o.line for o in reworded if o.rule_id in edit.in_place} == edit.in_place
    assert all(o.when is None and o.paths is None for o in comparison.outcomes if o.rule_id not in edit.in_place)
    seen = [added.line for added in comparison.added]
    assert seen == [line.rstrip("\r\n") for line in edit.foreign if line.strip()]
    lines = edit.text.split("\n")
    for outcome in comparison.outcomes:
        if outcome.line_no is not None:
            assert lines[outcome.line_no - 1].rstrip("\r") == outcome.line


@settings(deadline=None)
@given(subsets, st.sampled_from(["skill", "block"]))
def test_no_edit_is_no_edit(rules: list[Rule], shape: str) -> None:
    written = render(rules, shape)
    for found in (written.text, written.text.replace("\n", "\r\n"), written.text.rstrip("\n")):
        comparison = compare(written, found)
        assert comparison.state == "same"
        assert set(kinds_of(comparison).values()) == {"exact"}
        assert comparison.edits == comparison.added == ()


@settings(deadline=None)
@given(st.data(), st.lists(st.sampled_from(POOL), min_size=4, unique_by=lambda rule: rule.id))
def test_a_moved_line_is_seen_as_moved(data: st.DataObject, rules: list[Rule]) -> None:
    written = render_block(rules)
    head, lines = written.text.split("\n")[:2], written.text.split("\n")[2:-1]
    source = data.draw(st.integers(0, len(lines) - 1))
    target = data.draw(st.integers(0, len(lines) - 1).filter(lambda place: abs(place - source) > 1))
    line = lines.pop(source)
    lines.insert(target, line)
    comparison = compare(written, "\n".join([*head, *lines]) + "\n")
    moved = [outcome.line for outcome in comparison.outcomes if outcome.kind == "moved"]
    assert moved == [line]
    assert comparison.edits == ()


@settings(deadline=None)
@given(st.data(), subsets, subsets, st.sampled_from(["skill", "block"]))
def test_merging_keeps_the_person_and_brings_the_new(
    data: st.DataObject, old: list[Rule], now: list[Rule], shape: str
) -> None:
    suffix = data.draw(st.sampled_from(["", " (see the handbook)"]))
    now = [rule.model_copy(update={"text": rule.text + suffix}) for rule in now]
    written, new = render(old, shape), render(now, shape)
    edit = data.draw(edits(written))
    merged = merge(written, edit.text, new)
    lines = [line.rstrip("\r") for line in merged.text.split("\n")]
    placed = {entry.rule_id: entry for entry in merged.written.lines}

    person = [line for line in edit.foreign if line.strip()]
    rest = iter(lines)
    assert all(line in rest for line in person), "every line of the person's, in their order"
    for rule in old:
        if edit.kinds[rule.id] == "reworded":
            words = edit.words.get(rule.id) or edit.in_place[rule.id].rstrip()
            assert any(line.rstrip().endswith(words) for line in lines)
        if edit.kinds[rule.id] == "gone":
            assert not any(rule.text in line for line in lines)
        if edit.kinds[rule.id] == "exact" and rule.id not in {other.id for other in now}:
            assert not any(rule.text in " ".join(line.split()) for line in lines)
    for rule in now:
        kind = edit.kinds.get(rule.id, "exact")
        assert (rule.id in placed) == (kind != "gone")
        if kind == "exact":
            said = [line for line in lines if " ".join(line.split()).endswith(rule.text)]
            assert len(said) == 1
    for entry in merged.written.lines:
        assert lines[entry.line_no - 1] == entry.text
        assert entry.text.startswith(entry.prefix)

    assert merge(written, written.text, new).text == new.text
    assert merge(written, edit.text, written).text == edit.text
    assert compare(merged.written, merged.text).state == "same"
    again = merge(merged.written, merged.text, new)
    assert again.text == merged.text
    assert again.written == merged.written


@settings(deadline=None)
@given(st.data(), st.lists(subsets, min_size=3, max_size=4))
def test_many_rounds_of_editing_and_writing_lose_nothing(data: st.DataObject, drafts: list[list[Rule]]) -> None:
    written = render(drafts[0], "skill")
    found, person, refused, pinned = written.text, [], set(), {}
    for draft in drafts[1:]:
        edit = data.draw(edits(Rendered(text=found, lines=written.lines)))
        person = [line for line in edit.text.replace("\r\n", "\n").split("\n") if line in person] + edit.foreign
        refused |= {rule for rule, kind in edit.kinds.items() if kind == "gone"}
        pinned |= edit.words
        comparison = compare(written, edit.text)
        assert {rule for rule, kind in kinds_of(comparison).items() if kind == "gone"} == {
            rule for rule, kind in edit.kinds.items() if kind == "gone"
        }
        asked = [rule for rule in draft if rule.id not in refused]
        new = render([rule.model_copy(update={"text": pinned.get(rule.id, rule.text)}) for rule in asked], "skill")
        merged = merge(written, edit.text, new)
        lines = [line.rstrip("\r") for line in merged.text.split("\n")]
        assert all(line in lines for line in person)
        assert not refused & {entry.rule_id for entry in merged.written.lines}
        assert {entry.rule_id for entry in new.lines} == {entry.rule_id for entry in merged.written.lines}
        written, found = merged.written, merged.text


@settings(deadline=None)
@given(st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 4)), st.integers(1, 100), max_size=14))
def test_the_assignment_is_the_best_one(scores: dict[tuple[int, int], int]) -> None:
    def best(row: int, taken: frozenset[int]) -> int:
        if row == 4:
            return 0
        options = [best(row + 1, taken)]
        for (own, column), score in scores.items():
            if own == row and column not in taken:
                options.append(score + best(row + 1, taken | {column}))
        return max(options)

    pairs = assign(scores)
    assert len(set(pairs.values())) == len(pairs)
    assert sum(scores[pair] for pair in pairs.items()) == best(0, frozenset())

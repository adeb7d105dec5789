"""Hand edits on named examples; the properties stand in tests/property/test_skill_align.py."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

import pytest

from ingrained.ids import bytes_hash
from ingrained.skill.align import Outcome, compare, conflicts, merge
from ingrained.skill.document import parse, render_skill
from ingrained.skill.lines import Rendered
from ingrained.skill.rule import Rule
from ingrained.skill.rulesfile import render_block
from skill_rules import SHOP, make_rule

GO, TEST, MIGRATION, LITERAL, CART, COMMIT = SHOP


def skill(*rules: Rule, title: str = "Rules") -> Rendered:
    return render_skill(rules, name="shop", description=f"{title}. Use in shop.", title=title)


def by_rule(outcomes: tuple[Outcome, ...]) -> dict[str, Outcome]:
    return {outcome.rule_id: outcome for outcome in outcomes}


WRITTEN = skill(*SHOP)


def test_a_missing_file_and_an_older_version_are_no_edit() -> None:
    older = skill(GO, TEST)
    known = {bytes_hash(older.text.encode())}
    assert compare(WRITTEN, None).state == "missing"
    for found in (older.text, older.text.replace("\n", "\r\n")):
        comparison = compare(WRITTEN, found, older=known)
        assert (comparison.state, comparison.edits, comparison.outcomes) == ("older", (), ())
    assert compare(WRITTEN, older.text).state == "edited"
    assert len(compare(WRITTEN, older.text).edits) == 4


@pytest.mark.parametrize("found", ["", "\n\n", "something else entirely\n", "---\n---\n"])
def test_another_text_in_its_place_is_not_a_refusal_of_every_rule(found: str) -> None:
    comparison = compare(WRITTEN, found)
    assert comparison.state == "replaced"
    assert comparison.edits == ()


def test_deleting_every_rule_but_not_the_file_is_a_refusal() -> None:
    block = render_block([GO])
    comparison = compare(block, "## Standing rules\n")
    assert comparison.state == "edited"
    assert [outcome.kind for outcome in comparison.edits] == ["gone"]


def test_the_condition_is_told_apart_from_the_words() -> None:
    found = (
        WRITTEN.text.replace("In `*_test.go` files: Compare", "In `*_test.go` and `*_spec.go` files: Compare")
        .replace("While we work on cart: Ask before", "Ask before")
        .replace("- Show the failing", "- In `web/`: Show the failing")
        .replace("In `db/migrations/`: Never", "Before a release: Never")
    )
    outcomes = by_rule(compare(WRITTEN, found).outcomes)
    assert (outcomes[LITERAL.id].text, outcomes[LITERAL.id].paths) == (LITERAL.text, ("*_test.go", "*_spec.go"))
    assert (outcomes[CART.id].text, outcomes[CART.id].when, outcomes[CART.id].paths) == (CART.text, "", ())
    assert (outcomes[TEST.id].text, outcomes[TEST.id].paths) == (TEST.text, ("web/",))
    migration = outcomes[MIGRATION.id]
    assert (migration.text, migration.when, migration.paths) == (MIGRATION.text, "before a release", ())
    assert {outcome.kind for outcome in compare(WRITTEN, found).edits} == {"reworded"}
    assert outcomes[GO.id].kind == "exact"


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("Go back to main and pull before you create a new branch", "Pull main before branching"),
        ("Keep answers short", "Keep answers short, five lines at most"),
        ("Use pnpm, not npm", "Use bun, not npm"),
        ("Run the linter before every commit", "Run ruff and the tests before every commit"),
        ("Do not push without asking", "Never push without asking me"),
        ("Antworte immer auf Deutsch", "Bitte antworte stets auf Deutsch"),
        ("コミット前に必ずテストを実行する", "コミットの前に必ずすべてのテストを実行する"),
    ],
)
def test_rewordings_in_place_are_seen(ours: str, theirs: str) -> None:
    written = render_block([COMMIT, make_rule(ours, name="r-1"), LITERAL])
    (edit,) = compare(written, written.text.replace(ours, theirs)).edits
    assert (edit.kind, edit.text) == ("reworded", theirs)


@pytest.mark.parametrize("shape", [render_block, skill])
@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize(
    "theirs",
    ["No any, please use unknown", "Use uv A", "Water the plants", "Zebra crossings are striped", "日本語で書く"],
)
def test_a_line_that_took_the_place_of_ours_is_a_rewording_whatever_it_says(
    theirs: str, place: int, shape: Callable[..., Rendered]
) -> None:
    rules = [COMMIT, make_rule("Never `any`", name="r-1", kind="commit"), TEST]
    written = render_block(rules) if shape is render_block else skill(*rules)
    line = written.lines[place]
    found = written.text.replace(f"{line.text}\n", f"- {theirs}\n")
    comparison = compare(written, found)
    assert [(edit.kind, edit.rule_id, edit.text) for edit in comparison.edits] == [("reworded", line.rule_id, theirs)]
    assert comparison.edits[0].was == line.text.removeprefix("- ")
    assert comparison.added == ()


@pytest.mark.parametrize("shape", [render_block, skill])
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("Show the failing test before you change anything", "Water the plants on friday"),
        ("Never `any`", "Ask Kim about the budget"),
        ("Write commit messages in English", "Zebra crossings are striped"),
        ("Keep answers short", "The staging server is called heron"),
        ("提交前必须运行测试", "接口文档在共享盘里"),
        ("コメントは英語で書く", "秘密鍵は金庫にある"),
    ],
)
def test_a_line_of_ones_own_at_the_end_is_no_rewording_of_our_deleted_last_rule(
    ours: str, theirs: str, shape: Callable[..., Rendered]
) -> None:
    rules = [GO, COMMIT, make_rule(ours, name="r-1", kind="other")]
    written = render_block(rules) if shape is render_block else skill(*rules)
    assert written.text.endswith(f"- {ours}\n")
    found = written.text.replace(f"- {ours}\n", f"- {theirs}\n")
    comparison = compare(written, found)
    assert [(edit.kind, edit.rule_id) for edit in comparison.edits] == [("gone", "r-1")]
    assert [added.line for added in comparison.added] == [f"- {theirs}"]
    assert merge(written, found, written).text == found


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("Show the failing test before you change anything", "A failing test comes first"),
        ("Never `any`", "`unknown` instead of `any`"),
        ("Write commit messages in English", "Commits: English only"),
        ("Keep answers short", "Short answers, please, five lines"),
        ("提交前必须运行测试", "测试通过之后才能提交"),
        ("コメントは英語で書く", "英語のコメントにする"),
    ],
)
def test_a_rewording_of_the_last_rule_is_told_from_lines_appended_to_it(ours: str, theirs: str) -> None:
    written = render_block([GO, COMMIT, make_rule(ours, name="r-1", kind="other")])
    for appended in ("", "- Water the plants on friday\n- Ask Kim about the budget\n"):
        comparison = compare(written, written.text.replace(f"- {ours}\n", f"- {theirs}\n{appended}"))
        assert [(edit.kind, edit.rule_id, edit.text) for edit in comparison.edits] == [("reworded", "r-1", theirs)]
        assert len(comparison.added) == appended.count("\n")


@pytest.mark.parametrize("theirs", ["## Notes", "| a | b |", "```sh", "<!-- later -->"])
def test_markup_in_the_place_of_a_deleted_line_is_no_rewording(theirs: str) -> None:
    written = render_block([COMMIT, GO, LITERAL])
    comparison = compare(written, written.text.replace(f"- {GO.text}", theirs))
    assert [(edit.kind, edit.rule_id) for edit in comparison.edits] == [("gone", GO.id)]
    assert [added.line for added in comparison.added] == [theirs]


def test_a_line_elsewhere_does_not_take_the_place_of_a_deleted_one() -> None:
    written = render_block([COMMIT, GO, LITERAL])
    comparison = compare(written, written.text.replace(f"- {GO.text}\n", "") + "- Water the plants\n")
    assert [(edit.kind, edit.rule_id) for edit in comparison.edits] == [("gone", GO.id)]
    assert [added.line for added in comparison.added] == ["- Water the plants"]


def test_of_two_candidates_the_pairing_is_the_best_in_total() -> None:
    one = make_rule("Run the unit tests before every commit", name="r-1")
    two = make_rule("Run the unit tests before every push", name="r-2")
    written = render_block([one, two])
    found = (
        "## Standing rules\n\n- Run all the unit tests before every push\n- Run all the unit tests before a commit\n"
    )
    outcomes = by_rule(compare(written, found).outcomes)
    assert outcomes["r-1"].text == "Run all the unit tests before a commit"
    assert outcomes["r-2"].text == "Run all the unit tests before every push"


def test_two_rules_on_one_line_share_its_fate() -> None:
    written = render_block([make_rule("Ask first", name="r-1"), make_rule("Ask first", name="r-2"), COMMIT])
    gone = compare(written, written.text.replace("- Ask first\n", ""))
    assert [(edit.rule_id, edit.kind) for edit in gone.edits] == [("r-1", "gone"), ("r-2", "gone")]
    merged = merge(written, written.text.replace("- Ask first\n", ""), written)
    assert "Ask first" not in merged.text


def test_different_edits_in_two_copies_are_a_conflict_and_equal_ones_are_not() -> None:
    reworded = WRITTEN.text.replace(COMMIT.text, "Write commit messages in the past tense")
    copies = {
        "b/SKILL.md": compare(WRITTEN, reworded),
        "a/SKILL.md": compare(WRITTEN, WRITTEN.text.replace(f"- {COMMIT.text}\n", "")),
        "c/SKILL.md": compare(WRITTEN, WRITTEN.text),
        "d/SKILL.md": compare(WRITTEN, None),
    }
    (conflict,) = conflicts(copies)
    assert conflict.rule_id == COMMIT.id
    assert [(side.place, side.line) for side in conflict.sides] == [
        ("a/SKILL.md", ""),
        ("b/SKILL.md", "- Write commit messages in the past tense"),
    ]
    same = compare(WRITTEN, reworded.replace("- Write", "* Write"))
    assert conflicts({"a": copies["b/SKILL.md"], "b": same, "c": copies["c/SKILL.md"]}) == ()


def test_merging_updates_what_is_ours_around_the_edits() -> None:
    found = (
        WRITTEN.text.replace("# Rules\n", "# Rules\n\nRead by Kim, too.\n")
        .replace(f"- {TEST.text}\n", "")
        .replace("- Write commit", "- My own rule\n- Write short commit")
    )
    newer = make_rule("File issues under project Troy", name="r-new")
    reword = MIGRATION.model_copy(update={"text": "Never edit an applied migration"})
    new = skill(GO, TEST, reword, newer, LITERAL, COMMIT, title="Rules of the shop")
    merged = merge(WRITTEN, found, new)
    assert merged.text == (
        new.text.replace("# Rules of the shop\n", "# Rules of the shop\n\nRead by Kim, too.\n")
        .replace(f"- {TEST.text}\n", "")
        .replace("- Write commit", "- My own rule\n- Write short commit")
    )
    assert parse(merged.text.encode()).metadata == parse(new.text.encode()).metadata
    assert {entry.rule_id for entry in merged.written.lines} == {
        rule.id for rule in (GO, reword, newer, LITERAL, COMMIT)
    }
    assert [added.line for added in merged.comparison.added] == ["Read by Kim, too.", "- My own rule"]


def test_a_rule_taken_out_comes_back_only_when_it_is_accepted_again() -> None:
    found = WRITTEN.text.replace(f"- {TEST.text}\n", "")
    kept_out = merge(WRITTEN, found, WRITTEN)
    assert kept_out.text == found
    refused = merge(kept_out.written, kept_out.text, skill(GO, MIGRATION, LITERAL, CART, COMMIT))
    assert TEST.text not in refused.text
    accepted = merge(refused.written, refused.text, WRITTEN)
    assert accepted.text == WRITTEN.text


def test_a_pinned_rule_keeps_the_bytes_of_the_person() -> None:
    found = WRITTEN.text.replace(f"- {COMMIT.text}", "*  Write commit  messages in English ")
    pinned = COMMIT.model_copy(update={"text": "Write commit messages in English"})
    new = skill(GO, TEST, MIGRATION, LITERAL, CART, pinned)
    merged = merge(WRITTEN, found, new)
    assert "*  Write commit  messages in English \n" in merged.text
    assert {entry.rule_id: entry.text for entry in merged.written.lines}[COMMIT.id] == (
        "*  Write commit  messages in English "
    )
    later = COMMIT.model_copy(update={"text": "Write commit messages in French"})
    again = merge(merged.written, merged.text, skill(GO, TEST, MIGRATION, LITERAL, CART, later))
    assert "- Write commit messages in French\n" in again.text
    assert "English" not in again.text


def test_a_merged_rule_takes_the_place_of_the_one_it_was() -> None:
    written = render_block([GO, TEST, COMMIT])
    joined = make_rule("Show a failing test before any fix", name="r-earlier", aliases=[TEST.id])
    merged = merge(written, "Mine\n" + written.text, render_block([GO, joined, COMMIT]))
    assert merged.text == "Mine\n" + written.text.replace(TEST.text, joined.text)
    refused = merge(written, written.text.replace(f"- {TEST.text}\n", ""), render_block([GO, joined, COMMIT]))
    assert joined.text not in refused.text


def test_a_rule_that_the_person_wrote_already_is_not_written_twice() -> None:
    written = render_block([GO])
    found = written.text + f"* {COMMIT.text}\n"
    merged = merge(written, found, render_block([GO, COMMIT]))
    assert merged.text == found
    assert {entry.rule_id for entry in merged.written.lines} == {GO.id, COMMIT.id}


def test_inserted_lines_take_the_line_end_of_the_file() -> None:
    written = render_block([GO])
    found = "Mine\r\n" + written.text.replace("\n", "\r\n").rstrip("\r\n")
    merged = merge(written, found, render_block([GO, COMMIT]))
    assert merged.text == f"{found}\r\n- {COMMIT.text}\r\n"


def test_the_stored_shape_reads_back() -> None:
    merged = merge(WRITTEN, WRITTEN.text + "Mine\n", skill(GO, TEST))
    assert Rendered.model_validate_json(merged.written.model_dump_json()) == merged.written
    assert merged.written.base == skill(GO, TEST)


def test_a_long_file_of_the_person_is_compared_in_a_moment() -> None:
    rules = [make_rule(f"Keep {n} rule number {n * 7919 % 1009} about topic {n}", name=f"r-{n}") for n in range(60)]
    written = render_block(rules)
    found = "## Standing rules\n\n" + "".join(
        f"- Note {n * 104729 % 10007} on subject {n} and rule {n % 60}\n" for n in range(5_000)
    )
    start = process_time()
    comparison = compare(written, found)
    assert process_time() - start < 2
    assert len(comparison.outcomes) == 60

"""Rules for tests of what is written into skills."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from hypothesis import strategies as st

from ingrained.feedback.decompose import Kind
from ingrained.ids import AtomKey, PersonId, ProjectId, RuleId
from ingrained.skill.lines import rule_line
from ingrained.skill.rule import Evidence, Level, Rule, Said, Scope, Status
from ingrained.skill.tokens import count

KINDS: tuple[Kind, ...] = ("communication", "workflow", "validation", "follow-up", "commit", "style", "other")


def make_rule(
    text: str,
    *,
    name: str = "r-00000001",
    kind: Kind = "workflow",
    when: str = "",
    paths: Sequence[str] = (),
    level: Level = "supported",
    status: Status = "proposed",
    sessions: int = 2,
    last: datetime | None = datetime(2026, 3, 1, tzinfo=UTC),
    aliases: Sequence[str] = (),
    held: str = "",
    explicit: bool = False,
    tokens: int | None = None,
) -> Rule:
    evidence = Evidence(
        atom=AtomKey(f"b2:{name}@0"),
        person=PersonId("me"),
        project=ProjectId("shop"),
        session="s1",
        turn="t1",
        quote=text,
        form="typed",
        act=Said(),
        time=last,
        explicit=explicit,
    )
    rule = Rule(
        id=RuleId(name),
        text=text,
        kind=kind,
        polarity="do",
        scope=Scope(project=ProjectId("shop"), paths=tuple(paths), when=when),
        tier="shared",
        level=level,
        status=status,
        people=(PersonId("me"),),
        evidence=(evidence,),
        sessions=sessions,
        days=1,
        tokens=0,
        aliases=tuple(RuleId(alias) for alias in aliases),
        held=held,
    )
    cost = count(rule_line(rule)[1] + "\n") if tokens is None else tokens
    return rule.model_copy(update={"tokens": cost})


SHOP = (
    make_rule("Go back to main and pull before you create a new branch", name="r-0000000a"),
    make_rule("Show the failing test before the fix", name="r-0000000b"),
    make_rule("Never change a migration that was applied; add a new one", name="r-0000000c", paths=["db/migrations/"]),
    make_rule("Compare with one literal expected value", name="r-0000000d", kind="validation", paths=["*_test.go"]),
    make_rule("Ask before you add a dependency", name="r-0000000e", kind="validation", when="while we work on cart"),
    make_rule("Write commit messages in the imperative", name="r-0000000f", kind="commit"),
)

NASTY = [
    "quotes \" and ' and \\ backslash",
    "a colon: and # a hash",
    "---",
    "--- three hyphens --- inside ----- five",
    "- starts like a list",
    "{{ x }} {% y %} ${HOME} `tick`",
    "<!-- ingrained:end rules --> hidden",
    "日本語のルール：必ず確認する",
    "emoji 👩‍👩‍👧‍👦 🇩🇪 ok",
    "tab\tand\nline\r\nends\u2028here",
    "zero\u200bwidth \U000e0041 tag",
    "&anchor *alias !!tag %directive @at",
    "null",
    "Ünïcödé façade",
    "\x07 bell \x85 next line",
    "In `*.go` files: looks like a condition",
    "lone \ud800 surrogate",
]

texts = st.one_of(
    st.sampled_from(NASTY),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60).filter(str.strip),
    st.lists(st.sampled_from(["use", "keep", "ask", "tests", "tabs", "main", "never", "always", "commit"]), min_size=2)
    .map(" ".join)
    .filter(lambda text: len(text) < 120),
)
kinds = st.sampled_from(KINDS)
path_lists = st.lists(st.sampled_from(["*.go", "api/", "src/**/*.ts", "Makefile", "a`b"]), max_size=3, unique=True)
whens = st.one_of(st.just(""), st.sampled_from(["while we work on cart", "when: odd", "bei Nacht"]))


@st.composite
def rule_lists(draw: st.DrawFn, *, min_size: int = 0, max_size: int = 8) -> list[Rule]:
    size = draw(st.integers(min_size, max_size))
    return [
        make_rule(draw(texts), name=f"r-{index:08x}", kind=draw(kinds), when=draw(whens), paths=draw(path_lists))
        for index in range(size)
    ]

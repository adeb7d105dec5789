"""Conditions and ends: what holds only while something lasts, and what passes."""

import pytest

from ingrained.feedback.offline import RuleDecomposer
from ingrained.feedback.scope import reach
from ingrained.ids import MessageKey
from ingrained.session.session import Act, Turn

RULE = "never touch the payment code"
ENDS = [
    "until friday", "until next week", "until tomorrow", "till monday", "until the end of the month", "until march",
    "until 5pm", "until 2027", "until further notice", "until I'm back", "until the 3rd", "until Q3", "until v2 ships",
    "for now", "for today", "for this week", "for the time being", "for the moment", "at the moment", "right now", "in the meantime", "until then",
    "for this feature", "for the demo", "for the next two weeks", "for the next few days", "over the holidays", "temporarily",
    "during this sprint", "for the rest of the week", "this release", "in this release", "on this branch",
    "on the current branch", "in this PR", "in this pull request", "for this ticket", "in this session",
    "bis freitag", "bis auf weiteres", "vorerst", "fürs Erste", "auf diesem Branch", "diese Woche", "nur heute",
    "hasta el viernes", "hasta mañana", "por ahora", "de momento", "en esta rama", "esta semana",
    "jusqu'à vendredi", "jusqu'à demain", "pour l'instant", "pour le moment", "sur cette branche", "cette semaine",
]  # fmt: skip
HOLDS = [
    "while we work on the cart", "whilst we migrate", "as soon as CI is green", "in case of conflicts", "as long as CI is red", "so long as CI is red", "during the migration",
    "when the build is broken", "whenever a release is due", "unless I ask", "before you push", "every time CI fails",
    "until the tests pass", "until I approve", "until I say so", "until you have read the docs", "until CI is green",
    "während wir am Warenkorb arbeiten", "solange CI rot ist", "wenn der Build bricht", "bevor du pushst",
    "mientras trabajamos en el carrito", "antes de cada commit", "tant que la CI est rouge", "quand la CI casse",
]  # fmt: skip


@pytest.mark.parametrize("end", ENDS)
def test_what_passes_ends_the_rule_wherever_it_stands(end: str) -> None:
    for said in (f"{RULE} {end}", f"{end} {RULE}", f"{end}, {RULE}"):
        assert reach(said).expires, said


@pytest.mark.parametrize("why", ["we migrated today", "we switched this week", "it was decided today"])
def test_a_reason_that_happened_today_ends_nothing(why: str) -> None:
    assert not reach(f"use npm from now on instead of yarn, {why}").expires
    assert not reach(f"always use npm, {why}").expires


@pytest.mark.parametrize("end", ENDS)
def test_what_passes_never_transfers(end: str) -> None:
    turn = Turn(
        key=MessageKey("m"), tool="codex", session="s", record="r", line=1, text=f"{end}, {RULE}", form="typed",
        time=None, cwd="", branch="", act=Act(said="Done."),
    )  # fmt: skip
    atoms = RuleDecomposer().decompose([turn])[0]
    assert atoms
    assert not any(atom.transferable for atom in atoms)


@pytest.mark.parametrize("condition", HOLDS)
def test_a_condition_is_kept_as_said_and_ends_nothing(condition: str) -> None:
    for said in (f"{RULE} {condition}", f"{condition} {RULE}", f"{condition}, {RULE}"):
        found = reach(said)
        assert found.when == ("" if condition.startswith("until") and not found.when else condition), said
        assert not found.expires, said


@pytest.mark.parametrize(
    "said",
    ["never stop until tests pass", "keep going until everything is green", "don't merge until it was reviewed",
     "retry until 3 attempts failed", "never deploy until the release is tagged", "wait until this passes",
     "don't say done until you ran the suite", "never commit temporary files", "never leave temporary code",
     "hasta que pasen los tests no hagas commit", "bis alle Tests grün sind, nicht mergen", "print the date of today",
     "I told you this week already: never squash", "use the project time zone, this time zone"],
)  # fmt: skip
def test_an_until_that_is_the_content_ends_nothing(said: str) -> None:
    assert not reach(said).expires


@pytest.mark.parametrize(
    "said",
    ["use sqlite until we have a database", "don't touch the schema until the migration is done", "this is only temporary",
     "until the freeze is over, no deploys", "use the old endpoint until the new one ships"],
)  # fmt: skip
def test_an_until_that_happens_once_ends_it(said: str) -> None:
    assert reach(said).expires


@pytest.mark.parametrize(
    "said",
    ["when do we use the default?", "it reads as if we always branch", "check if the server runs", "run it once per file",
     "while we're at it, rename foo", "even if it is slow, run all tests"],
)  # fmt: skip
def test_other_uses_of_such_words_are_no_condition(said: str) -> None:
    assert not reach(said).when


@pytest.mark.parametrize(
    ("said", "when"),
    [
        ("for every Go file add the header", "for every Go file"),
        ("when you touch pricing.py run its tests", "when you touch pricing.py"),
        ("when you add a column write a backfill", "when you add a column"),
        ("before you say done run ruff", "before you say done"),
        ("for every test in a_test.go I'd like literals", "for every test in a_test.go"),
        ("if I hit escape... it closes", "if I hit escape"),
        ("if there is no test, write one", "if there is no test"),
        ("if the build never passes, stop", "if the build never passes"),
        ("while we work on the cart only run its tests", "while we work on the cart"),
    ],
)
def test_a_leading_condition_ends_where_the_rule_begins(said: str, when: str) -> None:
    assert reach(said).when == when

"""Feedback that a person gives outright on a draft, and the rules of a person: the loop of SkillGrain as a product.

What is given this way is a message like any other, with its own words as evidence; its atoms are the ones that were
shown, whichever judge `learn` uses (`store.ledger.GIVEN`), and what transfers counts as accepted. So `rules`, `why`,
`forget` and `install` know it without a word of their own. Where eq. 8 only appends, here rules are computed: what says
the same is one rule, and what contradicts an earlier one supersedes it (`skill.relate`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ingrained.errors import ConfigError, IngrainedError, RefusedError
from ingrained.feedback.decompose import Atom
from ingrained.feedback.transfer import speaks_for
from ingrained.ids import PersonId, bytes_hash, content_hash, message_key, normal_text
from ingrained.learn.drafts import draftable
from ingrained.learn.grain import Interaction, decompose
from ingrained.learn.machine import personal_names
from ingrained.learn.modelled import HABIT, REWORDED, atoms_of
from ingrained.learn.outright import TOOL, accept, everywhere, rule_with
from ingrained.learn.pipeline import opened, put_drafts
from ingrained.learn.remarks import Aside, remarks, without_secrets
from ingrained.learn.view import View, make_view
from ingrained.model.base import Model
from ingrained.model.structured import Parked
from ingrained.session.readers.base import one_line
from ingrained.session.redact import MARKER, SecretRedactor
from ingrained.session.session import Act, Cursor, FileRead, SessionFacts, Turn
from ingrained.skill.lines import condition, plain
from ingrained.skill.rule import Rule
from ingrained.skill.select import DEFAULT_BUDGET, select
from ingrained.store.database import LEDGER_NAME
from ingrained.store.ledger import GIVEN, Ledger
from ingrained.store.library import Library


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """One piece of feedback, as it is kept: without secrets."""

    turn: Turn
    person: PersonId
    request: str
    draft: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What a judge says of it."""

    atoms: tuple[Atom, ...]
    aside: tuple[Aside, ...] = ()
    """Words that are no atom: no demand, or an answer that cannot be trusted."""
    parked: str = ""
    """Why there is no answer; the words are kept and the next `learn` looks at them."""
    unasked: IngrainedError | None = None
    """Why nobody could be asked at all (no key, no package); `parked` says it too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """An atom and the rule that it is part of."""

    atom: Atom
    rule: Rule

    @property
    def rewritten(self) -> bool:
        """The atom says it in other words than the person."""
        return REWORDED in self.atom.reasons

    @property
    def left_out(self) -> tuple[str, ...]:
        """Markers of secrets and private details that stand in the words and not in the rule."""
        return tuple(one for one in dict.fromkeys(MARKER.findall(self.atom.quote)) if one not in self.atom.text)

    @property
    def waits(self) -> str:
        """Why the rule is not in force yet, or an empty string."""
        return draftable(self.rule)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a piece of feedback."""

    kept: tuple[Kept, ...]
    aside: tuple[Aside, ...]
    parked: str
    rules: tuple[Rule, ...]
    """The person's rules now (s_{t+1}), best first."""


def given(home: Path, person: str, *, request: str, draft: str, feedback: str, now: datetime | None = None) -> Given:
    """The message that a piece of feedback is. All feedback on one request is one session.

    Raises:
        ConfigError: there are no words in it.
    """
    if not feedback.strip():
        raise ConfigError("the feedback is empty", hint='--feedback "what should be otherwise"')
    redactor = SecretRedactor(names=personal_names())
    words, asked, made = (redactor.redact(text.strip()).text for text in (feedback, request, draft))
    session = content_hash([TOOL, person, asked], size=8).removeprefix("b2:")
    turn = Turn(
        key=message_key(TOOL, person, asked, made, words),
        tool=TOOL,
        session=session,
        record="feedback",
        line=1,
        text=words,
        form="typed",
        time=now or datetime.now(UTC),
        cwd=str(home / TOOL / person),
        branch="",
        act=Act(input=one_line(asked), said=one_line(made)),
    )
    return Given(turn=turn, person=PersonId(person), request=asked, draft=made)


def judged_offline(said: Given) -> Judged:
    """What the offline judge of feedback finds in it, and the words in which it finds nothing."""
    atoms, left = remarks(said.turn, request=said.request, draft=said.draft)
    return Judged(atoms=atoms, aside=left)


async def judged_by(model: Model, said: Given, *, history: Sequence[str]) -> Judged:
    """What a language model finds in it (`grain.decompose`); one call, or two.

    Whatever keeps the model from answering, a missing key too, is a reason to park the words and none to lose them.
    """
    try:
        found = await decompose(model, context_of(said, history=history))
    except IngrainedError as error:
        why = f"{error.message} ({error.hint})" if error.hint else error.message
        return Judged(atoms=(), parked=why, unasked=error)
    if isinstance(found, Parked):
        return Judged(atoms=(), parked=found.reason)
    atoms, lost = without_secrets(atoms_of(said.turn, found))
    left = [
        Aside(quote=one.span.text if one.span else "", content=one.content, reason=one.problem)
        for one in found.grains
        if one.problem
    ]
    left += [Aside(quote=clause.text, reason="the model made no demand of it") for clause in found.unheard]
    return Judged(atoms=atoms, aside=(*left, *lost))


def context_of(said: Given, *, history: Sequence[str]) -> Interaction:
    """The context c_t of eq. 6, without s_t, which is not shown: what was kept before is compared afterwards."""
    return Interaction(
        feedback=said.turn.text,
        request=said.request,
        draft=said.draft,
        history=tuple(history),
    )


def rule_words(rule: Rule) -> str:
    """A rule as it is told to a model: with its condition, in one line."""
    return condition(rule.scope, rule.text) + plain(rule.text)


def keep(home: Path, said: Given, judged: Judged) -> Outcome:
    """Store the message, its atoms and the person's yes, and bring rules and drafts up to date.

    The same feedback on the same draft again changes nothing. What would weaken safety still waits for `review`.

    Raises:
        RefusedError: these very words were forgotten; they do not come back.
        StoreError: the home folder cannot be used.
    """
    with opened(home, "feedback") as here:
        _put_message(here.ledger, said)
        if judged.parked:
            return Outcome(kept=(), aside=judged.aside, parked=judged.parked, rules=rules_of(here.view(), said.person))
        atoms = everywhere(judged.atoms)
        here.ledger.add_atoms(*GIVEN, {said.turn.key: atoms})
        accept(here.ledger, here.view(), said.person, atoms)
        view = here.view()
        put_drafts(view, here.ledger, here.library, budget=DEFAULT_BUDGET, form="auto")
        kept, aside = _sorted_out(view, said.person, atoms)
        return Outcome(kept=kept, aside=(*aside, *judged.aside), parked="", rules=rules_of(view, said.person))


def _put_message(ledger: Ledger, said: Given) -> None:
    turn = said.turn
    if any(message.key == turn.key for message in ledger.messages(said.person)):
        return
    data = turn.text.encode("utf-8", "surrogatepass")
    added = ledger.add(
        said.person,
        FileRead(
            path=f"{TOOL}:{turn.session}/{turn.key}",
            reader=TOOL,
            sessions=(SessionFacts(tool=TOOL, session=turn.session, started=turn.time, ended=turn.time, cwd=turn.cwd),),
            turns=(turn,),
            set_aside={},
            by_tag=0,
            refusals=0,
            unknown={},
            damage=(),
            secrets={},
            bytes_read=len(data),
            cursor=Cursor(size=len(data), mtime_ns=0, inode=0, offset=len(data), prefix=bytes_hash(data), line=1),
            resumed=False,
        ),
    )
    if added.forgotten:
        raise RefusedError(
            "these words about this request were forgotten, and what was forgotten does not come back",
            hint="say it in other words",
        )


def _sorted_out(view: View, person: PersonId, atoms: Sequence[Atom]) -> tuple[tuple[Kept, ...], tuple[Aside, ...]]:
    """Which atoms are kept, and why the others are not."""
    why = {lost.atom.key: lost.reason for lost in view.dropped}
    kept: list[Kept] = []
    aside: list[Aside] = []
    for atom in atoms:
        rule = rule_with(view, person, atom) if atom.transferable else None
        if rule is not None:
            kept.append(Kept(atom=atom, rule=rule))
            continue
        reason = why.get(atom.key, "") if atom.transferable else _not_kept(atom)
        content = atom.text if normal_text(atom.text) != normal_text(atom.quote) else ""
        aside.append(Aside(quote=atom.quote, content=content, reason=reason or "it became no rule"))
    return tuple(kept), tuple(aside)


def _not_kept(atom: Atom) -> str:
    if atom.expires:
        return "the words end it with this task"
    if atom.relation == "retracts":
        return "it takes a rule back"
    why = [reason for reason in atom.reasons if not speaks_for(reason) and reason not in {HABIT, REWORDED}]
    return f"about this piece of work: {'; '.join(why)}" if why else "no word of it says that it holds for other work"


def rules_of(view: View, person: PersonId, budget: int = DEFAULT_BUDGET) -> tuple[Rule, ...]:
    """The rules of a person that hold everywhere and are sure enough for a draft, best first, within the budget."""
    mine = [rule for rule in view.rules if person in rule.people and rule.scope.project is None and not draftable(rule)]
    return select(mine, budget=budget).kept


def known_rules(home: Path, person: PersonId) -> tuple[tuple[Rule, ...], tuple[PersonId, ...]]:
    """The rules of a person as they are now, without changing anything, and all people who are known.

    Raises:
        StoreError: the ledger cannot be read.
    """
    if not (home / LEDGER_NAME).exists():
        return (), ()
    with Ledger.open(home, read_only=True) as ledger:
        return rules_of(make_view(ledger, Library(home)), person), tuple(ledger.people())

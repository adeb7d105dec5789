"""The view: all rules as they follow from the ledger, the library and the person's own rule files at this moment.

Every command that shows or judges rules goes through here, so `rules`, `why`, `review` and the drafts cannot disagree.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ingrained.errors import UnknownNameError
from ingrained.feedback.decompose import DECOMPOSERS, DEFAULT_DECOMPOSER, Decomposer
from ingrained.ids import AtomKey, MessageKey, PersonId, ProjectId, atom_key, message_of
from ingrained.learn.existing import LineDates, rule_lines
from ingrained.learn.imported import Placed, with_imports
from ingrained.learn.machine import merged_projects, personal_names
from ingrained.learn.recorded import PREFIX, RecordedJudge
from ingrained.registry import nearest
from ingrained.session.lineage import Message, SessionRef, independent_sessions, merge_copies
from ingrained.session.projects import display_name, resolve
from ingrained.session.redact import SecretRedactor
from ingrained.session.sources import git_remote
from ingrained.skill.again import said_again
from ingrained.skill.enforce import with_suggestions
from ingrained.skill.project import Context, Dropped, project
from ingrained.skill.relate import settle
from ingrained.skill.rule import Decision, Heard, Rule, Said
from ingrained.skill.safety import generalise, weakens_safety
from ingrained.store.imports import Import, imports
from ingrained.store.ledger import Ledger
from ingrained.store.library import Library


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """All rules, refused and superseded ones included, and what they rest on."""

    rules: tuple[Rule, ...]
    """Strongest first."""
    dropped: tuple[Dropped, ...]
    titles: Mapping[ProjectId, str]
    """Short name of each project."""
    heard: tuple[Heard, ...]
    """Every message once, earliest first."""
    placed: tuple[Placed, ...] = ()
    """What became of each rule that came in a file."""

    def rule(self, name: str) -> Rule:
        """The rule with this id, alias, or beginning of an id.

        Raises:
            UnknownNameError: none or several have it; the message says which there are.
        """
        wanted = name if name.startswith("r-") else f"r-{name}"
        found = [rule for rule in self.rules if wanted in (rule.id, *rule.aliases)]
        found = found or [rule for rule in self.rules if rule.id.startswith(wanted)]
        if len(found) == 1:
            return found[0]
        ids = [str(rule.id) for rule in self.rules]
        if found:
            raise UnknownNameError(f"{name!r} is the beginning of {', '.join(r.id for r in found)}", hint="add a digit")
        raise UnknownNameError(f"no rule {name!r} among {len(ids)}{nearest(wanted, ids)}", hint="ingrained rules")

    def person(self, name: str) -> PersonId:
        """The person of this name.

        Raises:
            UnknownNameError: nobody of that name said anything; the message says who did.
        """
        known = sorted({message.person for message in self.heard})
        if name in known:
            return PersonId(name)
        raise UnknownNameError(
            f"nobody called {name!r} is known (known: {', '.join(known)}){nearest(name, [*known])}",
            hint="ingrained rules",
        )


def make_view(
    ledger: Ledger,
    library: Library,
    decomposer: Decomposer | None = None,
    *,
    imported: Sequence[Import] | None = None,
) -> View:
    """Compute the view. Cost: reads the whole ledger; quadratic in the atoms that could be part of a rule.

    Args:
        ledger: open, for reading at least.
        library: for what is installed since when.
        decomposer: whose atoms count; that of the last `learn` where it is `None`.
        imported: files of shared rules; those that were read before where it is `None`.
    """
    judge = decomposer or judge_of(ledger)
    facts = ledger.sessions()
    everything = ledger.messages()
    roots = independent_sessions(everything, facts)
    merged = merge_copies(everything, roots)
    messages = _one_person_each(merged.messages)
    projects = resolve(
        (message.turn.cwd for message in messages),
        remote_of=git_remote,
        merged=merged_projects(library.home),
    )
    heard = tuple(_heard(message, roots, projects) for message in messages)
    decisions = [_moved(decision, merged.aliases) for decision in ledger.decisions()]
    names = personal_names()
    existing = rule_lines(_folders(messages), Path.home(), os.environ, _installed_files(library))
    context = Context(
        existing=existing,
        owners=owners(existing, projects),
        since=LineDates(),
        clean=partial(_clean, redactor=SecretRedactor(names=names), home=str(Path.home())),
        held=weakens_safety,
        opposed=_opposed,
        names=names,
    )
    result = project(heard, ledger.atoms(judge.name, judge.version), decisions, context)
    files = imports(library.home) if imported is None else imported
    everything = with_imports(result.rules, files, decisions)
    titles = {one: display_name(one) for one in sorted(set(projects.values()))}
    return View(
        rules=with_suggestions(said_again(settle(everything.rules, decisions), library.manifest().since, heard)),
        dropped=result.dropped,
        titles={**{one.project: one.title for one in files}, **titles},
        heard=heard,
        placed=everything.placed,
    )


def load_decomposer(name: str) -> Decomposer:
    """The decomposer called `name`.

    Raises:
        UnknownNameError: there is none of that name.
    """
    if name.startswith(PREFIX):
        raise UnknownNameError(
            f"{name!r} is a language model, which is not asked here", hint="ingrained learn --model, or bench feedback"
        )
    return DECOMPOSERS.load(name)()


def judge_of(ledger: Ledger, name: str = "") -> Decomposer:
    """The decomposer of this name, else the one that the last `learn` used, else the default.

    Raises:
        UnknownNameError: there is none of that name, or it is a model that never judged here.
    """
    wanted = name or ledger.chosen_judge() or DEFAULT_DECOMPOSER
    if wanted.startswith(PREFIX) and (version := ledger.judge_version(wanted)):
        return RecordedJudge(wanted, version)
    return load_decomposer(wanted)


def owner_of(people: Sequence[PersonId]) -> PersonId | None:
    """Whose personal rules this machine is about: "me", or the only person there is."""
    if PersonId("me") in people:
        return PersonId("me")
    return people[0] if len(people) == 1 else None


def _one_person_each(messages: Sequence[Message]) -> list[Message]:
    """Each message once; where a log was given for two people, the first of them in the alphabet said it."""
    first: dict[MessageKey, Message] = {}
    for message in messages:
        known = first.get(message.key)
        if known is None or message.person < known.person:
            first[message.key] = message
    return list(first.values())


def _heard(message: Message, roots: Mapping[SessionRef, SessionRef], projects: Mapping[str, ProjectId]) -> Heard:
    turn = message.turn
    root = roots.get(message.ref, message.ref)
    return Heard(
        key=turn.key,
        person=message.person,
        project=projects[turn.cwd],
        session=f"{root.tool}:{root.session}",
        turn=turn.record,
        text=turn.text,
        form=turn.form,
        act=Said(tool=turn.act.tool, input=turn.act.input, said=turn.act.said),
        time=turn.time,
    )


def owners(paths: Iterable[str], projects: Mapping[str, ProjectId]) -> dict[str, frozenset[ProjectId]]:
    """The projects whose folders a rule file lies in, by its path; none for one that is read in all projects."""
    folders = [(Path(folder), project) for folder, project in projects.items() if folder]
    return {
        path: frozenset(project for folder, project in folders if Path(path).is_relative_to(folder)) for path in paths
    }


def _moved(decision: Decision, aliases: Mapping[MessageKey, MessageKey]) -> Decision:
    """The decision with its evidence under the keys that stand for copies."""
    return decision.model_copy(update={"atoms": tuple(_atom(atom, aliases) for atom in decision.atoms)})


def _atom(atom: AtomKey, aliases: Mapping[MessageKey, MessageKey]) -> AtomKey:
    message = message_of(atom)
    return atom_key(aliases[message], int(atom.rpartition("@")[2])) if message in aliases else atom


def _folders(messages: Sequence[Message]) -> list[Path]:
    return [Path(cwd) for cwd in sorted({message.turn.cwd for message in messages if message.turn.cwd})]


def _installed_files(library: Library) -> list[Path]:
    return [Path(copy.real) for copy in library.manifest().copies if copy.kind != "block"]


def _opposed(one: str, other: str) -> bool:
    from ingrained.learn.preferences import opposed  # reads writing preferences, which few commands need

    return opposed(one, other)


def _clean(text: str, names: Sequence[str], *, redactor: SecretRedactor, home: str) -> str | None:
    """The rule as it may be written down; the person's own home folder is `~`, wherever it lies."""
    if home.strip("/"):
        text = re.sub(re.escape(home.rstrip("/")) + r"(?![\w.\-])", "~", text)
    return generalise(text, names=names, secrets_redactor=redactor)


def project_of(folder: Path, view: View, home: Path) -> ProjectId:
    """The project that a folder of this machine belongs to, in the light of all that were seen.

    Raises:
        ConfigError: the config cannot be read.
    """
    real = str(folder.expanduser().resolve())
    seen = [one.partition(":")[2] for one in view.titles if one.startswith("dir:")]
    return resolve([real, *seen], remote_of=git_remote, merged=merged_projects(home))[real]


def known_project(folder: Path, view: View, home: Path) -> ProjectId:
    """The same, for a folder that exists or that somebody worked in.

    Raises:
        UnknownNameError: it is neither; the message says which projects are known.
        ConfigError: the config cannot be read.
    """
    found = project_of(folder, view, home)
    if found in view.titles or folder.expanduser().exists():
        return found
    names = sorted(set(view.titles.values()))
    raise UnknownNameError(
        f"no folder {str(folder)!r}, and no session worked in it (projects known: {', '.join(names)})"
        f"{nearest(folder.name, names)}",
        hint="name a folder that exists, such as . for this one",
    )

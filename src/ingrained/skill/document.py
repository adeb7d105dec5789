"""SKILL.md: read one, change it without touching the rest, and write one from rules.

`render` keeps every byte of a parsed file that was not changed, apart from a byte order mark and CRLF, which the
specification's validator refuses. `canonical` and `render_skill` write what that validator accepts, and read back what
they wrote before they return it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ingrained.errors import SkillFormatError
from ingrained.feedback.decompose import Kind
from ingrained.ids import content_hash
from ingrained.skill import frontmatter
from ingrained.skill.frontmatter import Field, Node
from ingrained.skill.lines import Rendered, RuleLine, bullets, plain
from ingrained.skill.rule import Rule

MAX_NAME = 64
MAX_DESCRIPTION = 1024
MAX_COMPATIBILITY = 500
OUR_MAX_DESCRIPTION = 249
"""Characters: fits every agent's listing (HiPS and the specification allow more, listings are cut)."""
PREFIX = "ingrained-"
"""Our keys under `metadata` start so."""
FORMAT = "1"
"""Of the files that we write; stands under `metadata` as `ingrained-version`."""
FIELDS = ("name", "description", "license", "compatibility", "allowed-tools", "metadata")
"""The six fields of the Agent Skills specification, in the order in which we write them."""

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_INTRO = "Follow each rule where it applies; what the person says in this session comes first."
_HEADINGS: dict[Kind, str] = {
    "workflow": "Workflow",
    "commit": "Branches and commits",
    "validation": "Tests and checks",
    "style": "Code style",
    "follow-up": "Afterwards",
    "communication": "Answers",
    "other": "Other",
}
_USES: dict[Kind, str] = {
    "workflow": "plan or start work",
    "commit": "branch, commit or open a pull request",
    "validation": "test or check a change",
    "style": "write or change code",
    "follow-up": "finish a task",
    "communication": "write an answer",
    "other": "decide how to proceed",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillDocument:
    """A SKILL.md. Change fields with `dataclasses.replace`, then `render`."""

    name: str
    description: str
    license: str | None = None
    compatibility: str | None = None
    allowed_tools: str | None = None
    """Space-separated, as the specification has it."""
    metadata: Mapping[str, str] = field(default_factory=dict)
    body: str
    """All after the line end of the closing fence."""
    other: Mapping[str, Node] = field(default_factory=dict)
    """Fields beyond the six of the specification (`hooks`, `model`…)."""
    head: str = ""
    """The frontmatter as it was read, LF, without the fences; empty for a new document."""
    repairs: tuple[str, ...] = ()
    """What had to be mended to read it: `bom`, `crlf`, `line-end`, `colon:<field>`, `list:allowed-tools`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One way in which a frontmatter breaks the specification."""

    code: str
    message: str


def parse(data: bytes, *, where: str = "SKILL.md", mend: bool = False) -> SkillDocument:
    """The skill in the bytes of a file. Name and folder are not compared: see `check_name`.

    Args:
        data: the file's bytes, at most 1 MiB.
        where: path for messages.
        mend: put a plain value that YAML would misread (a colon and a blank in it) in quotes instead of refusing.

    Raises:
        SkillFormatError: the bytes are no such file, or break the specification; with file, line and what is allowed.
    """
    source = frontmatter.split(data, where=where)
    head, repairs = source.head, source.repairs
    try:
        fields = frontmatter.read(head, where=where)
    except SkillFormatError:
        mended, names = frontmatter.repair(head) if mend else (head, ())
        if not names:
            raise
        fields = frontmatter.read(mended, where=where)
        head, repairs = mended, repairs + tuple(f"colon:{name}" for name in names)
    if found := problems(fields):
        raise SkillFormatError(f"{where}: " + "; ".join(problem.message for problem in found))
    values = {item.name: item.value for item in fields}
    tools = values.get("allowed-tools")
    if isinstance(tools, list):
        tools = " ".join(str(tool) for tool in tools)
        repairs += ("list:allowed-tools",)
    metadata = values.get("metadata", {})
    return SkillDocument(
        name=str(values["name"]),
        description=str(values["description"]),
        license=_text(values.get("license")),
        compatibility=_text(values.get("compatibility")),
        allowed_tools=_text(tools),
        metadata={key: str(value) for key, value in metadata.items()} if isinstance(metadata, dict) else {},
        body=source.body,
        other={name: value for name, value in values.items() if name not in FIELDS},
        head=head,
        repairs=repairs,
    )


def problems(fields: Sequence[Field]) -> list[Problem]:
    """All ways in which the fields break the specification, which unknown fields do not."""
    values = {item.name: item.value for item in fields}
    found: list[Problem] = []
    for name in ("name", "description"):
        value = values.get(name)
        if not isinstance(value, str) or not value.strip():
            state = "is missing" if value is None else "is empty" if isinstance(value, str) else "is no text"
            found.append(Problem(code=name, message=f"the field '{name}' {state}"))
    name, description = values.get("name"), values.get("description")
    if isinstance(name, str) and name.strip() and (wrong := check_name(name)):
        found.append(Problem(code="name", message=wrong))
    if isinstance(description, str) and len(description) > MAX_DESCRIPTION:
        length = f"the description has {len(description):,} characters, at most {MAX_DESCRIPTION:,}"
        found.append(Problem(code="description", message=length))
    compatibility = values.get("compatibility")
    if compatibility is not None and not (isinstance(compatibility, str) and len(compatibility) <= MAX_COMPATIBILITY):
        message = f"the field 'compatibility' is text of at most {MAX_COMPATIBILITY} characters"
        found.append(Problem(code="compatibility", message=message))
    if not isinstance(values.get("license", ""), str):
        found.append(Problem(code="license", message="the field 'license' is no text"))
    tools = values.get("allowed-tools", "")
    if isinstance(tools, dict) or (isinstance(tools, list) and not all(isinstance(tool, str) for tool in tools)):
        found.append(Problem(code="allowed-tools", message="the field 'allowed-tools' is no text or list of names"))
    metadata = values.get("metadata", {})
    # `metadata:` with nothing below it reads as empty text
    if metadata != "" and not (isinstance(metadata, dict) and all(isinstance(v, str) for v in metadata.values())):
        found.append(Problem(code="metadata", message="the field 'metadata' is no map of text to text"))
    return found


def check_name(name: str, folder: str | None = None) -> str:
    """What is wrong with a skill's name ("" for nothing): 1 to 64 of a-z, 0-9 and single hyphens; equal to `folder`."""
    if not _NAME.fullmatch(name) or len(name) > MAX_NAME:
        return f"the name {name[:80]!r} is not 1 to {MAX_NAME} characters of a-z, 0-9 and single hyphens between them"
    if folder is not None and folder != name:
        return f"the name {name!r} and its folder {folder!r} differ"
    return ""


def render(document: SkillDocument) -> str:
    """The document as text: its head as it was read, with only the fields rewritten that were changed since.

    `parse` then `render` is the identity for a file without a byte order mark, CRLF, or missing last line end.
    A changed or added field is written as `canonical` writes it; a field set to `None` or empty goes.

    Raises:
        SkillFormatError: a changed field breaks the specification.
    """
    if not document.head:
        return canonical(document)
    old = {item.name: item for item in frontmatter.read(document.head, where=document.name)}
    before = parse(f"---\n{document.head}---\n".encode(), where=document.name)
    lines = [line + "\n" for line in document.head.split("\n")[:-1]]
    cuts: list[tuple[int, int, str]] = []
    for name in FIELDS:
        if _value(before, name) == _value(document, name):
            continue
        text = _field(document, name)
        if name in old:
            cuts.append((old[name].first, old[name].last + 1, text))
        else:
            cuts.append((len(lines), len(lines), text))
    for first, after, text in sorted(cuts, key=lambda cut: cut[0], reverse=True):
        lines[first:after] = [text]
    return _read_back(f"---\n{''.join(lines)}---\n{document.body}", document)


def canonical(document: SkillDocument, *, folder: str | None = None) -> str:
    """The document with the six fields of the specification only, quoted; what its validator accepts.

    Fields beyond the six and comments in the head are left out; the body stays as it is.

    Raises:
        SkillFormatError: a field breaks the specification, or the name differs from `folder`.
    """
    if wrong := check_name(document.name, folder):
        raise SkillFormatError(wrong)
    head = "".join(_field(document, name) for name in FIELDS)
    return _read_back(f"---\n{head}---\n{document.body}", replace(document, other={}))


def render_skill(
    rules: Sequence[Rule],
    *,
    name: str,
    description: str,
    title: str = "Standing rules",
    license_name: str | None = None,
    metadata: Mapping[str, str] | None = None,
) -> Rendered:
    """A SKILL.md that says the rules, one a line, and which line says which rule.

    Rules stand under a heading for their kind (none where all are of one kind), those without a condition first, else
    in the order given. The same rules give the same bytes.

    Args:
        rules: selected rules, best first.
        name: the skill's name, which is also its folder.
        description: under 250 characters; says when to use the skill (see `describe`).
        title: heading of the body.
        license_name: for the field `license`.
        metadata: more keys under `metadata`; the prefix `ingrained-` is put before them where it is missing.

    Raises:
        SkillFormatError: the name or the description is not allowed.
    """
    description = plain(description)
    if len(description) > OUR_MAX_DESCRIPTION:
        raise SkillFormatError(f"the description has {len(description)} characters, at most {OUR_MAX_DESCRIPTION}")
    ours = {"version": FORMAT, "source": source_hash(rules)} | dict(metadata or {})
    document = SkillDocument(
        name=name,
        description=description,
        license=license_name,
        metadata={PREFIX + key.removeprefix(PREFIX): value for key, value in ours.items()},
        body="",
    )
    written = canonical(document, folder=name).split("\n")[:-1]
    written += ["", f"# {plain(title)}", "", _INTRO]
    mapping: list[RuleLine] = []
    groups = _groups(rules)
    for kind, group in groups:
        written.append("")
        if len(groups) > 1:
            written += [f"## {_HEADINGS[kind]}", ""]
        texts, lines = bullets(group, first_line=len(written) + 1)
        written += texts
        mapping += lines
    text = "\n".join(written) + "\n"
    body = "".join(f"{line}\n" for line in written[written.index("---", 1) + 1 :])
    _read_back(text, replace(document, body=body))
    return Rendered(text=text, lines=tuple(mapping))


def describe(rules: Sequence[Rule], *, where: str = "") -> str:
    """A description under 250 characters: whose rules, about what, and when to use them.

    Args:
        rules: the rules of the skill; kinds, paths and conditions name the moments of use, as far as they fit.
        where: the project's name; empty for rules that hold everywhere.
    """
    kinds = [kind for kind, _ in _groups(rules)]
    place = f" in {plain(where)[:60]}" if where else ""
    topics = ", ".join(_HEADINGS[kind].lower() for kind in kinds)
    text = f"This person's standing rules{place}: {topics}."
    uses = [_USES[kind] for kind in kinds]
    while uses and len(text + f" Use before you {_list(uses)}{place}.") > OUR_MAX_DESCRIPTION:
        uses.pop()
    if uses:
        text += f" Use before you {_list(uses)}{place}."
    marks = dict.fromkeys(plain(path) for rule in rules for path in rule.scope.paths)
    marks |= dict.fromkeys(plain(rule.scope.when) for rule in rules if rule.scope.when)
    touched: list[str] = []
    for mark in marks:
        if mark and len(text + f" Also: {', '.join([*touched, mark])}.") <= OUR_MAX_DESCRIPTION:
            touched.append(mark)
    return text + (f" Also: {', '.join(touched)}." if touched else "")


def source_hash(rules: Sequence[Rule]) -> str:
    """Hash of what the rendering of these rules depends on; stands under `metadata` as `ingrained-source`."""
    return content_hash([[rule.id, rule.text, rule.scope.when, *rule.scope.paths] for rule in rules], size=8)


def _groups(rules: Sequence[Rule]) -> list[tuple[Kind, list[Rule]]]:
    return [
        (kind, sorted(found, key=lambda rule: bool(rule.scope.when or rule.scope.paths)))
        for kind in _HEADINGS
        if (found := [rule for rule in rules if rule.kind == kind])
    ]


def _list(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else "; ".join(words[:-1]) + "; or " + words[-1]


def _text(value: Node | None) -> str | None:
    return value if isinstance(value, str) else None


def _value(document: SkillDocument, name: str) -> str | dict[str, str] | None:
    if name == "metadata":
        return dict(document.metadata) or None
    value: str | None = getattr(document, name.replace("-", "_"))
    return value


def _field(document: SkillDocument, name: str) -> str:
    value = _value(document, name)
    if value is None:
        return ""
    if isinstance(value, dict):
        return "metadata:\n" + "".join(
            f"  {frontmatter.word(key)}: {frontmatter.quote(text)}\n" for key, text in value.items()
        )
    return f"{name}: {frontmatter.word(value) if name == 'name' else frontmatter.quote(value)}\n"


def _read_back(text: str, document: SkillDocument) -> str:
    """The text, after reading it gives the same document: a skill that loses a field is never written."""
    found = parse(text.encode("utf-8", "surrogatepass"), where=f"the skill {document.name!r}")
    same = all(_value(found, name) == _value(document, name) for name in FIELDS)
    if not same or found.body != document.body or set(document.other) - set(found.other):
        raise RuntimeError(f"a bug: the skill {document.name!r} does not read back as it was written")
    return text

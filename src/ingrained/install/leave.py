"""A text of ours without our rules: what a person wrote into it stays, in a file that still makes sense.

It is remembered as a text that we wrote, so that a later install goes on in it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from ingrained.errors import SkillFormatError
from ingrained.skill import document, rulesfile
from ingrained.skill.align import Comparison
from ingrained.skill.document import SkillDocument
from ingrained.skill.lines import Rendered, RuleLine, line_key, read_edited
from ingrained.store.edits import merge_copy, own_text, unix
from ingrained.store.library import Library, text_hash
from ingrained.store.manifest import Copy, Manifest, PieceKind

_DESCRIPTION = "This person's own notes. Use before you plan or start work."


def without_rules(library: Library, manifest: Manifest, copy: Copy, found: str) -> str | None:
    """An edited SKILL.md or rules file with the person's lines only; `None` where there are none.

    A skill keeps a frontmatter with its name and a description that says none of our rules, a rules file keeps its
    paths, so that what the person wrote holds as widely as before. A line of ours that they reworded is theirs.

    Args:
        library: holds our rendering behind the copy.
        manifest: of the library.
        copy: the installed copy.
        found: what stands in the file (`store.edits.own_text`).

    Raises:
        StoreError: a blob is missing or damaged.
    """
    rendered = library.rendered(copy.rendered)
    text = ""
    for bare in _bare(copy, (rendered.base or rendered).text):
        text = merge_copy(library, manifest, copy, found, Rendered(text=bare, lines=())).text
        if not _keys(text) - _keys(bare):
            return None
        if copy.kind != "skill" or _parses(text, copy.path):
            break
    return text


def left_behind(rest: str, comparison: Comparison, ours: Rendered) -> Rendered:
    """What `without_rules` left, with the rules that its lines reword, so that a later install knows them.

    Args:
        rest: the text left, LF line ends.
        comparison: of the edited text with ours.
        ours: our rendering, without edits.
    """
    entries = {line.rule_id: line for line in ours.lines}
    reworded = {one.line: entries[one.rule_id] for one in comparison.edits if one.kind == "reworded"}
    own = Counter(added.line for added in comparison.added)
    base: list[str] = []
    lines: list[RuleLine] = []
    before: list[RuleLine] = []
    for number, line in enumerate(rest.split("\n"), start=1):
        entry = reworded.pop(line, None)
        if entry is not None:
            base.append(entry.text)
            before.append(entry.model_copy(update={"line_no": len(base)}))
            prefix = read_edited(entry, line).prefix
            lines.append(entry.model_copy(update={"line_no": number, "text": line, "prefix": prefix}))
        elif own[line] > 0:
            own[line] -= 1
        else:
            base.append(line)
    return Rendered(text=rest, lines=tuple(lines), base=Rendered(text="\n".join(base), lines=tuple(before)))


def known_text(manifest: Manifest, kind: PieceKind, content: bytes | None, *, where: str) -> str:
    """The blob of a text of ours that stands in a file of its own, as we wrote or left it; empty for any other text."""
    if content is None or kind == "block":
        return ""
    try:
        text = own_text(kind, "", content, where=where)
    except SkillFormatError:
        return ""
    return (text and manifest.written.get(text_hash(unix(text)))) or ""


def without_block(data: bytes, name: str, theirs: Counter[str], *, where: str) -> bytes:
    """The file without our block; as many lines in it as `theirs` says, by key, stay in its place.

    Raises:
        SkillFormatError: our markers in the file are broken.
    """
    block = rulesfile.find(data, name, where=where)
    if block is None:
        return data
    lines = data.split(b"\n")
    left = Counter(theirs)
    kept: list[bytes] = []
    for line in lines[block.first_line : block.last_line - 1]:
        key = line_key(line.decode("utf-8", "surrogateescape"))
        if left[key] > 0:
            left[key] -= 1
            kept.append(line)
    if not kept:
        return rulesfile.remove(data, name, where=where)
    return b"\n".join([*lines[: block.first_line - 1], *kept, *lines[block.last_line :]])


def _bare(copy: Copy, ours: str) -> list[str]:
    """Our text without any rule, the barest first: keys of the person's may need the frontmatter that we wrote."""
    if copy.kind == "skill":
        plain = SkillDocument(name=copy.name, description=_DESCRIPTION, body="")
        whole = replace(document.parse(ours.encode(), where=copy.path), description=_DESCRIPTION, body="")
        return [document.canonical(plain), document.render(whole)]
    head, fence, _ = ours.partition("\n---\n")
    return [head + fence if fence and head.startswith("---\n") else ""]


def _parses(text: str, where: str) -> bool:
    try:
        document.parse(text.encode(), where=where)
    except SkillFormatError:
        return False
    return True


def _keys(text: str) -> Counter[str]:
    return Counter(key for line in text.split("\n") if (key := line_key(line)))

"""The always-on form: rules in a file that the agent reads at every start.

Two shapes. A marked block inside a file that is somebody else's (AGENTS.md, CLAUDE.md): everything outside our two
markers stays to the byte, and taking the block out gives back the file as it was, because the begin marker says how
many line ends were put before it. And whole files of our own for Claude Code's `.claude/rules`, one for each set of
paths.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ingrained.errors import SkillFormatError
from ingrained.ids import bytes_hash
from ingrained.skill.frontmatter import quote, verbatim
from ingrained.skill.lines import Rendered, bullets, cut_lines, line_end, plain
from ingrained.skill.rule import Rule

FormName = Literal["skill", "rules"]

BLOCK_VERSION = 1
_BEGIN = re.compile(
    r"<!-- ingrained:begin v(?P<version>\d{1,4}) (?P<name>[a-z0-9-]{1,64}) gap=(?P<gap>[0-2])\b.*-->\s*"
)
_END = re.compile(r"<!-- ingrained:end (?P<name>[a-z0-9-]{1,64}) -->\s*")
_ANY = re.compile(r"\s*<!--\s*ingrained:(?:begin|end)\b")
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One marked block of ours in a file."""

    name: str
    version: int
    gap: int
    """Line ends that were put before the block when it was inserted."""
    first_line: int
    """1-based line of the begin marker."""
    last_line: int
    """1-based line of the end marker."""
    content: str
    """What stands between the markers, with the file's own line ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesFile:
    """A whole rules file of our own, for `.claude/rules`."""

    name: str
    """File name: `ingrained.md`, `ingrained-go.md`."""
    paths: tuple[str, ...]
    """Globs in its frontmatter; empty: read at every start."""
    rendered: Rendered


def form_of(rule: Rule) -> FormName:
    """`skill` for what a description can call up at the right moment, else `rules` (always on).

    A skill is read when its description matches what the agent is about to do. So a condition or paths, or one of the
    kinds that are steps of work (workflow, validation, commit, follow-up), make a `skill`. Communication has no such
    moment, whatever its condition, and neither has a style or other rule that always applies.
    """
    if rule.kind == "communication":
        return "rules"
    if rule.scope.when or rule.scope.paths:
        return "skill"
    return "skill" if rule.kind in {"workflow", "validation", "commit", "follow-up"} else "rules"


def render_block(rules: Sequence[Rule], *, title: str = "Standing rules") -> Rendered:
    """The content of a marked block (without the markers): a heading and one line a rule, in the order given."""
    texts, mapping = bullets(rules, first_line=3)
    return Rendered(text="\n".join([f"## {plain(title)}", "", *texts]) + "\n", lines=tuple(mapping))


def render_files(rules: Sequence[Rule], *, stem: str = "ingrained", title: str = "Standing rules") -> list[RulesFile]:
    """Claude Code rule files: one for each distinct set of paths, the one without paths first.

    A glob without a folder (`*.go`) is widened to every folder (`**/*.go`) and a folder to what lies in it, as that
    agent's `paths:` needs. The condition also stays in each line, since a file once read stays in the context.
    """
    groups: dict[tuple[str, ...], list[Rule]] = {}
    for rule in rules:
        groups.setdefault(tuple(sorted({_glob(path) for path in rule.scope.paths})), []).append(rule)
    files: list[RulesFile] = []
    taken: set[str] = set()
    for paths in sorted(groups):
        name = f"{stem}.md" if not paths else f"{stem}-{_slug(paths)}.md"
        if name in taken:
            name = f"{stem}-{_slug(paths)}-{bytes_hash('|'.join(paths).encode(), size=3)[3:]}.md"
        taken.add(name)
        files.append(RulesFile(name=name, paths=paths, rendered=_render_file(groups[paths], paths, title)))
    return files


def blocks(data: bytes, *, where: str) -> list[Block]:
    """Our blocks in a file, in their order; blocks of other tools are not seen.

    Raises:
        SkillFormatError: the file is not UTF-8, or our markers are broken: one without its partner, two blocks of one
            name, a marker that was changed, or a block of a newer version. The message has file and line.
    """
    text = verbatim(data, where=where)
    found: list[Block] = []
    opened: tuple[int, re.Match[str]] | None = None
    lines = cut_lines(text)
    for number, line in enumerate(lines, start=1):
        if not _ANY.match(line):
            continue
        begin, end = _BEGIN.fullmatch(line), _END.fullmatch(line)
        if begin and opened is None:
            if any(block.name == begin["name"] for block in found):
                raise _broken(where, number, f"a second block called {begin['name']!r}")
            if int(begin["version"]) > BLOCK_VERSION:
                raise SkillFormatError(
                    f"{where}:{number}: a block of version {begin['version']}; this program knows {BLOCK_VERSION}",
                    hint="upgrade ingrained",
                )
            opened = number, begin
        elif end and opened is not None and end["name"] == opened[1]["name"]:
            found.append(
                Block(
                    name=end["name"],
                    version=int(opened[1]["version"]),
                    gap=int(opened[1]["gap"]),
                    first_line=opened[0],
                    last_line=number,
                    content="".join(lines[opened[0] : number - 1]),
                )
            )
            opened = None
        else:
            raise _broken(where, number, f"the marker {line.strip()!r} does not fit here")
    if opened is not None:
        raise _broken(where, opened[0], f"the block {opened[1]['name']!r} has no end marker")
    return found


def find(data: bytes, name: str, *, where: str) -> Block | None:
    """Our block called `name`, or `None`. Raises as `blocks` does."""
    return next((block for block in blocks(data, where=where) if block.name == name), None)


def insert(data: bytes, name: str, content: str, *, where: str) -> bytes:
    """The file with a new block at its end; every byte of `data` stays, in front of it.

    The block takes the file's own line ends. `remove` gives back `data` to the byte.

    Raises:
        SkillFormatError: as `blocks`, or the file already has a block of that name (use `replace_block`), or the name
            is not of a-z, 0-9 and hyphens, or `content` holds one of our markers.
    """
    if not _NAME.fullmatch(name) or len(name) > 64:
        raise SkillFormatError(f"a block's name has 1 to 64 characters of a-z, 0-9 and hyphens, not {name!r}")
    if find(data, name, where=where):
        raise SkillFormatError(f"{where}: there is already a block called {name!r}")
    text = verbatim(data, where=where)
    end = line_end(text)
    gap = 0 if not text or text.endswith("\n\n") or text.endswith("\r\n\r\n") else 1 if text.endswith("\n") else 2
    return (text + end * gap + _marked(name, gap, content, end, where)).encode("utf-8")


def replace_block(data: bytes, name: str, content: str, *, where: str) -> bytes:
    """The file with the content of the block called `name` replaced and its markers brought up to date.

    Raises:
        SkillFormatError: as `blocks`, or there is no such block, or `content` holds one of our markers.
    """
    before, block, after, end = _cut(data, name, where)
    return (before + _marked(name, block.gap, content, end, where) + after).encode("utf-8")


def remove(data: bytes, name: str, *, where: str) -> bytes:
    """The file without the block called `name` and the line ends that came with it.

    Raises:
        SkillFormatError: as `blocks`, or there is no such block.
    """
    before, block, after, end = _cut(data, name, where)
    for _ in range(block.gap):
        before = before.removesuffix(end)
    if before and after and not before.endswith("\n") and not after.startswith(("\n", "\r\n")):
        before += end
    return (before + after).encode("utf-8")


def _render_file(rules: Sequence[Rule], paths: tuple[str, ...], title: str) -> Rendered:
    lines = ["---", "paths:", *(f"  - {quote(path)}" for path in paths), "---", ""] if paths else []
    lines += [f"# {plain(title)}", ""]
    texts, mapping = bullets(rules, first_line=len(lines) + 1)
    return Rendered(text="\n".join([*lines, *texts]) + "\n", lines=tuple(mapping))


def _glob(path: str) -> str:
    path = plain(path)
    if path.endswith("/"):
        path += "**"
    return path if "/" in path else f"**/{path}"


def _slug(paths: tuple[str, ...]) -> str:
    words = re.findall(r"[a-z0-9]+", " ".join(paths).lower())
    return "-".join(words)[:40].strip("-") or "paths"


def _cut(data: bytes, name: str, where: str) -> tuple[str, Block, str, str]:
    block = find(data, name, where=where)
    if block is None:
        raise SkillFormatError(f"{where}: there is no block called {name!r}")
    lines = cut_lines(verbatim(data, where=where))
    end = line_end(lines[block.first_line - 1])
    return "".join(lines[: block.first_line - 1]), block, "".join(lines[block.last_line :]), end


def _marked(name: str, gap: int, content: str, end: str, where: str) -> str:
    if any(_ANY.match(line) for line in content.split("\n")):
        raise SkillFormatError(f"{where}: the content of the block {name!r} holds one of its markers")
    if content and not content.endswith("\n"):
        content += "\n"
    content = re.sub(r"(?<!\r)\n", end, content)
    begin = f"<!-- ingrained:begin v{BLOCK_VERSION} {name} gap={gap} (learned rules; edits here are kept) -->"
    return f"{begin}{end}{content}<!-- ingrained:end {name} -->{end}"


def _broken(where: str, line: int, what: str) -> SkillFormatError:
    return SkillFormatError(
        f"{where}:{line}: {what}; a block has one begin and one end marker",
        hint="put the two markers back, or take both out and run `ingrained install` again",
    )

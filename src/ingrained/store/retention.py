"""Which kept bytes stay in the library: those that an undo, a comparison or a draft still needs.

`forget_rules` goes further: versions that say a forgotten rule lose their text and keep their hash, and the steps of a
file that held it become one, so that an undo goes back to the file as it was before the first of them. What still
stands in an installed copy goes with the install or undo that takes it out there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import pairwise

from ingrained.ids import RuleId
from ingrained.skill import rulesfile
from ingrained.skill.lines import Rendered, line_key
from ingrained.store.library import Library
from ingrained.store.manifest import Manifest, Step, StepChange


def tidy(library: Library) -> bool:
    """Remove what is left of forgotten rules, as far as no installed copy says them any more; whether anything went.

    The caller holds the home's lock.

    Raises:
        StoreError: the manifest or a blob is damaged, or the manifest cannot be written.
    """
    manifest = library.manifest()
    if not manifest.forgotten:
        return False
    after = _without(library, manifest, manifest.forgotten)
    if after == manifest:
        return False
    library.replace_manifest(after)
    return True


def forget_rules(library: Library, rules: Collection[RuleId]) -> int:
    """Remove every kept text that says one of these rules, as far as no installed copy still says it.

    Call it after the drafts were written without them. The caller holds the home's lock.

    Returns:
        The number of installed copies that still say one of them; the next install or undo there removes the rest.

    Raises:
        StoreError: the manifest or a blob is damaged, or the manifest cannot be written.
    """
    library.recover()
    manifest = library.manifest()
    all_rules = tuple(sorted({*manifest.forgotten, *rules}))
    library.replace_manifest(manifest.model_copy(update={"forgotten": all_rules}))
    tidy(library)
    after = library.manifest()
    return sum(says(library.rendered(copy.rendered), rules) for copy in after.copies)


def says(rendered: Rendered, rules: Collection[RuleId]) -> bool:
    """Whether the text, or our rendering behind it, says one of these rules."""
    texts = [rendered] if rendered.base is None else [rendered, rendered.base]
    return any(rule in rules for text in texts for line in text.lines for rule in (line.rule_id, *line.aliases))


def lines_by_hand(library: Library, changes: Sequence[StepChange], content: bytes) -> Counter[str]:
    """The lines that somebody else put into our text since we first wrote it, by key (`line_key`), with their number.

    Args:
        library: holds the bytes.
        changes: what we did to this text, newest first.
        content: the file now.

    Raises:
        SkillFormatError: our markers in the file are broken.
        StoreError: a blob is missing or damaged.
    """
    newest = changes[0]
    theirs: Counter[str] = Counter()
    for change in changes:
        theirs |= Counter(change.by_hand)
    theirs |= _keys(content, newest) - _kept_keys(library, newest.after, newest)
    for new, old in pairwise(changes):
        if new.before != old.after and new.before is not None:
            theirs |= _kept_keys(library, new.before, new) - _kept_keys(library, old.after, old)
    return theirs


def _without(library: Library, manifest: Manifest, rules: Collection[RuleId]) -> Manifest:
    """The manifest that no longer needs the texts that say these rules, but for those that are installed now."""
    current = {copy.text for copy in manifest.copies}
    texts: set[str] = set()
    written: dict[str, str | None] = {}
    for name, blob in manifest.written.items():
        rendered = None if blob is None else library.rendered(blob)
        spoken = rendered is not None and says(rendered, rules)
        written[name] = None if spoken and name not in current else blob
        texts |= _spoken(rendered, rules) if rendered is not None else set()
    for copy in manifest.copies:
        texts |= _spoken(library.rendered(copy.rendered), rules)
    real = {change.real for step in manifest.steps for change in step.changes}
    steps = manifest.steps
    for path in sorted(real):
        steps = _as_one(library, steps, path, texts, rules)
    still = any(says(library.rendered(copy.rendered), rules) for copy in manifest.copies)
    return manifest.model_copy(
        update={"written": written, "steps": steps, "forgotten": manifest.forgotten if still else ()}
    )


def _spoken(rendered: Rendered, rules: Collection[RuleId]) -> set[str]:
    texts = [rendered] if rendered.base is None else [rendered, rendered.base]
    return {
        line_key(line.text)
        for text in texts
        for line in text.lines
        if any(rule in rules for rule in (line.rule_id, *line.aliases))
    }


def _as_one(
    library: Library, steps: tuple[Step, ...], real: str, texts: Collection[str], rules: Collection[RuleId]
) -> tuple[Step, ...]:
    """The steps with the changes of one file made one, where a state between them says one of the rules."""
    changes = [change for step in steps for change in step.changes if change.real == real]
    spoken = any(set(_kept_keys(library, change.before, change)) & set(texts) for change in changes[1:])
    earlier = [change.copy_before for change in changes if change.copy_before is not None]
    spoken = spoken or any(says(library.rendered(copy.rendered), rules) for copy in earlier)
    # Blocks of two drafts in one file: their steps cannot be told apart by the file, and stay.
    if not spoken or len({change.name for change in changes}) > 1:
        return steps
    newest = changes[-1]
    content = b"" if newest.after is None else library.blobs.get(newest.after)
    by_hand = lines_by_hand(library, changes[::-1], content)
    broken = any(new.before != old.after for old, new in pairwise(changes))
    merged = newest.model_copy(
        update={
            "before": changes[0].before,
            "mode_before": changes[0].mode_before,
            "copy_before": changes[0].copy_before,
            "by_hand": tuple(sorted(by_hand.elements())),
            "edited": broken or any(change.edited for change in changes),
        }
    )
    found: list[Step] = []
    for step in steps:
        kept = tuple(merged if change is newest else change for change in step.changes if change not in changes[:-1])
        found.append(step.model_copy(update={"changes": kept}))
    return tuple(found)


def _kept_keys(library: Library, blob: str | None, change: StepChange) -> Counter[str]:
    return Counter() if blob is None else _keys(library.blobs.get(blob), change)


def _keys(content: bytes, change: StepChange) -> Counter[str]:
    """Keys of the lines of our text in a file: of our block where it has one, else of the whole file."""
    if change.kind == "block":
        block = rulesfile.find(content, change.name, where=change.path)
        text = "" if block is None else block.content
    else:
        text = content.decode("utf-8", "surrogateescape")
    return Counter(key for line in text.split("\n") if (key := line_key(line)))

"""Ways to ask for each canonical direction of a revision target (SkillGrain B.1), for tests of the alignment."""

from __future__ import annotations

from ingrained.verify.expression import Feature
from ingrained.verify.target import Direction, Target

NOUNS: dict[Feature, tuple[str, ...]] = {
    "contractions": ("contractions",),
    "exclamation_marks": ("exclamation marks", "exclamation points"),
    "question_marks": ("rhetorical questions", "question marks"),
    "parentheses": ("parentheses", "brackets"),
    "all_caps": ("capital letters", "all-caps words"),
}
MORE = (
    "Use more {}.", "Use {} more often.", "I'd like to see {}.", "There aren't enough {}.", "You never use {}.",
    "Why are there no {}?", "Don't avoid {}.", "Stop avoiding {}.", "Don't be afraid to use {}.", "Feel free to use {}.",
    "My texts use {}.", "A few more {} would be nice.", "Bring back the {}.", "The text would benefit from {}.",
    "Not enough {}.", "The user prefers {}.", "Make sure to use {}.", "Increase the number of {}.",
)  # fmt: skip
FEWER = (
    "Use fewer {}.", "Avoid {}.", "Don't use {}.", "I can't stand {}.", "There are too many {}.", "You overuse {}.",
    "Write without {}.", "No {}, please.", "Keep {} to a minimum.", "Go easy on the {}.", "Get rid of {}.",
    "I never use {}.", "Cut back on {}.", "Leave the {} out of it.", "Use commas instead of {}.", "Try not to use {}.",
    "Make sure there are no {}.", "The user avoids {}.",
)  # fmt: skip
LONGER = (
    "Make the text longer.", "Expand it.", "Add more detail.", "At least 200 words.", "Don't go below 200 words.",
    "It's too short.", "The draft is brief.", "It lacks depth.", "Don't be so brief.", "Be less concise.",
    "My posts are longer than this.", "Prefer detailed answers over brief ones.", "Long answers rather than short ones.",
    "Stop shortening my texts.", "There isn't enough detail.", "Elaborate on your points.", "Short texts annoy me.",
)  # fmt: skip
SHORTER = (
    "Make the text shorter.", "Condense it.", "Get to the point.", "At most 200 words.", "Never exceed 200 words.",
    "It's too long.", "The draft is wordy.", "Don't ramble.", "Don't be so verbose.", "Be more concise.",
    "My posts are shorter than this.", "Prefer brief answers over detailed ones.", "Short answers rather than long ones.",
    "One paragraph is enough.", "Use fewer words.", "Cut the fluff.", "Nobody wants lengthy answers.",
)  # fmt: skip
LONGER_SENTENCES = (
    "Use longer sentences.", "Sentences should be longer.", "Your sentences are too short.", "Avoid short sentences.",
    "Combine short sentences.", "Increase the sentence length.", "I write long sentences.", "It reads choppy.",
    "Use long sentences instead of short ones.", "Fewer short sentences.", "Don't write such short sentences.",
)  # fmt: skip
SHORTER_SENTENCES = (
    "Use shorter sentences.", "Sentences should be shorter.", "Your sentences are too long.", "Avoid long sentences.",
    "Break up long sentences.", "Reduce the sentence length.", "I write short sentences.", "No run-on sentences.",
    "Keep sentences under 20 words.", "One idea per sentence.", "Don't write such long sentences.",
)  # fmt: skip
FIRST_PERSON = (
    "Write in the first person.", 'Use "I" more.', "Say I instead of 'the author'.", "Use more first-person pronouns.",
    "Write from my own perspective.", "Switch to the first person.", "Don't write in the third person.",
    "It lacks first-person pronouns.", "Refer to yourself more often.", "Don't be so impersonal.",
    "Stop avoiding the first person.",
)  # fmt: skip
NO_FIRST_PERSON = (
    "Don't write in the first person.", 'Avoid "I" and "my".', "Never say \"I\".", "Use fewer first-person pronouns.",
    "Write in the third person.", "There's too much first person.", "Leave yourself out of the text.",
    "Keep it impersonal.", "I never write in the first person.", 'Replace "I" with "one".', "Tone down the first person.",
)  # fmt: skip
MENTION = (
    "Mention {}.", "Work {} into the text.", "Don't forget {}.", "You left {} out.", "The draft doesn't mention {}.",
    "There's nothing about {}.", "{} is missing.", "{} should be mentioned.", "{} belongs in it.", "Don't omit {}.",
    "Make sure {} is included.", "Replace the museum with {}.", "Use the term '{}'.", "It needs {}.",
)  # fmt: skip
LEAVE_OUT = (
    "Don't mention {}.", "Take {} out.", "Remove all mentions of {}.", "Avoid any reference to {}.", "No {}.",
    "{} should not be mentioned.", "{} doesn't belong here.", "{} is irrelevant.", "Nobody asked about {}.",
    "There's no need to mention {}.", "Mention the museum, not {}.", "Replace {} with the museum.", "Forget about {}.",
    "Make sure {} is not mentioned.",
)  # fmt: skip
TERMS = ("Paris", "knowledge graph", "ISO 27001")


def counted(feature: Feature, direction: Direction) -> list[str]:
    """Ways to ask for more or fewer of a counted feature."""
    frames = MORE if direction == "more" else FEWER
    return [frame.format(noun) for frame in frames for noun in NOUNS[feature]]


def filled(frame: str, term: str) -> str:
    """A frame about a term, with a capital at the start."""
    text = frame.format(term)
    return text[0].upper() + text[1:]


def asked() -> list[tuple[str, Target]]:
    """Each way to ask, with the preference that it asks for."""
    preferences: list[tuple[Target, list[str] | tuple[str, ...]]] = [
        (Target(dimension="length", direction="longer", tau=1), LONGER),
        (Target(dimension="length", direction="shorter", tau=1), SHORTER),
        (Target(dimension="first_person", direction="more", tau=1), FIRST_PERSON),
        (Target(dimension="first_person", direction="fewer", tau=1), NO_FIRST_PERSON),
        (
            Target(dimension="expression", feature="sentence_length", direction="longer", tau=1),
            LONGER_SENTENCES,
        ),
        (
            Target(dimension="expression", feature="sentence_length", direction="shorter", tau=1),
            SHORTER_SENTENCES,
        ),
    ]
    both: tuple[Direction, ...] = ("more", "fewer")
    preferences += [
        (Target(dimension="expression", feature=feature, direction=direction, tau=1), counted(feature, direction))
        for feature in NOUNS
        for direction in both
    ]
    return [(text, target) for target, texts in preferences for text in texts]


def asked_of_terms() -> list[tuple[str, Target]]:
    """Each way to ask for a term or against it."""
    return [
        (filled(frame, term), target)
        for term in TERMS
        for target, frames in (
            (Target(dimension="coverage", direction="mention", tau=0, term=term), MENTION),
            (Target(dimension="leakage", direction="leave_out", tau=0, term=term), LEAVE_OUT),
        )
        for frame in frames
    ]

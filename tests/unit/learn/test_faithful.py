"""Contents that must not stand for their words, contents that may, and conditions that are kept."""

from __future__ import annotations

import pytest

from ingrained.learn.faithful import astray
from ingrained.learn.grain import CitedAnswer, CitedAtom, Grain, read_answer


def held(feedback: str, content: str, quote: str = "") -> Grain:
    atom = CitedAtom(id="a1", quote=quote or feedback, content=content, transferable=True)
    return read_answer(CitedAnswer(atoms=(atom,)), feedback)[0]


@pytest.mark.parametrize(
    ("feedback", "content"),
    [
        ("Never lie to customers.", "Always lie"),
        ("Never invent facts.", "Always invent"),
        ("Never insult readers.", "Always insult"),
        ("Always sign with the name.", "Never sign"),
        ("Less formal, please.", "Write more formally"),
        ("Less formal, please.", "Be formal"),
        ("Too casual.", "Write more casually"),
        ("Be polite.", "Be rude"),
        ("Please don't be too short.", "Write shorter texts"),
        ("Not formal enough.", "Write less formally"),
        ("Fewer bullet lists.", "Use bullet lists"),
        ("Hedge less.", "Hedge"),
        ("Schreib nie Ausrufezeichen.", "Use exclamation marks"),
        ("Schreib nie Ausrufezeichen.", "Schreib Ausrufezeichen"),
        ("Emojis bitte nicht verwenden.", "Verwende Emojis"),
        ("Bitte weniger förmlich.", "Write formally"),
        ("Zu lang.", "Schreib länger"),
        ("Weniger Emojis.", "Mehr Emojis"),
        ("Keine Floskeln.", "Write phrases"),
    ],
)
def test_a_content_that_says_the_contrary_is_found_also_by_its_verb_alone_by_degree_and_in_german(
    feedback: str, content: str
) -> None:
    assert "other way" in held(feedback, content).problem


@pytest.mark.parametrize(
    ("feedback", "content"),
    [
        ("Never, ever use emoji.", "Never use emoji"),
        ("Never use exclamation marks in mails to customers", "No exclamation marks"),
        ("Less formal, please.", "Write less formally"),
        ("Less formal, please.", "Write more casually"),
        ("Not formal enough.", "Write more formally"),
        ("Not too formal.", "Less formal"),
        ("Please don't be too short.", "Write longer texts"),
        ("Too long for me.", "Make it shorter."),
        ("Don't hedge so much.", "Hedge less"),
        ("You should hedge less, be direct.", "Be direct, do not hedge"),
        ("Don't rename with sed, use the language server.", "Use the language server for renaming, not sed"),
        ("Never merge without a review.", "Get a review before merging"),
        ("No more than three bullets.", "Use at most 3 bullets"),
        ("Why no greeting?", "Always start with a greeting"),
        ("Never use jargon.", "Use plain everyday words"),
        ("Too stiff.", "Write warmly and naturally"),
        ("Keep it brief and friendly.", "Short and warm"),
        ("Schreib nie Ausrufezeichen.", "No exclamation marks"),
        ("Emojis bitte nicht verwenden.", "No emoji"),
        ("Schreib kürzer und ohne Floskeln.", "Kurz schreiben, keine Floskeln"),
        ("Duzen statt siezen.", "Duze"),
    ],
)
def test_what_says_the_same_in_other_words_is_no_contrary(feedback: str, content: str) -> None:
    assert held(feedback, content).problem == ""


@pytest.mark.parametrize(
    ("feedback", "quote", "content", "kept"),
    [
        ("Never lie to customers.", "Never lie", "Never lie", "Never lie to customers"),
        ("For customers, never use emoji.", "never use emoji", "Never use emoji", "For customers, never use emoji"),
        ("In German mails use Sie.", "In German mails use Sie.", "Use Sie", "In German mails use Sie"),
        ("Never write without a greeting to clients.", "Never write", "Never write", "Never write without a greeting to clients"),
        ("Keine Emojis in Mails an Kunden.", "Keine Emojis", "Keine Emojis", "Keine Emojis in Mails an Kunden"),
        ("In Mails an Kunden keine Emojis.", "keine Emojis", "Keine Emojis", "In Mails an Kunden keine Emojis"),
    ],
)  # fmt: skip
def test_a_condition_before_or_behind_the_words_is_taken_with_them_as_it_stands(
    feedback: str, quote: str, content: str, kept: str
) -> None:
    found = held(feedback, content, quote)
    assert found.problem == ""
    assert found.span is not None
    assert (found.content, found.span.text) == (kept, kept)
    assert not found.rewritten


@pytest.mark.parametrize(
    ("feedback", "quote", "content", "kept"),
    [
        ("Never use exclamation marks in mails to customers", "", "No exclamation marks",
         "No exclamation marks in mails to customers"),
        ("When you write to customers, be brief, and never use emoji.", "never use emoji", "Never use emoji",
         "When you write to customers, never use emoji"),
        ("For customers, never use emoji.", "", "No emoji", "No emoji for customers"),
        ("In deutschen Mails immer Sie.", "", "Use Sie in German mails", "Use Sie in German mails"),
        ("For me it is too long.", "", "Shorter", "Shorter"),
    ],
)  # fmt: skip
def test_a_condition_that_other_words_leave_out_is_put_back_and_marked(
    feedback: str, quote: str, content: str, kept: str
) -> None:
    found = held(feedback, content, quote)
    assert (found.problem, found.content, found.rewritten) == ("", kept, True)


@pytest.mark.parametrize(
    "content",
    [
        "No exclamation marks, no emoji, at most 100 words, two paragraphs, sign with Cheers",
        "Keep it short, no emoji",
        "Keep it short and sign with Cheers.",
        "At most 100 words",
        "Write two paragraphs at most",
    ],
)
def test_what_the_words_do_not_ask_for_is_not_taken_for_them(content: str) -> None:
    assert "its words" in held("Keep it short.", content).problem
    assert held("Keep it short.", "Use short sentences").problem == ""


FORBIDS = (
    "Leave out {}", "Leave {} out", "Take out the {}", "Take {} out", "Get rid of {}", "Throw out {}", "Delete the {}",
    "Do away with {}", "Steer clear of {}", "Stay away from {}", "Go easy on {}", "Cut down on {}", "Cut out the {}",
    "Keep {} out of it", "Keep {} out", "Ditch the {}", "Scrap the {}", "Eliminate {}", "Exclude {}", "Forget {}",
    "Refrain from {}", "Drop the {}", "Skip {}", "No {}", "Avoid {}", "Don't use {}", "I don't want {} in there",
    "Stop using {}", "Lose the {}", "Remove {}", "Less {}", "Bitte {} weglassen", "Verzichte auf {}", "Lass {} weg",
    "Entferne {}",
)  # fmt: skip
WANTS = (
    "Don't forget {}", "Don't leave out {}", "Don't leave {} out", "Never omit {}", "Don't skip {}", "Include {}",
    "Use {}", "Add {}", "Don't neglect {}", "Bring {} in", "Please use {}", "I want {} in there", "Vergiss {} nicht",
    "Do not drop {}", "Don't get rid of {}", "More {}",
)  # fmt: skip


@pytest.mark.parametrize("what", ["headings", "hedges", "references to chunked", "mentions of 2310"])
@pytest.mark.parametrize(
    ("said", "same", "contrary"),
    [(said, "Avoid {}", "Use {}") for said in FORBIDS] + [(said, "Use {}", "Avoid {}") for said in WANTS],
)
def test_every_way_to_forbid_and_to_want_may_be_said_plainly_and_not_turned_round(
    said: str, same: str, contrary: str, what: str
) -> None:
    assert not astray(same.format(what), said.format(what))
    assert astray(contrary.format(what), said.format(what))

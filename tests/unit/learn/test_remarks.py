"""Feedback on a draft without a model: what lasts is cut from what is about this piece, in four languages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from ingrained.feedback.decompose import Atom
from ingrained.learn.given import given
from ingrained.learn.lasting import judged
from ingrained.learn.remarks import Aside, remarks
from ingrained.verify.align import stances

REQUEST = "Write to Mr Meier of Contoso about invoice 4711, which is due on 3 June."
DRAFT = "Dear Mr Meier, thank you for your order! Invoice 4712 is due in June. Best, Ana"
SETS = Path(__file__).resolve().parents[3] / "benchmarks" / "sets"


def heard(text: str) -> tuple[str, list[str], list[str]]:
    """The words as they are stored, the quotes that are kept, and those that are not."""
    said = given(Path("home"), "ana", request=REQUEST, draft=DRAFT, feedback=text)
    atoms, left = remarks(said.turn, request=REQUEST, draft=DRAFT)
    _sound(said.turn.text, atoms, left)
    kept = [atom.quote for atom in atoms if atom.transferable]
    return said.turn.text, kept, [atom.quote for atom in atoms if not atom.transferable] + [one.quote for one in left]


def _sound(text: str, atoms: Sequence[Atom], left: Sequence[Aside]) -> None:
    ends = [(atom.start, atom.start + len(atom.quote)) for atom in atoms]
    assert all(text[start:end] == atom.quote for (start, end), atom in zip(ends, atoms, strict=True))
    assert all(one[1] <= other[0] for one, other in pairwise(ends))
    assert all(one.quote in text and one.reason for one in left)


MIXED = [
    ("Never use exclamation marks, and it is invoice 4711, not 4712.", "exclamation", "4711"),
    ("It is invoice 4711, not 4712, and never use exclamation marks.", "exclamation", "4711"),
    ("No exclamation marks any more, and the invoice number is 4711.", "exclamation", "4711"),
    ("Always use short sentences and change the amount to 40 euros here.", "short sentences", "40"),
    ("Too long here, but always sign with the full name.", "full name", "Too long"),
    ("Mention Contoso and never use emoji.", "emoji", "Contoso"),
    ("Add a greeting, and make it shorter.", "shorter", "greeting"),
    ("In mails to customers, never shout, and it is due on 4 June.", "In mails to customers, never shout", "4 June"),
    ("Schreib nie mit Ausrufezeichen, und diesmal die Rechnung 4711 statt 4712.", "nie mit Ausrufezeichen", "4711"),
    ("Benutze immer kurze Sätze und ändere hier den Betrag auf 40 Euro.", "kurze Sätze", "40"),
    ("Ändere das Datum auf 4. Juni und sprich Kunden nie mit Du an.", "nie mit Du", "Juni"),
    ("Der Kunde heißt Maier, und schreib immer per Sie.", "immer per Sie", "Maier"),
    ("Keine Ausrufezeichen mehr, und die Rechnungsnummer ist 4711.", "Ausrufezeichen", "4711"),
    ("Künftig ohne Anhang, aber diesmal häng die Rechnung an.", "ohne Anhang", "Rechnung"),
    ("Ne mets jamais de points d'exclamation, et c'est la facture 4711, pas 4712.", "jamais de points", "4711"),
    ("Signe toujours avec le nom complet et change ici le montant à 40 euros.", "nom complet", "40"),
    ("Nunca uses signos de exclamación, y es la factura 4711, no 4712.", "Nunca uses", "4711"),
    ("Firma siempre con el nombre completo y esta vez pon la fecha del 4 de junio.", "nombre completo", "junio"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "lasts", "local"), MIXED)
def test_a_mixed_sentence_is_cut_between_what_lasts_and_what_does_not(text: str, lasts: str, local: str) -> None:
    _, kept, left = heard(text)
    assert [lasts in quote for quote in kept] == [True]
    assert not any(local in quote for quote in kept)
    assert any(local in quote for quote in left)


@pytest.mark.parametrize(
    "text",
    [
        "Never use emoji and exclamation marks.",
        "Always sign with name and add a greeting.",
        "Always write numbers such as 40 and 50 in digits.",
        "Always use first names, never last names.",
        "Never use emoji, it looks silly.",
        "Use more contractions, it sounds stiff.",
        "Avoid exclamation marks and all caps.",
        'Never write "yes, and it is due on 3 June" in mails.',
        "Never mention discounts, unless it is for Mr Meier.",
    ],
)
def test_what_belongs_together_stays_one_rule(text: str) -> None:
    _, kept, left = heard(text)
    assert (kept, left) == ([text], [])


def test_two_standing_rules_in_one_sentence_are_two() -> None:
    assert heard("Schreib nie zu lang und immer höflich.")[1] == ["Schreib nie zu lang", "immer höflich."]


@pytest.mark.parametrize(
    "text",
    ["Make it shorter.", "Use fewer exclamation marks.", "Too long.", "No contractions please", "Write in the first person.",
     "Shorter sentences, please.", "Stop writing in ALL CAPS.", "A bit longer next time.", "Keep it under 100 words.",
     "Shorter mails to customers, please.", "Kürzer bitte.", "Zu viele Ausrufezeichen!"],
)  # fmt: skip
def test_a_preference_of_the_rubric_lasts_without_a_word_that_says_so(text: str) -> None:
    assert heard(text)[1] == [text]


@pytest.mark.parametrize(
    "text",
    ["Too long here.", "This time make it longer.", "Make this one shorter.", "Make it shorter for this mail.",
     "Diesmal kürzer.", "For Mr Meier it is too long.", "Make it longer by describing invoice 4711."],
)  # fmt: skip
def test_a_preference_for_this_once_or_with_a_name_of_the_request_does_not(text: str) -> None:
    _, kept, left = heard(text)
    assert (kept, left) == ([], [text])


@pytest.mark.parametrize(
    "text",
    ["The deadline is too short.", "Add a longer explanation of the delivery.", "Make the title shorter.",
     "Put the date in parentheses.", "Remove the exclamation mark in the first line.", "Ask him one more question.",
     "It's a long way to Paris, mention that.", "He wants a shorter contract.", "The text is fine, not too long.",
     "The sentence about prices is too long.", "Der Titel ist zu lang.", "Die Frist ist zu kurz."],
)  # fmt: skip
def test_words_that_only_sound_like_a_preference_are_none(text: str) -> None:
    assert heard(text)[1] == []


def test_the_sets_for_alignment_are_told_apart() -> None:
    """Preferences that `stances` reads last; wishes for a term of one text do not. Measured 159 of 170, and 2 of 60."""
    rows = [json.loads(line) for line in (SETS / "align.jsonl").read_text(encoding="utf-8").splitlines()]
    sure = {row["atom"]: row["target"]["dimension"] for row in rows if row["label"] in {"aligned", "opposed"}}
    lasts = {atom: judged(atom, ()).side == "lasts" for atom in sure}
    content = [lasts[atom] for atom, dimension in sure.items() if dimension in {"coverage", "leakage"}]
    wishes = [
        lasts[atom]
        for atom, dimension in sure.items()
        if dimension not in {"coverage", "leakage"} and any(one.more is not None for one in stances(atom))
    ]
    assert len(wishes) > 150
    assert sum(wishes) >= 0.9 * len(wishes)
    assert len(content) > 50
    assert sum(content) <= 0.05 * len(content)


KEY = "-".join(["sk", "ant", "api03", "x7Kq" * 16])
SECRETS = [
    (f"Never put {KEY} into a mail and always keep it short.", ["Always keep it short"]),
    (f"Always sign with the full name, and the key is {KEY}.", ["Always sign with the full name"]),
    (f"The key is {KEY}, and never use emoji.", ["Never use emoji"]),
    (f"Schreib immer kurz, und mein Schlüssel ist {KEY}!", ["Schreib immer kurz"]),
    (f"Never use my key {KEY} in mails.", ["Never use my key in mails"]),
    (f"Use {KEY} here. Always write short sentences.", ["Always write short sentences"]),
    (f"Always use {KEY}.", []),
    ("Always cc me at ana.meier" + "@contoso.com and never use emoji.", ["Always cc me", "Never use emoji"]),
]


@pytest.mark.parametrize(("text", "rules"), SECRETS)
def test_a_rule_beside_a_secret_is_kept_without_it(text: str, rules: list[str]) -> None:
    said = given(Path("home"), "ana", request=REQUEST, draft=DRAFT, feedback=text)
    atoms, left = remarks(said.turn, request=REQUEST, draft=DRAFT)
    assert [atom.text for atom in atoms if atom.transferable] == rules
    lost = [atom for atom in atoms if not atom.transferable]
    told = " ".join([*(reason for atom in lost for reason in atom.reasons), *(one.reason for one in left)])
    covered = " ".join([*(atom.quote for atom in atoms), *(one.quote for one in left)])
    assert "[redacted:" in covered
    assert "secret" in told or any("[redacted:" in atom.quote for atom in atoms if atom.transferable)


PIECES = st.sampled_from(
    [text.rstrip(".!") for text, _, _ in MIXED]
    + ["Too long", "make it shorter", "it is 4 June", "thanks", "kürzer", "y", "«a, b»"]
)
JOINTS = st.sampled_from([", and ", "; ", ". ", " - ", ", ", " und ", "\n", " (", ") "])


@drawn(st.lists(st.tuples(PIECES, JOINTS), min_size=1, max_size=5))
def test_every_quote_stands_in_the_words_and_none_overlaps_another(parts: list[tuple[str, str]]) -> None:
    heard("".join(piece + joint for piece, joint in parts))


@drawn(st.text(min_size=1, max_size=80).filter(str.strip))
def test_any_text_is_taken(text: str) -> None:
    heard(text)

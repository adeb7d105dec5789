"""Secrets and personal data go, look-alikes stay. Everything secret-shaped is assembled here at run time."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from random import Random

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import redaction_said
import redaction_set
from ingrained.session import keyed, looks, personal
from ingrained.session.letters import likeness
from ingrained.session.redact import MARKER, SecretRedactor, strip_private
from ingrained.session.secrets import FAMILIES, PROVIDERS, base58check, build, matches
from redaction_set import Sample

REDACTOR = SecretRedactor(redaction_set.NAMES)


def redacted(text: str, **options: bool) -> str:
    return SecretRedactor(redaction_set.NAMES, **options).redact(text).text


def survives(sample: Sample) -> bool:
    out = REDACTOR.redact(sample.text).text
    width = min(len(sample.value), 10)
    return any(sample.value[at : at + width] in out for at in range(len(sample.value) - width + 1))


# --- the table ---------------------------------------------------------------------------------------------------------


def test_the_table_is_large_and_its_kinds_fit_the_marker() -> None:
    kinds = {family.kind for family in FAMILIES} | {provider.kind for provider in PROVIDERS}
    assert len(kinds) >= 60
    assert all(MARKER.fullmatch(f"[redacted:{kind}]") for kind in kinds)


@pytest.mark.parametrize("family", [f for f in FAMILIES if f.example], ids=lambda f: f.kind)
def test_each_family_finds_its_example_by_its_trigger(family) -> None:
    rng = Random(7)
    for _ in range(20):
        text = build(family.example, rng)
        assert not family.triggers or any(trigger in text for trigger in family.triggers)
        assert next(matches(family, f"x {text} y"), None) is not None, text


def test_the_table_holds_nothing_secret_shaped() -> None:
    source = Path(sys.modules["ingrained.session.secrets"].__file__ or "").read_text(encoding="utf-8")
    assert not set(REDACTOR.redact(source).counts) & {family.kind for family in FAMILIES}


# --- the two figures ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("samples", [redaction_set.secrets, redaction_set.blind, redaction_set.blind_again])
def test_at_most_one_secret_in_two_hundred_leaks(samples) -> None:
    drawn = samples()
    missed = [sample for sample in drawn if survives(sample)]
    assert len(drawn) >= 200
    assert len({sample.kind for sample in drawn}) >= 60
    assert len(missed) <= 0.005 * len(drawn), [(s.kind, s.context, s.text) for s in missed]


@pytest.mark.parametrize("samples", [redaction_set.look_alikes, redaction_set.look_alikes_unseen])
def test_at_most_one_look_alike_in_a_hundred_is_destroyed(samples) -> None:
    drawn = samples()
    broken = [sample for sample in drawn if sample.value not in REDACTOR.redact(sample.text).text]
    assert len(drawn) >= 150
    assert len({sample.kind for sample in drawn}) >= 15
    assert len(broken) <= 0.01 * len(drawn), [(s.kind, s.text, REDACTOR.redact(s.text).text) for s in broken]


@pytest.mark.parametrize("samples", [redaction_said.said, redaction_said.said_again, redaction_said.headers])
def test_at_most_one_in_two_hundred_of_those_said_in_prose_or_in_headers_leaks(samples) -> None:
    drawn = samples()
    missed = [sample for sample in drawn if survives(sample)]
    assert len(drawn) >= 150
    assert len(missed) <= 0.005 * len(drawn), [(s.kind, s.context, s.text) for s in missed]


@pytest.mark.parametrize(
    "samples", [redaction_said.speech, redaction_said.speech_again, redaction_said.header_stand_ins]
)
def test_speech_about_secrets_and_stand_ins_come_through(samples) -> None:
    drawn = samples()
    broken = [sample for sample in drawn if sample.value not in REDACTOR.redact(sample.text).text]
    assert len({sample.text for sample in drawn}) >= 60
    assert len(broken) <= 0.01 * len(drawn), [(s.kind, s.text, REDACTOR.redact(s.text).text) for s in broken]


def test_split_and_disguised_secrets_are_caught_where_that_is_claimed() -> None:
    through = {s.kind for s in redaction_set.evasions() if REDACTOR.redact(s.text).text == s.text}
    assert through == {"spaced out", "base64", "hex", "reversed"}


# --- markers -----------------------------------------------------------------------------------------------------------


def test_a_marker_names_the_kind_and_is_counted() -> None:
    key = build("AKIA{K16}", Random(1))
    result = REDACTOR.redact(f"id {key}, again {key}")
    assert result.text == "id [redacted:aws-key], again [redacted:aws-key]"
    assert result.counts == {"aws-key": 2}


def test_a_text_without_secrets_is_the_same_object_with_no_counts() -> None:
    text = "Run the tests first, then push to the branch of the ticket."
    result = REDACTOR.redact(text)
    assert result.text is text
    assert result.counts == {}


def test_a_secret_in_a_field_that_ends_in_id_goes_by_its_own_shape() -> None:
    key = build("sk-proj-{T56}", Random(2))
    assert redacted(f'{{"installation_id": "{key}", "toolu_id": "toolu_01CUMrHKnaCWdZXSVH74xSLm"}}') == (
        '{"installation_id": "[redacted:openai-key]", "toolu_id": "toolu_01CUMrHKnaCWdZXSVH74xSLm"}'
    )


def test_short_secrets_beside_placeholders_go_and_the_placeholders_stay() -> None:
    text = "A_PASSWORD=$A_PASSWORD\nB_PASSWORD=" + "k" + "3yb0" + "\nC_PASSWORD=changeme\n"
    assert redacted(text) == "A_PASSWORD=$A_PASSWORD\nB_PASSWORD=[redacted:password]\nC_PASSWORD=changeme\n"


def test_overlapping_findings_leave_one_marker() -> None:
    token = build("ghp_{T36}", Random(3))
    assert redacted(f"https://oauth2:{token}@git.example.test/x.git") == (
        "https://oauth2:[redacted:github-token]@git.example.test/x.git"
    )
    assert redacted(f"Authorization: Bearer {token}") == "Authorization: Bearer [redacted:github-token]"


@pytest.mark.parametrize("ending", ["", "\n-----END PRIVATE KEY-----"])
def test_a_private_key_goes_with_or_without_its_last_line(ending: str) -> None:
    rng = Random(4)
    body = "\n".join(build("{B64}", rng) for _ in range(4))
    out = redacted(f"the file:\n-----BEGIN PRIVATE KEY-----\n{body}{ending}\n\nwas printed by cat")
    assert out.startswith("the file:\n[redacted:private-key]")
    assert out.endswith("was printed by cat")
    assert not any(line in out for line in body.split("\n"))


def test_a_public_key_and_a_certificate_stay() -> None:
    rng = Random(5)
    for name in ("PUBLIC KEY", "CERTIFICATE", "PGP PUBLIC KEY BLOCK"):
        text = f"-----BEGIN {name}-----\n{build('{B64}', rng)}\n-----END {name}-----"
        assert redacted(text) == text


# --- personal data -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("write to dana.k@mailbox.example.", "mail"),
        ("DANA.K@MAILBOX.EXAMPLE", "mail"),
        ("<josé@correo.example>", "mail"),
        ("dana (at) mailbox (dot) example", "mail"),
        ("12345+dana@users.noreply.github.com", "mail"),
        ("phone +34 600 111 222", "phone"),
        ("tel:+4930123456 78", "phone"),
        ("my phone is 600 111 222", "phone"),
        ("(415) 555-0132", "phone"),
        ("card 4111 1111 1111 1111", "card"),
        ("378282246310005", "card"),
        ("DE89 3704 0044 0532 0130 00", "iban"),
        ("gb29nwbk60161331926819", "iban"),
        ("ask Wilma first", "name"),
        ("ask kovacs, WILMA or tbrandvold", "name"),
        ("w\u200bilma said so", "name"),
    ],
)
def test_personal_data_goes(text: str, kind: str) -> None:
    assert kind in REDACTOR.redact(text).counts


@pytest.mark.parametrize(
    "text",
    [
        "git@github.com:acme/shop.git", "deploy@build.example.com:/srv/app", "noreply@example.com", "pkg@1.2.3", "icon@2x.png",
        "@pytest.fixture", "@types/node@20.1.0", "4111 1111 1111 1112", "DE89 3704 0044 0532 0130 01", "2026-11-30 17:38",
        "192.168.100.200:8080", "lines 100-2000", "1764521882123", "0.4111111111111111", "/home/wilma/src", "wilma/fix-tax",
        "Co-Authored-By: Claude <noreply@anthropic.com>", "+1764521882 -1764521881", "ISBN 978-0-306-40615-7",
    ],
)  # fmt: skip
def test_look_alikes_of_personal_data_stay(text: str) -> None:
    assert redacted(text) == text


def test_a_name_that_is_a_word_goes_only_with_its_family_name() -> None:
    redactor = SecretRedactor(["Will Stone", "admin", "Li Wu"])
    text = "will the admin mark it? Will Stone says so, li and Wu do not"
    assert redactor.redact(text).text == "will the admin mark it? [redacted:name] says so, li and Wu do not"
    assert redactor.redact("from Li Wu").text == "from [redacted:name]"


def test_names_are_whole_words_in_any_case_and_without_accents() -> None:
    redactor = SecretRedactor(["Lucía Peña"])
    assert (
        redactor.redact("lucia, LUCÍA and Pena's list").text
        == "[redacted:name], [redacted:name] and [redacted:name]'s list"
    )
    assert redactor.redact("luciano, penal code").text == "luciano, penal code"


@pytest.mark.parametrize("between", range(2, 60, 3))
def test_a_number_is_found_however_near_another_one_stands(between: int) -> None:
    for number, kind in (
        ("4111 1111 1111 1111", "card"),
        ("DE89 3704 0044 0532 0130 00", "iban"),
        ("+34 600 111 222", "phone"),
    ):
        assert REDACTOR.redact(f"0000000 {'x ' * (between // 2)}{number} x").counts == {kind: 1}


def test_checksums() -> None:
    assert personal.luhn("4111111111111111")
    assert not personal.luhn("4111111111111112")
    assert personal.iban("DE89370400440532013000")
    assert not personal.iban("DE8937040044053201300")
    assert not base58check("5" + "H" * 50)


# --- values under secret-named keys ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "level"),
    [
        ("DB_PASSWORD", keyed.Grade.PASSWORD), ("dbPassword", keyed.Grade.PASSWORD), ("PGPASSWORD", keyed.Grade.PASSWORD),
        ("client-secret", keyed.Grade.TOKEN), ("x-api-key", keyed.Grade.TOKEN), ("GITHUB_TOKEN", keyed.Grade.TOKEN),
        ("mapKey", keyed.Grade.NONE), ("CHECKOUT_KEY", keyed.Grade.WEAK), ("max_tokens", keyed.Grade.NONE),
        ("primary_key", keyed.Grade.NONE), ("password_field", keyed.Grade.NONE), ("token_count", keyed.Grade.NONE),
        ("AWS_ACCESS_KEY_ID", keyed.Grade.NONE), ("key", keyed.Grade.NONE), ("author", keyed.Grade.NONE),
    ],
)  # fmt: skip
def test_the_name_of_a_key_is_graded(name: str, level: keyed.Grade) -> None:
    assert keyed.grade(name) is level


@pytest.mark.parametrize(
    ("value", "technical", "worded"),
    [
        ("base64-encoded", True, True), ("OAuth2Client", True, True), ("AUTH-1234", True, True), ("auth2.py:214", True, True),
        ("v2.1.0-rc3", True, True), ("8-72", False, True), ("8-72-characters", True, True), ("checkout_db_v2", True, True),
        ("staging-02-replica", False, True), ("Postgres14", False, True), ("hunter" + "2secret", False, False),
        ("Winter" + "2026", False, False), ("Tr0ub4" + "dor&3", False, False), ("role-based-access", True, True),
    ],
)  # fmt: skip
def test_words_with_numbers_are_told_from_passwords(value: str, technical: bool, worded: bool) -> None:
    assert (looks.technical(value), looks.worded(value)) == (technical, worded)


def test_letters_of_words_are_told_from_drawn_ones() -> None:
    rng = Random(6)
    drawn = [likeness(build("{T24}", rng))[0] for _ in range(300)]
    said = [
        likeness(w)[0]
        for w in ("CustomerSubscriptionRenewalHandler", "getUserById", "Bestellungsverwaltung", "usuario_servidor")
    ]
    assert min(said) > 0.3
    assert sum(mean > 0.2 for mean in drawn) < 6


# --- homes and what is shared ------------------------------------------------------------------------------------------


def test_paths_stay_whole_unless_homes_are_to_go() -> None:
    text = "see /home/wilma/src/a.py, C:\\Users\\wilma\\b.py and /etc/hosts"
    assert redacted(text) == text
    assert redacted(text, strip_home=True) == "see ~/src/a.py, ~\\b.py and /etc/hosts"


@pytest.mark.parametrize(
    ("text", "shared"),
    [
        ("read /home/dana/src/shop/apps/tax_test.go:12 first", "read tax_test.go:12 first"),
        ("keep /Users/dana/.claude/CLAUDE.md short.", "keep ~/.claude/CLAUDE.md short."),
        ("in C:\\Users\\Dana\\code\\shop\\a.ts and C:\\work\\shopfront\\", "in a.ts and shopfront/"),
        ("under /mnt/c/Users/priya/x.txt or \\\\nas01\\team\\plans.docx", "under x.txt or plans.docx"),
        ("/etc/hosts, /api/v1/users and ~/notes/todo.md stay", "/etc/hosts, /api/v1/users and ~/notes/todo.md stay"),
        ("my home is /home/dana", "my home is ~"),
        ("write build logs to /home/lee/logs", "write build logs to ~/logs"),
        ("shots go to /Users/lee/Desktop/shots, please", "shots go to ~/Desktop/shots, please"),
        ("fixtures in C:\\Users\\lee\\fixtures", "fixtures in ~\\fixtures"),
        ("nothing from /data/people/dana/vault", "nothing from ~/vault"),
        ("file:///home/dana/x.md", "x.md"),
        ("/data/people/dana/p/x.md", "x.md"),
        ("dana_dev, @dana and dana@mailbox.example", "[redacted:name]_dev, @[redacted:name] and [redacted:mail]"),
    ],
)
def test_shared_text_has_no_places_and_no_names(text: str, shared: str) -> None:
    out = strip_private(text, names=["dana"], home="/data/people/dana")
    assert out == shared
    assert strip_private(out, names=["dana"], home="/data/people/dana") == out


# --- cost --------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    ["a", "1", "token ", 'token "', "password: ", "-----BEGIN PRIVATE KEY-----\n", "eyJ", "a,secret\n", "://a:", "A1b2\n", "@", "\u200b", '"+"', "login a "],
)  # fmt: skip
def test_long_monotonous_texts_take_no_more_than_linear_time(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        start = time.process_time()
        REDACTOR.redact(text)
        return time.process_time() - start

    seconds(2_000)
    assert seconds(64_000) < 0.25 + 20 * seconds(8_000)

"""What a line may be meant to say beside what it says: ciphers, spellings and numbers in words, undone. Pure.

The decision to know: every reading is a guess, so it is only ever searched for strings that are known; a cipher that is
not named here passes. Readings: backwards, ROT13, Atbash, the first letters of the words, letters apart, Base64 and hex
(also in pairs), codes of characters, escapes of HTML and of addresses, digits for letters, and numbers in words.
"""

from __future__ import annotations

import base64
import codecs
import html
import re
import string
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

_SPELLED: Final = re.compile(r"(?<![^\W_])[^\W_](?:[-.·_*/|+,~ ]{1,2}[^\W_]){3,}(?![^\W_])")
_CODED: Final = re.compile(r"[A-Za-z0-9+/_-]{8,}={0,2}")
_PAIRS: Final = re.compile(r"(?<!\w)(?:(?:0x|\\x)?[0-9A-Fa-f]{2}[ ,:-]{0,2}){4,}(?!\w)")
_CODES: Final = re.compile(r"(?<!\d)(?:\d{2,3}[ ,;]{1,2}){3,}\d{2,3}(?!\d)")
_ATBASH: Final = str.maketrans(string.ascii_letters, string.ascii_lowercase[::-1] + string.ascii_uppercase[::-1])
_DIGITS: Final = str.maketrans("013457@$", "oieastas")
_LEET: Final = re.compile(r"(?=\w*[013457@$])(?=\w*[A-Za-z])[\w@$]{4,}")
_LEAST_INITIALS: Final = 5

_TO_NINETEEN: Final = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen"""
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety"
_NUMBER: Final = {word: value for value, word in enumerate(_TO_NINETEEN.split())} | {
    word: 10 * value for value, word in enumerate(_TENS.split(), 2)
}
_SCALE: Final = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
_SAID: Final = "|".join([*_NUMBER, *_SCALE])
_IN_WORDS: Final = re.compile(rf"\b(?:{_SAID})(?:(?:[ -]|,? and )(?:{_SAID}))*\b", re.IGNORECASE)


def readings(line: str) -> Iterator[tuple[str, bool]]:
    """A line as it stands, then as it may be meant, with whether that is a disguise."""
    yield line, False
    yield line[::-1], True
    yield codecs.encode(line, "rot13"), True
    yield line.translate(_ATBASH), True
    initials = "".join(word[0] for word in re.findall(r"[^\W_]+", line))
    if len(initials) >= _LEAST_INITIALS:
        yield initials, True
    for undone in (
        _SPELLED.sub(lambda match: re.sub(r"[^\w]|_", "", match[0]), line),
        _LEET.sub(lambda match: match[0].translate(_DIGITS), line),
        unquote(html.unescape(line)),
        _IN_WORDS.sub(lambda match: _number(match[0]), line),
    ):
        if undone != line:
            yield undone, True
    for coded in _CODED.findall(line):
        yield from ((decoded, True) for decoded in _decoded(coded))
    for pairs in _PAIRS.findall(line):
        yield from ((decoded, True) for decoded in _decoded("".join(re.findall(r"[0-9A-Fa-f]{2}(?!x)", pairs))))
    for codes in _CODES.findall(line):
        numbers = [int(code) for code in re.findall(r"\d+", codes)]
        if all(0x20 <= number < 0x7F for number in numbers):
            yield "".join(map(chr, numbers)), True


def _decoded(coded: str) -> Iterator[str]:
    plain = coded.rstrip("=")
    for decode in (lambda: base64.urlsafe_b64decode(plain + "=" * (-len(plain) % 4)), lambda: bytes.fromhex(plain)):
        try:
            said = decode().decode()
        except ValueError:
            continue
        if said.isprintable():
            yield said


def _number(said: str) -> str:
    """A number in words as digits; digits told one by one ("one two") are put side by side."""
    words = [word for word in re.split(r"[^a-z]+", said.lower()) if word and word != "and"]
    if len(words) > 1 and all(_NUMBER.get(word, 10) < 10 for word in words):
        return "".join(str(_NUMBER[word]) for word in words)
    whole = part = 0
    for word in words:
        if word == "hundred":
            part = max(part, 1) * 100
        elif word in _SCALE:
            whole, part = whole + max(part, 1) * _SCALE[word], 0
        else:
            part += _NUMBER[word]
    return str(whole + part)

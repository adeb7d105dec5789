"""How a value looks, apart from what it is called: a stand-in, words, made by a machine, a password.

The one decision: here, and only here, does the look of a value decide. `keyed`, `prose` and `framed` know where a value
stands and how much that says; they ask here for the rest. Placeholders, expressions, types, paths and words stay.
"""

from __future__ import annotations

import re

from ingrained.session.letters import likeness

_STAYS = re.compile(
    r"""(?ix)
    (?: \$(?:[a-z_][a-z0-9_]*\b|\{|\(|\d) | %[a-z_]\w*% | [{<\[(#] | & | @ | \*{2,} | \.{2,} | … | •
      | .*(?:\*{3}|\.{3}|…|•{3}|\$\{|\{\{|\$\(|<[a-z_ -]+>|xxxx)
      | (?:https?|file|op|vault|ssm|sm|arn|gs|s3|secretsmanager)://? | arn: | vault: | ssm:
      | [a-z]:\\
      | (?:process\.|os\.|import\.|env\.|env\[|secrets?\.|vars\.|config\.|settings\.|self\.|this\.|ctx\.|req\.|args?\.)
      | redacted | pk_(?:live|test)_ | your | my[-_ ] | example | sample | dummy | fake
      | placeholder | change[-_ ]?(?:me|this)
      | replace
      | insert[-_ ] | enter[-_ ] | put[-_ ] | some[-_ ] | the[-_ ] | x{3,}\Z | todo | tbd | n/?a\Z
      | .*[-_ ]here\Z | .*_(?:token|key|secret|password)\Z
      | (?:u?int|float|bytes?|str|string|base)\d*(?:array|\[\d*\])?\Z | (?:sha|rs|hs|es|aes|ed25519|x25519|rsa)[-_\d]*\Z
    )"""
)
_PATH = re.compile(r"[~.]{0,2}/[\w.\-/]+\Z")
_FILLERS = (
    "none null nil undefined true false yes no on off foo bar baz qux default string str text required optional unset "
    "empty hidden masked password passwd pass secret token key pwd test testing user username admin value number int "
    "bool any void self this missing invalid expired "
)
_WORDS_THAT_STAY = frozenset(_FILLERS.split())
_EXPRESSION = re.compile(
    r"[A-Za-z_$][\w$]*[!?]?(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*|\[[^\]]*\]|\([^)]*\)?)+[;,)!?]*\Z|[A-Za-z_][\w.]*[\[(]"
)
_REGULAR = re.compile(r"(?i).*(?:abcdefgh|01234567)")
"""Runs of the alphabet or of the digits: typed to fill a place, except where the place says that it is a secret."""
_NUMBER = re.compile(r"[+-]?[\d_.,:/\-]+(?:ms|s|m|h|d|k|kb|mb|gb|%|px|e\d+)?\Z", re.IGNORECASE)
_HEX = re.compile(r"(?:0x)?[0-9a-fA-F]{16,}\Z")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
_CHUNK = re.compile(r"[A-Za-z0-9]+")
_TURN = re.compile(r"(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])")
_START = r"(?:(?<![A-Za-z0-9])|(?<=[a-z])(?=[A-Z]))"
_STOP = r"(?:(?![A-Za-z0-9])|(?=[A-Z][a-z]))"
_TERMS = re.compile(
    _START + r"(?i:oauth|auth|base|sha|md|crc|utf|ucs|iso|rfc|aes|rsa|ed|x|p|rs|hs|es|ps|argon|pbkdf|bcrypt|secp|curve"
    r"|pkcs|http|tls|ssl|smb|ntlm|ipv|socks|ec|k|s|v|h|uuidv|pyjwt|fido)[-_]?\d{1,5}(?:id|i|d|k\d|s|mb\d|sum|url)?"
    rf"{_STOP}"
    r"|(?<![A-Za-z0-9])(?:"
    r"\d{4}-\d\d-\d\d(?:[T_]\d\d:?\d\d(?::?\d\d)?(?:\.\d+)?Z?)?"
    r"|v?\d+(?:\.\d+)+(?:[-+.]?(?:rc|alpha|beta|dev|post|build|b|a)\.?\d*)?"
    r"|CVE-\d{4}-\d+|1Password|[a-z]\d{1,2}[a-z]{1,3}|[A-Z]\d{1,2}[A-Z]{1,3}|(?<!-)[A-Z]{2,10}-\d{1,6}"
    r"|\d{1,5}(?:[-–/]\d{1,5})?\+?[-_]?(?i:st|nd|rd|th|chars?|characters?|bytes?|bits?|digits?|days?|hours?|hrs?|h"
    r"|min|mins|minutes?|m|s|secs?|seconds?|ms|x|k|kb|mb|gb|factor|fa|d|way|step|letters?|words?|times?|years?|months?"
    r"|weeks?|party|px|pct|percent|retries|attempts|items|lines|files|users|tokens)"
    r")(?![A-Za-z0-9])"
)
"""Words of cryptography and protocols that bear a number, versions, dates, tickets, and numbers with a unit."""
_PRODUCTS = re.compile(
    _START + r"(?i:node|python|py|java|php|ruby|go|postgres|mysql|neo|log|web|db|win|windows|ubuntu|debian|ios|android"
    r"|vue|angular|react|next|level|step|phase|page|line|day|week|sprint|round|part|case|issue|pr|slot|test|user|app"
    rf"|server|gpt)[-_]?\d{{1,4}}{_STOP}"
)
_FILE = re.compile(
    r"[\w.\-@/]+\.(?:go|py|pyi|tsx?|jsx?|mjs|cjs|rs|java|kt|rb|php|c|h|cc|cpp|hpp|cs|sh|bash|sql|md|mdx|rst|txt|jsonl?"
    r"|ya?ml|toml|ini|cfg|conf|env|html?|s?css|xml|csv|tsv|log|lock|pem|crt|zip|gz|png|jpe?g|svg|gif|pdf|ipynb|vue"
    r"|svelte|proto|tf|gradle|swift|lua|ex|exs|db)(?:[:#][\w:\-]*)?(?:\(\))?\Z"
)
_PIECE = re.compile(r"[A-Za-z]+\d{0,3}|\d{1,4}")
_SYMBOL = re.compile(r"[!$%&*?^~]")
_RUN = re.compile(r"[A-Za-z]+")


def placeholder(value: str, *, code: bool = False, regular: bool = True) -> bool:
    """The value stands for a secret and is none: a variable, a path or a filler word.

    Args:
        value: the text to judge.
        code: it stands bare in code, where expressions count too.
        regular: a run of the alphabet or of the digits counts too.
    """
    low = value.lower().strip("'\"`.,;:!?")
    return (
        not low
        or low in _WORDS_THAT_STAY
        or len(set(low)) <= 2
        or bool(_STAYS.match(value))
        or (regular and bool(_REGULAR.match(value)))
        or bool(_PATH.match(value) and likeness(value)[0] > 0)
        or (code and bool(_EXPRESSION.match(value)))
    )


def is_hex(value: str) -> bool:
    """Sixteen hex digits and more."""
    return bool(_HEX.match(value))


def turns(text: str) -> int:
    """How often letters and digits take turns."""
    return len(_TURN.findall(text))


def generated(value: str, *, least: int) -> bool:
    """The value looks generated by a machine, not written by a person as a name, word, number, date or path.

    Args:
        value: the text to judge.
        least: the fewest characters that count as evidence.
    """
    if len(value) < least or _NUMBER.match(value):
        return False
    if _HEX.match(value):
        return any(c.isdigit() for c in value)
    if _UUID.match(value):
        return True
    if len(set(value)) < min(6, least):
        return False
    if len(value) >= 10 and any(turns(chunk) >= 3 for chunk in _CHUNK.findall(value)):
        return True
    mean, pairs = likeness(value)
    if any(c.isdigit() for c in value):
        return pairs >= 4 and mean < 0.2
    return pairs >= 9 and mean < -0.1


def password_like(value: str, *, literal: bool) -> bool:
    """The value can be a password: `literal` where the notation leaves no doubt that it is a value (environment, URL).

    A value of letters only counts where it is literal or mixes cases within a word; else it is too often a label.
    """
    if len(value) < 4 or placeholder(value) or (value.isdigit() and len(value) < 6):
        return False
    if literal:
        return True
    if len(value) < 5:
        return False
    if any(c.isdigit() for c in value) and any(c.isalpha() for c in value):
        return True
    if any(not c.isalnum() and c not in "_-. " for c in value) and " " not in value:
        return not value.endswith((":", "?", "!", ")")) or any(c.isdigit() for c in value)
    mean, pairs = likeness(value)
    return " " not in value and pairs >= 7 and mean < -0.1


def technical(value: str) -> bool:
    """Words and terms of the trade (`base64-encoded`, `OAuth2Client`, `AUTH-1234`) that hold every digit; files too."""
    if _FILE.match(value):
        return True
    rest = _TERMS.sub(" ", value)
    return (
        not _SYMBOL.search(value)
        and not any(c.isdigit() for c in rest)
        and _wordlike(rest, sum(map(str.isalpha, rest)))
    )


def worded(value: str) -> bool:
    """`technical`, a product with its number, or several words with short numbers (`checkout_db_v2`)."""
    if _SYMBOL.search(value):
        return False
    if technical(value) or technical(_PRODUCTS.sub(" ", value)):
        return True
    rest = _TERMS.sub(" ", value)
    pieces = _CHUNK.findall(rest)
    several = len(_CHUNK.findall(value)) > 1
    return several and all(map(_PIECE.fullmatch, pieces)) and _wordlike(rest, sum(map(len, pieces)))


def _wordlike(text: str, size: int) -> bool:
    """Runs of four letters and more that look like words hold at least half of `size` characters."""
    words = sum(len(run) for run in _RUN.findall(text) if len(run) > 3 and likeness(run)[0] > -0.1)
    return size <= 6 or 2 * words >= size


def credential(value: str) -> bool:
    """The value of an authorisation header: any of 16 characters that is no stand-in and not words."""
    return len(value) >= 16 and not placeholder(value, regular=False) and not worded(value)


def hex_key(value: str) -> bool:
    """Twenty hex digits and more, figures and letters, in any order: under the name of a key nothing else looks so."""
    return len(value) >= 20 and is_hex(value) and not value.isdigit() and not value.isalpha() and len(set(value)) > 4

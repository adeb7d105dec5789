"""Secrets as people say them to an agent, ordinary speech with the same words, and headers with values that are regular.

As in `redaction_set`, all is drawn from a seed and nothing secret-shaped stands here. `said` pairs names, sentences and
ways to make a value; `speech` fills sentences in which a secret's name is followed by something else, often with digits;
`headers` and `header_stand_ins` do the same for authorisation headers.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from ingrained.session.secrets import build
from redaction_set import Sample

_TEXT = (
    "hunter orange falcon winter marble copper pirate saturn velvet banana rocket walnut harbor castle dragon candle "
    "meadow silver tunnel garlic puzzle anchor bottle carbon desert engine fossil guitar hazard insect"
)
_WORDS = _TEXT.split()
_LEET = str.maketrans("aeio", "4310")


def _word(rng: Random) -> str:
    return rng.choice(_WORDS)


def _leet(rng: Random) -> str:
    word = _word(rng) + _word(rng)
    return word[:1].upper() + word[1:].translate(_LEET) + rng.choice("&%#$!+") + str(rng.randrange(10))


PASSWORDS: dict[str, Callable[[Random], str]] = {
    "digit between words": lambda r: f"{_word(r)}{r.randrange(10)}{_word(r)}",
    "leet": _leet,
    "word and year": lambda r: f"{_word(r).title()}{r.randrange(1970, 2030)}",
    "words and digits": lambda r: f"{_word(r)}{_word(r)}{r.randrange(100, 9999)}",
    "letters and digits": lambda r: build("{T12}", r),
    "symbols": lambda r: build("{T5}", r) + r.choice("!%*+#") + build("{T5}", r) + str(r.randrange(10)),
}
TOKENS: dict[str, Callable[[Random], str]] = {
    "hex": lambda r: build("{H32}", r),
    "regular hex": lambda r: ("abcdef0123456789" * 3)[: r.choice([32, 40, 48])],
    "long hex": lambda r: build("{H64}", r),
    "letters and digits": lambda r: build("{T32}", r),
    "base64": lambda r: build("{B43}", r) + "=",
    "uuid": lambda r: build("{UUID}", r),
}
PASSWORD_NAMES = (
    "password", "pw", "root password", "wifi password", "db password", "passwd", "pwd", "passcode", "Passwort", "Password",
)  # fmt: skip
TOKEN_NAMES = (
    "api key", "token", "access token", "auth token", "client secret", "API key", "deploy token", "signing key",
)  # fmt: skip
SENTENCES: dict[str, Callable[[str, str], str]] = {
    "my … is": lambda n, v: f"my {n} is {v}, always use it",
    "the … is": lambda n, v: f"No. The {n} is {v}.",
    "colon": lambda n, v: f"log in as bob, {n}: {v}",
    "equals": lambda n, v: f"{n} = {v} and nothing else",
    "for a place": lambda n, v: f"the {n} for staging is {v}, ok?",
    "of an account": lambda n, v: f"the {n} of the test account is {v}",
    "brackets": lambda n, v: f"use the test account ({n}: {v})",
    "bare": lambda n, v: f"use {n} {v} in tests",
    "and bare": lambda n, v: f"always log in with user bob and {n} {v}!",
    "end": lambda n, v: f"fyi {n} {v}",
    "as the": lambda n, v: f"always use {v} as the {n} in tests",
    "is the": lambda n, v: f"{v} is the {n} of the demo",
    "set to": lambda n, v: f"set the {n} to {v}",
    "should be": lambda n, v: f"the {n} should be {v} from now on",
    "back ticks": lambda n, v: f"with {n} `{v}` it works",
    "still": lambda n, v: f"the {n} is still {v}",
    "here is": lambda n, v: f"here's the {n}: {v} - don't commit it",
    "next line": lambda n, v: f"the {n} is:\n{v}\nthanks",
}


def said(seed: int = 51) -> list[Sample]:
    """Each way to make a value in each sentence, under a name drawn for it; and pass phrases of four to seven words."""
    rng = Random(seed)
    samples = [
        Sample(text=sentence(rng.choice(names), value), value=value, kind=kind, context=context)
        for names, makers in ((PASSWORD_NAMES, PASSWORDS), (TOKEN_NAMES, TOKENS))
        for kind, make in makers.items()
        for context, sentence in SENTENCES.items()
        for value in (make(rng), make(rng))
    ]
    for name in ("passphrase", "pass phrase", "seed phrase", "recovery phrase"):
        for link in (": ", " is ", " for the key is ", " = "):
            for _ in range(3):
                value = " ".join(_word(rng) for _ in range(rng.randrange(4, 8)))
                samples.append(Sample(text=f"the {name}{link}{value}.", value=value, kind="phrase", context=link))
    return samples


_NAMES = ("password", "passphrase", "token", "secret", "api key", "access token", "pw", "credentials", "auth token")
_STATES = (
    "required", "base64-encoded", "sha256-hashed", "argon2id", "expired", "empty", "OAuth2-based", "missing again", "optional",
    "utf8-safe", "too long", "case-sensitive", "12-characters", "wrong", "hard-coded", "read-only", "HTTP2-only", "ok", "RFC6750",
    "handled by PyJWT2", "the same for all", "never logged", "PKCS12", "a UUIDv4", "an RS256 one", "not in v2.1.0",
)  # fmt: skip
_THINGS = (
    "field", "budget", "rotation", "validation", "prompt", "manager", "bucket", "store", "scanning", "hashing", "input", "refresh",
    "parser", "counter", "reset flow", "strength meter", "introspection", "exchange", "storage",
)  # fmt: skip
_CODE = (
    "auth_service", "login_form_v2", "test_reset_flow_2", "AuthTokenStore", "OAuth2Client", "session_manager", "tokenStoreV3",
    "user_repo", "checkout-db-01", "k8s-prod-1", "vault-eu-west-1", "SecretStr", "hash_password", "i18n-strings",
)  # fmt: skip
_FILES = (
    "auth2.py:214",
    "login_v2.tsx",
    "internal/auth/token.go",
    "session3.rs",
    "0042_add_token.sql",
    "docs/adr-0012.md",
    "db01.conf",
)
_TICKETS = ("AUTH-1234", "SEC-77", "#4711", "PR 128", "JIRA-20931", "CVE-2026-12345", "RFC7519", "issue 3021")
_UNITS = (
    "8-72 characters",
    "16-byte",
    "30min",
    "90-day",
    "2FA",
    "3600s",
    "256-bit",
    "4096 tokens",
    "1st-party",
    "10x",
    "5-minute",
)
_NOTHING = ("0", "null", "None", "default", "an empty string", "the old one", "NULL", "undefined", "whatever CI has")
_FROM = (
    "$GITHUB_TOKEN",
    "${DB_PASSWORD}",
    "STRIPE_SECRET_KEY",
    "1Password",
    "~/.netrc",
    "/run/secrets/db",
    "env.API_KEY",
    "the vault",
)
_SECRET_SPEECH: dict[str, Callable[[Random, str], str]] = {
    "is a state": lambda r, n: f"the {n} is {r.choice(_STATES)}",
    "colon and state": lambda r, n: f"{n}: {r.choice(_STATES)}",
    "thing": lambda r, n: f"fix the {n} {r.choice(_THINGS)} first, then {r.choice(_TICKETS)}",
    "budget": lambda r, n: f"keep the {n} budget under {r.randrange(10**4, 10**6)}",
    "the key is to": lambda r, n: f"the key is to {r.choice(['keep', 'test', 'split', 'reuse2 and', 'log'])} the {n} {r.choice(_THINGS)}",
    "code after": lambda r, n: f"the {n} {r.choice(_CODE)} uses is wrong",
    "code before": lambda r, n: f"use {r.choice(_CODE)} as the {n} {r.choice(_THINGS)}",
    "in code": lambda r, n: f"move the {n} to {r.choice(_CODE)}, please",
    "file": lambda r, n: f"the {n} check is in {r.choice(_FILES)}",
    "file at once": lambda r, n: f"see {n} {r.choice(_FILES)} for it",
    "file with colon": lambda r, n: f"{n}: {r.choice(_FILES)}",
    "ticket": lambda r, n: f"{n} {r.choice(_TICKETS)} is next",
    "ticket with colon": lambda r, n: f"{n}: {r.choice(_TICKETS)}",
    "unit": lambda r, n: f"a {n} {r.choice(_UNITS)} limit is fine",
    "must be": lambda r, n: f"the {n} must be {r.choice(_UNITS)} at most",
    "set to nothing": lambda r, n: f"reset the {n} to {r.choice(_NOTHING)}",
    "from": lambda r, n: f"the {n} is {r.choice(_FROM)}",
    "read from": lambda r, n: f"read the {n} from {r.choice(_FROM)}",
    "date": lambda r, n: f"the {n} was 2026-{r.randrange(1, 13):02d}-{r.randrange(1, 29):02d} when it expired",
    "commit": lambda r, n: f"the {n} leak was fixed in {build('{H40}', r)}",
    "cache key": lambda r, n: f"the cache key is {build('{H40}', r)} and the {n} is none of it",
    "count": lambda r, n: f"the {n} count is {r.randrange(10**4, 10**7)}, that is {r.randrange(2, 90)}k",
    "version": lambda r, n: f"{n} v{r.randrange(9)}.{r.randrange(30)}.{r.randrange(9)}-rc{r.randrange(9)} is out",
    "rules for it": lambda r, n: f"{n}: {r.choice(['at least', 'minimum', 'no less than'])} {r.randrange(8, 20)} characters, one digit",
    "sentence": lambda r, n: f"{n}: {r.choice(['prompts are skipped in ci', 'never goes to the log', 'users choose it when they sign up'])}",
    "sauce": lambda r, n: f"our secret sauce is {r.choice(_CODE)}, not the {n}",
    "bearer": lambda r, n: f"use bearer {r.choice(['authentication', 'token authentication', 'AuthorizationMiddleware', 'auth_middleware_v2'])} for it",
    "test name": lambda r, n: f"make test_{n.replace(' ', '_')}_is_{r.choice(['hashed', 'reset_v2', 'kept_2'])} pass",
    "per cent": lambda r, n: f"the {n} is {r.randrange(10, 99)}.{r.randrange(9)}% of it",
    "choice": lambda r, n: f"the {n} or {r.choice(_CODE)}, either {r.choice(_CODE)} or {r.choice(_UNITS)}",
}  # fmt: skip


def speech(seed: int = 61) -> list[Sample]:
    """Twelve sentences of each kind; the whole sentence must come through."""
    rng = Random(seed)
    return [
        Sample(text=text, value=text, kind=kind, context="sentence")
        for kind, make in _SECRET_SPEECH.items()
        for text in (make(rng, rng.choice(_NAMES)) for _ in range(12))
    ]


# --- a second set, written when the redactor had been fitted to the first ------------------------------------------------

_AGAIN: dict[str, Callable[[str, str], str]] = {
    "changed to": lambda n, v: f"the {n} was changed to {v} yesterday",
    "which is": lambda n, v: f"take the {n}, which is {v}, from me",
    "dash": lambda n, v: f"{n} - {v}",
    "arrow": lambda n, v: f"{n} -> {v}",
    "new": lambda n, v: f"new {n}: {v}. old one is dead",
    "with the": lambda n, v: f"connect with the {n} {v} and try again",
    "you need": lambda n, v: f"you need the {n} ({v}) for that",
    "table row": lambda n, v: f"| {n} | {v} |",
    "list": lambda n, v: f"- user: bob\n- {n}: {v}\n- host: db1",
    "user and": lambda n, v: f"user bob, {n} {v}, port 5432",
    "possessive": lambda n, v: f"bob's {n} is {v} if you need it",
    "don't use": lambda n, v: f"don't use {v} as {n} any more",
    "is now": lambda n, v: f"{n} is now {v}",
    "capital": lambda n, v: f"{n.upper()} IS {v}",
    "will be": lambda n, v: f"the {n} for prod will be {v}",
    "quotes": lambda n, v: f'the {n} is "{v}" with the quotes',
    "german": lambda n, v: f"das {n} ist {v}, bitte merken",
    "at the end of a line": lambda n, v: f"login: bob\n{n} {v}\nthen run it",
}


def said_again(seed: int = 81) -> list[Sample]:
    """Eighteen further sentences, with the values of `said`."""
    rng = Random(seed)
    return [
        Sample(text=sentence(rng.choice(names), value), value=value, kind=kind, context=context)
        for names, makers in ((PASSWORD_NAMES, PASSWORDS), (TOKEN_NAMES, TOKENS))
        for kind, make in makers.items()
        for context, sentence in _AGAIN.items()
        for value in (make(rng),)
    ]


_SPEECH_AGAIN: dict[str, Callable[[Random, str], str]] = {
    "policy": lambda r, n: f"{n} policy: {r.choice(['12 chars', 'NIST SP800-63B', 'no reuse for 5 rounds', 'ISO27001'])}",
    "why": lambda r, n: f"why is the {n} {r.choice(['None', 'undefined', 'base64url', 'UTF-16', 'a str', 'two bytes long'])} here?",
    "columns": lambda r, n: f"add a {n}_{r.choice(['hash', 'salt', 'expires_at', 'v2', 'sha256'])} column to users2",
    "function": lambda r, n: f"{n} -> {r.choice(['verify_v2', 'hashPassword2', 'TokenKind', 'Optional[str]', 'parse_jwt_3'])}()",
    "move": lambda r, n: f"split {n} {r.choice(['handling', 'logic', 'code'])} out of {r.choice(['api_v1', 'app2', 'handlers_2.go', 'ServerV2'])}",
    "the … in": lambda r, n: f"the {n} in {r.choice(['step 3', 'Figure 2', 'line 1204', 'chapter 7', 'test_17_login', 'commit 3f9a1c2'])}",
    "is at": lambda r, n: f"the {n} is at {r.choice(['0x7ffd3a10', 'offset 1024', 'index 12', 'src/lib_v2/auth.ts'])}",
    "compare": lambda r, n: f"{n} == {r.choice(['other', 'expected_v2', 'None', 'self._token2'])} is not constant-time",
    "limit": lambda r, n: f"the {n} limit is {r.choice(['128k', '200_000', '1,048,576', '4096', '32KiB'])}",
    "log line": lambda r, n: f"{n} refresh took {r.randrange(10, 999)}ms (attempt {r.randrange(1, 9)}/5)",
    "endpoint": lambda r, n: f"the {n} endpoint is {r.choice(['/v2/login', '/oauth2/introspect', 'POST /api/v1/auth', '/.well-known/jwks.json'])}",
    "not stored": lambda r, n: f"as for the {n}: {r.choice(['never store it', 'hash it with bcrypt', 'see RFC6749 section 4', 'ask me first'])}",
    "library": lambda r, n: f"use {r.choice(['argon2-cffi', 'PyJWT2', 'oauthlib3', 'python-jose', 'passlib', 'next-auth5'])} for the {n}",
    "list item": lambda r, n: f"- {n}: {r.choice(['done in #4712', 'P1, next sprint', 'TODO', 'blocked by OPS-212', 'ok since v3'])}",
    "spelled": lambda r, n: f"call it {n}, not {r.choice(['tkn2', 'pwd_2', 'secretV2', 'key1'])}",
}  # fmt: skip


def speech_again(seed: int = 91) -> list[Sample]:
    """Fifteen further kinds of sentences, twelve of each."""
    rng = Random(seed)
    return [
        Sample(text=text, value=text, kind=kind, context="sentence")
        for kind, make in _SPEECH_AGAIN.items()
        for text in (make(rng, rng.choice(_NAMES)) for _ in range(12))
    ]


# --- headers -------------------------------------------------------------------------------------------------------------

_HEADERS: dict[str, Callable[[str], str]] = {
    "bearer": lambda v: f"always send Authorization: Bearer {v}",
    "curl": lambda v: f"curl -H 'Authorization: Bearer {v}' https://api.example.test/v1",
    "token": lambda v: f"Authorization: token {v}",
    "no scheme": lambda v: f"Authorization: {v}",
    "json": lambda v: f'{{"headers": {{"Authorization": "Bearer {v}"}}, "n": 1}}',
    "python": lambda v: f"headers={{'Authorization': f'Bearer {v}'}}",
    "lower case": lambda v: f"authorization: bearer {v}\r\naccept: */*",
    "said": lambda v: f"send the bearer {v} with it",
    "x-auth-token": lambda v: f"X-Auth-Token: {v}",
    "x-api-key": lambda v: f"-H 'X-Api-Key: {v}'",
    "private-token": lambda v: f"PRIVATE-TOKEN: {v}",
    "api-key": lambda v: f"api-key: {v}\nuser-agent: x",
}
_REGULAR: dict[str, Callable[[Random], str]] = {
    "hex twice": lambda _: "abcdef0123456789" * 2,
    "run of digits": lambda r: build("{A6}", r) + "0123456789" + build("{A4}", r),
    "alphabet": lambda r: f"abcdefghijklmnop{r.randrange(10**4, 10**5)}",
    "pairs": lambda r: build("{T2}", r) * 6 + "a1b2c3d4e5f6",
    "counted": lambda r: f"a1b2c3d4e5f6{r.randrange(1000, 9999)}",
    "digits": lambda r: str(r.randrange(10**19, 10**20)),
    "drawn": lambda r: build("{T20}", r),
}


def headers(seed: int = 71) -> list[Sample]:
    """Values of sixteen characters and more, most of them regular, in each header."""
    rng = Random(seed)
    return [
        Sample(text=wrap(value), value=value, kind=kind, context=context)
        for kind, make in _REGULAR.items()
        for context, wrap in _HEADERS.items()
        for value in (make(rng), make(rng))
    ]


_STAND_INS = (
    "xxxxxxxxxxxxxxxxxxxx", "<YOUR_TOKEN>", "$API_TOKEN", "${ACCESS_TOKEN}", "YOUR_TOKEN_GOES_HERE", "your-access-token-here",
    "{{ access_token }}", "****************", "....................", "some-token-of-a-user", "example-token-1234567", "%TOKEN%",
    "$(cat token.txt)", "[redacted:bearer]", "<token-from-the-vault>", "access_token_of_user", "process.env.TOKEN",
)  # fmt: skip


def header_stand_ins() -> list[Sample]:
    """Each stand-in in each header: placeholders, variables and words."""
    return [
        Sample(text=wrap(value), value=wrap(value), kind=value, context=context)
        for value in _STAND_INS
        for context, wrap in _HEADERS.items()
    ]

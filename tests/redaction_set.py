"""Invented secrets, personal data and look-alikes in the contexts where they turn up, from a seed.

Everything secret-shaped is assembled when this runs. `secrets` is the plain set: each kind in ten contexts. `blind` was
written after the tables it tests were fixed and varies what they do not state: lengths, case, quotes, wrapped lines,
neighbours. `evasions` splits and encodes. `look_alikes` must come through unchanged.
"""

from __future__ import annotations

import base64
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from ingrained.session.secrets import FAMILIES, PROVIDERS, Family, build, matches

NAMES = ("Wilma Kovács", "tbrandvold")
"""What the redactor under test is told: a full name and a user name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A text, the part of it that counts, and where it came from."""

    text: str
    value: str
    """A secret that must not survive, or a look-alike that must."""
    kind: str
    context: str


# --- contexts: (key, value) → text -------------------------------------------------------------------------------------

CONTEXTS: dict[str, Callable[[str, str], str]] = {
    "env": lambda key, value: f"PATH=/usr/bin:/bin\n{key.upper()}={value}\nLANG=C.UTF-8\n",
    "header": lambda key, value: (
        f'curl -s -H "X-{key.replace("_", "-").title()}: {value}" https://api.staging.example.test/v1/jobs'
    ),
    "json": lambda key, value: f'{{"ok":true,"{key}":"{value}","count":3}}',
    "yaml": lambda key, value: f"service:\n  replicas: 2\n  {key}: {value}\n  port: 8080\n",
    "url": lambda key, value: f"GET https://api.example.test/v2/items?page=2&{key}={value}&limit=50 200 OK",
    "exception": lambda key, value: f"RuntimeError: request failed ({key}='{value}') at client.py:214",
    "flag": lambda key, value: f"./deploy --region eu-west-1 --{key.replace('_', '-')} {value} --verbose",
    "prose": lambda key, value: f"by the way the {key.replace('_', ' ')} is {value}, please don't write it anywhere",
    "code": lambda key, value: f'const {key} = "{value}";\nclient.connect({key});',
    "fence": lambda key, value: f"Run this:\n```sh\nexport {key.upper()}='{value}'\nmake test\n```\nand tell me",
}


def _neutral(rng: Random) -> str:
    """A key that says nothing, so that the shape alone has to do; every fourth ends in `id`."""
    return rng.choice(["installation_id", "job_id", "value", "thing", "field", "result", "data", "output"])


def _family_secret(family: Family, rng: Random) -> tuple[str, str]:
    """The whole example and the part of it that is secret."""
    text = build(family.example, rng)
    match = next(matches(family, text), None)
    assert match, family.kind
    return text, text[match.start : match.end]


_SAFE_IN = {"url": lambda text: not set(text) & set(" &\n\"'")}


def secrets(seed: int = 1) -> list[Sample]:
    """Every kind once in each of the ten contexts that can hold it."""
    rng = Random(seed)
    samples: list[Sample] = []
    for family in FAMILIES:
        if family.example:
            for name, wrap in CONTEXTS.items():
                text, value = _family_secret(family, rng)
                samples.append(Sample(text=wrap(_neutral(rng), text), value=value, kind=family.kind, context=name))
    for provider in PROVIDERS:
        for name, wrap in CONTEXTS.items():
            value = build(provider.example, rng)
            samples.append(
                Sample(text=wrap(provider.key.lower(), value), value=value, kind=provider.kind, context=name)
            )
    samples += _generic(rng)
    return samples


def _generic(rng: Random) -> Iterator[Sample] | list[Sample]:
    samples: list[Sample] = []
    for name, wrap in CONTEXTS.items():
        for key in ("db_password", "client_secret", "auth_token", "smtp_pass", "admin_passwd"):
            value = _password(rng) if "pass" in key else build("{T24}", rng)
            samples.append(Sample(text=wrap(key, value), value=value, kind=f"keyed {key}", context=name))
        for kind, make in FRAMED.items():
            text, value = make(rng)
            samples.append(
                Sample(
                    text=wrap(_neutral(rng), text) if kind != "pem" else _around(name, text),
                    value=value,
                    kind=kind,
                    context=name,
                )
            )
        for kind, maker in PERSONAL.items():
            value = maker(rng)
            samples.append(Sample(text=wrap(_neutral(rng), value), value=value, kind=kind, context=name))
    return samples


def _around(context: str, block: str) -> str:
    if context in ("json", "exception", "url", "flag"):
        return '{"key":"' + block.replace("\n", "\\n") + '"}'
    if context == "yaml":
        return "tls:\n  key: |\n    " + block.replace("\n", "\n    ") + "\n  port: 1\n"
    return f"cat deploy/key\n{block}\nthen go on"


def _password(rng: Random) -> str:
    body = build("{T10}", rng)
    return body[:6] + rng.choice("!_%*.-") + body[6:] + str(rng.randrange(10, 99))


def _pem(rng: Random) -> tuple[str, str]:
    lines = [build("{B64}", rng) for _ in range(4)] + [build("{B30}", rng) + "=="]
    name = rng.choice(["RSA ", "EC ", "", "OPENSSH ", "ENCRYPTED "]) + "PRIVATE KEY"
    return "\n".join([f"-----BEGIN {name}-----", *lines, f"-----END {name}-----"]), lines[rng.randrange(4)]


def _url_password(rng: Random) -> tuple[str, str]:
    value = build("{T14}", rng)
    scheme = rng.choice(["postgres", "mysql", "mongodb+srv", "redis", "amqp", "https", "ftp"])
    return f"{scheme}://shop:{value}@db.staging.example.test:5432/shop", value


def _basic(rng: Random) -> tuple[str, str]:
    value = base64.b64encode(build("svc-{L5}:{T12}", rng).encode()).decode()
    return f"Authorization: Basic {value}", value


def _bearer(rng: Random) -> tuple[str, str]:
    value = build("{T44}", rng)
    return f"Bearer {value}", value


def _cookie(rng: Random) -> tuple[str, str]:
    value = build("{T32}", rng)
    return f"Cookie: theme=dark; sid={value}; lang=de", value


def _torn_pem(rng: Random) -> tuple[str, str]:
    block, value = _pem(rng)
    return block.rsplit("\n", 1)[0], value


FRAMED: dict[str, Callable[[Random], tuple[str, str]]] = {
    "pem": _pem,
    "url-password": _url_password,
    "basic-auth": _basic,
    "bearer": _bearer,
    "cookie": _cookie,
}


def _mail(rng: Random) -> str:
    return f"{_letters(rng, 5)}.{_letters(rng, 3)}@{_letters(rng, 7)}.{rng.choice(['example', 'com', 'co.uk', 'de', 'dev'])}"


def _phone(rng: Random) -> str:
    d = lambda n: "".join(rng.choice(string.digits) for _ in range(n))  # noqa: E731
    return rng.choice(
        [
            lambda: f"+34 6{d(2)} {d(3)} {d(3)}",
            lambda: f"+49 30 {d(4)} {d(4)}",
            lambda: f"+1 (415) 5{d(2)}-{d(4)}",
            lambda: f"+447{d(9)}",
            lambda: f"+86 138 {d(4)} {d(4)}",
            lambda: f"(415) 5{d(2)}-{d(4)}",
            lambda: f"212-5{d(2)}-{d(4)}",
            lambda: f"07{d(3)} {d(6)}",
            lambda: f"06 {d(2)} {d(2)} {d(2)} {d(2)}",
            lambda: f"030 {d(4)} {d(4)}",
            lambda: f"090-{d(4)}-{d(4)}",
            lambda: f"(11) 9{d(4)}-{d(4)}",
        ]
    )()


def _card(rng: Random) -> str:
    body = rng.choice(["4", "51", "55"]) + "".join(rng.choice(string.digits) for _ in range(14))
    body = body[:15]
    total = sum(sum(divmod(int(c) * (2 - i % 2), 10)) for i, c in enumerate(body))
    number = body + str(-total % 10)
    return rng.choice(
        [
            number,
            " ".join(number[i : i + 4] for i in range(0, 16, 4)),
            "-".join(number[i : i + 4] for i in range(0, 16, 4)),
        ]
    )


def _iban(rng: Random) -> str:
    country, size = rng.choice([("DE", 18), ("ES", 20), ("NL", 14), ("FR", 23)])
    body = "".join(rng.choice(string.digits) for _ in range(size))
    if country == "NL":
        body = "ABNA" + body[4:]
    check = 98 - int("".join(str(int(c, 36)) for c in body + country + "00")) % 97
    plain = f"{country}{check:02d}{body}"
    return rng.choice([plain, " ".join(plain[i : i + 4] for i in range(0, len(plain), 4))])


PERSONAL: dict[str, Callable[[Random], str]] = {
    "mail": _mail,
    "phone": _phone,
    "card": _card,
    "iban": _iban,
    "name": lambda rng: rng.choice(["Wilma", "Kovács", "tbrandvold", "Wilma Kovács"]),
}


def _letters(rng: Random, size: int) -> str:
    return "".join(rng.choice(string.ascii_lowercase) for _ in range(size))


# --- the blind set -----------------------------------------------------------------------------------------------------

_QUOTES = ["'", '"', "`", "“”", "«»", "", "''", '\\"']
_FRAMES: list[Callable[[str], str]] = [
    lambda v: f"({v})",
    lambda v: f"[{v}]",
    lambda v: f"{v}.",
    lambda v: f"{v},",
    lambda v: f"→{v}←",
    lambda v: f"key;{v};",
    lambda v: f"*{v}*",
    lambda v: f"**{v}**",
    lambda v: f"<{v}>",
    lambda v: f"{v}!",
    lambda v: f"…{v}…",
    lambda v: f"|{v}|",
    lambda v: f"#{v}",
    lambda v: f"{v}\t0",
    lambda v: f"\u200b{v}",
    lambda v: f"x={v}&y=1",
    lambda v: f"{{{v}}}",
    lambda v: f"/{v}/",
    lambda v: f"@{v}",
    lambda v: f"\x1b[32m{v}\x1b[0m",
]
_BLIND_CONTEXTS: dict[str, Callable[[str, str], str]] = {
    "compose": lambda k, v: f"    environment:\n      - {k.upper()}={v}\n      - TZ=UTC\n",
    "k8s": lambda k, v: f"        - name: {k.upper()}\n          value: {v}\n",
    "k8s json": lambda k, v: f'[{{"name": "{k.upper()}", "value": "{v}"}}, {{"name": "A", "value": "b"}}]',
    "nested json": lambda k, v: f'{{\\"cfg\\": {{\\"{_camel(k)}\\": \\"{v}\\", \\"n\\": 1}}}}',
    "toml": lambda k, v: f"[service]\n{k} = '{v}'\nretries = 3\n",
    "ini": lambda k, v: f"[service]\r\n{k.title()} = {v}\r\nretries = 3\r\n",
    "dockerfile": lambda k, v: f"FROM alpine\nENV {k.upper()} {v}\nRUN make\n",
    "powershell": lambda k, v: f'$env:{k.upper()} = "{v}"; ./run.ps1',
    "xml": lambda k, v: f"<config><{_camel(k)}>{v}</{_camel(k)}></config>",
    "ruby": lambda k, v: f":{k} => '{v}', :port => 1",
    "go": lambda k, v: f'{_camel(k)} := "{v}"\nif err != nil {{',
    "java": lambda k, v: f'client.set{_camel(k)[:1].upper()}{_camel(k)[1:]}("{v}");',
    "python call": lambda k, v: f"connect(host='db', {k}='{v}', timeout=3)",
    "python dict": lambda k, v: f"{{'{k}': '{v}', 'port': 1}}",
    "environ": lambda k, v: f"os.environ['{k.upper()}'] = '{v}'",
    "flag equals": lambda k, v: f"run --{k.replace('_', '-')}={v} --dry",
    "short header": lambda k, v: f"{k.replace('_', '-').lower()}: {v}\r\naccept: */*\r\n",
    "table": lambda k, v: f"| name | value |\n|---|---|\n| {k.upper()} | `{v}` |\n",
    "german prose": lambda k, v: f"der {k.replace('_', '-')} lautet: {v} – bitte nicht speichern",
    "question": lambda k, v: f"why does {k} '{v}' not work?",
    "log": lambda k, v: f"2026-08-03 09:00:35,956 DEBUG [pool-3] {k}={v}; status=401",
    "query end": lambda k, v: f"https://api.example.test/cb?state=1&{k}={v}",
    "fragment": lambda k, v: f"https://app.example.test/#{k}={v}&type=bearer",
    "diff line": lambda k, v: f"-{k.upper()}=old\n+{k.upper()}={v}\n",
    "csv": lambda k, v: f"name,{k},role\nshop,{v},admin\n",
}
_CSV = "csv"


def _camel(key: str) -> str:
    first, *rest = key.split("_")
    return first + "".join(word.title() for word in rest)


def _stretched(family: Family, rng: Random) -> tuple[str, str]:
    """An example whose longest random part is up to a third longer, where the family's pattern has no exact length."""
    import re

    fields = [int(size) for size in re.findall(r"\{[A-Z](\d+)\}", family.example)]
    longest = max(fields, default=0)
    exact = re.search(r"\{\d+(?:,\d+)?\}\(\?!", family.pattern) or longest < 16
    template = family.example
    if not exact:
        template = template.replace(f"{longest}}}", f"{longest + rng.randrange(0, longest // 3)}}}", 1)
    text = build(template, rng)
    match = next(matches(family, text), None)
    return (text, text[match.start : match.end]) if match else _family_secret(family, rng)


def blind(seed: int = 11) -> list[Sample]:
    """Each kind in six contexts that the plain set has not, quoted, framed, wrapped and lengthened at random."""
    rng = Random(seed)
    names = list(_BLIND_CONTEXTS)
    samples: list[Sample] = []
    for family in FAMILIES:
        if not family.example:
            continue
        for name in rng.sample(names, 3):
            text, value = _stretched(family, rng)
            samples.append(
                Sample(text=_BLIND_CONTEXTS[name](_neutral(rng), text), value=value, kind=family.kind, context=name)
            )
        for _ in range(2):
            text, value = _stretched(family, rng)
            frame = rng.randrange(len(_FRAMES))
            samples.append(
                Sample(
                    text=f"see {_FRAMES[frame](text)} there", value=value, kind=family.kind, context=f"frame {frame}"
                )
            )
        text, value = _stretched(family, rng)
        quote = rng.choice(_QUOTES)
        samples.append(
            Sample(text=f"it was {quote[:1]}{text}{quote[-1:]} then", value=value, kind=family.kind, context="quote")
        )
    keyed = [(p.key.lower(), p.example, p.kind) for p in PROVIDERS] + [
        ("mysql_root_password", "{T9}!{T4}", "keyed password"), ("session_secret", "{W32}", "keyed secret"),
        ("refresh_token", "{W48}", "keyed token"), ("x_api_key", "{T32}", "keyed api key"), ("ftp_pwd", "{A5}#{D4}{A3}", "keyed pwd"),
        ("webhook_secret", "{H40}", "keyed hex"), ("jwt_signing_key", "{B43}=", "keyed base64"), ("passphrase", "{T6}-{T6}-{T6}", "keyed phrase"),
    ]  # fmt: skip
    for key, template, kind in keyed:
        for name in names:
            value = build(template, rng)
            samples.append(Sample(text=_BLIND_CONTEXTS[name](key, value), value=value, kind=kind, context=name))
    samples += _blind_frames(rng)
    return samples


def _blind_frames(rng: Random) -> list[Sample]:
    samples: list[Sample] = []
    for _ in range(12):
        block, value = _pem(rng)
        for context, text in (
            ("torn", block.rsplit("\n", 1)[0]),
            ("no first line", block.split("\n", 1)[1]),
            ("quoted mail", block.replace("\n", "\n> ")),
            ("crlf", block.replace("\n", "\r\n")),
            ("escaped twice", block.replace("\n", "\\\\n")),
            ("one line", block.replace("\n", " ")),
        ):
            samples.append(Sample(text=f"key:\n{text}\n\nand go on", value=value, kind="pem", context=context))
        value = build("{T6}@{T3}:{T5}", rng)
        quoted = value.replace("@", "%40").replace(":", "%3A")
        samples.append(
            Sample(
                text=f"DATABASE_URL='postgresql+asyncpg://app:{quoted}@10.0.0.5/app?ssl=1'",
                value=quoted,
                kind="url-password",
                context="encoded",
            )
        )
        value = build("{T9}/{T3}", rng)
        samples.append(
            Sample(
                text=f"git clone https://ci:{value}@git.example.test/shop.git",
                value=value,
                kind="url-password",
                context="slash",
            )
        )
        value = build("{H40}", rng)
        samples.append(
            Sample(
                text=f"git push https://{value}@git.example.test/shop.git",
                value=value,
                kind="url-token",
                context="no user",
            )
        )
        value = build("{W24}.{W40}", rng)
        samples.append(Sample(text=f"authorization=bearer {value}", value=value, kind="bearer", context="lower case"))
        value = base64.b64encode(build("ops:{T14}", rng).encode()).decode()
        samples.append(
            Sample(
                text=f"-H 'proxy-authorization: BASIC {value}'", value=value, kind="basic-auth", context="upper case"
            )
        )
        value = build("{T26}", rng)
        samples.append(
            Sample(text=f"Set-Cookie: PHPSESSID={value}; Path=/; HttpOnly", value=value, kind="cookie", context="set")
        )
        value = build("{T4}-{T5}", rng)
        samples.append(
            Sample(text=f"curl -u ops:{value} https://x.example.test", value=value, kind="curl", context="-u")
        )
        value = build("{T10}", rng)
        samples.append(Sample(text=f"mysql -u root -p{value} shop < dump.sql", value=value, kind="mysql", context="-p"))
    for kind, make in PERSONAL.items():
        for place, frame in enumerate(_FRAMES[:14]):
            if kind == "name" and place in (6, 7, 12):
                continue
            value = make(rng)
            if kind in ("mail", "iban", "name") and place % 3 == 0:
                value = value.upper() if kind != "iban" else value.lower()
            samples.append(Sample(text=f"reach {frame(value)} today", value=value, kind=kind, context=f"frame {place}"))
    return samples


# --- a second blind set ------------------------------------------------------------------------------------------------

_BLIND2_CONTEXTS: dict[str, Callable[[str, str], str]] = {
    "tfvars": lambda k, v: f'variable "x" {{}}\n{k}    = "{v}"\nregion = "eu"\n',
    "properties": lambda k, v: f"spring.cloud.{k.replace('_', '-')}={v}\nspring.port=8080\n",
    "systemd": lambda k, v: f'[Service]\nEnvironment="{k.upper()}={v}"\nRestart=always\n',
    "docker -e": lambda k, v: f"docker run --rm -e {k.upper()}={v} -p 80:80 img",
    "helm": lambda k, v: f"helm upgrade x ./c --set auth.{_camel(k)}={v},replicas=2",
    "kubectl": lambda k, v: f"kubectl create secret generic s --from-literal={k}={v} -n prod",
    "form": lambda k, v: f"grant_type=client&{k}={v}",
    "html attribute": lambda k, v: f'<div data-{k.replace("_", "-")}="{v}" class="x"></div>',
    "folded yaml": lambda k, v: f"stringData:\n  {k}: >-\n    {v}\ntype: Opaque\n",
    "swift": lambda k, v: f'let {_camel(k)}: String = "{v}"',
    "kotlin": lambda k, v: f'private const val {k.upper()} = "{v}"',
    "csharp": lambda k, v: f'public string {_camel(k).title()} {{ get; set; }} = "{v}";',
    "php define": lambda k, v: f"define('{k.upper()}', '{v}');",
    "lua table": lambda k, v: f"return {{ ['{k}'] = '{v}', debug = false }}",
    "graphql": lambda k, v: f'mutation {{ login(user: "x", {_camel(k)}: "{v}") {{ ok }} }}',
    "printed": lambda k, v: f"{k.replace('_', ' ').title()}: {v} (valid until 2027)",
    "chat": lambda k, v: f"here is my {k.replace('_', ' ')}: {v} thanks",
    "as the": lambda k, v: f"use {v} as the {k.replace('_', ' ')} please",
    "spanish": lambda k, v: f"el {k} es {v} y no cambia",
    "dict repr": lambda k, v: f"ValidationError: {{'{k}': ['{v}'], 'n': 1}}",
    "tuple": lambda k, v: f"[('{k}', '{v}'), ('n', 1)]",
    "npmrc": lambda k, v: f"//registry.example.test/:_{k}={v}",
    "jsx": lambda k, v: f'<Client {_camel(k)}={{"{v}"}} />',
    "comment": lambda k, v: f"# {k}: {v}  # rotate in March",
    "rst": lambda k, v: f":{k}: ``{v}``",
}
_BLIND2_FRAMES: dict[str, Callable[[Random], tuple[str, str]]] = {
    "sql identified": lambda r: _in("CREATE USER shop IDENTIFIED BY '{}';", build("{T12}!", r)),
    "sql password": lambda r: _in("ALTER ROLE shop WITH LOGIN PASSWORD '{}';", build("{T14}", r)),
    "pgpass": lambda r: _in("db.example.test:5432:shop:app:{}", build("{T16}", r)),
    "nginx": lambda r: _in('proxy_set_header Authorization "Bearer {}";', build("{T40}", r)),
    "mask": lambda r: _in("::add-mask::{}", build("{T40}", r)),
    "jdbc": lambda r: _in("jdbc:mysql://db:3306/shop?user=app&password={}&ssl=1", build("{T12}", r)),
    "odbc": lambda r: _in("Server=db;Database=shop;User Id=app;Password={};Encrypt=yes", build("{T14}", r)),
    "netrc": lambda r: _in("machine git.example.test login ci password {}", build("{T20}", r)),
    "git header": lambda r: _in(
        "git -c http.extraheader='AUTHORIZATION: basic {}' fetch",
        base64.b64encode(build("x:{T24}", r).encode()).decode(),
    ),
    "smtp url": lambda r: _in("EMAIL_URL=smtp://bot%40example.test:{}@mail.example.test:587", build("{T16}", r)),
    "redis url": lambda r: _in("redis://:{}@cache:6379/0", build("{T24}", r)),
    "otpauth": lambda r: _in("otpauth://totp/shop:ops?secret={}&issuer=shop", build("{K32}", r)),
    "jwk": lambda r: _in('{{"kty":"EC","crv":"P-256","d":"{}","x":"a"}}', build("{W43}", r)),
    "wireguard": lambda r: _in("[Interface]\nPrivateKey = {}\nAddress = 10.0.0.2/32", build("{B43}=", r)),
    "kubeconfig": lambda r: _in("    client-key-data: {}", base64.b64encode(build("{T60}", r).encode()).decode()),
    "docker config": lambda r: _in(
        '{{"auths":{{"ghcr.io":{{"auth":"{}"}}}}}}', base64.b64encode(build("ci:{T20}", r).encode()).decode()
    ),
}


def _in(frame: str, value: str) -> tuple[str, str]:
    return frame.format(value), value


def blind_again(seed: int = 31) -> list[Sample]:
    """Twenty-five further notations of keyed values and sixteen further frames, written after `blind` had been used."""
    rng = Random(seed)
    samples: list[Sample] = []
    keyed = [(p.key.lower(), p.example, p.kind) for p in PROVIDERS[::2]] + [
        ("admin_password", "{T8}-{T5}", "keyed password"),
        ("auth_token", "{T32}", "keyed token"),
    ]
    for key, template, kind in keyed:
        for name, wrap in _BLIND2_CONTEXTS.items():
            value = build(template, rng)
            samples.append(Sample(text=wrap(key, value), value=value, kind=kind, context=name))
    for family in FAMILIES:
        if family.example:
            for name in rng.sample(list(_BLIND2_CONTEXTS), 3):
                text, value = _stretched(family, rng)
                samples.append(
                    Sample(
                        text=_BLIND2_CONTEXTS[name](_neutral(rng), text), value=value, kind=family.kind, context=name
                    )
                )
    for name, make in _BLIND2_FRAMES.items():
        for _ in range(6):
            text, value = make(rng)
            samples.append(Sample(text=text, value=value, kind="frame", context=name))
    return samples


# --- evasions ----------------------------------------------------------------------------------------------------------

_GREEK = str.maketrans("AEOoaepc", "ΑΕОоаерс")

EVASIONS: dict[str, Callable[[str], str]] = {
    "zero-width spaces": lambda v: "\u200b".join(v),
    "soft hyphens": lambda v: v[:9] + "\u00ad" + v[9:],
    "word joiner": lambda v: v[:4] + "\u2060" + v[4:],
    "full width": lambda v: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in v),
    "look-alike letters": lambda v: v.translate(_GREEK),
    "mathematical letters": lambda v: "".join(chr(0x1D5BA + ord(c) - 97) if "a" <= c <= "z" else c for c in v),
    "line end": lambda v: v[: len(v) // 2] + "\n" + v[len(v) // 2 :],
    "continued line": lambda v: v[: len(v) // 2] + "\\\n    " + v[len(v) // 2 :],
    "concatenation": lambda v: f'"{v[:10]}" + "{v[10:]}"',
    "adjacent literals": lambda v: f'("{v[:10]}"\n "{v[10:]}")',
    "colours": lambda v: f"\x1b[1;33m{v[:6]}\x1b[0m{v[6:]}",
    "escaped line before": lambda v: f"log:\\n{v}\\n",
    "percent sign before": lambda v: f"redirect%3Dx%26t%3D{v}",
    "spaced out": " ".join,
    "base64": lambda v: base64.b64encode(v.encode()).decode(),
    "hex": lambda v: v.encode().hex(),
    "reversed": lambda v: v[::-1],
}


def evasions(seed: int = 21) -> list[Sample]:
    """Three secrets in each evasion; what is checked is whether the text came through unchanged."""
    rng = Random(seed)
    kinds = [f for f in FAMILIES if f.kind in ("github-token", "anthropic-key", "aws-key", "stripe-key", "slack-token")]
    samples: list[Sample] = []
    for name, change in EVASIONS.items():
        for family in rng.sample(kinds, 3):
            text = change(build(family.example.replace("{T99}", "{T24}"), rng))
            samples.append(Sample(text=f"use {text} for it", value=text, kind=name, context=family.kind))
    return samples


# --- look-alikes -------------------------------------------------------------------------------------------------------


def _h(rng: Random, size: int) -> str:
    return build(f"{{H{size}}}", rng)


def _words(rng: Random, count: int, sep: str) -> str:
    pool = [
        "customer",
        "subscription",
        "renewal",
        "notification",
        "handler",
        "checkout",
        "internal",
        "refund",
        "webhook",
        "token",
        "session",
        "cache",
        "reader",
    ]
    return sep.join(rng.choice(pool) for _ in range(count))


_TIMES = [
    "2026-08-03T09:00:35.956Z",
    "2026-11-30 17:38:02+02:00",
    "1764521882",
    "1764521882123",
    "1764521882123456789",
    "09:00:35,956",
]
_PLACEHOLDERS = [
    "OPENAI_API_KEY=$OPENAI_API_KEY",
    "API_TOKEN=${API_TOKEN}",
    "password: <your password>",
    "TOKEN=xxxxxxxxxxxxxxxxxxxx",
    "secret=********",
    "DB_PASSWORD=changeme",
    "apiKey: process.env.STRIPE_SECRET_KEY",
    'token = os.environ["GITHUB_TOKEN"]',
    "password = os.getenv('DB_PASSWORD')",
    "token: ${{ secrets.GITHUB_TOKEN }}",
    "AWS_SECRET_ACCESS_KEY=%AWS_SECRET%",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer <token>",
    "postgres://user:password@localhost:5432/app",
    "postgres://$DB_USER:$DB_PASS@$DB_HOST/app",
    "api_key = YOUR_API_KEY_HERE",
    "sk-ant-your-key-here",
    "ghp_xxxxxxxxxxxxxxxxxxxx",
    "password: '{{ vault_db_password }}'",
    "token=op://vault/item/field",
    "secret: null",
    "GITHUB_TOKEN=",
    "client_secret: ...",
]
_CODE = [
    "max_tokens=4096",
    "token_count: 18234",
    "password: string;",
    "def login(user: str, password: str) -> Token:",
    "const token = await getToken(user)",
    "token = response.json()['access_token']",
    "if (password !== user.password)",
    "self.secret_key = settings.secret_key",
    "passwordField.clear()",
    "tokenizer=AutoTokenizer.from_pretrained(name)",
    "the password is incorrect",
    "the token expired an hour ago",
    "auth: required",
    "author: Jane's team",
    "keyboard: qwertz",
    "primary_key=customer_id",
    "cacheKey: `user:${id}:v2`",
    "secretName: checkout-tls",
    "passed=214 failed=3",
    "compass: north",
    "tokens used: 181234",
    "--token-file /run/secrets/token",
    "key: checkout-service/main",
    "public_key_path=~/.ssh/id_ed25519.pub",
    "password_reset_url=https://example.test/reset",
    "bypass: true",
    "access_token_expires_in: 3600",
    "monkey patch the key=value parser",
    "the auth token handling in session.go",
    "passphrase prompts are skipped in CI",
    "token: Token | None = None",
    "def test_password_is_hashed_before_it_is_stored(client):",
    "pass: 12, fail: 0, skipped: 3",
    "sort_key=created_at",
]

LOOK_ALIKES: dict[str, Callable[[Random], str]] = {
    "git sha": lambda r: _h(r, 40),
    "short sha": lambda r: _h(r, 8),
    "commit range": lambda r: f"{_h(r, 9)}..{_h(r, 9)}",
    "uuid": lambda r: build("{UUID}", r),
    "sha256 digest": lambda r: f"sha256:{_h(r, 64)}",
    "sha512 hex": lambda r: _h(r, 128),
    "md5": lambda r: _h(r, 32),
    "npm integrity": lambda r: f"sha512-{build('{B86}', r)}==",
    "base64 of text": lambda r: base64.b64encode(_words(r, 3, " ").encode()).decode(),
    "agent ids": lambda r: (
        r.choice(["toolu_01", "msg_01", "req_011C", "call_", "chatcmpl-", "resp_", "file-", "run_"]) + build("{T22}", r)
    ),
    "vendor ids": lambda r: (
        r.choice(["cus_", "price_1", "evt_1", "pi_3", "prod_", "i-0", "vpc-0", "sg-0"]) + build("{L14}", r)
    ),
    "publishable key": lambda r: "pk_" + "live_" + build("{T24}", r),
    "path": lambda r: f"/home/dana/src/shopfront/apps/{_words(r, 2, '-')}/internal/{_words(r, 3, '_')}_test.go",
    "identifier": lambda r: _words(r, 6, " ").title().replace(" ", ""),
    "snake identifier": lambda r: f"test_{_words(r, 6, '_')}_v2",
    "placeholder": lambda r: r.choice(_PLACEHOLDERS),
    "code and prose": lambda r: r.choice(_CODE),
    "version": lambda r: (
        f"{r.randrange(20)}.{r.randrange(40)}.{r.randrange(90)}-rc.{r.randrange(9)}+build.{r.randrange(999)}"
    ),
    "time": lambda r: r.choice(_TIMES),
    "ip and port": lambda r: r.choice(
        [
            f"10.0.{r.randrange(255)}.{r.randrange(255)}:8080",
            "fe80::1ff:fe23:4567:890a",
            "192.168.100.200",
            "0.0.0.0:3000->80/tcp",
        ]
    ),
    "mac address": lambda r: ":".join(_h(r, 2) for _ in range(6)),
    "hex colour": lambda r: f"#{_h(r, 6)}",
    "docker image": lambda r: f"ghcr.io/acme/shop:{r.randrange(9)}.{r.randrange(9)}@sha256:{_h(r, 64)}",
    "line reference": lambda r: f"src/handlers/refund.go:{r.randrange(900)}:{r.randrange(80)}-{r.randrange(900, 999)}",
    "git remote": lambda r: r.choice(
        [
            "git@github.com:acme/shop.git",
            "deploy@build.example.com:/srv/app",
            "ssh://git@git.example.test/shop.git",
            "root@web1.example.com:backup/db.tar",
        ]
    ),
    "decorator": lambda r: r.choice(
        ["@pytest.fixture", "@app.route", "@dataclass", "@functools.cache", "x @property.setter"]
    ),
    "npm scope": lambda r: r.choice(["@scope/pkg", "@types/node@20.11.5", "@babel/core", "node_modules/@acme/ui/dist"]),
    "package version": lambda r: r.choice(
        ["pkg@1.2.3", "react@18.3.0-next.1", "left-pad@1.3.0", "icon@2x.png", "wg-quick@wg0.service"]
    ),
    "snowflake id": lambda r: str(r.randrange(10**17, 2 * 10**17)),
    "date range": lambda r: r.choice(
        ["2026-01-02..2026-03-04", "03/08/2026", "2026-08-03-17-30", "20260803", "9:00-17:30"]
    ),
    "isbn and numbers": lambda r: r.choice(
        [
            "978-0-306-40615-7",
            "1,234,567.89",
            "0.1234567890123456",
            "12 345 678",
            "lines 120-1300",
            "50000-60000",
            "8080:80",
        ]
    ),
    "diff": lambda r: f"@@ -{r.randrange(900)},7 +{r.randrange(900)},9 @@",
    "public key": lambda r: f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{build('{B43}', r)} build",
    "docs url": lambda r: (
        f"https://docs.example.test/guides/{_words(r, 4, '-')}?tab={_words(r, 1, '')}&v={r.randrange(9)}#{_words(r, 2, '-')}"
    ),
    "hashed file": lambda r: f"dist/assets/main.{_h(r, 8)}.js",
    "pod name": lambda r: f"checkout-{_h(r, 10)}-{build('{L5}', r)}",
    "arn": lambda r: f"arn:aws:iam::{r.randrange(10**11, 10**12)}:role/checkout-deploy",
    "etag": lambda r: f'W/"{_h(r, 32)}"',
    "hex dump": lambda r: "00000010: " + " ".join(_h(r, 4) for _ in range(8)),
    "certificate": lambda r: (
        f"-----BEGIN CERTIFICATE-----\nMIID{build('{B60}', r)}\n{build('{B64}', r)}\n-----END CERTIFICATE-----"
    ),
    "nobody's mail": lambda _: "Co-Authored-By: Claude <noreply@anthropic.com>",
}

_PLAIN: dict[str, Callable[[str], str]] = {
    "alone": lambda value: value,
    "prose": lambda value: f"for the record, the good build is {value}, keep it",
    "json": lambda value: '{"ref":"' + value.replace('"', '\\"').replace("\n", "\\n") + '","ok":true}',
    "log": lambda value: f"INFO  step 3 of 9 ({value}) done in 212 ms",
    "list": lambda value: f"- first {value}\n- second\n",
}


def look_alikes(seed: int = 1) -> list[Sample]:
    """Every kind ten times: twice in each of five contexts. The placeholders and the code come all, on their own."""
    rng = Random(seed)
    samples = [
        Sample(text=wrap(value), value=wrap(value), kind=kind, context=name)
        for kind, make in LOOK_ALIKES.items()
        if kind not in ("placeholder", "code and prose")
        for name, wrap in _PLAIN.items()
        for value in (make(rng), make(rng))
    ]
    for kind, texts in (("placeholder", _PLACEHOLDERS), ("code and prose", _CODE)):
        samples += [Sample(text=f"so:\n{text}\nok", value=text, kind=kind, context="line") for text in texts]
    return samples


_UNSEEN: dict[str, Callable[[Random], str]] = {
    "go pseudo-version": lambda r: f"golang.org/x/tools v0.0.0-20260801120000-{_h(r, 12)} h1:{build('{B43}', r)}=",
    "nix path": lambda r: f"/nix/store/{build('{L32}', r)}-python3-3.11.9/bin/python",
    "git describe": lambda r: f"v1.{r.randrange(20)}.3-14-g{_h(r, 7)}-dirty",
    "css module": lambda r: f"Button_primary__{build('{T5}', r)} css-{build('{L6}', r)}",
    "container id": lambda r: f"{_h(r, 12)}   nginx:1.27   Up 3 hours   0.0.0.0:8080->80/tcp",
    "traceparent": lambda r: f"traceparent: 00-{_h(r, 32)}-{_h(r, 16)}-01",
    "request id": lambda r: f"x-request-id: {build('{UUID}', r)} x-amzn-requestid: {build('{UUID}', r)}",
    "ulid": lambda r: f"order {'01' + build('{K24}', r)} was paid",
    "object id": lambda r: f'{{"_id": ObjectId("{_h(r, 24)}"), "n": 3}}',
    "sid": lambda r: f"S-1-5-21-{r.randrange(10**9, 4 * 10**9)}-{r.randrange(10**9)}-{r.randrange(10**9)}-1001",
    "i18n": lambda r: r.choice(['"password": "Password",', '"passwordHint": "At least 8 characters",', '"tokenExpired": "Your token has expired",', '"apiKeyLabel": "API key"', '"secretQuestion": "What is it?"']),
    "schema": lambda r: r.choice(['{"type": "string", "format": "password"}', "secretKeyRef: {name: checkout-db, key: url}", "token: ${{ github.token }}", "password: str = Field(min_length=12)", "api_key: Annotated[str, Header()]", "secret: SecretStr"]),
    "test code": lambda r: r.choice(["expect(token).toBeDefined()", "assert response.status_code == 401, 'bad token'", "cy.get('[data-test=password]').type(user.password)", "t.Run(\"rejects an expired token\", func(t *testing.T) {", "mock_get_secret.assert_called_once_with('checkout')"]),
    "docs": lambda r: r.choice(["`API_KEY` (required): the key of the service", "Set `GITHUB_TOKEN` before you run it", "pass --token to authenticate", "rotate the secret every 90 days", "the key is cached for 300s", "auth: none | basic | oauth2", "keys: up, down, left, right"]),
    "coordinates": lambda r: f"{r.uniform(-90, 90):.6f}, {r.uniform(-180, 180):.6f}",
    "doi": lambda r: f"doi:10.1145/{r.randrange(10**6, 10**7)}.{r.randrange(10**6, 10**7)} arXiv:2{r.randrange(100, 999)}.{r.randrange(10**4, 10**5)}v2",
    "address": lambda r: f"SIGSEGV at 0x{_h(r, 12)} rip=0x{_h(r, 16)}",
    "data uri": lambda r: f"data:image/png;base64,iVBORw0KGgo{build('{B200}', r)}==",
    "ls": lambda r: f"-rw-r--r--  1 root root  {r.randrange(10**4, 10**7)} Nov 30 17:38 keyed.py",
    "ps": lambda r: f"root  {r.randrange(10**4, 10**5)}  0.0  0.1 {r.randrange(10**5, 10**6)} {r.randrange(10**4, 10**5)} ?  Sl  10:12  0:00 /usr/bin/python3 -m http.server",
    "numbers": lambda r: " ".join(str(r.randrange(10**r.randrange(1, 9))) for _ in range(8)),
    "decimals": lambda r: " ".join(f"{r.uniform(0, 1):.12f}" for _ in range(4)),
    "csv numbers": lambda r: ",".join(str(r.randrange(10**6)) for _ in range(8)),
    "epoch pair": lambda r: f"start={r.randrange(17 * 10**8, 18 * 10**8)} end={r.randrange(17 * 10**11, 18 * 10**11)}",
    "serial": lambda r: f"SN {r.randrange(1000, 9999)}-{r.randrange(10**5, 10**6)} rev {r.randrange(9)}",
    "hash of file": lambda r: f"{_h(r, 64)}  dist/ingrained-0.1.0-py3-none-any.whl",
    "yarn lock": lambda r: f'  checksum: 10/{_h(r, 128)}\n  languageName: node',
    "integrity in html": lambda r: f'<script src="/a.js" integrity="sha384-{build("{B64}", r)}" crossorigin="anonymous">',
    "certificate pin": lambda r: f'pin-sha256="{build("{B43}", r)}="',
    "issue links": lambda r: f"closes acme/shop#{r.randrange(99999)}, see https://github.com/acme/shop/pull/{r.randrange(9999)}/files#diff-{_h(r, 64)}R12",
    "stack": lambda r: f'  File "/usr/lib/python3.11/asyncio/base_events.py", line {r.randrange(2000)}, in run_until_complete',
    "at signs": lambda r: r.choice(["user@{u}@host", "@media (min-width: 40em)", "git log HEAD@{2}..HEAD", "ssh -p 2222 deploy@10.0.0.4", "@@ -1,2 +3,4 @@", "npx -y @scope/tool@latest run", "uses: actions/checkout@v4.2.1", "python@3.12.sh", "a@b"]),
    "model names": lambda r: r.choice(["claude-opus-4-5-20251101", "gpt-5.2-codex-2026-03-01", "sk-learn 1.9", "text-embedding-3-large", "qwen3-coder-480b-a35b-instruct-q4_k_m.gguf"]),
    "branches": lambda r: r.choice(["feature/auth-token-refresh-2026-q3", "dependabot/npm_and_yarn/react-19.2.1", "dana/fix-1234-password-reset", "release/2026.11.30-rc1"]),
    "env without secrets": lambda r: r.choice(["PATH=/usr/bin:/bin", "KEYBOARD_LAYOUT=de-latin1-nodeadkeys", "TOKENIZERS_PARALLELISM=false", "MAX_TOKENS=8192", "AUTH_MODE=oauth2-device-code", "SSH_AUTH_SOCK=/tmp/ssh-XXXX/agent.1234", "PASS_COUNT=214", "CACHE_KEY=deps-v3-linux"]),
}  # fmt: skip


def look_alikes_unseen(seed: int = 41) -> list[Sample]:
    """Thirty-five further kinds, ten of each, written when the redactor was done."""
    rng = Random(seed)
    return [
        Sample(text=wrap(value), value=wrap(value), kind=kind, context=name)
        for kind, make in _UNSEEN.items()
        for name, wrap in (("alone", _PLAIN["alone"]), ("line", lambda value: f"so:\n{value}\nok"))
        for value in (make(rng) for _ in range(5))
    ]

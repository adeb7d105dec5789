"""The table of secret families: what each looks like, what betrays it, and how to build an invented one for a test.

Two tables, both plain data. `FAMILIES` are secrets known by their own shape, wherever they stand. `PROVIDERS` are those
without a shape of their own (plain hex, a UUID, 40 random letters): only the name before the value tells, and
`session.keyed` reads them. A shape must be distinctive enough to need no entropy test, which decides only about values
of secret-named keys. Lengths are lower bounds where the prefix alone is proof, exact where it is short.

No entry holds anything secret-shaped: `example` is a template that `build` fills from a seeded source.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from random import Random
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from typing import NamedTuple

_CLASSES = {
    "<T>": "[A-Za-z0-9]",
    "<W>": r"[A-Za-z0-9_\-]",
    "<H>": "[a-f0-9]",
    "<B>": "[A-Za-z0-9+/]",
    "<UUID>": "[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}",
}
_UUID_FIELDS = "{H8}-{H4}-{H4}-{H4}-{H12}"

_LEFT = re.compile(r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f][0-9A-Fa-f]))")
_BEFORE, _AFTER = 160, 700
"""How many characters around a trigger that stands inside a secret are searched."""

BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

_ALPHABETS = {
    "T": ascii_letters + digits,
    "W": ascii_letters + digits + "_-",
    "H": "abcdef" + digits,
    "B": ascii_letters + digits + "+/",
    "U": ascii_uppercase + digits,
    "L": ascii_lowercase + digits,
    "A": ascii_letters,
    "D": digits,
    "S": BASE58,
    "K": ascii_uppercase + "234567",
}
_PLACEHOLDER = re.compile(r"xxxx|XXXX|\.\.\.|(?:your|YOUR)[-_]|[-_](?:here|HERE)\b|placeholder|PLACEHOLDER")
_FIELD = re.compile(r"\{([TWHBULADSK])(\d+)\}")


class Found(NamedTuple):
    """Characters `start` to `end` of a text that must go, and the kind that its marker will name."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One kind of secret that is known by its own shape."""

    kind: str
    """Name in the marker: `[redacted:<kind>]`."""
    title: str
    """What it is, for a person."""
    triggers: tuple[str, ...]
    """Case-sensitive; a text without any of them cannot hold one. Empty: always looked for."""
    pattern: str
    """Regular expression with `<T>` for a letter or digit, `<W>` also `_-`, `<H>` hex, `<B>` base64, `<UUID>`; the
    secret is its group `s` where it has one, else the whole match."""
    example: str
    """Template for `build`: `{T36}` = 36 of class T as above; also U upper, L lower, D digits, A letters, K base32."""
    check: Callable[[str], bool] | None = None
    """A checksum or plausibility test on the secret."""
    inside: bool = False
    """The trigger stands within the secret or before it, not at the start of the pattern."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A secret without a shape of its own: known only by the name of the key before it."""

    kind: str
    name: str
    """Regular expression on the key's name, lower case, separators as `_`."""
    key: str
    """A typical environment variable, for tests."""
    example: str


def build(template: str, rng: Random) -> str:
    """The template with each field filled with invented characters; the same seed gives the same text."""

    def fill(match: re.Match[str]) -> str:
        alphabet, size = _ALPHABETS[match[1]], int(match[2])
        drawn = [rng.choice(alphabet) for _ in range(size)]
        if size > 7 and not any(c in digits for c in drawn) and match[1] != "A":
            drawn[size // 2] = rng.choice([c for c in alphabet if c in digits])
        return "".join(drawn)

    return _FIELD.sub(fill, template.replace("{UUID}", _UUID_FIELDS))


@cache
def compiled(family: Family) -> re.Pattern[str]:
    """The family's pattern, compiled on first use: the table is large and most texts need none of it."""
    pattern = family.pattern
    for name, spelled in _CLASSES.items():
        pattern = pattern.replace(name, spelled)
    return re.compile(pattern)


def matches(family: Family, text: str) -> Iterator[Found]:
    """The family's secrets in `text`, left to right."""
    pattern = compiled(family)
    if not family.triggers:
        yield from (found for match in pattern.finditer(text) if (found := _accepted(family, match)))
        return
    done = -1
    for at in sorted({at for trigger in family.triggers for at in positions(text, trigger)}):
        if at < done:
            continue
        if family.inside:
            match = _around(pattern, text, at)
        else:
            match = pattern.match(text, at) if _LEFT.match(text, at) else None
        if match and (found := _accepted(family, match)):
            done = match.end()
            yield found


def positions(text: str, part: str) -> Iterator[int]:
    """Where `part` starts in `text`, each place."""
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def _around(pattern: re.Pattern[str], text: str, at: int) -> re.Match[str] | None:
    """A match that holds the trigger at `at`; it may start anywhere before, but only where a token may start."""
    start = max(0, at - _BEFORE)
    while start <= at:
        match = pattern.search(text, start, at + _AFTER)
        if match is None or match.start() > at:
            return None
        if match.end() > at and _LEFT.match(text, match.start()):
            return match
        start = match.start() + 1
    return None


def _accepted(family: Family, match: re.Match[str]) -> Found | None:
    group = "s" if "s" in match.re.groupindex else 0
    if not _LEFT.match(match.string, match.start()) or (family.check and not family.check(match[group])):
        return None
    return Found(*match.span(group), family.kind)


def random_body(text: str) -> bool:
    """Enough different characters to be a secret and not `xxxx…` or dots; placeholders in words fall out too."""
    return len(set(text)) >= 7 and not _PLACEHOLDER.search(text)


def with_digit(text: str) -> bool:
    """`random_body` with a digit: for prefixes that plain words can have too."""
    return random_body(text) and any(c.isdigit() for c in text)


def mixed(text: str) -> bool:
    """`random_body` with a digit and letters of both cases: for shapes with no prefix or a weak one."""
    return (
        random_body(text)
        and any(c.isdigit() for c in text)
        and any(c.islower() for c in text)
        and any(c.isupper() for c in text)
    )


def base58check(text: str) -> bool:
    """The text is base58 with a correct four-byte double-SHA-256 checksum."""
    number = 0
    for char in text:
        place = BASE58.find(char)
        if place < 0:
            return False
        number = number * 58 + place
    data = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return len(data) > 4 and sha256(sha256(data[:-4]).digest()).digest()[:4] == data[-4:]


def _f(
    kind: str,
    title: str,
    triggers: str,
    pattern: str,
    example: str,
    check: Callable[[str], bool] | None = random_body,
    *,
    inside: bool = False,
) -> Family:
    found = tuple(triggers.split())
    return Family(kind=kind, title=title, triggers=found, pattern=pattern, example=example, check=check, inside=inside)


# The order is the order of precedence: where two families claim the same characters, the earlier one names the marker.
# fmt: off
FAMILIES: tuple[Family, ...] = (
    # --- clouds
    _f("aws-key", "AWS access key id", "AKIA ASIA ABIA ACCA", r"A(?:KI|SI|BI|CC)A[A-Z0-9]{16}(?!<T>)", "AKIA{K16}"),
    _f("aws-secret", "AWS secret key beside its id", "AKIA ASIA",
       r"A(?:KI|SI)A[A-Z0-9]{16}[^A-Za-z0-9/+]{1,6}(?P<s><B>{40})(?![A-Za-z0-9+=]|/\w)", "AKIA{K16},{B40}"),
    _f("aws-session", "AWS session token", "IQoJb3JpZ2lu FwoGZXIvYXdz FQoG",
       r"(?:IQoJb3JpZ2lu|F[Qw]oG)<B>{80,}={0,2}", "IQoJb3JpZ2lu{B300}=="),
    _f("aws-bedrock-key", "AWS Bedrock API key", "ABSK bedrock-api-key-",
       r"(?:ABSK|bedrock-api-key-)<B>{60,}={0,2}", "ABSK{B128}="),
    _f("google-key", "Google API key", "AIza", r"AIza<W>{33,39}(?!<W>)", "AIza{W35}"),
    _f("google-secret", "Google OAuth client secret", "GOCSPX-", r"GOCSPX-<W>{20,}", "GOCSPX-{W28}"),
    _f("google-token", "Google OAuth token", "ya29. 1//0", r"(?:ya29\.|1//0)<W>{30,}(?:\.<W>+)*", "ya29.{W120}"),
    _f("azure-storage", "Azure storage or Cosmos account key", "AccountKey=",
       r"AccountKey=(?P<s><B>{60,}={0,2})", "AccountKey={B86}=="),
    _f("azure-shared-key", "Azure shared access key", "SharedAccessKey=",
       r"SharedAccessKey=(?P<s><B>{30,}={0,2})", "SharedAccessKey={B43}="),
    _f("azure-sas", "Azure SAS or Logic Apps signature", "sig=",
       r"sig=(?P<s>(?:[A-Za-z0-9+/_\-]|%[0-9A-Fa-f]{2}){36,}={0,2})", "sv=2024-11-04&se=2026-12-31&sp=r&sig={T43}%3D"),
    _f("azure-secret", "Azure AD client secret", "Q~",
       r"[A-Za-z0-9_~.\-]{3}\dQ~[A-Za-z0-9_~.\-]{28,40}", "{T3}8Q~{T34}", inside=True),
    _f("azure-devops", "Azure DevOps token", "AZDO", r"<T>{70,80}AZDO<T>{4}(?!<T>)", "{T76}AZDO{T4}", inside=True),
    _f("azure-service-key", "Azure service key", "AzSe AzFu JQQJ99 ACDb +ASt AzCa",
       r"<W>{38,52}(?:AzSe|AzFu|AzCa|JQQJ99|ACDb|\+ASt)[A-Za-z0-9+/]{5,30}(?:={1,2}|(?!<T>))",
       "{T42}AzSeA{T5}", inside=True),
    _f("digitalocean-token", "DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_<H>{40,}", "dop_v1_{H64}"),
    _f("digitalocean-spaces", "DigitalOcean Spaces key", "DO00", r"DO00[A-Z0-9]{16}(?!<T>)", "DO00{U16}", with_digit),
    _f("alibaba-key", "Alibaba Cloud access key id", "LTAI", r"LTAI<T>{12,26}(?!<T>)", "LTAI{T20}", with_digit),
    _f("tencent-key", "Tencent Cloud secret id", "AKID", r"AKID<T>{28,36}(?!<T>)", "AKID{T32}"),
    _f("cloudflare-token", "Cloudflare token", "cfut_ cfat_ cfk_", r"cf(?:ut|at|k)_<T>{36,}", "cfut_{T48}"),
    _f("cloudflare-origin", "Cloudflare origin CA key", "v1.0-", r"v1\.0-<H>{24}-<H>{100,}", "v1.0-{H24}-{H146}"),
    _f("heroku-key", "Heroku API key", "HRKU-", r"HRKU-<W>{30,}", "HRKU-AA{W58}"),
    _f("fly-token", "Fly.io token", "fo1_ fm1_ fm1r_ fm1a_ fm2_",
       r"f(?:o1|m1[ar]?|m2)_[A-Za-z0-9+/_\-]{40,}={0,2}", "fm2_{B180}="),
    _f("vercel-token", "Vercel token", "vercel_blob_rw_ vcp_ vci_ vca_ vcr_ vck_",
       r"(?:vercel_blob_rw_<T>{10,}_<T>{20,}|vc[piark]_<T>{24,})", "vcp_{T56}"),
    _f("netlify-token", "Netlify token", "nfp_ nfc_ nfo_", r"nf[pco]_<T>{32,}", "nfp_{T40}"),
    _f("render-key", "Render API key", "rnd_", r"rnd_<T>{26,}", "rnd_{T32}"),
    _f("scaleway-key", "Scaleway access key", "SCW", r"SCW[A-Z0-9]{17}(?!<T>)", "SCW{U17}", with_digit),
    _f("yandex-key", "Yandex Cloud key", "AQVN y0_", r"(?:AQVN<W>{34,40}|y0_<W>{48,})(?!<W>)", "AQVN{W36}"),
    _f("backblaze-key", "Backblaze application key", "K00", r"K00\d<B>{27}(?![A-Za-z0-9+])", "K005{B27}", mixed),
    _f("ibm-key", "IBM Cloud HMAC or API key", "ApiKey-", r"ApiKey-(?P<s><UUID>|<W>{40,})", "ApiKey-{UUID}"),
    _f("tailscale-key", "Tailscale key", "tskey-", r"tskey-[a-z]+-<T>+-<T>{20,}", "tskey-auth-{T12}CNTRL-{T32}"),
    _f("ngrok-token", "ngrok token", "", r"[123]<T>{26}_<T>{20,22}(?!<W>)", "2{T26}_{T21}", mixed),
    # --- code hosts, packages, build and secret stores
    _f("github-token", "GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_",
       r"gh[pousr]_(?:<T>{20,}|<W>{30,}(?:\.<W>{10,}){0,2})", "ghp_{T36}"),
    _f("github-fine-grained", "GitHub fine-grained token", "github_pat_",
       r"github_pat_[A-Za-z0-9_]{30,}", "github_pat_{T22}_{T59}"),
    _f("gitlab-token", "GitLab token",
       "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- glsoat- glffct- gloas- glrtr- GR1348941",
       r"(?:gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct|oas|rtr)-|GR1348941)(?:<W>\.?){18,}", "glpat-{W20}"),
    _f("bitbucket-token", "Bitbucket app password or token", "ATBB ATCTT3",
       r"(?:ATBB|ATCTT3)<W>{24,}(?:=[A-Z0-9]{8})?", "ATBB{T32}"),
    _f("atlassian-token", "Atlassian API token", "ATATT3",
       r"ATATT3<W>{40,}(?:=[A-Z0-9]{8})?", "ATATT3xFfGF0{W180}={U8}"),
    _f("npm-token", "npm token", "npm_", r"npm_<T>{30,}", "npm_{T36}"),
    _f("pypi-token", "PyPI token", "pypi-AgE", r"pypi-AgE<W>{40,}", "pypi-AgEIcHlwaS5vcmc{W140}"),
    _f("crates-token", "crates.io token", "cio", r"cio<T>{32}(?!<T>)", "cio{T32}", mixed),
    _f("rubygems-key", "RubyGems key", "rubygems_", r"rubygems_<H>{40,}", "rubygems_{H48}"),
    _f("docker-token", "Docker Hub token", "dckr_pat_ dckr_oat_", r"dckr_[po]at_<W>{20,}", "dckr_pat_{W27}"),
    _f("nuget-key", "NuGet key", "oy2", r"oy2[a-z0-9]{43}(?!<T>)", "oy2{L43}", with_digit),
    _f("clojars-token", "Clojars token", "CLOJARS_", r"CLOJARS_<T>{40,}", "CLOJARS_{L60}"),
    _f("artifactory-key", "Artifactory key or reference token", "AKCp cmVmdGtu",
       r"(?:AKCp<T>{60,}|cmVmdGtu<T>{50,})", "AKCp{T69}"),
    _f("sonar-token", "SonarQube token", "sqp_ squ_ sqa_", r"sq[pua]_<H>{36,}", "squ_{H40}"),
    _f("circleci-token", "CircleCI token", "CCIPAT_ CCIPRJ_", r"CCIP(?:AT|RJ)_<T>+_<H>{36,}", "CCIPAT_{T22}_{H40}"),
    _f("buildkite-token", "Buildkite token", "bkua_", r"bkua_<H>{36,}", "bkua_{H40}"),
    _f("sourcegraph-token", "Sourcegraph token", "sgp_ slk_",
       r"(?:sgp_(?:<H>{16}_|local_)?|slk_)<H>{36,}", "sgp_{H16}_{H40}"),
    _f("terraform-token", "Terraform Cloud token", ".atlasv1.",
       r"<T>{10,}\.atlasv1\.<W>{40,}", "{T14}.atlasv1.{T67}", inside=True),
    _f("pulumi-token", "Pulumi token", "pul-", r"pul-<H>{36,}", "pul-{H40}"),
    _f("vault-token", "Vault token", "hvs. hvb. hvr.", r"hv[sbr]\.<W>{20,}", "hvs.{W95}"),
    _f("doppler-token", "Doppler token", "dp.",
       r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_\-]+\.)?<T>{36,}", "dp.pt.{T43}"),
    _f("onepassword-token", "1Password service account token", "ops_eyJ",
       r"ops_eyJ[A-Za-z0-9+/_\-]{60,}={0,2}", "ops_eyJ{W300}"),
    _f("onepassword-key", "1Password secret key", "A3-",
       r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}", "A3-{U6}-{U11}-{U5}-{U5}-{U5}"),
    _f("age-key", "age secret key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{50,}", "AGE-SECRET-KEY-1{U58}"),
    _f("launchdarkly-key", "LaunchDarkly key", "sdk- api-", r"(?:sdk|api)-<UUID>(?!<W>)", "sdk-{UUID}"),
    _f("prefect-key", "Prefect key", "pnu_ pnb_", r"pn[ub]_<T>{32,}", "pnu_{L36}"),
    # --- model providers
    _f("anthropic-key", "Anthropic key", "sk-ant-",
       r"sk-ant-(?:[a-z0-9]+-)?<W>{20,}", "sk-ant-api03-{W80}AA", with_digit),
    _f("openrouter-key", "OpenRouter key", "sk-or-", r"sk-or-(?:v\d+-)?<T>{32,}", "sk-or-v1-{H64}"),
    _f("langfuse-key", "Langfuse secret key", "sk-lf-", r"sk-lf-<UUID>", "sk-lf-{UUID}"),
    _f("openai-key", "OpenAI key", "sk-proj- sk-svcacct- sk-admin- sk-None-",
       r"sk-(?:proj|svcacct|admin|None)-<W>{20,}", "sk-proj-{T56}", with_digit),
    _f("sk-key", "key of an OpenAI-compatible provider", "sk-", r"sk-<T>{20,}(?!<W>)", "sk-{T48}", with_digit),
    _f("groq-key", "Groq key", "gsk_", r"gsk_<T>{36,}", "gsk_{T52}"),
    _f("xai-key", "xAI key", "xai-", r"xai-<T>{48,}", "xai-{T80}"),
    _f("perplexity-key", "Perplexity key", "pplx-", r"pplx-<T>{36,}", "pplx-{T48}"),
    _f("replicate-token", "Replicate token", "r8_", r"r8_<T>{32,}", "r8_{T37}"),
    _f("huggingface-token", "Hugging Face token", "hf_ api_org_", r"(?:hf|api_org)_<T>{30,}", "hf_{A34}"),
    _f("fireworks-key", "Fireworks key", "fw_", r"fw_<T>{20,}(?!<W>)", "fw_{T24}", mixed),
    _f("together-key", "Together key", "tgp_v1_", r"tgp_v1_<W>{32,}", "tgp_v1_{W43}"),
    _f("nvidia-key", "NVIDIA key", "nvapi-", r"nvapi-<W>{40,}", "nvapi-{W64}"),
    _f("cerebras-key", "Cerebras key", "csk-", r"csk-<T>{40,}", "csk-{L48}"),
    _f("elevenlabs-key", "ElevenLabs key", "sk_", r"sk_<H>{40,}", "sk_{H48}"),
    _f("langsmith-key", "LangSmith key", "lsv2_", r"lsv2_(?:pt|sk)_<H>{32}_<H>{10}", "lsv2_pt_{H32}_{H10}"),
    _f("pinecone-key", "Pinecone key", "pcsk_", r"pcsk_<T>+_<T>{40,}", "pcsk_{T6}_{T63}"),
    _f("voyage-key", "Voyage key", "pa-", r"pa-<W>{43}(?!<W>)", "pa-{T43}", mixed),
    _f("jina-key", "Jina key", "jina_", r"jina_<W>{50,}", "jina_{H32}{T28}"),
    _f("tavily-key", "Tavily key", "tvly-", r"tvly-(?:(?:dev|prod)-)?<W>{28,}", "tvly-dev-{T32}", with_digit),
    _f("firecrawl-key", "Firecrawl key", "fc-", r"fc-<H>{32}(?!<T>)", "fc-{H32}"),
    _f("runpod-key", "RunPod key", "rpa_", r"rpa_<T>{36,}", "rpa_{U44}"),
    _f("e2b-key", "E2B key", "e2b_", r"e2b_<H>{36,}", "e2b_{H40}"),
    _f("cursor-key", "Cursor key", "key_ crsr_", r"(?:key|crsr)_<H>{60,}", "key_{H64}"),
    # --- chat
    _f("slack-webhook", "Slack webhook", "hooks.slack.com/",
       r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<s>[A-Za-z0-9/_\-]{30,})",
       "hooks.slack.com/services/T{U9}/B{U10}/{T24}"),
    _f("slack-token", "Slack token", "xox xapp-",
       r"(?:xox[abcdoprse](?:\.xox[bp])?-|xapp-\d-)(?:<W>{12,})", "xoxb-{D12}-{D12}-{T24}", with_digit),
    _f("discord-webhook", "Discord webhook", "/api/webhooks/",
       r"discord(?:app)?\.com/api/webhooks/(?P<s>\d{10,}/<W>{40,})",
       "discord.com/api/webhooks/{D18}/{W68}", inside=True),
    _f("discord-token", "Discord bot token", "",
       r"[MNO]<W>{22,27}\.<W>{6}\.<W>{27,40}(?!<W>)", "MT{T24}.{T6}.{T38}", mixed),
    _f("telegram-token", "Telegram bot token", ":AA", r"\d{8,10}:AA<W>{30,36}(?!<W>)", "{D10}:AA{W33}", inside=True),
    _f("teams-webhook", "Teams webhook", ".webhook.office.com/",
       r"[\w.\-]*\.webhook\.office\.com/(?P<s>webhookb2/[\w@\-/]{40,})",
       "acme.webhook.office.com/webhookb2/{UUID}@{UUID}/IncomingWebhook/{H32}/{UUID}", inside=True),
    _f("zapier-webhook", "Zapier webhook", "hooks.zapier.com/",
       r"hooks\.zapier\.com/hooks/catch/(?P<s>\d+/\w{5,})", "hooks.zapier.com/hooks/catch/{D8}/{L7}", None),
    # --- payment
    _f("stripe-key", "Stripe secret or restricted key", "sk_live_ sk_test_ rk_live_ rk_test_ sk_org_",
       r"[sr]k_(?:live|test|org)_<T>{14,}", "sk_live_{T99}"),
    _f("stripe-webhook", "Stripe or Svix webhook secret", "whsec_", r"whsec_<B>{20,}={0,2}", "whsec_{T32}"),
    _f("square-token", "Square token", "sq0 EAAA", r"(?:sq0[a-z]{3}-<W>{20,}|EAAA<W>{58,62}(?!<W>))", "sq0csp-{W43}"),
    _f("braintree-token", "PayPal Braintree token", "access_token$",
       r"access_token\$(?:production|sandbox)\$<T>{14,}\$<H>{28,}", "access_token$production${L16}${H32}"),
    _f("shopify-token", "Shopify token", "shpat_ shpca_ shppa_ shpss_ shptka_",
       r"shp(?:at|ca|pa|ss|tka)_[a-fA-F0-9]{28,}", "shpat_{H32}"),
    _f("razorpay-key", "Razorpay key", "rzp_", r"rzp_(?:live|test)_<T>{12,}", "rzp_live_{T14}"),
    _f("adyen-key", "Adyen key", "AQE",
       r"AQE<T>{8,}[A-Za-z0-9+/]{40,}={0,2}-<B>{20,}={0,2}-[^\s\"]{8,}", "AQE{L12}{B60}==-{B40}=-{T16}"),
    _f("plaid-token", "Plaid token", "access-",
       r"access-(?:sandbox|development|production)-<UUID>", "access-production-{UUID}"),
    _f("flutterwave-key", "Flutterwave key", "FLWSECK", r"FLWSECK(?:_TEST)?-<T>{12,}(?:-X)?", "FLWSECK-{H32}-X"),
    _f("paddle-key", "Paddle key", "pdl_",
       r"pdl_(?:live|sdbx)_apikey_<T>{20,}_<T>{16,}_<T>{3}", "pdl_live_apikey_{L26}_{T22}_{T3}"),
    _f("easypost-key", "EasyPost key", "EZAK EZTK", r"EZ[AT]K<T>{50,}", "EZAK{L54}"),
    # --- mail and SMS
    _f("sendgrid-key", "SendGrid key", "SG.", r"SG\.<W>{16,}\.<W>{30,}", "SG.{W22}.{W43}"),
    _f("mailgun-key", "Mailgun key", "key-", r"key-<H>{32}(?!<T>)", "key-{H32}"),
    _f("mailgun-sending-key", "Mailgun sending key", "", r"<H><H>{31}-<H>{8}-<H>{8}(?!<W>)", "{H32}-{H8}-{H8}"),
    _f("mailchimp-key", "Mailchimp key", "-us", r"<H>{32}-us\d{1,2}(?!<W>)", "{H32}-us21", inside=True),
    _f("mandrill-key", "Mandrill key", "md-", r"md-<W>{22}(?!<W>)", "md-{T22}", mixed),
    _f("twilio-key", "Twilio key or account id", "SK AC", r"(?:SK|AC)<H>{32}(?!<T>)", "SK{H32}"),
    _f("brevo-key", "Brevo key", "xkeysib- xsmtpsib-", r"x(?:key|smtp)sib-<H>{60,}-<T>{12,}", "xkeysib-{H64}-{T16}"),
    _f("resend-key", "Resend key", "re_", r"re_<T>{8}_<T>{20,}(?!<W>)", "re_{T8}_{T24}", mixed),
    # --- monitoring, data, desks
    _f("sentry-dsn", "Sentry DSN", "://",
       r"https?://(?P<s><H>{32}(?::<H>{32})?)@[\w.\-]+(?::\d+)?/\d+",
       "https://{H32}@o{D6}.ingest.sentry.io/{D7}", inside=True),
    _f("sentry-token", "Sentry token", "sntrys_ sntryu_", r"sntry[su]_[A-Za-z0-9+/_=\-]{40,}", "sntryu_{H64}"),
    _f("newrelic-key", "New Relic key", "NRAK- NRJS- NRII- NRIQ- NRRA-",
       r"NR(?:AK|JS|II|IQ|RA)-<W>{18,}", "NRAK-{U27}"),
    _f("grafana-token", "Grafana token", "glc_ glsa_ eyJrIjoi",
       r"(?:glsa_<T>{28,}_<H>{8}|glc_[A-Za-z0-9+/]{32,}={0,2}|eyJrIjoi<B>{40,}={0,2})", "glsa_{T32}_{H8}"),
    _f("dynatrace-token", "Dynatrace token", "dt0",
       r"dt0[a-z]\d\d\.[A-Z0-9]{20,}\.[A-Z0-9]{50,}", "dt0c01.{K24}.{K64}"),
    _f("honeycomb-key", "Honeycomb key", "hca hcb hcx", r"hc[abx]i[ck]_[a-z0-9]{50,}", "hcaik_{L58}"),
    _f("pagerduty-key", "PagerDuty key", "u+", r"u\+<W>{18}(?!<W>)", "u+{T18}", mixed),
    _f("posthog-key", "PostHog personal key", "phx_", r"phx_<T>{36,}", "phx_{T47}"),
    _f("linear-key", "Linear key", "lin_", r"lin_(?:api|oauth|wh)_<T>{30,}", "lin_api_{T40}"),
    _f("notion-token", "Notion token", "ntn_ secret_",
       r"(?:ntn_<T>{36,}|secret_<T>{40,46}(?!<W>))", "ntn_{T46}", with_digit),
    _f("airtable-token", "Airtable token", "pat", r"pat<T>{14}\.<H>{48,}", "pat{T14}.{H64}"),
    _f("asana-token", "Asana token", "/1",
       r"[012]/\d{13,}(?:/\d{13,})?:<H>{30,}", "2/1{D15}/1{D15}:{H32}", inside=True),
    _f("figma-token", "Figma token", "figd_ figo_ figu_ figr_ figs_", r"fig[dours]_<W>{36,}", "figd_{W40}"),
    _f("postman-key", "Postman key", "PMAK- PMAT-", r"PMA[KT]-<H>{24}-<H>{30,}", "PMAK-{H24}-{H34}"),
    _f("hubspot-token", "HubSpot token", "pat-", r"pat-(?:na|eu|ap)\d-<UUID>", "pat-na1-{UUID}"),
    _f("contentful-token", "Contentful token", "CFPAT-", r"CFPAT-<W>{36,}", "CFPAT-{W43}"),
    _f("typeform-token", "Typeform token", "tfp_", r"tfp_(?:<W>|\.){36,}", "tfp_{W59}"),
    _f("dropbox-token", "Dropbox token", "sl.", r"sl\.(?:u\.)?<W>{120,}", "sl.{W135}"),
    _f("facebook-token", "Facebook token", "EAA", r"EAA<T>{90,}", "EAA{T170}", mixed),
    _f("twitter-token", "X bearer token", "AAAAAAAAAAAAAAAAAAAA",
       r"A{20,}(?:<T>|%[0-9A-F]{2}){40,}", "AAAAAAAAAAAAAAAAAAAAA{T80}", mixed),
    _f("mapbox-token", "Mapbox secret token", "sk.eyJ", r"sk\.eyJ<W>{30,}\.<W>{16,}", "sk.eyJ{T70}.{T22}"),
    _f("firebase-key", "Firebase server key", ":APA91b",
       r"<W>{6,22}:APA91b<W>{100,}", "AAAA{T7}:APA91b{W134}", inside=True),
    _f("supabase-token", "Supabase token", "sbp_ sb_secret_",
       r"(?:sbp_(?:v\d_)?<H>{36,}|sb_secret_<W>{20,})", "sbp_{H40}"),
    _f("planetscale-token", "PlanetScale token", "pscale_",
       r"pscale_(?:tkn|pw|oauth|app)_(?:<W>|\.){30,}", "pscale_tkn_{T43}"),
    _f("neon-key", "Neon key", "napi_", r"napi_<T>{50,}", "napi_{L64}"),
    _f("atlas-secret", "MongoDB Atlas client secret", "mdb_sa_sk_", r"mdb_sa_sk_<W>{30,}", "mdb_sa_sk_{W40}"),
    _f("databricks-token", "Databricks token", "dapi dose", r"(?:dapi|dose)<H>{32}(?:-\d)?(?!<T>)", "dapi{H32}"),
    # --- keys and credentials of no vendor
    _f("presigned-url", "signature of a presigned URL", "-Signature=",
       r"X-(?:Amz|Goog)-Signature=(?P<s><H>{40,})", "X-Amz-Signature={H64}", inside=True),
    _f("private-key", "body of a private key without its first line", "MII MIG MHcCAQEE MHQCAQEE b3BlbnNzaC1rZXktdjE",
       r"(?:MII<B>{2,3}(?:IBADAN|IBAAKC)|MIG<T>AgEA|MH[cQ]CAQEE|b3BlbnNzaC1rZXktdjE)<B>{20,}(?:(?:\s"
       r"|\\n)+<B>{20,})*={0,2}",
       "b3BlbnNzaC1rZXktdjE{B240}="),
    _f("jwt", "JSON web token", "eyJ", r"eyJ<W>{6,}\.<W>{8,}\.<W>*(?:\.<W>+){0,2}", "eyJ{T34}.eyJ{T80}.{W43}"),
    _f("password-hash", "password hash", "$2 $6$ $5$ $apr1$ $argon2 $y$",
       r"\$(?:2[abxy]\$\d\d\$[./A-Za-z0-9]{50,53}|[56y]\$[^\s:'\"]{20,}|apr1\$[^\s:'\"]{20,}|argon2(?:id|i"
       r"|d)\$v=\d+\$[^\s:'\"]{30,})",
       "$2b$12${T53}"),
    _f("bitcoin-key", "Bitcoin private key", "", r"[5KLc][1-9A-HJ-NP-Za-km-z]{50,51}(?![A-Za-z0-9])", "", base58check),
    _f("wallet-key", "extended or nostr private key", "xprv nsec1",
       r"(?:xprv<T>{100,}|nsec1[a-z0-9]{50,})", "nsec1{L58}"),
)
# fmt: on

PROVIDERS: tuple[Provider, ...] = tuple(
    Provider(kind=kind, name=name, key=key, example=example)
    for kind, name, key, example in (
        ("aws-secret", r"aws_?secret|secret_?access_?key", "AWS_SECRET_ACCESS_KEY", "{B40}"),
        ("aws-session", r"aws_?session_?token", "AWS_SESSION_TOKEN", "{B120}"),
        ("azure-secret", r"azure|arm_client", "AZURE_CLIENT_SECRET", "{T40}"),
        ("cloudflare-token", r"cloudflare|^cf_", "CLOUDFLARE_API_TOKEN", "{W40}"),
        ("heroku-key", r"heroku", "HEROKU_API_KEY", "{UUID}"),
        ("hetzner-token", r"hetzner|hcloud", "HCLOUD_TOKEN", "{T64}"),
        ("linode-token", r"linode", "LINODE_TOKEN", "{H64}"),
        ("vultr-key", r"vultr", "VULTR_API_KEY", "{U36}"),
        ("scaleway-key", r"scw|scaleway", "SCW_SECRET_KEY", "{UUID}"),
        ("railway-token", r"railway", "RAILWAY_TOKEN", "{UUID}"),
        ("oci-key", r"^oci|oracle", "OCI_AUTH_TOKEN", "{T20}"),
        ("snowflake-password", r"snowflake", "SNOWFLAKE_PASSWORD", "{T18}"),
        ("cohere-key", r"cohere|^co_api", "COHERE_API_KEY", "{T40}"),
        ("mistral-key", r"mistral", "MISTRAL_API_KEY", "{T32}"),
        ("deepgram-key", r"deepgram", "DEEPGRAM_API_KEY", "{H40}"),
        ("assemblyai-key", r"assemblyai", "ASSEMBLYAI_API_KEY", "{H32}"),
        ("wandb-key", r"wandb", "WANDB_API_KEY", "{H40}"),
        ("paypal-secret", r"paypal", "PAYPAL_CLIENT_SECRET", "E{W79}"),
        ("postmark-token", r"postmark", "POSTMARK_SERVER_TOKEN", "{UUID}"),
        ("twilio-token", r"twilio", "TWILIO_AUTH_TOKEN", "{H32}"),
        ("datadog-key", r"datadog|^dd_", "DD_API_KEY", "{H32}"),
        ("algolia-key", r"algolia", "ALGOLIA_ADMIN_KEY", "{H32}"),
        ("okta-token", r"okta", "OKTA_API_TOKEN", "00{W40}"),
        ("zendesk-token", r"zendesk", "ZENDESK_API_TOKEN", "{T40}"),
        ("snyk-token", r"snyk", "SNYK_TOKEN", "{UUID}"),
        ("codecov-token", r"codecov", "CODECOV_TOKEN", "{UUID}"),
        ("jenkins-token", r"jenkins", "JENKINS_API_TOKEN", "11{H32}"),
    )
)


def provider_kind(name: str) -> str:
    """The kind for a value whose key has this name (lower case, separators as `_`); "" where it names no provider."""
    for provider in PROVIDERS:
        if re.search(provider.name, name):
            return provider.kind
    return ""

"""May this rule be told to colleagues? What must be looked at by a person first, and why. Pure.

`private.leaks` finds what is surely private. Here the doubt counts too: a capitalised word that is not known as a word
of the trade may be a customer, a product or a person, so it holds the rule until somebody has looked. What was looked
at is named by its word or by the rule's id; what is surely private cannot be waved through, only reworded.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from ingrained.embed.lexical import everyday, stem
from ingrained.session.session import Redactor
from ingrained.skill.private import known_name, leaks
from ingrained.skill.rule import Rule
from ingrained.skill.safety import hidden, weakens_safety

REVIEWABLE = ("word", "path", "address", "handle", "amount", "script")
"""Kinds of findings that a person's look settles."""

_WORD = re.compile(r"(?:@(?=\w))?[^\W\d_](?:[\w'’\-]*\w)?")
_OPENS = re.compile(r"(?:\A|[.!?:;]\s+|[\n(\[\"“'‘`*•\-–—]\s*)\Z")
_HOME = re.compile(r"(?<![\w~])~/?[\w.\-]*/[\w.\-/]*|\b[A-Za-z]:\\[^\s]+")
_ADDRESS = re.compile(
    r"\b(?:https?|ssh|ftp|git)://[^\s)>\]\"'`]+|\b(?:\d{1,3}\.){3}\d{1,3}\b"
    r"|\b(?:[a-z0-9\-]+\.)+(?:com|org|net|io|dev|app|ai|co|cloud|de|fr|uk|eu|jp|cn|br|es|ru|kr)\b(?:/[^\s)>\]\"'`]*)?",
    re.IGNORECASE,
)
_HANDLE = re.compile(r"(?<![\w.@/`])@[A-Za-z][\w\-]*(?!\.\w|[\w\-]*\.md)(?:/[\w.\-]+)?")
_AMOUNT = re.compile(r"[$€£¥]\s?\d[\d.,]*\s?[kKmM]?\b|\b\d[\d.,]*\s?(?:USD|EUR|GBP|CHF)\b")

_TRADE = """
    acl adr agents ai ajax american ansi api apis app arm asap ascii asgi auth aws bdd bitbucket bom british bsd
    camelcase cd cdn changelog changelogs ci claude cli cls codeowners commits commonjs contributing conventional
    cors cpu cqrs crd crdt crlf crud csp csrf css csv ctrl cwd db dba ddd ddl dev dkim dml dns dockerfile docs dom
    dry dsl dto dx e2e ecs edge eks ema emacs env eof eol erd esc esm eta etl faq fifo fixme ftp gb gc gcp gdpr gid
    git github gitlab gke gpg gpu graphql grpc gui guid hpa hsts html http https hud i18n iac iam ide idl idp ids
    ieee ietf imap ini io ios ip ipad iphone ipv4 ipv6 isbn iso it jit jpeg jpg js json jsonl jsx jvm jwt k8s kb
    kiss kpi l10n lan latex ldap lf lgtm license lru lsp lts mac macos makefile mb mcp md mdx mfa mime mit ml mpl mr
    mrs ms mvc mvp nan nat nfc nfs nit nlp noop nosql ns null oauth ocr oidc ok oom ooo oop orm os osi otel owasp
    pascalcase pat pdf pep pgp php pid pii png poc posix pr prs ps ps1 pwa py qa qps qr ram rbac rc rce rdbms readme
    readmes redux regex rest rfc rgb rhs rls rms root rpc rss rst rtl s3 saas sast sbom scss sdk sdl security seo sh
    sha shas sig skill sla slo sme smtp soa soap solid spa spf spi sql sqli sre srp ssd sse ssh ssl sso ssr ssrf std
    stderr stdin stdout svg svn tbd tcp tdd tls todo todos toml totp tsv tsx ttl tty tui tv txt tz udp ui uid uml
    unix uri uris url urls usb utc utf utf8 uuid uuids ux v8 vcs vm vms vpc vpn vps w3c wal wasm wav wcag webp wip
    wsgi wsl www x86 xhr xml xss yagni yaml yml zip zsh
    """
"""Words of the trade that are written with capitals and name nobody."""

_OPENERS = """
    accept access account act adapt add address adjust adopt after agree align all allow also always announce answer
    any append apply approve archive are ask assert assign assume at attach automate avoid back base batch be
    because before begin both branch break bring build bump but by cache call can can't cancel capitalise capitalize
    capture catch change check choose cite clarify clean clear clone close collapse collect combine comment commit
    compare compile complete compute configure confirm connect consider consult contain continue convert copy
    correct count cover create cut data debug decide declare default defer define delete deploy derive describe
    design detect develop disable discard discuss display do document doesn't don't dont double download draft drop
    dry during each edit either embed emit enable encode end enforce ensure enter escape estimate even every exclude
    execute exit expand expect explain export expose extend extract fail fall favor favour fetch fill filter find
    finish first fix flag focus follow for force format from full general generate get give go group guard handle
    have help hide highlight hold how i'd i'll i'm if ignore implement import improve in include increase indent
    index initialise initialize inject inline insert inspect install instead integrate introduce invoke is isolate
    it it's iterate its join just keep label last launch lead leave let let's limit line link lint list load
    localise localize lock log look lower maintain make manage map match maximise maximize may measure mention merge
    migrate minimise minimize mirror mock model modify monitor more most move must name narrow neither never new no
    none normalise normalize not note nothing notify number obey off offer omit on once one only open optimise
    optimize or order organise organize other our output override own package paginate parse pass paste patch
    perform persist pick pin place plan please point poll post pre prefer prefix prepare present preserve prevent
    print prioritise prioritize process produce profile propose protect prove provide publish pull push put quote
    raise rather read rebase rebuild record redact reduce refactor refer refuse register reject release rely
    remember remove rename render repeat replace reply report reproduce request require reset resolve respect
    respond restart restore restrict retry return reuse revert review rewrite round run same save say scan schedule
    scope search see select send separate serialise serialize serve set share shorten should show sign simplify skip
    small sort speak specify spell split squash stack stage start state stay stick still stop store stream strip
    structure style submit suggest summarise summarize support suppress surface swap switch sync tag take talk tell
    test tests that the then there these they think this those throw tidy to toggle track translate treat trim trust
    try turn type unless until update upgrade upload use using validate verify version view wait warn watch we we're
    what when where which while who why with without won't work wrap write yes you your
    """
_KNOWN = frozenset(_TRADE.split())
_OPENING = frozenset(_OPENERS.split())


def findings(rule: Rule, *, names: Sequence[str], redactor: Redactor, allowed: Collection[str] = ()) -> tuple[str, ...]:
    """Why a rule is held back, each as "kind: words"; empty where it may be shared.

    Args:
        rule: the rule; its text, its condition and its paths are looked at, never its quotes.
        names: names of the person at this machine and of others to keep out.
        redactor: finds secrets and personal data.
        allowed: words, and ids of rules, that a person looked at (any case).
    """
    seen = {word.casefold() for word in allowed}
    text = "\n".join(part for part in (rule.text, rule.scope.when) if part)
    found = [*leaks(text, names=names, secrets_redactor=redactor)]
    found += [f"{kind}: {words}" for kind, words in _doubts(redactor.redact(text).text)]
    for path in rule.scope.paths:
        found += leaks(path, names=names, secrets_redactor=redactor)
        if path.startswith(("/", "~", "\\")) or _HOME.search(path) or ".." in path.split("/"):
            found.append(f"path: {path}")
    if hidden(text):
        found.append(f"hidden: {hidden(text)[0].kind} characters")
    if (why := weakens_safety(text)) and rule.status not in {"accepted", "pinned"}:
        found.append(f"safety: {why}")
    looked_at = _ids(rule) & seen
    return tuple(one for one in dict.fromkeys(found) if not _settled(one, seen, whole=bool(looked_at)))


def unmatched(allowed: Collection[str], held: Iterable[tuple[Rule, Collection[str]]]) -> tuple[str, ...]:
    """The allowed words that settle nothing: no finding that a look settles has them, and no rule has them as its id.

    Args:
        allowed: as `findings` takes them.
        held: rules with all that was found in them, as if nothing were allowed.
    """
    known: set[str] = set()
    for rule, found in held:
        known |= _ids(rule)
        parts = [one.partition(": ") for one in found]
        known |= {words.casefold() for kind, _, words in parts if kind in REVIEWABLE}
    return tuple(word for word in dict.fromkeys(allowed) if word.casefold() not in known)


def _ids(rule: Rule) -> set[str]:
    return {str(one).casefold() for one in (rule.id, *rule.aliases)}


def _settled(finding: str, seen: Collection[str], *, whole: bool) -> bool:
    kind, _, words = finding.partition(": ")
    return kind in REVIEWABLE and (whole or words.casefold() in seen)


def _doubts(text: str) -> Iterator[tuple[str, str]]:
    """What may be private, in order."""
    for kind, pattern in (("path", _HOME), ("address", _ADDRESS), ("handle", _HANDLE), ("amount", _AMOUNT)):
        yield from ((kind, match[0]) for match in pattern.finditer(text))
    yield from (("word", word) for word in _unknown_words(text))
    cased = sum(char.upper() != char.lower() for char in text)
    if sum(char.isalpha() for char in text) > 2 * cased:
        yield "script", "it has no capital letters, so names in it cannot be told"


def _unknown_words(text: str) -> Iterator[str]:
    """Words with a capital letter that are not known: in mid-sentence, and where no sentence begins so."""
    taken = [match.span() for pattern in (_ADDRESS, _HANDLE) for match in pattern.finditer(text)]
    for match in _WORD.finditer(text):
        word = match[0]
        if not any(char.isupper() for char in word) or any(start <= match.start() < end for start, end in taken):
            continue
        bare = re.sub(r"['’]s\Z", "", word)
        if len(bare) < 2 or all(_is_known(part) for part in re.split(r"[-_]", bare) if part):
            continue
        opens = bool(_OPENS.search(text[: match.start()])) and bare == word and not any(map(str.isupper, bare[1:]))
        if not (opens and _begins(bare)):
            yield bare


def _is_known(word: str) -> bool:
    low = word.casefold().replace("’", "'")
    forms = {low, low.removesuffix("s")}
    return (
        len(low) < 2 or not word[0].isalpha() or word == low or any(one in _KNOWN or known_name(one) for one in forms)
    )


def _begins(word: str) -> bool:
    """Whether a sentence begins so: with a verb or a word of speech."""
    low = word.casefold().replace("’", "'")
    parts = [part for part in low.split("-") if part]
    return all(part in _OPENING or stem(part) in everyday() for part in parts[:1])

"""Personal data by shape and checksum: mail addresses, phone and card numbers, IBANs, and names that are known.

The one decision: precision first. Numbers are personal only with a checksum (card, IBAN), a country code, a national
form that nothing else has, or the word "phone" before them. Names are never guessed: only given ones are looked for, as
whole words, and not where the name is also an English or a machine word (`Will`, `Mark`, `admin`): these go only
as part of the full name. Addresses of nobody (`git@`, `noreply@`) and IP addresses stay.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from ingrained.session.secrets import Found, positions

_MAIL = re.compile(
    r"(?P<local>[^\W_](?:[\w.%+'\-]{0,62}[\w+\-])?)@(?P<host>(?:[^\W_](?:[\w\-]{0,61}[^\W_])?\.)+(?P<tld>[^\W\d_]{2,24}))"
    r"(?![\w@]|-\w|\.\w)"
)
_MAIL_SPELLED = re.compile(
    r"\b[\w.+\-]{2,64}\s?[\[({<]\s?(?:at|AT)\s?[\])}>]\s?[\w\-]+(?:\s?[\[({<]\s?(?:dot|DOT)\s?[\])}>]\s?[\w\-]+"
    r"|\.[\w\-]+)+"
)
_SPELLED_AT = tuple(f"{sign}{gap}{at}" for sign in "[({<" for gap in ("", " ") for at in ("at", "AT"))
_NOBODY = frozenset({"git", "hg", "svn", "noreply", "no-reply", "donotreply", "do-not-reply"})
_FILE_ENDINGS = (
    "png jpg jpeg gif svg webp ico css scss less js jsx mjs cjs ts tsx json json5 html htm xml yml yaml toml lock txt "
    "csv log service socket timer target slice scope mount path pdf woff woff2 ttf map vue svelte fixture local "
)
_NO_TLD = frozenset(_FILE_ENDINGS.split())
_USERINFO = re.compile(r"://[^\s/@]*\Z")
_REMOTE = re.compile(r":(?:~|/|[\w.\-]+/|[\w.\-]+\.\w+|[\w.\-]+\.git\b)")

_CODES = (
    r"(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|2[1-689]\d|3[578]\d|42[0-9]|5[09]\d|6[789]\d"
    r"|8[058]\d|9[679]\d)"
)
_PHONE = re.compile(
    r"(?<![\w+@/.\-])(?<!\d[ ])(?:tel:)?(?:"
    rf"(?P<plus>(?:\+|00(?=[1-9]\d[ .\-])){_CODES}(?:[ .\-/]?\(0?\d{{0,4}}\))?(?:[ .\-/]?\d){{6,12}})"
    r"|(?P<us>(?:1[ .\-])?\([2-9]\d\d\)[ .\-]?\d{3}[ .\-]\d{4}|(?:1[.\-])?[2-9]\d\d(?P<d>[.\-])[2-9]\d\d(?P=d)\d{4})"
    r"|(?P<uk>0(?:7\d{3} ?\d{3} ?\d{3}|20 ?[378]\d{3} ?\d{4}|1\d{2,3} \d{3} ?\d{3,4}|800 ?\d{3} ?\d{3,4}))"
    r"|(?P<fr>0[1-79](?P<f>[ .\-])\d\d(?:(?P=f)\d\d){3})"
    r"|(?P<de>0[1-9]\d{1,4}[ /\-]\d{3,4}[ \-]?\d{3,5})"
    r"|(?P<jp>0\d{1,3}-\d{3,4}-\d{4})"
    r"|(?P<br>\(\d{2}\) ?9?\d{4}-\d{4})"
    r"|(?P<au>04\d\d ?\d{3} ?\d{3})"
    r")(?![\w/:@]|[.\-]\w|,\d)"
)
_PHONE_WORD = re.compile(
    r"(?i)\b(?:phone|tel|telephone|mobile|mobil|cell|móvil|movil|teléfono|telefono|telefon|handy|whatsapp|sms|call me|"
    r"text me|reach me|fax|hotline)\b[^\d\n+]{0,24}(?P<s>\+?\d(?:[ .\-/()]{0,2}\d){6,14})(?![\w/:]|[.\-]\w)"
)
_CARD = re.compile(
    r"(?<![\w.,/+\-])(?:\d{13,19}|\d{4}(?P<c>[ \-])\d{4}(?P=c)\d{4}(?P=c)\d{1,7}|\d{4}[ \-]\d{6}[ \-]\d{4,5})(?![\w/]"
    r"|[.,\-]\d)"
)
_IIN = re.compile(
    r"4\d{15}\Z|4\d{12}\Z|5[1-5]\d{14}\Z|2[2-7]\d{14}\Z|3[47]\d{13}\Z|3(?:0[0-5]|[68]\d)\d{11}\Z|6(?:011|4[4-9]"
    r"|5)\d+\Z|35\d{14}\Z|62\d{14,17}\Z"
)
_IBAN = re.compile(
    r"(?<![A-Za-z0-9+/_\-.])(?P<c>[A-Za-z]{2})\d{2}(?:[ \-]?[A-Za-z0-9]{4}){2,7}"
    r"(?:[ \-]?[A-Za-z0-9]{1,4})?(?![A-Za-z0-9+/=_])"
)
_LENGTHS = (
    "AD:24 AE:23 AL:28 AT:20 AZ:28 BA:20 BE:16 BG:22 BH:22 BR:29 BY:28 CH:21 CR:22 CY:28 CZ:24 DE:22 DK:18 DO:28 "
    "EE:20 EG:29 ES:24 FI:18 FO:18 FR:27 GB:22 GE:22 GI:23 GL:18 GR:27 GT:28 HR:21 HU:28 IE:22 IL:23 IQ:23 IS:26 "
    "IT:27 JO:30 KW:30 KZ:20 LB:28 LC:32 LI:21 LT:20 LU:20 LV:21 LY:25 MC:27 MD:24 ME:22 MK:19 MR:27 MT:31 MU:30 "
    "NL:18 NO:15 PK:24 PL:28 PS:29 PT:25 QA:29 RO:24 RS:22 SA:24 SC:31 SE:24 SI:19 SK:24 SM:27 ST:25 SV:28 TL:23 "
    "TN:24 TR:26 UA:29 VA:22 VG:24 XK:20 "
)
_IBAN_LENGTH = {pair[:2]: int(pair[3:]) for pair in _LENGTHS.split()}

_DIGITS = re.compile(r"[0-9](?:[ .()/\-]{0,2}[0-9]){6,}")

_WORDS = """
    abbey ace adam admin administrator agent alpha amber angel anonymous app april art ash aspen august autumn azure
    baker ball banks bar barber barn bass bean bear beck bell bella berg berry best beta bill billy bird bishop
    black blake blanks blue bolt bond book boot bot boy branch brand bridge brook brooks brown buck bud bug build
    builder bull burns bush butler buyer case cash cat chance chandler charity chase cherry chip christian church
    claude clay cliff clock cloud coder codex cole colt cook cooper copilot coral core corn court cox crane cross
    cruz cursor daemon daisy dale data dawn day dean debian debug default dev developer devin dexter diamond dick
    doc docker dolly dot dove drake drew duke earl early east eden edge editor em emerald eve even ever faith fall
    falls farmer field fields finch fish fisher fleet flint flora flower ford forest fork fox foxy frank free
    freeman french frost gale garden gay gene general genesis gentry gil ginger glass glory gold golden good goose
    gore grace grant graph gray green grey ground guest guy hack hale hall ham hand hardy harmony harper harry hart
    haven hawk hay hazel head heart heath heather hill holiday holly home hood hook hope host house hub hunt hunter
    iris ivory ivy jack jade jasmine jasper java jay jenkins jerry jet jewel john job jobs joy judge july june
    junior justice justin kay keen kernel key king kit knight kotlin lake lamb lance lane laurel law lead lee lemon
    levy lily linear link little local lock long love lucky lynx mac mace machine main maintainer major mai man
    manual maple march marina mark marks marsh marshal marshall martin mason master mat matt max may mayor mead
    meadow me melody merit meta miles mill miller mint miss mode moon moore more morning moss mount munch myth name
    nick night noble node noel norm north nova oak ocean olive opal ops orange organ owner pace page paige park
    parker parks pat patch patience pearl penny pepper peter phoenix pierce pike pine pip piper pitt plum pole pond
    poppy porter post potter power prairie price pride prince process project proxy public python queen quest quinn
    rain raven ray read red reed reese register reid remote rex rice rich ridge ring rivers river rob robin rock
    rocky rod roman root rose rosemary rowan ruby runner rush russ rust rusty sage saint sally sam sand sandy savage
    scala script sea server service shade sharp shaw shell shepherd short sky slack slate small smart smith snow sol
    song sonny source south spark spear spring staff star steel stella sterling stock stone storm strong student sue
    summer sun sunny swan swift system tab tad taylor team teddy temple terry test tester thorn tiger tim todd tony
    tool top tower town trace tree trinity trip troy tucker turner ubuntu ugly union user users vale van vector
    venture vera victor viola violet virtue vagrant wade walker wall wally ward ware water waters watts way weaver
    web webb wells west wheeler white wild wilder will willow winter wise wolf wood woods word work worker workspace
    worth wren wright www young yukon zero zone
    """
_COMMON_WORDS = frozenset(_WORDS.split())
_PART = re.compile(r"[^\W\d_][\w'’\-]*")


def luhn(digits: str) -> bool:
    """The digits pass the checksum of card numbers."""
    total = 0
    for place, char in enumerate(reversed(digits)):
        number = int(char) * (1 + place % 2)
        total += number - 9 if number > 9 else number
    return total % 10 == 0


def iban(text: str) -> bool:
    """The text is an IBAN: as long as in its country, remainder 1 modulo 97. Spaces, hyphens and case do not count."""
    plain = re.sub(r"[ \-]", "", text).upper()
    if _IBAN_LENGTH.get(plain[:2]) != len(plain):
        return False
    return int("".join(str(int(char, 36)) for char in plain[4:] + plain[:4])) % 97 == 1


def find_mail(text: str) -> Iterator[Found]:
    """Mail addresses, also spelled out with "at" and "dot"; not git remotes, packages, decorators or image names."""
    for at in positions(text, "@"):
        start = at
        while start and at - start < 66 and (text[start - 1].isalnum() or text[start - 1] in "._%+-'"):
            start -= 1
        while start < at and not text[start].isalnum():
            start += 1
        match = _MAIL.match(text, start)
        if match and match.end("local") == at and _is_mail(text, match):
            yield Found(match.start(), match.end(), "mail")
    if any(sign in text for sign in "[({<") and any(spelled in text for spelled in _SPELLED_AT):
        for match in _MAIL_SPELLED.finditer(text):
            yield Found(match.start(), match.end(), "mail")


def _is_mail(text: str, match: re.Match[str]) -> bool:
    if match["local"].lower() in _NOBODY or match["tld"].lower() in _NO_TLD:
        return False
    if re.match(r"v?\d+\.\d|\dx\.", match["host"]):
        return False
    return not _USERINFO.search(text, max(0, match.start() - 300), match.start()) and not _REMOTE.match(
        text, match.end()
    )


def find_numbers(text: str) -> Iterator[Found]:
    """Phone numbers, card numbers and IBANs."""
    begin = done = -1
    for run in _DIGITS.finditer(text):
        if run.start() - 48 > done >= 0:
            yield from _numbers(text, begin, done)
            begin = -1
        begin, done = max(0, run.start() - 48) if begin < 0 else begin, min(len(text), run.end() + 48)
    if done >= 0:
        yield from _numbers(text, begin, done)


def _numbers(text: str, begin: int, end: int) -> Iterator[Found]:
    for match in _IBAN.finditer(text, begin, end):
        for last in _ends(text, match):
            if iban(text[match.start() : last]):
                yield Found(match.start(), last, "iban")
                break
    for match in _CARD.finditer(text, begin, end):
        number = re.sub(r"[ \-]", "", match[0])
        if _IIN.match(number) and luhn(number) and len(set(number)) > 1:
            yield Found(match.start(), match.end(), "card")
    for match in _PHONE.finditer(text, begin, end):
        if _is_phone(text, match):
            yield Found(match.start(), match.end(), "phone")
    for match in _PHONE_WORD.finditer(text, begin, end):
        digits = re.sub(r"\D", "", match["s"])
        dated = re.match(r"\d{4}-\d\d-\d\d|\d{1,3}(?:\.\d{1,3}){3}\Z", match["s"])
        if not dated and 7 <= len(digits) <= 15 and len(set(digits)) > 2:
            yield Found(*match.span("s"), "phone")


def _ends(text: str, match: re.Match[str]) -> Iterator[int]:
    """Where an IBAN-shaped run may end: at its end, or before the words that follow it."""
    yield match.end()
    for at in range(match.end() - 1, match.start() + 14, -1):
        if text[at] in " -":
            yield at


def _is_phone(text: str, match: re.Match[str]) -> bool:
    digits = re.sub(r"\D", "", match[0])
    if not 7 <= len(digits) <= 15 or len(set(digits)) <= 2 or re.search(r"\D\d\Z", match[0]):
        return False
    if match["plus"] and match[0].startswith("+") and match[0][1:].isdigit():
        added = match.start() == 0 or text[match.start() - 1] == "\n"
        return not (added and len(digits) in (10, 13, 16) and digits[0] == "1")
    if match["fr"]:
        return not re.match(r"[ .\-][0-9a-fA-F]{2}\b", text[match.end() :]) and not re.search(
            r"\b[0-9a-fA-F]{2}[ .\-]\Z", text[: match.start()]
        )
    return not (match["jp"] and re.match(r"0[1-9]-\d{4}-|\d\d-\d\d-", match[0]) and len(digits) < 9)


class Names:
    """Names to look for as whole words.

    A full name goes as a whole and by its parts; parts under three letters and words of the language do not go alone.
    Names are also found without their accents and in any case.
    """

    def __init__(self, names: Iterable[str], *, anywhere: bool = False) -> None:
        """Prepares the search.

        Args:
            names: full names, first names, user names, in any order.
            anywhere: also inside paths, handles and identifiers (`/home/dana`, `dana_dev`), for text that is shared.
        """
        found: set[str] = set()
        for name in names:
            full = " ".join(name.split())
            parts = _PART.findall(full)
            if len(parts) > 1:
                found.add(full)
            alone = [full] if len(parts) <= 1 else parts
            found.update(part for part in alone if len(part) >= 3 and part.casefold() not in _COMMON_WORDS)
        spelled = sorted({form for name in found for form in (name, _plain(name))}, key=lambda n: (-len(n), n))
        self._heads = tuple({name.split()[0].lower() for name in spelled})
        words = "|".join(re.escape(name).replace(r"\ ", r"[\s._\-]+") for name in spelled)
        around = (
            (r"(?<![^\W\d_])", r"(?![^\W\d_])")
            if anywhere
            else (r"(?<![\w/\\\-])(?<!\w\.)(?<!\w@)", r"(?![\w/\\\-]|\.\w|@\w)")
        )
        self._pattern = re.compile(f"{around[0]}(?:{words}){around[1]}", re.IGNORECASE) if spelled else None

    def find(self, text: str) -> Iterator[Found]:
        """Where the names stand in `text`."""
        if self._pattern is None:
            return
        lower = text.lower()
        if any(head in lower for head in self._heads):
            for match in self._pattern.finditer(text):
                yield Found(match.start(), match.end(), "name")


def _plain(name: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", name) if not unicodedata.combining(c))

"""A name in other words: what people write who mean a concept and do not have its name before them.

The words that go around a name are those of `composed_strings`. A list of names is no paraphrase: a reranker says which one
concept a mention has, and lists are divided before it is asked.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Collection

from linnet.train.composed_strings import misspelt, qualified
from linnet.train.held_out_names import words_of

__all__ = ["KINDS", "paraphrase"]

KINDS = ("order", "hyphens", "misspelt", "shorter", "qualified", "number", "case")
"""order      "failure of the kidney" for "kidney failure", and the other way; "fever, Dorn" for "Dorn fever"
hyphens    hyphens as spaces or left out, one space as a hyphen
misspelt   one letter wrong
shorter    without its first word
qualified  with words that describe the case: "known Dorn fever (2018)"
number     its last word as a plural, or as a singular
case       in capitals, in small letters, each word with a capital
"""

_PLAIN = re.compile(r"[A-Za-z]+(?: [A-Za-z]+)+")
_OF = re.compile(r"([A-Za-z -]+?) of (?:the )?([A-Za-z -]+)")
_FUNCTION_WORDS = {"of", "and", "or", "in", "with", "to", "by", "for", "due", "the", "from", "on", "at", "a"}
_ATTEMPTS = 4


def paraphrase(name: str, chance: random.Random, *, taken: Collection[tuple[str, ...]]) -> str | None:
    """The name in other words of one of `KINDS`, drawn by `chance`; None if none of those drawn applies.

    taken  `words_of` names that may be another concept's: a paraphrase with other words than the name is none of these
    """
    own = words_of(name)
    for kind in chance.sample(KINDS, _ATTEMPTS):
        text = _WRITERS[kind](name, chance)
        if text is None or text == name or not text.strip():
            continue
        words = words_of(text)
        if words == own or words not in taken:
            return text
    return None


def _order(name: str, chance: random.Random) -> str | None:
    inverted = re.fullmatch(r"([^,]+), ([^,]+)", name)
    if inverted:
        return f"{inverted[2]} {inverted[1]}"
    whole = _OF.fullmatch(name)
    if whole and " of " not in whole[2]:
        return f"{whole[2]} {whole[1]}"
    words = name.split()
    if not _PLAIN.fullmatch(name) or _FUNCTION_WORDS & {word.lower() for word in words}:
        return None
    head, rest = words[-1], " ".join(words[:-1])
    return f"{head}, {rest}" if chance.random() < 0.5 else f"{head} of {chance.choice(('', 'the '))}{rest}"


def _hyphens(name: str, chance: random.Random) -> str | None:
    if "-" in name.strip("-"):
        return name.replace("-", chance.choice((" ", "")))
    places = [found.start() for found in re.finditer(r"(?<=[A-Za-z]) (?=[A-Za-z])", name)]
    if not places:
        return None
    place = chance.choice(places)
    return f"{name[:place]}-{name[place + 1 :]}"


def _shorter(name: str, chance: random.Random) -> str | None:
    words = name.split()
    kept = words[1:]
    if len(words) < 3 or kept[0].lower() in _FUNCTION_WORDS or not kept[0][:1].isalpha():
        return None
    return " ".join(kept)


def _number(name: str, chance: random.Random) -> str | None:
    if not name[-3:].isalpha() or not name[-1].islower():
        return None
    if name.endswith(("ss", "us", "is")):
        return None
    if name.endswith("ies"):
        return f"{name[:-3]}y"
    if name.endswith("s"):
        return name[:-1]
    return f"{name[:-1]}ies" if name.endswith("y") and name[-2] not in "aeiou" else f"{name}s"


def _case(name: str, chance: random.Random) -> str | None:
    return chance.choice((str.upper, str.lower, str.title))(name)


_WRITERS: dict[str, Callable[[str, random.Random], str | None]] = {
    "order": _order,
    "hyphens": _hyphens,
    "misspelt": misspelt,
    "shorter": _shorter,
    "qualified": qualified,
    "number": _number,
    "case": _case,
}

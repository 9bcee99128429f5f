"""Strings that name a thing and say that it is not there, or not known ("no fever", "asthma: no", "HIV negative"), or that something
else is meant: "anti-gout", "gout-like". The words are in `lexicon/denials.tsv`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from linnet.read.rules import rows

__all__ = ["SOMETHING_ELSE", "Denial", "denial", "is_negated"]

# "Pt denies", "the patient has no"; "no-reflow" and "no. 3" deny nothing.
_NEGATED = r"""(?:(?:the\s+)?(?:pts?\.?|patients?|he|she|they)\s+(?:(?:has|have|had|with|is|was|reports?|reported)\s+)?)?
    (?!no\s*[-.]?\s*(?:reflow|\d))(?:{start})\s+\S"""
_AFTER = r"""(?P<thing>.*\w[)\]]?)
    (?: (?: \s*[:=?]+\s* | \s+[-–—]\s+ | \s*(?P<open>[(\[])\s* )(?P<answer>{sure}|{answer})(?(open)\s*[)\]])
      | \s*[,-]?\s*(?<![^\W_])(?P<word>{end}|(?<=[\w)\]]-)free)
      | (?<=(?-i:[A-Z][A-Z]))(?P<sign>[-–−]) )
    \s*[.!]?"""
_BEFORE = r"(?:(?P<word>{prefix})[-–\s]\s?|(?P<part>{part})[-–\s]?)(?P<thing>\w.*)"
_LIKE = r"(?P<thing>.*\w)[-–\s](?P<word>like)(?:\s+(?:illness(?:es)?|symptoms?|diseases?|disorders?|syndromes?|features?|presentation))?"
_WORD = re.compile(r"[^\W\d_]{3,}")
SOMETHING_ELSE = "denied: something else"
"""`Denial.how` of words that make something else of a thing: "anti-gout", "gout-like"."""
_MADE_ELSE = frozenset({"non", "anti", "pseudo", "like"})
_MAX_CHARACTERS = 200
# Of several that may be ticked, "☐ asthma ☒ gout", the first denies the rest as little as the others.
_BOXES = re.compile(r"(?:[☐☑☒]|[\[(][ x][\])]).*(?:[☐☑☒]|[\[(][ x][\])])", re.IGNORECASE)
_ONE_THING = re.compile(r"[^,;/|\n]{2,40}")


class Denial(NamedTuple):
    """What a string says is not there.

    words  that say so, in small letters; none for a sign
    sure   whether the form alone tells, as of an answer to a question ("asthma: no"); else `thing` must be a name
    """

    thing: str
    words: tuple[str, ...]
    sure: bool = False

    @property
    def how(self) -> str:
        """ "denied: …" as an answer, as a finding, or by a word that makes something else of it."""
        if self.sure:
            return "denied: an answer"
        return "denied: a finding" if _MADE_ELSE.isdisjoint(self.words) else SOMETHING_ELSE


def denial(text: str) -> Denial | None:
    """What a string denies, if it is no name itself; None if it has no such form.

    >>> denial("HIV negative")
    Denial(thing='HIV', words=('negative',), sure=False)
    >>> denial("asthma: no")
    Denial(thing='asthma', words=(), sure=True)
    >>> denial("gout-like illness")
    Denial(thing='gout', words=('like',), sure=False)
    >>> denial("HIV-"), denial("asthma (-)")
    (Denial(thing='HIV', words=(), sure=True), Denial(thing='asthma', words=(), sure=True))
    >>> denial("negative pressure")
    """
    text = text.strip()
    forms = (_AFTER, _BEFORE, _LIKE) if len(text) <= _MAX_CHARACTERS else ()
    found = next(filter(None, (_compiled(form).fullmatch(text) for form in forms)), None)
    if found is None:
        return None
    groups = found.groupdict("")
    thing, answer = groups["thing"].strip(" ,"), groups.get("sign") or groups.get("answer", "")
    sure = _compiled("{sure}").fullmatch(answer) and _ONE_THING.fullmatch(thing)
    denying = answer or groups.get("word") or groups.get("part", "")
    return Denial(thing, tuple(_WORD.findall(denying.casefold())), bool(sure))


def is_negated(text: str) -> bool:
    """Whether a string says that something is not there: "no fever", "denies chest pain"."""
    return bool(_compiled(_NEGATED).match(text.strip())) and not _BOXES.search(text)


@cache
def _compiled(form: str) -> re.Pattern[str]:
    """A pattern with {role} for the words that have this role in a string."""
    words: dict[str, list[str]] = {}
    for row in rows("denials"):
        for role in row["string"].split(","):
            words.setdefault(role, []).append(r"\s+".join(map(_either, row["cue"].split())))
    filled = form.format(**{role: "|".join(several) for role, several in words.items()})
    return re.compile(filled, re.IGNORECASE | re.VERBOSE | re.DOTALL)


def _either(words: str) -> str:
    return "(?:{})".format("|".join(re.escape(word).replace("_", r"\s") for word in words.split("|")))

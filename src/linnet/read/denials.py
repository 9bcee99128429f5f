"""Strings that name a thing and say that it is not there, or not known ("asthma: no", "HIV negative", "non-gout"), or that something
else is meant: "anti-gout", "gout-like". The words are in `lexicon/denials.tsv`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from linnet.read.rules import rows

__all__ = ["MADE_ELSE", "Denial", "denial", "words_of_denial"]

_AFTER = r"""(?P<thing>.*\w[)\]]?)
    (?: \s*[:=?]+\s*(?P<answer>{answer}) | \s+[-–—]\s+(?P<dashed>{answer}) | \s*[(\[]\s*(?P<bracketed>{answer})\s*[)\]]
      | \s*[,-]?\s*(?<![^\W_])(?P<word>{end}) | -(?P<free>free) )
    \s*[.!]?"""
_BEFORE = r"(?:(?P<word>{prefix})[-–\s]\s?|(?P<prefix>{part})[-–\s]?)(?P<thing>\w.*)"
_LIKE = r"(?P<thing>.*\w)[-–\s](?P<word>like)(?:\s+(?:illness(?:es)?|symptoms?|diseases?|disorders?|syndromes?|features?|presentation))?"
_WORD = re.compile(r"[^\W\d_]{3,}")
MADE_ELSE = frozenset({"non", "anti", "pseudo", "like"})
"""Words that make something else of a thing: "anti-gout", "gout-like"."""
_LONGEST = 200
_ONE_THING = re.compile(r"[^,;/|\n]{2,40}")


class Denial(NamedTuple):
    """What a string says is not there.

    words  that say so, in small letters
    sure   whether the form alone tells, as of an answer to a question ("asthma: no"); else `thing` must be a name
    """

    thing: str
    words: tuple[str, ...]
    sure: bool = False

    @property
    def how(self) -> str:
        """As an answer, as a finding, or by a word that makes something else of it."""
        if self.sure:
            return "an answer"
        return next((word for word in self.words if word in MADE_ELSE), "a finding")


def denial(text: str) -> Denial | None:
    """What a string denies, if it is no name itself; None if it has no such form.

    >>> denial("HIV negative")
    Denial(thing='HIV', words=('negative',), sure=False)
    >>> denial("asthma: no")
    Denial(thing='asthma', words=(), sure=True)
    >>> denial("gout-like illness")
    Denial(thing='gout', words=('like',), sure=False)
    >>> denial("negative pressure")
    """
    text = text.strip()
    if len(text) > _LONGEST:
        return None
    for pattern in _patterns():
        if found := pattern.fullmatch(text):
            parts = found.groupdict("")
            thing = parts.pop("thing").strip(" ,")
            denying = "".join(parts.values())
            answered = not (parts.get("word") or parts.get("prefix")) and bool(_sure().fullmatch(denying))
            return Denial(
                thing,
                tuple(_WORD.findall(denying.casefold())),
                answered and bool(_ONE_THING.fullmatch(thing)),
            )
    return None


@cache
def words_of_denial(*roles: str) -> str:
    """An expression for the words of `lexicon/denials.tsv` that have one of these roles in a string."""
    cues = (
        row["cue"].split() for row in rows("denials") if not set(roles).isdisjoint(row["string"].split(","))
    )
    return "|".join(r"\s+".join(map(_word, cue)) for cue in cues)


def _word(alternatives: str) -> str:
    return "(?:{})".format("|".join(re.escape(word).replace("_", r"\s") for word in alternatives.split("|")))


@cache
def _patterns() -> list[re.Pattern[str]]:
    words = {
        "answer": words_of_denial("sure", "answer"),
        **{role: words_of_denial(role) for role in ("end", "prefix", "part")},
    }
    flags = re.IGNORECASE | re.VERBOSE | re.DOTALL
    return [re.compile(pattern.format(**words), flags) for pattern in (_AFTER, _BEFORE, _LIKE)]


@cache
def _sure() -> re.Pattern[str]:
    return re.compile(words_of_denial("sure"), re.IGNORECASE)

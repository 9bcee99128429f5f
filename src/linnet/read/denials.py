"""Strings that name a thing and say that it is not there, or not known ("asthma: no", "HIV negative", "non-gout"), or that something
else is meant: "anti-gout", "gout-like".
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["Denial", "denial"]

_NO = r"no|n|nil|none|false|never|unknown|n/a|denied|denies|not\s+(?:known|applicable|assessed|done|tested|recorded|present)"
_ANSWER = (
    rf"{_NO}|0"
    r"|negative|neg\.?|[-–−]\s?ve|absent|excluded|refuted|ruled\s+out|unconfirmed|unlikely|not\s+(?:found|detected|seen|confirmed|likely)"
)
# Without a sign before them, only words that say nothing else: "asthma no" may be cut off.
_WORDS = (
    r"nil|none|negative|neg\.?|[-–−]\s?ve|absent|denied|excluded|refuted|ruled\s+out|unlikely"
    r"|not\s+(?:present|found|detected|seen|confirmed|likely)"
)
_AFTER = re.compile(
    rf"""(?P<thing>.*\w[)\]]?)
    (?: \s*[:=?]+\s*(?P<answer>{_ANSWER}) | \s+[-–—]\s+(?P<dashed>{_ANSWER}) | \s*[(\[]\s*(?P<bracketed>{_ANSWER})\s*[)\]]
      | \s*[,-]?\s*(?<![^\W_])(?P<word>{_WORDS}) | -(?P<free>free) )
    \s*[.!]?""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_BEFORE = re.compile(
    r"(?:(?P<word>non|anti)[-–\s]\s?|(?P<prefix>pseudo)[-–\s]?)(?P<thing>\w.*)", re.IGNORECASE | re.DOTALL
)
_LIKE = re.compile(
    r"(?P<thing>.*\w)[-–\s](?P<word>like)(?:\s+(?:illness(?:es)?|symptoms?|diseases?|disorders?|syndromes?|features?|presentation))?",
    re.IGNORECASE | re.DOTALL,
)
_WORD = re.compile(r"[^\W\d_]{3,}")
_SURE = re.compile(_NO, re.IGNORECASE)
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
    for pattern in (_AFTER, _BEFORE, _LIKE):
        if found := pattern.fullmatch(text):
            parts = found.groupdict("")
            thing = parts.pop("thing").strip(" ,")
            denying = "".join(parts.values())
            answered = not (parts.get("word") or parts.get("prefix")) and _SURE.fullmatch(denying) is not None
            return Denial(
                thing,
                tuple(_WORD.findall(denying.casefold())),
                answered and bool(_ONE_THING.fullmatch(thing)),
            )
    return None

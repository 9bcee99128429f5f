"""The words of a text with offsets and normal forms."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from linnet.recognise.common_words import NEVER_AT_EDGE
from linnet.recognise.list_lines import item_starts
from linnet.words.glossary import DROPPED
from linnet.words.text import LITTLE, key, sense, simplify
from linnet.words.text_cache import RecentTexts

__all__ = ["Word", "words_of"]

# Words hold combining accents (decomposed "é") and what a page does not show: soft hyphens, joiners. A space without width divides.
_WORD = re.compile(
    r"[^\W_]+(?:['’´][^\W\d_]+|[\u0300-\u036f]+[^\W_]*|[\u00ad\u200c\u200d\u2060]+[^\W_]+)*(?:\+(?![^\W_])|%)?"
)
# Boundaries that names do not cross: ends of sentences and clauses, brackets outside words. New lines and cells are others.
_BREAK = re.compile(r"[.!?;:]\s|\n\s*\n|\s[(\[]|[)\]]\s|[)\]][,.;]|[\"“”]|\s[-–—/=<>|]\s")
_CACHED = 100_000  # characters of texts whose words are kept: two batches of `TaggerBesideNames`
_NUMBERED = frozenset({"i", "v", "x"})


class Word(NamedTuple):
    """A word of a text.

    start, end  offsets
    form        `simplify` of the word in its context ("factor V" → "factor", "5"); may be several words, or none
    stems       `key` of its words, without little ones
    senses      `sense` of them; None for a word that `sense` drops
    edge        whether a name can begin or end with it; any word in capitals ("AT", "CAN") may be an abbreviation
    breaks      whether no name continues across the text before it
    comma       whether there is a comma before it
    sign        whether it is an "A" that may end a name ("hepatitis A"), and is no article in a heading
    """

    start: int
    end: int
    form: str
    stems: tuple[str, ...]
    senses: tuple[str, ...] | None
    edge: bool
    breaks: bool
    comma: bool
    sign: bool


@lru_cache(maxsize=65536)
def _meaning(form: str) -> tuple[tuple[str, ...], tuple[str, ...] | None, bool]:
    """Stems, senses, and whether a name can begin or end with it."""
    plain = form.split()
    kept = [word for word in plain if word not in LITTLE]
    senses = (
        None
        if any(word in DROPPED for word in kept)
        else tuple(s for word in kept for s in sense(word).split())
    )
    edge = bool(plain) and not (form in LITTLE or form in NEVER_AT_EDGE)
    return tuple(key(word) for word in kept), senses, edge


def words_of(text: str) -> list[Word]:
    """The words of a text, in order; cached, as the dictionary and the tagger need the same ones."""
    return list(_recent.of(text))


def _words_of(text: str) -> list[Word]:
    words: list[Word] = []
    before, form, last = 0, "", ""
    items = iter(item_starts(text))
    item = next(items, len(text) + 1)
    for match in _WORD.finditer(text):
        written = match.group()
        # "V" alone is a number after "factor", see `simplify`.
        numbered = form and written.casefold() in _NUMBERED
        form = simplify(f"{form} {written}").rpartition(" ")[2] if numbered else simplify(written)
        gap = text[before : match.start()]
        before = match.end()
        stems, senses, edge = _meaning(form)
        breaks = comma = False
        if gap != " ":
            breaks = (len(gap) > 1 and _BREAK.search(gap) is not None) or gap[:1] == '"'
            while item <= match.start():
                breaks, item = True, next(items, len(text) + 1)
            comma = "," in gap and " " in gap
        edge = edge or (len(written) > 1 and written.isupper())
        sign = written == "A" and gap == " " and not last.isupper()
        words.append(Word(match.start(), before, form, stems, senses, edge, breaks, comma, sign))
        last = written
    return words


_recent = RecentTexts(_words_of, characters=_CACHED)

"""Clinical shorthand, lay, brand and foreign names written out: "HTN" → "hypertension", "R hip OA" → "R hip osteoarthritis".

For strings without context, such as the cells of a column of diagnoses: a text defines its own short forms. The lists
`clinical_shorthand.tsv`, `drug_names.tsv`, `lay_names.tsv` and `foreign_names.tsv` were written for this project from general
clinical usage.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from linnet.read.rules import rows
from linnet.words.text import key

__all__ = ["Expansion", "expansions", "readings_of", "short_forms_in", "short_forms_of", "write_out_joined"]

_MAX_WORDS = 4  # words of a short form
_MOST = 3  # expansions of a text
_SMALL = 3  # letters of a short form up to which letter case counts in a string
_TOKEN = re.compile(r"\S+")
_PLURAL = re.compile(r"[A-Z]{2,}s")  # "DVTs"
_EDGE = "?!,;:()[]\"'"


class Expansion(NamedTuple):
    """A text with its short forms written out.

    share       how often, of texts like this, its short forms are read so: 0 to 1
    whole       whether the whole text is one short form
    is_synonym  whether all of them are lay, brand or foreign names, and no abbreviations
    """

    text: str
    share: float
    whole: bool
    is_synonym: bool = False


def expansions(text: str) -> list[Expansion]:
    """The text with all its short forms written out, the likeliest reading first; [] without a short form.

    One short form of several readings gives several texts, others their likeliest reading. Letter case counts for short
    forms of up to three letters, unless the text is all in capitals, or in small letters after the first.

    >>> [expansion.text for expansion in expansions("HTN")]
    ['hypertension']
    """
    found = list(_short_forms(text))
    if not found:
        return []
    whole = len(found) == 1 and found[0][0] == 0 and found[0][1] == len(text)
    is_synonym = all(text[start:stop].casefold() in _synonyms() for start, stop, _ in found)
    several = next((position for position, (_, _, readings) in enumerate(found) if len(readings) > 1), 0)
    expanded = []
    for reading in range(min(_MOST, len(found[several][2]))):
        parts, end, share = [], 0, 1.0
        for position, (start, stop, readings) in enumerate(found):
            long, usual = readings[reading if position == several else 0]
            parts += [text[end:start], long]
            end, share = stop, share * usual
        expanded.append(Expansion("".join([*parts, text[end:]]), share, whole, is_synonym))
    return expanded


def short_forms_in(text: str) -> list[tuple[int, int, str]]:
    """Start, end and likeliest reading of the short forms in running text, the longest where they overlap.

    Those of three letters also in small letters: what surrounds them says whether they are meant.
    """
    return [(start, end, readings[0][0]) for start, end, readings in _short_forms(text, small=_SMALL)]


def short_forms_of(name: str) -> list[str]:
    """The short forms whose likeliest reading is this name, apart from spelling and plural."""
    return _short_forms_by_key().get(key(name), [])


def write_out_joined(text: str) -> str:
    """The text with short forms written out that hold "/" or "&", which would otherwise join two things: "N/V"."""
    parts, end = [], 0
    for start, stop, readings in _short_forms(text):
        if any(c in text[start:stop] for c in "/&"):
            parts += [text[end:start], readings[0][0]]
            end = stop
    return "".join([*parts, text[end:]]) if parts else text


def _short_forms(
    text: str, *, small: int = _SMALL + 1
) -> Iterator[tuple[int, int, tuple[tuple[str, float], ...]]]:
    """Start, end and readings of the short forms in a text, the longest where they overlap.

    small  letters from which letter case does not count
    """
    (exact, folded), words = _table(), _words()
    one_case = text[1:].islower() or text.isupper()
    tokens = [_trimmed(text, match.start(), match.end()) for match in _TOKEN.finditer(text)]
    place = 0
    begins = _first_words()
    while place < len(tokens):
        first = text[slice(*tokens[place])].casefold()
        may_begin = not first or first in begins or first[:-1] in begins
        longest = min(len(tokens), place + _MAX_WORDS) if may_begin else place
        for last in range(longest, place, -1):
            start, end = tokens[place][0], tokens[last - 1][1]
            form = " ".join(text[start:end].split())
            readings = exact.get(form)
            if readings is not None and text.isupper() and form.casefold() in words and form != text.strip():
                readings = None
            plain = form.casefold()
            if readings is None and (len(plain) >= small or one_case) and plain not in words:
                readings = folded.get(plain)
            if readings is None and _PLURAL.fullmatch(form):
                readings = exact.get(form[:-1])
            if readings:
                yield start, end, readings
                place = last - 1
                break
        place += 1


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start] in _EDGE:
        start += 1
    while end > start and text[end - 1] in _EDGE:
        end -= 1
    if end - start > 2 and text[end - 1] == ".":
        end -= 1
    return start, end


Readings = tuple[tuple[str, float], ...]

_SHORTHAND = "clinical_shorthand"
_SYNONYMS = ("drug_names", "lay_names", "foreign_names")
_USUAL = 0.97  # share of a row without one


@cache
def readings_of() -> Mapping[str, Readings]:
    """Abbreviation of `clinical_shorthand.tsv`, as written → its readings with their shares, the likeliest first."""
    synonyms = _synonyms()
    return {short: readings for short, readings in _table()[0].items() if short.casefold() not in synonyms}


@cache
def _words() -> frozenset[str]:
    """Short forms that are also words: only as written in the list, and never in a text that is all capitals."""
    return frozenset(row["entry"] for row in rows("lists") if row["list"] == "short word")


@cache
def _table() -> tuple[Mapping[str, Readings], Mapping[str, Readings]]:
    """Short form → its readings with their shares, the likeliest first: as written; and case-folded, also without accents."""
    found: dict[str, list[tuple[str, float]]] = {}
    for name in (_SHORTHAND, *_SYNONYMS):
        for row in rows(name):
            if name == _SHORTHAND or row["short"] not in found:
                reading = row["long"], float(row.get("share") or _USUAL)
                found.setdefault(row["short"], []).append(reading)
    exact = {short: tuple(sorted(readings, key=lambda row: -row[1])) for short, readings in found.items()}
    folded: dict[str, Readings] = {}
    for short, readings in exact.items():
        folded.setdefault(short.casefold(), readings)
        folded.setdefault(_without_accents(short.casefold()), readings)
    return exact, folded


@cache
def _first_words() -> frozenset[str]:
    """Of all short forms, case-folded, also without accents."""
    return frozenset(form.split()[0] for form in _table()[1])


@cache
def _synonyms() -> frozenset[str]:
    """All lay, brand and foreign names, case-folded, also without accents."""
    names = {row["short"].casefold() for name in _SYNONYMS for row in rows(name)}
    return frozenset(names | set(map(_without_accents, names)))


def _without_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


@cache
def _short_forms_by_key() -> Mapping[str, list[str]]:
    forms: dict[str, list[str]] = {}
    for short, readings in _table()[0].items():
        forms.setdefault(key(readings[0][0]), []).append(short)
    return forms

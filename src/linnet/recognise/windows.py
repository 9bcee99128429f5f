"""Windows: the runs of words of a text that may be names, in each normal form that names are looked up by."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

from linnet.recognise.words import Word, words_of
from linnet.words.text import sense
from linnet.words.text_cache import RecentTexts

__all__ = ["Windows", "windows_of"]

_MOST_WORDS = 8  # of a window; 1 % of the names of MEDIC and MeSH are longer, and rarely occur in text
_SENSE_WORDS = 3  # longer windows are not looked up by sense
_ANY_DISEASE = sense("disease")  # "lesion" and "disorder" alone are too vague
_CACHED = 100_000  # characters of texts, as of their words


@dataclass(slots=True)
class Windows:
    """Windows without a break inside, as columns, as millions of small tuples would slow the garbage collector down.

    first, last  the words of each, `last` exclusive; by first word, longest first
    plain        `simplify` of each
    stems        `key` of each; None for a window that ends with the sign of a name ("hepatitis A"), which `key` drops
    whole        whether it is a name by its stems: no comma inside, no word twice ("asthma asthma")
    senses       `sense` of each; "" where it is not looked up by sense
    """

    first: list[int] = field(default_factory=list)
    last: list[int] = field(default_factory=list)
    plain: list[str] = field(default_factory=list)
    stems: list[str | None] = field(default_factory=list)
    whole: list[bool] = field(default_factory=list)
    senses: list[str] = field(default_factory=list)


def windows_of(text: str) -> Windows:
    """The windows of a text; cached, as the dictionary and the tagger need the same ones."""
    return _recent.of(text)


def _windows(words: Sequence[Word]) -> Windows:
    windows = Windows()
    add_first, add_last, add_plain, add_stems, add_whole, add_senses = (
        getattr(windows, name).append for name in Windows.__slots__
    )
    for first, word in enumerate(words):
        if not word.edge:
            continue
        begin = len(windows.plain)
        plain, stems, senses = "", list[str](), set[str]()
        whole = sensible = True
        for last, (_, _, form, own_stems, own_senses, edge, breaks, comma, sign) in enumerate(
            words[first : first + _MOST_WORDS], start=first + 1
        ):
            if last > first + 1:
                if breaks:
                    break
                whole = whole and not comma
            plain = f"{plain} {form}" if last > first + 1 else form
            for stem in own_stems:
                position = bisect_left(stems, stem)
                if stems[position : position + 1] == [stem]:
                    whole = False
                else:
                    stems.insert(position, stem)
            sensible = sensible and whole and own_senses is not None and last - first <= _SENSE_WORDS
            if sensible and own_senses:
                senses.update(own_senses)
            if not edge and not (sign and last > first + 1):
                continue
            add_first(first)
            add_last(last)
            add_plain(plain)
            add_stems(" ".join(stems) if edge else None)
            add_whole(whole and edge)
            by_sense = " ".join(sorted(senses)) if sensible and edge else ""
            add_senses("" if by_sense == _ANY_DISEASE else by_sense)
        for name in Windows.__slots__:  # longest first
            getattr(windows, name)[begin:] = getattr(windows, name)[begin:][::-1]
    return windows


_recent = RecentTexts(lambda text: _windows(words_of(text)), characters=_CACHED)

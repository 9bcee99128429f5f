"""Full-text search for people: concepts by words, beginnings of words ("myocard inf"), or id.

An index is what `linnet.terminology.search_files` writes. Names are numbered by *rank*, the order in which they are shown
where nothing else tells them apart: preferred names, then shorter ones, then lower rows. So the best of any set of names are
its lowest ranks, and a search looks at as many as it shows: in 7 million names every keystroke takes some milliseconds.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from math import log
from typing import Any, NamedTuple, Self

import numpy as np

from linnet import artifact
from linnet.curies import curie, is_known
from linnet.errors import DamagedError, MismatchError
from linnet.terminology.columns import Strings, read_columns
from linnet.terminology.search_files import ARRAYS, VERSION, write_search_files
from linnet.terminology.store import Terminology
from linnet.text import simplify, tokens

__all__ = ["Found", "SearchIndex"]

_MANIFEST = "index.json"
# Names that a search begins with, of many: those with one word, those that are compared with other words, and those
# with each word where no name has them all. Smaller ones cost more looks, larger ones a longer one.
_PIECE, _COMPARED, _SOME = 1 << 12, 1 << 14, 1 << 14
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"

Ranks = np.ndarray[Any, np.dtype[np.int32]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]
_Range = tuple[int, int]  # of places in the sorted words


class Found(NamedTuple):
    """A concept row, the name row through which it was found, and how: id, exact, prefix, words or some."""

    concept: int
    name: int
    match: str


class SearchIndex:
    """Words of all names of one terminology, opened for searching. Safe to share between threads."""

    def __init__(self, terminology: Terminology, words: Strings, arrays: dict[str, Any]) -> None:
        self.terminology = terminology
        self._words = words
        self._offsets, self._postings = arrays["offsets"], arrays["postings"]
        self._name_offsets, self._name_words = arrays["name_offsets"], arrays["name_words"]
        self._rows, self._order = arrays["rows"], arrays["order"]
        self._forms = _Forms(terminology, self._rows, self._order)

    @staticmethod
    def exists(terminology: Terminology) -> bool:
        """Whether the terminology has an index of its present content, as this version of linnet writes them."""
        file = terminology.path / "index" / "search" / _MANIFEST
        if not file.exists():
            return False
        text = file.read_text(encoding="utf-8")
        return f'"terminology": "{terminology.digest}"' in text and f'"index": {VERSION},' in text

    @classmethod
    def open(cls, terminology: Terminology, *, build: bool = True) -> Self:
        """Open the index of a terminology; where there is none, or one of an earlier content, build it first.

        Without `build`, raises StoreError or MismatchError instead. Raises DamagedError for a damaged index.
        """
        path = terminology.path / "index" / "search"
        rebuild = _rebuild(terminology)
        if build and not (path / _MANIFEST).exists():
            return cls.build(terminology)
        fields = artifact.read_manifest(path, _MANIFEST, what="search index", rebuild=rebuild)
        if fields.get("index") != VERSION or fields.get("terminology") != terminology.digest:
            if build:
                return cls.build(terminology)
            raise MismatchError(
                f"{path} was built from another content of the terminology, or by another version of linnet. Run: {rebuild}"
            )
        artifact.check(path, fields, rebuild=rebuild)
        words = read_columns(path / "words.arrow", rebuild=rebuild)["text"]
        return cls(
            terminology, words, {name: np.load(path / f"{name}.npy", mmap_mode="r") for name in ARRAYS}
        )

    @classmethod
    def build(cls, terminology: Terminology) -> Self:
        """Write the index beside the terminology and open it. Raises StoreError when the disk refuses."""
        with artifact.replacing_directory(terminology.path / "index" / "search") as draft:
            write_search_files(terminology, draft)
            fields = {
                "index": VERSION,
                "kind": "search",
                "options": {},
                "terminology": terminology.digest,
            }
            artifact.write_manifest(draft, _MANIFEST, fields)
        return cls.open(terminology, build=False)

    def search(self, query: str, *, k: int = 20, allowed: Mask | None = None) -> list[Found]:
        """At most k distinct concepts, best first.

        An id, also without its prefix, finds its concept only. Otherwise names equal to the query come first, then
        names that begin with it, names with all its words or words that begin with them, and names with some, the rarer
        the better. Within each of these preferred names come first, then shorter names, then lower rows. A word
        that begins no known word is read as the most frequent one that differs in one letter.

        allowed  (concepts,) which concepts may be found

        Raises DamagedError where the index is not what was written.
        """
        ids = self._ids(query.strip())
        if ids:
            rows = [self.terminology.row(id) for id in ids]
            return [
                Found(row, int(self.terminology.first_name[row]), "id")
                for row in rows
                if allowed is None or allowed[row]
            ][:k]
        found: dict[int, Found] = {}
        words = [self._corrected(word) for word in dict.fromkeys(tokens(query))]
        try:
            for match, ranks in self._tiers(words) if words else ():
                names = self._rows[ranks]
                concepts = self.terminology.name_concepts[names]
                if allowed is not None:
                    kept = allowed[concepts]
                    names, concepts = names[kept], concepts[kept]
                for name, concept in zip(names.tolist(), concepts.tolist(), strict=True):
                    if len(found) == k:
                        return list(found.values())
                    found.setdefault(concept, Found(concept, name, match))
        except (IndexError, ValueError):  # offsets that lead nowhere
            raise DamagedError(
                f"The search index of {self.terminology.path} is damaged. Run: {_rebuild(self.terminology)}"
            ) from None
        return list(found.values())

    def respelt(self, query: str, *, k: int = 20, allowed: Mask | None = None) -> list[Found]:
        """At most k distinct concepts with a name that begins with the query once its last word is changed by one letter, also
        where that word is known itself ("heart atac" is read as "heart attac"); shorter names first.

        Empty for a query of one word, which `search` corrects where it is unknown. `match` is "respelt".
        """
        *before, last = tokens(query) or [""]
        if not before or len(last) < 4 or not last.isalpha():
            return []
        start = " ".join(before) + " "
        forms = self._forms
        low, high = _range(forms, start)
        ranks = [np.zeros(0, np.int32)]
        for near in _one_edit_away(last):
            begin = bisect_left(forms, start + near, low, high)
            if begin < high and forms[begin].startswith(start + near):
                end = bisect_left(forms, f"{start}{near}\U0010ffff", begin, high)
                ranks.append(self._order[begin:end])
        found: dict[int, Found] = {}
        for name in self._rows[np.unique(np.concatenate(ranks))].tolist():
            concept = int(self.terminology.name_concepts[name])
            if allowed is None or allowed[concept]:
                found.setdefault(concept, Found(concept, name, "respelt"))
            if len(found) == k:
                break
        return list(found.values())

    def _ids(self, query: str) -> tuple[str, ...]:
        """The current ids that the query is an id of, written in any way."""
        if not query or (" " in query and not is_known(curie(query))):
            return ()
        spellings = [query, *(f"{source}:{query}" for source in self.terminology.source_names)]
        return next((ids for spelling in spellings if (ids := self.terminology.resolve(spelling))), ())

    def _tiers(self, words: list[str]) -> Iterator[tuple[str, Ranks]]:
        """Kinds of match with ranks of names, best first, in pieces; each is made only when it is needed."""
        form = " ".join(words)
        begin, end = _range(self._forms, form)
        equal = bisect_right(self._forms, form, begin, end)
        yield from (("exact", piece) for piece in self._best(self._order[begin:equal]))
        yield from (("prefix", piece) for piece in self._best(self._order[equal:end]))
        # The rarest first, which the others are compared with.
        parts = sorted((self._beginning(word) for word in words), key=self._count)
        known = [part for part in parts if self._count(part)]
        if known == parts:
            yield from (("words", piece) for piece in self._with_all(parts))
        if known and len(words) > 1:
            yield from (("some", piece) for piece in self._with_some(known))

    def _with_all(self, parts: Sequence[_Range]) -> Iterator[Ranks]:
        """Ranks of the names with all of the words, ascending, in pieces."""
        first, *others = parts
        for piece in self._best(self._ranks(first), _COMPARED if others else _PIECE):
            yield piece[self._has(piece, others).all(axis=1)] if others else piece

    def _with_some(self, parts: Sequence[_Range]) -> Iterator[Ranks]:
        """Ranks of names with some of the words, in pieces, those with more and rarer words first; of the names with a very
        common word some of the best."""
        yield from self._with_all(parts)
        weights = [log(1 + len(self._rows) / self._count(part)) for part in parts]
        ranks, said = np.zeros(0, np.int32), np.zeros(0, np.int32)
        for number, part in enumerate(parts, start=1):
            more = (piece for piece in self._best(self._ranks(part), _SOME) if len(piece))
            ranks = np.union1d(ranks, next(more))
            scores = (self._has(ranks, parts) * np.array(weights)).sum(axis=1)
            # No name that has none of the words so far has more than all others weigh.
            sure = np.flatnonzero(scores > sum(weights[number:]) + 1e-9)
            sure = sure[np.lexsort((ranks[sure], -scores[sure]))]
            fresh = ranks[sure][~np.isin(ranks[sure], said)]
            said = np.concatenate([said, fresh])
            yield fresh

    def _best(self, ranks: Ranks, size: int = _PIECE) -> Iterator[Ranks]:
        """The ranks, each once, ascending, in pieces: the first has some `size`, each next four times as many."""
        names = len(self._rows)
        low, high = 0, names if len(ranks) <= 2 * size else max(1, names * size // len(ranks))
        while low < names:
            whole = low == 0 and high >= names
            yield np.unique(ranks if whole else ranks[(ranks >= low) & (ranks < high)])
            low, high = high, 5 * high

    def _has(self, ranks: Ranks, parts: Sequence[_Range]) -> Mask:
        """(ranks, parts) whether each name has a word in each range. Every name must have a word."""
        begins = self._name_offsets[ranks]
        counts = self._name_offsets[ranks + 1] - begins
        if counts.sum() > len(self._name_words):
            raise IndexError
        firsts = np.cumsum(counts) - counts
        words = self._name_words[np.repeat(begins - firsts, counts) + np.arange(counts.sum())]
        found = np.zeros((len(ranks), len(parts)), dtype=bool)
        if len(ranks):
            for column, (begin, end) in enumerate(parts):
                found[:, column] = np.logical_or.reduceat((words >= begin) & (words < end), firsts)
        return found

    def _beginning(self, word: str) -> _Range:
        """The words that begin like this; of a number, only itself."""
        begin, end = _range(self._words, word)
        return (begin, bisect_right(self._words, word, begin, end)) if word.isdigit() else (begin, end)

    def _count(self, part: _Range) -> int:
        """Occurrences of some words."""
        return int(self._offsets[part[1]] - self._offsets[part[0]])

    def _ranks(self, part: _Range) -> Ranks:
        """Ranks of the names with some words; one may come twice."""
        return np.asarray(self._postings[self._offsets[part[0]] : self._offsets[part[1]]])

    def _corrected(self, word: str) -> str:
        """The word, or the most frequent known beginning of a word at one edit from it; numbers stay."""
        if self._count(self._beginning(word)) or len(word) < 4 or not word.isalpha():
            return word
        counts = {near: self._count(self._beginning(near)) for near in _one_edit_away(word)}
        best = max(counts, key=lambda near: (counts[near], near))
        return best if counts[best] else word


class _Forms(Sequence[str]):
    """The simplified names in sorted order, made when they are looked at."""

    def __init__(self, terminology: Terminology, rows: Ranks, order: Ranks) -> None:
        self._names, self._rows, self._order = terminology.names, rows, order

    def __len__(self) -> int:
        return len(self._order)

    def __getitem__(self, place: Any) -> Any:
        return simplify(self._names[int(self._rows[self._order[place]])])


def _rebuild(terminology: Terminology) -> str:
    return f"linnet terminology search {terminology.path} --rebuild"


def _range(texts: Any, beginning: str) -> _Range:
    """Where the texts, sorted, begin like this; an empty range, in its place, if none does."""
    begin = bisect_left(texts, beginning)
    if begin == len(texts) or not texts[begin].startswith(beginning):
        return begin, begin
    return begin, bisect_left(texts, beginning + "\U0010ffff", begin)


def _one_edit_away(word: str) -> set[str]:
    """All words with one letter dropped, swapped with the next, changed or added; the first letter is kept."""
    cuts = [(word[:i], word[i:]) for i in range(1, len(word) + 1)]
    found = {left + right[1:] for left, right in cuts if right}
    found |= {left + right[1] + right[0] + right[2:] for left, right in cuts if len(right) > 1}
    found |= {left + letter + right[1:] for left, right in cuts if right for letter in _LETTERS}
    found |= {left + letter + right for left, right in cuts for letter in _LETTERS}
    return found - {word}

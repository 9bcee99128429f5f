"""Full-text search for people: concepts by words, beginnings of words ("myocard inf"), or id.

`linnet.terminology.search_writer` writes the index. Names are numbered by *rank*, their display order if all else is equal:
preferred names, then shorter ones, then lower rows. The best names of any set thus have its lowest ranks, and a search
reads no more names than it shows: with 7 million names, a keystroke takes some milliseconds.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from math import log
from typing import Any, NamedTuple, Self

import numpy as np

from linnet.advice import Advice, Step
from linnet.arrays import Mask, Rows
from linnet.errors import DamagedError, MismatchError, StoreError
from linnet.io import artifact
from linnet.terminology.columns import Strings, read_columns
from linnet.terminology.search_writer import ARRAYS, VERSION, write_search_files
from linnet.terminology.store import Terminology
from linnet.words.curies import curie, is_known
from linnet.words.text import simplify, tokens

__all__ = ["Found", "SearchIndex"]

_MANIFEST = "index.json"
# Size of the first batch of names that a search reads: for one word, for comparison with other words, and for each word
# if no name has them all. Smaller batches need more passes, larger ones longer passes.
_BATCH, _COMPARED, _SOME = 1 << 12, 1 << 14, 1 << 14
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"

_Range = tuple[int, int]  # of places in the sorted words


class Found(NamedTuple):
    """A concept row, the name row that matched, and the kind of match: id, exact, prefix, words, some or respelt."""

    concept: int
    name: int
    match: str


class SearchIndex:
    """Index of the words of all names of one terminology. Safe to share between threads."""

    def __init__(self, terminology: Terminology, words: Strings, arrays: dict[str, Any]) -> None:
        self.terminology = terminology
        self._words = words
        self._offsets, self._postings = arrays["offsets"], arrays["postings"]
        self._name_offsets, self._name_words = arrays["name_offsets"], arrays["name_words"]
        self._rows, self._order = arrays["rows"], arrays["order"]
        self._forms = _Forms(terminology, self._rows, self._order)

    @staticmethod
    def exists(terminology: Terminology) -> bool:
        """Whether the terminology has an index of its current content in the current format."""
        try:
            return _is_current(_read_manifest(terminology), terminology)
        except StoreError:
            return False

    @classmethod
    def open(cls, terminology: Terminology, *, build: bool = True) -> Self:
        """Open the index of a terminology, building it first if it is missing or outdated.

        Without `build`, raises StoreError or MismatchError instead. Raises DamagedError for a damaged index.
        """
        path = terminology.path / "index" / "search"
        rebuild = _rebuild(terminology)
        if build and not (path / _MANIFEST).exists():
            return cls.build(terminology)
        fields = _read_manifest(terminology)
        if not _is_current(fields, terminology):
            if build:
                return cls.build(terminology)
            raise MismatchError(
                f"{path} was built from other content of the terminology, or by another version of linnet.",
                rebuild,
            )
        artifact.check(path, fields, rebuild=rebuild)
        words = read_columns(path / "words.arrow", rebuild=rebuild)["text"]
        return cls(
            terminology, words, {name: np.load(path / f"{name}.npy", mmap_mode="r") for name in ARRAYS}
        )

    @classmethod
    def build(cls, terminology: Terminology) -> Self:
        """Write the index beside the terminology and open it. Raises StoreError if the disk cannot be written."""
        with artifact.replacing_directory(terminology.path / "index" / "search") as draft:
            write_search_files(terminology, draft)
            fields = {"index": VERSION, "kind": "search", "options": {}, "terminology": terminology.digest}
            artifact.write_manifest(draft, _MANIFEST, fields)
        return cls.open(terminology, build=False)

    def search(self, query: str, *, k: int = 20, allowed: Mask | None = None) -> list[Found]:
        """At most k distinct concepts, best first.

        An id, with or without its prefix, finds only its concept. Otherwise, names equal to the query come first, then
        names that begin with it, names with all its words (or words that begin with them), and names with some of
        them, rarer words first. Ties: preferred names, then shorter names, then lower rows. A word that begins no known
        word is replaced by the most frequent one that differs in one letter.

        allowed  (concepts,) which concepts may be found

        Raises DamagedError if the index is damaged.
        """
        ids = self._ids(query.strip())
        if ids:
            rows = [self.terminology.row(id) for id in ids]
            return [
                Found(row, int(self.terminology.first_name[row]), "id")
                for row in rows
                if allowed is None or allowed[row]
            ][:k]
        results: dict[int, Found] = {}
        words = [self._corrected(word) for word in dict.fromkeys(tokens(query))]
        try:
            for match, ranks in self._tiers(words) if words else ():
                names = self._rows[ranks]
                concepts = self.terminology.name_concepts[names]
                if allowed is not None:
                    kept = allowed[concepts]
                    names, concepts = names[kept], concepts[kept]
                for name, concept in zip(names.tolist(), concepts.tolist(), strict=True):
                    if len(results) == k:
                        return list(results.values())
                    results.setdefault(concept, Found(concept, name, match))
        except (IndexError, ValueError):  # invalid offsets
            raise DamagedError(
                f"The search index of {self.terminology.path} is damaged.", _rebuild(self.terminology)
            ) from None
        return list(results.values())

    def respelt(self, query: str, *, k: int = 20, allowed: Mask | None = None) -> list[Found]:
        """At most k distinct concepts with a name that begins with the query after one edit of its last word; shorter names
        first. The word may itself be known ("heart atac" is read as "heart attac").

        Empty for a one-word query, which `search` corrects. `match` is "respelt".
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
        results: dict[int, Found] = {}
        for name in self._rows[np.unique(np.concatenate(ranks))].tolist():
            concept = int(self.terminology.name_concepts[name])
            if allowed is None or allowed[concept]:
                results.setdefault(concept, Found(concept, name, "respelt"))
            if len(results) == k:
                break
        return list(results.values())

    def _ids(self, query: str) -> tuple[str, ...]:
        """The current ids if the query is an id in any spelling, else ()."""
        if not query or (" " in query and not is_known(curie(query))):
            return ()
        spellings = [query, *(f"{source}:{query}" for source in self.terminology.source_names)]
        return next((ids for spelling in spellings if (ids := self.terminology.resolve(spelling))), ())

    def _tiers(self, words: list[str]) -> Iterator[tuple[str, Rows]]:
        """Kinds of match with batches of name ranks, best first, computed lazily."""
        form = " ".join(words)
        begin, end = _range(self._forms, form)
        equal = bisect_right(self._forms, form, begin, end)
        yield from (("exact", batch) for batch in self._best(self._order[begin:equal]))
        yield from (("prefix", batch) for batch in self._best(self._order[equal:end]))
        # The rarest first, which the others are compared with.
        ranges = sorted((self._beginning(word) for word in words), key=self._count)
        known = [word_range for word_range in ranges if self._count(word_range)]
        if known == ranges:
            yield from (("words", batch) for batch in self._with_all(ranges))
        if known and len(words) > 1:
            yield from (("some", batch) for batch in self._with_some(known))

    def _with_all(self, ranges: Sequence[_Range]) -> Iterator[Rows]:
        """Batches of ranks of the names with all the words, ascending."""
        first, *others = ranges
        for batch in self._best(self._ranks(first), _COMPARED if others else _BATCH):
            yield batch[self._has(batch, others).all(axis=1)] if others else batch

    def _with_some(self, ranges: Sequence[_Range]) -> Iterator[Rows]:
        """Batches of ranks of names with some of the words, more and rarer words first; of a very common word, only some of
        the best names."""
        yield from self._with_all(ranges)
        weights = [log(1 + len(self._rows) / self._count(word_range)) for word_range in ranges]
        ranks, yielded = np.zeros(0, np.int32), np.zeros(0, np.int32)
        for number, word_range in enumerate(ranges, start=1):
            batches = (batch for batch in self._best(self._ranks(word_range), _SOME) if len(batch))
            ranks = np.union1d(ranks, next(batches))
            # Rounded, so that no last bit orders names whose words are equally rare.
            scores = np.round((self._has(ranks, ranges) * np.array(weights)).sum(axis=1), 6)
            # A name with none of the words so far scores at most the weight of the others.
            sure = np.flatnonzero(scores > round(sum(weights[number:]), 6))
            sure = sure[np.lexsort((ranks[sure], -scores[sure]))]
            fresh = ranks[sure][~np.isin(ranks[sure], yielded)]
            yielded = np.concatenate([yielded, fresh])
            yield fresh

    def _best(self, ranks: Rows, size: int = _BATCH) -> Iterator[Rows]:
        """Batches of the distinct ranks, ascending: the first holds about `size`, each next one four times as many."""
        names = len(self._rows)
        low, high = 0, names if len(ranks) <= 2 * size else max(1, names * size // len(ranks))
        while low < names:
            whole = low == 0 and high >= names
            yield np.unique(ranks if whole else ranks[(ranks >= low) & (ranks < high)])
            low, high = high, 5 * high

    def _has(self, ranks: Rows, ranges: Sequence[_Range]) -> Mask:
        """(ranks, ranges) whether each name has a word in each range. Every name must have a word."""
        begins = self._name_offsets[ranks]
        counts = self._name_offsets[ranks + 1] - begins
        if counts.sum() > len(self._name_words):
            raise IndexError
        firsts = np.cumsum(counts) - counts
        words = self._name_words[np.repeat(begins - firsts, counts) + np.arange(counts.sum())]
        has = np.zeros((len(ranks), len(ranges)), dtype=bool)
        if len(ranks):
            for column, (begin, end) in enumerate(ranges):
                has[:, column] = np.logical_or.reduceat((words >= begin) & (words < end), firsts)
        return has

    def _beginning(self, word: str) -> _Range:
        """The words that begin with this word; for a number, only the number itself."""
        begin, end = _range(self._words, word)
        return (begin, bisect_right(self._words, word, begin, end)) if word.isdigit() else (begin, end)

    def _count(self, words: _Range) -> int:
        """Number of occurrences of the words."""
        return int(self._offsets[words[1]] - self._offsets[words[0]])

    def _ranks(self, words: _Range) -> Rows:
        """Ranks of the names with any of the words, with repeats."""
        return np.asarray(self._postings[self._offsets[words[0]] : self._offsets[words[1]]])

    def _corrected(self, word: str) -> str:
        """The word if known or a number, else the most frequent beginning of a word one edit away, if any."""
        if self._count(self._beginning(word)) or len(word) < 4 or not word.isalpha():
            return word
        counts = {near: self._count(self._beginning(near)) for near in _one_edit_away(word)}
        best = max(counts, key=lambda near: (counts[near], near))
        return best if counts[best] else word


class _Forms(Sequence[str]):
    """The simplified names in sorted order, computed on access."""

    def __init__(self, terminology: Terminology, rows: Rows, order: Rows) -> None:
        self._names, self._rows, self._order = terminology.names, rows, order

    def __len__(self) -> int:
        return len(self._order)

    def __getitem__(self, place: Any) -> Any:
        return simplify(self._names[int(self._rows[self._order[place]])])


def _read_manifest(terminology: Terminology) -> dict[str, Any]:
    """The manifest of the index. Raises StoreError if there is none, DamagedError if it is invalid."""
    path = terminology.path / "index" / "search"
    return artifact.read_manifest(path, _MANIFEST, what="search index", rebuild=_rebuild(terminology))


def _is_current(fields: Mapping[str, Any], terminology: Terminology) -> bool:
    """Whether a manifest is of this format and of this content."""
    return fields.get("index") == VERSION and fields.get("terminology") == terminology.digest


def _rebuild(terminology: Terminology) -> Advice:
    return Step.BUILD_SEARCH(terminology=terminology.path)


def _range(texts: Any, beginning: str) -> _Range:
    """Range of the sorted texts that begin with `beginning`; an empty range at its place if none does."""
    begin = bisect_left(texts, beginning)
    if begin == len(texts) or not texts[begin].startswith(beginning):
        return begin, begin
    return begin, bisect_left(texts, beginning + "\U0010ffff", begin)


def _one_edit_away(word: str) -> set[str]:
    """All words with one letter dropped, swapped with the next, changed or added; the first letter is kept."""
    cuts = [(word[:i], word[i:]) for i in range(1, len(word) + 1)]
    words = {left + right[1:] for left, right in cuts if right}
    words |= {left + right[1] + right[0] + right[2:] for left, right in cuts if len(right) > 1}
    words |= {left + letter + right[1:] for left, right in cuts if right for letter in _LETTERS}
    words |= {left + letter + right for left, right in cuts for letter in _LETTERS}
    return words - {word}

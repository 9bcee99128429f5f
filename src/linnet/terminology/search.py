"""Full-text search for people: concepts by words, beginnings of words ("myocard inf"), or id.

On disk, in `index/search/`, memory-mapped:

    words.arrow         distinct words of all names (`linnet.text.tokens`), sorted
    offsets.npy         (words + 1,) where each word's postings begin
    postings.npy        name rows, ascending within a word
    order.npy           (names,) name rows sorted by simplified name

Words are sorted, so all words with one beginning are a range, and their postings one slice.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linnet import artifact
from linnet.curies import curie
from linnet.errors import MismatchError
from linnet.terminology.columns import Strings, read_columns, write_columns
from linnet.terminology.store import Terminology
from linnet.text import simplify, tokens

__all__ = ["Found", "SearchIndex"]

_VERSION = 1
_MANIFEST = "index.json"
_ARRAYS = ("offsets", "postings", "order")
# Names normalised at a time while building.
_CHUNK = 1 << 16
# Names looked at in one tier before distinct concepts are counted; enough for concepts with hundreds of names.
_DEPTH = 4096
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"

Rows = np.ndarray[Any, np.dtype[np.int32]]
Keys = np.ndarray[Any, np.dtype[np.int64]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]


class Found(NamedTuple):
    """A concept row, the name row through which it was found, and how: id, exact, prefix, words or some."""

    concept: int
    name: int
    match: str


class SearchIndex:
    """Words of all names of one terminology, opened for searching."""

    def __init__(self, terminology: Terminology, words: Strings, arrays: dict[str, Any]) -> None:
        self.terminology = terminology
        self._words = words
        self._offsets, self._postings, self._order = (arrays[name] for name in _ARRAYS)
        self._forms = _Forms(terminology, self._order)

    @staticmethod
    def exists(terminology: Terminology) -> bool:
        """Whether the terminology has an index of its present content."""
        file = terminology.path / "index" / "search" / _MANIFEST
        return file.exists() and f'"terminology": "{terminology.digest}"' in file.read_text(encoding="utf-8")

    @classmethod
    def open(cls, terminology: Terminology, *, build: bool = True) -> Self:
        """Open the index of a terminology; where there is none, or one of an earlier content, build it first.

        Without `build`, raises StoreError or MismatchError instead. Raises DamagedError for a damaged index.
        """
        path = terminology.path / "index" / "search"
        rebuild = f"linnet terminology search {terminology.path} --rebuild"
        if build and not (path / _MANIFEST).exists():
            return cls.build(terminology)
        fields = artifact.read_manifest(path, _MANIFEST, what="search index", rebuild=rebuild)
        if fields.get("index") != _VERSION or fields.get("terminology") != terminology.digest:
            if build:
                return cls.build(terminology)
            raise MismatchError(f"{path} was built from another content of the terminology. Run: {rebuild}")
        artifact.check(path, fields, rebuild=rebuild)
        words = read_columns(path / "words.arrow", rebuild=rebuild)["text"]
        return cls(
            terminology, words, {name: np.load(path / f"{name}.npy", mmap_mode="r") for name in _ARRAYS}
        )

    @classmethod
    def build(cls, terminology: Terminology) -> Self:
        """Write the index beside the terminology and open it. Raises StoreError when the disk refuses."""
        with artifact.replacing_directory(terminology.path / "index" / "search") as draft:
            _write(terminology, draft)
            fields = {
                "index": _VERSION,
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
        for match, names in self._tiers(words, allowed) if words else ():
            for name in names:
                concept = int(self.terminology.name_concepts[name])
                if len(found) == k:
                    return list(found.values())
                found.setdefault(concept, Found(concept, int(name), match))
        return list(found.values())

    def _ids(self, query: str) -> tuple[str, ...]:
        """The current ids that the query is an id of, written in any way."""
        if not query or " " in query:
            return ()
        spellings = [query, curie(query), *(f"{source}:{query}" for source in self.terminology.source_names)]
        return next((ids for spelling in spellings if (ids := self.terminology.resolve(spelling))), ())

    def _tiers(self, words: list[str], allowed: Mask | None) -> Iterator[tuple[str, Rows]]:
        """Kinds of match with their name rows, best first; each is made only when it is needed."""
        form = " ".join(words)
        begin, end = _range(self._forms, form)
        equal = bisect_right(self._forms, form, begin, end)
        yield "exact", self._best(self._order[begin:equal], allowed)
        yield "prefix", self._best(self._order[equal:end], allowed)
        parts = [self._rows(word) for word in words]
        together = np.unique(min(parts, key=len))
        for part in parts:
            together = together[self._mask(part)[together]]
        yield "words", self._best(together, allowed)
        if len(words) > 1:
            yield "some", self._some(parts, allowed)

    def _some(self, parts: Sequence[Rows], allowed: Mask | None) -> Rows:
        """Name rows with some of the words, those with more and rarer words first."""
        count = len(self._order)
        weights = np.zeros(count, np.float32)
        for part in parts:
            if len(part):
                weights[self._mask(part)] += np.float32(np.log(1 + count / len(part)))
        rows = self._allowed(np.flatnonzero(weights).astype(np.int32), allowed)
        if len(rows) > _DEPTH:
            rows = rows[np.argpartition(-weights[rows], _DEPTH)[:_DEPTH]]
        return rows[np.lexsort((self._keys(rows), -weights[rows]))]

    def _best(self, rows: Rows, allowed: Mask | None) -> Rows:
        """Name rows in the order they are shown: preferred names, then shorter ones."""
        keys = self._keys(self._allowed(rows, allowed))
        if len(keys) > _DEPTH:
            keys = np.partition(keys, _DEPTH)[:_DEPTH]
        return (np.sort(keys) & 0xFFFFFFFF).astype(np.int32)

    def _allowed(self, rows: Rows, allowed: Mask | None) -> Rows:
        return rows if allowed is None else rows[allowed[self.terminology.name_concepts[rows]]]

    def _keys(self, rows: Rows) -> Keys:
        """(rows,) numbers that sort as names are shown: whether preferred, bytes of the name, row."""
        offsets = self.terminology.names.offsets
        lengths = np.minimum(offsets[rows + 1] - offsets[rows], 0xFFFF).astype(np.int64)
        keys: Keys = (~self.terminology.preferred[rows]).astype(np.int64) << 48 | lengths << 32 | rows
        return keys

    def _mask(self, rows: Rows) -> Mask:
        mask = np.zeros(len(self._order), dtype=bool)
        mask[rows] = True
        return mask

    def _rows(self, word: str) -> Rows:
        """Name rows with a word that begins like this, or with this number; one row may come twice."""
        begin, end = _range(self._words, word)
        if word.isdigit():
            end = bisect_right(self._words, word, begin, end)
        return np.asarray(self._postings[self._offsets[begin] : self._offsets[end]])

    def _corrected(self, word: str) -> str:
        """The word, or the most frequent known beginning of a word at one edit from it; numbers stay."""
        if len(self._rows(word)) or len(word) < 4 or not word.isalpha():
            return word
        counts = {near: len(self._rows(near)) for near in _one_edit_away(word)}
        best = max(counts, key=lambda near: (counts[near], near))
        return best if counts[best] else word


class _Forms(Sequence[str]):
    """The simplified names in sorted order, made when they are looked at."""

    def __init__(self, terminology: Terminology, order: Rows) -> None:
        self._names, self._order = terminology.names, order

    def __len__(self) -> int:
        return len(self._order)

    def __getitem__(self, place: Any) -> Any:
        return simplify(self._names[int(self._order[place])])


def _range(texts: Any, beginning: str) -> tuple[int, int]:
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


def _write(terminology: Terminology, draft: Path) -> None:
    codes: dict[str, int] = {}
    occurrences, owners = array("i"), array("i")
    forms = []
    names = terminology.names
    for start in range(0, len(names), _CHUNK):
        chunk = names.take(range(start, min(start + _CHUNK, len(names))))
        simplified = [simplify(name) for name in chunk]
        forms.append(pa.array(simplified, pa.large_string()))
        for row, form in enumerate(simplified, start=start):
            for word in set(form.split()):
                occurrences.append(codes.setdefault(word, len(codes)))
                owners.append(row)
    words = sorted(codes)
    places = np.empty(len(words), np.int32)
    places[[codes[word] for word in words]] = np.arange(len(words), dtype=np.int32)
    placed = places[np.frombuffer(occurrences, np.int32)] if len(occurrences) else np.zeros(0, np.int32)
    by_word = np.argsort(placed, kind="stable")
    write_columns(draft / "words.arrow", {"text": pa.array(words, pa.string())})
    np.save(draft / "offsets.npy", np.searchsorted(placed[by_word], np.arange(len(words) + 1)))
    np.save(draft / "postings.npy", np.frombuffer(owners, np.int32)[by_word] if len(owners) else placed)
    np.save(
        draft / "order.npy",
        pc.array_sort_indices(pa.chunked_array(forms).combine_chunks()).to_numpy().astype(np.int32),
    )

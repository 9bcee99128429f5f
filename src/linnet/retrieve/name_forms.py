"""The distinct normal forms of a terminology's names: what sparse retrieval weighs and searches, once each.

A *form* is a position among them, in the order of the first name that has it. Tens of thousands of names differ
from another only in case, punctuation or the order of rows; they share a form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np

from linnet.arrays import Hashes, Ints, Mask, Rows
from linnet.files import replacing
from linnet.retrieve.hashing import hash_texts
from linnet.retrieve.memory_map import damaged, map_array
from linnet.retrieve.ragged import concatenated_ranges
from linnet.terminology import Terminology
from linnet.text import simplify

__all__ = ["FormTexts", "NameForms"]

# Names simplified at a time; bounds the Python strings and n-grams held at once.
_CHUNK = 1 << 14


class NameForms:
    """Which names have which form, memory-mapped.

    starts  (F + 1,) the names of form f are `names[starts[f]:starts[f + 1]]`
    names   (names,) name rows, ascending within a form
    """

    def __init__(self, starts: Ints, names: Rows, concepts: Rows, path: Path) -> None:
        self.starts, self.names, self._concepts, self._path = starts, names, concepts, path

    def __len__(self) -> int:
        return len(self._concepts)

    @cached_property
    def concepts(self) -> Rows:
        """(F,) a concept of each form: that of its first name. Raises DamagedError where one is none."""
        # Every concept has a name, so there are no more of them. What uses it makes a table of so many cells.
        _check(self._concepts, below=len(self.names), file=self._path / "forms.concepts.npy")
        return self._concepts

    @classmethod
    def write(
        cls, path: Path, terminology: Terminology, *, form: Callable[[str], str] = simplify
    ) -> tuple[Self, FormTexts]:
        """Bring all names to their form and write `forms.*.npy`; the texts of the forms come back for building with."""
        names = terminology.names.array
        chunks = [
            "\n".join(map(form, names.slice(start, _CHUNK).to_pylist()))
            for start in range(0, len(names), _CHUNK)
        ]
        hashes = np.concatenate([hash_texts(chunk.split("\n")) for chunk in chunks])
        _, first, numbers = np.unique(hashes, return_index=True, return_inverse=True)
        # np.unique numbers forms by hash; number them by first name instead.
        by_name = np.argsort(first)
        place = np.empty(len(first), np.int64)
        place[by_name] = np.arange(len(first))
        numbers = place[numbers]
        rows = np.argsort(numbers, kind="stable").astype(np.int32)
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.bincount(numbers))])
        np.save(path / "forms.starts.npy", starts)
        np.save(path / "forms.names.npy", rows)
        np.save(path / "forms.concepts.npy", terminology.name_concepts[rows[starts[:-1]]])
        is_first = np.zeros(len(names), dtype=bool)
        is_first[first] = True
        return cls.open(path), FormTexts(chunks, is_first, hashes[np.flatnonzero(is_first)])

    @classmethod
    def open(cls, path: Path) -> Self:
        """What `write` wrote."""
        starts, names, concepts = (
            map_array(path / f"forms.{part}.npy") for part in ("starts", "names", "concepts")
        )
        return cls(starts, names, concepts, path)

    def reorder(self, path: Path, order: Ints) -> Self:
        """Write these forms anew in another order: the first is to be the one that was `order[0]`."""
        counts = self._sizes()[order]
        names, concepts = self.names[concatenated_ranges(self.starts[order], counts)], self.concepts[order]
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        for part, values in (("starts", starts), ("names", names), ("concepts", concepts)):
            with replacing(path / f"forms.{part}.npy") as draft, draft.open("wb") as stream:
                np.save(stream, values)
        return self.open(path)

    def named(self, forms: Rows) -> tuple[Ints, Rows]:
        """For each of these forms in turn, all its name rows; and the position of its form among `forms`.

        Raises DamagedError where a form or its names are none: an index was altered.
        """
        _check(forms, below=len(self), file=self._path)
        starts, ends = self.starts[forms], self.starts[forms + 1]
        if len(forms) and not (
            starts.min() >= 0 and np.all(starts <= ends) and ends.max() <= len(self.names)
        ):
            raise damaged(self._path / "forms.starts.npy")
        counts = ends - starts
        names = self.names[concatenated_ranges(starts, counts)]
        _check(names, below=len(self.names), file=self._path / "forms.names.npy")
        return np.repeat(np.arange(len(forms)), counts), names

    @cached_property
    def of_names(self) -> Rows:
        """(names,) the form of each name row."""
        of = np.zeros(len(self.names), np.int32)
        of[self.names] = np.repeat(np.arange(len(self), dtype=np.int32), self._sizes())
        return of

    def _sizes(self) -> Ints:
        """(F,) how many names each form has, for what goes through all of them. Raises DamagedError where rows are none."""
        counts = np.diff(self.starts)
        if self.starts[0] != 0 or self.starts[-1] != len(self.names) or np.any(counts < 0):
            raise damaged(self._path / "forms.starts.npy")
        _check(self.names, below=len(self.names), file=self._path / "forms.names.npy")
        return counts

    def allowed(self, terminology: Terminology, concepts: Mask) -> tuple[Mask, Rows]:
        """(F,) which forms name an allowed concept, and (F,) the first such concept, −1 where none is."""
        form = np.repeat(np.arange(len(self)), self._sizes())
        owners = terminology.name_concepts[self.names]
        at = np.flatnonzero(concepts[owners])[::-1]
        first = np.full(len(self), -1, np.int32)
        first[form[at]] = owners[at]  # the last assignment stands: the first allowed name's
        return first >= 0, first


def _check(rows: Rows, *, below: int, file: Path) -> None:
    """Raise DamagedError where a row is none."""
    if len(rows) and not (rows.min() >= 0 and rows.max() < below):
        raise damaged(file)


class FormTexts:
    """The texts of all forms, in order, some thousands at a time; iterable more than once.

    hashes  (F,) of each text, see `hash_texts`
    """

    def __init__(self, chunks: list[str], is_first: Mask, hashes: Hashes) -> None:
        self._chunks, self._is_first, self.hashes = chunks, is_first, hashes

    def __iter__(self) -> Iterator[list[str]]:
        for number, chunk in enumerate(self._chunks):
            kept = self._is_first[number * _CHUNK : (number + 1) * _CHUNK]
            yield [text for text, first in zip(chunk.split("\n"), kept, strict=True) if first]

    def after(self, start: int) -> Iterator[tuple[int, list[str]]]:
        """From form `start` on, the first of some thousands, those thousands again, each with the number of its first."""
        first = 0
        for texts in self:
            if first >= start:
                yield first, texts
            first += len(texts)

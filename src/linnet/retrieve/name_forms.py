"""The distinct normal forms of a terminology's names, each of which is indexed once.

A *form* is a position among them, in the order of the first name that has it. Tens of thousands of names differ
from another only in case, punctuation or row order; they share a form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np

from linnet.arrays import Hashes, Ints, Mask, Rows
from linnet.io.files import replacing
from linnet.retrieve.hashing import hash_texts
from linnet.retrieve.memory_map import damaged, map_array
from linnet.retrieve.ragged import concatenated_ranges, offsets
from linnet.terminology import Terminology
from linnet.words.text import simplify

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
        """(F,) the concept of each form's first name. Raises DamagedError if one is out of range."""
        # Callers make tables with a cell for each. Every concept has a name, so there are no more concepts than names.
        _check(self._concepts, below=len(self.names), file=self._path / "forms.concepts.npy")
        return self._concepts

    @classmethod
    def write(
        cls, path: Path, terminology: Terminology, *, form: Callable[[str], str] = simplify
    ) -> tuple[Self, FormTexts]:
        """Normalise all names and write `forms.*.npy`; also returns the texts of the forms, to build an index with."""
        names = terminology.names.array
        chunks = [
            "\n".join(map(form, names.slice(start, _CHUNK).to_pylist()))
            for start in range(0, len(names), _CHUNK)
        ]
        hashes = np.concatenate([hash_texts(chunk.split("\n")) for chunk in chunks])
        _, first, numbers = np.unique(hashes, return_index=True, return_inverse=True)
        # np.unique numbers forms by hash; number them by first name instead.
        position = np.empty(len(first), np.int64)
        position[np.argsort(first)] = np.arange(len(first))
        numbers = position[numbers]
        rows = np.argsort(numbers, kind="stable").astype(np.int32)
        starts = offsets(np.bincount(numbers))
        np.save(path / "forms.starts.npy", starts)
        np.save(path / "forms.names.npy", rows)
        np.save(path / "forms.concepts.npy", terminology.name_concepts[rows[starts[:-1]]])
        is_first = np.zeros(len(names), dtype=bool)
        is_first[first] = True
        return cls.open(path), FormTexts(chunks, is_first, hashes[np.flatnonzero(is_first)])

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open what `write` wrote."""
        starts, names, concepts = (
            map_array(path / f"forms.{name}.npy") for name in ("starts", "names", "concepts")
        )
        return cls(starts, names, concepts, path)

    def reorder(self, path: Path, order: Ints) -> Self:
        """Write these forms in another order: form i is the one that was `order[i]`."""
        counts = self._counts()[order]
        names, concepts = self.names[concatenated_ranges(self.starts[order], counts)], self.concepts[order]
        for name, values in (("starts", offsets(counts)), ("names", names), ("concepts", concepts)):
            with replacing(path / f"forms.{name}.npy") as draft, draft.open("wb") as stream:
                np.save(stream, values)
        return self.open(path)

    def named(self, forms: Rows) -> tuple[Ints, Rows]:
        """All name rows of these forms in turn, each with the position of its form among `forms`.

        Raises DamagedError if a form or a name row is out of range.
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
        form = np.zeros(len(self.names), np.int32)
        form[self.names] = np.repeat(np.arange(len(self), dtype=np.int32), self._counts())
        return form

    def allowed(self, terminology: Terminology, concepts: Mask) -> tuple[Mask, Rows]:
        """(F,) which forms name an allowed concept, and (F,) the first such concept, −1 if there is none."""
        form = np.repeat(np.arange(len(self)), self._counts())
        owners = terminology.name_concepts[self.names]
        at = np.flatnonzero(concepts[owners])[::-1]
        first = np.full(len(self), -1, np.int32)
        first[form[at]] = owners[at]  # the last assignment remains: that of the first allowed name
        return first >= 0, first

    def _counts(self) -> Ints:
        """(F,) the number of names of each form, after a check of all rows. Raises DamagedError."""
        counts = np.diff(self.starts)
        if self.starts[0] != 0 or self.starts[-1] != len(self.names) or np.any(counts < 0):
            raise damaged(self._path / "forms.starts.npy")
        _check(self.names, below=len(self.names), file=self._path / "forms.names.npy")
        return counts


def _check(rows: Rows, *, below: int, file: Path) -> None:
    """Raise DamagedError if a row is out of range."""
    if len(rows) and not (rows.min() >= 0 and rows.max() < below):
        raise damaged(file)


class FormTexts:
    """The texts of all forms, in order, in batches of some thousands. Iterable more than once.

    hashes  (F,) of each text, see `hash_texts`
    """

    def __init__(self, chunks: list[str], is_first: Mask, hashes: Hashes) -> None:
        self._chunks, self._is_first, self.hashes = chunks, is_first, hashes

    def __iter__(self) -> Iterator[list[str]]:
        for number, chunk in enumerate(self._chunks):
            is_first = self._is_first[number * _CHUNK : (number + 1) * _CHUNK]
            yield [text for text, first in zip(chunk.split("\n"), is_first, strict=True) if first]

    def after(self, start: int) -> Iterator[tuple[int, list[str]]]:
        """The batches from form `start` on, which must begin a batch, each with the number of its first form."""
        first = 0
        for texts in self:
            if first >= start:
                yield first, texts
            first += len(texts)

"""What is known of the rows of `Hits`, remembered in arrays, so that a batch looks it up at once."""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np

from linnet.rerank.memory import Memory, kind_of
from linnet.rerank.names import Strings, hash_of
from linnet.rerank.reranker import Concepts

__all__ = ["FACTS", "Rows"]

Ints = np.ndarray[Any, np.dtype[np.int64]]
Slots = np.ndarray[Any, np.dtype[np.int32]]
Floats = np.ndarray[Any, np.dtype[np.float32]]

FACTS = ("names", "children", "parents", "prior", "kind of id")
"""Logarithms of 1 + the number of names, children, parents and training mentions; the kind's of `Memory.kinds`."""


class Rows:
    """The concept and name rows of one `Concepts`: which string a name is, and the facts of a concept."""

    def __init__(self, concepts: Concepts, strings: Strings, memory: Memory) -> None:
        self._concepts, self._strings, self._memory = concepts, strings, memory
        self._lock = Lock()
        self._name_slots: Slots = np.full(0, -1, np.int32)
        self._concept_slots: Slots = np.full(0, -1, np.int32)
        self._preferred: Ints = np.zeros(0, np.int64)
        self._ids: Ints = np.zeros(0, np.int64)
        self._facts: Floats = np.zeros((0, len(FACTS)), np.float32)

    def names(self, rows: Ints) -> Ints:
        """(M,) rows of `strings` of name rows."""
        with self._lock:
            self._name_slots, new = _missing(self._name_slots, rows)
            if len(new):
                texts = [self._concepts.name_text(int(row)) for row in new]
                self._name_slots[new] = self._strings.rows(texts)
            return self._name_slots[rows].astype(np.int64)

    def concepts(self, rows: Ints) -> tuple[Ints, Ints, Floats]:
        """(M,) rows of `strings` of preferred names, (M,) hashes of ids, (M, FACTS) facts of concept rows."""
        with self._lock:
            self._concept_slots, new = _missing(self._concept_slots, rows)
            if len(new):
                first = len(self._ids)
                ids = [self._concepts.id(int(row)) for row in new]
                preferred = [self._concepts.preferred_name(int(row)) for row in new]
                facts = np.array([self._fact(int(row), id) for row, id in zip(new, ids, strict=True)])
                counts = self._memory.concepts.get(np.array([hash_of(id) for id in ids], np.int64))
                facts[:, FACTS.index("prior")] = counts
                facts[:, :4] = np.log1p(facts[:, :4])
                self._preferred = np.concatenate([self._preferred, self._strings.rows(preferred)])
                self._ids = np.concatenate([self._ids, np.array([hash_of(id) for id in ids], np.int64)])
                self._facts = np.concatenate([self._facts, facts.astype(np.float32)])
                self._concept_slots[new] = np.arange(first, first + len(new))
            slots = self._concept_slots[rows]
            return self._preferred[slots], self._ids[slots], self._facts[slots]

    def _fact(self, row: int, id: str) -> tuple[float, ...]:
        terminology, local = self._concepts.concept(row)
        names = len(terminology.name_rows(local))
        children, parents = len(terminology.children(local)), len(terminology.parents(local))
        return names, children, parents, 0, self._memory.kinds.get(kind_of(id), 0.0)


def _missing(slots: Slots, rows: Ints) -> tuple[Slots, Ints]:
    """The slots, made long enough for these rows, and the rows that have none yet."""
    most = int(rows.max(initial=-1)) + 1
    if most > len(slots):
        slots = np.concatenate([slots, np.full(max(most, 2 * len(slots)) - len(slots), -1, np.int32)])
    return slots, np.unique(rows[slots[rows] < 0])

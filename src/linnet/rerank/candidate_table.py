"""What is known of the rows of `Hits`, remembered in arrays, so that a batch looks it up at once."""

from __future__ import annotations

from threading import Lock

import numpy as np

from linnet.arrays import Fixed, Floats, Ints
from linnet.arrays import Rows as StoreRows
from linnet.rerank.mention_priors import MentionPriors, id_prefix
from linnet.rerank.name_features import StringTable, crc_hash
from linnet.rerank.reranker import Concepts

__all__ = ["CONCEPT_FACTS", "CandidateTable"]

CONCEPT_FACTS = ("names", "children", "parents", "prior", "kind of id")
"""Logarithms of 1 + the number of names, children, parents and training mentions; the kind's of `MentionPriors.kinds`."""


class CandidateTable:
    """The concept and name rows of one `Concepts`: which string a name is, and the facts of a concept."""

    def __init__(self, concepts: Concepts, strings: StringTable, memory: MentionPriors) -> None:
        self._concepts, self._strings, self._memory = concepts, strings, memory
        self._lock = Lock()
        self._name_slots: StoreRows = np.full(0, -1, np.int32)
        self._concept_slots: StoreRows = np.full(0, -1, np.int32)
        self._preferred: Ints = np.zeros(0, np.int64)
        self._ids: Ints = np.zeros(0, np.int64)
        self._facts: Floats = np.zeros((0, len(CONCEPT_FACTS)), np.float32)

    def names(self, rows: Ints) -> Ints:
        """(M,) rows of `strings` of name rows."""
        with self._lock:
            return self._names(rows)

    def concepts(self, rows: Ints) -> tuple[Ints, Ints, Floats]:
        """(M,) rows of `strings` of preferred names, (M,) hashes of ids, (M, CONCEPT_FACTS) facts of concept rows."""
        with self._lock:
            self._concept_slots, new = _missing(self._concept_slots, rows)
            if len(new):
                first = len(self._ids)
                ids = self._concepts.ids(new)
                preferred = self._concepts.first_names(new)
                hashes = np.array([crc_hash(id) for id in ids], np.int64)
                facts = np.zeros((len(new), len(CONCEPT_FACTS)))
                facts[:, :3] = self._concepts.sizes(new)
                facts[:, 3] = self._memory.concepts.get(hashes)
                facts[:, :4] = np.log1p(facts[:, :4])
                facts[:, 4] = [self._memory.kinds.get(id_prefix(id), 0.0) for id in ids]
                self._preferred = np.concatenate([self._preferred, self._names(preferred)])
                self._ids = np.concatenate([self._ids, hashes])
                self._facts = np.concatenate([self._facts, facts.astype(np.float32)])
                self._concept_slots[new] = np.arange(first, first + len(new))
            slots = self._concept_slots[rows]
            return self._preferred[slots], self._ids[slots], self._facts[slots]

    def _names(self, rows: Ints) -> Ints:
        self._name_slots, new = _missing(self._name_slots, rows)
        if len(new):
            parts = self._concepts.name_features(new)
            if parts is None:
                self._name_slots[new] = self._strings.rows(self._texts(new))
            else:
                parts.vectors = self._vectors(new)
                self._name_slots[new] = self._strings.add(parts)
        return self._name_slots[rows].astype(np.int64)

    def _vectors(self, rows: Ints) -> Fixed:
        encoder = self._strings.encoder
        if encoder is None:
            return np.zeros((len(rows), 0), np.int16)
        vectors = self._concepts.name_vectors(rows, encoder)
        return self._strings.vectors(self._texts(rows)) if vectors is None else vectors

    def _texts(self, rows: Ints) -> list[str]:
        return self._concepts.name_texts(rows)


def _missing(slots: StoreRows, rows: Ints) -> tuple[StoreRows, Ints]:
    """The slots, made long enough for these rows, and the rows that have none yet."""
    most = int(rows.max(initial=-1)) + 1
    if most > len(slots):
        slots = np.concatenate([slots, np.full(max(most, 2 * len(slots)) - len(slots), -1, np.int32)])
    return slots, np.unique(rows[slots[rows] < 0])

"""The known facts of candidates, kept in arrays so that a batch looks them up at once."""

from __future__ import annotations

from threading import Lock
from weakref import proxy

import numpy as np

from linnet.arrays import Array, Fixed, Ints, Rows
from linnet.rerank.mention_priors import MentionPriors, id_prefix
from linnet.rerank.name_features import StringTable, crc_hash
from linnet.rerank.reranker import Concepts

__all__ = ["CONCEPT", "CONCEPT_FACTS", "CandidateTable"]

CONCEPT_FACTS = ("names", "children", "parents", "prior", "kind of id")
"""Logarithms of 1 + the number of names, children, parents and training mentions; the kind's of `MentionPriors.kinds`."""


CONCEPT = np.dtype([
    ("preferred", "<i8"),  # row in the `StringTable` of the preferred name
    ("id", "<i8"),  # hash
    ("facts", "<f4", (len(CONCEPT_FACTS),)),
    ("remembered", "?"),  # whether training mentions meant ids of this kind
    ("groups", "<i8"),  # see `linnet.words.semantic_groups`
])  # fmt: skip
"""What is known of a candidate's concept."""


class CandidateTable:
    """The concept and name rows of one `Concepts`: the string of each name, and the facts of each concept."""

    def __init__(self, concepts: Concepts, strings: StringTable, priors: MentionPriors) -> None:
        # A table lives as long as its concepts are somebody else's, see `ListwiseReranker`: it must not keep them itself.
        self._concepts = proxy(concepts)
        self._strings, self._priors = strings, priors
        self._lock = Lock()
        self._name_slots: Rows = np.full(0, -1, np.int32)
        self._concept_slots: Rows = np.full(0, -1, np.int32)
        self._records: Array = np.zeros(0, CONCEPT)

    def names(self, rows: Ints) -> Ints:
        """(M,) rows in `strings` of name rows."""
        with self._lock:
            return self._name_strings(rows)

    def concepts(self, rows: Ints) -> Array:
        """(M,) of `CONCEPT`, of concept rows."""
        with self._lock:
            self._concept_slots, new = _missing(self._concept_slots, rows)
            if len(new):
                records = self._looked_up(new)
                self._concept_slots[new] = len(self._records) + np.arange(len(new))
                self._records = np.concatenate([self._records, records])
            found: Array = self._records[self._concept_slots[rows]]
            return found

    def _looked_up(self, rows: Ints) -> Array:
        """(M,) of `CONCEPT`."""
        ids, known = self._concepts.ids(rows), self._priors.kinds
        kinds = [id_prefix(id) for id in ids]
        records = np.zeros(len(rows), CONCEPT)
        records["preferred"] = self._name_strings(self._concepts.first_names(rows))
        records["id"] = [crc_hash(id) for id in ids]
        meant = self._priors.concepts.get(records["id"])[:, None]
        records["facts"][:, :4] = np.log1p(np.hstack([self._concepts.sizes(rows), meant]))
        records["facts"][:, 4] = [known.get(kind, 0.0) for kind in kinds]
        records["remembered"] = [kind in known for kind in kinds]
        records["groups"] = self._concepts.groups(rows)
        return records

    def _name_strings(self, rows: Ints) -> Ints:
        self._name_slots, new = _missing(self._name_slots, rows)
        if len(new):
            records = self._concepts.name_features(new)
            self._name_slots[new] = (
                self._strings.rows(self._concepts.name_texts(new))
                if records is None
                else self._strings.add(records, self._vectors(new))
            )
        return self._name_slots[rows].astype(np.int64)

    def _vectors(self, rows: Ints) -> Fixed:
        encoder = self._strings.encoder
        vectors = None if encoder is None else self._concepts.name_vectors(rows, encoder)
        return self._strings.vectors_of(self._concepts.name_texts(rows)) if vectors is None else vectors


def _missing(slots: Rows, rows: Ints) -> tuple[Rows, Ints]:
    """The slots, extended to hold these rows, and the rows without a slot."""
    size = int(rows.max(initial=-1)) + 1
    if size > len(slots):
        slots = np.concatenate([slots, np.full(max(size, 2 * len(slots)) - len(slots), -1, np.int32)])
    return slots, np.unique(rows[slots[rows] < 0])

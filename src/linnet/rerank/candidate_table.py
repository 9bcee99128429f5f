"""The known facts of candidates, kept in arrays so that a batch looks them up at once."""

from __future__ import annotations

from threading import Lock
from typing import NamedTuple
from weakref import proxy

import numpy as np

from linnet.arrays import Fixed, Floats, Ints, Mask, Rows
from linnet.rerank.mention_priors import MentionPriors, id_prefix
from linnet.rerank.name_features import StringTable, crc_hash
from linnet.rerank.reranker import Concepts

__all__ = ["CONCEPT_FACTS", "CandidateConcepts", "CandidateTable"]

CONCEPT_FACTS = ("names", "children", "parents", "prior", "kind of id")
"""Logarithms of 1 + the number of names, children, parents and training mentions; the kind's of `MentionPriors.kinds`."""


class CandidateConcepts(NamedTuple):
    """Of M concept rows.

    preferred   (M,) rows in the `StringTable` of preferred names
    ids         (M,) hashes of ids
    facts       (M, CONCEPT_FACTS)
    remembered  (M,) whether training mentions meant ids of this kind
    groups      (M,) semantic groups, see `linnet.semantic_groups`
    """

    preferred: Ints
    ids: Ints
    facts: Floats
    remembered: Mask
    groups: Ints


class CandidateTable:
    """The concept and name rows of one `Concepts`: the string of each name, and the facts of each concept."""

    def __init__(self, concepts: Concepts, strings: StringTable, priors: MentionPriors) -> None:
        # A table lives as long as its concepts are somebody else's, see `ListwiseReranker`: it must not keep them itself.
        self._concepts = proxy(concepts)
        self._strings, self._priors = strings, priors
        self._lock = Lock()
        self._name_slots: Rows = np.full(0, -1, np.int32)
        self._concept_slots: Rows = np.full(0, -1, np.int32)
        self._preferred: Ints = np.zeros(0, np.int64)
        self._ids: Ints = np.zeros(0, np.int64)
        self._facts: Floats = np.zeros((0, len(CONCEPT_FACTS)), np.float32)
        self._known: Mask = np.zeros(0, bool)
        self._groups: Ints = np.zeros(0, np.int64)

    def names(self, rows: Ints) -> Ints:
        """(M,) rows in `strings` of name rows."""
        with self._lock:
            return self._name_strings(rows)

    def concepts(self, rows: Ints) -> CandidateConcepts:
        """Of concept rows, in their order."""
        with self._lock:
            self._concept_slots, new = _missing(self._concept_slots, rows)
            if len(new):
                first = len(self._ids)
                ids = self._concepts.ids(new)
                hashes = np.array([crc_hash(id) for id in ids], np.int64)
                facts = np.zeros((len(new), len(CONCEPT_FACTS)))
                facts[:, :3] = self._concepts.sizes(new)
                facts[:, 3] = self._priors.concepts.get(hashes)
                facts[:, :4] = np.log1p(facts[:, :4])
                kinds = [id_prefix(id) for id in ids]
                facts[:, 4] = [self._priors.kinds.get(kind, 0.0) for kind in kinds]
                known = np.array([kind in self._priors.kinds for kind in kinds], bool)
                preferred = self._name_strings(self._concepts.first_names(new))
                self._preferred = np.concatenate([self._preferred, preferred])
                self._ids = np.concatenate([self._ids, hashes])
                self._facts = np.concatenate([self._facts, facts.astype(np.float32)])
                self._known = np.concatenate([self._known, known])
                self._groups = np.concatenate([self._groups, self._concepts.groups(new)])
                self._concept_slots[new] = np.arange(first, first + len(new))
            slots = self._concept_slots[rows]
            return CandidateConcepts(
                self._preferred[slots],
                self._ids[slots],
                self._facts[slots],
                self._known[slots],
                self._groups[slots],
            )

    def _name_strings(self, rows: Ints) -> Ints:
        self._name_slots, new = _missing(self._name_slots, rows)
        if len(new):
            features = self._concepts.name_features(new)
            if features is None:
                self._name_slots[new] = self._strings.rows(self._concepts.name_texts(new))
            else:
                features.vectors = self._vectors(new)
                self._name_slots[new] = self._strings.add(features)
        return self._name_slots[rows].astype(np.int64)

    def _vectors(self, rows: Ints) -> Fixed:
        encoder = self._strings.encoder
        if encoder is None:
            return np.zeros((len(rows), 0), np.int16)
        vectors = self._concepts.name_vectors(rows, encoder)
        return self._strings.vectors(self._concepts.name_texts(rows)) if vectors is None else vectors


def _missing(slots: Rows, rows: Ints) -> tuple[Rows, Ints]:
    """The slots, extended to hold these rows, and the rows without a slot."""
    size = int(rows.max(initial=-1)) + 1
    if size > len(slots):
        slots = np.concatenate([slots, np.full(max(size, 2 * len(slots)) - len(slots), -1, np.int32)])
    return slots, np.unique(rows[slots[rows] < 0])

"""Features of candidates by a second encoder, beside those of `linnet.rerank.features`, with the same meaning in every terminology.

How far to trust its cosines depends on whether it knows the text's words: one that a transformer cuts into many word pieces
is strange to it. So some features are repeated times the logarithm of the number of pieces for each word.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Protocol, runtime_checkable

import numpy as np

from linnet.arrays import Array, Floats, Ints, Mask
from linnet.encode import Encoder, unit
from linnet.rerank.features import below_best
from linnet.rerank.listwise import ListwiseReranker
from linnet.rerank.reranker import Concepts
from linnet.retrieve.fixed_point import ONE, to_fixed_point
from linnet.retrieve.hits import Hits, Origin
from linnet.types import Mention
from linnet.words.text import simplify

__all__ = ["SECOND_FEATURES", "CutsWords", "pooled", "pooled_features", "second_features"]

SECOND_FEATURES = (
    "second cosine",  # with the name that the candidate was found by
    "second preferred cosine",
    "second best cosine",  # with any of the concept's names
    "second best cosine below best",
    "second cosine below best",
    "second place",  # 1 for the nearest, ½ for the next …, 0 for what the second encoder did not find
    "found first",
    "found second",
    "pieces",
    "second best cosine by pieces",
    "second best cosine below best by pieces",
    "second lead",  # of the nearest concept before the next; the same for all candidates
    "second best cosine by cosine",  # times the first encoder's
    "second nearest",  # the largest cosine of the list
)
"""The columns of `second_features`."""
_PAIRS = 4096  # compared at a time: bounds memory


@runtime_checkable
class CutsWords(Protocol):
    """An encoder that cuts words into pieces."""

    def pieces(self, texts: Sequence[str]) -> Ints:
        """(N,) pieces of each text."""
        ...


def pooled_features(
    first: ListwiseReranker,
    encoder: Encoder,
    mentions: Sequence[Mention],
    texts: Sequence[str],
    hits: Hits,
    concepts: Concepts,
    *,
    found: Hits | int,
) -> tuple[Hits, Floats]:
    """The candidates of both encoders, (N, k + m), and the input of the second stage's scorer, (N, k + m, F).

    first     computes the features of the first stage
    hits      (N, k) candidates of the first stage
    found     (N, m) candidates of the encoder, or their number m
    """
    if isinstance(found, int):
        found = concepts.nearest(texts, encoder, k=found)
    pool = pooled(hits, found, concepts)
    features = first.features(mentions, texts, pool, concepts)
    cosines = features[..., first.column("cosine")]
    found_first = np.zeros(pool.concepts.shape, bool)
    found_first[:, : hits.k] = hits.concepts >= 0
    more = second_features(texts, pool, found, concepts, encoder, cosines=cosines, first=found_first)
    return pool, np.concatenate([features, more], axis=-1)


def pooled(hits: Hits, found: Hits, concepts: Concepts) -> Hits:
    """(N, k + m) the candidates, then those of `found` that are not among them, each id once.

    Scores of the second encoder are no scores of the first: they become 0.
    """
    pool = Hits.empty(len(hits), hits.k + found.k)
    pool.put(slice(None), hits)
    of_hits, of_found = (_ids(part, concepts) for part in (hits, found))
    for row, (own, others) in enumerate(zip(of_hits, of_found, strict=True)):
        new = [at for at, id in enumerate(others) if id not in own and id not in others[:at]]
        places = slice(len(own), len(own) + len(new))
        pool.concepts[row, places], pool.names[row, places] = found.concepts[row, new], found.names[row, new]
        pool.scores[row, places], pool.origins[row, places] = 0.0, Origin.DENSE
    return pool


def _ids(hits: Hits, concepts: Concepts) -> list[list[str]]:
    """The ids of each row's candidates, in their order."""
    present = hits.concepts >= 0
    ids = iter(concepts.ids(hits.concepts[present].astype(np.int64)))
    return [[next(ids) for _ in range(count)] for count in present.sum(axis=1).tolist()]


def second_features(
    texts: Sequence[str],
    pool: Hits,
    found: Hits,
    concepts: Concepts,
    encoder: Encoder,
    *,
    cosines: Floats,
    first: Mask,
) -> Floats:
    """(N, k, len(SECOND_FEATURES)) float32; rows of zeros without a candidate.

    pool     (N, k) the candidates         found  (N, m) those of the second encoder
    cosines  (N, k) of the first encoder   first  (N, k) whether its retriever found the candidate
    """
    out = np.zeros((*pool.concepts.shape, len(SECOND_FEATURES)), np.float32)
    present = pool.concepts >= 0
    if not present.any():
        return out
    forms = [simplify(text) for text in texts]
    queries = to_fixed_point(unit(encoder.encode(forms)))
    query, _ = np.nonzero(present)
    rows = pool.concepts[present].astype(np.int64)
    cosines_of = partial(_cosines, queries, concepts, encoder)
    counts, names = concepts.all_names(rows)
    of_all = cosines_of(np.repeat(query, counts), names)
    column = {name: out[..., place] for place, name in enumerate(SECOND_FEATURES)}
    best, found_by = column["second best cosine"], column["second cosine"]
    best[present] = np.maximum.reduceat(of_all, np.cumsum(counts) - counts)
    found_by[present] = cosines_of(query, pool.names[present].astype(np.int64))
    column["second preferred cosine"][present] = cosines_of(query, concepts.first_names(rows))
    place, pieces = _places(pool, found), _pieces(forms, encoder)[:, None]
    column["found first"][:], column["found second"][:] = first, place >= 0
    column["second place"][:] = np.where(place >= 0, 1 / (1 + np.maximum(place, 0)), 0)
    column["pieces"][:] = pieces
    column["second cosine below best"][:] = below_best(found_by, present)
    for name, values in _of_best(best, present, cosines=cosines, pieces=pieces).items():
        column[name][:] = values
    out[~present] = 0
    return out


def _of_best(best: Floats, present: Mask, *, cosines: Floats, pieces: Floats) -> dict[str, Array]:
    """Features made of the second best cosine, (N, k), beside the first encoder's cosines and (N, 1) pieces."""
    below, ordered = below_best(best, present), np.sort(np.where(present, best, -1), axis=1)
    return {
        "second best cosine below best": below,
        "second best cosine by pieces": pieces * best,
        "second best cosine below best by pieces": pieces * below,
        "second lead": ordered[:, -1:] - (ordered[:, -2:-1] if best.shape[1] > 1 else -1),
        "second best cosine by cosine": best * cosines,
        "second nearest": ordered[:, -1:],
    }


def _cosines(queries: Array, concepts: Concepts, encoder: Encoder, query: Ints, names: Ints) -> Floats:
    """(M,) of M pairs of a query and a name row."""
    rows, place = np.unique(names, return_inverse=True)
    vectors = concepts.name_vectors(rows, encoder)
    if vectors is None:  # learned names have no index of their own
        texts = [simplify(text) for text in concepts.name_texts(rows)]
        vectors = to_fixed_point(unit(encoder.encode(texts)))
    out = np.empty(len(names), np.float32)
    for start in range(0, len(names), _PAIRS):
        part = slice(start, start + _PAIRS)
        left, right = (array.astype(np.int32) for array in (queries[query[part]], vectors[place[part]]))
        out[part] = np.einsum("md,md->m", left, right) / ONE**2
    return out


def _places(pool: Hits, found: Hits) -> Ints:
    """(N, k) the place of each candidate among those found, −1 if it is not one of them."""
    same = (pool.concepts[:, :, None] == found.concepts[:, None, :]) & (pool.concepts >= 0)[:, :, None]
    return np.where(same.any(axis=2), same.argmax(axis=2) if found.k else 0, -1)


def _pieces(forms: Sequence[str], encoder: Encoder) -> Floats:
    """(N,) the logarithm of the number of word pieces for each word; 0 by an encoder without pieces."""
    if not isinstance(encoder, CutsWords):
        return np.zeros(len(forms), np.float32)
    words = np.array([max(1, len(form.split())) for form in forms])
    return np.asarray(np.log(np.maximum(encoder.pieces(forms), 1) / words), np.float32)

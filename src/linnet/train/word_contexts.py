"""Word vectors from unannotated texts: words with similar neighbours get similar vectors.

Counts of context words one or two places before or after a word are weighted by positive pointwise mutual information and
reduced to few dimensions by a truncated singular value decomposition.

Source: Levy, Goldberg and Dagan 2015, section 3 (context distribution smoothing, eigenvalue weighting 0.5); contexts by position
as in Levy and Goldberg 2014; randomised decomposition: Halko, Martinsson and Tropp 2011.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, islice

import numpy as np
from scipy.sparse import csr_matrix

from linnet.arrays import Floats
from linnet.recognise.word_vectors import CONTEXT_TOKEN, ContextVectors, context_form

__all__ = ["context_vectors"]

_OFFSETS = (-2, -1, 1, 2)
_LEAST = 5  # occurrences of a word with a vector
_SMOOTHING = 0.75
_SPARE, _ROUNDS = 16, 4  # of the randomised decomposition
_TOGETHER = 200  # texts counted at a time


def context_vectors(
    texts: Iterable[str], *, words: int, contexts: int, dimensions: int, characters: int, seed: int
) -> ContextVectors:
    """Unit vectors of the most frequent words.

    words, contexts  number of words with vectors, and of the most frequent words that count as contexts
    characters       of text to read; the rest is left out
    """
    tokens = [
        [context_form(match) for match in CONTEXT_TOKEN.findall(text)] for text in _first(texts, characters)
    ]
    counts = Counter(chain.from_iterable(tokens))
    known = [word for word, count in counts.most_common(words) if count >= _LEAST]
    if not known:
        return ContextVectors.of([], np.zeros((0, dimensions), np.float32))
    numbers = {word: number for number, word in enumerate(known)}
    table = csr_matrix((len(known), len(_OFFSETS) * contexts), dtype=np.float32)
    stream = iter(tokens)
    while batch := list(islice(stream, _TOGETHER)):
        table = table + _counted(batch, numbers, contexts)
    return ContextVectors.of(known, _decomposed(_informative(table), dimensions, seed))


def _first(texts: Iterable[str], characters: int) -> Iterator[str]:
    for text in texts:
        if characters <= 0:
            return
        yield text[:characters]
        characters -= len(text)


def _counted(texts: Iterable[list[str]], numbers: dict[str, int], contexts: int) -> csr_matrix:
    """(words, offsets · contexts) counts of each context at each offset of each word."""
    gap = [-1] * max(_OFFSETS)  # words of different texts are not neighbours
    row = np.array([n for text in texts for n in (*(numbers.get(word, -1) for word in text), *gap)], np.int64)
    rows, columns = [], []
    for position, offset in enumerate(_OFFSETS):
        word, beside = (row[offset:], row[:-offset]) if offset > 0 else (row[:offset], row[-offset:])
        kept = (word >= 0) & (beside >= 0) & (beside < contexts)
        rows.append(word[kept])
        columns.append(beside[kept] + position * contexts)
    at = np.concatenate(rows), np.concatenate(columns)
    ones = np.ones(len(at[0]), np.float32)
    return csr_matrix((ones, at), shape=(len(numbers), len(_OFFSETS) * contexts))


def _informative(counts: csr_matrix) -> csr_matrix:
    """Positive pointwise mutual information of the counts."""
    table = counts.tocoo()
    of_word = np.asarray(counts.sum(axis=1)).ravel()
    of_context = np.asarray(counts.sum(axis=0)).ravel() ** _SMOOTHING
    total = of_context.sum()
    values = np.log(table.data * total / (of_word[table.row] * of_context[table.col]))
    kept = values > 0
    return csr_matrix(
        (values[kept].astype(np.float32), (table.row[kept], table.col[kept])), shape=counts.shape
    )


def _decomposed(table: csr_matrix, dimensions: int, seed: int) -> Floats:
    """(words, dimensions) U · √S of the table, rows of length 1; columns beyond its rank are 0."""
    rank = min(dimensions + _SPARE, *table.shape)
    start = np.random.default_rng(seed).standard_normal((table.shape[1], rank)).astype(np.float32)
    basis, _ = np.linalg.qr(table @ start)
    for _ in range(_ROUNDS):
        basis, _ = np.linalg.qr(table @ (table.T @ basis))
    left, sizes, _ = np.linalg.svd((table.T @ basis).T, full_matrices=False)
    vectors = np.zeros((table.shape[0], dimensions), np.float32)
    kept = min(dimensions, rank)
    vectors[:, :kept] = (basis @ left)[:, :kept] * np.sqrt(sizes[:kept])
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-9), np.float32)

"""BM25 over words (Robertson & Zaragoza 2009, eq. 3.15, with Lucene's idf, which is never negative).

    score of a name    Σ over the text's words t, repetitions included:
                       log(1 + (N − n + 0.5) / (n + 0.5)) · tf · (k1 + 1) / (tf + k1 · (1 − b + b · length / average))

N forms of names, n of them with t; tf is the count of t in the name; lengths in words without stop words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from linnet.errors import RequestError
from linnet.retrieve.hits import Origin
from linnet.retrieve.name_forms import FormTexts, NameForms
from linnet.retrieve.ngrams import words
from linnet.retrieve.scorer import Scorer
from linnet.retrieve.sparse import SparseIndex
from linnet.retrieve.vocabulary import Vocabulary, count_pairs
from linnet.retrieve.word_scorer import WeightedWords, WordScorer
from linnet.terminology import Terminology

__all__ = ["K1", "B", "BM25Index"]

K1 = 1.2
B = 0.75


class BM25(WordScorer):
    """Postings hold the name's factor of the formula; the text's factor is the count of the word."""

    origin: ClassVar[Origin] = Origin.BM25

    @classmethod
    def write(cls, path: Path, forms: NameForms, texts: FormTexts, *, k1: float = K1, b: float = B) -> None:
        """See `Scorer.write`."""
        average = sum(len(words(batch)[0]) for batch in texts) / max(len(forms), 1)
        cls.write_weighted(path, forms, texts, partial(_weigher, k1=k1, b=b, average=average or 1.0))

    def weigh_texts(self, texts: Sequence[str]) -> WeightedWords:
        owners, ids, counts = _count_known(texts, self.vocabulary)
        return owners, ids, counts.astype(np.float32)


class BM25Index(SparseIndex):
    """BM25 over words. Scores are positive sums without an upper bound."""

    kind = "bm25"
    cosine = False
    _scorers: ClassVar[Mapping[str, type[Scorer]]] = {"bm25": BM25}

    @classmethod
    def build(
        cls,
        terminology: Terminology,
        *,
        name: str = "",
        glossary: bool = False,
        threads: int | None = None,
        k1: float = K1,
        b: float = B,
    ) -> Self:
        """See `SparseIndex.build`.

        k1  how much a second occurrence of a word adds; 0: nothing
        b   how much long names lose; 0: nothing, 1: in proportion to their length

        Raises RequestError for a negative k1 or a b outside 0 to 1.
        """
        if k1 < 0 or not 0 <= b <= 1:
            raise RequestError(f"BM25 got k1 = {k1}, b = {b}; expected k1 ≥ 0 and b from 0 to 1.")
        writers = {"bm25": partial(BM25.write, k1=k1, b=b)}
        options = {"k1": k1, "b": b}
        return cls._build(terminology, name, writers, glossary=glossary, options=options, threads=threads)


def _weigher(
    vocabulary: Vocabulary, *, k1: float, b: float, average: float
) -> Callable[[Sequence[str]], WeightedWords]:
    frequencies = vocabulary.frequencies
    idf = np.log1p((vocabulary.forms - frequencies + 0.5) / (frequencies + 0.5))

    def weigh(texts: Sequence[str]) -> WeightedWords:
        owners, ids, counts = _count_known(texts, vocabulary)
        lengths = np.bincount(owners, counts, minlength=len(texts))[owners]
        saturated = counts * (k1 + 1) / (counts + k1 * (1 - b + b * lengths / average))
        return owners, ids, (idf[ids] * saturated).astype(np.float32)

    return weigh


def _count_known(texts: Sequence[str], vocabulary: Vocabulary) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    owners, codes = words(texts)
    ids = vocabulary.find(codes)
    known = ids >= 0
    return count_pairs(owners[known], ids[known], len(vocabulary))

"""Cosine of word TF-IDF."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from linnet.arrays import Floats
from linnet.retrieve.hits import Origin
from linnet.retrieve.name_forms import FormTexts, NameForms
from linnet.retrieve.ngrams import words
from linnet.retrieve.tfidf import idf, unit_vectors
from linnet.retrieve.vocabulary import Vocabulary
from linnet.retrieve.word_scorer import WeightedWords, WordScorer

__all__ = ["WordTfidf"]


class WordTfidf(WordScorer):
    """Unit TF-IDF weights on both sides, so that a score is a cosine, 0 to 1."""

    origin: ClassVar[Origin] = Origin.WORD

    @classmethod
    def write(cls, path: Path, forms: NameForms, texts: FormTexts) -> None:
        """Weigh all forms and write vocabulary and postings."""
        cls.write_weighed(path, forms, texts, _weigher)

    def weigh_texts(self, texts: Sequence[str]) -> WeightedWords:
        return _weighed(texts, self.vocabulary, self._idf)

    @cached_property
    def _idf(self) -> Floats:
        return idf(self.vocabulary)


def _weigher(vocabulary: Vocabulary) -> Callable[[Sequence[str]], WeightedWords]:
    weights = idf(vocabulary)
    return lambda texts: _weighed(texts, vocabulary, weights)


def _weighed(texts: Sequence[str], vocabulary: Vocabulary, weights: Floats) -> WeightedWords:
    owners, ids, _, unit, _ = unit_vectors(
        *words(texts), vocabulary=vocabulary, idf=weights, texts=len(texts)
    )
    return owners, ids, unit

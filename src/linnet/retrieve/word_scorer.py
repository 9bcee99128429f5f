"""Scoring by shared words, in one exact pass."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from linnet.arrays import Floats, Ints, Mask, Rows
from linnet.retrieve.hits import Origin
from linnet.retrieve.name_forms import FormTexts, NameForms
from linnet.retrieve.ngrams import words
from linnet.retrieve.postings import Postings, PostingsWriter, query_matrix
from linnet.retrieve.scorer import Matches
from linnet.retrieve.tfidf import idf, unit_vectors
from linnet.retrieve.top_k import top_concepts
from linnet.retrieve.vocabulary import Vocabulary

__all__ = ["WeightedWords", "WordScorer", "WordTfidf"]

# Owner, id and weight of the distinct known words of some texts, by owner, then id.
WeightedWords = tuple[Ints, Ints, Floats]


class WordScorer(ABC):
    """Words as in `linnet.retrieve.ngrams.words`; the score is the sum over shared words of weight times weight.

    A subclass says how it weighs the words of texts, and those of names.
    """

    origin: ClassVar[Origin]

    def __init__(self, vocabulary: Vocabulary, postings: Postings, concepts: Rows) -> None:
        self.vocabulary, self.postings, self.concepts = vocabulary, postings, concepts

    @abstractmethod
    def weigh_texts(self, texts: Sequence[str]) -> WeightedWords:
        """The weights of words in query texts."""

    @classmethod
    def write_weighted(
        cls,
        path: Path,
        forms: NameForms,
        texts: FormTexts,
        weigher: Callable[[Vocabulary], Callable[[Sequence[str]], WeightedWords]],
    ) -> None:
        """Write vocabulary and postings; `weigher` gives the function that weighs the words of some forms."""
        batches = (words(batch) for batch in texts)
        vocabulary = Vocabulary.write(path, batches, forms=len(forms), order=np.zeros_like)
        postings = PostingsWriter(path, frequencies=vocabulary.frequencies)
        weigh, first = weigher(vocabulary), 0
        for batch in texts:
            owners, ids, weights = weigh(batch)
            postings.add(first + owners, ids, weights)
            first += len(batch)
        postings.close()

    @classmethod
    def open(cls, path: Path, forms: NameForms) -> Self:
        """See `Scorer.open`."""
        postings = Postings.open(path, width=len(forms))
        return cls(Vocabulary.open(path, forms=len(forms)), postings, forms.concepts)

    def restricted(self, forms: Mask, concepts: Rows) -> Self:
        """See `Scorer.restricted`."""
        return type(self)(self.vocabulary, self.postings.restricted(forms), concepts[forms])

    def match(self, texts: Sequence[str], *, k: int) -> Matches:
        """See `Scorer.match`. Exact."""
        queries = query_matrix(*self.weigh_texts(texts), shape=(len(texts), len(self.vocabulary)))
        rows, columns, scores = top_concepts(self.postings.scores(queries), self.concepts, count=k)
        return rows, self.postings.forms_of(columns), scores


class WordTfidf(WordScorer):
    """Unit TF-IDF weights on both sides: scores are cosines, 0 to 1."""

    origin: ClassVar[Origin] = Origin.WORD

    @classmethod
    def write(cls, path: Path, forms: NameForms, texts: FormTexts) -> None:
        """See `Scorer.write`."""
        cls.write_weighted(path, forms, texts, _tfidf_weigher)

    def weigh_texts(self, texts: Sequence[str]) -> WeightedWords:
        return self._weigh(texts)

    @cached_property
    def _weigh(self) -> Callable[[Sequence[str]], WeightedWords]:
        return _tfidf_weigher(self.vocabulary)


def _tfidf_weigher(vocabulary: Vocabulary) -> Callable[[Sequence[str]], WeightedWords]:
    return partial(_tfidf, vocabulary=vocabulary, weights=idf(vocabulary))


def _tfidf(texts: Sequence[str], *, vocabulary: Vocabulary, weights: Floats) -> WeightedWords:
    features = words(texts)
    owners, ids, _, unit, _ = unit_vectors(*features, vocabulary=vocabulary, idf=weights, texts=len(texts))
    return owners, ids, unit

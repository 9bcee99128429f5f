"""Scoring by shared words, in one exact pass; how words are weighed is the subclass's business."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from linnet.arrays import Floats, Ints, Mask, Rows
from linnet.retrieve.hits import Origin
from linnet.retrieve.name_forms import FormTexts, NameForms
from linnet.retrieve.ngrams import words
from linnet.retrieve.postings import Postings, PostingsWriter
from linnet.retrieve.scorer import Matches
from linnet.retrieve.top_k import top_concepts
from linnet.retrieve.vocabulary import Vocabulary

__all__ = ["WordScorer"]

# Owner, id and weight of the distinct known words of some texts, by owner, then id.
WeightedWords = tuple[Ints, Ints, Floats]


class WordScorer(ABC):
    """Words as in `linnet.retrieve.ngrams.words`; the score is the sum over shared words of weight times weight."""

    origin: ClassVar[Origin]

    def __init__(self, vocabulary: Vocabulary, postings: Postings, concepts: Rows) -> None:
        self.vocabulary, self.postings, self.concepts = vocabulary, postings, concepts

    @abstractmethod
    def weigh_texts(self, texts: Sequence[str]) -> WeightedWords:
        """The weights of words in texts that are searched for."""

    @classmethod
    def write_weighed(cls, path: Path, forms: NameForms, texts: FormTexts, weigh: Any) -> None:
        """Write vocabulary and postings.

        weigh  (vocabulary) → a function from some forms' texts to their `WeightedWords`
        """
        batches = (words(batch) for batch in texts)
        vocabulary = Vocabulary.write(path, batches, forms=len(forms), order=np.zeros_like)
        postings = PostingsWriter(path, frequencies=vocabulary.frequencies)
        weighed, first = weigh(vocabulary), 0
        for batch in texts:
            owners, ids, weights = weighed(batch)
            postings.add(first + owners, ids, weights)
            first += len(batch)
        postings.close()

    @classmethod
    def open(cls, path: Path, forms: NameForms) -> Self:
        """What `write` wrote."""
        postings = Postings.open(path, width=len(forms))
        return cls(Vocabulary.open(path, forms=len(forms)), postings, forms.concepts)

    def restricted(self, forms: Mask, concepts: Rows) -> Self:
        """As `Scorer.restricted`."""
        return type(self)(self.vocabulary, self.postings.restricted(forms), concepts[forms])

    def match(self, texts: Sequence[str], *, k: int) -> Matches:
        """As `Scorer.match`, nothing lost."""
        owners, ids, weights = self.weigh_texts(texts)
        starts = np.searchsorted(owners, np.arange(len(texts) + 1)).astype(np.int32)
        shape = (len(texts), len(self.vocabulary))
        from scipy.sparse import csr_array

        scores = self.postings.scores(csr_array((weights, ids.astype(np.int32), starts), shape=shape))
        rows, columns, values = top_concepts(scores, self.concepts, count=k)
        return rows, self.postings.forms_of(columns), values

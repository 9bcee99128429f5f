"""Cosine of character n-gram TF-IDF, in two passes, because common n-grams occur in every fifth name.

1. Propose. Of the text's 80-odd n-grams, look up only the 4-grams, rarest first, until `BUDGET` postings have been
   added up; if that took less than an eighth of the budget, continue with 3-grams up to that eighth. Keep the best form of
   each of the best k concepts.
2. Score these forms exactly, over all n-grams, from their own vectors.

A name that shares no three consecutive characters with the text is never found. Otherwise the first pass loses nothing
if a text has fewer than `BUDGET` / 8 postings and shares n-grams with at most 256 forms.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from linnet.arrays import Mask, Rows
from linnet.retrieve.hits import Origin
from linnet.retrieve.name_forms import FormTexts, NameForms
from linnet.retrieve.ngrams import character_ngrams, ngram_size
from linnet.retrieve.postings import Postings, PostingsWriter, query_matrix
from linnet.retrieve.scorer import Matches
from linnet.retrieve.sparse_vectors import SparseVectors, SparseVectorsWriter
from linnet.retrieve.tfidf import idf, unit_vectors
from linnet.retrieve.top_k import top_concepts
from linnet.retrieve.vocabulary import Vocabulary

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["BUDGET", "CharTfidf"]

# Postings per text in the first pass; chosen on the train mentions of NCBI and BC5CDR with MEDIC (76,000 names), where
# 3,000 / 4,000 / 8,000 / all give Acc@1 73.7 / 73.8 / 73.9 / 74.0 and recall@64 89.1 / 89.5 / 89.6 / 89.6 %
# (lenient, abbreviations not expanded). With abbreviations expanded, 2,000 give recall@64 88.8 % at 12 times the speed of
# scikit-learn's exhaustive search, which gives 88.4 %.
BUDGET = 2000
# 3-grams serve short and misspelt texts, whose 4-grams find little. They may spend this fraction of the budget.
_TRIGRAM_SHARE = 8
# If the first pass reaches at most this many forms, the second scores them all.
_SCORE_ALL = 256
# Order of looking up, by n-gram size: 4-grams, then 3-grams; 2- and 5-grams only count in the second pass.
_LOOKUP_ORDER = np.array([2, 2, 2, 1, 0, 2, 2, 2])


class CharTfidf:
    """Character n-grams of 2 to 5 characters, see `linnet.retrieve.ngrams.character_ngrams`."""

    origin: ClassVar[Origin] = Origin.CHAR

    def __init__(
        self,
        vocabulary: Vocabulary,
        postings: Postings,
        vectors: SparseVectors,
        concepts: Rows,
    ) -> None:
        self.vocabulary, self.postings, self.vectors, self.concepts = vocabulary, postings, vectors, concepts
        self._idf = idf(vocabulary)
        self._four = int((ngram_size(vocabulary.codes) == 4).sum())

    @classmethod
    def write(cls, path: Path, forms: NameForms, texts: FormTexts) -> None:
        """See `Scorer.write`."""
        vocabulary = Vocabulary.write(
            path,
            (character_ngrams(batch) for batch in texts),
            forms=len(forms),
            order=lambda codes: _LOOKUP_ORDER[ngram_size(codes)],
        )
        weights_of = idf(vocabulary)
        searched = int((_LOOKUP_ORDER[ngram_size(vocabulary.codes)] < 2).sum())
        postings = PostingsWriter(path, frequencies=vocabulary.frequencies[:searched])
        vectors = SparseVectorsWriter(
            path, forms=len(forms), total=int(vocabulary.frequencies.sum(dtype=np.int64))
        )
        first = 0
        for batch in texts:
            owners, codes = character_ngrams(batch)
            owners, ids, counts, weights, lengths = unit_vectors(
                owners, codes, vocabulary=vocabulary, idf=weights_of, texts=len(batch)
            )
            vectors.add(first + owners, ids, counts, lengths, first=first)
            kept = ids < searched
            postings.add(first + owners[kept], ids[kept], weights[kept])
            first += len(batch)
        postings.close()
        vectors.close()

    @classmethod
    def open(cls, path: Path, forms: NameForms) -> Self:
        """See `Scorer.open`."""
        vocabulary = Vocabulary.open(path, forms=len(forms))
        postings = Postings.open(path, width=len(forms))
        vectors = SparseVectors.open(path, features=len(vocabulary))
        return cls(vocabulary, postings, vectors, forms.concepts)

    def restricted(self, forms: Mask, concepts: Rows) -> Self:
        """See `Scorer.restricted`; the vectors stay shared."""
        return type(self)(
            self.vocabulary,
            self.postings.restricted(forms),
            self.vectors,
            concepts[forms],
        )

    def match(self, texts: Sequence[str], *, k: int) -> Matches:
        """See `Scorer.match`; the first pass may lose forms."""
        owners, codes = character_ngrams(texts)
        owners, ids, _, weights, _ = unit_vectors(
            owners, codes, vocabulary=self.vocabulary, idf=self._idf, texts=len(texts)
        )
        shape = (len(texts), len(self.vocabulary))
        queries = query_matrix(owners, ids, weights * self._idf[ids], shape=shape)
        rows, columns, _ = top_concepts(
            self._proposals(owners, ids, weights, len(texts)),
            self.concepts,
            count=k,
            best_form_only=True,
            keep_all_below=_SCORE_ALL,
        )
        forms = self.postings.forms_of(columns)
        scores = self.vectors.dot(rows, forms, queries) / self.vectors.lengths(forms)
        return rows, forms, scores

    def _proposals(self, owners: Any, ids: Any, weights: Any, texts: int) -> csr_array:
        """(texts, columns) scores over the first n-grams of each text; ids ascend in the order of looking up."""
        searched = ids < len(self.postings.frequencies)
        owners, ids, weights = owners[searched], ids[searched], weights[searched]
        frequencies = self.postings.frequencies[ids]
        before = np.cumsum(frequencies) - frequencies
        text_starts = np.searchsorted(owners, np.arange(texts + 1))
        spent = before - np.append(before, 0)[text_starts][owners]
        kept = spent < np.where(ids < self._four, BUDGET, BUDGET // _TRIGRAM_SHARE)
        owners, ids, weights = owners[kept], ids[kept], weights[kept]
        shape = (texts, len(self.postings.frequencies))
        return self.postings.scores(query_matrix(owners, ids, weights, shape=shape))

"""Sparse retrieval: names that share character n-grams or words with the text, by TF-IDF cosine.

    class        kind      compares
    CharIndex    char      character n-grams of 2 to 5 characters
    WordIndex    word      words without stop words
    SparseIndex  sparse    both, merged to k distinct concepts

Texts and names are compared in `linnet.text.simplify`'s form, each distinct form once; in `linnet.text.gloss`'s where the
index was built with the glossary.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from linnet.arrays import Mask
from linnet.cores import cores
from linnet.retrieve.char_tfidf import CharTfidf
from linnet.retrieve.fuse import fuse_scores
from linnet.retrieve.hits import Hits
from linnet.retrieve.index import open_index, writing_index
from linnet.retrieve.name_forms import FormTexts, NameForms
from linnet.retrieve.ragged import rank_matches
from linnet.retrieve.scorer import Scorer
from linnet.retrieve.slices import even_slices
from linnet.retrieve.word_tfidf import WordTfidf
from linnet.terminology import Terminology
from linnet.text import gloss, simplify

__all__ = ["CharIndex", "SparseIndex", "WordIndex"]

# Texts scored together: enough to spread the cost of a call, few enough for the scores to stay in the cache.
_TOGETHER = 512
# Of the character cosine and of the word cosine in the merged score: chosen by cross-validation on NCBI and BC5CDR
# train.
_SHARES = (2 / 3, 1 / 3)


class SparseIndex:
    """Character n-grams and words, each ranked by its own cosine, merged to k concepts by ⅔ and ⅓ of their cosines.

    A concept that one of them did not find counts there as its last one. Le & Nguyen (§3.1) say nothing of the order of
    their merged list; taking turns was up to 0.7 points of accuracy worse on NCBI and BC5CDR train.
    """

    kind: ClassVar[str] = "sparse"
    _scorers: ClassVar[Mapping[str, type[Scorer]]] = {"char": CharTfidf, "word": WordTfidf}

    def __init__(
        self,
        terminology: Terminology,
        forms: NameForms,
        scorers: Sequence[Scorer],
        *,
        glossary: bool = False,
        threads: int | None = None,
    ) -> None:
        self.terminology = terminology
        self.glossary = glossary
        self.threads = threads or cores()
        self._forms, self._scorers_open = forms, list(scorers)
        self._restricted: tuple[bytes, list[Scorer]] | None = None

    @classmethod
    def build(
        cls, terminology: Terminology, *, name: str = "", glossary: bool = False, threads: int | None = None
    ) -> Self:
        """Write `index/NAME` (its kind, where no name is given) and open it. Raises StoreError when the disk refuses.

        glossary  compare words of one meaning as one, see `linnet.glossary`
        """
        writers = {part: scorer.write for part, scorer in cls._scorers.items()}
        return cls._build(terminology, name, writers, glossary=glossary, options={}, threads=threads)

    @classmethod
    def _build(
        cls,
        terminology: Terminology,
        name: str,
        writers: Mapping[str, Callable[[Path, NameForms, FormTexts], None]],
        *,
        glossary: bool,
        options: Mapping[str, Any],
        threads: int | None,
    ) -> Self:
        stored = {**options, "glossary": glossary}
        with writing_index(terminology, name or cls.kind, kind=cls.kind, options=stored) as draft:
            forms, texts = NameForms.write(draft, terminology, form=_form(glossary))
            for part, write in writers.items():
                (draft / part).mkdir()
                write(draft / part, forms, texts)
        return cls.open(terminology, name, threads=threads)

    @classmethod
    def open(cls, terminology: Terminology, name: str = "", *, threads: int | None = None) -> Self:
        """Open `index/NAME`, memory-mapped. Raises StoreError, DamagedError or MismatchError as `open_index`.

        threads  texts are searched by so many at once; None for one per available core. Results do not depend on it.
        """
        path, options = open_index(terminology, name or cls.kind, kind=cls.kind)
        forms = NameForms.open(path)
        scorers = [scorer.open(path / part, forms) for part, scorer in cls._scorers.items()]
        # Indexes of before the option have the glossary.
        return cls(terminology, forms, scorers, glossary=bool(options.get("glossary", True)), threads=threads)

    def search(self, texts: Sequence[str], *, k: int, allowed: Mask | None = None) -> Hits:
        """The k best concepts for each text, in the order of the texts, each through its best name.

        allowed  (concepts,) which concepts may be returned; k counts allowed ones. The first search with a mask
                 copies the part of the index it allows; the copy is kept until another mask comes.

        A text that shares nothing with any name has no hits.
        """
        scorers = self._for(allowed)
        parts = [texts[part] for part in even_slices(len(texts), most=_TOGETHER, threads=self.threads)]

        def found(part: Sequence[str]) -> Hits:
            return self._search(part, scorers, k=k, allowed=allowed)

        if self.threads == 1 or len(parts) < 2:
            return _stacked([found(part) for part in parts], k)
        with ThreadPoolExecutor(self.threads) as pool:
            return _stacked(list(pool.map(found, parts)), k)

    def _search(
        self, texts: Sequence[str], scorers: Sequence[Scorer], *, k: int, allowed: Mask | None
    ) -> Hits:
        form = _form(self.glossary)
        compared = [form(text) for text in texts]
        ranked = []
        for scorer in scorers:
            rows, forms, scores = scorer.match(compared, k=k)
            match, names = self._forms.named(forms)
            ranked.append(
                rank_matches(
                    rows[match],
                    names,
                    scores[match],
                    count=len(texts),
                    terminology=self.terminology,
                    k=k,
                    origin=scorer.origin,
                    allowed=allowed,
                )
            )
        if len(ranked) == 1:
            return ranked[0]
        return fuse_scores(ranked, weights=_SHARES, k=k)

    def _for(self, allowed: Mask | None) -> Sequence[Scorer]:
        """The scorers over the allowed concepts' forms."""
        if allowed is None:
            return self._scorers_open
        mask = allowed.tobytes()
        known = self._restricted
        if known is None or known[0] != mask:
            forms, concepts = self._forms.allowed(self.terminology, allowed)
            known = mask, [scorer.restricted(forms, concepts) for scorer in self._scorers_open]
            self._restricted = known
        return known[1]


class CharIndex(SparseIndex):
    """Character n-grams alone. Scores are cosines."""

    kind = "char"
    _scorers: ClassVar[Mapping[str, type[Scorer]]] = {"char": CharTfidf}


class WordIndex(SparseIndex):
    """Words alone. Scores are cosines."""

    kind = "word"
    _scorers: ClassVar[Mapping[str, type[Scorer]]] = {"word": WordTfidf}


def _form(glossary: bool) -> Callable[[str], str]:
    return gloss if glossary else simplify


def _stacked(parts: Sequence[Hits], k: int) -> Hits:
    if not parts:
        return Hits.empty(0, k)
    return Hits(
        np.concatenate([part.concepts for part in parts]),
        np.concatenate([part.names for part in parts]),
        np.concatenate([part.scores for part in parts]),
        np.concatenate([part.origins for part in parts]),
    )

"""Sparse retrieval: names that share character n-grams or words with the text, by TF-IDF cosine.

    class        kind      features
    CharIndex    char      character n-grams of 2 to 5 characters
    WordIndex    word      words without stop words
    SparseIndex  sparse    both, merged to k distinct concepts

Texts and names are brought to the form of `linnet.words.text.simplify`, or of `linnet.words.text.gloss` if the index was built with the
glossary. Each distinct form is compared once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

from linnet.arrays import Mask
from linnet.retrieve.char_tfidf import CharTfidf
from linnet.retrieve.fuse import fuse_scores
from linnet.retrieve.hits import Hits
from linnet.retrieve.index import open_index, writing_index
from linnet.retrieve.match_ranking import rank_matches
from linnet.retrieve.name_forms import FormTexts, NameForms
from linnet.retrieve.scorer import Scorer
from linnet.retrieve.slices import run_in_slices
from linnet.retrieve.word_scorer import WordTfidf
from linnet.system.cores import cores
from linnet.terminology import Terminology
from linnet.words.text import gloss, simplify

__all__ = ["CharIndex", "SparseIndex", "WordIndex"]

# Texts scored together: enough to spread the cost of a call, few enough for the scores to stay in the cache.
_BATCH = 512
# Weights of the character cosine and the word cosine, chosen by cross-validation on NCBI and BC5CDR train.
_WEIGHTS = (2 / 3, 1 / 3)


class SparseIndex:
    """Character n-grams and words, each ranked by its own cosine, merged to k concepts by ⅔ and ⅓ of their cosines.

    A ranking that lacks a concept counts its lowest score instead. Le & Nguyen (§3.1) do not specify the order of their
    merged list; alternating the two was up to 0.7 points of accuracy worse on NCBI and BC5CDR train.
    """

    kind: ClassVar[str] = "sparse"
    encoder_of: ClassVar[str] = ""
    cosine = True
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
        """Write `index/NAME` (the kind if no name is given) and open it. Raises StoreError if the disk cannot be written.

        glossary  treat words of one meaning as one, see `linnet.words.glossary`
        """
        writers = {folder: scorer.write for folder, scorer in cls._scorers.items()}
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
        with writing_index(
            terminology, name or cls.kind, kind=cls.kind, options={**options, "glossary": glossary}
        ) as draft:
            forms, texts = NameForms.write(draft, terminology, form=_form(glossary))
            for folder, write in writers.items():
                (draft / folder).mkdir()
                write(draft / folder, forms, texts)
        return cls.open(terminology, name, threads=threads)

    @classmethod
    def open(cls, terminology: Terminology, name: str = "", *, threads: int | None = None) -> Self:
        """Open `index/NAME`, memory-mapped. Raises StoreError, DamagedError or MismatchError as `open_index`.

        threads  threads that share a batch, None for all cores; results do not depend on it
        """
        path, options = open_index(terminology, name or cls.kind, kind=cls.kind)
        forms = NameForms.open(path)
        scorers = [scorer.open(path / folder, forms) for folder, scorer in cls._scorers.items()]
        # Indexes older than the option have the glossary.
        return cls(terminology, forms, scorers, glossary=bool(options.get("glossary", True)), threads=threads)

    def search(self, texts: Sequence[str], *, k: int, allowed: Mask | None = None) -> Hits:
        """The k best concepts for each text, in the order of the texts, each through its best name.

        allowed  (concepts,) which concepts may be returned; k counts allowed ones. The first search with a mask copies
                 the allowed part of the index; the copy is kept until the mask changes.

        A text that shares nothing with any name has no hits.
        """
        scorers = self._for(allowed)
        if 0 < len(texts) <= _BATCH:
            return self._search(texts, scorers, k=k, allowed=allowed)
        hits = Hits.empty(len(texts), k)

        def search(part: slice) -> None:
            hits.put(part, self._search(texts[part], scorers, k=k, allowed=allowed))

        run_in_slices(search, len(texts), most=_BATCH, alone=_BATCH, threads=self.threads)
        return hits

    def _search(
        self, texts: Sequence[str], scorers: Sequence[Scorer], *, k: int, allowed: Mask | None
    ) -> Hits:
        form = _form(self.glossary)
        forms_of_texts = [form(text) for text in texts]
        rankings = []
        for scorer in scorers:
            rows, forms, scores = scorer.match(forms_of_texts, k=k)
            match, names = self._forms.named(forms)
            rankings.append(
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
        if len(rankings) == 1:
            return rankings[0]
        return fuse_scores(rankings, weights=_WEIGHTS, k=k)

    def _for(self, allowed: Mask | None) -> Sequence[Scorer]:
        """The scorers over the allowed concepts' forms."""
        if allowed is None:
            return self._scorers_open
        mask = allowed.tobytes()
        restricted = self._restricted
        if restricted is None or restricted[0] != mask:
            forms, concepts = self._forms.allowed(self.terminology, allowed)
            restricted = mask, [scorer.restricted(forms, concepts) for scorer in self._scorers_open]
            self._restricted = restricted
        return restricted[1]


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

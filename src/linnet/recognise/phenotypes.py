"""The default recogniser of phenotypes: names of the terminologies that the shipped tagger does not rule out."""

from __future__ import annotations

from collections.abc import Sequence

from linnet.batches import batches
from linnet.recognise import Recogniser
from linnet.recognise.combined import CHARACTERS, is_whole_text
from linnet.recognise.tagger import Tagger
from linnet.types import Document

__all__ = ["JUDGING", "PhenotypeRecogniser"]

JUDGING = frozenset({"Disease", "Phenotype"})
"""The tagger's types that a phenotype may have: corpora of diseases annotate many of them as diseases."""


class PhenotypeRecogniser:
    """Names of phenotypes, without those that the tagger finds too unlikely to be a disease or a phenotype. Not changed by use.

    The tagger adds no mention of its own: few of the diseases that it finds are phenotypes. A text that is a name and nothing
    else has no context to judge by: the name counts.
    """

    def __init__(self, tagger: Tagger, names: Recogniser, *, named: float) -> None:
        """named: the tagger's probability of a disease or phenotype from which a name counts, 0 to 1"""
        self._tagger, self._names, self._named = tagger, names, named

    @property
    def types(self) -> frozenset[str]:
        """The types of the names."""
        return self._names.types

    def recognise(self, documents: Sequence[Document]) -> list[Document]:
        """See `Recogniser`; mentions in text order, without overlaps, and without a confidence."""
        return [
            document
            for batch in batches(documents, characters=CHARACTERS)
            for document in self._recognised(batch)
        ]

    def _recognised(self, documents: Sequence[Document]) -> list[Document]:
        named = self._names.recognise(documents)
        judged = self._tagger.span_probabilities(named, types=JUDGING)
        return [
            names
            if is_whole_text(names)
            else names.with_mentions(
                [
                    mention
                    for mention, probability in zip(names.mentions, probabilities, strict=True)
                    if probability is not None and probability >= self._named
                ]
            )
            for names, probabilities in zip(named, judged, strict=True)
        ]

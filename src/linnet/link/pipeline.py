"""What a linker does with a mention, as data: kept in a terminology's manifest and changed by flags."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import isnan
from typing import Any, Self

from linnet.errors import MismatchError

__all__ = ["MODELS", "Pipeline"]

MODELS = ("encoder", "recogniser", "reranker", "calibrator")
"""Fields that name a model, or its directory."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The steps of linking.

    retrievers     indexes to search, in the order of trust: "exact" hits always come first, and those that score by cosine
                   are ranked together, by the mean
    encoder        name or directory of the encoder of "dense", None for the one its index was built with: `ngram`,
                   if nothing else was asked for
    glossary       exact look-up also compares what words mean, by the hand-written `linnet.glossary`. The other indexes
                   have it where they were built with it; False refuses those
    recogniser     finds mentions in plain text
    abbreviations  expand the abbreviations that a document defines
    spelling       set right words that no name has, where that finds a name or something that matches much better
    composites     split "breast and ovarian cancer" where its parts are names and the whole is not
    reranker       name or directory of what reorders the candidates, None for nothing
    memory         the reranker may use what training mentions meant; False: it works from names, context and hierarchy
                   alone, to measure it on texts like those that it was trained on
    depth          candidates retrieved for it
    margin         it is asked where the best candidate is no exact match, and where the best two scores differ by no more
                   than this; 1 for always. In NCBI and BC5CDR
                   train, cross-validated: as accurate as 1 with four fifths of the texts reranked; 0.15 costs
                   0.3 points with the plain dictionary and gains a fifth of the speed
    calibrator     file or directory of what turns scores into probabilities, None for the reranker's own
    min_probability  links whose calibrated probability is less are NIL; the candidates are shown all the same
    min_score      a mention whose best candidate scores less is NIL; the candidates are shown all the same
    """

    retrievers: tuple[str, ...] = ("exact", "dense")
    encoder: str | None = None
    glossary: bool = True
    recogniser: str = "dictionary"
    abbreviations: bool = True
    spelling: bool = True
    composites: bool = True
    reranker: str | None = "context"
    memory: bool = True
    depth: int = 8
    margin: float = 0.3
    calibrator: str | None = None
    min_probability: float = 0.05
    min_score: float = (
        0.3  # on NCBI and BC5CDR train: 31 NIL found and 130 wrong links withheld for 4 right ones
    )

    def __post_init__(self) -> None:
        """Raises ValueError, which names the field, for a number out of range and for no retriever."""
        if not self.retrievers:
            raise ValueError("'retrievers' is empty; expected one or more, e.g. exact and dense.")
        if self.depth < 1:
            raise ValueError(f"'depth' is {self.depth}; expected 1 or more.")
        for name, value in (("margin", self.margin), ("min_probability", self.min_probability)):
            if not 0 <= value <= 1:
                raise ValueError(f"'{name}' is {value}; expected a number from 0 to 1.")
        if isnan(self.min_score):
            raise ValueError("'min_score' is nan; expected a number.")

    @classmethod
    def from_manifest(cls, stored: Mapping[str, Any]) -> Self:
        """The pipeline a terminology's manifest asks for; what it leaves out is linnet's default.

        Raises MismatchError for a step that this version does not know, and for a value that it cannot have.
        """
        known = {field.name for field in fields(cls)}
        unknown = sorted(set(stored) - known)
        if unknown:
            raise MismatchError(
                f"The terminology's pipeline has '{unknown[0]}', which this linnet does not know. "
                f"It knows: {', '.join(sorted(known))}. Update linnet, or rebuild the terminology."
            )
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in stored.items()
        }
        try:
            return cls(**values)
        except ValueError as error:
            raise MismatchError(
                f"The terminology's pipeline cannot be used: {error} Rebuild the terminology."
            ) from None

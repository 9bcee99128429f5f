"""The steps of linking, as data: stored in a terminology's manifest, changed by options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import isnan
from typing import Any, Self

from linnet.errors import MismatchError
from linnet.recognise.text_kind import AUTO, KINDS

__all__ = ["MODELS", "Pipeline"]

MODELS = ("encoder", "recogniser", "reader", "reranker", "calibrator")
"""Fields that name a model, or its directory."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The steps of linking.

    retrievers     indexes to search, most trusted first: "exact" hits always come first, and indexes that score by cosine
                   are ranked together, by the mean. "entities" is searched with mentions in their contexts, the others by name
    encoder        name or directory of the encoder of "dense", or of that of "entities", which has two towers; None: the one its
                   index was built with, by default `ngram`
    glossary       exact look-up also uses the synonymous words of the hand-written `linnet.words.glossary`. The other indexes
                   use it if they were built with it; False refuses those
    recogniser     finds mentions in plain text; "combined" is the shipped tagger beside the names of the terminologies where
                   they have any of its types, else the names alone
    abbreviations  expand the abbreviations that a document defines
    spelling       correct words that no name has, if the result is a name or matches much better
    composites     split "breast and ovarian cancer" if its parts are names and the whole is not
    amounts        amounts belong to the names, as in clinical drugs: doses are no mark of a record, and stay in a string
    reader         name or directory of the model that chooses how a mention is read: in which form, as one thing, several or none
    without        features of the reader that do not count, to measure what each does; see `linnet.link.reading_features`
    reranker       name or directory of the model that reorders the candidates; None: do not rerank
    memory         let the reranker use what mentions meant in its training data; False: only names, context and hierarchy,
                   to measure it on texts like its training data
    depth          candidates retrieved for reranking
    margin         rerank mentions whose best candidate is not an exact match, or whose best two scores differ by at most
                   this; 1: all. On NCBI and BC5CDR train, cross-validated, 0.3 is as accurate as 1 and reranks four fifths
                   of the texts; 0.15 costs 0.3 points with the plain dictionary and is a fifth faster
    calibrator     file or directory of the model that turns scores into probabilities; None: the reranker's own
    min_probability  less probable links are NIL; their candidates are kept
    min_probability_recognised  the same for mentions that linnet recognised itself: nobody says that these have a concept
    min_score      a mention whose best candidate scores less is NIL; its candidates are kept
    text_kind      read texts as "note"s of patients or as "article"s; "auto": as what each reads like, see `linnet.recognise.text_kind`
    assertion      say of each mention whether the text negates it, doubts it …, see `linnet.read.assertion`
    """

    retrievers: tuple[str, ...] = ("exact", "dense")
    encoder: str | None = None
    glossary: bool = True
    recogniser: str = "combined"
    abbreviations: bool = True
    spelling: bool = True
    composites: bool = True
    amounts: bool = False
    reader: str = "reader"
    without: tuple[str, ...] = ()
    reranker: str | None = "context"
    memory: bool = True
    depth: int = 8
    margin: float = 0.3
    calibrator: str | None = None
    min_probability: float = 0.06
    min_probability_recognised: float = 0.5  # a link that is rather wrong than right is worse than none
    min_score: float = 0.3  # on NCBI and BC5CDR train: removes 130 wrong links and 4 right ones; 31 NIL found
    text_kind: str = AUTO
    assertion: bool = False

    def __post_init__(self) -> None:
        """Raises ValueError, which names the field, for a number out of range and for no retriever."""
        if not self.retrievers:
            raise ValueError("'retrievers' is empty; expected one or more, e.g. exact and dense.")
        if self.depth < 1:
            raise ValueError(f"'depth' is {self.depth}; expected 1 or more.")
        for name in ("margin", "min_probability", "min_probability_recognised"):
            value = getattr(self, name)
            if not 0 <= value <= 1:
                raise ValueError(f"'{name}' is {value}; expected a number from 0 to 1.")
        if self.text_kind not in (AUTO, *KINDS):
            raise ValueError(f"'text_kind' is '{self.text_kind}'; expected {AUTO}, {' or '.join(KINDS)}.")
        if isnan(self.min_score):
            raise ValueError("'min_score' is nan; expected a number.")

    @classmethod
    def from_manifest(cls, stored: Mapping[str, Any]) -> Self:
        """The pipeline in a terminology's manifest, with linnet's defaults for absent fields.

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

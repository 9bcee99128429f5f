"""What may find the mentions of a project."""

from __future__ import annotations

from functools import lru_cache

from linnet.link.member import Member
from linnet.link.pipeline import Pipeline
from linnet.recognise import COMBINED, DICTIONARY, recogniser_model, shared_kinds
from linnet.terminology import Terminology
from linnet.terminology.overrides import read_overrides

__all__ = ["best_recogniser", "recognisers_for", "types_found"]

_DESCRIPTIONS = {
    COMBINED: "linnet's trained recogniser beside the names of the terminology",
    DICTIONARY: "the names of the terminology alone",
}


def recognisers_for(terminology: Terminology) -> dict[str, str]:
    """Name → description of the recognisers that suit a terminology, the best one first; the last is what projects made
    before they could choose have.

    Raises MismatchError if the pipeline in its manifest cannot be read.
    """
    own = Pipeline.from_manifest(terminology.pipeline).recogniser
    if own != COMBINED:
        return {own: _DESCRIPTIONS.get(own, "the one that the terminology names")}
    fitting = [COMBINED] if _kinds(terminology) is not None else []
    return {name: _DESCRIPTIONS[name] for name in (*fitting, DICTIONARY)}


def types_found(terminology: Terminology, recogniser: str) -> list[str]:
    """The types of the terminology that a recogniser was trained to find, which new projects link to; [], which means all, where it finds
    names of any type, and where it finds all types.

    With other types, names that the recogniser does not judge are linked: "history" to Humanities.
    """
    kinds = _kinds(terminology) if recogniser == COMBINED else None
    found = [name for name in terminology.type_names if name in (kinds or ())]
    return found if len(found) < len(terminology.type_names) else []


@lru_cache(maxsize=16)  # a second for a large terminology
def _kinds(terminology: Terminology) -> frozenset[str] | None:
    """The types that the trained recogniser finds, None if it does not suit the terminology."""
    names = Member(terminology, [], overrides=read_overrides(terminology)).names()
    fits = recogniser_model(COMBINED, [names]) is not None
    return frozenset(shared_kinds([names])) if fits else None


def best_recogniser(terminology: Terminology) -> str:
    """The first of `recognisers_for`."""
    return next(iter(recognisers_for(terminology)))

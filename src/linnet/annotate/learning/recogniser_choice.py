"""What may find the mentions of a project."""

from __future__ import annotations

from linnet.link.member import Member
from linnet.link.pipeline import Pipeline
from linnet.recognise import COMBINED, DICTIONARY, recogniser_model
from linnet.terminology import Terminology
from linnet.terminology.overrides import read_overrides

__all__ = ["best_recogniser", "recognisers_for"]

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
    names = Member(terminology, [], overrides=read_overrides(terminology)).names()
    fitting = [COMBINED] if recogniser_model(COMBINED, [names]) is not None else []
    return {name: _DESCRIPTIONS[name] for name in (*fitting, DICTIONARY)}


def best_recogniser(terminology: Terminology) -> str:
    """The first of `recognisers_for`."""
    return next(iter(recognisers_for(terminology)))

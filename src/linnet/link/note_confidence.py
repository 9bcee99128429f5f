"""How probable links of mentions that linnet found in notes are: by the probability of the link, and of the mention.

The calibrators were fitted on papers, where the span is rarely in doubt. In notes a mention may be a label, a test or part of a longer
name, so the recogniser's confidence enters: a logistic regression on both log odds, fitted on the clinical notes to tune on.
"""

from __future__ import annotations

import math
from dataclasses import replace

from linnet.recognise.text_kind import is_note
from linnet.types import Link

__all__ = ["as_in_a_note"]

_BIAS, _OF_LINK, _OF_MENTION = -0.25, 0.53, 0.28
_LEAST = 0.001


def as_in_a_note(link: Link) -> Link:
    """The link of a mention in a note with the probability that both are right. What a person decided, NIL, a mention without a
    confidence, and a link in another text stay."""
    probability, confidence = link.probability, link.mention.confidence
    if probability is None or probability == 1 or confidence is None or not is_note(link.mention.document):
        return link
    score = _BIAS + _OF_LINK * _log_odds(probability) + _OF_MENTION * _log_odds(confidence)
    return replace(link, probability=round(1 / (1 + math.exp(-score)), 4))


def _log_odds(probability: float) -> float:
    bounded = min(max(probability, _LEAST), 1 - _LEAST)
    return math.log(bounded / (1 - bounded))

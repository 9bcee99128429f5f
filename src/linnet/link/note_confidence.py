"""How probable links of mentions that linnet found in notes are: by the probability of the link, and of the mention.

The calibrators were fitted on papers, where the span is rarely in doubt. In notes a mention may be a label, a test or part of a longer
name, so the recogniser's confidence enters: a logistic regression on both log odds, fitted on the clinical notes to tune on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from linnet.recognise.text_kind import is_note
from linnet.types import Link

__all__ = ["as_in_notes"]

_BIAS, _OF_LINK, _OF_MENTION = -0.25, 0.53, 0.28
_LEAST = 0.001


def as_in_notes(links: Sequence[Link]) -> list[Link]:
    """The links in their order, those in notes with the probability that they and their mentions are right. What a person decided, NIL, and
    mentions without a confidence stay."""
    return [_as_in_a_note(link) if _applies(link) else link for link in links]


def _applies(link: Link) -> bool:
    return (
        link.probability is not None
        and link.probability < 1
        and link.mention.confidence is not None
        and is_note(link.mention.document.text)
    )


def _as_in_a_note(link: Link) -> Link:
    assert link.probability is not None
    assert link.mention.confidence is not None
    score = _BIAS + _OF_LINK * _log_odds(link.probability) + _OF_MENTION * _log_odds(link.mention.confidence)
    return replace(link, probability=round(1 / (1 + math.exp(-score)), 4))


def _log_odds(probability: float) -> float:
    bounded = min(max(probability, _LEAST), 1 - _LEAST)
    return math.log(bounded / (1 - bounded))

"""What a text says of its mentions: denied, doubted, past, of somebody else, or only thought of.

The words are cues as in NegEx and ConText (Harkema et al. 2009, doi:10.1016/j.jbi.2009.05.002). Differs: how far a cue reaches is
learnt. Each cue near a mention, its section and the mention itself give a probability; an attribute holds if one of them does
(noisy or), so 1 - Π (1 - p). `benchmarks/assertion/fit.py` fits the weights. English.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache

from linnet.read.assertion_cues import ATTRIBUTES
from linnet.read.assertion_evidence import Evidence, evidence
from linnet.read.rules import rows
from linnet.types import Document

__all__ = ["ATTRIBUTES", "assertions", "probabilities"]

_LEAST = 0.5  # probability from which on an attribute is given


def assertions(document: Document) -> list[tuple[str, ...]]:
    """For each mention its attributes, in the order of `ATTRIBUTES`; () for what is simply said to be so.

    Takes time in proportion to the text's length.

    >>> from linnet.types import Document, Mention
    >>> text = "Denies fever. Mother had asthma."
    >>> document = Document("1", text)
    >>> spans = [(text.index(name), text.index(name) + len(name)) for name in ("fever", "asthma")]
    >>> assertions(document.with_mentions([Mention(document, a, b, text[a:b]) for a, b in spans]))
    [('negated',), ('other person',)]
    """
    return [
        tuple(name for name, probability in of_mention.items() if probability >= _LEAST)
        for of_mention in probabilities(document)
    ]


def probabilities(document: Document) -> list[dict[str, float]]:
    """For each mention the probability of each of `ATTRIBUTES`, in their order."""
    if not document.mentions:
        return []
    return [_combined(of_mention) for of_mention in evidence(document)]


def _combined(of_mention: Iterable[Evidence]) -> dict[str, float]:
    doubt = dict.fromkeys(ATTRIBUTES, 0.0)  # -log of the probability that it does not hold
    for attribute, features in of_mention:
        weights = _weights()[attribute]
        score = sum(weights.get(feature, 0.0) for feature in features)
        doubt[attribute] += max(score, 0.0) + math.log1p(math.exp(-abs(score)))
    return {attribute: -math.expm1(-sum_of_logs) for attribute, sum_of_logs in doubt.items()}


@cache
def _weights() -> Mapping[str, Mapping[str, float]]:
    """Attribute → feature → weight."""
    table = rows("assertion_weights")
    return {name: {row["feature"]: float(row[name]) for row in table if row[name]} for name in ATTRIBUTES}

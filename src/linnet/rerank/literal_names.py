"""How sure a literal name is: the probability that a text which is a name of a concept, and was not reranked, means it.

A logistic model of a few facts about the name, none of which can raise the probability. Long preferred names that no other
concept's name is near are the surest; short forms, synonyms and respelt words are less so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from linnet.arrays import Doubles, Flags, Floats, Mask
from linnet.retrieve.hits import Hits, Origin

__all__ = ["FACTS", "LiteralNames", "fit_literal_names", "is_literal", "literal_facts"]

FACTS = (
    "synonym",  # the name is not the preferred one
    "short synonym",  # of at most `_SHORT` characters, as abbreviations are
    "other case",  # a short form that the text has in other letters: "Tm", "tm"
    "brevity",  # from 1, for a name without characters, to 0, for one of `_LONG` or more
    "looser match",  # not equal but for case, see `linnet.text.LEVELS`
    "shared",  # another concept has a name that matches more loosely
    "respelt",  # a misspelt word was corrected
    "nearest other",  # cosine of the nearest name of another concept that does not match
)
_SHORT, _LONG = 5, 20  # characters; chosen on NCBI and BC5CDR train
_PENALTY = 1.0  # of the squared weights: keeps those of rare facts small


@dataclass(frozen=True, slots=True)
class LiteralNames:
    """`bias` is the log odds without any of the `FACTS`; the weights, 0 or less, are added."""

    bias: float
    weights: Mapping[str, float]

    def at(self, facts: Doubles) -> Doubles:
        """(N,) probabilities of (N, facts)."""
        logits = self.bias + (facts * [self.weights[fact] for fact in FACTS]).sum(axis=1)
        return np.asarray(1 / (1 + np.exp(-logits)))

    def is_sound(self) -> bool:
        """Whether it has a weight for each fact, and none raises the probability."""
        values = np.array([self.bias, *self.weights.values()])
        return set(self.weights) == set(FACTS) and bool(np.isfinite(values).all() and (values[1:] <= 0).all())


def is_literal(hits: Hits) -> Mask:
    """(N,) whether the best candidate is an exact match that was neither reranked nor chosen by a person."""
    flags = hits.origins[:, 0] & (Origin.EXACT | Origin.RERANKED | Origin.OVERRIDE)
    return np.asarray(flags == Origin.EXACT)


def literal_facts(
    texts: Sequence[str], names: Sequence[str], preferred: Sequence[str], scores: Floats, origins: Flags
) -> Doubles:
    """(N, facts) of literal names.

    texts           (N,) as written             names  (N,) that match       preferred  (N,) of their concepts
    scores, origins (N, k) of all candidates; of at least 8, if there are so many
    """
    facts = np.zeros((len(names), len(FACTS)))
    exact = (origins[:, 1:] & Origin.EXACT) > 0
    for row, (text, name, best) in enumerate(zip(texts, names, preferred, strict=True)):
        synonym, short = name.casefold() != best.casefold(), len(name) <= _SHORT
        other_case = short and text != name and text.casefold() == name.casefold()
        facts[row, :4] = synonym, synonym and short, other_case, max(0.0, 1 - len(name) / _LONG)
    facts[:, 4] = scores[:, 0] < 1
    facts[:, 5] = exact.any(axis=1)
    facts[:, 6] = (origins[:, 0] & Origin.SPELLING) > 0
    facts[:, 7] = np.where(exact, 0, scores[:, 1:]).max(axis=1, initial=0).clip(0, 1)
    return facts


def fit_literal_names(facts: Doubles, right: Sequence[bool]) -> LiteralNames:
    """Maximum likelihood, the weights penalised and at most 0."""
    from scipy.optimize import minimize

    wanted = np.asarray(right, np.float64)

    def loss(values: Doubles) -> tuple[float, Doubles]:
        logits = values[0] + facts @ values[1:]
        off = 1 / (1 + np.exp(-logits)) - wanted
        penalty = _PENALTY / 2 * float((values[1:] ** 2).sum())
        gradient = np.r_[off.sum(), off @ facts + _PENALTY * values[1:]]
        return float((np.logaddexp(0, logits) - wanted * logits).sum()) + penalty, gradient

    bounds = [(None, None), *[(None, 0.0)] * len(FACTS)]
    found = minimize(loss, np.zeros(len(bounds)), jac=True, method="L-BFGS-B", bounds=bounds).x
    bias, *weights = (round(float(value), 4) + 0.0 for value in found)
    return LiteralNames(bias, dict(zip(FACTS, weights, strict=True)))

"""How sure a literal name is: the probability that a text which is a name of a concept, and was not reranked, means it.

A logistic model of a few facts about the name, of which only one can raise the probability: that training mentions of the text
meant the concept. The next surest are preferred names that no other concept's name is near; synonyms, short forms and respelt
words are less sure.
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
    "shared",  # another concept has a name that matches more loosely
    "respelt",  # a misspelt word was corrected
    "nearest other",  # cosine of the nearest name of another concept that does not match
    "meant otherwise",  # share of the training mentions of this text that meant another candidate
    "meant",  # share that meant this one
)
_SHORT = 5  # characters; chosen on NCBI and BC5CDR train
_PENALTY = 1.0  # of the squared weights: keeps those of rare facts small


@dataclass(frozen=True, slots=True)
class LiteralNames:
    """`bias` is the log odds without any of the `FACTS`; the weights, 0 or less but for "meant", are added."""

    bias: float
    weights: Mapping[str, float]

    def at(self, facts: Doubles) -> Doubles:
        """(N,) probabilities of (N, facts)."""
        logits = self.bias + (facts * [self.weights[fact] for fact in FACTS]).sum(axis=1)
        return np.asarray(1 / (1 + np.exp(-logits)))

    def is_sound(self) -> bool:
        """Whether it has a weight for each fact, and none but that of "meant" raises the probability."""
        if set(self.weights) != set(FACTS):
            return False
        values = np.array([self.bias, *(self.weights[fact] for fact in FACTS)])
        return bool(np.isfinite(values).all() and (values[1:-1] <= 0).all())


def is_literal(hits: Hits) -> Mask:
    """(N,) whether the best candidate is an exact match that was neither reranked nor chosen by a person."""
    flags = hits.origins[:, 0] & (Origin.EXACT | Origin.RERANKED | Origin.OVERRIDE)
    return np.asarray(flags == Origin.EXACT)


def literal_facts(
    texts: Sequence[str],
    names: Sequence[str],
    preferred: Sequence[str],
    scores: Floats,
    origins: Flags,
    shares: Doubles,
) -> Doubles:
    """(N, facts) of literal names.

    texts           (N,) as written             names  (N,) that match       preferred  (N,) of their concepts
    scores, origins (N, k) of all candidates; of at least 8, if there are so many
    shares          (N, at most k) of training mentions, as `Remembers.recalled` of the first candidates
    """
    facts = np.zeros((len(names), len(FACTS)))
    exact = (origins[:, 1:] & Origin.EXACT) > 0
    for row, (text, name, best) in enumerate(zip(texts, names, preferred, strict=True)):
        synonym, short = name.casefold() != best.casefold(), len(name) <= _SHORT
        other_case = short and text != name and text.casefold() == name.casefold()
        facts[row, :3] = synonym, synonym and short, other_case
    facts[:, 3] = exact.any(axis=1)
    facts[:, 4] = (origins[:, 0] & Origin.SPELLING) > 0
    facts[:, 5] = np.where(exact, 0, scores[:, 1:]).max(axis=1, initial=0).clip(0, 1)
    others = np.where(origins[:, 1 : shares.shape[1]] > 0, shares[:, 1:], 0)
    facts[:, 6:] = np.nan_to_num(np.stack([others.sum(axis=1).clip(0, 1), shares[:, 0]], axis=1))
    return facts


def fit_literal_names(facts: Doubles, right: Sequence[bool], counts: Doubles | float = 1.0) -> LiteralNames:
    """Maximum likelihood, the weights penalised and as `is_sound` wants them; `counts` (N,) says how often each counts."""
    from scipy.optimize import minimize

    wanted = np.asarray(right, np.float64)

    def loss(values: Doubles) -> tuple[float, Doubles]:
        logits = values[0] + facts @ values[1:]
        off = counts * (1 / (1 + np.exp(-logits)) - wanted)
        penalty = _PENALTY / 2 * float((values[1:] ** 2).sum())
        gradient = np.r_[off.sum(), off @ facts + _PENALTY * values[1:]]
        return float((counts * (np.logaddexp(0, logits) - wanted * logits)).sum()) + penalty, gradient

    bounds = [(None, None), *[(None, 0.0)] * (len(FACTS) - 1), (None, None)]
    found = minimize(loss, np.zeros(len(bounds)), jac=True, method="L-BFGS-B", bounds=bounds).x
    bias, *weights = (round(float(value), 4) + 0.0 for value in found)
    return LiteralNames(bias, dict(zip(FACTS, weights, strict=True)))

"""Candidates that are neither disease nor substance go behind the others where the mention is one: "palate" as a disease is no part of
the body. Which of the two it is, the recogniser often mistakes, above all of short forms; the reranker weighs that. How far such a
candidate is believed, and the one that comes before it, is learnt by `experiments/kind_order.py`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from linnet.arrays import Doubles, Mask
from linnet.link.terminology_group import TerminologyGroup
from linnet.read.rules import link_weights
from linnet.retrieve.hits import Hits, Origin
from linnet.types import Mention
from linnet.words.semantic_groups import Group, compatible, group_of_mention

__all__ = ["FEATURES", "best_own", "either_kind", "of_other_kinds", "own_kind_first"]

FEATURES = {"other": ("always", "best of the kind", "exact"), "own": ("always", "score")}
"""What the weights are of, see `_weights`."""
_EITHER = Group.DISEASE | Group.PHENOTYPE | Group.CHEMICAL | Group.PROTEIN


def own_kind_first(
    mentions: Sequence[Mention], hits: Hits, group: TerminologyGroup
) -> tuple[Hits, dict[int, float]]:
    """(N, k) the hits with the scores of candidates of another kind times the probability that such are right, best first again; equal
    scores keep their order. And the rows with another candidate first → how sure it is, 0 to 1, as it was behind a better match.

    Mentions of other types, concepts without a known kind and what a person decided stay.
    """
    other = of_other_kinds(mentions, hits, group)
    rows = np.flatnonzero(other.any(axis=1))
    if not len(rows):
        return hits, {}
    ordered = hits.copy()
    own = best_own(hits, other)
    exact = (hits.origins & Origin.EXACT) != 0
    always, by_own, if_exact = _weights("other")
    believed = _share(always + if_exact * exact + by_own * own[:, None])
    ordered.scores[other] *= believed[other].astype(np.float32)
    for row in rows.tolist():
        order = np.argsort(-ordered.scores[row], kind="stable")
        for values in (ordered.concepts, ordered.names, ordered.scores, ordered.origins):
            values[row] = values[row, order]
    moved = np.flatnonzero(ordered.concepts[:, 0] != hits.concepts[:, 0])
    always, by_score = _weights("own")
    sure = _share(always + by_score * own[moved])
    return ordered, dict(zip(moved.tolist(), sure.tolist(), strict=True))


def either_kind(mention: Mention) -> Group:
    """Diseases and substances of a mention that is one of them, else nothing."""
    return _EITHER if group_of_mention(mention.type) & _EITHER else Group(0)


def of_other_kinds(mentions: Sequence[Mention], hits: Hits, group: TerminologyGroup) -> Mask:
    """(N, k) which candidates are of another kind than their mention."""
    wanted = np.array([int(either_kind(m)) for m in mentions], np.int64)
    valid = (hits.concepts >= 0) & (wanted[:, None] != 0) & ((hits.origins[:, :1] & Origin.OVERRIDE) == 0)
    groups = group.groups(hits.concepts[valid].astype(np.int64))
    kinds, inverse = np.unique(groups, return_inverse=True)
    is_other = np.array([not compatible(_EITHER, Group(int(kind))) for kind in kinds], bool)
    other = np.zeros(hits.concepts.shape, bool)
    other[valid] = is_other[inverse.ravel()] if len(kinds) else False
    return other


def best_own(hits: Hits, other: Mask) -> Doubles:
    """(N,) the best score of a candidate of the kind, 0 to 1; 0 if there is none."""
    scores = np.where((hits.concepts < 0) | other, 0.0, hits.scores.astype(np.float64))
    best: Doubles = np.clip(scores, 0.0, 1.0).max(axis=1, initial=0.0)
    return best


@cache
def _weights(of: str) -> tuple[float, ...]:
    """ "other": log odds that a candidate of another kind is right: always, times the best score of the kind, if it is an exact match.
    "own": that the best candidate of the kind is, if one of another kind is before it: always, times its score."""
    weights = link_weights(f"kind order: {of}")
    return tuple(weights[name] for name in FEATURES[of])


def _share(log_odds: Doubles) -> Doubles:
    share: Doubles = 1 / (1 + np.exp(-log_odds))
    return share

"""Candidates that are neither disease nor substance go behind the others where the mention is one: "palate" as a disease is no part of
the body. Which of the two it is, the recogniser often mistakes, above all of short forms; the reranker weighs that."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linnet.link.terminology_group import TerminologyGroup
from linnet.retrieve.hits import Hits, Origin
from linnet.types import Mention
from linnet.words.semantic_groups import Group, compatible, group_of_mention

__all__ = ["own_kind_first"]

# Of links to another kind 1 in 41 was right on the clinical notes to tune on, of other links 18 in 20.
_OTHER_KIND = 0.03
_EITHER = Group.DISEASE | Group.PHENOTYPE | Group.CHEMICAL | Group.PROTEIN


def own_kind_first(
    mentions: Sequence[Mention], hits: Hits, group: TerminologyGroup
) -> tuple[Hits, dict[int, float]]:
    """(N, k) the hits with the scores of candidates of another kind times 0.03, best first again; equal scores keep their order. And
    the rows with another candidate first → its score, 0 to 1: how sure it is, as it was ranked behind a better match.

    Mentions of other types, concepts without a known kind and what a person decided stay.
    """
    wanted = np.array([int(_EITHER) if group_of_mention(m.type) & _EITHER else 0 for m in mentions], np.int64)
    valid = (hits.concepts >= 0) & (wanted[:, None] != 0) & ((hits.origins[:, :1] & Origin.OVERRIDE) == 0)
    rows, columns = np.nonzero(valid)
    groups = group.groups(hits.concepts[rows, columns].astype(np.int64))
    pairs, inverse = np.unique(np.stack([wanted[rows], groups]), axis=1, return_inverse=True)
    is_other = np.array([not compatible(Group(int(a)), Group(int(b))) for a, b in pairs.T], bool)
    other = is_other[inverse.ravel()] if len(is_other) else np.zeros(0, bool)
    if not other.any():
        return hits, {}
    ordered = hits.copy()
    ordered.scores[rows[other], columns[other]] *= _OTHER_KIND
    for row in np.unique(rows[other]).tolist():
        order = np.argsort(-ordered.scores[row], kind="stable")
        for values in (ordered.concepts, ordered.names, ordered.scores, ordered.origins):
            values[row] = values[row, order]
    moved = np.flatnonzero(ordered.concepts[:, 0] != hits.concepts[:, 0]) if hits.k else np.zeros(0, np.int64)
    sure = {row: max(0.0, min(1.0, float(ordered.scores[row, 0]))) for row in moved.tolist()}
    return ordered, sure

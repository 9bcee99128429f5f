"""Doubt about strings without context whose words name a thing of another kind than their concept: "measles vaccine", measles.

A mention in a text is a name of a thing that somebody looked for. A cell of a table may hold anything, and the closest name of the
terminology then has most of its words: factor VII is close to factor VII deficiency, rabbit syndrome to the rabbit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from linnet.arrays import Doubles, Mask
from linnet.link.terminology_group import TerminologyGroup
from linnet.link.variant_choice import Choice, Parts
from linnet.read.doses import names_dosage_form
from linnet.rerank.name_kinds import KINDS, kinds, same_kind
from linnet.retrieve.hits import Hits, Origin
from linnet.semantic_groups import Group

__all__ = ["confidence_by_kind", "factor_of"]

# Chosen on names held out of six terminologies among names of other kinds (`experiments/kind_doubt.py`): what is rather of the
# kind than not is not doubted.
_ENOUGH = 0.5
_HALVED = 0.1
_PRODUCT = np.array([float(bool(kind & (Group.CHEMICAL | Group.PROTEIN))) for kind in KINDS.values()]) / 2


def confidence_by_kind(
    written: Sequence[str], choice: Choice, hits: Hits, splits: Mapping[int, Parts], group: TerminologyGroup
) -> dict[int, float]:
    """`choice.confidence`, times the doubt that a string's words raise about the kind of its concept.

    written  (N,) the mentions' texts, before they were read
    hits     (N, k) the candidates of the mentions, final
    splits   row → parts of a composite, with their final candidates
    """
    rows = sorted(choice.bare)
    if not rows:
        return choice.confidence
    whole = [row for row in rows if row not in splits]
    parts = [(row, text, own) for row in rows for text, own in splits.get(row, ())]
    products = [names_dosage_form(written[row]) and not names_dosage_form(choice.texts[row]) for row in whole]
    factors = _factors(
        [*(choice.texts[row] for row in whole), *(text for _, text, _ in parts)],
        np.array([*products, *(False for _ in parts)], bool),
        Hits.stack([hits.take(whole), *(own for _, _, own in parts)]),
        group,
    )
    confidence = dict(choice.confidence)
    for row, factor in zip([*whole, *(row for row, _, _ in parts)], factors.tolist(), strict=True):
        if factor < 1:
            confidence[row] = confidence.get(row, 1.0) * factor
    return confidence


def _factors(texts: Sequence[str], products: Mask, hits: Hits, group: TerminologyGroup) -> Doubles:
    """(N,) 1 for names of the terminology, for what has no candidate, and for what is likely of its candidate's kind; else less.

    products  (N,) whether the text is without the dosage form that it was written with ("eczema cream"), so that only a drug is of
              its kind
    """
    factors = np.ones(len(texts))
    if not hits.k:
        return factors
    named = (hits.origins[:, 0] & (Origin.EXACT | Origin.OVERRIDE)) > 0
    rows = np.flatnonzero((hits.concepts[:, 0] >= 0) & (hits.names[:, 0] >= 0) & (products | ~named))
    if len(rows):
        of_texts = kinds([texts[row] for row in rows.tolist()])
        of_texts[products[rows]] = _PRODUCT
        names = group.name_texts(hits.names[rows, 0].astype(np.int64))
        expected = group.expected_kinds(hits.concepts[rows, 0].astype(np.int64))
        shares = same_kind(of_texts, names, expected)
        factors[rows] = factor_of(shares)
    return factors


def factor_of(shares: Doubles, *, enough: float = _ENOUGH, halved: float = _HALVED) -> Doubles:
    """(N,) what a probability is multiplied by, of how far a string is of its concept's kind: 1 from `enough` on, falling to 0."""
    return np.minimum(1.0, shares / (shares + halved) * (enough + halved) / enough)

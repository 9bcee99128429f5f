"""TrainX's active sampling, told apart from what is known already."""

from __future__ import annotations

import math

from linnet.annotate.strategies.pool import Pool
from linnet.annotate.strategies.shuffled import shuffled
from linnet.text import simplify

__all__ = ["least_confident_new"]


def least_confident_new(pool: Pool) -> list[int]:
    """The document with the least confident prediction first, but what is annotated or comes before it counts only once.

    A mention's text, by its normal form, is looked at where it is least sure: its document comes next, unless the text
    was annotated before or occurs in a document that comes earlier. Once everything has been covered, documents follow by
    their least confident prediction, those without predictions last; equal ones in random order.

    `least-confident` asks for the same text again and again until the model has learnt it, and by the margin of
    the two best candidates even then: a name that is right may have a near twin.
    Differs from TrainX (Oberhauser et al. 2020) in that.
    """
    known = {simplify(text) for text in pool.known}
    forms = [document.forms() for document in pool.documents]
    drawn = {place: rank for rank, place in enumerate(shuffled(pool))}
    asked = sorted(
        (confidence, drawn[place], place, form)
        for place, found in enumerate(forms)
        for form, confidence in found.items()
        if form not in known
    )
    chosen: dict[int, None] = {}
    for _, _, place, form in asked:
        if form not in known and place not in chosen:
            chosen[place] = None
            known |= forms[place].keys()
    least = [min(document.confidences, default=math.inf) for document in pool.documents]
    rest = sorted((place for place in drawn if place not in chosen), key=lambda place: least[place])
    return [*chosen, *rest]

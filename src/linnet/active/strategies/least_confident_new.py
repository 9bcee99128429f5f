"""TrainX's active sampling, with each text counted once."""

from __future__ import annotations

import math

from linnet.active.strategies.pool import Pool
from linnet.active.strategies.shuffled import shuffled
from linnet.words.text import simplify

__all__ = ["least_confident_new"]


def least_confident_new(pool: Pool) -> list[int]:
    """Documents with the least confident prediction first, but each text counts once, and not if it is annotated already.

    A text, in normal form, counts where its prediction is least confident, unless it was annotated or occurs in an earlier
    document. The remaining documents follow by their least confident prediction, those without predictions last. Ties are in
    random order.

    `least-confident` asks for the same text until the model has learnt it, and even longer if the right name has a near
    twin, which keeps the margin small. Differs from TrainX (Oberhauser et al. 2020) in that.
    """
    known = {simplify(text) for text in pool.known}
    forms = [document.forms() for document in pool.documents]
    drawn = {place: rank for rank, place in enumerate(shuffled(pool))}
    candidates = sorted(
        (confidence, drawn[place], place, form)
        for place, confidences in enumerate(forms)
        for form, confidence in confidences.items()
        if form not in known
    )
    chosen: dict[int, None] = {}
    for _, _, place, form in candidates:
        if form not in known and place not in chosen:
            chosen[place] = None
            known |= forms[place].keys()
    least = [min(document.confidences, default=math.inf) for document in pool.documents]
    rest = sorted((place for place in drawn if place not in chosen), key=lambda place: least[place])
    return [*chosen, *rest]

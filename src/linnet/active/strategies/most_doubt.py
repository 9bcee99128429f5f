"""The most uncertain new mentions per mention to check."""

from __future__ import annotations

from collections import Counter
from heapq import heapify, heappop, heapreplace

from linnet.active.strategies.pool import Pool
from linnet.active.strategies.shuffled import shuffled
from linnet.words.text import simplify

__all__ = ["most_doubt"]

_STEEP = 8  # 4 to 32 do about as well; see docs/results/active-learning.md
_SURE = 2.0


def most_doubt(pool: Pool) -> list[int]:
    """Documents with the most uncertain new mentions first, relative to the number of mentions to check. Learns most per effort.

    A text, in normal form, scores its doubt times the number of waiting documents with it; 0 once it was annotated or occurs
    in an earlier document. Doubt is (1 − lowest confidence / 2) to the eighth power. A document scores the sum of its texts
    divided by one more than its predicted mentions. Documents with nothing new come last. Ties are in random order.

    Source: greedy maximum coverage by benefit for each unit of cost (Khuller, Moss and Naor 1999); information density
    (Settles and Craven 2008) is the product of doubt and frequency.
    """
    known = {simplify(text) for text in pool.known}
    forms = [
        {form: sure for form, sure in document.forms().items() if form not in known}
        for document in pool.documents
    ]
    frequency = Counter(form for confidences in forms for form in confidences)
    least: dict[str, float] = {}
    for confidences in forms:
        for form, sure in confidences.items():
            least[form] = min(least.get(form, _SURE), sure)
    worth = {form: ((_SURE - sure) / _SURE) ** _STEEP * frequency[form] for form, sure in least.items()}

    def rate(place: int) -> float:
        gained = sum(worth[form] for form in forms[place] if form not in known)
        return gained / (1 + len(pool.documents[place].mentions))

    # Scores only fall as documents are chosen, so a document that is still first when scored again is the best.
    waiting = [(-rate(place), rank, place) for rank, place in enumerate(shuffled(pool))]
    heapify(waiting)
    chosen: list[int] = []
    while waiting:
        before, rank, place = waiting[0]
        now = -rate(place)
        if now > before:
            heapreplace(waiting, (now, rank, place))
            continue
        heappop(waiting)
        chosen.append(place)
        known |= forms[place].keys()
    return chosen

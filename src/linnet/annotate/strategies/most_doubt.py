"""What teaches most for the work it is."""

from __future__ import annotations

from collections import Counter
from heapq import heapify, heappop, heapreplace

from linnet.annotate.strategies.pool import Pool
from linnet.annotate.strategies.shuffled import shuffled
from linnet.text import simplify

__all__ = ["most_doubt"]

_STEEP = 8  # of 4 to 32 all were about as good; see docs/results/active-learning.md
_SURE = 2.0


def most_doubt(pool: Pool) -> list[int]:
    """The document with the most doubt about new texts, per mention to check, first: teaches the most for the least work.

    A text, by its normal form, is worth its doubt times the number of documents that wait with it; nothing once it was
    annotated, or in a document that comes before. Doubt is how much surer the model could be where it is least sure, 0 to 1,
    to the eighth power. A document is worth its texts' sum over one more than the mentions predicted in it. Those without
    anything new come last, as do equal ones among themselves, in random order.

    Source: greedy maximum coverage by benefit for each unit of cost (Khuller, Moss and Naor 1999); information density
    (Settles and Craven 2008) is the product of doubt and frequency.
    """
    known = {simplify(text) for text in pool.known}
    forms = [
        {form: sure for form, sure in document.forms().items() if form not in known}
        for document in pool.documents
    ]
    frequency = Counter(form for found in forms for form in found)
    least: dict[str, float] = {}
    for found in forms:
        for form, sure in found.items():
            least[form] = min(least.get(form, _SURE), sure)
    worth = {form: ((_SURE - sure) / _SURE) ** _STEEP * frequency[form] for form, sure in least.items()}

    def rate(place: int) -> float:
        gained = sum(worth[form] for form in forms[place] if form not in known)
        return gained / (1 + len(pool.documents[place].mentions))

    # What a document is worth only falls as others are chosen: whatever is still best when counted anew is best of all.
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

"""When a mention is taken for several: its parts must match names better than the whole does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linnet.link.queries import Queries, is_name
from linnet.recognise.composites import alternatives
from linnet.retrieve.exact import SCORES
from linnet.retrieve.hits import Hits

__all__ = ["Parts", "choose_splits"]

# Chosen on NCBI and BC5CDR train: every part must be found this well, and the parts on average this much better than the whole.
_PART_SCORE = 0.6
_GAIN = 0.15

Parts = list[tuple[str, Hits]]


def choose_splits(texts: Sequence[str], hits: Hits, queries: Queries, *, k: int) -> dict[int, Parts]:
    """Which texts are composites: row → (text, (1, k) hits) of each part.

    A text that is itself a name, word for word, is never split; one that is a name but for little words or word order
    only where every part is a name more exactly. Of several ways to split, the one whose worst part matches best.
    """
    ways = {
        row: split
        for row, text in enumerate(texts)
        if not _is_literally(hits, row)
        and (split := [parts for parts in alternatives(text) if len(parts) > 1])
    }
    if not ways:
        return {}
    wanted = list(dict.fromkeys(part for split in ways.values() for parts in split for part in parts))
    found = queries.search(wanted, k=k)
    places = {text: place for place, text in enumerate(wanted)}
    best = {text: float(found.scores[place, 0]) for text, place in places.items()}
    chosen: dict[int, Parts] = {}
    for row, split in ways.items():
        parts = max(
            split,
            key=lambda parts: (
                min(best[part] for part in parts),
                sum(best[part] for part in parts) / len(parts),
            ),
        )
        scores, whole = [best[part] for part in parts], float(hits.scores[row, 0])
        if is_name(hits, row):
            better = min(scores) > whole and all(is_name(found, places[part]) for part in parts)
        else:
            better = min(scores) >= _PART_SCORE and float(np.mean(scores)) >= whole + _GAIN
        if better:
            chosen[row] = [(part, found.take([places[part]])) for part in parts]
    return chosen


def _is_literally(hits: Hits, row: int) -> bool:
    return is_name(hits, row) and float(hits.scores[row, 0]) >= SCORES["simplify"]

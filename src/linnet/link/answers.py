"""From hits to links: the concept, or NIL, of each mention, and the links of a composite's parts as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from linnet.link.candidates import Candidates, shown_score
from linnet.link.composites import Parts
from linnet.link.targets import Targets
from linnet.retrieve.hits import Hits, Origin
from linnet.types import Link, Mention

__all__ = ["composite_links", "single_links"]


def single_links(
    targets: Targets,
    mentions: Sequence[Mention],
    hits: Hits,
    *,
    expanded: Sequence[bool] | None = None,
    min_score: float,
) -> list[Link]:
    """A link for each mention to its best hit, or NIL where that scores less than `min_score`.

    hits      (N, k)
    expanded  (N,) whether an abbreviation in the mention was spelt out; its candidates say so
    """
    counts = (hits.concepts >= 0).sum(axis=1)
    some = np.flatnonzero(counts)
    scores = hits.scores[some, 0].tolist() if len(some) else []
    linked = some[np.array([shown_score(score) >= min_score for score in scores], bool)]
    best = hits.concepts[linked, 0] if len(linked) else np.zeros(0, np.int32)
    concepts: list[tuple[str, ...]] = [()] * len(mentions)
    names = [""] * len(mentions)
    for row, id, name in zip(linked.tolist(), targets.ids(best), targets.preferred_names(best), strict=True):
        concepts[row], names[row] = (id,), name
    ways = [Origin.ABBREVIATION if flag else Origin(0) for flag in expanded or [False] * len(mentions)]
    candidates = [
        Candidates(targets, hits, row, count, also)
        for row, (count, also) in enumerate(zip(counts.tolist(), ways, strict=True))
    ]
    return list(map(Link, mentions, concepts, names, [None] * len(mentions), candidates))


def composite_links(
    targets: Targets, whole: Sequence[Link], splits: Mapping[int, Parts], *, min_score: float
) -> dict[int, Link]:
    """The links of mentions that are split, by row: the concepts of all parts, the candidates of the whole.

    whole   the links of all mentions, unsplit
    splits  row → (text, (1, k) hits) of each part
    """
    texts = [text for parts in splits.values() for text, _ in parts]
    if not texts:
        return {}
    hits = Hits.stack([found for parts in splits.values() for _, found in parts])
    found = iter(single_links(targets, list(map(Mention.alone, texts)), hits, min_score=min_score))
    links = {}
    for row, parts in splits.items():
        own = tuple(next(found) for _ in parts)
        concepts = tuple(dict.fromkeys(id for link in own for id in link.concepts))
        name = next((link.name for link in own if link.name), "")
        links[row] = Link(whole[row].mention, concepts, name, None, whole[row].candidates, own)
    return links

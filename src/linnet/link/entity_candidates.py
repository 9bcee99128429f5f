"""Candidates by a mention's context: the concepts of an index of entities, beside those found by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from linnet.arrays import Mask
from linnet.link.choose import Choice
from linnet.link.terminology_group import TerminologyGroup
from linnet.retrieve.fuse import cascade, fuse_scores
from linnet.retrieve.hits import Hits, Origin
from linnet.types import Mention

__all__ = ["with_entities"]

# Candidates that stay first.
_SURE = Origin.EXACT | Origin.OVERRIDE


def with_entities(
    mentions: Sequence[Mention], choice: Choice, group: TerminologyGroup, *, retrievers: Sequence[str]
) -> Choice:
    """The choice with the candidates of the mentions in their contexts, as many as there were.

    retrievers  of the pipeline, most trusted first

    Exact matches stay first. Others found by name and those of the context are ranked together, by the mean of their cosines; if
    those of names are no cosines, in the order of `retrievers`. Parts of composites keep their candidates. Unchanged if no
    terminology has an index of entities.
    """
    if not group.has_entities or not len(mentions):
        return choice
    k = choice.hits.k
    distinct: dict[tuple[str, str, int, int], Mention] = {}
    keys = []
    for mention, text in zip(mentions, choice.texts, strict=True):
        keys.append((text, mention.document.text, mention.start, mention.end))
        distinct.setdefault(keys[-1], mention if text == mention.text else replace(mention, text=text))
    positions = {key: position for position, key in enumerate(distinct)}
    in_context = group.search_mentions(list(distinct.values()), k=k).take([positions[key] for key in keys])
    is_sure = (choice.hits.origins & _SURE) > 0
    sure, by_name = _only(choice.hits, is_sure), _only(choice.hits, ~is_sure)
    if group.largest_score == np.inf:
        others = [name for name in retrievers if name != "exact"]
        rankings = [in_context, by_name] if others[0] == "entities" else [by_name, in_context]
        return choice._replace(hits=cascade([sure, *rankings], k=k))
    # Row by row: a mention's scores do not depend on what was found for others.
    named = np.flatnonzero(by_name.concepts[:, 0] >= 0)
    in_context.put(named, fuse_scores([by_name.take(named), in_context.take(named)], weights=[0.5, 0.5], k=k))
    return choice._replace(hits=cascade([sure, in_context], k=k))


def _only(hits: Hits, kept: Mask) -> Hits:
    """The candidates to keep, in their order, then none."""
    kept = kept & (hits.concepts >= 0)
    order = np.argsort(~kept, axis=1, kind="stable")
    nothing = Hits.empty(len(hits), hits.k)
    columns = (
        np.take_along_axis(np.where(kept, getattr(hits, name), getattr(nothing, name)), order, 1)
        for name in ("concepts", "names", "scores", "origins")
    )
    return Hits(*columns)

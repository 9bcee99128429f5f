"""Overrides for a mention's own text, applied after it was read in another way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from linnet.link.terminology_group import TerminologyGroup
from linnet.link.variant_choice import Parts
from linnet.retrieve.hits import Hits, Origin
from linnet.text import simplify
from linnet.types import Mention

__all__ = ["apply_overrides"]


def apply_overrides(
    mentions: Sequence[Mention],
    expanded: Sequence[str],
    read: Sequence[str],
    hits: Hits,
    splits: Mapping[int, Parts],
    group: TerminologyGroup,
) -> tuple[Hits, dict[int, Parts]]:
    """The (N, k) hits and the composites' parts, with overrides for the mentions' own texts applied. Retrieval has applied
    those for the text it searched.

    expanded  (N,) the mentions' texts, abbreviations expanded
    read      (N,) the texts searched for

    Overrides for the text as written take precedence. A mention whose text is forced to a concept is not a composite, and
    neither is one with a part that loses all candidates.
    """
    remaining = dict(splits)
    if not group.has_overrides:
        return hits, remaining
    for texts in (list(expanded), [mention.text for mention in mentions]):
        others = [
            text if row in remaining or simplify(text) != simplify(read[row]) else ""
            for row, text in enumerate(texts)
        ]
        hits = group.override(others, hits)
        for row, parts in list(remaining.items()):
            forced = bool(hits.origins[row, 0] & Origin.OVERRIDE)
            overridden = [(text, group.override([others[row]], part_hits)) for text, part_hits in parts]
            if forced or any(part_hits.concepts[0, 0] < 0 for _, part_hits in overridden):
                del remaining[row]
            else:
                remaining[row] = overridden
    return hits, remaining

"""The last word on a mention: what people force or forbid for its text holds for every reading of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from linnet.link.choice import Parts
from linnet.link.terminology_group import TerminologyGroup
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
    """The (N, k) hits and the composites' parts, with the overrides for a mention's own text applied to what was found
    for another reading of it. Retrieval has applied those for the text that was searched for.

    expanded  (N,) the mentions' texts, abbreviations spelt out
    read      (N,) what was searched for

    The text as written comes last, hence wins. A mention whose text is forced to a concept is no composite; parts that
    lose all candidates make their mention the whole again.
    """
    chosen = dict(splits)
    if not group.has_overrides:
        return hits, chosen
    for texts in (list(expanded), [mention.text for mention in mentions]):
        others = [
            text if row in chosen or simplify(text) != simplify(read[row]) else ""
            for row, text in enumerate(texts)
        ]
        hits = group.override(others, hits)
        for row, parts in list(chosen.items()):
            forced = bool(hits.origins[row, 0] & Origin.OVERRIDE)
            kept = [(text, group.override([others[row]], found)) for text, found in parts]
            if forced or any(found.concepts[0, 0] < 0 for _, found in kept):
                del chosen[row]
            else:
                chosen[row] = kept
    return hits, chosen

"""Overrides for a mention's own text, applied after it was read in another way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from linnet.link.choose import Parts
from linnet.link.terminology_group import TerminologyGroup
from linnet.retrieve.hits import Hits, Origin
from linnet.types import Mention
from linnet.words.text import simplify

__all__ = ["apply_overrides"]


def apply_overrides(
    mentions: Sequence[Mention],
    expanded: Sequence[str],
    read: Sequence[str],
    hits: Hits,
    splits: Mapping[int, Parts],
    group: TerminologyGroup,
) -> tuple[Hits, dict[int, Parts], set[int]]:
    """The (N, k) hits and the composites' parts, with overrides for the mentions' own texts applied, and the rows whose link, or
    NIL, these decide. Retrieval has applied those for the text it searched.

    expanded  (N,) the mentions' texts, abbreviations expanded
    read      (N,) the texts searched for

    Overrides for the text as written take precedence. A mention whose text is forced to a concept is not a composite, and
    neither is one all of whose concepts are forbidden. A text, or a part, that is forced to several concepts is a composite. A
    text that is forbidden everywhere was read as any other name: it loses its candidates here, be it read as the whole or a part.
    """
    remaining, decided = dict(splits), set[int]()
    if not group.has_overrides:
        return hits, remaining, decided
    written = [mention.text for mention in mentions]
    hits = group.override([text if group.is_forbidden_everywhere(text) else "" for text in read], hits)
    for texts in (list(expanded), written):
        hits = _of_whole(texts, read, hits, remaining, group)
    for row, parts in remaining.items():
        remaining[row] = [part for pair in parts for part in _of_part(*pair, group)]
    for row, own in enumerate(zip(written, expanded, read, strict=True)):
        nothing = hits.concepts[row, 0] < 0 and any(map(group.is_forbidden, own))
        if (nothing and row not in remaining) or (
            hits.origins[row, 0] & Origin.OVERRIDE and any(map(group.forced, own[:2]))
        ):
            decided.add(row)
        text = next(filter(group.forced, own), "")
        if row not in remaining and (parts := _forced(text, hits.take([row]), group)):
            remaining[row] = [(written[row], part_hits) for _, part_hits in parts]
    return hits, remaining, decided


def _of_whole(
    texts: Sequence[str], read: Sequence[str], hits: Hits, splits: dict[int, Parts], group: TerminologyGroup
) -> Hits:
    """The (N, k) hits as the overrides for the mentions' texts have them; `splits` keeps the composites, with such hits."""
    others = [
        text if row in splits or simplify(text) != simplify(read[row]) else ""
        for row, text in enumerate(texts)
    ]
    hits = group.override(others, hits)
    for row, parts in list(splits.items()):
        overridden = [(text, group.override([others[row]], part_hits)) for text, part_hits in parts]
        # A part without candidates from the start was left out of the reading, see `linnet.link.choose`.
        loses_all = any(
            before.concepts[0, 0] >= 0 > now.concepts[0, 0]
            for (_, before), (_, now) in zip(parts, overridden, strict=True)
        )
        if loses_all or hits.origins[row, 0] & Origin.OVERRIDE:
            del splits[row]
        else:
            splits[row] = overridden
    return hits


def _of_part(text: str, hits: Hits, group: TerminologyGroup) -> Parts:
    """The part as the overrides for its text have it: without candidates, or as several."""
    if group.is_forbidden_everywhere(text):
        return [(text, Hits.empty(1, hits.k))]
    return _forced(text, hits, group) or [(text, hits)]


def _forced(text: str, hits: Hits, group: TerminologyGroup) -> Parts:
    """The parts of a text that is forced to several concepts; [] for others."""
    ids = group.forced(text) if hits.origins[0, 0] & Origin.OVERRIDE else ()
    found = group.by_id(ids, k=hits.k, origin=Origin.OVERRIDE)
    rows = [row for row in range(len(ids)) if found.concepts[row, 0] >= 0]
    return [(text, found.take([row])) for row in rows] if len(rows) > 1 else []

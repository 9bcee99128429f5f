"""Which annotations of running text count where only some types are judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from linnet.evaluate.gold import Gold

__all__ = ["of_scored_types"]

_SHOWN = 4


def of_scored_types(
    annotations: Sequence[Gold], types: Collection[str], *, in_corpus: Collection[str], system: str
) -> tuple[list[Gold], list[str]]:
    """The annotations that count, and a note on the others.

    types      that are judged, in any letter case; empty for all
    in_corpus  types of the gold mentions, judged or not
    system     its name, for the note

    A system that names a judged type is judged by its annotations of these types. One that names types otherwise is judged
    by all of its annotations but those of the corpus' other types.
    """
    if not types:
        return list(annotations), []
    judged = {name.casefold() for name in types}
    if not any(item.type.casefold() in judged for item in annotations):
        others = {name.casefold() for name in in_corpus} - judged
        judged = {item.type.casefold() for item in annotations} - others
    kept = [item for item in annotations if item.type.casefold() in judged]
    left = Counter(item.type or "no type" for item in annotations if item.type.casefold() not in judged)
    return kept, _note(left, system) if left else []


def _note(left: Counter[str], system: str) -> list[str]:
    shown = ", ".join(f"{name} {count:,}" for name, count in left.most_common(_SHOWN))
    more = f" and {len(left) - _SHOWN} more types" if len(left) > _SHOWN else ""
    return [
        f"Annotations of '{system}' that have other types and do not count: {left.total():,} ({shown}{more})."
    ]

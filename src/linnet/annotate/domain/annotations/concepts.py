"""Concept ids from users must be current ids of the project's terminology."""

from __future__ import annotations

from collections.abc import Iterable

from linnet.annotate.refusals import Invalid
from linnet.terminology import Terminology
from linnet.words.curies import curie_of_shape

__all__ = ["check_concepts"]


def check_concepts(terminology: Terminology, ids: Iterable[str]) -> None:
    """Raise Invalid for an unknown id; for a retired one, name its replacement."""
    for id in ids:
        if terminology.row(id) >= 0:
            continue
        current = terminology.resolve(id)
        same = curie_of_shape(id) in map(curie_of_shape, current)
        hint = (
            f"Write it {current[0]}."
            if same
            else f"It was replaced by {', '.join(current)}."
            if current
            else "Search for it by name."
        )
        raise Invalid(
            f"The terminology has no current concept '{id}'. {hint}", fields={"concepts": f"unknown: {id}"}
        )

"""Refusal of ids and mappings that a terminology hardly has: the result would be silently empty."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from linnet.advice import Step
from linnet.errors import RequestError
from linnet.terminology.sssom import MappingSet
from linnet.terminology.store import Terminology

__all__ = ["LEAST", "check_mapped", "check_overlap", "examples"]

LEAST = 0.1
"""Share of the ids that must be in the terminologies. A corpus annotated with another vocabulary, or with other spellings
of its ids, has hardly any; one annotated with parts of the terminology that were filtered out has more."""


def check_overlap(
    ids: Iterable[str], terminologies: Sequence[Terminology], *, whose: str, least: float = LEAST
) -> None:
    """Raise RequestError if fewer than `least` of the distinct ids are in any of the terminologies.

    whose  the source of the ids, for the message: "The corpus dev.pubtator"

    Retired ids count, and ids in any spelling. Having no ids is no error.
    """
    distinct = sorted(set(ids))
    unknown = [id for id in distinct if not any(terminology.resolve(id) for terminology in terminologies)]
    known = len(distinct) - len(unknown)
    if not distinct or known >= least * len(distinct):
        return
    paths = " and ".join(str(terminology.path) for terminology in terminologies)
    present = [id for terminology in terminologies for id in examples(terminology.ids)]
    what = (
        f"{whose} has {len(distinct):,} concept ids, of which {known:,} "
        f"{'is' if known == 1 else 'are'} in {paths}: it has {', '.join(examples(unknown))}; "
        f"the terminology has {', '.join(examples(present))}."
    )
    if any(":" in id for id in present):
        raise RequestError(f"{what} Give the terminology that these ids are from.")
    raise RequestError(
        f"{what} Its ids have no prefix: build it again with one, or give the right terminology.",
        Step.BUILD_WITH_PREFIX(terminology="DIR", prefix="MESH"),
    )


def check_mapped(table: MappingSet, terminologies: Sequence[Terminology], *, path: Path) -> None:
    """Raise RequestError if a table has no mapping, or none with an id of a terminology: it would join nothing."""
    if not table.mappings:
        raise RequestError(
            f"{path} has no exact mapping ({table.skipped:,} others), so it joins nothing. "
            "Expected rows with skos:exactMatch. Leave the table out, or give another."
        )
    pairs = [(mapping.subject, mapping.object) for mapping in table.mappings]
    if any(terminology.resolve(id) for pair in pairs for id in pair for terminology in terminologies):
        return
    mapped = examples([" = ".join(pair) for pair in pairs])
    present = [id for terminology in terminologies for id in examples(terminology.ids)]
    raise RequestError(
        f"None of the {len(pairs):,} mappings of {path} has a concept of "
        f"{' or '.join(str(terminology.path) for terminology in terminologies)}: it maps {', '.join(mapped)}; the terminology has "
        f"{', '.join(present)}. Give mappings of these vocabularies."
    )


class _Ids(Protocol):
    def __len__(self) -> int: ...
    def __getitem__(self, row: int, /) -> str: ...


def examples(ids: _Ids) -> list[str]:
    """The first, middle and last of some ids, without repeats."""
    positions = sorted({0, len(ids) // 2, len(ids) - 1}) if len(ids) else []
    return [ids[position] for position in positions]

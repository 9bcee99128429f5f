"""Refusal of ids that a terminology hardly has: the result would be silently empty."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from linnet.errors import RequestError
from linnet.terminology.store import Terminology

__all__ = ["LEAST", "check_overlap", "examples"]

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
    raise RequestError(
        f"{whose} has {len(distinct):,} concept ids, of which {known:,} "
        f"{'is' if known == 1 else 'are'} in {paths}: it has {', '.join(examples(unknown))}; "
        f"the terminology has {', '.join(examples(present))}. {_advice(present)}"
    )


class _Ids(Protocol):
    def __len__(self) -> int: ...
    def __getitem__(self, row: int, /) -> str: ...


def examples(ids: _Ids) -> list[str]:
    """The first, middle and last of some ids, without repeats."""
    places = sorted({0, len(ids) // 2, len(ids) - 1}) if len(ids) else []
    return [ids[place] for place in places]


def _advice(terminology_ids: Sequence[str]) -> str:
    if not any(":" in id for id in terminology_ids):
        return (
            "Its ids have no prefix: rebuild it with one, e.g. "
            "linnet terminology build SOURCE --prefix MESH -o DIR, or give the right terminology."
        )
    return "Give the terminology that these ids are from."

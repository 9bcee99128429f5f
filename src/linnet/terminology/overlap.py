"""Refuse ids of which a terminology has hardly any: the result would be empty without a word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from linnet.errors import RequestError
from linnet.terminology.store import Terminology

__all__ = ["LEAST", "check_overlap", "examples"]

LEAST = 0.1
"""Share of the ids that has to be in the terminologies. Corpora annotated with another vocabulary, or another spelling of
its ids, have none or next to none; those annotated with a part of a terminology that was left out have more."""


def check_overlap(
    ids: Iterable[str], terminologies: Sequence[Terminology], *, whose: str, least: float = LEAST
) -> None:
    """Raise RequestError where fewer than `least` of the distinct ids are in any of the terminologies.

    whose  where the ids come from, for the message: "The corpus dev.pubtator"

    Retired ids count, and ids in any spelling. No id at all is no error.
    """
    wanted = sorted(set(ids))
    known = [id for id in wanted if any(terminology.resolve(id) for terminology in terminologies)]
    if not wanted or len(known) >= least * len(wanted):
        return
    unknown = [id for id in wanted if id not in set(known)]
    paths = " and ".join(str(terminology.path) for terminology in terminologies)
    ours = [id for terminology in terminologies for id in examples(terminology.ids)]
    raise RequestError(
        f"{whose} has {len(wanted):,} concept ids, of which {len(known):,} "
        f"{'is' if len(known) == 1 else 'are'} in {paths}: it has {', '.join(examples(unknown))}; "
        f"the terminology has {', '.join(examples(ours))}. {_advice(unknown, ours)}"
    )


class _Ids(Protocol):
    def __len__(self) -> int: ...
    def __getitem__(self, row: int, /) -> str: ...


def examples(ids: _Ids) -> list[str]:
    """The first, the middle and the last of some ids, each once."""
    places = sorted({0, len(ids) // 2, len(ids) - 1}) if len(ids) else []
    return [ids[place] for place in places]


def _advice(theirs: Sequence[str], ours: Sequence[str]) -> str:
    if not any(":" in id for id in ours):
        return (
            "Its ids have no prefix: build it again with one, e.g. "
            "linnet terminology build SOURCE --prefix MESH -o DIR, or name the terminology that is meant."
        )
    return "Name the terminology that these ids are from."

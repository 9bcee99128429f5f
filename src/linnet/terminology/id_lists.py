"""Validation of the user's lists of concept ids (allow, deny)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from linnet.advice import Step
from linnet.errors import RequestError
from linnet.listing import first_few

__all__ = ["check_ids", "id_list"]

_SHOWN = 3


class _Terminology(Protocol):
    @property
    def path(self) -> object: ...
    def resolve(self, id: str) -> tuple[str, ...]: ...
    def nearest(self, id: str) -> str: ...


def id_list(name: str, ids: Iterable[str]) -> list[str]:
    """The ids as a list. Raises RequestError for a single string (its characters would pass for ids) and for non-strings."""
    if isinstance(ids, str):
        raise RequestError(
            f"{name} takes a list of concept ids; got one string. Write: {name}=[{ids[:50]!r}]"
        )
    id_strings = list(ids)
    for id in id_strings:
        if not isinstance(id, str):
            raise RequestError(f"{name} takes concept ids, which are strings; got {id!r}.")
    return id_strings


def check_ids(
    terminologies: Sequence[_Terminology], *, allow: Iterable[str] | None = None, deny: Iterable[str] = ()
) -> None:
    """Raise RequestError for ids that no terminology has, naming the first ones with the nearest existing id."""
    for name, ids in (("allow", allow or ()), ("deny", deny)):
        unknown = [id for id in id_list(name, ids) if not any(t.resolve(id) for t in terminologies)]
        if unknown:
            shown = first_few(
                [_described(id, terminologies) for id in unknown[:_SHOWN]] + unknown[_SHOWN:], _SHOWN
            )
            paths = " and ".join(str(t.path) for t in terminologies)
            raise RequestError(
                f"{len(unknown):,} {'id' if len(unknown) == 1 else 'ids'} of the {name} list "
                f"{'is' if len(unknown) == 1 else 'are'} not in {paths}: {shown}. Correct or remove "
                f"{'it' if len(unknown) == 1 else 'them'}.",
                Step.FIND_ID(terminology=terminologies[0].path),
            )


def _described(id: str, terminologies: Sequence[_Terminology]) -> str:
    near = next((nearest for t in terminologies if (nearest := t.nearest(id))), "")
    return f"{id} (nearest: {near})" if near else id

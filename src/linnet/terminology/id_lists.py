"""Lists of concept ids that people give (allow, deny): checked before anything is linked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from linnet.errors import RequestError

__all__ = ["check_ids", "id_list"]

_SHOWN = 3


class _Terminology(Protocol):
    @property
    def path(self) -> object: ...
    def resolve(self, id: str) -> tuple[str, ...]: ...
    def nearest(self, id: str) -> str: ...


def id_list(name: str, ids: Iterable[str]) -> list[str]:
    """The ids as a list. Raises RequestError for a bare string, whose characters would pass for ids, and for other values."""
    if isinstance(ids, str):
        raise RequestError(
            f"{name} takes a list of concept ids; got one string. Write: {name}=[{ids[:50]!r}]"
        )
    listed = list(ids)
    for id in listed:
        if not isinstance(id, str):
            raise RequestError(f"{name} takes concept ids, which are strings; got {id!r}.")
    return listed


def check_ids(
    terminologies: Sequence[_Terminology], *, allow: Iterable[str] | None = None, deny: Iterable[str] = ()
) -> None:
    """Raise RequestError for ids that none of the terminologies has, naming some with the nearest existing id."""
    for name, ids in (("allow", allow or ()), ("deny", deny)):
        unknown = [id for id in id_list(name, ids) if not any(t.resolve(id) for t in terminologies)]
        if unknown:
            shown = ", ".join(_described(id, terminologies) for id in unknown[:_SHOWN])
            more = f", and {len(unknown) - _SHOWN:,} more" if len(unknown) > _SHOWN else ""
            paths = " and ".join(str(t.path) for t in terminologies)
            raise RequestError(
                f"{len(unknown):,} {'id' if len(unknown) == 1 else 'ids'} of the {name} list "
                f"{'is' if len(unknown) == 1 else 'are'} not in {paths}: {shown}{more}. Correct or remove "
                f"{'it' if len(unknown) == 1 else 'them'}. Find ids with: linnet terminology search {terminologies[0].path} NAME"
            )


def _described(id: str, terminologies: Sequence[_Terminology]) -> str:
    near = next((found for t in terminologies if (found := t.nearest(id))), "")
    return f"{id} (nearest: {near})" if near else id

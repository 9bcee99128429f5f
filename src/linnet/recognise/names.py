"""What a recogniser must know of a terminology; whoever opens terminologies and indexes provides it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from linnet.arrays import Ints, Rows

__all__ = ["NameLookup", "Names"]


class NameLookup(Protocol):
    """Exact look-up of many normal forms at once."""

    def __call__(self, forms: Sequence[str], *, level: str) -> tuple[Ints, Rows]:
        """Offsets (N + 1,) and the name rows of form i at `rows[offsets[i]:offsets[i + 1]]`.

        forms  texts already brought to `level`, one of `linnet.text.LEVELS`
        """


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one terminology.

    lookup  name rows by normal form
    text    the name of a row as the terminology writes it
    type    what kind of thing the row's concept is, "" when unknown; None when it is not to be recognised
    types   the types its concepts have, none where they have none
    """

    lookup: NameLookup
    text: Callable[[int], str]
    type: Callable[[int], str | None]
    types: frozenset[str] = frozenset()

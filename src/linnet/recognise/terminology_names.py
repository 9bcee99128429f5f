"""What a recogniser needs from a terminology. `linnet.link` provides it from the store and its indexes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, Self

from linnet.arrays import Ints, Rows

__all__ = ["NameLookup", "TerminologyNames"]


class NameLookup(Protocol):
    """Exact look-up of many normal forms at once."""

    def __call__(self, forms: Sequence[str], *, level: str) -> tuple[Ints, Rows]:
        """Offsets (N + 1,) and name rows: those of form i are `rows[offsets[i]:offsets[i + 1]]`.

        forms  texts normalised at `level`, one of `linnet.words.text.LEVELS`
        """


@dataclass(frozen=True, slots=True)
class TerminologyNames:
    """The names of one terminology.

    lookup  name rows by normal form
    text    the name of a row, as the terminology writes it
    type    the type of the row's concept, "" if unknown; None if the concept must not be recognised
    types   the types of all its concepts that may be recognised, empty if they have none
    rare    those of them that hardly any concept has: the terminology is not one of such concepts
    qualifies  whether the row's concept only qualifies others ("severe"), see `linnet.terminology.qualifying_concepts`
    phenotypes  whether all its concepts are phenotypes, by their types or, without types, by their vocabulary
    respelt  a text with misspelt words corrected, None if it has none
    """

    lookup: NameLookup
    text: Callable[[int], str]
    type: Callable[[int], str | None]
    types: frozenset[str] = frozenset()
    rare: frozenset[str] = frozenset()
    qualifies: Callable[[int], bool] = lambda row: False
    phenotypes: bool = False
    respelt: Callable[[str], str | None] = lambda text: None

    def without_qualifiers(self) -> Self:
        """The same names without those of concepts that only qualify others."""
        return replace(self, type=lambda row: None if self.qualifies(row) else self.type(row))

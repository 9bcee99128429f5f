"""How the parts of a divided text are joined."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Kind"]


class Kind(StrEnum):
    """How the parts of a division are joined.

    SEPARATE  by separators that hardly occur inside a name
    DASHED    by spaced dashes: what follows a disease may be its treatment
    COMMAS    by commas
    SIGNS     by "/", "+", "&"
    LIST      as a list
    SHARE     as a list whose parts share words: "breast and ovarian cancer"
    SERIES    as a list of names by their last signs: "hepatitis A, B and C"
    JOINED    by "with", "and", "plus"
    ON        by "on"
    ASIDE     one thing, and what explains it or how it is treated, which is left out
    RELATED   by "in", "due to", "after"
    CAUSED    by "-induced", "post-" …: effect and cause
    """

    SEPARATE = "separate"
    DASHED = "dashed"
    COMMAS = "commas"
    SIGNS = "signs"
    LIST = "list"
    SHARE = "share"
    SERIES = "series"
    JOINED = "joined"
    ON = "on"
    ASIDE = "aside"
    RELATED = "related"
    CAUSED = "caused"

    @property
    def group(self) -> str:
        """The kinds that are alike: "separate", "commas", "list", "joined" and "related"."""
        return _GROUPS.get(self, "list")


_GROUPS = {
    **dict.fromkeys((Kind.SEPARATE, Kind.DASHED), "separate"),
    **dict.fromkeys((Kind.JOINED, Kind.ON), "joined"),
    **dict.fromkeys((Kind.RELATED, Kind.CAUSED, Kind.ASIDE), "related"),
    Kind.COMMAS: "commas",
}

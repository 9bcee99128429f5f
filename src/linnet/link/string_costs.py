"""What each thing that a reading does to a string costs, and the kinds of division."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

__all__ = ["COSTS", "Costs", "Kind"]


class Kind(StrEnum):
    """How the parts of a division are joined.

    SEPARATE  by separators that hardly occur inside a name
    DASHED    by spaced dashes: what follows a disease may be its treatment
    COMMAS    by commas: items that are no names are left out
    SIGNS     by "/", "+", "&"
    LIST      as a list
    SHARE     as a list whose parts share words: "breast and ovarian cancer"
    SERIES    as a list of names by their last signs: "hepatitis A, B and C"; all are names
    JOINED    by "with", "and", "plus"
    ON        by "on": two diseases
    RELATED   by "in", "due to", "after"
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
    RELATED = "related"


class Costs(NamedTuple):
    """What a reading's value is reduced by.

    Begun from costs that `experiments/string_costs.py` chose on strings composed from the names of HPO, MEDIC and MeSH, then set by
    hand on the tuning strings of `benchmarks/generalisation` and on names held out of HPO, Mondo and MeSH.

    marks      a code, date, dose or other mark left out
    word       each descriptive word left out
    shorthand  a short form written out, times how often it is read otherwise, on top of `marks`
    literal    a short form that is a name, but hardly ever meant as that name
    respelt    corrected spelling
    fuzzy      a part that is not a name
    separate, commas, signs, list, share, series, joined, related   a division of this kind
    aside      each item left out of a list with commas
    mixed      a list of things of different kinds, such as an organ and a disease
    named      less for a division into names only
    listed     instead of its kind's cost, a list of names only, none of which has the words of another
    least      parts of a division match at least so well; others of separate items are left out, at this match
    nil        what matches less well is NIL
    """

    marks: float = 0.01
    word: float = 0.2
    shorthand: float = 0.3
    literal: float = 0.05
    respelt: float = 0.06
    fuzzy: float = 0.0
    separate: float = 0.0
    commas: float = 0.3
    signs: float = 0.15
    list: float = 0.25
    share: float = 0.2
    series: float = 0.0
    joined: float = 0.1
    related: float = 0.25
    aside: float = 0.3
    mixed: float = 0.1
    named: float = 0.05
    listed: float = 0.02
    least: float = 0.7
    nil: float = 0.5

    def of(self, kind: Kind) -> float:
        """The cost of a division of this kind."""
        return {
            Kind.SEPARATE: self.separate,
            Kind.DASHED: self.separate,
            Kind.COMMAS: self.commas,
            Kind.SIGNS: self.signs,
            Kind.LIST: self.list,
            Kind.SHARE: self.share,
            Kind.SERIES: self.series,
            Kind.JOINED: self.joined,
            Kind.ON: self.joined,
            Kind.RELATED: self.related,
        }[kind]


COSTS = Costs()

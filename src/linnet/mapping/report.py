"""How far a mapping is, in strings and in records, and how right linnet's proposals are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt

from linnet.evaluate.interval import wilson
from linnet.mapping.browsing import MAPPED, NO_CONCEPT, Listing
from linnet.mapping.decisions import Status
from linnet.mapping.folder import Folder

__all__ = ["Report", "Share", "report"]

_Z = 1.96


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its 95 % interval, of so many."""

    share: float
    low: float
    high: float
    total: int


@dataclass(frozen=True, slots=True)
class Report:
    """How far a mapping is.

    strings, records  by what became of them: mapped, no concept, flagged, ignored, invalid target, unchecked, returned, disputed, by
                      one person (where two are asked for); records are counted by their frequency
    expected          share of the unchecked strings whose proposal is right, by the calibrated probabilities; None without any
    observed          share of the checked strings whose proposal a person left as it was; None without any
    """

    strings: Counter[str] = field(default_factory=Counter)
    records: Counter[str] = field(default_factory=Counter)
    expected: Share | None = None
    observed: Share | None = None

    def covered(self) -> tuple[float, float]:
        """The mapped share of strings and of records."""
        every = max(1, self.strings.total()), max(1, self.records.total())
        return self.strings[MAPPED] / every[0], self.records[MAPPED] / every[1]


def report(mapping: Folder) -> Report:
    """Of the strings of the newest table."""
    outcomes = Listing(mapping).outcomes()
    numbers = {what: outcome.numbers for what, outcome in outcomes.items()}
    unchecked = [
        row.proposal.probability
        for row in mapping.store.rows(numbers.get(Status.UNCHECKED, []))
        if row.targets and row.proposal and row.proposal.probability is not None
    ]
    kept = [
        {target.concept for target in row.proposal.targets} == {target.concept for target in row.targets}
        for row in mapping.store.rows([*numbers.get(MAPPED, []), *numbers.get(NO_CONCEPT, [])])
        if row.proposal
    ]
    strings = Counter({what: len(rows) for what, rows in numbers.items()})
    records = Counter({what: outcome.records for what, outcome in outcomes.items()})
    return Report(strings, records, _expected(unchecked), _observed(kept))


def _expected(probabilities: Sequence[float]) -> Share | None:
    """The mean, with the interval of a sum of independent draws with these probabilities."""
    if not probabilities:
        return None
    total = len(probabilities)
    mean = sum(probabilities) / total
    error = _Z * sqrt(sum(p * (1 - p) for p in probabilities)) / total
    return Share(mean, max(0.0, mean - error), min(1.0, mean + error), total)


def _observed(kept: Sequence[bool]) -> Share | None:
    if not kept:
        return None
    low, high = wilson(sum(kept), len(kept))
    return Share(sum(kept) / len(kept), low, high, len(kept))

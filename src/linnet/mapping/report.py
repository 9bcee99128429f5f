"""How far a mapping is, in strings and in records, and how right linnet's proposals are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt

from linnet.evaluate.interval import wilson
from linnet.mapping.decisions import Status
from linnet.mapping.folder import Folder
from linnet.mapping.rows import Row

__all__ = ["MAPPED", "Report", "Share", "report"]

MAPPED, NO_CONCEPT, RETURNED, DISPUTED, ONE_PERSON = (
    "mapped",
    "no concept",
    "returned",
    "disputed",
    "by one person",
)
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
    result = Report()
    unchecked: list[float] = []
    kept: list[bool] = []
    for row in mapping:
        if row.is_gone:
            continue
        what = _what(mapping, row)
        result.strings[what] += 1
        result.records[what] += row.frequency
        if what == Status.UNCHECKED and row.targets and row.proposal and row.proposal.probability is not None:
            unchecked.append(row.proposal.probability)
        if what in (MAPPED, NO_CONCEPT) and row.proposal:
            kept.append(
                {target.concept for target in row.proposal.targets}
                == {target.concept for target in row.targets}
            )
    return Report(result.strings, result.records, _expected(unchecked), _observed(kept))


def _what(mapping: Folder, row: Row) -> str:
    state = row.state
    if state.returned:
        return RETURNED
    if state.disagrees:
        return DISPUTED
    if state.decision is None or state.decision.status is not Status.APPROVED:
        return str(row.status)
    if not mapping.is_done(state):
        return ONE_PERSON
    return MAPPED if row.targets else NO_CONCEPT


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

"""What is decided of a string, and what follows from a row's log of decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

from linnet.errors import RequestError, UnknownNameError
from linnet.words.curies import curie

__all__ = ["MAPS_TO", "Decision", "Equivalence", "Event", "State", "Status", "Target", "named", "state_of"]

T = TypeVar("T", bound=StrEnum)

MAPS_TO = "MAPS_TO"
"""The usual type of a mapping in OMOP; others are MAPS_TO_VALUE and MAPS_TO_UNIT."""


class Status(StrEnum):
    """How far a row has come."""

    UNCHECKED = "unchecked"
    APPROVED = "approved"
    FLAGGED = "flagged"
    IGNORED = "ignored"
    INVALID = "invalid target"


class Equivalence(StrEnum):
    """What the target is to the string: `BROADER` means that the target's meaning is broader."""

    EQUAL = "equal"
    EQUIVALENT = "equivalent"
    BROADER = "broader"
    NARROWER = "narrower"
    INEXACT = "inexact"
    UNMATCHED = "unmatched"


class Event(StrEnum):
    """Why an entry stands in the log."""

    DECIDED = "decided"
    IMPORTED = "imported"
    RETURNED = "returned"
    """A new release of the terminology asks for another look."""
    UNDONE = "undone"
    """The entry before it no longer counts."""
    WITHDRAWN = "withdrawn"
    """The last entry of the same person no longer counts; of a hosted mapping, where others may have decided since."""
    SETTLED = "settled"
    """Decided by a curator of a hosted mapping, otherwise than somebody before: what was decided before it no longer disagrees."""


class Target(NamedTuple):
    """A concept that a string is mapped to; `type` as OMOP has it."""

    concept: str
    name: str
    type: str = MAPS_TO


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """An entry of the log.

    row          number of the row
    targets      in their order; none for a string without a concept
    by, at       who, and when (UTC, ISO 8601)
    choice       place of the target among the candidates that were shown, from 1; 0 if it was none of them
    version      of terminology and models at that time, see `linnet.mapping.store.Store.versions`
    """

    row: int
    event: Event = Event.DECIDED
    status: Status = Status.APPROVED
    targets: tuple[Target, ...] = ()
    equivalence: Equivalence | None = None
    by: str = ""
    at: str = ""
    comment: str = ""
    choice: int = 0
    version: int = 0

    @property
    def says(self) -> tuple[object, ...]:
        """Equal for decisions that agree."""
        return self.status, self.concepts, self.equivalence

    @property
    def concepts(self) -> frozenset[str]:
        """Ids of the targets."""
        return frozenset(target.concept for target in self.targets)

    @classmethod
    def made(
        cls,
        row: int,
        targets: Sequence[Target],
        *,
        status: Status | str = Status.APPROVED,
        equivalence: Equivalence | str | None = None,
        by: str = "",
        **others: Any,
    ) -> Decision:
        """A decision of now, checked. What is not said of the equivalence follows from the number of targets.

        Raises RequestError for parts that contradict each other, UnknownNameError for an unknown status or equivalence.
        """
        status = named(Status, status)
        targets = tuple(target._replace(concept=curie(target.concept)) for target in targets)
        twice = next((t.concept for n, t in enumerate(targets) if t[0] in {u[0] for u in targets[:n]}), None)
        if twice is not None:
            raise RequestError(f"{twice} is named twice. Name each concept once.")
        if equivalence is None:
            usual = Equivalence.UNMATCHED, Equivalence.EQUIVALENT, Equivalence.NARROWER
            equivalence = usual[min(len(targets), 2)]
        equivalence = named(Equivalence, equivalence)
        if bool(targets) == (equivalence is Equivalence.UNMATCHED) and status is Status.APPROVED:
            what = "'unmatched' has a concept" if targets else f"'{equivalence}' has no concept"
            raise RequestError(f"A mapping that is {what}. Leave one of them out.")
        others.setdefault("at", datetime.now(UTC).isoformat(timespec="seconds"))
        return cls(row=row, status=status, targets=targets, equivalence=equivalence, by=by, **others)


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What a row's log comes to.

    decision   the last entry that counts; None: nobody has looked at it
    second     who else decided the same, or settled it; "" for nobody
    disagrees  whether the last decision of another person differs
    returned   why a new release returned it, "" if it did not
    suggested  the targets that it suggests then
    """

    decision: Decision | None = None
    second: str = ""
    disagrees: bool = False
    returned: str = ""
    suggested: tuple[Target, ...] = ()

    @property
    def status(self) -> Status:
        """Of the row."""
        return Status.UNCHECKED if self.decision is None or self.returned else self.decision.status


def state_of(log: Sequence[Decision]) -> State:
    """The state of a row from its log, in the order of time."""
    counting: list[Decision] = []
    for entry in log:
        if entry.event is Event.UNDONE:
            counting = counting[:-1]
        elif entry.event is Event.WITHDRAWN:
            own = [place for place, each in enumerate(counting) if _is_of(each, entry.by)]
            counting = [each for place, each in enumerate(counting) if place not in own[-1:]]
        else:
            counting.append(entry)
    back = counting[-1] if counting and counting[-1].event is Event.RETURNED else None
    made = [entry for entry in counting if entry.event is not Event.RETURNED]
    if not made:
        return State()
    last = made[-1]
    ends = [
        place + (entry.event is Event.RETURNED)
        for place, entry in enumerate(counting)
        if entry.event is Event.SETTLED or (entry.event is Event.RETURNED and back is None)
    ]
    since = counting[ends[-1] :] if ends else counting
    others = {entry.by: entry for entry in since if entry.by != last.by and entry.event is not Event.RETURNED}
    same = [by for by, entry in others.items() if entry.says == last.says]
    same += [entry.by for entry in since[:1] if entry.event is Event.SETTLED and not others]
    return State(
        decision=last,
        second=same[-1] if same else "",
        disagrees=any(entry.says != last.says for entry in others.values()),
        returned=back.comment if back else "",
        suggested=back.targets if back else (),
    )


def named(kind: type[T], name: T | str) -> T:
    """The member of an enum by its name in any letter case. Raises UnknownNameError."""
    try:
        return kind(str(name).strip().lower())
    except ValueError:
        raise UnknownNameError(kind.__name__.lower(), str(name), list(kind)) from None


def _is_of(entry: Decision, person: str) -> bool:
    return entry.by == person and entry.event is not Event.RETURNED

"""The rows of a mapping: a distinct string with its codes, what linnet proposes for it, and what was decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from linnet.mapping.decisions import Equivalence, State, Status, Target
from linnet.read.qualifiers import Relation, has_further_words, relation
from linnet.types import Candidate

__all__ = ["Code", "Proposal", "Row"]


class Code(NamedTuple):
    """A code of the source that stands for the string, and how many records have it."""

    code: str
    frequency: int


@dataclass(frozen=True, slots=True)
class Proposal:
    """linnet's answer: several targets for a string that names several things, none for NIL.

    probability  that the targets are right, calibrated; None for NIL without one
    origin       how the first one was found
    """

    targets: tuple[Target, ...] = ()
    probability: float | None = None
    origin: str = ""
    candidates: tuple[Candidate, ...] = ()
    version: int = 0

    @classmethod
    def of(cls, record: Mapping[str, Any], *, version: int) -> Proposal:
        """From `Link.to_dict`."""
        parts = record.get("parts") or [record]
        named = {id: part["name"] for part in parts for id in part["concepts"]}
        candidates = tuple(Candidate(**each) for part in parts for each in part["candidates"])
        origin = record.get("origin") or (candidates[0].origin if candidates else "")
        targets = tuple(Target(id, named.get(id, record["name"])) for id in record["concepts"])
        return cls(targets, record["probability"], origin, candidates, version)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row.

    context    values of the columns of context, in their order
    frequency  records of the source that hold the string
    codes      of the source, with their frequencies; none: the newest table no longer has the string
    """

    number: int
    text: str
    context: tuple[str, ...] = ()
    frequency: int = 0
    codes: tuple[Code, ...] = ()
    proposal: Proposal | None = None
    state: State = field(default_factory=State)

    @property
    def is_gone(self) -> bool:
        """Whether the newest table no longer has the string."""
        return not self.codes

    @property
    def status(self) -> Status:
        """See `State.status`."""
        return self.state.status

    @property
    def targets(self) -> tuple[Target, ...]:
        """What was decided; what is proposed where nothing was, or where a new release puts it in doubt."""
        if self.state.returned:
            return self.state.suggested
        if self.state.decision is not None:
            return self.state.decision.targets
        return self.proposal.targets if self.proposal else ()

    @property
    def equivalence(self) -> Equivalence | None:
        """What was decided of it."""
        return self.state.decision.equivalence if self.state.decision else None

    def usual_equivalence(self, targets: Sequence[Target]) -> Equivalence:
        """What these targets are to the string, as far as its words tell: a qualifier that the names of a target lack makes it broader
        ("severe gout"), or something else ("family history of gout")."""
        if not targets:
            return Equivalence.UNMATCHED
        related = max(relation(self.text, self._names(target)) for target in targets)
        if related is Relation.OTHER:
            return Equivalence.INEXACT
        if len(targets) > 1:
            return Equivalence.NARROWER
        return Equivalence.BROADER if related is Relation.NARROWER else Equivalence.EQUIVALENT

    def has_further_words(self, targets: Sequence[Target]) -> bool:
        """Whether the string has words, apart from qualifiers that change nothing, that no name of these targets has."""
        return has_further_words(self.text, [name for target in targets for name in self._names(target)])

    def _names(self, target: Target) -> list[str]:
        """The preferred name of a target, and that by which it was found."""
        candidates = self.proposal.candidates if self.proposal else ()
        return [target.name, *(each.name for each in candidates if each.concept == target.concept)]

    @property
    def probability(self) -> float | None:
        """That the targets are right, if they are those that linnet proposes; None for others: it says nothing about these."""
        proposed = self.proposal.targets if self.proposal else ()
        same = {target.concept for target in self.targets} == {target.concept for target in proposed}
        return self.proposal.probability if self.proposal and same else None

    @property
    def doubt(self) -> float:
        """How probably the proposal is wrong, 0 to 1; 1 without a proposal or a probability."""
        return 1.0 - ((self.proposal and self.proposal.probability) or 0.0)

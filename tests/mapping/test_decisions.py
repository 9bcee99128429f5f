"""The state of a row follows from its log alone."""

from __future__ import annotations

from typing import Any

import pytest

from linnet.errors import RequestError, UnknownNameError
from linnet.mapping.decisions import Decision, Equivalence, Event, State, Status, Target, named, state_of

GOUT, FEVER = Target("MESH:D006073", "Gout"), Target("MESH:D005334", "Fever")


def made(*targets: Target, by: str = "ann", **said: Any) -> Decision:
    return Decision.made(1, targets, by=by, **said)


def test_a_row_that_nobody_looked_at_is_unchecked() -> None:
    assert state_of([]) == State()
    assert State().status is Status.UNCHECKED


def test_the_last_decision_counts() -> None:
    first, last = made(GOUT), made(FEVER)
    assert state_of([first, last]).decision is last


@pytest.mark.parametrize(
    ("targets", "equivalence"),
    [
        ((), Equivalence.UNMATCHED),
        ((GOUT,), Equivalence.EQUIVALENT),
        ((GOUT, FEVER), Equivalence.NARROWER),
    ],
)
def test_what_is_not_said_of_the_equivalence_follows_from_the_targets(
    targets: tuple[Target, ...], equivalence: Equivalence
) -> None:
    assert made(*targets).equivalence is equivalence


def test_an_undone_decision_no_longer_counts_and_the_one_before_does() -> None:
    first, undone = made(GOUT), Decision.made(1, (), event=Event.UNDONE)
    assert state_of([first, made(FEVER), undone]).decision is first
    assert state_of([first, undone]) == State()


def test_a_second_person_agrees_or_disagrees() -> None:
    assert state_of([made(GOUT), made(GOUT, by="bob")]).second == "ann"
    other = state_of([made(GOUT), made(FEVER, by="bob")])
    assert (other.second, other.disagrees) == ("", True)
    assert not state_of([made(GOUT), made(FEVER, by="bob"), made(FEVER)]).disagrees


def test_the_same_person_twice_is_no_second_person() -> None:
    assert state_of([made(GOUT), made(GOUT)]).second == ""


def test_another_equivalence_is_a_disagreement() -> None:
    assert state_of([made(GOUT), made(GOUT, by="bob", equivalence="broader")]).disagrees


def test_a_returned_row_is_unchecked_until_somebody_decides_again() -> None:
    returned = Decision.made(1, [FEVER], event=Event.RETURNED, comment="retired: x")
    state = state_of([made(GOUT), returned])
    assert (state.status, state.returned, state.suggested) == (Status.UNCHECKED, "retired: x", (FEVER,))
    assert state.decision is not None
    assert state.decision.targets == (GOUT,)
    again = state_of([made(GOUT, by="bob"), returned, made(FEVER)])
    assert (again.status, again.returned, again.disagrees) == (Status.APPROVED, "", False)


def test_parts_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(RequestError, match="unmatched"):
        made(GOUT, equivalence="unmatched")
    with pytest.raises(RequestError, match="no concept"):
        made(equivalence="equal")
    with pytest.raises(RequestError, match="named twice"):
        made(GOUT, GOUT)


def test_an_unknown_status_lists_the_choices() -> None:
    with pytest.raises(UnknownNameError, match="approved"):
        named(Status, "aproved")
    assert named(Status, " Invalid Target ") is Status.INVALID

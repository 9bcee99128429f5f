"""Approving many rows at once: a sample to check first, what it implies, and the rest."""

from __future__ import annotations

import random
from typing import Annotated

from fastapi import APIRouter, Query

from linnet.annotate.api.mapping.access import Review
from linnet.annotate.api.mapping.schemas import Approval, Approved, Checked, Sample, UndoApproval
from linnet.annotate.api.mapping.views import progress_view
from linnet.annotate.api.schemas.base import Id
from linnet.evaluate.interval import wilson
from linnet.mapping.browsing import Filter
from linnet.mapping.decisions import Status
from linnet.mapping.rows import Row

__all__ = ["router"]

router = APIRouter(prefix="/mapping", tags=["many"])

_SAMPLE = 20
_TOGETHER = 1000  # rows that are approved before other requests have their turn


@router.get("/sample")
def sample(
    review: Review, above: Annotated[float, Query(ge=0, le=1, description="least probability")]
) -> Sample:
    """Rows to check, drawn at random from the undecided ones that are at least so probable; the same ones until something is decided."""
    with review.opened.held() as (_, listing):
        page = listing.page(filter=Filter(undecided=True, above=above), limit=1)
        numbers = listing.numbers(Filter(undecided=True, above=above))
    drawn = random.Random(f"{above} {page.entry}").sample(numbers, min(_SAMPLE, len(numbers)))
    return Sample(numbers=sorted(drawn), total=page.total, records=page.records)


@router.get("/checked")
def checked(
    review: Review,
    number: Annotated[list[Id], Query(min_length=1, max_length=200, description="of the rows of the sample")],
) -> Checked:
    """What the checked rows of a sample imply of the rest."""
    with review.opened.held() as (mapping, _):
        rows = list(mapping.store.rows(number))
    decided = [row for row in rows if row.status is not Status.UNCHECKED]
    right = sum(map(_is_kept, decided))
    low, high = wilson(right, len(decided))
    return Checked(checked=len(decided), right=right, low=low, high=high)


@router.post("/approve")
def approve(review: Review, body: Approval) -> Approved:
    """Approve what is proposed for the rest. Rows that somebody has decided stay as they are, and so do those that a new release
    returned."""
    with review.opened.held() as (mapping, listing):
        numbers = listing.numbers(Filter(undecided=True, above=body.above))
        after = mapping.store.newest()
    approved = 0
    for start in range(0, len(numbers), _TOGETHER):
        with review.opened.held() as (mapping, listing):
            part = numbers[start : start + _TOGETHER]
            undecided = listing.numbers(Filter(undecided=True, numbers=part))
            approved += mapping.approve(undecided, by=review.who(body.by))
    with review.opened.held() as (mapping, listing):
        until = mapping.store.newest()
        return Approved(rows=approved, after=after, until=until, progress=progress_view(listing))


@router.post("/approve/undo")
def undo(review: Review, body: UndoApproval) -> Approved:
    """Take back what was approved so. Rows that anybody has decided since stay as they are."""
    with review.opened.held() as (mapping, listing):
        rows = mapping.undo_many(body.after, body.until, by=review.who(body.by))
        return Approved(rows=rows, after=body.after, until=body.until, progress=progress_view(listing))


def _is_kept(row: Row) -> bool:
    """Whether a person approved what was proposed."""
    proposed = {target.concept for target in row.proposal.targets} if row.proposal else set()
    return row.status is Status.APPROVED and {target.concept for target in row.targets} == proposed

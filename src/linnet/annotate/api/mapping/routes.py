"""Rows and decisions."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query
from fastapi.responses import FileResponse

from linnet.annotate.api.attachments import attachment, downloads, draft_folder
from linnet.annotate.api.mapping.access import Review, Reviewing
from linnet.annotate.api.mapping.schemas import (
    Changed,
    DecisionBody,
    RowDetail,
    RowPage,
    RowStatus,
    Summary,
    UndoBody,
)
from linnet.annotate.api.mapping.views import detail_view, progress_view, row_views
from linnet.annotate.api.schemas.base import Id, Offset, Text
from linnet.annotate.refusals import Conflict, NotFound
from linnet.mapping.browsing import Filter, Listing, Order
from linnet.mapping.decisions import Event, Status
from linnet.mapping.exports import ENDINGS
from linnet.mapping.exports import export as write
from linnet.mapping.folder import Folder, user
from linnet.mapping.rows import Row

__all__ = ["router"]

RowNumber = Annotated[Id, Path(description="of the row")]

router = APIRouter(prefix="/mapping", tags=["rows"])


@router.get("")
def summary(review: Review) -> Summary:
    """The mapping and how far it is."""
    from linnet import __version__

    with review.opened.held() as (mapping, listing):
        return Summary(
            name=review.opened.name,
            version=__version__,
            user=review.member or user(),
            reviewers=listing.reviewers(),
            context=list(mapping.columns.context),
            four_eyes=bool(mapping.settings.get("four_eyes")),
            terminologies=[terminology.path.name for terminology in review.opened.terminologies],
            formats=_formats(),
            progress=progress_view(listing),
        )


def wanted(
    status: Annotated[RowStatus | None, Query(description="only rows with it")] = None,
    attention: Annotated[bool, Query(description="only rows that were returned or are disputed")] = False,
    by: Annotated[str, Query(max_length=100, description="only rows that this person decided")] = "",
    text: Annotated[
        str, Query(max_length=200, description="part of the string or of a code, in any case")
    ] = "",
    above: Annotated[
        float | None, Query(ge=0, le=1, description="only proposals that are at least so probable")
    ] = None,
    number: Annotated[list[Id] | None, Query(max_length=200, description="only these rows")] = None,
    since: Annotated[
        Offset | None, Query(description="entry of the log: also rows that were decided after it")
    ] = None,
) -> Filter:
    """Which rows; what is not given restricts nothing."""
    return Filter(
        status=Status(status) if status else None,
        attention=attention,
        by=by,
        text=text,
        above=above,
        numbers=number,
        since=since,
    )


@router.get("/rows")
def rows(
    review: Review,
    filter: Annotated[Filter, Depends(wanted)],
    order: Annotated[Order, Query(description="what comes first")] = Order.URGENCY,
    offset: Annotated[Offset, Query()] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    reviewer: Annotated[str, Query(max_length=100, description="For whom `next` is to be decided.")] = "",
) -> RowPage:
    """A page of the rows."""
    with review.opened.held() as (mapping, listing):
        page = listing.page(order=order, filter=filter, offset=offset, limit=limit, reviewer=reviewer)
        return RowPage(
            rows=row_views(mapping, listing, page.rows),
            offset=offset,
            total=page.total,
            records=page.records,
            next=page.next,
            since=page.entry if filter.since is None else filter.since,
        )


@router.get("/rows/{number}")
def one_row(review: Review, number: RowNumber) -> RowDetail:
    """A row with its candidates and its log."""
    with review.opened.held() as (mapping, listing):
        return detail_view(review.opened, mapping, listing, _row(mapping, number))


@router.post("/rows/{number}/decision")
def decide(review: Review, number: RowNumber, body: DecisionBody) -> Changed:
    """Decide. The last decision counts; those before it stay in the log."""
    with review.opened.held() as (mapping, listing):
        _row(mapping, number)
        row = mapping.decide(
            number,
            body.concepts,
            by=review.who(body.by),
            settles=review.settles,
            status=body.status,
            equivalence=body.equivalence,
            comment=body.comment,
        )
        return _changed(review, mapping, listing, row)


@router.post("/rows/{number}/undo")
def undo(review: Review, number: RowNumber, body: UndoBody) -> Changed:
    """Take back a decision, unless somebody has decided since; taken back already, nothing happens."""
    with review.opened.held() as (mapping, listing):
        row, history = _row(mapping, number), mapping.history(number)
        if not history or listing.entries([number]) == [body.entry]:
            row = mapping.undo(number, by=review.who(body.by))
        elif history[-1].event not in (Event.UNDONE, Event.WITHDRAWN):
            raise Conflict(f"{history[-1].by or 'Somebody'} has decided this row since. Nothing was undone.")
        return _changed(review, mapping, listing, row)


@router.get("/export", response_class=FileResponse, responses=downloads("application/octet-stream"))
def export(
    review: Review,
    format: Annotated[Text, Query(max_length=50, description="one of those of the mapping")] = "csv",
) -> FileResponse:
    """The mapping as a file. The header `X-Linnet-Losses` says what it could not hold."""
    with draft_folder("export") as folder:
        path = folder / (review.opened.name.removesuffix(".map") + _formats().get(format, ""))
        with review.opened.whole() as mapping:
            losses = write(mapping, path, format=format)
    return attachment(path, path.name, losses=losses)


def _formats() -> dict[str, str]:
    """Format → the longest ending of its files."""
    endings: dict[str, str] = {}
    for ending, format in ENDINGS.items():
        endings.setdefault(format, ending)
    return endings


def _row(mapping: Folder, number: int) -> Row:
    for row in mapping.store.rows([number]):
        return row
    raise NotFound(f"There is no row {number}.")


def _changed(review: Reviewing, mapping: Folder, listing: Listing, row: Row) -> Changed:
    return Changed(row=detail_view(review.opened, mapping, listing, row), progress=progress_view(listing))

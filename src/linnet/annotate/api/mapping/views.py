"""Rows as the review's API shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linnet.annotate.api.concept_views import candidate_view
from linnet.annotate.api.mapping.schemas import Entry, ProgressView, RowDetail, RowView, ShortCandidate
from linnet.annotate.api.schemas.concepts import CandidateConcept
from linnet.annotate.domain.mappings.open_mapping import OpenMapping
from linnet.mapping.browsing import Listing
from linnet.mapping.decisions import Status, Target
from linnet.mapping.folder import Folder
from linnet.mapping.rows import Row
from linnet.types import Candidate

__all__ = ["detail_view", "progress_view", "row_views"]

_CODES = 20  # shown of each row
_CANDIDATES = 9  # one for each digit key


def row_views(mapping: Folder, listing: Listing, rows: Sequence[Row]) -> list[RowView]:
    """In a list."""
    entries = listing.entries([row.number for row in rows])
    pairs = zip(rows, entries, strict=True)
    return [RowView.of(row, **_fields(mapping, row), entry=entry) for row, entry in pairs]


def detail_view(opened: OpenMapping, mapping: Folder, listing: Listing, row: Row) -> RowDetail:
    """With its candidates and its log."""
    views = [_candidate(opened, candidate) for candidate in _candidates(row)]
    history = [Entry.model_validate(decision) for decision in reversed(mapping.history(row.number))]
    found = [view for view in views if view is not None]
    [entry] = listing.entries([row.number])
    return RowDetail.of(row, **_fields(mapping, row), entry=entry, found=found, history=history)


def progress_view(listing: Listing) -> ProgressView:
    """How far the mapping is."""
    progress = listing.progress()
    strings, records = progress.mapped
    return ProgressView.of(progress, mapped_strings=strings, mapped_records=records)


def _fields(mapping: Folder, row: Row) -> dict[str, Any]:
    """Those that are not the row's own."""
    made, done = row.state.decision, mapping.is_done(row.state)
    return {
        "context": list(row.context),
        "codes": [code.code for code in row.codes[:_CODES]],
        "code_count": len(row.codes),
        "targets": list(row.targets),
        "candidates": [_short(row, each) for each in _candidates(row)],
        "usual": row.usual_equivalence(row.targets),
        "by": made.by if made else "",
        "at": made.at if made else "",
        "comment": made.comment if made else "",
        "second": row.state.second,
        "disagrees": row.state.disagrees,
        "returned": row.state.returned,
        "mapped": done and row.status is Status.APPROVED and bool(row.targets),
        "done": done,
    }


def _candidates(row: Row) -> list[Candidate]:
    """The first ones, each concept once: those of several parts of a string may name the same."""
    distinct: dict[str, Candidate] = {}
    for candidate in row.proposal.candidates if row.proposal else ():
        distinct.setdefault(candidate.concept, candidate)
    return list(distinct.values())[:_CANDIDATES]


def _short(row: Row, candidate: Candidate) -> ShortCandidate:
    usual = row.usual_equivalence([Target(candidate.concept, candidate.name)])
    return ShortCandidate(id=candidate.concept, found=candidate.name, usual=usual)


def _candidate(opened: OpenMapping, candidate: Candidate) -> CandidateConcept | None:
    views = (candidate_view(terminology, candidate) for terminology in opened.terminologies)
    return next((view for view in views if view is not None), None)

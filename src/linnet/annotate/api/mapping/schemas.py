"""Bodies of the review's requests and answers."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field, WithJsonSchema

from linnet.annotate.api.schemas.base import Body, ConceptId, Id, Line, Offset, Page, Reply, Text
from linnet.annotate.api.schemas.concepts import CandidateConcept
from linnet.mapping.decisions import Equivalence, Event, Status

__all__ = [
    "Approval",
    "Approved",
    "Changed",
    "Checked",
    "DecisionBody",
    "Entry",
    "MappingChange",
    "NewRelease",
    "ProgressView",
    "RowChanges",
    "RowDetail",
    "RowPage",
    "RowStatus",
    "RowView",
    "Sample",
    "ShortCandidate",
    "Summary",
    "TargetView",
    "UndoApproval",
    "UndoBody",
]

# Not as enumerations: the API of annotation has a `Status` and an `Event` of its own.
RowStatus = Annotated[str, AfterValidator(Status), WithJsonSchema({"type": "string", "enum": list(Status)})]
LogEvent = Annotated[str, AfterValidator(Event), WithJsonSchema({"type": "string", "enum": list(Event)})]
Reviewer = Annotated[Text, Field(max_length=100)]
"""Who decides; "" for the user of this machine."""


class TargetView(Reply):
    """A concept that the string is mapped to."""

    concept: str
    name: str


class ShortCandidate(Reply):
    """A candidate as the linker found it.

    found  the name that matched
    usual  what the concept alone is to the string, unless a decision says otherwise
    """

    id: str
    found: str
    usual: Equivalence


class RowView(Reply):
    """A row in a list.

    codes     the first ones, of `code_count`
    targets   what was decided, or is proposed
    usual     what these are to the string, unless a decision says otherwise
    mapped    whether its records count as covered
    done      whether nobody has to look at it again
    entry     newest entry of the log about it, 0 for none
    """

    number: int
    text: str
    context: list[str]
    frequency: int
    codes: list[str]
    code_count: int
    targets: list[TargetView]
    probability: float | None
    candidates: list[ShortCandidate]
    status: RowStatus
    equivalence: Equivalence | None
    usual: Equivalence
    by: str
    at: str
    comment: str
    second: str
    disagrees: bool
    returned: str
    mapped: bool
    done: bool
    entry: int


class RowPage(Page):
    """Rows of a list.

    records  of all rows of the list
    next     place of the first row from `offset` on that is to be decided
    since    to be sent with requests for further rows of the same list, which then keeps its places
    """

    rows: list[RowView]
    records: int
    next: int | None
    since: int


class Entry(Reply):
    """An entry of a row's log."""

    event: LogEvent
    status: RowStatus
    targets: list[TargetView]
    equivalence: Equivalence | None
    by: str
    at: str
    comment: str


class RowDetail(RowView):
    """A row with its candidates as the terminologies have them, and its log, the newest entry first."""

    found: list[CandidateConcept]
    history: list[Entry]


class ProgressView(Reply):
    """strings, records: by status. mapped_strings, mapped_records: of those mapped to a concept."""

    strings: dict[str, int]
    records: dict[str, int]
    mapped_strings: int
    mapped_records: int


class Summary(Reply):
    """The mapping. context: names of its columns. user: who decides, if the page names nobody. reviewers: who has decided."""

    name: str
    version: str
    user: str
    reviewers: list[str]
    context: list[str]
    four_eyes: bool
    terminologies: list[str]
    formats: dict[str, str]
    progress: ProgressView


class DecisionBody(Body):
    """A decision. equivalence: null for the usual one, see `RowView`."""

    concepts: Annotated[list[ConceptId], Field(max_length=50, default_factory=list)]
    status: RowStatus = Status.APPROVED
    equivalence: Equivalence | None = None
    comment: Annotated[Text, Field(max_length=10_000)] = ""
    by: Reviewer = ""


class UndoBody(Body):
    """Take back the entry `entry`, which must be the newest one that counts."""

    entry: Id
    by: Reviewer = ""


class Changed(Reply):
    """A row after a change, and how far the mapping is then."""

    row: RowDetail
    progress: ProgressView


class Sample(Reply):
    """Rows to check before the rest is approved: some of `total` unchecked ones."""

    numbers: list[int]
    total: int
    records: int


class Checked(Reply):
    """Of the rows of a sample: how many are checked, of how many the proposal was right, and the 95 % interval of that share."""

    checked: int
    right: int
    low: float
    high: float


class Approval(Body):
    """Approve the proposals of all unchecked rows that are at least so probable."""

    above: Annotated[float, Field(ge=0, le=1)]
    by: Reviewer = ""


class Approved(Reply):
    """How many rows were changed. after, until: the entries of the log in which that was, for undo."""

    rows: int
    after: int
    until: int
    progress: ProgressView


class UndoApproval(Body):
    """Take back what was approved in these entries of the log."""

    after: Offset
    until: Offset
    by: Reviewer = ""


class MappingChange(Body):
    """Settings of a project's mapping."""

    four_eyes: bool


class NewRelease(Body):
    """Another terminology of the server."""

    terminology: Line


class RowChanges(Reply):
    """Rows that were decided since, and how far the mapping is.

    entry     the newest entry of the log, for the next question
    complete  false: too many to list; load the list again
    """

    rows: list[RowView]
    entry: int
    complete: bool
    progress: ProgressView

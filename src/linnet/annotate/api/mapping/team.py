"""What the mapping of a project has beside its review: making it, newer tables, new releases, import, agreement, what others decided."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, File, Form, Query, UploadFile

from linnet.annotate.api.access import App, CurrentManager
from linnet.annotate.api.mapping.access import Review
from linnet.annotate.api.mapping.schemas import MappingChange, NewRelease, RowChanges
from linnet.annotate.api.mapping.views import progress_view, row_views
from linnet.annotate.api.schemas.base import Id, Offset, reply
from linnet.annotate.api.schemas.learning import Job
from linnet.annotate.domain.mappings import team
from linnet.annotate.domain.uploads.receiving import refuse_bomb, safe_name
from linnet.mapping.agreement import RowAgreement, agreement
from linnet.mapping.imports import Imported
from linnet.mapping.source_table import Columns

__all__ = ["making", "router"]

_FEW = 200  # rows that are told one by one
_Word = Annotated[str, Form(max_length=200)]

making = APIRouter(tags=["mapping"])
router = APIRouter(prefix="/mapping", tags=["mapping"])


def _received(file: Annotated[UploadFile, File(description="The file, as it is.")]) -> Iterator[Path]:
    """The uploaded file, while the request lasts."""
    with tempfile.TemporaryDirectory(prefix="linnet-upload-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / safe_name(file.filename or "file")
        with path.open("wb") as goal:
            shutil.copyfileobj(file.file, goal)
        refuse_bomb(path)
        yield path


Received = Annotated[Path, Depends(_received)]


@making.post("/projects/{project}/mapping", status_code=201, response_model=reply(team.Taken))
def new_mapping(
    app: App,
    user: CurrentManager,
    project: Id,
    file: Received,
    column: Annotated[_Word, Form(description="Column of the strings.")] = "",
    id_column: Annotated[_Word, Form(description="Column of the codes.")] = "",
    frequency_column: Annotated[_Word, Form(description="Column with the number of records.")] = "",
    context: Annotated[
        list[str] | None, Form(max_length=20, description="Columns that tell equal strings apart.")
    ] = None,
    sheet: Annotated[_Word, Form(description="Sheet of an Excel file.")] = "",
    terminology: Annotated[_Word, Form(description="Left out: the project's.")] = "",
    four_eyes: Annotated[
        bool, Form(description="A row counts once two people have decided the same.")
    ] = False,
) -> team.Taken:
    """Make the mapping of a project from a table (CSV, TSV, Parquet, Excel); a job then proposes concepts."""
    columns = Columns(
        text=column or None,
        id=id_column or None,
        frequency=frequency_column or None,
        context=tuple(filter(None, context or ())),
        sheet=sheet or None,
    )
    return team.make_mapping(
        app.database,
        app.terminologies,
        project,
        file,
        columns,
        terminology=terminology,
        four_eyes=four_eyes,
        by=user.name,
    )


@making.patch("/projects/{project}/mapping", status_code=204)
def changed_mapping(app: App, user: CurrentManager, project: Id, body: MappingChange) -> None:
    """Change the settings of the mapping."""
    team.change_settings(app.database, app.mappings.new(project), four_eyes=body.four_eyes, by=user.name)


@making.post("/projects/{project}/mapping/table", response_model=reply(team.Taken))
def newer_table(app: App, user: CurrentManager, project: Id, file: Received) -> team.Taken:
    """Take a newer table of the same source: new strings are added, decisions stay, frequencies are renewed. A job proposes concepts."""
    return team.renew_mapping(app.database, app.mappings.new(project), file, by=user.name)


@making.post("/projects/{project}/mapping/terminology", status_code=202)
def new_release(app: App, user: CurrentManager, project: Id, body: NewRelease) -> Job:
    """Start a job that goes over to a new release of the terminology, or another one; it returns what the release puts in doubt."""
    mapping = app.mappings.new(project)
    job = team.upgrade_mapping(app.database, app.terminologies, mapping, body.terminology, by=user.name)
    return Job.of(job, project=project)


@making.post("/projects/{project}/mapping/decisions", response_model=reply(Imported))
def take_decisions(
    app: App,
    user: CurrentManager,
    project: Id,
    file: Received,
    format: Annotated[_Word, Form(description="sssom, table or usagi; left out: from the content.")] = "",
) -> Imported:
    """Take decisions that were made elsewhere (Excel, a table, Usagi, SSSOM). Conflicts are listed, never overwritten."""
    mapping = app.mappings.new(project)
    return team.take_decisions(app.database, mapping, file, format=format or None, by=user.name)


@router.get("/agreement", response_model=list[reply(RowAgreement)])  # type: ignore[misc]
def agreements(review: Review) -> list[RowAgreement]:
    """How far each two people agree on the rows that both have decided, as far as you may see them."""
    with review.opened.whole() as mapping:
        return agreement(mapping.store.log())


@router.get("/changes")
def changes(
    review: Review, since: Annotated[Offset, Query(description="newest entry of the log that is known")]
) -> RowChanges:
    """The rows that were decided after an entry of the log; none are listed if they are many, so that lists are loaded again."""
    with review.opened.held() as (mapping, listing):
        decided = mapping.store.decided_since(since)
        rows = list(mapping.store.rows(list(decided))) if len(decided) <= _FEW else []
        return RowChanges(
            rows=row_views(mapping, listing, rows),
            entry=max(decided.values(), default=since),
            complete=len(decided) <= _FEW,
            progress=progress_view(listing),
        )

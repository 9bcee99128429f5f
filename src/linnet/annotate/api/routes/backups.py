"""Back up and restore projects."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, File, UploadFile
from fastapi.responses import FileResponse

from linnet.annotate.api.access import App, CurrentAdmin, CurrentManager
from linnet.annotate.api.attachments import attachment, downloads, draft_folder
from linnet.annotate.api.schemas.base import Id, reply
from linnet.annotate.archive.project_restore import restore_project
from linnet.annotate.archive.restored_people import RestoreReport
from linnet.annotate.archive.writing import write_archive
from linnet.annotate.domain.projects.finding import find_project

__all__ = ["router"]

router = APIRouter(prefix="/projects", tags=["backup"])


@router.post("/restore", status_code=201, response_model=reply(RestoreReport))
def restored(
    app: App,
    user: CurrentAdmin,
    file: Annotated[UploadFile, File(description="From `GET …/backup`.")],
) -> RestoreReport:
    """Restore a backup as a new project; the server needs its terminology, which a job prepares."""
    return restore_project(app.database, app.settings.data, app.terminologies, file.file, by=user.name)


@router.get("/{project}/backup", response_class=FileResponse, responses=downloads("application/zip"))
def backup(app: App, user: CurrentManager, project: Id) -> FileResponse:
    """Download a backup: documents, sheets, annotations, log and model versions in one file."""
    with app.database.read() as session:
        row = find_project(session, project)
    with draft_folder("backup") as folder:
        path = folder / "backup.zip"
        write_archive(app.database, app.settings.data, path, project=row.id)
    return attachment(path, f"{row.name}.linnet-backup.zip")

"""Exports and model files."""

from __future__ import annotations

import zipfile
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import FileResponse

from linnet.annotate.api.access import App, CurrentUser
from linnet.annotate.api.attachments import ARCHIVE, FILE, attachment, downloads, draft_folder, file_name
from linnet.annotate.api.schemas.base import Id, Name
from linnet.annotate.domain.documents.picked import LAYERS
from linnet.annotate.domain.exports.files import export
from linnet.annotate.domain.learning.versions import version_folder
from linnet.annotate.domain.projects.finding import find_project
from linnet.annotate.domain.states import Layer, State
from linnet.annotate.zip_archives import pack

__all__ = ["router"]

router = APIRouter(tags=["export"])


@router.get("/projects/{project}/export", response_class=FileResponse, responses=downloads(FILE, ARCHIVE))
def exported(
    app: App,
    user: CurrentUser,
    project: Id,
    format: Annotated[str, Query(max_length=50)] = "jsonl",
    annotator: Annotated[Name | None, Query(description="Whose sheets, in an independent project.")] = None,
    curated: Annotated[bool, Query(description="Curated sheets only, in an independent project.")] = False,
    states: Annotated[list[State] | None, Query()] = None,
    layers: Annotated[list[Layer] | None, Query()] = None,
) -> FileResponse:
    """Export the project's documents in a corpus format, or as a table of annotations (`csv`); a format that is a folder comes as a
    zip archive.

    The header `X-Linnet-Losses` lists what the format could not hold.
    """
    with app.database.read() as session:
        row = find_project(session, project)
    with draft_folder("export") as folder:
        path, losses = export(
            app.database,
            row,
            folder,
            app.names_of(row),
            user,
            format=format,
            annotator=annotator,
            curated=curated,
            states=states or (),
            layers=layers or LAYERS,
        )
    return attachment(path, f"{row.name}{path.suffix}", losses=losses)


@router.get(
    "/projects/{project}/models/{number}/files", response_class=FileResponse, responses=downloads(ARCHIVE)
)
def version_files(app: App, user: CurrentUser, project: Id, number: Id) -> FileResponse:
    """Download a model version: a zip archive of the folder that `linnet link --learned` takes."""
    with app.database.read() as session:
        row = find_project(session, project)
    place = version_folder(app.database, app.settings.data, project, number)
    assert place is not None  # only number 0 has no files, and `Id` starts at 1
    name = f"{file_name(row.name)}-v{number}"
    with draft_folder("version") as folder:
        path = folder / "version.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            pack(place, archive, below=f"{name}/")
    return attachment(path, f"{name}.zip")

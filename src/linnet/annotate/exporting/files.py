"""Exports: one file, or a zip archive for formats that are folders."""

from __future__ import annotations

import zipfile
from collections.abc import Collection
from itertools import chain
from pathlib import Path

from linnet import corpora
from linnet.annotate.archives import pack
from linnet.annotate.exporting.documents import LAYERS, pick
from linnet.annotate.exporting.formats import FORMATS
from linnet.annotate.refusals import Invalid
from linnet.annotate.store import Database
from linnet.annotate.store.tables import Project

__all__ = ["export"]


def export(
    database: Database,
    project: Project,
    folder: Path,
    *,
    format: str,
    annotator: str | None = None,
    states: Collection[str] = (),
    layers: Collection[str] = LAYERS,
) -> tuple[Path, list[str]]:
    """Write a project's documents into a folder; returns the file to send, and what its format could not hold.

    Raises Invalid for an unknown format, or if there is nothing to export.
    """
    if format not in corpora.writers:
        raise Invalid(
            f"There is no format '{format}'. Choose from: {', '.join(sorted(corpora.writers))}.",
            fields={"format": "unknown"},
        )
    _, ending = FORMATS.get(format, ("", "txt"))
    archive = ending == "zip"
    path = folder / ("files" if archive else f"export.{ending}")
    with database.read() as session:
        picked = pick(session, session.merge(project), annotator=annotator, states=states, layers=layers)
        documents = (item.document for item in picked)
        first = next(documents, None)
        if first is None:
            raise Invalid("No document has such a sheet with these states. Choose others.")
        losses = corpora.write(chain([first], documents), path, format=format)
    if not archive:
        return path, losses.lines()
    packed = folder / "export.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as target:
        pack(path, target)
    return packed, losses.lines()

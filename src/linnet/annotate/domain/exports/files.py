"""Exports: one file, or a zip archive for formats that are folders."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Collection
from itertools import chain
from pathlib import Path

from linnet import corpora
from linnet.annotate.domain.attributes.usage import used_attributes
from linnet.annotate.domain.documents.picked import LAYERS, pick
from linnet.annotate.domain.exports.annotation_table import write_annotation_table
from linnet.annotate.domain.exports.formats import ANNOTATION_TABLE, FORMATS
from linnet.annotate.refusals import Invalid
from linnet.annotate.store import Database
from linnet.annotate.store.tables import Project
from linnet.annotate.zip_archives import pack
from linnet.corpora.table import table_columns, write_table

__all__ = ["export"]

_NOTHING = "No document has such a sheet with these states. Choose others."


def export(
    database: Database,
    project: Project,
    folder: Path,
    names: Callable[[str], str],
    *,
    format: str,
    annotator: str | None = None,
    states: Collection[str] = (),
    layers: Collection[str] = LAYERS,
) -> tuple[Path, list[str]]:
    """Write a project's documents into a folder; returns the file to send, and what its format could not hold.

    names  preferred name of a concept, "" for unknown ids

    Raises Invalid for an unknown format, or if there is nothing to export.
    """
    known = {ANNOTATION_TABLE, *corpora.writers}
    if format not in known:
        raise Invalid(
            f"There is no format '{format}'. Choose from: {', '.join(sorted(known))}.",
            fields={"format": "unknown"},
        )
    _, ending = FORMATS.get(format, ("", "txt"))
    archive = ending == "zip"
    path = folder / ("files" if archive else f"export.{ending}")
    with database.read() as session:
        row = session.merge(project)
        picked = pick(session, row, annotator=annotator, states=states, layers=layers)
        if format == ANNOTATION_TABLE:
            if not write_annotation_table(picked, path, names, used_attributes(session, row)):
                raise Invalid(_NOTHING)
            return path, []
        documents = (item.document() for item in picked)
        first = next(documents, None)
        if first is None:
            raise Invalid(_NOTHING)
        complete = chain([first], documents)
        if format == "table":
            attributes = used_attributes(session, row)
            again = pick(session, row, annotator=annotator, states=states, layers=layers)
            columns = table_columns((item.document() for item in again), attributes)
            losses = write_table(complete, path, attributes=attributes, columns=columns)
        else:
            losses = corpora.write(complete, path, format=format)
    if not archive:
        return path, losses.lines()
    packed = folder / "export.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as target:
        pack(path, target)
    return packed, losses.lines()

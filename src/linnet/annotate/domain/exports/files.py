"""Exports: the formats to choose from, and one file, or a zip archive for formats that are folders."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Collection
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from linnet import corpora
from linnet import formats as table
from linnet.annotate.domain.accounts.sessions import SignedIn
from linnet.annotate.domain.attributes.usage import used_attributes
from linnet.annotate.domain.documents.picked import LAYERS, pick
from linnet.annotate.domain.exports.annotation_table import write_annotation_table
from linnet.annotate.domain.projects.visibility import seen_by
from linnet.annotate.domain.states import Layer, State
from linnet.annotate.refusals import Forbidden, Invalid
from linnet.annotate.store import Database
from linnet.annotate.store.tables import CURATED, Project
from linnet.annotate.zip_archives import pack
from linnet.corpora.table import table_columns, write_table

__all__ = ["ANNOTATION_TABLE", "Format", "export", "formats"]

_NOTHING = "No document has such a sheet with these states. Choose others."


class Format(NamedTuple):
    """A corpus format: whether it can be uploaded and exported, and the ending of its exported file."""

    name: str
    description: str
    reads: bool
    writes: bool
    ending: str


ANNOTATION_TABLE = "csv"
"""The format that only the annotation tool writes."""


def formats() -> list[Format]:
    """All formats of texts that `linnet.corpora` knows, and the table of annotations."""
    return [
        Format(
            row.name,
            row.title,
            bool(row.reader),
            bool(row.writer) or row.name == ANNOTATION_TABLE,
            row.ending,
        )
        for row in table.formats("corpus").values()
        if "binary" not in row.traits
    ]


def export(
    database: Database,
    project: Project,
    folder: Path,
    names: Callable[[str], str],
    user: SignedIn,
    *,
    format: str,
    annotator: str | None = None,
    curated: bool = False,
    states: Collection[State] = (),
    layers: Collection[Layer] = LAYERS,
) -> tuple[Path, list[str]]:
    """Write a project's documents into a folder; returns the file to send, and what its format could not hold.

    names      preferred name of a concept, "" for unknown ids
    annotator  whose sheets; curated: the curated ones; else see `pick`

    Raises Invalid for an unknown format, or if there is nothing to export; Forbidden for sheets of others.
    """
    annotator = _owner(project, user, annotator, curated=curated)
    _check_format(format)
    ending = table.formats("corpus")[format].ending
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
    return (_packed(path) if archive else path), losses.lines()


def _packed(folder: Path) -> Path:
    path = folder.with_name("export.zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        pack(folder, target)
    return path


def _check_format(name: str) -> None:
    known = {ANNOTATION_TABLE, *corpora.writers}
    if name not in known:
        choices = ", ".join(sorted(known))
        raise Invalid(f"There is no format '{name}'. Choose from: {choices}.", fields={"format": "unknown"})


def _owner(project: Project, user: SignedIn, annotator: str | None, *, curated: bool) -> str | None:
    """Whose sheets a user exports."""
    if curated and not user.curates:
        raise Forbidden("Only curators and managers can export curated sheets. Ask one of them.")
    if seen_by(project, user) is None:
        return CURATED if curated else annotator
    if annotator not in (None, user.name):
        raise Forbidden(
            "In this project annotators work independently: only curators can export the sheets of others."
        )
    return user.name

"""Backups of projects of format 1, as the tables of an archive.

    backup.json     project, members by name, corrections, and when and by which linnet the backup was made
    documents.jsonl a document a line, with its sheets, their annotations, its comments, and the names of those to whom it is assigned
    log.jsonl, versions.jsonl
    models/v1/…     files of the model versions

What those of the first linnet versions lack gets the value that does as they did.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from typing import Any

from linnet.annotate.archive.reading import ProjectBackup, read_lines
from linnet.annotate.domain.accounts.names import account_key
from linnet.annotate.domain.states import ProjectRole
from linnet.annotate.refusals import Invalid

__all__ = ["HEAD", "earlier_project"]

HEAD = "backup.json"
_FORMAT = 1
_LACKING: dict[str, dict[str, Any]] = {
    "projects": {
        "learners": [], "recogniser": "", "pipeline": "", "min_probability": 0.0, "per_document": 0, "attributes": [],
    },
    "documents": {"predicted": [], "reason": ""},
    "annotations": {"attributes": {}, "unchanged": False},
    "log": {"token": ""},
}  # fmt: skip


def earlier_project(archive: zipfile.ZipFile) -> ProjectBackup:
    """What such a backup holds. Raises Invalid for another format version."""
    head = json.loads(archive.read(HEAD))
    if not isinstance(head, dict):
        raise ValueError(f"{HEAD}: expected an object")
    if (made := head.get("format")) != _FORMAT:
        by = f", made by linnet {head['linnet']}," if isinstance(head.get("linnet"), str) else ""
        later = isinstance(made, int) and made > _FORMAT
        advice = "Update linnet" if later else "Restore it with the linnet that made it"
        raise Invalid(f"The backup{by} has format {made}; this linnet reads format {_FORMAT}. {advice}.")

    def rows(table: str) -> Iterator[dict[str, Any]]:
        for row in _rows(archive, head, table):
            yield _LACKING.get(table, {}) | row

    models = [name for name in archive.namelist() if name.startswith("models/") and name[-1] != "/"]
    files = {name: name.removeprefix("models/") for name in models}
    return ProjectBackup(str(head.get("made", "")), files, rows)


def _rows(archive: zipfile.ZipFile, head: dict[str, Any], table: str) -> Iterator[dict[str, Any]]:
    if table == "projects":
        yield head["project"]
    elif table == "users":
        names = [member["name"] for member in head.get("members", ())]
        for document in read_lines(archive, "documents.jsonl"):
            names += document.get("assigned", ())
        yield from ({"id": account_key(name), "name": name} for name in names)
    elif table == "members":
        for member in head.get("members", ()):
            taking_part = {"takes_part": member["role"] == ProjectRole.ANNOTATOR}
            yield taking_part | member | {"user_id": account_key(member["name"])}
    elif table == "corrections":
        yield from head.get("corrections", ())
    elif table in ("log", "versions"):
        yield from read_lines(archive, f"{table}.jsonl")
    elif not table.startswith("mapping"):  # there were none
        for document in read_lines(archive, "documents.jsonl"):
            yield from _below(document, table)


def _below(document: dict[str, Any], table: str) -> Iterator[dict[str, Any]]:
    """The rows that a line of a document has for a table."""
    if table == "documents":
        yield document
    elif table == "assignments":
        for name in document.get("assigned", ()):
            yield {"id": 0, "document_id": document["id"], "user_id": account_key(name)}
    elif table == "comments":
        yield from document.get("comments", ())
    else:
        for sheet in document["sheets"]:
            yield from [sheet] if table == "sheets" else sheet["annotations"]

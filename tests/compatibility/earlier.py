"""Backups of projects as linnet made them before those of projects and servers had one format."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

from linnet.annotate.archive.manifest import Manifest
from linnet.annotate.archive.reading import rows_of
from linnet.annotate.archive.writing import PROJECT_TABLES

__all__ = ["as_earlier"]


def as_earlier(backup: bytes, change: Callable[[Any], Any] = lambda record: record) -> bytes:
    """A backup of today in the format of then, each record changed."""
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(backup)) as source, zipfile.ZipFile(changed, "w") as goal:
        rows = {table: list(rows_of(source, table)) for table in PROJECT_TABLES}
        names = {user["id"]: user["name"] for user in rows["users"]}
        members = [{"name": names[row["user_id"]], **row} for row in rows["members"]]
        kept = ("name", "role", "takes_part")
        head = {
            "format": 1,
            "linnet": "0.1.0",
            "made": "2026-11-27T21:37:27+00:00",
            "project": rows["projects"][0],
            "corrections": rows["corrections"],
            "members": [{name: member[name] for name in kept} for member in members],
        }
        for document in rows["documents"]:
            document["sheets"] = _of(rows["sheets"], document_id=document["id"])
            for sheet in document["sheets"]:
                sheet["annotations"] = _of(rows["annotations"], sheet_id=sheet["id"])
            document["comments"] = _of(rows["comments"], document_id=document["id"])
            assigned = _of(rows["assignments"], document_id=document["id"])
            document["assigned"] = [names[row["user_id"]] for row in assigned]
        goal.writestr("backup.json", json.dumps(change(head)))
        for table in ("documents", "log", "versions"):
            lines = [json.dumps(change(row)) for row in rows[table]]
            goal.writestr(f"{table}.jsonl", "".join(f"{line}\n" for line in lines))
        for name in Manifest.read(source).members:
            if name.startswith("files/"):
                goal.writestr("models/" + name.split("/", 3)[3], source.read(name))
    return changed.getvalue()


def _of(rows: list[dict[str, Any]], **parent: int) -> list[dict[str, Any]]:
    [(column, id)] = parent.items()
    return [row for row in rows if row[column] == id]

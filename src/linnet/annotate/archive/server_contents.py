"""What the archive of a server holds.

    tables/users.jsonl …     the rows of each table, one a line
    files/projects/1/v1/…    the files of the model versions
    server.json              format, version of the tables, digests of all other members; written last

Sessions and known browsers are left out: people sign in again. Terminologies are named with their digests, but not included.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import PurePosixPath
from typing import Any, Self

from linnet.annotate.refusals import Invalid
from linnet.plural import counted

__all__ = ["FILES", "LEFT_OUT", "MANIFEST", "TABLES", "Manifest", "Member", "is_server_backup"]

FORMAT = 1
MANIFEST = "server.json"
TABLES, FILES = "tables/", "files/"
LEFT_OUT = frozenset({"alembic_version", "sign_ins", "devices"})
# Tables that a summary counts, and the words for their rows.
_COUNTED = {
    "users": "accounts",
    "projects": "projects",
    "documents": "documents",
    "annotations": "annotations",
    "versions": "model versions",
}


@dataclass(frozen=True, slots=True)
class Member:
    """A member of the archive. size: unpacked, in bytes; sha256: of the unpacked bytes; rows: of a table, else 0."""

    size: int
    sha256: str
    rows: int = 0


@dataclass(frozen=True, slots=True)
class Manifest:
    """What `server.json` says.

    revision       version of the tables
    members        by name
    last_ids       table → the largest id it has given out
    terminologies  name → digest, of those that projects use
    """

    linnet: str
    made: str
    revision: str
    members: Mapping[str, Member]
    last_ids: Mapping[str, int]
    terminologies: Mapping[str, str]
    format: int = field(default=FORMAT)

    def dumps(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self), ensure_ascii=False, indent=1)

    @classmethod
    def read(cls, archive: zipfile.ZipFile) -> Self:
        """The manifest of an archive. Raises Invalid for another kind of archive or a later format."""
        names = archive.namelist()
        if MANIFEST not in names:
            kind = (
                "the backup of one project. Restore it on the page Projects of a running server"
                if "backup.json" in names
                else "an archive of other files. Choose one that 'linnet annotate backup' made"
            )
            raise Invalid(f"This file is not the backup of a server: it is {kind}.")
        fields: dict[str, Any] = json.loads(archive.read(MANIFEST))
        if fields["format"] != FORMAT:
            raise Invalid(
                f"The backup, made by linnet {fields.get('linnet')}, has format {fields['format']}; this linnet reads format {FORMAT}. "
                "Update linnet."
            )
        fields["members"] = {name: Member(**member) for name, member in fields["members"].items()}
        for name in fields["members"]:
            path = PurePosixPath(name)
            if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name:
                raise Invalid(f"The backup contains the path {name[:100]}, which leads outside its folder.")
        return cls(**fields)

    def summary(self) -> str:
        """The numbers of accounts, projects, documents, annotations and model versions."""
        rows = {name: self.members[f"{TABLES}{name}.jsonl"].rows for name in _COUNTED}
        return ", ".join(counted(rows[name], word) for name, word in _COUNTED.items())


def is_server_backup(path: Any) -> bool:
    """Whether a file is a complete archive of a server."""
    if not zipfile.is_zipfile(path):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return MANIFEST in archive.namelist()
    except (zipfile.BadZipFile, OSError):
        return False

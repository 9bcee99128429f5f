"""What an archive holds: a whole server, or one of its projects.

    tables/users.jsonl …     the rows of each table, one a line
    files/projects/1/v1/…    the files of the model versions
    manifest.json            format, version of the tables, digests of all other members; written last

Sessions and known browsers are left out: people sign in again. Terminologies are named with their digests, but not included. The
archive of a project has its rows only, and of accounts their names only.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import PurePosixPath
from typing import Any, Self

from linnet.annotate.refusals import Invalid
from linnet.annotate.zip_archives import DAMAGE, leads_outside
from linnet.plural import counted

__all__ = ["FILES", "MANIFEST", "TABLES", "Manifest", "Member", "is_server_backup"]

FORMAT = 2
MANIFEST = "manifest.json"
_SERVER = "server.json"  # the manifest of format 1, which was of servers only
TABLES, FILES = "tables/", "files/"
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
    """What `manifest.json` says.

    revision       version of the tables
    members        by name
    last_ids       table → the largest id it has given out
    terminologies  name → digest, of those that projects use
    project        id of the only project; None for a whole server
    """

    linnet: str
    made: str
    revision: str
    members: Mapping[str, Member]
    last_ids: Mapping[str, int]
    terminologies: Mapping[str, str]
    project: int | None = None
    format: int = field(default=FORMAT)

    def dumps(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self), ensure_ascii=False, indent=1)

    @classmethod
    def read(cls, archive: zipfile.ZipFile) -> Self:
        """The manifest of an archive. Raises Invalid for another kind of archive or a later format."""
        name = next((name for name in (MANIFEST, _SERVER) if name in archive.namelist()), None)
        if name is None:
            raise Invalid(f"This file is not a linnet backup: it is {_kind(archive.namelist())}.")
        fields: dict[str, Any] = json.loads(archive.read(name))
        if fields["format"] > FORMAT:
            raise Invalid(
                f"The backup, made by linnet {fields.get('linnet')}, has format {fields['format']}; this linnet reads formats up to "
                f"{FORMAT}. Update linnet."
            )
        fields["members"] = {name: Member(**member) for name, member in fields["members"].items()}
        for name in fields["members"]:
            if leads_outside(name):
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
            return Manifest.read(archive).project is None
    except (*DAMAGE, OSError, Invalid, ValueError, LookupError, TypeError, AttributeError, RuntimeError):
        return False


def _kind(names: list[str]) -> str:
    """What an archive with these members is."""
    if any(PurePosixPath(name).name == "version.json" for name in names):
        return "the files of a model version, to link with"
    if "backup.json" in names:
        return "the backup of one project. Restore it on the page Projects of a running server"
    return f"an archive of other files ({', '.join(names[:3]) or 'none'}{', …' if names[3:] else ''})"

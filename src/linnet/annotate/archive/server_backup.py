"""Writes a server's archive while the server runs, or not."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

from linnet.annotate.archive.manifest import Manifest, is_server_backup
from linnet.annotate.archive.writing import write_archive
from linnet.annotate.disk import sync
from linnet.annotate.settings import Settings
from linnet.annotate.store import open_database
from linnet.annotate.store.columns import now
from linnet.errors import RequestError
from linnet.io.drafts import draft_file, remove_abandoned

__all__ = ["back_up_server", "dated", "remove_old"]

_DATED = re.compile(r"linnet-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.zip")


def back_up_server(settings: Settings, target: Path) -> Manifest:
    """Write one consistent state of the server into a file, which appears completely or not at all and replaces an older backup.

    Only its owner may read the file: it has the accounts with the hashes of their passwords.
    Raises RequestError without a database or a folder for `target`, or if `target` is another kind of file; MismatchError for
    a database of a newer linnet; StoreError if the database or files of a model version cannot be read; OSError if the disk
    cannot be written.
    """
    target = target.resolve()
    if target.exists() and not is_server_backup(target):
        raise RequestError(
            f"{target} exists and is not the backup of a server. Choose another name; nothing was replaced."
        )
    if not target.parent.is_dir():
        raise RequestError(
            f"There is no folder {target.parent}. Make it first, or choose another place for the backup."
        )
    settings.check_database()
    with (
        closing(open_database(settings.database_url, upgrade=False)) as database,
        draft_file(target) as draft,
    ):
        manifest = write_archive(database, settings.data, draft)
        draft.replace(target)
        sync(target.parent)
    return manifest


def dated(folder: Path) -> Path:
    """A file in the folder named after the present time. Leftovers of killed backups are removed."""
    for draft in folder.glob(".linnet-*.zip.linnet-*.part"):
        remove_abandoned(folder / f"{draft.name[1:].partition('.zip')[0]}.zip")
    return folder / f"linnet-{now():%Y-%m-%dT%H-%M-%SZ}.zip"


def remove_old(folder: Path, *, keep: int) -> list[Path]:
    """Remove all but the newest backups that `dated` named; returns the removed ones."""
    backups = sorted(file for file in folder.iterdir() if _DATED.fullmatch(file.name))
    old = backups[:-keep]
    for file in old:
        file.unlink()
    return old

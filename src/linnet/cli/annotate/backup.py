"""`linnet annotate backup`: the whole server as one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linnet.cli.common_options import Data, Database
from linnet.cli.failures import needs_extra

__all__ = ["backup"]


def backup(
    file: Annotated[
        Path, typer.Argument(help="File to write, or an existing folder for dated files.", metavar="FILE.zip")
    ],
    data: Data = None,
    database: Database = "",
    keep: Annotated[
        int | None,
        typer.Option("--keep", help="In a folder: remove all but the N newest backups.", min=1, metavar="N"),
    ] = None,
) -> None:
    """Back up the whole annotation server in one file; the server may be running.

    The file has accounts with the hashes of their passwords, projects, documents, annotations, the log and the models, so only its
    owner may read it. Sessions and terminologies are not in it. It appears completely or not at all, and replaces an older backup.

    Examples:
      linnet annotate backup server.zip --data study/
      linnet annotate backup backups/ --keep 14 --data study/
    """
    from linnet.cli.progress import note

    if str(file) == "-":
        raise typer.BadParameter("a backup is not written to standard output. Name a file or a folder.")
    folder = file.is_dir()
    if keep is not None and not folder:
        raise typer.BadParameter(
            f"--keep needs an existing folder; {file} is none. Create it, or leave out --keep."
        )
    with needs_extra("The annotation tool", "annotate"):
        from linnet.annotate.archive.server_backup import back_up_server, dated, remove_old
        from linnet.annotate.domain.terminologies import STARTER
        from linnet.annotate.settings import Settings, data_directory
    settings = Settings(data=(data or data_directory()).resolve(), database=database)
    target = dated(file) if folder else file
    manifest = back_up_server(settings, target)
    removed = remove_old(file, keep=keep) if keep is not None else []
    older = f"; removed {len(removed)} older" if removed else ""
    note(f"Backed up {manifest.summary()}: {target} ({target.stat().st_size / 1e6:.1f} MB){older}.")
    if names := [name for name in manifest.terminologies if name != STARTER]:
        note(f"Not included: the terminologies {', '.join(names)}. Keep their folders or sources.")

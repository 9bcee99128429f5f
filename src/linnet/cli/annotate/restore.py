"""`linnet annotate restore`: a server from its backup."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linnet.cli.common_options import Data, Database
from linnet.cli.failures import needs_extra

__all__ = ["restore"]


def restore(
    file: Annotated[Path, typer.Argument(help="Backup of a server.", metavar="FILE.zip")],
    data: Data = None,
    database: Database = "",
) -> None:
    """Restore an annotation server from a backup, into an empty folder and database.

    Checks the whole file first. Leaves nothing behind if it fails or is killed. A backup of SQLite can be restored to PostgreSQL, and
    the other way round. Put the terminologies into DIR/terminologies/ before or after, or give them to the server.

    Examples:
      linnet annotate restore server.zip --data study/
      linnet annotate restore server.zip --data study/ --database postgresql://linnet@db/linnet
    """
    from linnet.cli.progress import note

    with needs_extra("The annotation tool", "annotate"):
        from linnet.annotate.archive.server_restore import missing_terminologies, restore_server
        from linnet.annotate.settings import Settings, data_directory
    settings = Settings(data=(data or data_directory()).resolve(), database=database)
    manifest = restore_server(file, settings)
    note(
        f"Restored {manifest.summary()} of {manifest.made[:16].replace('T', ' ')} UTC (linnet {manifest.linnet}): {settings.data}."
    )
    for line in missing_terminologies(manifest, settings):
        note(
            f"Terminology {line}: put it into {settings.data / 'terminologies'}, or start the server with --terminology DIR."
        )
    note("Everybody signs in again, with the password that they had.")

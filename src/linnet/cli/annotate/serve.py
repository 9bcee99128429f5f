"""`linnet annotate` alone: the annotation tool."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linnet.cli.common_options import Data, Database, NoBrowserOption, PortOption
from linnet.cli.failures import needs_extra
from linnet.cli.panels import running_option, terminology_option

__all__ = ["serve"]


def serve(
    ctx: typer.Context,
    data: Data = None,
    terminology: Annotated[
        list[Path] | None,
        terminology_option(
            "--terminology",
            help="Compiled terminologies for projects, besides the starter.",
            metavar="DIR",
        ),
    ] = None,
    database: Database = "",
    port: PortOption = 8765,
    host: Annotated[
        str,
        running_option(
            "--host",
            help="Address to listen on; 0.0.0.0 accepts other machines once the first account exists.",
            metavar="ADDRESS",
        ),
    ] = "127.0.0.1",
    public_url: Annotated[
        str,
        running_option(
            "--public-url",
            help="Public address, if a proxy with TLS is in front: https://HOST.",
            metavar="URL",
        ),
    ] = "",
    no_browser: NoBrowserOption = False,
) -> None:
    """Annotate documents in the browser; the linker learns from the annotations.

    Opens http://127.0.0.1:8765. The first visitor creates the first account, an admin. Annotations are saved at once.

    Examples:
      linnet annotate
      linnet annotate --terminology mesh/ --data study/
      linnet annotate --database postgresql://linnet@db/linnet --host 0.0.0.0
      linnet annotate --public-url https://annotate.example.org --no-browser
    """
    if ctx.invoked_subcommand is not None:
        given = [name for name in ctx.params if _is_given(ctx, name)]
        if given:
            option = f"--{given[0].replace('_', '-')}"
            raise typer.BadParameter(
                f"{option} is an option of the annotation server. Give the options of '{ctx.invoked_subcommand}' after it."
            )
        return
    from linnet.cli.progress import note

    with needs_extra("The annotation tool", "annotate"):
        from linnet.annotate.server import serve as serving
        from linnet.annotate.settings import Settings, data_directory
    settings = Settings(
        data=(data or data_directory()).resolve(),
        database=database,
        terminologies=tuple(path.resolve() for path in terminology or ()),
    )
    serving(settings, host=host, port=port, public_url=public_url, browser=not no_browser, report=note)


def _is_given(ctx: typer.Context, name: str) -> bool:
    source = ctx.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"

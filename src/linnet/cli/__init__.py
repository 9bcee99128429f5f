"""The command line: one file per command. Only the command that runs is imported.

To add a command, write its function in a file of its own and add a line to `COMMANDS`.
"""

from __future__ import annotations

import signal
import sys
from typing import Annotated, Any, ClassVar, NoReturn

import typer

from linnet.cli.failures import TERMINATED, reporting
from linnet.cli.lazy import LazyGroup, plain_app
from linnet.cli.streams import prepare_streams

__all__ = ["COMMANDS", "app", "main"]

# Command → "module:name" of its function, or of the typer app of a group, and its line in the overview.
COMMANDS = {
    "demo": ("linnet.cli.demo:demo", "Link a packaged abstract with the packaged starter terminology."),
    "terminology": ("linnet.cli.terminology:app", "Build, join, inspect and search terminologies."),
    "index": ("linnet.cli.index:index", "Build the indexes that link searches."),
    "link": ("linnet.cli.link:link", "Link the mentions of a text or file to concepts."),
    "map": ("linnet.cli.mapping:app", "Map a column to concepts, review it, keep it."),
    "evaluate": ("linnet.cli.evaluate:evaluate", "Score a linker or predictions against a gold corpus."),
    "train": ("linnet.cli.train:train", "Train the model that a run file describes."),
    "annotate": (
        "linnet.cli.annotate:app",
        "Annotate documents in the browser; the linker learns from it.",
    ),
    "serve": ("linnet.cli.serve:serve", "Answer over HTTP: link, annotate, search, batches."),
    "mcp": ("linnet.cli.mcp:mcp", "Serve an assistant: search, look up, link and annotate."),
}


class _Root(LazyGroup):
    table: ClassVar[dict[str, tuple[str, str]]] = COMMANDS

    def invoke(self, ctx: Any) -> Any:
        with reporting(ctx.meta):
            return super().invoke(ctx)


app = plain_app(
    cls=_Root,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from linnet import __version__

        typer.echo(f"linnet {__version__}")
        raise typer.Exit


@app.callback()
def linnet(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Link the names people write for diseases, drugs and phenotypes to concepts of a terminology.

    \b
    Start here:
      linnet demo
      linnet terminology build desc2024.xml.gz -o mesh/
      linnet index mesh/
      linnet link abstract.txt --terminology mesh/

    Data goes to standard output, everything else to standard error; - is standard input or output.
    Exit codes: 0 done, 1 the data or request was refused, 2 wrong usage, 130 interrupted, 141 standard
    output was closed. LINNET_DEBUG=1 prints the traceback of an error.
    """


def main() -> None:
    """Run the command line and exit with its code."""
    signal.signal(signal.SIGTERM, _terminate)
    prepare_streams()
    try:
        with reporting():  # for help and the like; commands have their own
            app()
    except typer.Exit as end:
        sys.exit(end.exit_code)


def _terminate(*_: object) -> NoReturn:
    """Exit through `finally` clauses, which remove half-written files; the signal's default action would not."""
    sys.exit(TERMINATED)

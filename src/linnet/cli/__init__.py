"""The command line: one file per command. Nothing but the command that runs is imported.

To add a command, write its function in a file of its own and add one line to `COMMANDS`.
"""

from __future__ import annotations

import signal
import sys
from typing import Annotated, Any, ClassVar, NoReturn

import typer

from linnet.cli.failures import TERMINATED, reporting
from linnet.cli.lazy import LazyGroup
from linnet.cli.streams import prepare_streams

__all__ = ["COMMANDS", "app", "main"]

# Command → where its function (or, for commands of their own, its typer app) is, and what the overview says of it.
COMMANDS = {
    "demo": ("linnet.cli.demo:demo", "Link a packaged abstract with the packaged starter terminology."),
    "terminology": ("linnet.cli.terminology:app", "Build, join, inspect and search terminologies."),
    "index": ("linnet.cli.index:index", "Build the indexes that link searches."),
    "link": ("linnet.cli.link:link", "Link the mentions of a text or file to concepts."),
    "evaluate": ("linnet.cli.evaluate:evaluate", "Score a linker or predictions against a gold corpus."),
    "train": ("linnet.cli.train:train", "Train a model as a run file says."),
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


app = typer.Typer(
    cls=_Root,
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
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
    Exit codes: 0 done, 1 the data or request was refused, 2 wrong usage, 130 interrupted, 141 the reader of
    standard output went away. LINNET_DEBUG=1 shows where an error came from.
    """


def main() -> None:
    """Run the command line and exit with its code."""
    signal.signal(signal.SIGTERM, _terminate)
    prepare_streams()
    try:
        with reporting():  # commands report for themselves; this is for help and the like
            app()
    except typer.Exit as end:
        sys.exit(end.exit_code)


def _terminate(*_: object) -> NoReturn:
    """Let `finally` clauses remove what is half-written, which the signal's default would not."""
    sys.exit(TERMINATED)

"""`linnet mcp`: search, look up, link and annotate as tools of an assistant."""

from __future__ import annotations

import os
import signal
import sys
from typing import Annotated

from linnet.cli.advice import for_command
from linnet.cli.failures import INTERRUPTED, TERMINATED, needs_extra
from linnet.cli.linking_options import (
    AssertionOptions,
    PipelineOptions,
    Restrictions,
    TerminologyOption,
    ThreadsOption,
    linker_config,
)
from linnet.cli.panels import running_option

__all__ = ["mcp"]


def mcp(
    terminology: TerminologyOption,
    *,
    restrictions: Restrictions,
    pipeline: PipelineOptions,
    assertion: AssertionOptions,
    port: Annotated[
        int | None,
        running_option(
            help="Serve http://127.0.0.1:N/mcp instead of standard input and output.",
            min=1,
            max=65535,
            metavar="N",
        ),
    ] = None,
    threads: ThreadsOption = None,
) -> None:
    """Serve an assistant (Model Context Protocol): tools to search, look up, link and annotate.

    The assistant starts this command itself: put the command and its options into the assistant's configuration. The
    command ends when the assistant closes standard input.

    Examples:
      linnet mcp --terminology mesh/
      linnet mcp -t starter
      linnet mcp -t mesh/ -t hpo/ --concept-types Disease
      linnet mcp -t mesh/ --port 8767
    """
    from linnet.cli.progress import note

    with needs_extra("The MCP server", "mcp"):
        from linnet.integrations.mcp import create_server
    from linnet.errors import LinnetError, StoreError
    from linnet.integrations.catalogue import Catalogue
    from linnet.terminology.search import SearchIndex

    if port is not None:
        from linnet.http.listening import listen

        listen(
            "127.0.0.1", port, program="linnet mcp"
        ).close()  # report a port in use before opening anything
    linker = linker_config(terminology, restrictions, pipeline, assertion, threads=threads).located().open()
    catalogue = Catalogue(linker.group)
    if not all(SearchIndex.exists(opened) for opened in linker.terminologies):
        note("Building the search index; later starts use it.")
    try:
        catalogue.open()
    except (StoreError, OSError) as error:
        note(
            f"search_concepts will not work: {for_command(error, None) if isinstance(error, LinnetError) else error}"
        )
    server = create_server(linker, catalogue=catalogue)
    if port is None:
        if sys.stdin.isatty():
            note("Waiting for an assistant on standard input. Ctrl-C ends the server.")
        # A thread waits for standard input, which no exception ends; there is nothing to finish.
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
        signal.signal(signal.SIGTERM, lambda *_: os._exit(TERMINATED))
        server.run("stdio")
    else:
        note(f"Listening on http://127.0.0.1:{port}/mcp until Ctrl-C.")
        server.run("streamable-http", host="127.0.0.1", port=port)

"""`linnet mcp`: search, look up, link and annotate as tools of an assistant."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Annotated, Any

import typer

from linnet.cli.failures import INTERRUPTED, TERMINATED
from linnet.cli.linking import RecogniserOption, RerankerOption, RetrieverOption, read_ids

__all__ = ["mcp"]


def mcp(
    terminology: Annotated[
        list[Path],
        typer.Option("--terminology", "-t", help="Compiled terminologies to link against.", metavar="DIR"),
    ],
    concept_types: Annotated[
        list[str] | None, typer.Option(help="Link only to concepts of these semantic types.")
    ] = None,
    sources: Annotated[
        list[str] | None, typer.Option(help="Link only to concepts from these vocabularies.")
    ] = None,
    allow: Annotated[
        Path | None, typer.Option(help="File of concept ids, one a line: link only to these.", metavar="FILE")
    ] = None,
    deny: Annotated[
        Path | None,
        typer.Option(help="File of concept ids, one a line: never link to these.", metavar="FILE"),
    ] = None,
    retriever: RetrieverOption = None,
    reranker: RerankerOption = None,
    recogniser: RecogniserOption = None,
    port: Annotated[
        int | None,
        typer.Option(
            help="Serve http://127.0.0.1:N/mcp instead of standard input and output.",
            min=1,
            max=65535,
            metavar="N",
        ),
    ] = None,
    threads: Annotated[int | None, typer.Option(help="Threads; all cores if left out.", min=1)] = None,
) -> None:
    """Serve an assistant (Model Context Protocol): tools to search, look up, link and annotate.

    An assistant starts this command itself; its configuration names the command and its options. It ends when the
    assistant closes standard input.

    Examples:
      linnet mcp --terminology mesh/
      linnet mcp -t mesh/ -t hpo/ --concept-types Disease
      linnet mcp -t mesh/ --port 8767
    """
    from linnet.cli.progress import note
    from linnet.errors import MissingExtraError

    try:
        from linnet.integrations.mcp import create_server
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("linnet"):
            raise
        raise MissingExtraError("The MCP server", "mcp") from error
    from linnet.errors import StoreError
    from linnet.integrations.catalogue import Catalogue
    from linnet.integrations.opening import open_linker
    from linnet.terminology.search import SearchIndex

    changes: dict[str, Any] = {}
    if retriever is not None:
        changes["retrievers"] = tuple(name.strip() for name in retriever.split(",") if name.strip())
    if reranker is not None:
        changes["reranker"] = None if reranker == "none" else reranker
    if recogniser is not None:
        changes["recogniser"] = recogniser
    concepts = {
        "types": concept_types or None,
        "sources": sources or None,
        "allow": read_ids(allow) if allow else None,
        "deny": read_ids(deny) if deny else (),
    }
    linker = open_linker(
        [path.absolute() for path in terminology], pipeline=changes, concepts=concepts, threads=threads
    )
    catalogue = Catalogue(linker.targets)
    if not all(SearchIndex.exists(one) for one in linker.terminologies):
        note("Building the search index; later starts find it there.")
    try:
        catalogue.open()
    except (StoreError, OSError) as error:
        note(f"search_concepts will not work: {error}")
    server = create_server(linker, catalogue=catalogue)
    if port is None:
        # A thread waits for standard input, which no exception ends; there is nothing to finish.
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
        signal.signal(signal.SIGTERM, lambda *_: os._exit(TERMINATED))
        server.run("stdio")
    else:
        note(f"Listening on http://127.0.0.1:{port}/mcp until Ctrl-C.")
        server.run("streamable-http", host="127.0.0.1", port=port)

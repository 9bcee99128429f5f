"""`linnet mcp`: search, look up, link and annotate as tools of an assistant."""

from __future__ import annotations

import os
import signal
import sys
from typing import Annotated

import typer

from linnet.cli.failures import INTERRUPTED, TERMINATED
from linnet.cli.linking import (
    AllowOption,
    ConceptTypesOption,
    DenyOption,
    LearnedOption,
    MinProbabilityOption,
    RecogniserOption,
    RerankerOption,
    RetrieverOption,
    SourcesOption,
    TerminologyOption,
    ThreadsOption,
    linker_opening,
)

__all__ = ["mcp"]


def mcp(
    terminology: TerminologyOption,
    concept_types: ConceptTypesOption = None,
    sources: SourcesOption = None,
    allow: AllowOption = None,
    deny: DenyOption = None,
    retriever: RetrieverOption = None,
    reranker: RerankerOption = None,
    recogniser: RecogniserOption = None,
    min_probability: MinProbabilityOption = None,
    learned: LearnedOption = None,
    port: Annotated[
        int | None,
        typer.Option(
            help="Serve http://127.0.0.1:N/mcp instead of standard input and output.",
            min=1,
            max=65535,
            metavar="N",
        ),
    ] = None,
    threads: ThreadsOption = None,
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
    from linnet.terminology.search import SearchIndex

    if port is not None:
        from linnet.serve.listening import listen

        listen("127.0.0.1", port, program="linnet mcp").close()  # a port that is taken is said at once
    linker = linker_opening(
        [path.absolute() for path in terminology],
        concept_types=concept_types,
        sources=sources,
        allow=allow,
        deny=deny,
        retriever=retriever,
        reranker=reranker,
        recogniser=recogniser,
        min_probability=min_probability,
        learned=learned,
        threads=threads,
    ).open()
    catalogue = Catalogue(linker.group)
    if not all(SearchIndex.exists(one) for one in linker.terminologies):
        note("Building the search index; later starts find it there.")
    try:
        catalogue.open()
    except (StoreError, OSError) as error:
        note(f"search_concepts will not work: {error}")
    server = create_server(linker, catalogue=catalogue)
    if port is None:
        if sys.stdin.isatty():
            note("An assistant is expected to start this, and to speak on standard input. Ctrl-C ends it.")
        # A thread waits for standard input, which no exception ends; there is nothing to finish.
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
        signal.signal(signal.SIGTERM, lambda *_: os._exit(TERMINATED))
        server.run("stdio")
    else:
        note(f"Listening on http://127.0.0.1:{port}/mcp until Ctrl-C.")
        server.run("streamable-http", host="127.0.0.1", port=port)

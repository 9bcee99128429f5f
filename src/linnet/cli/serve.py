"""`linnet serve`: the REST service."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linnet.cli.linking import (
    AllowOption,
    ConceptTypesOption,
    DenyOption,
    MinProbabilityOption,
    RecogniserOption,
    RerankerOption,
    RetrieverOption,
    SourcesOption,
    TerminologyOption,
    linker_opening,
)

__all__ = ["serve"]


def _rooted(path: str) -> str:
    """The path with a slash before it and none after it."""
    if any(character in path for character in "?#") or "://" in path:
        raise typer.BadParameter(f"'{path}' is not a path. Expected one like /linnet.")
    return f"/{bare}" if (bare := path.strip("/")) else ""


def serve(
    terminology: TerminologyOption,
    port: Annotated[
        int,
        typer.Option("--port", help="Port to listen on; 0 for any free port.", min=0, max=65535, metavar="N"),
    ] = 8766,
    host: Annotated[
        str,
        typer.Option(
            "--host",
            help="Address to listen on; any but loopback needs --api-keys, and should have a proxy in front.",
            metavar="ADDRESS",
        ),
    ] = "127.0.0.1",
    workers: Annotated[
        int,
        typer.Option(
            help="Processes; they share terminologies and indexes in memory.", min=1, max=256, metavar="N"
        ),
    ] = 1,
    threads: Annotated[
        int, typer.Option(help="Threads of each process that link.", min=1, max=256, metavar="N")
    ] = 2,
    api_keys: Annotated[
        Path | None,
        typer.Option(
            help="File of API keys, one a line, each optionally after a name; read again when it changes. $LINNET_API_KEYS may hold more.",
            metavar="FILE",
        ),
    ] = None,
    open_to_all: Annotated[
        bool, typer.Option("--open", help="With --host: answer everybody, without API keys.")
    ] = False,
    root_path: Annotated[
        str,
        typer.Option(
            help="Path under which a proxy shows the server, e.g. /linnet.", metavar="PATH", callback=_rooted
        ),
    ] = "",
    concept_types: ConceptTypesOption = None,
    sources: SourcesOption = None,
    allow: AllowOption = None,
    deny: DenyOption = None,
    retriever: RetrieverOption = None,
    reranker: RerankerOption = None,
    recogniser: RecogniserOption = None,
    min_probability: MinProbabilityOption = None,
    max_body: Annotated[
        int, typer.Option(help="Bytes of a request, or of a line of a batch.", min=1000, metavar="BYTES")
    ] = 4 * 2**20,
    max_mentions: Annotated[int, typer.Option(help="Mentions of a request.", min=1, metavar="N")] = 1000,
    max_text: Annotated[
        int, typer.Option(help="Characters of a text, or of the context of a mention.", min=1, metavar="N")
    ] = 100_000,
    max_k: Annotated[int, typer.Option(help="Candidates a mention.", min=1, max=1000, metavar="N")] = 100,
    max_requests: Annotated[
        int,
        typer.Option(help="Requests at once, of each process; more are refused.", min=1, metavar="N"),
    ] = 128,
    max_batches: Annotated[
        int, typer.Option(help="Batches at once, of each process.", min=1, metavar="N")
    ] = 4,
    max_of_key: Annotated[
        int | None,
        typer.Option(
            help="Requests at once of one API key; default: half of --max-requests.", min=1, metavar="N"
        ),
    ] = None,
    timeout: Annotated[
        float, typer.Option(help="Seconds until a request is abandoned.", min=0.1, metavar="S")
    ] = 30.0,
    read_timeout: Annotated[
        float,
        typer.Option(help="Seconds for the body of a request to arrive.", min=0.1, metavar="S"),
    ] = 10.0,
    write_timeout: Annotated[
        float, typer.Option(help="Seconds that a client may leave an answer unread.", min=0.1, metavar="S")
    ] = 30.0,
    drain: Annotated[
        float,
        typer.Option(
            help="Seconds that running requests have to finish when the server ends.", min=1, metavar="S"
        ),
    ] = 30.0,
    poll: Annotated[
        float,
        typer.Option(
            help="Seconds between checks whether a terminology was replaced.", min=0.05, metavar="S"
        ),
    ] = 1.0,
) -> None:
    """Answer over HTTP: link mentions, annotate texts, search concepts, one by one or in batches.

    Serves this machine at http://127.0.0.1:8766; its page /docs lists every address. A terminology that is built again
    while it is served replaces the old one once it is complete.

    Examples:
      linnet serve --terminology mesh/
      linnet serve -t mesh/ --workers 4 --api-keys keys.txt --host 0.0.0.0
      curl http://127.0.0.1:8766/v1/concepts?q=myocard+inf
    """
    import os
    from importlib.util import find_spec

    from linnet.cli.progress import note
    from linnet.errors import MissingExtraError
    from linnet.serve.server import serve as run
    from linnet.serve.settings import Limits, Settings

    if any(find_spec(name) is None for name in ("fastapi", "uvicorn", "prometheus_client")):
        raise MissingExtraError("The REST service", "serve")
    limits = Limits(
        body=max_body,
        mentions=max_mentions,
        text=max_text,
        candidates=max_k,
        requests=max_requests,
        batches=max_batches,
        requests_per_key=max_of_key,
        timeout=timeout,
        read_timeout=read_timeout,
        write_timeout=write_timeout,
        drain=drain,
    )
    opening = linker_opening(
        [path.absolute() for path in terminology],
        concept_types=concept_types,
        sources=sources,
        allow=allow,
        deny=deny,
        retriever=retriever,
        reranker=reranker,
        recogniser=recogniser,
        min_probability=min_probability,
        # Requests run in parallel; one thread links each.
        threads=1,
    )
    settings = Settings(
        opening=opening,
        workers=workers,
        threads=threads,
        poll=poll,
        keys=api_keys.absolute() if api_keys else None,
        root=root_path,
        limits=limits,
    )
    if run(settings, host=host, port=port, open_to_all=open_to_all, notify=note):
        os._exit(0)

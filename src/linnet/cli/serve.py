"""`linnet serve`: the REST service."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from linnet.cli.common_options import PortOption
from linnet.cli.linking_options import (
    AssertionOptions,
    PipelineOptions,
    Restrictions,
    TerminologyOption,
    linker_config,
)
from linnet.cli.panels import limit_option, running_option

__all__ = ["serve"]


_count = partial(limit_option, min=1, metavar="N")
_seconds = partial(limit_option, min=0.1, metavar="S")


@dataclass(frozen=True, kw_only=True)
class LimitOptions:
    """Options that set the fields of `linnet.serve.settings.Limits`."""

    body: Annotated[
        int,
        limit_option(
            "--max-body", help="Bytes of a request, or of a line of a batch.", min=1000, metavar="BYTES"
        ),
    ] = 4 * 2**20
    mentions: Annotated[int, _count("--max-mentions", help="Mentions in a request.")] = 1000
    text: Annotated[int, _count("--max-text", help="Characters of a text, or of a mention's context.")] = (
        100_000
    )
    candidates: Annotated[int, _count("--max-k", help="Candidates per mention.", max=1000)] = 100
    requests: Annotated[
        int, _count("--max-requests", help="Concurrent requests per process; more are refused.")
    ] = 128
    batches: Annotated[int, _count("--max-batches", help="Concurrent batches per process.")] = 4
    waiting_batches: Annotated[
        int,
        _count(
            "--max-waiting-batches", help="Further batches that wait for a place; more are refused.", min=0
        ),
    ] = 32
    requests_per_key: Annotated[
        int | None,
        _count("--max-of-key", help="Concurrent requests per API key; default: half of --max-requests."),
    ] = None
    timeout: Annotated[float, _seconds(help="Seconds until a request is abandoned.")] = 30.0
    read_timeout: Annotated[float, _seconds(help="Seconds for the body of a request to arrive.")] = 10.0
    write_timeout: Annotated[float, _seconds(help="Seconds that a client may leave an answer unread.")] = 30.0
    drain: Annotated[
        float, _seconds(help="Seconds that running requests have to finish when the server ends.", min=1)
    ] = 30.0


def _with_slash(path: str) -> str:
    """The path with a slash before it and none after it."""
    if any(character in path for character in "?#") or "://" in path:
        raise typer.BadParameter(f"'{path}' is not a path. Expected one like /linnet.")
    return f"/{bare}" if (bare := path.strip("/")) else ""


def serve(
    terminology: TerminologyOption,
    *,
    port: PortOption = 8766,
    host: Annotated[
        str,
        running_option(
            "--host",
            help="Address to listen on. Any but loopback needs --api-keys and should have a proxy in front.",
            metavar="ADDRESS",
        ),
    ] = "127.0.0.1",
    workers: Annotated[
        int,
        running_option(
            help="Processes; they share terminologies and indexes in memory.", min=1, max=256, metavar="N"
        ),
    ] = 1,
    threads: Annotated[
        int, running_option(help="Linking threads per process.", min=1, max=256, metavar="N")
    ] = 2,
    api_keys: Annotated[
        Path | None,
        running_option(
            help="File of API keys, one per line, each optionally after a name; reread when it changes. "
            "$LINNET_API_KEYS may hold more.",
            metavar="FILE",
        ),
    ] = None,
    open_to_all: Annotated[
        bool, running_option("--open", help="With --host: answer everybody, without API keys.")
    ] = False,
    root_path: Annotated[
        str,
        running_option(
            help="Path under which a proxy serves it, e.g. /linnet.",
            metavar="PATH",
            callback=_with_slash,
        ),
    ] = "",
    restrictions: Restrictions,
    pipeline: PipelineOptions,
    assertion: AssertionOptions,
    limits: LimitOptions,
    poll: Annotated[
        float,
        running_option(
            help="Seconds between checks whether a terminology was replaced.", min=0.05, metavar="S"
        ),
    ] = 1.0,
) -> None:
    """Answer over HTTP: link mentions, annotate texts, search concepts, singly or in batches.

    Serves this machine at http://127.0.0.1:8766; its page /docs lists all addresses. When a terminology is rebuilt, the
    server switches to the new one once it is complete.

    Examples:
      linnet serve --terminology mesh/
      linnet serve -t starter
      linnet serve -t mesh/ --pipeline my.toml
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
    settings = Settings(
        # One thread links each request; requests run in parallel.
        opening=linker_config(terminology, restrictions, pipeline, assertion, threads=1).located(),
        workers=workers,
        threads=threads,
        poll=poll,
        keys=api_keys.absolute() if api_keys else None,
        root=root_path,
        limits=Limits(**vars(limits)),
    )
    if run(settings, host=host, port=port, open_to_all=open_to_all, notify=note):
        os._exit(0)

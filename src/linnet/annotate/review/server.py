"""The server of `linnet map review`."""

from __future__ import annotations

import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path

import uvicorn

from linnet.annotate.api import pages
from linnet.annotate.domain.mappings.open_mapping import OpenMapping
from linnet.annotate.review.app import create_app
from linnet.http.listening import address_of, listen

__all__ = ["serve"]

_HOST = "127.0.0.1"


def serve(
    folder: Path, *, port: int = 8768, browser: bool = True, report: Callable[[str], None] = print
) -> None:
    """Serve until interrupted, to this machine only.

    port    0 for any free port
    report  called with each line to show the user

    Raises RequestError if the page has not been built or the port is taken; StoreError if the mapping or one of its terminologies
    cannot be used.
    """
    pages.check(pages.MAPPING)
    mapping = OpenMapping.folder(folder)
    try:
        listening = listen(_HOST, port, program="linnet map review")
        address = address_of(listening, _HOST)
        config = uvicorn.Config(
            create_app(mapping),
            log_level="warning",
            timeout_graceful_shutdown=5,
            server_header=False,
            proxy_headers=False,
        )
        # The first search should not have to wait for the linker.
        threading.Thread(target=mapping.searching, daemon=True).start()
        report(f"linnet map review is at {address} ({folder}). Press Ctrl-C to stop it.")
        if browser:
            threading.Timer(0.5, webbrowser.open, [address]).start()
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        mapping.close()

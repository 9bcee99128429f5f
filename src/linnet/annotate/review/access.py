"""What routes get of the application, and who may send changes."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from linnet.annotate.refusals import Forbidden
from linnet.annotate.review.open_mapping import OpenMapping

__all__ = ["HEADER", "Review", "sent_by_the_page"]

HEADER = ("X-Linnet", "review")


def _opened(request: Request) -> OpenMapping:
    opened: OpenMapping = request.app.state.mapping
    return opened


Review = Annotated[OpenMapping, Depends(_opened)]


def sent_by_the_page(request: Request) -> None:
    """Raise Forbidden for a change without the header.

    There are no accounts: who reaches the server is the user of this machine. The page of another site in the same browser can reach it
    too, but it can set no header of this name without asking first (a preflight), and this server grants that to nobody.
    """
    name, value = HEADER
    if request.method not in ("GET", "HEAD") and request.headers.get(name) != value:
        raise Forbidden(f"Changes need the header {name}: {value}.")

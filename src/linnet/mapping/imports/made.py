"""A decision as a file has it."""

from __future__ import annotations

from typing import NamedTuple

from linnet.mapping.decisions import MAPS_TO, Equivalence, Status

__all__ = ["MAPS_TO", "Made"]


class Made(NamedTuple):
    """What a file says of a code, or of a text without one.

    place    file and row, for messages
    targets  id and type of each mapping, in their order
    at       UTC, ISO 8601; "" if the file does not say
    """

    place: str
    code: str
    text: str
    status: Status
    targets: tuple[tuple[str, str], ...]
    equivalence: Equivalence | None = None
    by: str = ""
    at: str = ""
    comment: str = ""

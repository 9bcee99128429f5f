"""One server for each data folder: two would do every job twice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from linnet.errors import RequestError, StoreError
from linnet.lockfile import locked

__all__ = ["lock_data"]

_LOCK = "server.lock"


@contextmanager
def lock_data(data: Path) -> Iterator[None]:
    """Hold a data folder, which is made where there is none; the system lets go of it however the process ends.

    Raises RequestError where another server holds it, StoreError where it cannot be written to.
    """
    busy = RequestError(
        f"Another linnet annotate works on {data}. Use that one, end it, or name another folder with --data."
    )
    with ExitStack() as stack:
        try:
            data.mkdir(parents=True, exist_ok=True)
            stack.enter_context(locked(data / _LOCK, busy=busy))
        except OSError as error:
            raise StoreError(
                f"{data} cannot be written to: {error.strerror or error}. Name another folder with --data."
            ) from None
        yield

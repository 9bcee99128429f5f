"""One server per data folder: two would do every job twice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from linnet.advice import Step
from linnet.errors import RequestError, StoreError
from linnet.system.lockfile import locked

__all__ = ["lock_data"]

_LOCK = "server.lock"


@contextmanager
def lock_data(data: Path) -> Iterator[None]:
    """Lock a data folder, created if missing; the system releases it however the process ends.

    Raises RequestError if another server holds it, StoreError if it cannot be written.
    """
    busy = RequestError(
        f"Another linnet annotate is using {data}. Use that one, or stop it.",
        Step.OTHER_FOLDER(),
    )
    with ExitStack() as stack:
        try:
            data.mkdir(parents=True, exist_ok=True)
            stack.enter_context(locked(data / _LOCK, busy=busy))
        except OSError as error:
            raise StoreError(
                f"Cannot write to {data}: {error.strerror or error}.",
                Step.OTHER_FOLDER(),
            ) from None
        yield

"""One server for each data folder: two would do every job twice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from linnet.errors import RequestError, StoreError

__all__ = ["alone"]

_LOCK = "server.lock"


@contextmanager
def alone(data: Path) -> Iterator[None]:
    """Hold a data folder, which is made where there is none; the system lets go of it however the process ends.

    Raises RequestError where another server holds it, StoreError where it cannot be written to.
    """
    try:
        data.mkdir(parents=True, exist_ok=True)
        stream = (data / _LOCK).open("a")
    except OSError as error:
        raise StoreError(
            f"{data} cannot be written to: {error.strerror or error}. Name another folder with --data."
        ) from None
    with stream:
        try:
            import fcntl

            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ModuleNotFoundError:
            pass  # Windows; there a second server is not noticed
        except OSError:
            raise RequestError(
                f"Another linnet annotate works on {data}. Use that one, end it, or name another folder with --data."
            ) from None
        yield

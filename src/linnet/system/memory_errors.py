"""Recognises errors that mean that memory ran out."""

from __future__ import annotations

from collections.abc import Iterator
from errno import ENOMEM

from linnet.errors import DataError, LinnetError, StoreError

__all__ = ["LEAST_ADDRESS_SPACE", "NOT_ENOUGH", "refuse_little_address_space", "short_of_memory"]

NOT_ENOUGH = (
    "Not enough memory. No half-written file was left. Close other programs, or process less at a time."
)

LEAST_ADDRESS_SPACE = 500_000_000
"""Bytes of address space that the libraries of a small command need, with a margin: they take 290 to 350 MB."""

# Words of libraries, which often raise their own classes; in lower case.
_WORDS = (
    "bad_alloc",  # FAISS
    "std::bad_array_new_length",
    "failed to allocate",  # ONNX Runtime
    "can't allocate memory",  # PyTorch
    "not enough memory",  # PyTorch on Windows
    "cannot allocate memory",  # the system's words, also of the dynamic loader
    "failed to map segment",  # the dynamic loader, for a library that Python imports
    "can't start new thread",  # Python
    "failed to launch worker thread",  # Arrow
    "pthread_create",
    "error return without exception set",  # Python, where it could not even make a MemoryError
)


def refuse_little_address_space() -> None:
    """Raise LinnetError if the process is limited to less address space than the libraries need, as batch systems limit it.

    Where they run out of it while they are loaded, C++ ends the process, and nobody can say why.
    """
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY and limit < LEAST_ADDRESS_SPACE:
        raise LinnetError(
            f"Not enough memory: this process is limited to {limit / 1e6:.0f} MB of address space, and linnet needs at least "
            f"{LEAST_ADDRESS_SPACE / 1e6:.0f} MB. Raise the limit: ulimit -v 4000000, or ask the batch system for more."
        )


def short_of_memory(error: BaseException) -> bool:
    """Whether the error, or one that caused it, means that memory ran out.

    Causes of a LinnetError count only if it reports an unreadable file; other LinnetErrors have their own meaning.
    """
    return any(map(_means_so, _chain(error)))


def _means_so(error: BaseException) -> bool:
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == ENOMEM):
        return True
    words = str(error).lower()
    return not isinstance(error, LinnetError) and any(word in words for word in _WORDS)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and its causes."""
    seen: set[int] = set()
    before: BaseException | None = error
    while before is not None and id(before) not in seen:
        seen.add(id(before))
        yield before
        final = isinstance(before, LinnetError) and not isinstance(before, (DataError, StoreError))
        before = None if final else before.__cause__ or before.__context__

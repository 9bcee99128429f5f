"""Whether an error means that memory is short: then less at once may do."""

from __future__ import annotations

from errno import ENOMEM

from linnet.errors import LinnetError

__all__ = ["short_of_memory"]

# faiss and ONNX Runtime say it in words; what the latter raises is no RuntimeError.
_WORDS = (
    "bad_alloc",
    "failed to allocate",
    "std::bad_array_new_length",
    "can't start new thread",
    "pthread_create",
)


def short_of_memory(error: BaseException) -> bool:
    """Whether it does."""
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == ENOMEM):
        return True
    said = str(error).lower()
    return not isinstance(error, LinnetError) and any(word in said for word in _WORDS)

"""The error for a file that holds neither text nor a corpus."""

from __future__ import annotations

from pathlib import Path

from linnet.errors import DataError
from linnet.io.file_kinds import Kind

__all__ = ["AS_TEXT", "not_a_corpus"]

AS_TEXT = "To link it as running text anyway: --input-format text"


def not_a_corpus(kind: Kind, path: str | Path) -> DataError:
    """The error for a known file type that is neither text nor a corpus."""
    advice = kind.advice if kind.binary else f"{kind.advice.removesuffix('.')}. {AS_TEXT}"
    return DataError(f"is {kind.name}, which linnet does not read as text or a corpus. {advice}", path=path)

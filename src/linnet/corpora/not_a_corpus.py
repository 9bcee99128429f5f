"""The error for a file that holds neither text nor a corpus."""

from __future__ import annotations

from pathlib import Path

from linnet.errors import DataError
from linnet.signatures import Kind

__all__ = ["INSIST", "not_a_corpus"]

INSIST = "To link it as running text all the same: --input-format text"


def not_a_corpus(kind: Kind, path: str | Path) -> DataError:
    """The error for a file of a kind that is no text and no corpus."""
    advice = kind.advice if kind.binary else f"{kind.advice.removesuffix('.')}. {INSIST}"
    return DataError(f"is {kind.name}, which linnet does not read as text or a corpus. {advice}", path=path)

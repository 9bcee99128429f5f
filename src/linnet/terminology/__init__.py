"""Terminologies: a reader per source format, and the compiled, memory-mapped store."""

from linnet.terminology.store import Terminology
from linnet.terminology.write import write_terminology

__all__ = ["Terminology", "write_terminology"]

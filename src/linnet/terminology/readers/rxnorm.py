"""RxNorm, as NLM releases it: a directory with RXNCONSO.RRF."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from linnet.terminology.readers.options import DEFAULTS, ReadOptions
from linnet.terminology.readers.rrf import Atom, Layout, read_rrf
from linnet.types import Concept

__all__ = ["read_rxnorm"]

_SYNONYMS = {"SY", "TMSY", "PSN", "ET"}


def read_rxnorm(path: Path, options: ReadOptions = DEFAULTS) -> Iterator[Concept]:
    """Concepts `RXNORM:…` from RXNCONSO, and RXNSTY, RXNREL and RXNCUI if present (see `read_rrf`).

    The preferred name is RxNorm's own; `types` filters by TUI or name of the semantic type.
    """
    return read_rrf(path, Layout("RXN", "RXNORM", _rank, (5, 0, 4)), options)


def _rank(atom: Atom) -> int:
    """RxNorm's own name first, then its synonyms, then the names of its sources."""
    return 2 * (atom.vocabulary != "RXNORM") + (atom.kind in _SYNONYMS)

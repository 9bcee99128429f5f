"""The UMLS Metathesaurus, as released or written by MetamorphoSys: a directory with MRCONSO.RRF."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from linnet.terminology.readers.options import DEFAULTS, ReadOptions
from linnet.terminology.readers.rrf import Atom, Layout, read_rrf
from linnet.types import Concept

__all__ = ["read_umls"]


def read_umls(path: Path, options: ReadOptions = DEFAULTS) -> Iterator[Concept]:
    """Concepts `UMLS:C…` from MRCONSO, and MRSTY, MRDEF, MRREL and MRCUI if present (see `read_rrf`).

    Types are TUI and name of each semantic type ("T047", "Disease or Syndrome"); `types` filters by either.
    `languages` defaults to {"ENG"}. A retired CUI resolves to its synonym, else to a broader concept.
    Raises DataError if MRCONSO.RRF is missing, and with the line for a row with too few columns.
    """
    return read_rrf(path, Layout("MR", "UMLS", _rank, (7, 0, 5)), options)


def _rank(atom: Atom) -> int:
    """The preferred form of the preferred term first (TS = P, STT = PF, ISPREF = Y), as in the Metathesaurus."""
    return 4 * (atom.status != "P") + 2 * (atom.string != "PF") + (atom.preferred != "Y")

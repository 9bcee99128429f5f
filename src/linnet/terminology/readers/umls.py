"""The UMLS Metathesaurus, as its release or MetamorphoSys writes it: a directory with MRCONSO.RRF."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from linnet.terminology.readers.options import DEFAULTS, ReadOptions
from linnet.terminology.readers.rrf import Atom, Layout, read_rrf
from linnet.types import Concept

__all__ = ["read_umls"]


def read_umls(path: Path, options: ReadOptions = DEFAULTS) -> Iterator[Concept]:
    """Concepts `UMLS:C…` from MRCONSO, with MRSTY, MRDEF, MRREL and MRCUI where they are there (see `read_rrf`).

    Types are TUI and name of each semantic type ("T047", "Disease or Syndrome"); `types` filters by either.
    `languages` defaults to {"ENG"}. A retired CUI leads to its synonym, or else to a broader concept.
    Raises DataError where MRCONSO.RRF is missing, and naming the line of a row with too few columns.
    """
    return read_rrf(path, Layout("MR", "UMLS", _rank, (7, 0, 5)), options)


def _rank(atom: Atom) -> int:
    """The preferred form of the preferred term first (TS = P, STT = PF, ISPREF = Y), as the Metathesaurus ranks them."""
    return 4 * (atom.status != "P") + 2 * (atom.string != "PF") + (atom.preferred != "Y")

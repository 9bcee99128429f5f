"""A small terminology, compiled and indexed once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from linnet.link.indexing import build_indexes
from linnet.terminology import write_terminology
from linnet.types import Concept

CONCEPTS = (
    Concept("T:1", "Ataxia Telangiectasia", ("Louis-Bar syndrome",), ("Disease",), "A rare disease."),
    Concept("T:2", "Breast Neoplasms", ("breast cancer",), ("Disease",), parents=("T:9",)),
    Concept("T:3", "Ovarian Neoplasms", ("ovarian cancer",), ("Disease",), parents=("T:9",)),
    Concept("T:4", "Gout", ("podagra",), ("Disease",), xrefs=("DOID:13189",), sources=("A",)),
    Concept("T:5", "Aspirin", ("acetylsalicylic acid",), ("Chemical",), sources=("B",)),
    Concept("T:6", "Common Cold", ("cold",), ("Disease",)),
    Concept("T:7", "Cold Temperature", ("cold",), ("Phenomenon",)),
    Concept("T:8", "", replaced_by=("T:4",)),
    Concept("T:9", "Neoplasms", ("tumour",), ("Disease",)),
)


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Sequence[Concept]], Path]:
    """Compiles concepts and builds the indexes that linking searches by default; returns where."""

    def compiled(concepts: Sequence[Concept]) -> Path:
        place = tmp_path_factory.mktemp("terminology") / "t"
        build_indexes(write_terminology(concepts, place, sources=[]), ("exact", "dense"))
        return place

    return compiled


@pytest.fixture(scope="session")
def terminology(compiled: Callable[[Sequence[Concept]], Path]) -> Path:
    """Eight concepts and a retired id; not to be written to."""
    return compiled(CONCEPTS)

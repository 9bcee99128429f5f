"""Small terminologies, compiled and indexed once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from linnet.link.indexing import build_indexes
from linnet.terminology import Terminology, write_terminology
from linnet.types import Concept

CONCEPTS = (
    Concept("T:1", "Ataxia Telangiectasia", ("AT", "Louis-Bar syndrome"), ("Disease",), sources=("A",)),
    Concept("T:2", "Breast Neoplasms", ("breast cancer",), ("Disease",), sources=("A",)),
    Concept("T:3", "Ovarian Neoplasms", ("ovarian cancer",), ("Disease",), sources=("B",)),
    Concept("T:4", "Common Cold", ("cold",), ("Disease",), sources=("A",)),
    Concept("T:5", "Cold Temperature", ("cold",), ("Phenomenon",), sources=("B",)),
    Concept("T:6", "Aspirin", ("acetylsalicylic acid",), ("Chemical",), sources=("A",)),
    Concept("T:7", "Sodium", (), ("Chemical",), sources=("A",)),
    Concept("T:8", "Sjögren Syndrome", ("sicca syndrome",), ("Disease",), sources=("B",)),
)


@pytest.fixture(scope="session")
def compile_terminology(
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[Sequence[Concept]], Terminology]:
    """Compile concepts and build the indexes that linking searches by default."""

    def compile_terminology(concepts: Sequence[Concept]) -> Terminology:
        place = tmp_path_factory.mktemp("terminology") / "t"
        write_terminology(concepts, place, sources=[{"path": "invented", "format": "jsonl"}])
        build_indexes(Terminology.open(place), ("exact", "dense"))
        return Terminology.open(place)

    return compile_terminology


@pytest.fixture(scope="session")
def terminology(compile_terminology: Callable[[Sequence[Concept]], Terminology]) -> Terminology:
    """Eight concepts, two of them called "cold"; not to be written to."""
    return compile_terminology(CONCEPTS)


@pytest.fixture
def own_terminology(compile_terminology: Callable[[Sequence[Concept]], Terminology]) -> Path:
    """The same in a place of its own, to be altered."""
    return compile_terminology(CONCEPTS).path

"""A small terminology, compiled and indexed once."""

from __future__ import annotations

from pathlib import Path

import pytest

from linnet.link.indexing import build_indexes
from linnet.terminology import Terminology, write_terminology
from linnet.types import Concept

CONCEPTS = (
    Concept("T:1", "Ataxia Telangiectasia", ("AT", "Louis-Bar syndrome"), ("Disease",), sources=("A",)),
    Concept("T:2", "Aspirin", ("acetylsalicylic acid",), ("Chemical",), sources=("A",)),
)


@pytest.fixture(scope="session")
def terminology(tmp_path_factory: pytest.TempPathFactory) -> Terminology:
    """Two concepts; not to be written to."""
    place: Path = tmp_path_factory.mktemp("terminology") / "t"
    write_terminology(CONCEPTS, place, sources=[{"path": "invented", "format": "jsonl"}])
    build_indexes(Terminology.open(place), ("exact", "dense"))
    return Terminology.open(place)

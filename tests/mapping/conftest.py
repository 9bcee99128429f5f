"""A small terminology of OMOP and MeSH ids, and a mapping of a table to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from linnet.link.indexing import build_indexes
from linnet.link.linker_config import LinkerConfig
from linnet.mapping import Columns, Mapping
from linnet.terminology import write_terminology
from linnet.types import Concept

TABLE = """code,label,n,ward
A1,podagra,120,medicine
A2,breast cancer,30,surgery
A3,Podagra  ,5,medicine
A4,n/a,40,medicine
A5,"breast cancer, gout",2,surgery
A6,podagra,7,medicine
"""
COLUMNS = Columns(text="label", id="code", frequency="n", context=("ward",))
GOUT, BREAST, OVARY = "OMOP:440674", "OMOP:81251", "OMOP:200051"


def concepts() -> list[Concept]:
    return [
        Concept(GOUT, "Gout", ("podagra",), ("Condition",), sources=("SNOMED",)),
        Concept(BREAST, "Breast Neoplasms", ("breast cancer",), ("Condition",), sources=("MeSH",)),
        Concept(OVARY, "Ovarian Neoplasms", ("ovarian cancer",), ("Condition",), sources=("MeSH",)),
    ]


def written(place: Path, given: list[Concept]) -> Path:
    """A terminology with its indexes."""
    build_indexes(write_terminology(given, place, sources=[]), ("exact", "dense"))
    return place


@pytest.fixture(scope="session")
def omop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("omop") / "omop", concepts())


@pytest.fixture
def make(omop: Path, tmp_path: Path) -> Iterator[Callable[..., Mapping]]:
    """A function of a table's text that makes a mapping of it."""
    made: list[Mapping] = []

    def new(
        table: str = TABLE, columns: Columns = COLUMNS, place: str = "codes.map", **settings: Any
    ) -> Mapping:
        (tmp_path / "codes.csv").write_text(table, encoding="utf-8")
        config = LinkerConfig.of([omop], {"threads": 1})
        made.append(
            Mapping.new(tmp_path / "codes.csv", tmp_path / place, config, columns=columns, settings=settings)
        )
        return made[-1]

    yield new
    for each in made:
        each.close()


@pytest.fixture
def mapping(make: Callable[..., Mapping]) -> Mapping:
    return make()

"""Building and updating the indexes of a terminology."""

from __future__ import annotations

from pathlib import Path

import pytest

from linnet.link.indexing import build_indexes
from linnet.retrieve import dense_build
from linnet.retrieve.dense import DenseIndex
from linnet.terminology import Terminology, write_terminology
from linnet.types import Concept

CONCEPTS = [Concept(f"T:{number}", f"thing {number}") for number in range(60)]


def form(path: Path) -> str:
    return DenseIndex.open(Terminology.open(path)).form


def test_an_update_keeps_the_form_of_the_dense_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "things"
    build_indexes(write_terminology(CONCEPTS, path), ["dense"], encoder="ngram")
    assert form(path) == "flat"
    monkeypatch.setattr(dense_build, "_LARGE", 50)
    larger = write_terminology([*CONCEPTS, Concept("T:60", "another thing")], path)
    build_indexes(larger, ["dense"], encoder="ngram", update=True)
    assert form(path) == "flat"
    build_indexes(larger, ["dense"], encoder="ngram", dense="hnsw", update=True)
    assert form(path) == "hnsw"
    again = write_terminology(CONCEPTS, path)
    build_indexes(again, ["dense"], encoder="ngram", update=True)
    assert form(path) == "hnsw"


def test_a_dense_index_built_anew_has_the_form_of_its_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminology = write_terminology(CONCEPTS, tmp_path / "things")
    build_indexes(terminology, ["dense"], encoder="ngram")
    monkeypatch.setattr(dense_build, "_LARGE", 50)
    build_indexes(terminology, ["dense"], encoder="ngram", update=True)
    assert form(tmp_path / "things") == "flat"
    build_indexes(terminology, ["dense"], encoder="ngram")
    assert form(tmp_path / "things") == "ivf"

"""Features of names computed beforehand: the same features, the same links."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.advised import advises

from linnet.advice import Step
from linnet.errors import MismatchError, StoreError
from linnet.link import Linker, Pipeline
from linnet.link.indexing import build_indexes, build_name_features
from linnet.rerank import name_feature_index
from linnet.rerank.name_feature_index import NameFeatureIndex
from linnet.rerank.name_features import extract_features
from linnet.retrieve import name_chunks
from linnet.retrieve.row_file import RowFile
from linnet.terminology import Terminology, write_terminology
from linnet.types import Concept

CONCEPTS = (
    Concept("T:1", "Diabetes Mellitus, Type 1", ("type 1 diabetes",), ("Disease",), parents=("T:3",)),
    Concept("T:2", "Diabetes Mellitus, Type 2", ("type II diabetes",), ("Disease",), parents=("T:3",)),
    Concept("T:3", "Diabetes Mellitus", ("diabetes",), ("Disease",)),
    Concept("T:6", "Renal Failure, Chronic", ("chronic renal failure", "Sjögren's kidney"), ("Disease",)),
    Concept("T:7", " ".join(f"word{number}" for number in range(30)), (), ("Disease",)),
)
ASKED = ["type 2 diabetes mellitus", "failure of the kidney", "diabetis", "chronic failure", "insipidus"]


def compiled(place: Path, concepts: tuple[Concept, ...] = CONCEPTS) -> Terminology:
    write_terminology(concepts, place, sources=[])
    build_indexes(Terminology.open(place), ("exact", "dense"))
    return Terminology.open(place)


def links(*terminologies: Terminology) -> list[object]:
    linked = Linker.open(terminologies, pipeline=Pipeline(margin=1.0)).link(ASKED, k=4)
    return [(link.concepts, link.probability, tuple(link.candidates)) for link in linked]


def test_a_name_row_has_the_features_of_its_text(tmp_path: Path) -> None:
    terminology = compiled(tmp_path / "t")
    rows = np.array([3, 0, 8, 3])
    found = NameFeatureIndex.build(terminology).take(rows)
    assert np.array_equal(found, extract_features(terminology.names.take(rows)))


def test_a_large_file_is_read_a_few_rows_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(name_feature_index, "_LARGE", 1)
    terminology = compiled(tmp_path / "t")
    rows = np.array([3, 0, 8, 3])
    found = NameFeatureIndex.build(terminology)
    assert isinstance(found._records, RowFile)
    assert np.array_equal(found.take(rows), extract_features(terminology.names.take(rows)))


def test_processes_make_what_one_makes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminology = compiled(tmp_path / "t")
    rows = np.arange(len(terminology.names))
    alone = NameFeatureIndex.build(terminology, threads=1).take(rows)
    monkeypatch.setattr(name_chunks, "_WORTH_PROCESSES", 1)
    monkeypatch.setattr(name_feature_index, "_CHUNK", 4)
    seen: list[tuple[int, int]] = []
    together = NameFeatureIndex.build(
        terminology, threads=2, progress=lambda done, of: seen.append((done, of))
    )
    assert np.array_equal(together.take(rows), alone)
    assert seen == [(4, 10), (8, 10), (10, 10)]


def test_links_do_not_depend_on_it(tmp_path: Path) -> None:
    terminology = compiled(tmp_path / "t")
    without = links(terminology)
    build_name_features(terminology, Pipeline())
    assert links(terminology) == without


def test_links_to_several_terminologies_do_not_depend_on_it(tmp_path: Path) -> None:
    first, second = compiled(tmp_path / "a", CONCEPTS[:2]), compiled(tmp_path / "b", CONCEPTS[2:])
    without = links(first, second)
    build_name_features(first, Pipeline())
    assert links(first, second) == without  # one has them, the other has not
    build_name_features(second, Pipeline())
    assert links(first, second) == without


def test_links_do_not_need_a_dense_index_for_it(tmp_path: Path) -> None:
    terminology = compiled(tmp_path / "t")
    build_indexes(terminology, ("sparse",))
    pipeline = Pipeline(retrievers=("exact", "sparse"), margin=1.0)
    without = Linker.open([terminology], pipeline=pipeline).link(ASKED)
    build_name_features(terminology, pipeline)
    assert Linker.open([terminology], pipeline=pipeline).link(ASKED) == without


def test_it_is_built_for_a_reranker_that_compares_names_and_only_when_out_of_date(tmp_path: Path) -> None:
    terminology = compiled(tmp_path / "t")
    started: list[str] = []
    build_name_features(terminology, Pipeline(reranker=None), started=started.append)
    assert started == []
    for _ in range(2):
        build_name_features(terminology, Pipeline(), update=True, started=started.append)
    assert started == ["parts"]


def test_that_of_another_content_is_not_used(tmp_path: Path) -> None:
    terminology = compiled(tmp_path / "t")
    NameFeatureIndex.build(terminology)
    write_terminology(CONCEPTS[:3], tmp_path / "u", sources=[])
    other = Terminology.open(tmp_path / "u")
    (terminology.path / "index").rename(other.path / "index")
    with pytest.raises(MismatchError, match="other content"):
        NameFeatureIndex.open(other)
    assert NameFeatureIndex.open_current(other) is None


def test_where_there_is_none_the_message_says_what_builds_it(tmp_path: Path) -> None:
    with pytest.raises(StoreError, check=advises(Step.BUILD_INDEX, update=True)):
        NameFeatureIndex.open(compiled(tmp_path / "t"))


def test_those_taken_apart_by_another_version_are_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminology = compiled(tmp_path / "t")
    NameFeatureIndex.build(terminology)
    monkeypatch.setattr(NameFeatureIndex, "version", NameFeatureIndex.version + 1)
    with pytest.raises(MismatchError, match="version 1, now 2", check=advises(Step.BUILD_INDEX, update=True)):
        NameFeatureIndex.open(terminology)
    assert NameFeatureIndex.open_current(terminology) is None

"""Compiling concepts: uniting duplicates, following retired ids, counting, and never leaving half a store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from linnet.errors import DataError, StoreError
from linnet.terminology import Terminology, staging, write_terminology
from linnet.terminology.staging import union
from linnet.types import Concept


def test_concepts_of_one_id_are_united(tmp_path: Path) -> None:
    given = [
        Concept("X:1", "cold", ("catarrh",), ("T1",), "", ("X:2",), ("Y:1",), ("S1",)),
        Concept("X:2", "disease"),
        Concept("X:1", "common cold", ("cold",), ("T2",), "d", ("X:3",), ("Y:1", "Y:2"), ("S2",)),
        Concept("X:3", "virosis"),
    ]
    expected = Concept(
        "X:1", "cold", ("catarrh", "common cold"), ("T1", "T2"), "d", ("X:2", "X:3"), ("Y:1", "Y:2"), ("S1", "S2")
    )  # fmt: skip
    assert write_terminology(given, tmp_path / "store").concept(0) == expected


def test_a_name_wins_over_being_retired() -> None:
    live, retired = Concept("X:1", "cold"), Concept("X:1", "", replaced_by=("X:2",))
    assert union(live, retired) == union(retired, live) == live


def test_names_that_differ_only_in_case_dashes_or_spaces_are_kept_once(tmp_path: Path) -> None:
    store = write_terminology(
        [Concept("X:1", "Type-2  diabetes", ("type-2 DIABETES", "type‐2 diabetes", " ", "NIDDM"))], tmp_path / "store"
    )  # fmt: skip
    assert store.concept(0).all_names == ("Type-2 diabetes", "NIDDM")


def test_retired_ids_are_followed_to_the_end_and_loops_lead_nowhere(tmp_path: Path) -> None:
    given = [
        Concept("X:1", "cold"),
        Concept("X:2", "", replaced_by=("X:3", "X:9")),
        Concept("X:3", "", replaced_by=("X:1",)),
        Concept("X:4", "", replaced_by=("X:5",)),
        Concept("X:5", "", replaced_by=("X:4",)),
    ]
    store = write_terminology(given, tmp_path / "store")
    assert [store.resolve(f"X:{number}") for number in (2, 3, 4, 5)] == [("X:1",), ("X:1",), (), ()]


def test_what_was_found_and_dropped_is_counted(tmp_path: Path) -> None:
    given = [
        Concept("X:1", "cold", ("Chill",), parents=("X:2", "X:7"), definition="d", xrefs=("Y:1",)),
        Concept("X:2", "chill", parents=("X:2",)),
        Concept("X:3", "", replaced_by=("X:1",)),
        Concept("X:4", "", replaced_by=("X:5",)),
        Concept("X:5", "", replaced_by=("X:4",)),
        Concept("X:6", " ", ()),
    ]
    assert write_terminology(given, tmp_path / "store").manifest["counts"] == {
        "concepts": 2,
        "names": 3,
        "homonyms": 1,
        "definitions": 1,
        "parents": 1,
        "in_cycles": 0,
        "concepts_with_parents": 1,
        "parents_missing": 1,
        "xrefs": 1,
        "aliases": 1,
        "aliases_lost": 2,
        "nameless": 1,
    }


def test_sources_and_pipeline_are_kept(tmp_path: Path) -> None:
    write_terminology(
        [Concept("X:1", "cold")],
        tmp_path / "store",
        sources=[{"path": "x.obo", "licence": "CC0"}],
        pipeline={"retrievers": ["exact"]},
    )
    store = Terminology.open(tmp_path / "store")
    assert store.manifest["sources"] == [{"path": "x.obo", "licence": "CC0"}]
    assert store.pipeline == {"retrievers": ["exact"]}


def test_overrides_and_indexes_outlive_a_rebuild(tmp_path: Path) -> None:
    path = tmp_path / "store"
    write_terminology([Concept("X:1", "cold")], path)
    (path / "overrides.tsv").write_text("mine")
    (path / "index/exact").mkdir(parents=True)
    (path / "index/exact/index.json").write_text("old")
    (path / "index/.dense.work").mkdir()
    write_terminology([Concept("X:1", "catarrh")], path)
    assert (path / "overrides.tsv").read_text() == "mine"
    assert (path / "index/exact/index.json").read_text() == "old"
    assert not (path / "index/.dense.work").exists()


@pytest.mark.parametrize("given", [[], [Concept("X:1", "", replaced_by=("X:2",))], [Concept("X:1", "")]])
def test_nothing_with_a_name_is_refused(tmp_path: Path, given: list[Concept]) -> None:
    with pytest.raises(DataError, match="no concept has a name"):
        write_terminology(given, tmp_path / "store")
    assert list(tmp_path.iterdir()) == []


def test_another_directory_or_file_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis/chapter1.txt").write_text("precious")
    for place in ("thesis", "thesis/chapter1.txt"):
        with pytest.raises(StoreError, match="is not a terminology"):
            write_terminology([Concept("X:1", "cold")], tmp_path / place)
    assert (tmp_path / "thesis/chapter1.txt").read_text() == "precious"


def test_an_empty_directory_may_be_filled(tmp_path: Path) -> None:
    assert len(write_terminology([Concept("X:1", "cold")], tmp_path)) == 1


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_whatever_stops_the_source_leaves_the_old_store(
    tmp_path: Path, error: type[BaseException] | BaseException
) -> None:
    store = write_terminology([Concept("X:1", "cold")], tmp_path / "store")

    def broken() -> Iterator[Concept]:
        yield Concept("X:2", "flu")
        raise error

    with pytest.raises((KeyboardInterrupt, OSError)):
        write_terminology(broken(), tmp_path / "store")
    assert Terminology.open(tmp_path / "store", verify=True).digest == store.digest
    assert [file.name for file in tmp_path.iterdir()] == ["store"]


def test_concepts_come_out_the_same_whatever_their_order_and_however_many_are_put_aside_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = Random(0)
    ids = [f"{prefix}:{number}" for prefix in ("X", "é", "A-b") for number in range(60)]
    given = [
        Concept(
            id,
            rng.choice(("cold", "Flu", "ζ-thalassaemia")) if number % 4 else "",
            tuple(rng.sample(("common cold", "COLD", "ébola", "gout"), 2)),
            types=tuple(rng.sample(("T1", "T2", "b"), 2)),
            parents=tuple(rng.sample(ids, 2)),
            xrefs=("Y:1", "Y:1"),
            replaced_by=tuple(rng.sample(ids, 2)) if number % 4 == 0 else (),
        )
        for number, id in enumerate(ids)
    ]
    whole = write_terminology(given, tmp_path / "whole")
    monkeypatch.setattr(staging, "_CHUNK", 7)
    rng.shuffle(given)
    parts = write_terminology(given, tmp_path / "parts")
    assert parts.digest == whole.digest
    assert parts.manifest == whole.manifest
    rows = {concept.id: concept for concept in given}
    for row in range(len(whole)):
        concept, source = whole.concept(row), rows[whole.ids[row]]
        assert concept.name == source.name
        assert concept.types == tuple(sorted(source.types))
        assert set(concept.parents) == {id for id in source.parents if rows[id].name and id != source.id}
        assert concept.xrefs == ("Y:1", "Y:1")
        assert all(row in whole.children(parent) for parent in whole.parents(row))


def test_a_name_of_nothing_but_spaces_is_no_name(tmp_path: Path) -> None:
    store = write_terminology([Concept("X:1", "cold"), Concept("X:2", " ", (" ",))], tmp_path / "store")
    assert [concept.id for concept in store] == ["X:1"]


def test_a_disk_that_fills_up_while_concepts_come_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pyarrow.ipc.RecordBatchFileWriter.write_batch", full)
    with pytest.raises(StoreError, match="No space left"):
        write_terminology([Concept("X:1", "cold")], tmp_path / "store")
    assert not list(tmp_path.iterdir())


def test_concepts_of_one_id_that_share_no_name_are_told_with_an_example(tmp_path: Path) -> None:
    notes: list[str] = []
    given = [
        Concept("1", "Asthma", ("bronchial asthma",)),
        Concept("2", "Gout"),
        Concept("1", "Aspirin"),
        Concept("1", "ASTHMA"),
        Concept("2", "podagra", ("GOUT",)),
        Concept("2", "", parents=("1",)),
    ]
    store = write_terminology(given, tmp_path / "t", notice=notes.append)
    [note] = notes
    assert note.startswith(
        "under 1 id, several files have concepts without a common name, e.g. 1: 'Asthma' and 'Aspirin'. Each"
    )
    assert "with a prefix of its own" in note
    assert store["1"].names == ("bronchial asthma", "Aspirin")

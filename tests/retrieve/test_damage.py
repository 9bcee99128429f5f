"""Whatever happens to a file of a store: it is told, with what to do, or makes no difference; never does Python crash."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.advised import advises

from linnet import samples
from linnet.advice import Step
from linnet.errors import DamagedError, StoreError
from linnet.io import artifact
from linnet.link.indexing import build_indexes
from linnet.rerank.name_feature_index import NameFeatureIndex
from linnet.retrieve import build_retriever, open_retriever
from linnet.retrieve.index import HasVectors
from linnet.retrieve.spelling import Spelling
from linnet.terminology import Terminology, write_terminology
from linnet.terminology.search import SearchIndex
from linnet.types import Concept

CHILD = Path(__file__).with_name("damaged_store.py")
NEXT = re.compile(r"Build it|Build what is outdated|Find the file: ")


class Crashed(Exception):
    """The process that read the damaged file ended."""


class Reader:
    """The process that damages files and reads them."""

    def __init__(self, store: Path, copy: Path) -> None:
        shutil.copytree(store, copy)
        command = [sys.executable, "-X", "faulthandler", str(CHILD), str(store), str(copy)]
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, mode: str, name: str, kind: str, seed: int) -> str:
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.write(f"{mode} {name} {kind} {seed}\n")
        self._child.stdin.flush()
        answer = self._child.stdout.readline().rstrip("\n")
        if not answer:
            raise Crashed(f"{name} {kind} {seed} ended the process with {self._child.wait()}")
        return answer

    def close(self) -> None:
        self._child.communicate(timeout=60)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with all kinds of indexes; bit by bit nothing in it is too small to have ends."""
    end, artifact._END = artifact._END, 256
    try:
        place = tmp_path_factory.mktemp("damage") / "store"
        concepts = [Concept("MESH:OLD", "", replaced_by=("MESH:D003924",)), *list(samples.concepts())[:250]]
        terminology = write_terminology(concepts, place)
        build_indexes(terminology, ["exact", "sparse", "bm25", "dense"], threads=1)
        for form in ("hnsw", "ivf"):
            build_retriever(terminology, "dense", name=form, form=form, threads=1)
        SearchIndex.build(terminology)
        NameFeatureIndex.build(terminology, threads=1)
        return place
    finally:
        artifact._END = end


@pytest.fixture(scope="module")
def reader(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    made = Reader(store, tmp_path_factory.mktemp("copy") / "store")
    yield made
    made.close()


def _files(store: Path) -> list[str]:
    return [file.relative_to(store).as_posix() for file in sorted(store.rglob("*")) if file.is_file()]


def _told(outcome: str) -> bool:
    classes, _, message = outcome.partition(" ")
    return "LinnetError" in classes.split(",") and NEXT.search(message) is not None


def test_damage_to_any_file_is_told_with_what_to_do_or_changes_nothing(store: Path, reader: Reader) -> None:
    cases = [
        (name, kind, seed) for seed, name in enumerate(_files(store)) for kind in ("flip", "cut", "extend")
    ]
    cases += [(name, "flip", seed) for name in _files(store) if name.endswith(".json") for seed in range(20)]
    outcomes = {case: reader.ask("usual", *case) for case in cases}
    wrong = {case: said for case, said in outcomes.items() if said != "same" and not _told(said)}
    assert wrong == {}
    assert sum(said == "same" for said in outcomes.values()) < 0.1 * len(outcomes)


def test_damage_inside_files_too_large_to_be_compared_never_ends_python(store: Path, reader: Reader) -> None:
    cases = [
        (name, kind, seed)
        for name in _files(store)
        for kind in ("flip", "overwrite")
        for seed in range(3)
        if (store / name).stat().st_size > 2 * 256
    ]
    outcomes = {case: reader.ask("large", *case) for case in cases}
    wrong = {
        case: said for case, said in outcomes.items() if said not in ("same", "different") and not _told(said)
    }
    assert wrong == {}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("bm25/forms.concepts.npy", (-1, 2**31 - 1)),
        ("bm25/forms.names.npy", (-1, 2**31 - 1)),
        ("dense/forms.names.npy", (-1, 2**31 - 1)),
        ("sparse/forms.concepts.npy", (-1, 2**31 - 1)),
        ("sparse/char/postings.columns.npy", (-1, 2**31 - 1)),
        ("sparse/char/vectors.ids.npy", (-1, 2**31 - 1)),
        ("sparse/char/vectors.lengths.npy", (np.nan, np.inf, 0, -1, 1e-30)),
        ("spelling/forms.words.npy", (-1, 2**31 - 1)),
    ],
)
def test_values_out_of_range_name_the_file_and_the_command_that_builds_it(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, values: Sequence[float]
) -> None:
    place = tmp_path / "store"
    shutil.copytree(store, place)
    monkeypatch.setattr(artifact, "check", lambda *_, **__: None)  # the files are too large for it
    file, part = place / "index" / name, name.partition("/")[0]
    told = f"^{re.escape(str(file))} is damaged: values out of range."
    facts = {"terminology": place} if part == "spelling" else {"terminology": place, "retrievers": [part]}
    for value in values:
        np.save(file, np.full_like(np.load(file), value))
        with pytest.raises(DamagedError, match=told) as damage:
            _read(place, part)
        assert damage.value.advice == (Step.BUILD_INDEX(**facts),)


def _read(place: Path, part: str) -> None:
    terminology = Terminology.open(place)
    if part == "spelling":
        Spelling.open(terminology).near("diabtes")
        return
    index = open_retriever(terminology, part)
    index.search(["heart attack"], k=5)
    if isinstance(index, HasVectors):
        index.name_vectors(np.arange(3))


def test_verifying_finds_what_opening_a_large_file_does_not(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(store, tmp_path / "store")
    monkeypatch.setattr(artifact, "_CHECKED_ON_OPEN", 0)
    monkeypatch.setattr(artifact, "_END", 256)
    file = tmp_path / "store/names.arrow"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    Terminology.open(tmp_path / "store")
    with pytest.raises(DamagedError, match=r"names.arrow was altered", check=advises(Step.BUILD_TERMINOLOGY)):
        Terminology.open(tmp_path / "store", verify=True)


@pytest.mark.skipif(
    not hasattr(os, "fork"), reason="POSIX keeps what is mapped; other systems refuse to delete it"
)
def test_a_store_that_vanishes_while_it_is_open_goes_on_being_searched(store: Path, tmp_path: Path) -> None:
    shutil.copytree(store, tmp_path / "store")
    terminology = Terminology.open(tmp_path / "store")
    exact = open_retriever(terminology, "exact")
    before = exact.search(["copd"], k=3).names.tolist()
    shutil.rmtree(tmp_path / "store")
    assert exact.search(["copd"], k=3).names.tolist() == before
    with pytest.raises(StoreError, match="no such directory", check=advises(Step.BUILD_TERMINOLOGY)):
        Terminology.open(tmp_path / "store")
    assert terminology.definition(0) == Terminology.open(store).definition(
        0
    )  # not looked at before, but mapped


def test_an_index_that_cannot_be_written_is_told_and_what_is_there_stays(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(store, tmp_path / "store")
    terminology = Terminology.open(tmp_path / "store")

    def refused(*_: object, **__: object) -> str:
        raise PermissionError(13, "Permission denied")

    # Root may write everywhere, so the refusal is the system call's.
    monkeypatch.setattr("tempfile.mkdtemp", refused)
    with pytest.raises(StoreError, match=r"index/exact: cannot be written: Permission denied"):
        build_retriever(terminology, "exact")
    monkeypatch.undo()
    assert open_retriever(terminology, "exact").search(["copd"], k=1).concepts[0, 0] >= 0

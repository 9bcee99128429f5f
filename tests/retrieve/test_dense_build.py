"""Building dense indexes: killed and gone on with, carried over from an older release, replaced while in use."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pytest
from tests.advised import advises

from linnet.advice import Step
from linnet.errors import DamagedError, StoreError
from linnet.link.indexing import build_indexes
from linnet.retrieve import build_checkpoint, dense_build, name_forms, open_retriever
from linnet.retrieve.dense import DenseIndex
from linnet.terminology import Terminology, write_terminology
from linnet.types import Concept

CONCEPTS = [Concept(f"X:{i:04}", f"thing {i}", (f"kind of {i}",)) for i in range(600)]


class Counting:
    """Vectors drawn from a hash of the text; counts what it is asked for, and stops after so many texts."""

    name, dimensions = "fake", 12

    def __init__(self, *, stop: int = 10**9, salt: str = "") -> None:
        self.digest, self.stop, self.encoded = f"fake-{salt}", stop, 0

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        self.encoded += len(texts)
        if self.encoded > self.stop:
            raise KeyboardInterrupt
        rows = [np.frombuffer(blake2b((self.digest + text).encode()).digest(), np.int32) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(-1, 16)[:, :12] / 2**31


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(name_forms, "_CHUNK", 100)
    monkeypatch.setattr(build_checkpoint, "_INTERVAL", 0.0)


@pytest.fixture
def terminology(tmp_path: Path) -> Terminology:
    return write_terminology(CONCEPTS, tmp_path / "t")


def files(terminology: Terminology, name: str = "dense") -> dict[str, bytes]:
    home = terminology.path / "index" / name
    return {
        file.relative_to(home).as_posix(): file.read_bytes() for file in home.rglob("*") if file.is_file()
    }


def indexes(terminology: Terminology) -> list[str]:
    return sorted(file.name for file in (terminology.path / "index").iterdir())


@pytest.mark.parametrize("form", ["flat", "hnsw", "ivf"])
@pytest.mark.parametrize("metric", ["cosine", "inner"])
def test_a_build_that_was_killed_goes_on_where_it_was(
    terminology: Terminology, form: str, metric: str
) -> None:
    DenseIndex.build(terminology, name="whole", encoder=Counting(), form=form, metric=metric)
    # Whoever searches inner products looks at all vectors once before to find the longest.
    before = 1200 if metric == "inner" else 0
    with pytest.raises(KeyboardInterrupt):
        DenseIndex.build(terminology, encoder=Counting(stop=before + 750), form=form, metric=metric)
    assert indexes(terminology) == [".dense.work", "whole"]
    with pytest.raises(StoreError, check=advises(Step.BUILD_INDEX)):
        open_retriever(terminology, "dense")
    rest = Counting()
    DenseIndex.build(terminology, encoder=rest, form=form, metric=metric)
    assert rest.encoded == before + 500
    assert indexes(terminology) == ["dense", "whole"]
    assert files(terminology) == files(terminology, "whole")


def test_work_on_anything_else_is_thrown_away(terminology: Terminology) -> None:
    with pytest.raises(KeyboardInterrupt):
        DenseIndex.build(terminology, encoder=Counting(stop=750))
    other = Counting(salt="retrained")
    DenseIndex.build(terminology, encoder=other)
    assert other.encoded == 1200
    assert indexes(terminology) == ["dense"]


def test_an_old_index_stays_while_the_new_one_is_not_complete(terminology: Terminology) -> None:
    DenseIndex.build(terminology, encoder=Counting(), form="ivf")
    before = files(terminology)
    with pytest.raises(KeyboardInterrupt):
        DenseIndex.build(terminology, encoder=Counting(salt="new", stop=750), form="ivf")
    assert files(terminology) == before


@pytest.mark.parametrize(
    ("code", "said"), [(errno.ENOSPC, "Finished work is kept: free some space"), (errno.EROFS, "writable")]
)
def test_a_disk_that_refuses_is_told_and_the_build_goes_on(
    terminology: Terminology, monkeypatch: pytest.MonkeyPatch, code: int, said: str
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr(build_checkpoint.BuildCheckpoint, "record", refuse)
        with pytest.raises(StoreError, match=said):
            DenseIndex.build(terminology, encoder=Counting())
    DenseIndex.build(terminology, encoder=Counting())
    assert indexes(terminology) == ["dense"]


def test_two_processes_do_not_build_the_same_index(terminology: Terminology) -> None:
    place = terminology.path / "index" / ".dense.work"
    place.mkdir(parents=True)
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(StoreError, match="being built by another process"):
            DenseIndex.build(terminology, encoder=Counting())
    DenseIndex.build(terminology, encoder=Counting())


@pytest.mark.parametrize("form", ["flat", "hnsw", "ivf"])
def test_an_update_encodes_what_is_new_and_equals_a_rebuild(terminology: Terminology, form: str) -> None:
    DenseIndex.build(terminology, encoder=Counting(), form=form)
    changed = [
        *CONCEPTS[:100],
        Concept("X:0100", "something else"),
        *CONCEPTS[105:],
        Concept("X:0050.5", "new", ("kind of 7", "Thing 101")),
    ]
    newer = write_terminology(changed, terminology.path)
    encoder = Counting()
    build_indexes(newer, ["dense"], encoder=encoder, dense=form, update=True)  # type: ignore[arg-type]
    assert encoder.encoded == 2
    updated = files(newer)
    DenseIndex.build(newer, encoder=Counting(), form=form)
    assert files(newer) == updated
    build_indexes(newer, ["dense"], encoder=encoder, dense=form, update=True)  # type: ignore[arg-type]
    assert encoder.encoded == 2


def test_vectors_are_carried_over_from_an_older_release_elsewhere(
    terminology: Terminology, tmp_path: Path
) -> None:
    DenseIndex.build(terminology, encoder=Counting())
    newer = write_terminology([*CONCEPTS[50:], Concept("Y", "new")], tmp_path / "new")
    encoder = Counting()
    build_indexes(newer, ["dense"], encoder=encoder, since=terminology.path)  # type: ignore[arg-type]
    assert encoder.encoded == 1
    updated = files(newer)
    DenseIndex.build(newer, encoder=Counting())
    assert files(newer) == updated


@pytest.mark.parametrize(("salt", "metric"), [("new", "cosine"), ("", "inner")])
def test_vectors_that_would_be_others_are_not_carried_over(
    terminology: Terminology, salt: str, metric: str
) -> None:
    DenseIndex.build(terminology, encoder=Counting(), metric=metric)
    encoder = Counting(salt=salt)
    older = terminology.path / "index" / "dense"
    DenseIndex.build(terminology, name="new", encoder=encoder, metric=metric, reuse_from=older)
    assert encoder.encoded >= 1200


@pytest.mark.parametrize(("old", "new"), [("flat", "ivf"), ("ivf", "flat")])
def test_vectors_are_carried_over_from_an_index_of_another_form(
    terminology: Terminology, old: str, new: str
) -> None:
    DenseIndex.build(terminology, encoder=Counting(), form=old)
    encoder = Counting()
    older = terminology.path / "index" / "dense"
    DenseIndex.build(terminology, name="carried", encoder=encoder, form=new, reuse_from=older)
    DenseIndex.build(terminology, name="anew", encoder=Counting(), form=new)
    assert encoder.encoded == 0
    assert files(terminology, "carried") == files(terminology, "anew")


def test_an_index_in_use_answers_on_after_it_was_replaced(terminology: Terminology) -> None:
    index = DenseIndex.build(terminology, encoder=Counting(), form="ivf")
    before = index.search(["thing 17", "kind of 5"], k=20)
    DenseIndex.build(terminology, encoder=Counting(salt="retrained"), form="ivf")
    after = index.search(["thing 17", "kind of 5"], k=20)
    assert (after.concepts == before.concepts).all()
    assert (after.scores == before.scores).all()


def test_the_form_is_chosen_by_size(terminology: Terminology, monkeypatch: pytest.MonkeyPatch) -> None:
    assert DenseIndex.build(terminology, encoder=Counting()).form == "flat"
    monkeypatch.setattr(dense_build, "_LARGE", 1000)
    assert DenseIndex.build(terminology, encoder=Counting()).form == "ivf"
    assert DenseIndex.build(terminology, encoder=Counting(), form="flat").form == "flat"


def test_several_processes_encode_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = write_terminology(CONCEPTS[:150], tmp_path / "t")
    DenseIndex.build(store, name="one", encoder="ngram", threads=1)
    monkeypatch.setattr(dense_build, "_WORTH_PROCESSES", 10)
    DenseIndex.build(store, name="two", encoder="ngram", threads=2)
    assert files(store, "one") == files(store, "two")


def test_progress_is_told(terminology: Terminology) -> None:
    told: list[tuple[str, int, int]] = []
    DenseIndex.build(terminology, encoder=Counting(), form="ivf", progress=lambda *step: told.append(step))
    assert {what for what, _, _ in told} >= {"encoding", "assigning to lists", "writing lists"}
    assert all(done <= total for _, done, total in told)


def test_rows_that_are_not_there_are_refused(terminology: Terminology) -> None:
    index = DenseIndex.build(terminology, encoder=Counting(), form="ivf")
    file = terminology.path / "index" / "dense" / "lists.bin"
    raw = file.read_bytes()
    with file.open("r+b") as stream:  # in place: the index has it mapped
        stream.write(b"\x7f" * len(raw))
    with pytest.raises(DamagedError, check=advises(Step.BUILD_INDEX, form="ivf")):
        index.search(["thing 17"], k=5)

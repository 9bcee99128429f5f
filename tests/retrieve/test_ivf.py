"""What the lists are made of: centres, codes and rows of bytes, against plain arithmetic."""

from __future__ import annotations

from pathlib import Path

import faiss
import numpy as np
import pytest
from tests.advised import advises

from linnet.advice import Step
from linnet.encode import unit
from linnet.errors import DamagedError
from linnet.retrieve import ivf
from linnet.retrieve.build_checkpoint import open_checkpoint
from linnet.retrieve.centroids import NearCentres, TextCentres, centres_as_bytes, nearest_lists
from linnet.retrieve.fixed_point import ONE, to_fixed_point
from linnet.retrieve.ivf import Lists
from linnet.retrieve.ivf_build import write_lists
from linnet.retrieve.kmeans import nearest_centres, spherical_kmeans
from linnet.retrieve.product_codes import BLOCK, code_book, codes, open_book, packed
from linnet.retrieve.vector_file import VectorFile

RNG = np.random.default_rng(5)


def gathered(points: int, *, around: int = 40, dimensions: int = 24) -> np.ndarray:
    """Unit vectors around some directions."""
    middle = RNG.normal(size=(around, dimensions))
    return unit(
        (middle[RNG.integers(around, size=points)] + 0.4 * RNG.normal(size=(points, dimensions))).astype("f4")
    )


def written(path: Path, vectors: np.ndarray, *, threads: int = 2) -> tuple[Lists, np.ndarray]:
    """Lists over these vectors, and which vector each row is."""
    with open_checkpoint(path) as work:
        work.begin({})
        order = write_lists(work, to_fixed_point(vectors), threads=threads, advanced=lambda *_: None)
        path.mkdir()
        work.move(path)
    return Lists(path, VectorFile(path / "vectors.npy"), rebuild=Step.MODEL_AGAIN()), order


@pytest.mark.parametrize("count", [1, 3, 60])
def test_centres_are_where_points_gather(count: int) -> None:
    points = gathered(3000, around=count)
    centres = spherical_kmeans(points, count, threads=2)
    assert centres.shape == (count, 24)
    np.testing.assert_allclose(np.linalg.norm(centres, axis=1), 1, atol=1e-5)
    near = (points @ centres.T).max(axis=1)
    assert near.mean() > 0.85
    assert (centres == spherical_kmeans(points, count, threads=1)).all()


def test_the_nearest_centre_is_the_nearest() -> None:
    points, centres = gathered(10_000), gathered(50)
    assert (nearest_centres(points, centres, threads=3) == (points @ centres.T).argmax(axis=1)).mean() > 0.999


@pytest.mark.parametrize("dimensions", [6, 33, 128])
def test_codes_lie_as_faiss_looks_them_up(dimensions: int) -> None:
    points = RNG.normal(size=(10 * BLOCK, dimensions)).astype(np.float32)
    book = open_book(code_book(points))
    even = np.pad(points, ((0, 0), (0, dimensions % 2)))
    index = faiss.IndexPQFastScan(book.d, book.M, 4, faiss.METRIC_INNER_PRODUCT, BLOCK)
    index.pq, index.is_trained = book, True
    index.add(even)
    ours = packed(codes(book, points))
    assert (ours == faiss.rev_swig_ptr(index.codes.get(), len(ours))).all()


def test_most_of_the_nearest_centres_are_found() -> None:
    centres, rows = gathered(900), gathered(200)
    near, found = NearCentres(centres, threads=2).nearest(rows, 30)
    products = rows @ centres.T
    np.testing.assert_allclose(near, np.take_along_axis(products, found, axis=1), atol=1e-5)
    assert (np.diff(near, axis=1) <= 0).all()
    best = np.argsort(-products, axis=1)[:, :30]
    shared = [len(set(a) & set(b)) for a, b in zip(found.tolist(), best.tolist(), strict=True)]
    assert np.mean(shared) > 27


@pytest.mark.parametrize("dimensions", [2, 24, 768])
def test_centres_are_as_near_to_a_text_alone_as_among_others(dimensions: int) -> None:
    centres, texts = gathered(300, dimensions=dimensions), to_fixed_point(gathered(65, dimensions=dimensions))
    known = TextCentres(centres_as_bytes(centres))
    near = known.near(texts)
    assert (near == np.rint(near)).all()
    assert np.abs(near).max() < 2**24
    assert all((known.near(text[None]) == row).all() for text, row in zip(texts, near, strict=True))
    assert np.corrcoef(near.ravel(), (texts.astype(float) @ centres.T).ravel())[0, 1] > 0.999


@pytest.mark.parametrize(
    ("least", "most"), [(1, 1), (1, 10**9), (900, 2000), (12_000, 12_000), (10**9, 10**9)]
)
def test_the_nearest_lists_are_chosen_that_hold_enough_and_not_too_much(least: int, most: int) -> None:
    near = RNG.integers(-9999, 9999, size=(40, 5000)).astype(np.float32)
    near[:, 7] = near[:, 8]
    sizes = RNG.integers(0, 30, size=5000)
    for row, numbers in zip(
        near, nearest_lists(near, sizes, reach=0.46, least=least, most=most), strict=True
    ):
        lists = numbers[numbers >= 0]
        assert (numbers[len(lists) :] == -1).all()
        order = np.argsort(-row, kind="stable")
        assert lists.tolist() == sorted(order[: len(lists)].tolist())
        held = np.cumsum(sizes[order[: len(lists)]])
        assert held[-1] >= min(least, sizes.sum())
        assert len(lists) == 1 or held[-2] <= most


def test_a_text_with_a_few_lists_far_nearer_than_others_looks_through_fewer() -> None:
    crowd, nothing = RNG.normal(0, 100, size=(2, 5000)).astype(np.float32)
    crowd[:60] += 2000
    chosen = nearest_lists(np.rint([crowd, nothing]), np.ones(5000, np.int64), reach=0.46, least=1, most=5000)
    assert (chosen[0] >= 0).sum() == 60
    assert 200 < (chosen[1] >= 0).sum() < 1000


def test_lists_are_measured_by_the_few_nearest_not_by_all_that_are_rather_near() -> None:
    near = RNG.normal(0, 100, size=(1, 5000)).astype(np.float32)
    near[:, :10] += 2000
    near[:, 10:110] += 800
    chosen = nearest_lists(np.rint(near), np.ones(5000, np.int64), reach=0.46, least=1, most=5000)[0]
    assert set(range(10)) <= set(chosen.tolist())
    assert len(chosen) < 50


def test_products_with_rows_of_a_file_are_exact(tmp_path: Path) -> None:
    vectors = to_fixed_point(np.concatenate([gathered(500, dimensions=128), np.zeros((1, 128), "f4")]))
    np.save(tmp_path / "vectors.npy", vectors)
    opened, queries = VectorFile(tmp_path / "vectors.npy"), to_fixed_point(gathered(20, dimensions=128))
    exact = (queries.astype(np.int64) @ vectors.T.astype(np.int64) / ONE**2).astype(np.float32)
    for query, expected in zip(queries, exact, strict=True):
        assert (opened.products(query, opened.fixed(np.arange(501))) == expected).all()
    found = opened.nearest(queries, groups=3)
    assert (opened.scores(queries, found) == exact[found.queries, found.forms]).all()


def test_each_row_lies_in_two_lists(tmp_path: Path) -> None:
    vectors = gathered(3000)
    written(tmp_path / "index", vectors)
    sizes = np.load(tmp_path / "index" / "lists.sizes.npy")
    assert sizes.sum() == 6000
    raw = np.fromfile(tmp_path / "index" / "lists.bin", np.uint8)
    padded, starts, total = ivf.layout(sizes, 6)
    assert total == len(raw)
    entries = [
        raw[start + room * 6 :][: size * 8].view(np.int64)
        for start, room, size in zip(starts, padded, sizes, strict=True)
    ]
    assert (np.bincount(np.concatenate(entries)) == 2).all()
    assert all(len(set(rows.tolist())) == len(rows) for rows in entries)


def test_texts_are_looked_up_alone_as_in_any_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ivf, "_FEWEST", 1)
    monkeypatch.setattr(ivf, "_FEWEST_TAKEN", 60)
    monkeypatch.setattr(ivf, "_CELLS", 120 * 70)
    lists, _ = written(tmp_path / "index", gathered(20_000))
    queries = to_fixed_point(gathered(300))
    allowed = np.arange(20_000) % 3 > 0
    for mask in (None, allowed):
        together = lists.nearest(queries, count=20, allowed=mask)
        alone = [lists.nearest(query[None], count=20, allowed=mask) for query in queries]
        assert (together.forms == np.concatenate([found.forms for found in alone])).all()
        assert (together.cuts == np.concatenate([found.cuts for found in alone])).all()
        assert mask is None or mask[together.forms].all()


def test_a_large_index_scans_fewer_lists_for_few_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = gathered(4000)
    lists, _ = written(tmp_path / "lists", vectors)
    queries = to_fixed_point(vectors[::100])
    monkeypatch.setattr(ivf, "_FEWEST", 1)  # no fewest entries: as large an index as any
    monkeypatch.setattr(ivf, "_LEAST", 0.001)
    few, many = (int((lists._chosen(queries, count)[0] >= 0).sum()) for count in (20, 200))
    assert few < many
    monkeypatch.setattr(ivf, "_FEWEST", 1 << 15)
    small, same = (lists._chosen(queries, count)[0] for count in (20, 200))
    assert (small == same).all()


def test_a_text_near_to_nothing_that_is_allowed_is_told_to_be_looked_for_elsewhere(tmp_path: Path) -> None:
    lists, _ = written(tmp_path / "index", gathered(3000))
    found = lists.nearest(to_fixed_point(gathered(3)), count=20, allowed=np.zeros(3000, dtype=bool))
    assert not len(found.forms)
    assert np.isposinf(found.cuts).all()


@pytest.mark.parametrize("name", ["lists.sizes.npy", "lists.factors.npy", "centres.npy", "book.npy"])
def test_lists_of_another_linnet_are_told_with_what_builds_them(tmp_path: Path, name: str) -> None:
    written(tmp_path / "index", gathered(300))
    (tmp_path / "index" / name).unlink()
    with pytest.raises(DamagedError, match=f"{name} cannot be read: ", check=advises(Step.MODEL_AGAIN)):
        Lists(tmp_path / "index", VectorFile(tmp_path / "index" / "vectors.npy"), rebuild=Step.MODEL_AGAIN())


def test_most_of_the_nearest_are_found(tmp_path: Path) -> None:
    vectors = gathered(20_000)
    lists, order = written(tmp_path / "index", vectors)
    queries = unit(vectors[::200] + 0.1 * RNG.normal(size=(100, 24)).astype(np.float32))
    found = lists.nearest(to_fixed_point(queries), count=20)
    best = np.argsort(-(queries @ vectors[order].T), axis=1)
    for few, least in ((10, 9.7), (20, 18)):
        pairs = zip(found.forms.reshape(100, 20).tolist(), best[:, :few].tolist(), strict=True)
        assert np.mean([len(set(a) & set(b)) for a, b in pairs]) > least

"""What the lists are made of: centres, codes and rows of bytes, against plain arithmetic."""

from __future__ import annotations

from pathlib import Path

import faiss
import numpy as np
import pytest

from linnet.encode import unit
from linnet.retrieve import byte_vectors, ivf
from linnet.retrieve.byte_vectors import ByteVectors, to_bytes
from linnet.retrieve.fixed_point import ONE, to_fixed_point
from linnet.retrieve.ivf import Lists
from linnet.retrieve.ivf_build import write_lists
from linnet.retrieve.kmeans import nearest_centres, spherical_kmeans
from linnet.retrieve.product_codes import BLOCK, code_book, codes, open_book, packed
from linnet.retrieve.work import working

RNG = np.random.default_rng(5)


def gathered(points: int, *, around: int = 40, dimensions: int = 24) -> np.ndarray:
    """Unit vectors around some directions."""
    middle = RNG.normal(size=(around, dimensions))
    return unit(
        (middle[RNG.integers(around, size=points)] + 0.4 * RNG.normal(size=(points, dimensions))).astype("f4")
    )


def written(path: Path, vectors: np.ndarray, *, threads: int = 2) -> tuple[Lists, np.ndarray]:
    """Lists over these vectors, and which vector each row is."""
    rows, factors = to_bytes(vectors)
    with working(path) as work:
        work.begin({})
        order = write_lists(work, rows, factors, threads=threads, advanced=lambda *_: None)
        path.mkdir()
        work.move(path)
    return Lists(path, ByteVectors(path), rebuild="again", threads=threads), order


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


def test_rows_of_bytes_are_nearly_the_vectors(tmp_path: Path) -> None:
    vectors = np.concatenate([gathered(500, dimensions=128), np.zeros((1, 128), np.float32)])
    vectors[3] *= 0.25
    rows, factors = to_bytes(vectors)
    np.testing.assert_allclose(rows * factors[:, None], vectors, atol=2e-3)
    np.testing.assert_allclose(
        np.linalg.norm(rows * factors[:, None], axis=1), np.linalg.norm(vectors, axis=1), atol=1e-6
    )
    np.save(tmp_path / "vectors.npy", rows)
    np.save(tmp_path / "factors.npy", factors)
    opened, queries = ByteVectors(tmp_path), to_fixed_point(gathered(20, dimensions=128))
    exact = queries.astype(np.int64) @ rows.T.astype(np.int64) * factors.astype(np.float64) / ONE
    for query, expected in zip(queries, exact, strict=True):
        every = np.arange(501)
        assert (opened.products(query, every, opened.read(every)) == expected.astype(np.float32)).all()
    found = opened.nearest(queries, groups=3)
    assert (opened.scores(queries, found) == exact[found.queries, found.forms].astype(np.float32)).all()


def test_rows_that_are_let_go_of_are_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(byte_vectors, "_HELD", 1)
    monkeypatch.setattr(byte_vectors, "_FEW", 100)
    rows, factors = to_bytes(gathered(4000, dimensions=128))
    np.save(tmp_path / "vectors.npy", rows)
    np.save(tmp_path / "factors.npy", factors)
    opened = ByteVectors(tmp_path)
    for some in (RNG.integers(4000, size=size) for size in (0, 1, 100, 101, 700)):
        assert (opened.fixed(some) == to_fixed_point(rows[some] * factors[some, None])).all()


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
    monkeypatch.setattr(ivf, "_FEWEST_COMPARED", 60)
    lists, _ = written(tmp_path / "index", gathered(20_000))
    queries = to_fixed_point(gathered(300))
    allowed = np.arange(20_000) % 3 > 0
    for mask in (None, allowed):
        together = lists.nearest(queries, count=20, allowed=mask)
        alone = [lists.nearest(query[None], count=20, allowed=mask) for query in queries]
        assert (together.forms == np.concatenate([found.forms for found in alone])).all()
        assert (together.cuts == np.concatenate([found.cuts for found in alone])).all()
        assert mask is None or mask[together.forms].all()


def test_most_of_the_nearest_are_found(tmp_path: Path) -> None:
    vectors = gathered(20_000)
    lists, order = written(tmp_path / "index", vectors)
    queries = unit(vectors[::200] + 0.1 * RNG.normal(size=(100, 24)).astype(np.float32))
    found = lists.nearest(to_fixed_point(queries), count=20)
    best = np.argsort(-(queries @ vectors[order].T), axis=1)[:, :20]
    shared = [
        len(set(a) & set(b))
        for a, b in zip(found.forms.reshape(100, 20).tolist(), best.tolist(), strict=True)
    ]
    assert np.mean(shared) > 19

"""The static n-gram encoder: sums recomputed plainly, files, quantisation, independence of the batch."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.encode import load_encoder, unit
from linnet.encode.features import NgramFeatures
from linnet.encode.ngram import NgramEncoder
from linnet.encode.table import QUANTISATIONS, RandomTable, StoredTable
from linnet.errors import DamagedError, MismatchError, RequestError, StoreError, UnknownNameError

NAMES = [
    "breast cancer",
    "cancer of the breast",
    "lung cancer",
    "type II diabetes",
    "heart attack",
    "β-thalassaemia",
]


def trained(quantisation: str = "float32", *, pairs: bool = True) -> NgramEncoder:
    """An encoder with an invented table."""
    rng = np.random.default_rng(1)
    table = rng.normal(size=(512, 8)).astype(np.float32)
    weights = rng.uniform(0.5, 2, 512).astype(np.float32)
    stored = StoredTable.of(table, quantisation=quantisation)
    return NgramEncoder(NgramFeatures(512, pairs=pairs), stored, weights, name="invented")


def cosines(encoder: NgramEncoder, texts: list[str]) -> np.ndarray:
    rows = unit(encoder.encode(texts))
    return rows @ rows.T


@pytest.mark.parametrize("encoder", [trained(), NgramEncoder.untrained(NAMES, buckets=512, dimensions=70)])
def test_a_vector_is_the_weighted_sum_of_its_features(encoder: NgramEncoder) -> None:
    texts = [*NAMES, "", "cancer cancer"]
    offsets, buckets, weights = encoder.features(texts)
    for i, vector in enumerate(encoder.encode(texts)):
        rows = encoder.table.rows(buckets[offsets[i] : offsets[i + 1]])
        expected = (rows * weights[offsets[i] : offsets[i + 1], None]).sum(axis=0)
        np.testing.assert_allclose(vector, expected, rtol=1e-4, atol=1e-4)


@given(st.lists(st.text(max_size=20), max_size=30), st.integers(1, 30))
def test_a_vector_does_not_depend_on_its_batch(texts: list[str], size: int) -> None:
    encoder = trained()
    parts = [encoder.encode(texts[i : i + size]) for i in range(0, len(texts), size)]
    assert (encoder.encode(texts) == np.concatenate([np.zeros((0, 8), np.float32), *parts])).all()


def test_large_batches_are_cut_without_a_trace() -> None:
    texts = [f"name {i % 700} of {i % 13}" for i in range(9000)]
    encoder = trained()
    assert (encoder.encode(texts)[5000:5100] == encoder.encode(texts[5000:5100])).all()


def test_untrained_weights_are_idf() -> None:
    encoder = NgramEncoder.untrained(["a a", "a b", "c"], buckets=2**16)
    _, _, weights = encoder.features(["a", "b", "d"])
    expected = [math.log(4 / 3)] * 2 + [math.log(4 / 2)] * 2 + [math.log(4 / 1)] * 2  # "<x>" and the word
    np.testing.assert_allclose(weights, expected, rtol=1e-3)


def test_untrained_cosines_follow_shared_rare_parts() -> None:
    encoder = NgramEncoder.untrained(NAMES)
    same, other = cosines(encoder, ["breast cancer", "cancer of the breast", "heart attack"])[0, 1:]
    assert same > 0.5 > 0.2 > abs(other)


def test_names_equal_after_simplifying_are_equal() -> None:
    a, b = trained().encode(["Type-II Diabetes", "type 2 diabetes"])
    assert (a == b).all()
    assert a.any()


@pytest.mark.parametrize("text", ["", "  ", "\n"])
def test_nothing_to_encode_is_a_row_of_zeros(text: str) -> None:
    assert not trained().encode([text]).any()
    assert trained().encode([]).shape == (0, 8)


@pytest.mark.parametrize("quantisation", QUANTISATIONS)
def test_a_model_is_the_same_after_it_was_saved(tmp_path: Path, quantisation: str) -> None:
    encoder = trained(quantisation)
    saved = encoder.save(
        tmp_path / "m", name="kept", card="# Kept\n", training={"seed": 3, "data": {"mesh": "2024"}}
    )
    loaded = load_encoder(tmp_path / "m")
    assert loaded.name == saved.name == "kept"
    assert loaded.digest == saved.digest == encoder.digest
    assert (loaded.encode(NAMES) == encoder.encode(NAMES)).all()
    assert (tmp_path / "m" / "README.md").read_text(encoding="utf-8") == "# Kept\n"


def test_a_random_table_needs_no_file_and_its_seed_matters(tmp_path: Path) -> None:
    encoder = NgramEncoder.untrained(NAMES, buckets=2**12, dimensions=64, seed=5)
    encoder.save(tmp_path / "m")
    assert (load_encoder(tmp_path / "m").encode(NAMES) == encoder.encode(NAMES)).all()
    assert (tmp_path / "m" / "weights.safetensors").stat().st_size < 3 * 2**12
    other = NgramEncoder.untrained(NAMES, buckets=2**12, dimensions=64, seed=6)
    assert other.digest != encoder.digest
    assert (other.encode(NAMES) != encoder.encode(NAMES)).any()


def test_rows_of_a_random_table_are_signs_without_correlation() -> None:
    rows = RandomTable(dimensions=256, seed=0).rows(np.arange(500))
    assert set(np.unique(rows)) == {-1.0, 1.0}
    products = rows @ rows.T / 256
    np.testing.assert_array_equal(np.diag(products), 1)
    assert np.abs(products - np.eye(500)).max() < 0.4


@pytest.mark.parametrize(("quantisation", "error"), [("float16", 1e-3), ("int8", 0.01), ("int4", 0.16)])
def test_quantised_rows_are_near(quantisation: str, error: float) -> None:
    table = np.random.default_rng(0).uniform(-3, 3, (40, 6)).astype(np.float32)
    table[7] = 0
    rows = StoredTable.of(table, quantisation=quantisation).rows(np.arange(40))
    assert (np.abs(rows - table).max(axis=1) <= error * np.abs(table).max(axis=1)).all()


def test_quantisations_that_cannot_be_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="int4, int8"):
        StoredTable.of(np.zeros((2, 2), np.float32), quantisation="int3")
    with pytest.raises(RequestError, match="odd"):
        StoredTable.of(np.zeros((2, 3), np.float32), quantisation="int4")


def test_damage_is_noticed(tmp_path: Path) -> None:
    trained().save(tmp_path / "m")
    weights = tmp_path / "m" / "weights.safetensors"
    raw = weights.read_bytes()
    weights.write_bytes(raw[:-1] + bytes([raw[-1] ^ 1]))
    with pytest.raises(DamagedError, match="was altered"):
        load_encoder(tmp_path / "m")
    weights.write_bytes(raw[:-9])
    with pytest.raises(DamagedError, match="bytes; expected"):
        load_encoder(tmp_path / "m")
    weights.unlink()
    with pytest.raises(DamagedError, match="is missing"):
        load_encoder(tmp_path / "m")


@pytest.mark.parametrize(
    ("old", "new", "error", "message"),
    [
        ("format = 1", "format = 9", MismatchError, "model format 9"),
        ('kind = "ngram"', 'kind = "oracle"', MismatchError, "kind 'oracle'"),
        ("dimensions = 8", "dimensions = 9", DamagedError, "does not match"),
        ("buckets = 512", "buckets = 513", DamagedError, "does not match"),
        ("buckets = 512", "", DamagedError, "buckets"),
        ("[options]", "[options", DamagedError, "cannot be read"),
        ("name = ", "nom = ", DamagedError, "name"),
    ],
)
def test_a_model_file_that_does_not_fit_is_refused(
    tmp_path: Path, old: str, new: str, error: type[Exception], message: str
) -> None:
    trained().save(tmp_path / "m")
    file = tmp_path / "m" / "model.toml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(error, match=message):
        load_encoder(tmp_path / "m")


def test_names_that_are_no_encoder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="ORGANISATION/MODEL"):
        load_encoder("ngrm")
    with pytest.raises(StoreError, match="no such directory"):
        load_encoder(tmp_path / "absent")
    with pytest.raises(StoreError, match=r"neither model\.toml nor config\.json"):
        load_encoder(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="no such directory"):
        load_encoder(tmp_path / "file")

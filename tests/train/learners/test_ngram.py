"""The static n-gram encoder under training."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from linnet.encode import load_encoder

torch = pytest.importorskip("torch", reason="needs the train extra")

from linnet.train.learners import build_learner  # noqa: E402
from linnet.train.learners.ngram import NgramLearner  # noqa: E402
from linnet.train.learners.row_adagrad import RowAdagrad  # noqa: E402

pytestmark = pytest.mark.torch
NAMES = ["heart attack", "myocardial infarction", "gout", "gouty arthritis", "type 2 diabetes"]


def learner(**keys: object) -> NgramLearner:
    made = build_learner({"kind": "ngram", "buckets": 512, "dimensions": 8, **keys}, NAMES, seed=3)
    assert isinstance(made, NgramLearner)
    return made


def test_a_vector_is_the_sum_of_its_buckets_rows() -> None:
    made = learner()
    for text, vector in zip(NAMES, made(NAMES), strict=True):
        rows = made.features.bags([text]).values
        np.testing.assert_allclose(
            vector.detach().numpy(), made.table.detach().numpy()[rows].sum(0), rtol=1e-5, atol=1e-5
        )


def test_numbered_texts_have_the_vectors_of_the_texts() -> None:
    made = learner()
    numbers = np.array([4, 0, 0, 2])
    expected = made([NAMES[number] for number in numbers])
    assert torch.equal(made.numbered(NAMES)(numbers), expected)


def test_the_gradient_is_that_of_an_embedding_bag() -> None:
    made = learner()
    factors = torch.arange(40.0).reshape(5, 8)
    (made(NAMES) * factors).sum().backward()
    bags = made.features.bags(NAMES)
    table = made.table.detach().clone().requires_grad_()
    sums = torch.nn.functional.embedding_bag(
        torch.from_numpy(bags.values), table, torch.from_numpy(bags.offsets[:-1]), mode="sum"
    )
    (sums * factors).sum().backward()
    assert made.table.grad is not None
    torch.testing.assert_close(made.table.grad.to_dense(), table.grad)


def test_row_adagrad_divides_each_row_by_the_root_of_its_summed_mean_squares() -> None:
    weights = torch.tensor([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]], requires_grad=True)
    optimiser = RowAdagrad([weights], lr=0.5)
    for gradient in ([3.0, 4.0], [1.0, 0.0]):
        values = torch.tensor([gradient])
        weights.grad = torch.sparse_coo_tensor(torch.tensor([[1]]), values, (3, 2), check_invariants=True)
        optimiser.step()
    first = np.array([2.0, 2.0]) - 0.5 * np.array([3.0, 4.0]) / np.sqrt(12.5)
    second = first - 0.5 * np.array([1.0, 0.0]) / np.sqrt(12.5 + 0.5)
    np.testing.assert_allclose(weights.detach().numpy(), [[1, 1], second, [3, 3]], rtol=1e-6)


def test_row_adagrad_takes_dense_gradients_too_and_leaves_rows_without_one() -> None:
    weights = torch.ones((2, 2), requires_grad=True)
    weights.grad = torch.tensor([[1.0, 1.0], [0.0, 0.0]])
    RowAdagrad([weights], lr=0.1).step()
    np.testing.assert_allclose(weights.detach().numpy(), [[0.9, 0.9], [1, 1]])


@pytest.mark.parametrize(("quantisation", "close"), [("float32", 1e-6), ("int8", 0.02), ("int4", 0.3)])
def test_a_saved_learner_is_an_encoder_with_its_vectors(
    tmp_path: Path, quantisation: str, close: float
) -> None:
    made = learner(quantisation=quantisation, name="mine")
    made.save(tmp_path / "model", card="# Mine\n", training={"seed": 3})
    encoder = load_encoder(tmp_path / "model")
    assert (encoder.name, encoder.dimensions) == ("mine", 8)
    expected = made(NAMES).detach().numpy()
    difference = np.abs(encoder.encode(NAMES) - expected).max() / np.abs(expected).max()
    assert difference < close


def test_training_goes_on_from_a_saved_encoder(tmp_path: Path) -> None:
    made = learner(quantisation="float32")
    made.save(tmp_path / "model", card="", training={})
    again = build_learner({"kind": "ngram", "start": str(tmp_path / "model")}, [], seed=0)
    torch.testing.assert_close(again(NAMES), made(NAMES))


def test_a_seed_makes_the_same_learner_and_another_seed_another() -> None:
    def table(seed: int) -> torch.Tensor:
        return build_learner({"buckets": 64, "dimensions": 4}, NAMES, seed=seed)(NAMES)

    assert torch.equal(table(1), table(1))
    assert not torch.equal(table(1), table(2))

"""Dual encoders under training give the vectors that linking uses later."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.torch

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")

from tests.train.learners.described import CONCEPTS, CONTEXTS  # noqa: E402

from linnet.encode.model import Model, write_model  # noqa: E402
from linnet.errors import RequestError  # noqa: E402
from linnet.rerank.dual_towers import DualTowers  # noqa: E402
from linnet.train.learners.transformer_dual import TransformerDual, TransformerDualSettings  # noqa: E402

NAMES = [name for one in CONCEPTS for name in one.names]
WORDS = [" ".join(context) for context in CONTEXTS]
TINY: dict[str, Any] = {"layers": 1, "width": 16, "heads": 2, "vocabulary": 60, "learning_rate": 0.01}


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Threads that wait for one another take many times as long on busy cores."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def transformer(**settings: Any) -> TransformerDual:
    return TransformerDual(TransformerDualSettings(**{**TINY, **settings}), NAMES, WORDS, seed=0)


def trained(learner: TransformerDual, *, steps: int = 40) -> list[float]:
    """Distances of mention to concept after each step that brings the first two mentions to their own concept."""
    mentions, entities, optimiser = (
        learner.mentions(CONTEXTS),
        learner.entities(CONCEPTS),
        learner.optimiser(),
    )
    losses = []
    learner.train()
    for _ in range(steps):
        away = torch.cdist(mentions(np.array([0, 1])), entities(np.array([0, 1])))
        loss = (away[0, 0] - away[0, 1] + 1).relu() + (away[1, 1] - away[1, 0] + 1).relu()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    learner.eval()
    return losses


def test_equal_mentions_are_told_apart_by_their_context() -> None:
    losses = trained(transformer())
    assert losses[0] > 0.5
    assert losses[-1] < 0.1 * losses[0]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> tuple[TransformerDual, Path]:
    """A trained model and the folder of its two graphs: exporting one takes seconds."""
    pytest.importorskip("onnxscript", reason="needs the train extra")
    learner = transformer()
    trained(learner, steps=3)
    place = tmp_path_factory.mktemp("graphs")
    learner.write(place)
    return learner, place


@pytest.mark.parametrize(
    ("precision", "tolerance", "pooling"),
    [("fp32", 1e-4, ("markers", "cls")), ("fp32", 1e-4, ("span", "mean")), ("int8", 0.5, ("markers", "cls"))],
)
def test_transformer_vectors_are_those_of_the_graphs_written(
    exported: tuple[TransformerDual, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    precision: str,
    tolerance: float,
    pooling: tuple[str, str],
) -> None:
    source, graphs = exported
    learner = transformer(precision=precision, mention_pooling=pooling[0], entity_pooling=pooling[1])
    learner.load_state_dict(source.state_dict())
    learner.eval()
    write = "linnet.train.learners.transformer_dual.write_onnx"
    monkeypatch.setattr(
        write, lambda network, file: shutil.copy(graphs / file.name.removeprefix("wide-"), file)
    )
    with torch.no_grad():
        mentions = learner.mentions(CONTEXTS)(np.array([2, 0, 1])).numpy()
        entities = learner.entities(CONCEPTS)(np.array([1, 2, 0])).numpy()
    assert np.abs(mentions[1] - mentions[2]).max() > 1e-3  # the same word in another sentence
    options: dict[str, Any] = {}
    model = Model("dual", "tiny", learner.dimensions, "fold", options)
    write_model(tmp_path / "m", model, fill=lambda draft: options.update(learner.write(draft)))
    towers = DualTowers.open(tmp_path / "m", model, threads=2)
    np.testing.assert_allclose(towers.mentions(CONTEXTS)[[2, 0, 1]], mentions, atol=tolerance)
    np.testing.assert_allclose(towers.entities(CONCEPTS)[[1, 2, 0]], entities, atol=tolerance)
    alone = np.concatenate([towers.mentions([context]) for context in CONTEXTS])
    assert (alone == towers.mentions(CONTEXTS)).all()


def test_more_tokens_than_positions_are_refused() -> None:
    with pytest.raises(RequestError, match="only 512 positions"):
        transformer(length=600)


def test_a_transformer_of_two_origins_is_refused() -> None:
    with pytest.raises(ValueError, match="both given"):
        TransformerDualSettings(start=Path("here"), hub="organisation/model")


def test_a_step_of_a_transformer_moves_both_towers_and_only_the_word_pieces_of_its_batch() -> None:
    learner = transformer(dropout=0.0)
    before = {name: value.detach().clone() for name, value in learner.named_parameters()}
    gout = learner.mentions(CONTEXTS)(np.array([2])) - learner.entities(CONCEPTS)(np.array([1]))
    gout.square().sum().backward()
    learner.optimiser().step()
    moved = {
        name: (value != before[name]).any(dim=-1)
        for name, value in learner.named_parameters()
        if value.ndim == 2
    }
    for tower in ("mention", "entity"):
        table = moved[f"{tower}.embeddings.word_embeddings.weight"]
        assert 0 < table.sum() < len(table)
        assert moved[f"{tower}.encoder.layer.0.attention.self.value.weight"].any()
    assert learner.mention.get_input_embeddings() is not learner.entity.get_input_embeddings()


@pytest.mark.parametrize("mention", ["markers", "span"])
@pytest.mark.parametrize("entity", ["cls", "mean"])
def test_vectors_are_pooled_as_asked(mention: Any, entity: Any) -> None:
    learner = transformer(mention_pooling=mention, entity_pooling=entity).eval()
    [read], [named] = learner._tokens.mentions(CONTEXTS[:1]), learner._tokens.entities(CONCEPTS[:1])
    with torch.no_grad():
        [vector] = learner.mentions(CONTEXTS)(np.array([0]))
        states = learner.mention(input_ids=torch.tensor([read])).last_hidden_state[0]
        first, last = read.index(learner._tokens.start), read.index(learner._tokens.end)
        places = [first, last] if mention == "markers" else list(range(first, last + 1))
        torch.testing.assert_close(vector, states[places].mean(0))
        [vector] = learner.entities(CONCEPTS)(np.array([0]))
        states = learner.entity(input_ids=torch.tensor([named])).last_hidden_state[0]
        torch.testing.assert_close(vector, states[0] if entity == "cls" else states.mean(0))

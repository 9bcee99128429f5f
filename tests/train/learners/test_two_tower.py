"""Two towers under training, and what is saved of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.torch

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")

from linnet.encode import load_encoder  # noqa: E402
from linnet.encode.two_tower import TwoTowerEncoder  # noqa: E402
from linnet.errors import DamagedError, RequestError, StoreError  # noqa: E402
from linnet.train.learners.transformer import TransformerLearner, TransformerSettings  # noqa: E402
from linnet.train.learners.two_tower import TwoTowerLearner, TwoTowerSettings  # noqa: E402
from linnet.types import Mention  # noqa: E402

NAMES = ["fever of the arm", "pain of the leg", "gout", "gout of the arm"]
TEXTS = ["swelling due to crystals", "", "it hurts", "an old pain"]
MENTIONS = [
    Mention.alone("gout", left="old pain of the leg and", right="of the arm " * 20),
    Mention.alone("fever"),
]
TINY: dict[str, Any] = {"layers": 1, "width": 16, "heads": 2, "vocabulary": 80, "max_length": 20}


def learner(*, seed: int = 0, **settings: Any) -> TwoTowerLearner:
    return TwoTowerLearner(TwoTowerSettings(**{**TINY, **settings}), NAMES, seed=seed)


def trained(model: TwoTowerLearner, *, steps: int = 3) -> TwoTowerLearner:
    optimiser = model.optimiser()
    model.train()
    mentions, entities = model.marked.mentions(MENTIONS), model.marked.entities(NAMES[:2], TEXTS[:2])
    for _ in range(steps):
        loss = (model.mention_vectors(mentions) - model.entity_vectors(entities) - 1).square().sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return model.eval()


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[TwoTowerLearner, Path]:
    pytest.importorskip("onnxscript", reason="needs the train extra")
    directory = tmp_path_factory.mktemp("saved") / "model"
    model = trained(learner(name="towers", learning_rate=0.01)).train()
    model.save(directory, card="# Towers\n", training={})
    assert all(module.training for module in model.modules())
    return model.eval(), directory


@pytest.mark.parametrize("tower", ["mention", "entity"])
def test_one_tower_is_no_encoder_of_names_but_a_start(
    saved: tuple[TwoTowerLearner, Path], tower: str
) -> None:
    _, directory = saved
    with pytest.raises(StoreError, match=f"one tower of the two-tower model .*Use {directory}"):
        load_encoder(directory / tower)
    TransformerLearner(TransformerSettings(start=directory / tower), (), seed=0)


def test_embeddings_stay_but_for_the_markers_and_all_layers_learn() -> None:
    model = learner(learning_rate=0.01)
    before = {key: value.clone() for key, value in model.state_dict().items()}
    after = trained(model).state_dict()
    changed = {key for key in before if not torch.equal(before[key], after[key])}
    embeddings = {key for key in before if ".embeddings." in key}
    assert changed & embeddings == {
        "mention.embeddings.word_embeddings.rows",
        "entity.embeddings.word_embeddings.rows",
    }
    layers = {key for key in before if ".encoder.layer." in key}
    assert len(changed & layers) > 0.8 * len(layers)


def test_towers_begin_alike_and_part_or_are_one() -> None:
    for shared in (False, True):
        model = learner(shared=shared, learning_rate=0.01)
        assert (model.mention is model.entity) == shared
        tokens = model.marked.entities(NAMES, TEXTS)
        model.eval()
        assert torch.equal(model.mention_vectors(tokens), model.entity_vectors(tokens))
        trained(model)
        assert torch.equal(model.mention_vectors(tokens), model.entity_vectors(tokens)) == shared


def test_the_same_seed_gives_the_same_model() -> None:
    one, again, other = (trained(learner(seed=seed)).encode_mentions(MENTIONS) for seed in (1, 1, 2))
    assert (one == again).all()
    assert (one != other).any()


def test_what_is_saved_encodes_as_what_was_trained(saved: tuple[TwoTowerLearner, Path]) -> None:
    model, directory = saved
    encoder = TwoTowerEncoder.open(directory)
    mentions, entities = model.encode_mentions(MENTIONS), model.encode_entities(NAMES, TEXTS)
    np.testing.assert_allclose(encoder.encode_mentions(MENTIONS), mentions, atol=1e-5)
    np.testing.assert_allclose(encoder.encode_entities(NAMES, TEXTS), entities, atol=1e-5)
    assert (encoder.encode_entities(NAMES[1:2], TEXTS[1:2]) == encoder.encode_entities(NAMES, TEXTS)[1]).all()
    assert encoder.name == "towers"
    narrow = TwoTowerEncoder.open(directory / "int8").encode_entities(NAMES, TEXTS)
    cosines = (narrow * entities).sum(1) / np.linalg.norm(narrow, axis=1) / np.linalg.norm(entities, axis=1)
    assert cosines.mean() > 0.98


def test_training_goes_on_from_what_was_saved(saved: tuple[TwoTowerLearner, Path]) -> None:
    model, directory = saved
    again = TwoTowerLearner(TwoTowerSettings(start=directory, max_length=20), [], seed=5).eval()
    np.testing.assert_array_equal(again.encode_mentions(MENTIONS), model.encode_mentions(MENTIONS))
    np.testing.assert_array_equal(again.encode_entities(NAMES, TEXTS), model.encode_entities(NAMES, TEXTS))
    assert (trained(again).encode_mentions(MENTIONS) != model.encode_mentions(MENTIONS)).any()


def test_towers_start_from_any_trained_transformer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = "linnet.train.learners"
    monkeypatch.setattr(f"{target}.transformer.write_onnx", lambda network, file: file.write_bytes(b"wide"))
    monkeypatch.setattr(f"{target}.pretrained.quantise", lambda wide, narrow: narrow.write_bytes(b"narrow"))
    tiny = {key: value for key, value in TINY.items() if key != "max_length"}
    names = TransformerLearner(TransformerSettings(**tiny), NAMES, seed=0)
    names.save(tmp_path / "names", card="", training={})
    model = learner(start=tmp_path / "names")
    own = dict(names.network.named_parameters())
    for key, value in model.mention.encoder.named_parameters():
        assert torch.equal(value, own[f"encoder.{key}"])


def test_a_graph_that_is_damaged_is_refused(saved: tuple[TwoTowerLearner, Path], tmp_path: Path) -> None:
    import shutil

    shutil.copytree(saved[1], tmp_path / "m")
    (tmp_path / "m" / "entity.onnx").unlink()
    with pytest.raises(DamagedError, match=r"entity\.onnx is missing"):
        TwoTowerEncoder.open(tmp_path / "m")


def test_settings_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="'max_length' is 4"):
        TwoTowerSettings(max_length=4)
    with pytest.raises(RequestError, match="only 512 positions"):
        learner(max_length=600)

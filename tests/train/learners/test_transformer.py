"""Transformers under training: tiny random ones, built from nothing."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.torch

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")

from linnet.encode import load_encoder  # noqa: E402
from linnet.encode.model import open_model  # noqa: E402
from linnet.errors import DataError, MismatchError, RequestError, StoreError  # noqa: E402
from linnet.train.learners.adapters import AdapterSettings, Bottleneck, adapter_parameters  # noqa: E402
from linnet.train.learners.pretrained import check_length  # noqa: E402
from linnet.train.learners.transformer import TransformerLearner, TransformerSettings  # noqa: E402

NAMES = [
    f"{what} {where}" for what in ("fever", "pain", "gout") for where in ("of the arm", "of the leg", "")
]
TINY: dict[str, Any] = {"layers": 2, "width": 16, "heads": 2, "vocabulary": 80}


def learner(*, names: list[str] = NAMES, seed: int = 0, **settings: Any) -> TransformerLearner:
    return TransformerLearner(TransformerSettings(**{**TINY, **settings}), names, seed=seed)


def trained(model: TransformerLearner, *, steps: int = 3) -> TransformerLearner:
    """Some steps that bring the arms together and away from the legs."""
    optimiser = model.optimiser()
    model.train()
    for _ in range(steps):
        vectors = model(NAMES)
        loss = (vectors[0] - vectors[3]).square().sum() - (vectors[0] - vectors[1]).square().sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return model.eval()


def vectors_of(model: TransformerLearner, texts: list[str] = NAMES) -> np.ndarray:
    with torch.no_grad():
        return model.eval()(texts).numpy()


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[TransformerLearner, Path]:
    """A model with adapters, trained and written."""
    pytest.importorskip("onnxscript", reason="needs the train extra")
    directory = tmp_path_factory.mktemp("saved") / "model"
    adapters = AdapterSettings(fraction=0.2)
    model = trained(learner(name="tiny", pooling="mean", adapters=adapters, learning_rate=0.01))
    model.train()
    model.save(directory, card="# Tiny\n", training={"seed": 0})
    assert all(module.training for module in model.modules())
    return model.eval(), directory


def stand_in_for_exporting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exports take seconds each."""
    target = "linnet.train.learners"
    monkeypatch.setattr(f"{target}.transformer.write_onnx", lambda network, file: file.write_bytes(b"wide"))
    monkeypatch.setattr(f"{target}.pretrained.quantise", lambda wide, narrow: narrow.write_bytes(b"narrow"))


def test_the_same_seed_gives_the_same_model_and_training() -> None:
    one, again, other = (vectors_of(trained(learner(seed=seed))) for seed in (1, 1, 2))
    assert (one == again).all()
    assert (one != other).any()


def test_a_text_has_the_same_vector_alone_and_padded_with_others() -> None:
    for pooling in ("cls", "mean"):
        model = learner(pooling=pooling)
        together = vectors_of(model, [*NAMES, "pain " * 40])
        np.testing.assert_allclose(vectors_of(model, ["gout"])[0], together[8], atol=1e-5)
        many = vectors_of(model, NAMES * 40)  # more than one batch, sorted by length
        np.testing.assert_allclose(many[9:18], together[:9], atol=1e-5)


def test_a_batch_learnt_in_parts_of_similar_length_has_the_gradient_of_the_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gradients = []
    for together in (24, 1000):
        monkeypatch.setattr("linnet.train.learners.packed._TOKENS", together)
        model = learner().eval()  # no dropout
        vectors = model([*NAMES, "pain " * 40, *NAMES])
        (vectors * torch.arange(len(vectors))[:, None]).square().sum().backward()
        gradients.append([p.grad.to_dense() for p in model.parameters() if p.grad is not None])
    for one, other in zip(*gradients, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-3)


def test_texts_asked_for_by_number_are_the_same_texts() -> None:
    model = learner().eval()
    with torch.no_grad():
        found = model.numbered(NAMES)(np.array([5, 0, 5]))
    np.testing.assert_allclose(found.numpy(), vectors_of(model)[[5, 0, 5]], atol=1e-5)


def test_biases_and_layer_norms_do_not_decay() -> None:
    model = learner(weight_decay=0.3)
    groups = {group["weight_decay"]: group["params"] for group in model.optimiser().param_groups}
    assert set(groups) == {0.3, 0.0}
    free = {id(parameter) for parameter in groups[0.0]}
    for name, parameter in model.named_parameters():
        assert (id(parameter) in free) == (name.endswith("bias") or "LayerNorm" in name), name


def test_what_is_saved_encodes_as_what_was_trained(saved: tuple[TransformerLearner, Path]) -> None:
    model, directory = saved
    encoder = load_encoder(directory)
    assert encoder.name == "tiny"
    np.testing.assert_allclose(encoder.encode(NAMES), vectors_of(model), atol=1e-5)
    assert open_model(directory).training == {"seed": 0}


def test_the_int8_variant_is_near_and_an_encoder_of_its_own(saved: tuple[TransformerLearner, Path]) -> None:
    model, directory = saved
    narrow, wide = load_encoder(directory / "int8"), vectors_of(model)
    near = narrow.encode(NAMES)
    cosines = (near * wide).sum(1) / np.linalg.norm(near, axis=1) / np.linalg.norm(wide, axis=1)
    assert cosines.mean() > 0.98
    assert narrow.name == "tiny-int8"
    assert narrow.digest != load_encoder(directory).digest


def test_training_goes_on_from_what_was_saved(saved: tuple[TransformerLearner, Path]) -> None:
    model, directory = saved
    again = TransformerLearner(TransformerSettings(start=directory), [], seed=9)
    assert again.pooling == "mean"
    np.testing.assert_array_equal(vectors_of(again), vectors_of(model))
    assert (vectors_of(trained(again)) != vectors_of(model)).any()


def test_adapters_go_on_as_adapters_or_all_is_trained(saved: tuple[TransformerLearner, Path]) -> None:
    _, directory = saved
    same = TransformerSettings(start=directory, adapters=AdapterSettings(fraction=0.2))
    learnt = [p for p in TransformerLearner(same, [], seed=0).parameters() if p.requires_grad]
    whole = TransformerLearner(TransformerSettings(start=directory), [], seed=0)
    assert len(learnt) == len(adapter_parameters(whole.network))
    assert all(p.requires_grad for p in whole.parameters())
    with pytest.raises(RequestError, match="already has adapters"):
        TransformerLearner(
            TransformerSettings(start=directory, adapters=AdapterSettings(kind="pfeiffer")), [], seed=0
        )


@pytest.mark.parametrize("kind", ["houlsby", "pfeiffer"])
def test_adapters_change_nothing_at_first_and_leave_the_body_as_it_is(kind: Any) -> None:
    plain = learner()
    model = learner(adapters=AdapterSettings(kind=kind, fraction=0.1), learning_rate=0.01)
    np.testing.assert_array_equal(vectors_of(model), vectors_of(plain))
    trained(model)
    assert np.abs(vectors_of(model) - vectors_of(plain)).max() > 1e-4
    body = plain.state_dict()
    after = {key.replace(".dropout.0", ".dropout"): value for key, value in model.state_dict().items()}
    assert all(torch.equal(after[key], value) for key, value in body.items())
    bottlenecks = [module for module in model.modules() if isinstance(module, Bottleneck)]
    assert len(bottlenecks) == 2 * (2 if kind == "houlsby" else 1)


@pytest.mark.parametrize("kind", ["houlsby", "pfeiffer"])
@pytest.mark.parametrize(("size", "share"), [("large", 0.13), ("small", 0.01)])
def test_adapters_have_the_share_of_the_parameters_asked_for(kind: Any, size: Any, share: float) -> None:
    plain = learner(layers=4, width=64)
    total = sum(parameter.numel() for parameter in plain.parameters())
    model = learner(layers=4, width=64, adapters=AdapterSettings(kind=kind, size=size))
    own = sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)
    one = 2 * 64 + 1  # a width more or less, in each of up to 8 bottlenecks
    assert abs(own - share * total) <= one * 8


def test_only_the_rows_of_words_in_a_batch_move() -> None:
    model = learner(learning_rate=0.01)
    table = model.network.get_input_embeddings().weight
    before = table.detach().clone()
    trained(model)
    seen = {id for name in NAMES for id in model.tokenizer(name)["input_ids"]}
    moved = set(torch.nonzero((table != before).any(1))[:, 0].tolist())
    assert moved == seen
    assert len(seen) < len(table)


def test_the_first_layers_of_a_start_are_a_model_of_their_own(
    saved: tuple[TransformerLearner, Path],
) -> None:
    _, directory = saved
    whole = TransformerLearner(TransformerSettings(start=directory), [], seed=0)
    half = TransformerLearner(TransformerSettings(start=directory, first_layers=1), [], seed=0)
    assert half.network.config.num_hidden_layers == len(half.network.encoder.layer) == 1
    whole.network.encoder.layer = whole.network.encoder.layer[:1]
    np.testing.assert_array_equal(vectors_of(half), vectors_of(whole))
    with pytest.raises(RequestError, match=r"'encoder\.first_layers' is 3; this transformer has 2"):
        TransformerLearner(TransformerSettings(start=directory, first_layers=3), [], seed=0)


def test_without_dropout_training_sees_what_evaluation_sees() -> None:
    for dropout in (None, 0.0, 0.5):
        model = learner(dropout=dropout).train()
        same = np.allclose(model(NAMES).detach().numpy(), vectors_of(model), atol=1e-6)
        assert same == (dropout == 0.0)


def test_a_model_of_another_form_has_no_place_for_adapters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("linnet.train.learners.adapters._places", lambda network, kind: [])
    with pytest.raises(RequestError, match="BertModel has no BERT-like layers"):
        learner(adapters=AdapterSettings())


def test_a_start_that_is_not_there_or_not_a_transformer_is_refused(
    saved: tuple[TransformerLearner, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StoreError, match=r"no such directory.*hub = "):
        learner(start=tmp_path / "absent")
    with pytest.raises(StoreError, match="cannot be loaded as a transformer"):
        learner(start=tmp_path)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(StoreError, match=r"nobody/nothing.*network connection"):
        learner(hub="nobody/nothing")
    with pytest.raises(MismatchError, match="an export without weights"):
        learner(start=saved[1] / "int8")
    shutil.copytree(saved[1], tmp_path / "other")
    manifest = tmp_path / "other" / "model.toml"
    text = manifest.read_text(encoding="utf-8").replace('kind = "transformer"', 'kind = "ngram"')
    manifest.write_text(text, encoding="utf-8")
    with pytest.raises(MismatchError, match="kind 'ngram'"):
        learner(start=tmp_path / "other")


def test_settings_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="multiple of 'heads'"):
        TransformerSettings(width=10, heads=4)
    with pytest.raises(ValueError, match=r"'dropout' is 1\.0"):
        TransformerSettings(dropout=1.0)
    with pytest.raises(ValueError, match="'first_layers' is 0"):
        TransformerSettings(first_layers=0)
    with pytest.raises(ValueError, match="both given"):
        TransformerSettings(start=Path("x"), hub="a/b")
    with pytest.raises(ValueError, match=r"'fraction' is 0\.0; expected above 0 to 1"):
        AdapterSettings(fraction=0.0)
    with pytest.raises(DataError, match="no names to learn a vocabulary from"):
        learner(names=[])
    with pytest.raises(RequestError, match="only 512 positions"):
        learner(max_length=600)


@pytest.mark.parametrize("architecture", ["Roberta", "MPNet"])
def test_positions_that_are_reserved_for_padding_are_not_for_texts(architecture: str) -> None:
    import transformers

    config = getattr(transformers, f"{architecture}Config")(
        vocab_size=20,
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=8,
        max_position_embeddings=18,
        pad_token_id=1,
    )
    network = getattr(transformers, f"{architecture}Model")(config)
    check_length(network, key="encoder.max_length", length=16)
    assert network(input_ids=torch.full((1, 16), 5)).last_hidden_state.shape == (1, 16, 8)
    with pytest.raises(
        RequestError, match=r"'encoder\.max_length' is 17; this transformer has only 16 positions"
    ):
        check_length(network, key="encoder.max_length", length=17)


def test_a_full_model_is_saved_without_adapters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in_for_exporting(monkeypatch)
    model = learner()
    model.save(tmp_path / "m", card="# x\n", training={})
    assert not (tmp_path / "m" / "adapters.safetensors").exists()
    again = TransformerLearner(TransformerSettings(start=tmp_path / "m"), [], seed=3)
    np.testing.assert_array_equal(vectors_of(again), vectors_of(model))

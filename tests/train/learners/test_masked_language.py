"""A transformer with a head for masked word pieces: tiny random ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.torch

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")

from linnet.errors import RequestError  # noqa: E402
from linnet.train.learners.adapters import AdapterSettings  # noqa: E402
from linnet.train.learners.masked_language import MaskedLanguageLearner  # noqa: E402
from linnet.train.learners.pretrained import BaseSettings, build_base  # noqa: E402
from linnet.train.learners.transformer import TransformerSettings  # noqa: E402

TEXTS = ["fever and pain of the arm", "fever and pain of the leg", "gout of the arm"]
TINY: dict[str, Any] = {"layers": 2, "width": 16, "heads": 2, "vocabulary": 80}


def learner(**settings: Any) -> MaskedLanguageLearner:
    return MaskedLanguageLearner(TransformerSettings(**{**TINY, **settings}), TEXTS, seed=0).eval()


def published(directory: Path) -> Any:
    """A BERT with its head, written as on the Hugging Face hub."""
    from transformers import BertForMaskedLM

    base = build_base(BaseSettings(**TINY), TEXTS)
    whole = BertForMaskedLM(base.network.config).eval()
    torch.nn.init.normal_(whole.cls.predictions.bias)
    torch.nn.init.normal_(whole.cls.predictions.transform.LayerNorm.bias)
    whole.save_pretrained(directory)
    base.tokenizer.save_pretrained(directory)
    return whole


def test_the_head_of_the_start_is_taken_over_and_predicts_as_before(tmp_path: Path) -> None:
    whole = published(tmp_path)
    model = learner(start=tmp_path)
    ids = model.encoder.tokenizer(TEXTS, padding=True, return_tensors="pt")
    positions = torch.tensor([1, 3, 8])
    expected = whole(**ids).logits.flatten(0, 1)[positions]
    logits = model(ids["input_ids"], positions)
    assert torch.allclose(logits, expected, atol=1e-5)


def test_a_smaller_vocabulary_starts_with_a_bias_of_zero(tmp_path: Path) -> None:
    published(tmp_path)
    size = len(learner().encoder.tokenizer)
    model = learner(start=tmp_path, pieces=size - 10)
    assert model.bias.shape == (size - 10,)
    assert not model.bias.any()
    assert model.norm.bias.any()


def test_every_word_piece_gets_a_dense_gradient() -> None:
    model = learner()
    ids = model.encoder.tokenizer(TEXTS[:1], return_tensors="pt")["input_ids"]
    model(ids, torch.tensor([2])).logsumexp(1).sum().backward()
    gradient = model.encoder.network.get_input_embeddings().weight.grad
    assert not gradient.is_sparse
    assert gradient.abs().sum(1).gt(0).all()


def test_with_adapters_only_they_and_the_head_are_trained() -> None:
    model = learner(adapters=AdapterSettings(fraction=0.2))
    trained = {name for name, weights in model.named_parameters() if weights.requires_grad}
    head = {"dense.weight", "dense.bias", "norm.weight", "norm.bias", "bias"}
    assert head < trained
    assert all("adapter" in name or "down" in name or "up" in name for name in trained - head)


def test_the_network_attends_with_fused_kernels_and_in_plain_operators_again_afterwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = learner()
    network = model.encoder.network
    forward, kernels = network.forward, []

    def noted(**inputs: Any) -> Any:
        kernels.append(network.config._attn_implementation)
        return forward(**inputs)

    monkeypatch.setattr(network, "forward", noted)
    model(torch.tensor([[2, 6, 7, 3]]), torch.tensor([1]))
    assert kernels == ["sdpa"]
    assert network.config._attn_implementation == "eager"


def test_a_tokenizer_without_a_mask_is_refused(tmp_path: Path) -> None:
    base = build_base(BaseSettings(**TINY), TEXTS)
    base.network.save_pretrained(tmp_path)
    base.tokenizer.mask_token = None
    base.tokenizer.save_pretrained(tmp_path)
    with pytest.raises(RequestError, match=r"has no token for \[MASK\].*Start from a model"):
        learner(start=tmp_path)


def test_a_tokenizer_with_more_pieces_than_the_transformer_has_vectors_is_refused(tmp_path: Path) -> None:
    base = build_base(BaseSettings(**TINY), TEXTS)
    base.network.save_pretrained(tmp_path)
    base.tokenizer.add_tokens(["pyrexia", "podagra"])
    base.tokenizer.save_pretrained(tmp_path)
    size = len(base.tokenizer)
    with pytest.raises(
        RequestError, match=rf"has {size} word pieces.*vectors of only {size - 2}\. Start from"
    ):
        learner(start=tmp_path)

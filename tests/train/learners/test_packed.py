"""Texts in one packed sequence: the same vectors and gradients as in padded batches."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

pytestmark = pytest.mark.torch

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")

from linnet.train.learners import vectors  # noqa: E402
from linnet.train.learners.packed import can_pack, packed_groups  # noqa: E402

TEXTS = [[2, 5, 3], [2, 6, 7, 8, 3], [2, 9, 3], [2, 3], [2, 5, 6, 7, 3], [2, 8, 9, 3]]


def bert(**changes: Any) -> Any:
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    sizes = {
        "vocab_size": 12,
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 32,
        "initializer_range": 0.3,
    }
    network = BertModel(BertConfig(**{**sizes, **changes}), add_pooling_layer=False)
    network.set_attn_implementation("eager")
    return network.eval()


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_vectors_and_gradients_are_those_of_padded_batches(
    monkeypatch: pytest.MonkeyPatch, pooling: str
) -> None:
    packed, padded = bert(), bert()
    results = []
    for network, possible in ((packed, True), (padded, False)):
        monkeypatch.setattr(vectors, "can_pack", lambda network, possible=possible: possible)
        found = vectors.vectors_of(network, TEXTS, pooling=pooling, pad=0)
        (found * torch.linspace(-1, 1, found.numel()).view(found.shape)).sum().backward()
        results.append(found)
    torch.testing.assert_close(*results, atol=1e-5, rtol=1e-4)
    for (name, one), other in zip(packed.named_parameters(), padded.parameters(), strict=True):
        torch.testing.assert_close(one.grad, other.grad, atol=1e-4, rtol=1e-3, msg=name)


def test_a_group_has_all_texts_of_its_length(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = list(packed_groups(bert(), TEXTS))
    assert [group.ids.shape for group in groups] == [(1, 2), (2, 3), (1, 4), (2, 5)]
    for group in groups:
        assert [TEXTS[place] for place in group.places] == group.ids.tolist()
    monkeypatch.setattr("linnet.train.learners.packed._TOKENS", 6)
    assert sum(len(group.places) for group in packed_groups(bert(), TEXTS)) == len(TEXTS)


def test_attention_weights_are_dropped_while_training() -> None:
    network = bert(attention_probs_dropout_prob=0.4, hidden_dropout_prob=0.0)
    plain = vectors.vectors_of(network, TEXTS, pooling="mean", pad=0).detach()
    network.train()
    with torch.no_grad():
        draws = torch.stack([vectors.vectors_of(network, TEXTS, pooling="mean", pad=0) for _ in range(3)])
    assert ((draws - plain).abs().amax((1, 2)) > 1e-3).all()
    assert (draws[0] != draws[1]).any()


def test_mixed_precision_stays_near_full_precision() -> None:
    network = bert()
    plain = vectors.vectors_of(network, TEXTS, pooling="mean", pad=0)
    with torch.autocast("cpu", torch.bfloat16):
        mixed = vectors.vectors_of(network, TEXTS, pooling="mean", pad=0)
    assert mixed.dtype == torch.float32
    assert torch.cosine_similarity(plain, mixed).min() > 0.99
    assert (plain != mixed).any()


def test_the_network_is_left_as_it_was() -> None:
    network = bert()
    before = deepcopy(network.config.to_dict())
    list(packed_groups(network, TEXTS))
    assert network.config._attn_implementation == "eager"
    assert network.config.to_dict() == before


def test_networks_of_other_forms_are_padded() -> None:
    from transformers import RobertaConfig, RobertaModel

    assert can_pack(bert())
    assert not can_pack(bert(is_decoder=True))
    other = RobertaModel(
        RobertaConfig(
            vocab_size=12, hidden_size=16, num_hidden_layers=1, num_attention_heads=4, intermediate_size=32
        )
    ).eval()
    assert not can_pack(other)
    found = vectors.vectors_of(other, [[0, 5, 2], [0, 2]], pooling="cls", pad=1)
    alone = vectors.vectors_of(other, [[0, 2]], pooling="cls", pad=1)
    torch.testing.assert_close(found[1:], alone, atol=1e-5, rtol=1e-4)

"""A vocabulary cut to what texts need."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.torch

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")

from linnet.errors import RequestError  # noqa: E402
from linnet.train.learners.pretrained import Base, BaseSettings, build_base  # noqa: E402
from linnet.train.learners.vocabulary import cut_vocabulary  # noqa: E402

NAMES = ["gout", "gouty arthritis", "arthritis of the knee", "arthritis", "liver", "liver"] * 3


@pytest.fixture
def base() -> Base:
    torch.manual_seed(0)
    return build_base(BaseSettings(layers=1, width=16, heads=2, vocabulary=120), NAMES)


def vectors(base: Base, tokenizer: Any, text: str) -> Any:
    ids = tokenizer.backend_tokenizer.encode(text, add_special_tokens=False).ids
    return base.network.get_input_embeddings()(torch.tensor(ids))


def test_frequent_pieces_keep_their_vectors_and_rare_words_fall_apart(base: Base) -> None:
    whole = vectors(base, base.tokenizer, "gout arthritis").detach().clone()
    characters = sum(len(piece.removeprefix("##")) == 1 for piece in base.tokenizer.get_vocab())
    tokenizer = cut_vocabulary(base.network, base.tokenizer, ["gout arthritis"] * 9, size=characters + 5 + 2)
    assert len(tokenizer) == characters + 5 + 2 == base.network.config.vocab_size
    assert torch.equal(vectors(base, tokenizer, "gout arthritis"), whole)
    pieces = tokenizer.backend_tokenizer.encode("liver", add_special_tokens=False).tokens
    assert "".join(piece.removeprefix("##") for piece in pieces) == "liver"
    assert len(pieces) > 1
    assert (tokenizer.cls_token, tokenizer.pad_token) == ("[CLS]", "[PAD]")
    assert tokenizer.convert_tokens_to_ids("[SEP]") < len(tokenizer)


def test_a_text_keeps_the_special_tokens_around_it(base: Base) -> None:
    before = base.tokenizer("gout")["input_ids"]
    tokenizer = cut_vocabulary(base.network, base.tokenizer, ["gout"], size=10_000)
    after = tokenizer("gout")["input_ids"]
    assert tokenizer.convert_ids_to_tokens(after) == base.tokenizer.convert_ids_to_tokens(before)
    assert tokenizer.backend_tokenizer.encode("gout").ids == after
    assert after[0] == tokenizer.cls_token_id
    assert after[-1] == tokenizer.sep_token_id


def test_pieces_that_never_occur_go_even_where_there_is_room(base: Base) -> None:
    tokenizer = cut_vocabulary(base.network, base.tokenizer, ["gout"], size=10_000)
    assert "liver" not in tokenizer.get_vocab()
    assert "gout" in tokenizer.get_vocab()


def test_too_few_pieces_are_refused(base: Base) -> None:
    with pytest.raises(RequestError, match=r"'encoder.pieces' is 7; this vocabulary has"):
        cut_vocabulary(base.network, base.tokenizer, NAMES, size=7)

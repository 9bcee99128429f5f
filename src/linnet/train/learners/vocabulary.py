"""A transformer's WordPiece vocabulary cut to the pieces that texts need: half of a small model's weights are its vocabulary."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import torch
from tokenizers import Tokenizer

from linnet.errors import RequestError
from linnet.train.text_batches import text_batches

__all__ = ["cut_vocabulary"]

_ROLES = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
_CONTINUES = "##"


def cut_vocabulary(network: Any, tokenizer: Any, texts: Iterable[str], *, size: int) -> Any:
    """Keep at most `size` pieces: special tokens, all single characters, then the most frequent pieces of the texts.

    A word whose pieces are gone is cut into shorter ones, so no text becomes unknown that was known before.

    network    its table of token vectors is replaced by the rows that are kept
    tokenizer  of transformers; not changed

    Returns the new tokenizer, whose ids keep their order. Raises RequestError where the vocabulary is not WordPiece or
    has fewer special tokens and characters than fit.
    """
    described = json.loads(tokenizer.backend_tokenizer.to_str())
    if described["model"]["type"] != "WordPiece":
        raise RequestError(
            f"'encoder.pieces' cuts a WordPiece vocabulary; this model has {described['model']['type']}. Leave it out."
        )
    vocabulary: dict[str, int] = described["model"]["vocab"]
    added = {entry["content"] for entry in described["added_tokens"]}
    always = [piece for piece in vocabulary if piece in added or len(piece.removeprefix(_CONTINUES)) == 1]
    if len(always) > size:
        raise RequestError(
            f"'encoder.pieces' is {size:,}; this vocabulary has {len(always):,} special tokens and characters. Raise it."
        )
    counts = _counted(tokenizer.backend_tokenizer, texts)
    frequent = sorted(set(vocabulary) - set(always), key=lambda piece: (-counts[vocabulary[piece]], piece))
    wanted = {
        *always,
        *(piece for piece in frequent[: size - len(always)] if counts[vocabulary[piece]]),
    }
    kept = [piece for piece in sorted(vocabulary, key=vocabulary.__getitem__) if piece in wanted]
    number = {piece: position for position, piece in enumerate(kept)}
    described["model"]["vocab"] = number
    for entry in described["added_tokens"]:
        entry["id"] = number[entry["content"]]
    _renumber(described["post_processor"], number)
    rows = torch.tensor([vocabulary[piece] for piece in kept])
    _keep_rows(network, rows)
    return _as_tokenizer(described, tokenizer)


def _renumber(processor: Any, number: Mapping[str, int]) -> None:
    """Change the ids of the special tokens that surround a text, in place."""
    match processor:
        case {"type": "TemplateProcessing", "special_tokens": tokens}:
            for token in tokens.values():
                token["ids"] = [number[piece] for piece in token["tokens"]]
        case {"type": "BertProcessing" | "RobertaProcessing"}:
            for role in ("sep", "cls"):
                processor[role][1] = number[processor[role][0]]
        case {"type": "Sequence", "processors": several}:
            for one in several:
                _renumber(one, number)


def _counted(tokenizer: Any, texts: Iterable[str]) -> Counter[int]:
    counts: Counter[int] = Counter()
    for parts, _ in text_batches(texts):
        for encoding in tokenizer.encode_batch(parts, add_special_tokens=False):
            counts.update(encoding.ids)
    return counts


def _keep_rows(network: Any, rows: torch.Tensor) -> None:
    table = network.get_input_embeddings()
    cut = torch.nn.Embedding(len(rows), table.embedding_dim)
    with torch.no_grad():
        cut.weight.copy_(table.weight[rows])
    network.set_input_embeddings(cut)
    network.config.vocab_size = len(rows)


def _as_tokenizer(described: Any, like: Any) -> Any:
    from transformers import PreTrainedTokenizerFast

    roles = {role: getattr(like, role) for role in _ROLES if getattr(like, role, None) is not None}
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=Tokenizer.from_str(json.dumps(described)), **roles
    )

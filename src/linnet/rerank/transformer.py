"""A dual encoder of two transformers in ONNX Runtime: linking needs no torch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from linnet.arrays import Floats
from linnet.encode.model import Model, opening_weights
from linnet.encode.session import POOLINGS, Session
from linnet.rerank.dual_inputs import DescribedConcept, MentionInContext
from linnet.rerank.tokens import Tokens

__all__ = ["ENTITY", "MENTION", "TOKENIZER", "TransformerTowers"]

# In a model's directory: token ids (N, L) → a vector per token (N, L, D).
MENTION, ENTITY, TOKENIZER = "mention.onnx", "entity.onnx", "tokenizer.json"


class TransformerTowers:
    """Vectors of mentions and entities.

    mention_pooling  "markers": the mean of the outputs at the two markers; "span": of these and all between them
    entity_pooling   "cls": the first output; "mean": the mean of all
    """

    def __init__(
        self,
        mention: Session,
        entity: Session,
        tokens: Tokens,
        *,
        dimensions: int,
        mention_pooling: str = "markers",
        entity_pooling: str = "cls",
    ) -> None:
        """Raises KeyError for a pooling that it does not know."""
        self._mention, self._entity, self._tokens = mention, entity, tokens
        self.dimensions = dimensions
        self._pool_mentions = {"markers": _at_markers, "span": _within_markers}[mention_pooling]
        self._pool_entities = POOLINGS[entity_pooling]

    @classmethod
    def open(cls, path: Path, model: Model, *, threads: int | None = None) -> Self:
        """Read a model directory. Raises DamagedError if it cannot be used."""
        from tokenizers import Tokenizer

        with opening_weights(path):
            options = model.options
            tokens = Tokens(
                Tokenizer.from_file(str(path / TOKENIZER)),
                str(options["first"]),
                str(options["between"]),
                int(options["length"]),
            )
            mention, entity = (
                Session.open(
                    path / file,
                    dimensions=model.dimensions,
                    precision=str(options["precision"]),
                    threads=threads,
                )
                for file in (MENTION, ENTITY)
            )
            return cls(
                mention,
                entity,
                tokens,
                dimensions=model.dimensions,
                mention_pooling=str(options.get("mention_pooling", "markers")),
                entity_pooling=str(options.get("entity_pooling", "cls")),
            )

    def mentions(self, contexts: Sequence[MentionInContext]) -> Floats:
        """(N, D) float32, not normalised."""
        first, last = self._tokens.start, self._tokens.end

        def pooled(states: Any, ids: Any) -> Floats:
            return self._pool_mentions(states, (ids == first).argmax(1), (ids == last).argmax(1))

        return self._mention.vectors(self._tokens.mentions(contexts), pooled)

    def entities(self, concepts: Sequence[DescribedConcept]) -> Floats:
        """(N, D) float32, not normalised."""
        return self._entity.vectors(self._tokens.entities(concepts), self._pool_entities)


def _at_markers(states: Any, first: Any, last: Any) -> Floats:
    rows = np.arange(len(states))
    mean: Floats = (states[rows, first] + states[rows, last]) / 2
    return mean


def _within_markers(states: Any, first: Any, last: Any) -> Floats:
    places = np.arange(states.shape[1])
    inside = (places >= first[:, None]) & (places <= last[:, None])
    mean: Floats = (states * inside[:, :, None]).sum(1) / inside.sum(1, keepdims=True)
    return mean.astype(np.float32)

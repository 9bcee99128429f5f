"""A dual encoder of two transformers in ONNX Runtime: linking needs no torch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from linnet.arrays import Floats
from linnet.encode.model import REBUILD, Model
from linnet.encode.session import POOLINGS, Session
from linnet.errors import DamagedError
from linnet.rerank.dual_inputs import DescribedConcept, MentionInContext
from linnet.rerank.tokens import Tokens

__all__ = ["ENTITY", "MENTION", "TOKENIZER", "TransformerTowers"]

# In a model's directory: token ids (N, L) → a vector per token (N, L, D).
MENTION, ENTITY, TOKENIZER = "mention.onnx", "entity.onnx", "tokenizer.json"


class TransformerTowers:
    """A mention's vector is the mean of the outputs at its two markers, an entity's the first output."""

    def __init__(self, mention: Session, entity: Session, tokens: Tokens, *, dimensions: int) -> None:
        self._mention, self._entity, self._tokens = mention, entity, tokens
        self.dimensions = dimensions

    @classmethod
    def open(cls, path: Path, model: Model, *, threads: int | None = None) -> Self:
        """Read a model directory. Raises DamagedError if it cannot be used."""
        from tokenizers import Tokenizer

        try:
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
        except Exception as error:  # both libraries raise bare Exceptions of their own
            raise DamagedError(f"{path} cannot be used: {error} {REBUILD}") from None
        return cls(mention, entity, tokens, dimensions=model.dimensions)

    def mentions(self, contexts: Sequence[MentionInContext]) -> Floats:
        """(N, D) float32, not normalised."""
        start, end = self._tokens.start, self._tokens.end

        def at_markers(states: Any, ids: Any) -> Floats:
            rows = np.arange(len(ids))
            first, last = (ids == start).argmax(1), (ids == end).argmax(1)
            mean: Floats = (states[rows, first] + states[rows, last]) / 2
            return mean

        return self._mention.vectors(self._tokens.mentions(contexts), at_markers)

    def entities(self, concepts: Sequence[DescribedConcept]) -> Floats:
        """(N, D) float32, not normalised."""
        return self._entity.vectors(self._tokens.entities(concepts), POOLINGS["cls"])

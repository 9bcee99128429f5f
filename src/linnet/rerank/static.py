"""A dual encoder without layers: bags of n-grams and words, and one gate. Two cores train it in minutes.

    u(text)  = n-gram bag of a text, scaled to length 1           c(words) = word bag, scaled to length 1
    mention  = s · u(text) + gate · P c(left + right)             gate = σ(w · [u(text), c(left + right)] + b)
    entity   = s · mean of u(name) over the names + Q c(type)

Mention and entity have an n-gram table each, or share one. Vectors have length about s = 10, near that of BERT's outputs, so
that the margins and radii of the paper apply.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Self

import numpy as np

from linnet.arrays import Floats
from linnet.encode import unit
from linnet.encode.model import REBUILD
from linnet.encode.ngram import NgramEncoder
from linnet.encode.safetensors import read_safetensors
from linnet.errors import DamagedError
from linnet.rerank.dual_inputs import DescribedConcept, MentionInContext

__all__ = ["CONTEXT", "ENTITY", "MENTION", "WEIGHTS", "StaticTowers"]

# In a model's directory: encoders of kind "ngram", and all other weights. Without ENTITY, names use the table of mentions.
MENTION, ENTITY, CONTEXT, WEIGHTS = "mention", "entity", "context", "weights.safetensors"


class StaticTowers:
    """Encodes names and mentions by n-gram bags, context and types by word bags. Runs on one thread."""

    def __init__(
        self, mention: NgramEncoder, entity: NgramEncoder, context: NgramEncoder, weights: dict[str, Floats]
    ) -> None:
        """
        weights  scale (1,), gate (D + C,), bias (1,), context (D, C), type (D, C)
        """
        self._mention, self._entity, self._context = mention, entity, context
        self._weights = {name: np.ascontiguousarray(array, np.float32) for name, array in weights.items()}
        self.dimensions = mention.dimensions

    @classmethod
    def open(cls, path: Path) -> Self:
        """Read a model directory that training wrote. Raises DamagedError if its files do not fit together."""
        mention, context = NgramEncoder.open(path / MENTION), NgramEncoder.open(path / CONTEXT)
        entity = NgramEncoder.open(path / ENTITY) if (path / ENTITY).is_dir() else mention
        weights = read_safetensors(path / WEIGHTS, rebuild=REBUILD)
        width, extra = mention.dimensions, context.dimensions
        expected = {
            "scale": (1,),
            "gate": (width + extra,),
            "bias": (1,),
            "context": (width, extra),
            "type": (width, extra),
        }
        shapes = {name: array.shape for name, array in weights.items()}
        if shapes != expected or entity.dimensions != width:
            raise DamagedError(f"{path / WEIGHTS} holds {shapes}; expected {expected}. {REBUILD}")
        return cls(mention, entity, context, weights)

    def mentions(self, contexts: Sequence[MentionInContext]) -> Floats:
        """(N, D) float32, not normalised."""
        texts = unit(self._mention.encode([context.text for context in contexts]))
        around = unit(self._context.encode([f"{context.left} {context.right}" for context in contexts]))
        logits = _rows_times(np.concatenate([texts, around], axis=1), self._weights["gate"][None])
        gate = 1 / (1 + np.exp(-(logits + self._weights["bias"])))
        return np.asarray(
            self._weights["scale"] * texts + gate * _rows_times(around, self._weights["context"]), np.float32
        )

    def entities(self, concepts: Sequence[DescribedConcept]) -> Floats:
        """(N, D) float32, not normalised."""
        owners = np.repeat(np.arange(len(concepts)), [len(concept.names) for concept in concepts])
        names = unit(self._entity.encode([name for concept in concepts for name in concept.names]))
        sums = np.zeros((len(concepts), self.dimensions), np.float32)
        np.add.at(sums, owners, names)
        means = sums / np.maximum(np.bincount(owners, minlength=len(concepts)), 1)[:, None]
        types = unit(self._context.encode([concept.type for concept in concepts]))
        return np.asarray(
            self._weights["scale"] * means + _rows_times(types, self._weights["type"]), np.float32
        )


def _rows_times(rows: Floats, matrix: Floats) -> Floats:
    """(N, C) · (D, C)ᵀ; unlike BLAS, sums each row in the same order whatever else is in the batch."""
    product: Floats = np.einsum("nc,dc->nd", rows, matrix, optimize=False)
    return product

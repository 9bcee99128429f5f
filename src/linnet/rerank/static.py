"""A dual encoder without layers: bags of n-grams and words, and one gate. What two cores train in minutes.

    u(text)  = n-gram bag of a text, brought to length 1          c(words) = word bag, brought to length 1
    mention  = s · u(text) + gate · P c(left + right)             gate = σ(w · [u(text), c(left + right)] + b)
    entity   = s · mean of u(name) over the names + Q c(type)

The mention's and the entity's n-gram tables are two, or one and the same. Vectors have length about s = 10, near those
of BERT's outputs, so that margins and radii of the paper mean what they mean there.
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

# In a model's directory: encoders of kind "ngram", and the rest. Without ENTITY the names' table is the mentions'.
MENTION, ENTITY, CONTEXT, WEIGHTS = "mention", "entity", "context", "weights.safetensors"


class StaticTowers:
    """Names and mentions by n-gram bags, context and types by word bags. Runs on one thread."""

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
        """Read what `linnet.train.learners.static.StaticDual` wrote. Raises DamagedError where parts do not fit."""
        mention, context = NgramEncoder.open(path / MENTION), NgramEncoder.open(path / CONTEXT)
        entity = NgramEncoder.open(path / ENTITY) if (path / ENTITY).is_dir() else mention
        weights = read_safetensors(path / WEIGHTS, rebuild=REBUILD)
        width, extra = mention.dimensions, context.dimensions
        wanted = {
            "scale": (1,),
            "gate": (width + extra,),
            "bias": (1,),
            "context": (width, extra),
            "type": (width, extra),
        }
        found = {name: array.shape for name, array in weights.items()}
        if found != wanted or entity.dimensions != width:
            raise DamagedError(f"{path / WEIGHTS} holds {found}; expected {wanted}. {REBUILD}")
        return cls(mention, entity, context, weights)

    def mentions(self, contexts: Sequence[MentionInContext]) -> Floats:
        """(N, D) float32, raw."""
        texts = unit(self._mention.encode([context.text for context in contexts]))
        around = unit(self._context.encode([f"{context.left} {context.right}" for context in contexts]))
        open_ = _rows_times(np.concatenate([texts, around], axis=1), self._weights["gate"][None])
        gate = 1 / (1 + np.exp(-(open_ + self._weights["bias"])))
        return np.asarray(
            self._weights["scale"] * texts + gate * _rows_times(around, self._weights["context"]), np.float32
        )

    def entities(self, described: Sequence[DescribedConcept]) -> Floats:
        """(N, D) float32, raw."""
        owners = np.repeat(np.arange(len(described)), [len(one.names) for one in described])
        names = unit(self._entity.encode([name for one in described for name in one.names]))
        sums = np.zeros((len(described), self.dimensions), np.float32)
        np.add.at(sums, owners, names)
        means = sums / np.maximum(np.bincount(owners, minlength=len(described)), 1)[:, None]
        types = unit(self._context.encode([one.type for one in described]))
        return np.asarray(
            self._weights["scale"] * means + _rows_times(types, self._weights["type"]), np.float32
        )


def _rows_times(rows: Floats, matrix: Floats) -> Floats:
    """(N, C) · (D, C)ᵀ, each row added up in the same order whatever else is in the batch, as BLAS does not promise."""
    product: Floats = np.einsum("nc,dc->nd", rows, matrix, optimize=False)
    return product

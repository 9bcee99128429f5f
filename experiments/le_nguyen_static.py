"""The dual encoder of le_nguyen.py: no layers but bags of n-grams and words, and one gate. Two cores train it in minutes.

    u(text)  = n-gram bag of a text, scaled to length 1           c(words) = word bag, scaled to length 1
    mention  = s · u(text) + gate · P c(left + right)             gate = σ(w · [u(text), c(left + right)] + b)
    entity   = s · mean of u(name) over the names + Q c(type)

Mention and entity have an n-gram table each. Vectors have length about s = 10, near that of BERT's outputs, so that the margins
and radii of the paper apply.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_matrix
from torch import Tensor, nn
from torch.nn.functional import normalize

from linnet.arrays import Ints
from linnet.encode.features import Bags, ranges
from linnet.rerank.dual_inputs import DescribedConcept, MentionInContext
from linnet.train.learners.ngram import NgramLearner, NgramSettings
from linnet.train.learners.row_adagrad import RowAdagrad
from linnet.train.learners.transformer_dual import Encode
from linnet.train.tasks.dual import DualTask
from linnet.train.tasks.dual_settings import DualSettings

__all__ = ["StaticDual", "StaticDualSettings", "StaticDualTask", "StaticSettings"]


@dataclass(frozen=True, kw_only=True)
class StaticDualSettings:
    """
    start          directory of the n-gram encoder that both towers start from
    context_buckets, context_dimensions   of the table for the words around a mention, and types
    scale          initial length of a vector
    learning_rate  of row-wise Adagrad on the tables        small_learning_rate  on the gate and projections
    """

    start: Path
    context_buckets: int = 2**15
    context_dimensions: int = 64
    scale: float = 10.0
    learning_rate: float = 0.05
    small_learning_rate: float = 0.02


@dataclass(frozen=True, kw_only=True)
class StaticSettings(DualSettings):
    """Those of task "dual" with a static encoder."""

    encoder: StaticDualSettings


class StaticDual(nn.Module):
    """Mentions in context and described concepts → vectors, compared by Euclidean distance."""

    def __init__(
        self, settings: StaticDualSettings, names: Sequence[str], words: Sequence[str], *, seed: int
    ) -> None:
        """
        names  unused: both towers start from an encoder        words  sentences, for the table of contexts
        """
        super().__init__()
        self.settings = settings
        tables = NgramSettings(start=settings.start)
        around = NgramSettings(
            buckets=settings.context_buckets, dimensions=settings.context_dimensions, pairs=False
        )
        self.mention, self.entity = (NgramLearner(tables, names, seed=seed) for _ in range(2))
        self.context = NgramLearner(around, words, seed=seed + 1)
        self.dimensions = width = self.mention.table.shape[1]
        extra = settings.context_dimensions
        # Rows, so that the optimiser treats all parameters alike. Initially the context has no effect.
        self.scale = nn.Parameter(torch.full((1, 1), settings.scale))
        self.gate = nn.Parameter(torch.zeros(1, width + extra))
        self.bias = nn.Parameter(torch.zeros(1, 1))
        self.project = nn.Parameter(torch.zeros(width, extra))
        self.of_type = nn.Parameter(torch.zeros(width, extra))

    def mentions(self, contexts: Sequence[MentionInContext]) -> Encode:
        """See `TransformerDual.mentions`."""
        texts = _Texts(self.mention, [context.text for context in contexts])
        around = _Texts(self.context, [f"{context.left} {context.right}" for context in contexts])

        def encode(numbers: Ints) -> Tensor:
            own, beside = texts(numbers), around(numbers)
            gate = (torch.cat([own, beside], 1) @ self.gate.T + self.bias).sigmoid()
            return self.scale * own + gate * (beside @ self.project.T)

        return encode

    def entities(self, described: Sequence[DescribedConcept]) -> Encode:
        """See `TransformerDual.entities`."""
        names = _Texts(self.entity, [name for concept in described for name in concept.names])
        types = _Texts(self.context, [concept.type for concept in described])
        counts = np.array([len(concept.names) for concept in described], np.int64)
        starts = np.cumsum(counts) - counts

        def encode(numbers: Ints) -> Tensor:
            lengths = counts[numbers]
            each = names(ranges(starts[numbers], lengths))
            owners = torch.from_numpy(np.repeat(np.arange(len(numbers)), lengths))
            sums = torch.zeros(len(numbers), self.dimensions).index_add(0, owners, each)
            means = sums / torch.from_numpy(np.maximum(lengths, 1)).to(each)[:, None]
            return self.scale * means + types(numbers) @ self.of_type.T

        return encode

    def optimiser(self) -> torch.optim.Optimizer:
        """Row-wise Adagrad; the parameters that every example moves have their own rate."""
        tables = [encoder.table for encoder in (self.mention, self.entity, self.context)]
        small = [self.scale, self.gate, self.bias, self.project, self.of_type]
        groups: Any = [
            {"params": tables, "lr": self.settings.learning_rate},
            {"params": small, "lr": self.settings.small_learning_rate},
        ]
        return RowAdagrad(groups)


class StaticDualTask(DualTask):
    """The task "dual" with the static encoder; `linnet train` has it with transformers only."""

    Settings = StaticSettings
    Learner = StaticDual


class _Texts:
    """Vectors of length 1, each distinct text prepared once; zeros for a text without features."""

    def __init__(self, learner: NgramLearner, texts: Sequence[str]) -> None:
        places: dict[str, int] = {}
        self._number = np.array([places.setdefault(text, len(places)) for text in texts], np.int64)
        self._learner, self._with_gradient = learner, learner.numbered(list(places))
        words, named, pairs = learner.features.parts(list(places))
        buckets = learner.features.buckets
        self._words, self._pairs = _counts(words, buckets), _counts(pairs, buckets)
        self._texts = _counts(named, len(words.offsets) - 1)

    def __call__(self, numbers: Ints) -> Tensor:
        wanted, back = np.unique(self._number[numbers], return_inverse=True)
        vectors = self._with_gradient(wanted) if torch.is_grad_enabled() else self._word_by_word(wanted)
        return normalize(vectors, dim=1)[torch.from_numpy(back)]

    def _word_by_word(self, wanted: Ints) -> Tensor:
        """The same sums without gradients, in a fifth of the time: each word is summed once for all names."""
        weights = self._learner.table.detach().numpy()
        rows = self._texts[wanted]
        used, places = np.unique(rows.indices, return_inverse=True)
        narrow = csr_matrix((rows.data, places, rows.indptr), shape=(len(wanted), len(used)))
        sums = narrow @ (self._words[used] @ weights) + self._pairs[wanted] @ weights
        return torch.from_numpy(np.asarray(sums, np.float32))


def _counts(bags: Bags, width: int) -> Any:
    """(bags, width) how often each bag has each number."""
    ones = np.ones(len(bags.values), np.float32)
    return csr_matrix((ones, bags.values, bags.offsets), shape=(len(bags.offsets) - 1, width))

"""The static n-gram encoder in training: a table of bucket vectors, learnt from scratch in minutes.

A batch touches a fraction of the table, so its gradient is sparse, and each row has its own learning rate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_matrix
from torch import Tensor, nn

from linnet.arrays import Ints
from linnet.encode.features import NgramFeatures, ranges
from linnet.encode.ngram import NgramEncoder
from linnet.encode.table import StoredTable
from linnet.train.learners.learner import Learner
from linnet.train.learners.row_adagrad import RowAdagrad

__all__ = ["NgramLearner", "NgramSettings"]

_TOGETHER = 1 << 14  # texts whose features are computed at a time


@dataclass(frozen=True, kw_only=True)
class NgramSettings:
    """The section `[encoder]` of a run file whose `kind` is "ngram".

    name           of the model
    buckets        rows of the table            dimensions  of the vectors
    pairs          whether pairs of neighbouring words are features too
    learning_rate  of row-wise Adagrad
    quantisation   of the stored table: float32, float16, int8 or int4
    start          directory of an n-gram encoder to start from, which sets the sizes
    """

    kind: str = "ngram"
    name: str = "ngram"
    buckets: int = 2**17
    dimensions: int = 128
    pairs: bool = True
    learning_rate: float = 0.1
    quantisation: str = "int4"
    start: Path | None = None


class NgramLearner(Learner):
    """(N, D) sums of bucket vectors. The initial table is a random projection of the names' TF-IDF."""

    Settings = NgramSettings

    def __init__(self, settings: NgramSettings, names: Iterable[str], *, seed: int) -> None:
        """
        names  for the initial idf weights
        seed   of the random signs
        """
        super().__init__()
        self.settings = settings
        self.digest = ""  # of what it starts from
        if settings.start is not None:
            initial = NgramEncoder.open(settings.start)
            self.digest = initial.digest
        else:
            initial = NgramEncoder.untrained(
                names,
                buckets=settings.buckets,
                dimensions=settings.dimensions,
                pairs=settings.pairs,
                seed=seed,
            )
        self.features: NgramFeatures = initial.ngrams
        # The weights are folded into the table and trained with it.
        table = torch.from_numpy(initial.folded())
        self.table = nn.Parameter(table if settings.start else table * (_SCALE / table.std()))

    def forward(self, texts: Sequence[str]) -> Tensor:
        """(N, D) raw."""
        bags = self.features.bags(texts)
        return _sums(self.table, bags.offsets, bags.values)

    def numbered(self, texts: Sequence[str]) -> Callable[[Ints], Tensor]:
        """See `Learner.numbered`: features are computed once, 4 bytes each."""
        batches = [self.features.bags(texts[i : i + _TOGETHER]) for i in range(0, len(texts), _TOGETHER)]
        counts = np.concatenate([np.diff(bags.offsets) for bags in batches])
        values = np.concatenate([bags.values.astype(np.int32) for bags in batches])
        starts = np.cumsum(counts) - counts

        def encode(numbers: Ints) -> Tensor:
            lengths = counts[numbers]
            offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
            return _sums(self.table, offsets, values[ranges(starts[numbers], lengths)])

        return encode

    def optimiser(self) -> torch.optim.Optimizer:
        """Row-wise Adagrad over the table."""
        return RowAdagrad([self.table], lr=self.settings.learning_rate)

    def encoder(self, *, quantisation: str | None = None) -> NgramEncoder:
        """The encoder with the current table."""
        stored = StoredTable.of(
            self.table.detach().cpu().numpy(), quantisation=quantisation or self.settings.quantisation
        )
        return NgramEncoder(
            self.features, stored, np.ones(self.features.buckets, np.float32), name=self.settings.name
        )

    def save(self, directory: Path, *, card: str, training: Mapping[str, Any]) -> None:
        """Write the model directory, the table quantised."""
        self.encoder().save(directory, card=card, training=training)


# Initial standard deviation of the table's numbers, with which a learning rate of 0.1 moves a row by a good part of its
# length; chosen on NCBI and BC5CDR train.
_SCALE = 0.3


def _sums(table: Tensor, offsets: Ints, buckets: Any) -> Tensor:
    """(N, D) the sum of the rows of each bag."""
    result: Tensor = _BagSum.apply(table, offsets, buckets)  # type: ignore[no-untyped-call]
    return result


class _BagSum(torch.autograd.Function):
    """A sparse product with the rows that occur; the gradient holds these rows, each once, in order.

    torch's EmbeddingBag does the same with an entry per feature instead of per row, at half the speed.
    """

    @staticmethod
    def forward(ctx: Any, table: Tensor, offsets: Ints, buckets: Any) -> Tensor:
        rows, places = np.unique(buckets, return_inverse=True)
        product = csr_matrix(
            (np.ones(len(places), np.float32), places, offsets), shape=(len(offsets) - 1, len(rows))
        )
        ctx.product, ctx.rows = product, torch.from_numpy(rows)
        ctx.shape, ctx.device = table.shape, table.device
        taken = table.detach()[ctx.rows.to(table.device)].cpu().numpy()
        return torch.from_numpy(product @ taken).to(table.device)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        values = torch.from_numpy(ctx.product.T @ gradients[0].cpu().numpy())
        rows = ctx.rows[None].long()
        sparse = torch.sparse_coo_tensor(rows, values, ctx.shape, is_coalesced=True, check_invariants=False)
        return sparse.to(ctx.device), None, None

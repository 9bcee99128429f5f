"""The static n-gram encoder under training: a table of bucket vectors, summed, learnt from scratch in minutes.

A batch touches a fraction of the table, so its gradient is sparse, and each row has a learning rate of its own.
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
from linnet.encode.features import NgramFeatures
from linnet.encode.ngram import NgramEncoder
from linnet.encode.table import StoredTable
from linnet.train.learners.learner import Learner
from linnet.train.learners.row_adagrad import RowAdagrad

__all__ = ["NgramLearner", "NgramSettings"]

_TOGETHER = 1 << 14  # texts taken apart at a time


@dataclass(frozen=True, kw_only=True)
class NgramSettings:
    """The section `[encoder]` of a run file whose `kind` is "ngram".

    name           what the model is called
    buckets        rows of the table            dimensions  of the vectors
    pairs          pairs of neighbouring words are features too
    learning_rate  of row-wise Adagrad
    quantisation   of the stored table: float32, float16, int8 or int4
    start          directory of an n-gram encoder to go on from; its sizes are taken
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
    """(N, D) sums of bucket vectors; the table begins as a random projection of the names' TF-IDF."""

    Settings = NgramSettings

    def __init__(self, settings: NgramSettings, names: Iterable[str], *, seed: int) -> None:
        """
        names  whose idf the table begins with
        seed   of the random signs
        """
        super().__init__()
        self.settings = settings
        if settings.start is not None:
            begun = NgramEncoder.open(settings.start)
        else:
            begun = NgramEncoder.untrained(
                names,
                buckets=settings.buckets,
                dimensions=settings.dimensions,
                pairs=settings.pairs,
                seed=seed,
            )
        self.features: NgramFeatures = begun.ngrams
        # Weights are folded into the table: what a bucket weighs is learnt with the rest.
        table = torch.from_numpy(begun.folded())
        self.table = nn.Parameter(table if settings.start else table * (_SCALE / table.std()))

    def forward(self, texts: Sequence[str]) -> Tensor:
        """(N, D) raw."""
        bags = self.features.bags(texts)
        return _sums(self.table, bags.offsets, bags.values)

    def numbered(self, texts: Sequence[str]) -> Callable[[Ints], Tensor]:
        """See `Learner.numbered`: texts are taken apart once, 4 bytes a feature."""
        parts = [self.features.bags(texts[i : i + _TOGETHER]) for i in range(0, len(texts), _TOGETHER)]
        counts = np.concatenate([np.diff(bags.offsets) for bags in parts])
        values = np.concatenate([bags.values.astype(np.int32) for bags in parts])
        starts = np.cumsum(counts) - counts

        def encode(numbers: Ints) -> Tensor:
            lengths = counts[numbers]
            offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
            places = np.repeat(starts[numbers] - offsets[:-1], lengths) + np.arange(offsets[-1])
            return _sums(self.table, offsets, values[places])

        return encode

    def optimiser(self) -> torch.optim.Optimizer:
        """Row-wise Adagrad over the table."""
        return RowAdagrad([self.table], lr=self.settings.learning_rate)

    def encoder(self, *, quantisation: str | None = None) -> NgramEncoder:
        """What has been learnt so far, as it is used."""
        stored = StoredTable.of(
            self.table.detach().cpu().numpy(), quantisation=quantisation or self.settings.quantisation
        )
        return NgramEncoder(
            self.features, stored, np.ones(self.features.buckets, np.float32), name=self.settings.name
        )

    def save(self, directory: Path, *, card: str, training: Mapping[str, Any]) -> None:
        """Write the model directory, the table quantised."""
        self.encoder().save(directory, card=card, training=training)


# Standard deviation of the table's numbers at the beginning: with it a learning rate of 0.1 moves a row by a good part
# of its length, chosen on NCBI and BC5CDR train.
_SCALE = 0.3


def _sums(table: Tensor, offsets: Ints, buckets: Any) -> Tensor:
    """(N, D) the sum of the rows of each bag."""
    result: Tensor = _BagSum.apply(table, offsets, buckets)  # type: ignore[no-untyped-call]
    return result


class _BagSum(torch.autograd.Function):
    """A sparse product with only the rows that occur; the gradient holds those rows, each once, in order.

    torch's EmbeddingBag gives the same with an entry per feature instead of per row, at half the speed.
    """

    @staticmethod
    def forward(ctx: Any, table: Tensor, offsets: Ints, buckets: Any) -> Tensor:
        rows, places = np.unique(buckets, return_inverse=True)
        product = csr_matrix(
            (np.ones(len(places), np.float32), places, offsets), shape=(len(offsets) - 1, len(rows))
        )
        ctx.product, ctx.rows, ctx.shape, ctx.device = (
            product,
            torch.from_numpy(rows),
            table.shape,
            table.device,
        )
        taken = table.detach()[ctx.rows.to(table.device)].cpu().numpy()
        return torch.from_numpy(product @ taken).to(table.device)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        values = torch.from_numpy(ctx.product.T @ gradients[0].cpu().numpy())
        rows = ctx.rows[None].long()
        sparse = torch.sparse_coo_tensor(rows, values, ctx.shape, is_coalesced=True, check_invariants=False)
        return sparse.to(ctx.device), None, None

"""Token ids → vectors in ONNX Runtime, bit for bit independent of the batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Self

import numpy as np

from linnet.arrays import Floats2d, Ints
from linnet.system.cores import cores

__all__ = ["POOLINGS", "Session"]

Pool = Callable[[Any, Ints], Floats2d]
"""(N, L, D) states of the last layer and (N, L) token ids → (N, D)."""

POOLINGS: dict[str, Pool] = {
    "cls": lambda states, ids: states[:, 0],
    "mean": lambda states, ids: states.mean(axis=1),
}
# Texts of equal length that run together: enough to fill a core, few enough to share between cores.
_TOGETHER = 32


class Session:
    """A transformer's graph, input `input_ids` (N, L), output (N, L, D).

    Only texts of equal length run together, without padding, each batch on one thread. So a text's vector is bit for bit
    the same in any batch and with any number of threads. int8 graphs, whose arithmetic depends on the batch, run text by text.
    """

    def __init__(self, session: Any, *, dimensions: int, precision: str, threads: int | None = None) -> None:
        """
        session  of ONNX Runtime
        threads  number of batches at a time, None for one per core
        """
        self._session, self._dimensions = session, dimensions
        self._together = 1 if precision == "int8" else _TOGETHER
        self._threads = threads or cores()

    @classmethod
    def open(cls, file: Path, *, dimensions: int, precision: str, threads: int | None = None) -> Self:
        """Read a graph. Raises ONNX Runtime's own exceptions, which derive from Exception only."""
        import onnxruntime

        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = settings.inter_op_num_threads = 1
        settings.log_severity_level = 3
        session = onnxruntime.InferenceSession(str(file), settings, providers=["CPUExecutionProvider"])
        return cls(session, dimensions=dimensions, precision=precision, threads=threads)

    def vectors(self, tokens: Sequence[Sequence[int]], pool: Pool) -> Floats2d:
        """(N, D) of N sequences of token ids, order kept."""
        batches = _batches(np.fromiter(map(len, tokens), np.int64, len(tokens)), self._together)
        vectors = np.empty((len(tokens), self._dimensions), np.float32)

        def run(batch: Ints) -> None:
            ids = np.array([tokens[i] for i in batch], np.int64)
            [states] = self._session.run(None, {"input_ids": ids})
            vectors[batch] = pool(states, ids)

        if self._threads == 1 or len(batches) < 2:
            for batch in batches:
                run(batch)
        else:
            with ThreadPoolExecutor(self._threads) as workers:
                list(workers.map(run, batches))
        return vectors


def _batches(lengths: Ints, together: int) -> list[Ints]:
    """Positions of texts of equal length, at most `together` in a batch; the slowest, of the longest texts, come first."""
    order = np.argsort(-lengths, kind="stable")
    starts = np.flatnonzero(np.diff(lengths[order], prepend=-1))
    groups = np.split(order, starts[1:]) if len(order) else []
    return [group[start : start + together] for group in groups for start in range(0, len(group), together)]

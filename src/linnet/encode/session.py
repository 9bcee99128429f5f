"""Token ids → vectors in ONNX Runtime, the same to the last bit in whatever company."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Self

import numpy as np

from linnet.arrays import Floats2d, Ints
from linnet.cores import cores

__all__ = ["POOLINGS", "Session"]

Pool = Callable[[Any, Ints], Floats2d]
"""(N, L, D) states of the last layer and (N, L) token ids → (N, D)."""

POOLINGS: dict[str, Pool] = {
    "cls": lambda states, ids: states[:, 0],
    "mean": lambda states, ids: states.mean(axis=1),
}
# Texts of one length run together: enough to fill a core, few enough to share between cores.
_TOGETHER = 32


class Session:
    """A transformer's graph, input `input_ids` (N, L), output (N, L, D).

    Only texts of equal length run together, without padding, each batch on one thread: a text's vector is the same to
    the last bit whatever else is encoded and on however many threads. int8 graphs, whose arithmetic depends on the
    whole batch, run text by text.
    """

    def __init__(self, session: Any, *, dimensions: int, precision: str, threads: int | None = None) -> None:
        """
        session  of ONNX Runtime
        threads  batches run at once, None for one per available core
        """
        self._session, self._dimensions = session, dimensions
        self._together = 1 if precision == "int8" else _TOGETHER
        self._threads = threads or cores()

    @classmethod
    def open(cls, file: Path, *, dimensions: int, precision: str, threads: int | None = None) -> Self:
        """Read a graph. Raises what ONNX Runtime raises, bare Exceptions of its own."""
        import onnxruntime

        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = settings.inter_op_num_threads = 1
        settings.log_severity_level = 3
        session = onnxruntime.InferenceSession(str(file), settings, providers=["CPUExecutionProvider"])
        return cls(session, dimensions=dimensions, precision=precision, threads=threads)

    def vectors(self, tokens: Sequence[Sequence[int]], pool: Pool) -> Floats2d:
        """(N, D) of N sequences of token ids, order kept."""
        batches = _batches(np.fromiter(map(len, tokens), np.int64, len(tokens)), self._together)
        found = np.empty((len(tokens), self._dimensions), np.float32)

        def run(batch: Ints) -> None:
            ids = np.array([tokens[i] for i in batch], np.int64)
            [states] = self._session.run(None, {"input_ids": ids})
            found[batch] = pool(states, ids)

        if self._threads == 1 or len(batches) < 2:
            for batch in batches:
                run(batch)
        else:
            with ThreadPoolExecutor(self._threads) as workers:
                list(workers.map(run, batches))
        return found


def _batches(lengths: Ints, together: int) -> list[Ints]:
    """Positions of texts of equal length, at most so many at a time, the longest first (they take longest)."""
    order = np.argsort(-lengths, kind="stable")
    starts = np.flatnonzero(np.diff(lengths[order], prepend=-1))
    groups = np.split(order, starts[1:]) if len(order) else []
    return [group[start : start + together] for group in groups for start in range(0, len(group), together)]

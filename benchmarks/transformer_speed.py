"""Pairs of names a second that a transformer learns from, before and after what makes training quick on a CPU.

The settings take turns on the same batches; the median over the rounds counts, and the median of the rounds' ratios to the
first setting. Steps are whole ones: tokens to loss, gradient, optimiser.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import torch

from linnet.io.settings_files import settings_from
from linnet.train.device import mixed_precision
from linnet.train.learners import vectors
from linnet.train.learners.pretrained import parameter_groups
from linnet.train.task import LoopSettings
from linnet.train.tasks.synonyms import SynonymsTask

__all__ = ["learning"]

ROUNDS, PAIRS = 3, 128


class Way(NamedTuple):
    """A way to train.

    padded    batches of 32 texts of similar length, and every word piece moved in every step, as linnet once did
    encoder   keys of the run file
    """

    title: str
    padded: bool
    precision: str
    encoder: dict[str, Any]


WAYS = (
    Way("padded, all word pieces, dropout, fp32", True, "fp32", {}),
    Way("packed, the batch's word pieces", False, "fp32", {}),
    Way("… and no dropout", False, "fp32", {"dropout": 0.0}),
    Way("… and bf16", False, "bf16", {"dropout": 0.0}),
    Way("… and three of six layers", False, "bf16", {"dropout": 0.0, "first_layers": 3}),
)


def learning(terminology: Path, start: Path, *, threads: Sequence[int]) -> Iterator[tuple[str, float, float]]:
    """Title of a way to train, pairs a second, and times the first way, for each number of threads.

    bf16 is left out where the processor has no fast arithmetic for it.
    """
    ways = [way for way in WAYS if way.precision == "fp32" or _mixed(way) is not None]
    tasks = [_task(way, terminology, start) for way in ways]
    before = torch.get_num_threads()
    for count in threads:
        torch.set_num_threads(count)
        rounds = []
        for step in range(ROUNDS + 1):
            seconds = [_seconds(way, task, step) for way, task in zip(ways, tasks, strict=True)]
            if step:  # the first warms up
                rounds.append(seconds)
        for way, times in zip(ways, zip(*rounds, strict=True), strict=True):
            ratios = [first / own for (first, *_), own in zip(rounds, times, strict=True)]
            title = f"{way.title}, {count} thread{'s' * (count > 1)}"
            yield title, PAIRS / statistics.median(times), statistics.median(ratios)
    torch.set_num_threads(before)


def _task(way: Way, terminology: Path, start: Path) -> tuple[SynonymsTask, torch.optim.Optimizer]:
    table = {
        "task": "synonyms",
        "output": "model",
        "encoder": {"kind": "transformer", "start": str(start), **way.encoder},
        "data": {"terminologies": [str(terminology)], "pairs": PAIRS},
    }
    task = SynonymsTask.prepare(settings_from(table, SynonymsTask.Settings))  # type: ignore[arg-type]
    task.module.train()
    if not way.padded:
        return task, task.optimiser()
    task.module.network.get_input_embeddings().sparse = False  # type: ignore[union-attr,operator]
    groups = parameter_groups(task.module.parameters(), weight_decay=0.01)
    return task, torch.optim.AdamW(groups, lr=2e-5)


def _seconds(way: Way, built: tuple[SynonymsTask, torch.optim.Optimizer], step: int) -> float:
    """Of one step."""
    task, optimiser = built
    mixed = _mixed(way)
    began = time.perf_counter()
    with _padding(way.padded), torch.autocast("cpu", mixed, enabled=mixed is not None):
        loss = task.loss(step)
    optimiser.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    optimiser.step()
    return time.perf_counter() - began


def _mixed(way: Way) -> torch.dtype | None:
    return mixed_precision(LoopSettings(precision=way.precision), torch.device("cpu"))  # type: ignore[arg-type]


@contextmanager
def _padding(padded: bool) -> Iterator[None]:
    if not padded:
        yield
        return
    with patch.object(vectors, "can_pack", lambda network: False):
        yield

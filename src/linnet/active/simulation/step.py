"""A point of a learning curve, as it is saved."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from linnet.errors import DamagedError
from linnet.io.files import replacing

__all__ = ["Prediction", "Step", "read_step", "write_step"]

Prediction = tuple[str, float]
"""Text and confidence."""


@dataclass(frozen=True, slots=True)
class Step:
    """What was annotated, and the scores of the model that learnt from it.

    labelled     ids of the annotated documents, in order; none before the first batch
    mentions     number of mentions annotated in them
    scores       see `linnet.active.simulation.teacher`
    learned      summary by learner
    predictions  in the other documents, by id; None if no strategy needs them
    """

    labelled: tuple[str, ...]
    mentions: int
    scores: Mapping[str, float]
    learned: Mapping[str, str]
    predictions: Mapping[str, tuple[Prediction, ...]] | None = None


def write_step(path: Path, step: Step) -> None:
    """Write a step atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fields = {
        "labelled": step.labelled,
        "mentions": step.mentions,
        "scores": dict(step.scores),
        "learned": dict(step.learned),
        "predictions": None if step.predictions is None else dict(step.predictions),
    }
    with replacing(path) as draft, gzip.GzipFile(draft, "wb", mtime=0) as stream:
        stream.write(json.dumps(fields, ensure_ascii=False).encode())


def read_step(path: Path) -> Step:
    """Raises DamagedError for a file that `write_step` did not write."""
    try:
        fields: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
        predictions = fields["predictions"]
        return Step(
            tuple(fields["labelled"]),
            int(fields["mentions"]),
            {str(name): float(value) for name, value in fields["scores"].items()},
            dict(fields["learned"]),
            None
            if predictions is None
            else {
                id: tuple((str(text), float(sure)) for text, sure in pairs)
                for id, pairs in predictions.items()
            },
        )
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedError(
            f"{path} is not a step of a simulation, or damaged: {error!r}. Remove it, and the next run makes it again."
        ) from None

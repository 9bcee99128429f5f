"""Predicts in batches of documents, in several processes. Imports little, because each of them imports this module first."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from functools import lru_cache

from linnet.active.confidence import confidence
from linnet.active.model import Model
from linnet.annotate.domain.annotations.snapshot import Snapshot, unlinked
from linnet.annotate.domain.states import Layer
from linnet.errors import RequestError
from linnet.system.processes import pool
from linnet.types import Document, Link

__all__ = ["predicted"]

Predicted = list[tuple[str, list[Snapshot]]]


def predicted(
    model: Model, batches: Iterable[Sequence[Document]], version: int, labels: Sequence[str], *, workers: int
) -> Iterator[Predicted]:
    """The texts of each batch with their predictions, in order.

    workers  processes that share the batches; 1 for none but this one. Threads would not help: linking is Python for the most part

    Raises MemoryError if one of them dies.
    """
    if workers < 2:
        yield from (_predict(model, batch, version, labels) for batch in batches)
        return
    packed = pickle.dumps(model.linker)
    running: deque[Future[Predicted]] = deque()
    try:
        with pool(workers) as processes:
            for batch in batches:
                running.append(processes.submit(_predict_elsewhere, packed, batch, version, labels))
                if len(running) > 2 * workers:
                    yield running.popleft().result()
            while running:
                yield running.popleft().result()
    except RequestError as error:  # a process died, for which a user of the page can do nothing
        raise MemoryError from error


def _predict(model: Model, batch: Sequence[Document], version: int, labels: Sequence[str]) -> Predicted:
    return [
        (document.text, [_prediction(link, version, labels) for link in links])
        for document, links in model.predict(batch)
    ]


def _predict_elsewhere(
    packed: bytes, batch: Sequence[Document], version: int, labels: Sequence[str]
) -> Predicted:
    """In a process that opens the linker once."""
    return _predict(_opened(packed), batch, version, labels)


@lru_cache(maxsize=1)
def _opened(packed: bytes) -> Model:
    return Model(pickle.loads(packed))


def _prediction(link: Link, version: int, labels: Sequence[str]) -> Snapshot:
    type = link.mention.type
    if labels and type not in labels:
        type = labels[0] if len(labels) == 1 else ""
    return unlinked(link.mention.start, link.mention.end, Layer.PRED, "") | {
        "type": type,
        "concepts": list(link.concepts),
        "nil": not link.concepts,
        "composite": len(link.concepts) > 1,
        "confidence": confidence(link),
        "probability": link.probability,
        "model": version,
    }

"""Counts and times in Prometheus' text format; of several processes added up.

Several processes write theirs into files of one folder, which $PROMETHEUS_MULTIPROC_DIR names before this module is imported;
whichever is asked adds them up.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Metric,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from linnet.serve.settings import METRICS_FOLDER
from linnet.serve.snapshot import Snapshot

__all__ = ["CONTENT_TYPE", "Metrics"]

CONTENT_TYPE = CONTENT_TYPE_LATEST
disable_created_metrics()  # type: ignore[no-untyped-call]
_SECONDS = (0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class _Folder(Collector):
    """What all processes have written; a file that one has only just made, or died over, has nothing in it."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def collect(self) -> Iterable[Metric]:
        files = [str(file) for file in self._place.glob("*.db") if _size(file)]
        found: Iterable[Metric] = MultiProcessCollector.merge(files)  # type: ignore[no-untyped-call]
        return found


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:  # of a process that has just ended
        return 0


class Metrics:
    """What this process counts."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        self.requests = Counter(
            "linnet_requests", "Requests answered.", ["route", "method", "status"], registry=registry
        )
        self.seconds = Histogram(
            "linnet_request_seconds",
            "From the head of a request to the end of its answer.",
            ["route"],
            buckets=_SECONDS,
            registry=registry,
        )
        self.in_flight = Gauge(
            "linnet_requests_in_flight",
            "Requests being answered, batches included.",
            registry=registry,
            multiprocess_mode="livesum",
        )
        self.refusals = Counter("linnet_errors", "Requests refused or failed.", ["code"], registry=registry)
        self.mentions = Counter("linnet_mentions", "Mentions that were looked at.", registry=registry)
        self.linked = Counter("linnet_mentions_linked", "Mentions that were linked.", registry=registry)
        self.lines = Counter("linnet_batch_lines", "Lines of batches.", ["outcome"], registry=registry)
        self.waited = Histogram(
            "linnet_queue_seconds",
            "Time that work waited for a thread.",
            buckets=_SECONDS,
            registry=registry,
        )
        self.together = Histogram(
            "linnet_linked_together",
            "Requests that were linked in one call.",
            buckets=(1, 2, 4, 8, 16, 32, 64),
            registry=registry,
        )
        self.reloads = Counter(
            "linnet_reloads", "Terminologies replaced while served.", ["outcome"], registry=registry
        )
        self.faults = Gauge(
            "linnet_faults",
            "What is wrong now, by code; see /ready.",
            ["code"],
            registry=registry,
            multiprocess_mode="livemax",
        )
        self.snapshot = Gauge(
            "linnet_snapshot_info",
            "What is served: the number of processes that serve it.",
            ["snapshot", "terminology", "digest"],
            registry=registry,
            multiprocess_mode="livesum",
        )
        self._served: list[tuple[str, ...]] = []
        self._faulty: set[str] = set()

    def serving(self, snapshot: Snapshot) -> None:
        """It takes the place of what was served before."""
        for labels in self._served:
            self.snapshot.labels(*labels).set(0)
        self._served = [
            (snapshot.digest, one["name"], one["digest"]) for one in snapshot.served["terminologies"]
        ]
        for labels in self._served:
            self.snapshot.labels(*labels).set(1)

    def faulty(self, codes: set[str]) -> None:
        """What is wrong now; what was and is no more becomes 0."""
        for code in self._faulty | codes:
            self.faults.labels(code).set(code in codes)
        self._faulty |= codes

    def render(self) -> bytes:
        """All of them, of all processes; info about what is served no more is left out."""
        if METRICS_FOLDER not in os.environ:
            text: bytes = generate_latest(self._registry)
        else:
            together = CollectorRegistry()
            together.register(_Folder(Path(os.environ[METRICS_FOLDER])))
            text = generate_latest(together)
        kept = [
            line
            for line in text.splitlines(keepends=True)
            if not (line.startswith(b"linnet_snapshot_info{") and line.rstrip().endswith(b" 0.0"))
        ]
        return b"".join(kept)

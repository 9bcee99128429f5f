"""Counts and times in Prometheus' text format, summed over all processes.

Several processes write theirs into files of one folder, which $PROMETHEUS_MULTIPROC_DIR names before this module is imported;
the process that is asked sums them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
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


class _FolderCollector(Collector):
    """The counts of all processes. Skips empty files: a process has just made one, or died over it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def collect(self) -> Iterable[Metric]:
        files = [str(file) for file in self._folder.glob("*.db") if _size(file)]
        summed: Iterable[Metric] = MultiProcessCollector.merge(files)  # type: ignore[no-untyped-call]
        return summed


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:  # its process has just ended
        return 0


class Metrics:
    """The counts of this process."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        counter = partial(Counter, registry=self._registry)
        gauge = partial(Gauge, registry=self._registry)
        histogram = partial(Histogram, registry=self._registry)
        self.requests = counter("linnet_requests", "Requests answered.", ["route", "method", "status"])
        self.seconds = histogram(
            "linnet_request_seconds",
            "From the head of a request to the end of its answer.",
            ["route"],
            buckets=_SECONDS,
        )
        self.in_flight = gauge(
            "linnet_requests_in_flight",
            "Requests being answered, batches included.",
            multiprocess_mode="livesum",
        )
        self.refusals = counter("linnet_errors", "Requests refused or failed.", ["code"])
        self.mentions = counter("linnet_mentions", "Mentions processed.")
        self.mentions_linked = counter("linnet_mentions_linked", "Mentions linked.")
        self.batch_lines = counter("linnet_batch_lines", "Lines of batches.", ["outcome"])
        self.queue_seconds = histogram(
            "linnet_queue_seconds", "Time that a task waited for a thread.", buckets=_SECONDS
        )
        self.linked_together = histogram(
            "linnet_linked_together", "Requests linked in one call.", buckets=(1, 2, 4, 8, 16, 32, 64)
        )
        self.reloads = counter(
            "linnet_reloads", "Terminologies replaced while they were served.", ["outcome"]
        )
        self.faults = gauge(
            "linnet_faults", "Current faults by code; see /ready.", ["code"], multiprocess_mode="livemax"
        )
        self.snapshot = gauge(
            "linnet_snapshot_info",
            "Number of processes that serve a snapshot.",
            ["snapshot", "terminology", "digest"],
            multiprocess_mode="livesum",
        )
        self._snapshot_labels: list[tuple[str, ...]] = []
        self._fault_codes: set[str] = set()

    def set_snapshot(self, snapshot: Snapshot) -> None:
        """Record the snapshot that is served from now on."""
        for labels in self._snapshot_labels:
            self.snapshot.labels(*labels).set(0)
        self._snapshot_labels = [
            (snapshot.digest, terminology["name"], terminology["digest"])
            for terminology in snapshot.served["terminologies"]
        ]
        for labels in self._snapshot_labels:
            self.snapshot.labels(*labels).set(1)

    def set_faults(self, codes: set[str]) -> None:
        """Record the current faults; those that are over become 0."""
        for code in self._fault_codes | codes:
            self.faults.labels(code).set(code in codes)
        self._fault_codes |= codes

    def render(self) -> bytes:
        """The counts of all processes, without information about snapshots that are no longer served."""
        if METRICS_FOLDER not in os.environ:
            text: bytes = generate_latest(self._registry)
        else:
            registry = CollectorRegistry()
            registry.register(_FolderCollector(Path(os.environ[METRICS_FOLDER])))
            text = generate_latest(registry)
        kept = [
            line
            for line in text.splitlines(keepends=True)
            if not (line.startswith(b"linnet_snapshot_info{") and line.rstrip().endswith(b" 0.0"))
        ]
        return b"".join(kept)

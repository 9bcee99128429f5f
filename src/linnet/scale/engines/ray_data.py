"""Tasks done by Ray Data: on this machine, or on a cluster by its address.

The data set is the list of tasks, one block each, and a pool of actors maps over it. Each actor opens its linker once;
actors of one node map the same files, held in memory once. Ray Data queues one task more than an actor is working on
(back-pressure), replaces an actor that died, with its tasks, and streams the records of finished chunks to the driver.

Texts do not pass through Ray: an actor reads the rows of its chunk and writes their file. `read_parquet` and
`write_parquet` would copy each text through the object store twice, and cut the output at arbitrary blocks, which can be
neither compared nor resumed. Linking a row takes a hundred times as long as reading it, so separate reading gains nothing.
"""

from __future__ import annotations

import logging
import os
import pickle
import socket
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from linnet.advice import Step
from linnet.errors import LinnetError, MissingExtraError, RequestError
from linnet.scale.engines.exit_notice import notice_if_killed
from linnet.scale.journal import ChunkRecord
from linnet.scale.scan import Scan
from linnet.scale.worker import Job, Task, Worker
from linnet.system.memory_errors import short_of_memory

__all__ = ["RayEngine", "check"]

# Holds descriptions and counts only; Ray's minimum is 75 MB.
_OBJECT_STORE = 128 * 2**20
_CONNECT_SECONDS = 10


_KEPT = "Finished chunks are kept."
_ENDED = (
    "Error: linnet was ended from outside: by a signal, or by Ray because one of Ray's processes on this machine died. "
    "The system kills them when memory is short; use fewer processes then. Finished chunks are kept: "
    "run it again, and say that it is to be resumed."
)


class RayEngine:
    """As many tasks at a time as the cluster has cores, or `workers` if fewer."""

    def __init__(self, workers: int, ray: Any) -> None:
        self.workers = workers
        self._ray = ray

    @classmethod
    @contextmanager
    def connected(cls, address: str | None, workers: int | None) -> Iterator[RayEngine]:
        """An engine on a cluster, or without an address on one that is started here for the block.

        An existing connection to Ray is used and kept. Raises as `check`, and RequestError where Ray cannot be started or one
        of its processes dies. Where Ray ends this program, a message says what to do.
        """
        ray = _import_ray()
        with notice_if_killed(_ENDED), _ray_errors_as_requests(ray):
            own = not ray.is_initialized()
            if own:
                _connect(ray, address, workers)
            try:
                resources: dict[str, float] = ray.cluster_resources()
                cores = max(1, int(resources.get("CPU", 1)))
                yield cls(min(workers or cores, cores), ray)
            finally:
                if own:
                    ray.shutdown()

    def run(self, job: Job, tasks: Sequence[Task]) -> Iterator[Scan | ChunkRecord]:
        """See `Engine.run`."""
        data = self._ray.data
        _quiet(data)
        items = [{"task": pickle.dumps(task)} for task in tasks]
        pool = data.ActorPoolStrategy(
            min_size=1,
            max_size=min(self.workers, len(items)),
            initial_size=min(self.workers, len(items)),
            max_tasks_in_flight_per_actor=2,
        )
        results = data.from_items(items, override_num_blocks=len(items)).map(
            _Actor, fn_constructor_args=(pickle.dumps(job),), compute=pool, num_cpus=1
        )
        for row in results.iter_rows():
            outcome = pickle.loads(row["outcome"])
            if isinstance(outcome, (LinnetError, MemoryError)):
                raise outcome
            if isinstance(outcome, str):
                raise RuntimeError(f"A Ray worker failed:\n{outcome}")
            yield outcome


class _Actor:
    """A worker inside Ray. Errors are returned, because Ray would wrap them, or retry."""

    def __init__(self, job: bytes) -> None:
        self._worker = Worker(pickle.loads(job))

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        try:
            outcome: object = self._worker(pickle.loads(row["task"]))
        except Exception as error:
            outcome = error if isinstance(error, LinnetError) else traceback.format_exc()
            if short_of_memory(error):
                outcome = MemoryError()
        return {"outcome": pickle.dumps(outcome)}


def check(address: str | None) -> None:
    """Raise MissingExtraError without Ray, RequestError where no cluster answers at the address: Ray itself tries for minutes."""
    _import_ray()
    host, _, port = (address or "").rpartition("://")[2].rpartition(":")
    if not host or not port.isdigit():
        return
    try:
        socket.create_connection((host, int(port)), timeout=_CONNECT_SECONDS).close()
    except OSError as error:
        raise _unreachable(str(address), str(error)) from None


def _import_ray() -> Any:
    # No usage statistics to Ray's makers; on a running cluster, whoever started it has decided this.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own deprecations on import
        try:
            import ray
            import ray.data
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in ("ray", "pandas", "fsspec"):
                raise
            raise MissingExtraError("The engine ray", "ray") from error
    return ray


@contextmanager
def _ray_errors_as_requests(ray: Any) -> Iterator[None]:
    """Raise Ray's own errors as RequestError: they mean that a Ray process or a machine of the cluster is gone."""
    from ray.data.exceptions import SystemException
    from ray.exceptions import UserCodeException

    try:
        yield
    except (ray.exceptions.RayError, SystemException, UserCodeException) as error:
        lines = str(error).strip().splitlines() or [""]
        raise RequestError(
            f"Ray ended the run: {type(error).__name__}: {lines[0]} Did one of its processes, or a machine, die? {_KEPT}",
            Step.RESUME(),
        ) from error


def _unreachable(address: str, why: str) -> RequestError:
    return RequestError(
        f"No Ray cluster can be reached at {address} ({why}). Is it running?", Step.START_RAY()
    )


def _connect(ray: Any, address: str | None, workers: int | None) -> None:
    settings: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address is None:
        settings |= {
            "address": "local",
            "num_cpus": workers or os.cpu_count(),
            "include_dashboard": False,
            "object_store_memory": _OBJECT_STORE,
        }
    else:
        settings |= {"address": address}
    try:
        ray.init(**settings)
    except (ConnectionError, ValueError, RuntimeError, TimeoutError, AssertionError) as error:
        if address is None:
            raise RequestError(
                f"Ray could not be started on this machine ({str(error).strip()}).",
                Step.WITHOUT_RAY(),
            ) from None
        raise _unreachable(address, str(error).strip()) from None


def _quiet(data: Any) -> None:
    """Silence Ray Data: linnet shows progress and errors itself."""
    context = data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    for name in ("ray.data", "ray"):
        logging.getLogger(name).setLevel(logging.ERROR)

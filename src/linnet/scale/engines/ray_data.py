"""Tasks done by Ray Data: on this machine, or on a cluster by its address.

The data set is the list of tasks, a block for each, and a pool of actors maps over it. Each actor opens its linker once;
actors of one node map the same files, of which the node's memory holds one copy. Ray Data hands an actor one task
more than it is at (back-pressure), starts another actor and gives it the tasks of one that died, and brings the
notes on finished parts to the driver as they come.

The texts themselves do not go through Ray: an actor reads the rows of its part and writes their file. Reading them
with `read_parquet` and writing with `write_parquet` would copy every text through the object store twice, and cut
the output where blocks happen to end: it could be neither compared nor resumed by the part. Linking a row takes a
hundred times as long as reading it, so there is nothing to gain from reading elsewhere.
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

from linnet.errors import LinnetError, MissingExtraError, RequestError
from linnet.memory_errors import short_of_memory
from linnet.scale.engines.witness import sudden_end_is_told
from linnet.scale.journal import Done
from linnet.scale.scan import Survey
from linnet.scale.work import Job, Task, Worker

__all__ = ["RayData", "check"]

# Descriptions and counts are all that lies there; Ray's own least is 75 MB.
_OBJECT_STORE = 128 * 2**20
_ANSWERS_IN = 10  # seconds


_RESUME = "What is finished is kept. Run the same command with --resume to go on."
_ENDED = (
    "Error: linnet was ended from outside: by a signal, or by Ray because one of Ray's processes on this machine died. "
    "The system kills them where memory is short; use fewer workers (--jobs) then. " + _RESUME
)


class RayData:
    """As many tasks at a time as the cluster has cores, or as `workers` says."""

    def __init__(self, workers: int, ray: Any) -> None:
        self.workers = workers
        self._ray = ray

    @classmethod
    @contextmanager
    def connected(cls, address: str | None, workers: int | None) -> Iterator[RayData]:
        """An engine on a cluster, or without an address on one that is started here and ended afterwards.

        Where the program has connected to Ray already, that connection is used and kept. Raises as `check`, and RequestError where
        Ray cannot be started or one of its processes dies. Where Ray ends this program instead, a message says what to do.
        """
        ray = _imported()
        with sudden_end_is_told(_ENDED), _ray_errors_in_words(ray):
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

    def run(self, job: Job, tasks: Sequence[Task]) -> Iterator[Survey | Done]:
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
                raise RuntimeError(f"A worker of Ray failed:\n{outcome}")
            yield outcome


class _Actor:
    """A worker inside Ray. What goes wrong is a result, too: Ray would wrap it, or try it again."""

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
    """Raise MissingExtraError without Ray, RequestError where nothing answers at a cluster's address: Ray itself tries for minutes."""
    _imported()
    host, _, port = (address or "").rpartition("://")[2].rpartition(":")
    if not host or not port.isdigit():
        return
    try:
        socket.create_connection((host, int(port)), timeout=_ANSWERS_IN).close()
    except OSError as error:
        raise RequestError(_unreachable(str(address), str(error))) from None


def _imported() -> Any:
    # No statistics to the makers of Ray; a cluster that runs already has been told by whoever started it.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own deprecations, on import
        try:
            import ray
            import ray.data
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in ("ray", "pandas", "fsspec"):
                raise
            raise MissingExtraError("--engine ray", "ray") from error
    return ray


@contextmanager
def _ray_errors_in_words(ray: Any) -> Iterator[None]:
    """What Ray itself raises is no mistake in linnet's code: a process of Ray, or a machine of the cluster, is gone."""
    from ray.data.exceptions import SystemException
    from ray.exceptions import UserCodeException

    try:
        yield
    except (ray.exceptions.RayError, SystemException, UserCodeException) as error:
        lines = str(error).strip().splitlines() or [""]
        raise RequestError(
            f"Ray ended the run: {type(error).__name__}: {lines[0]} Did one of its processes, or a machine, die? {_RESUME}"
        ) from error


def _unreachable(address: str, why: str) -> str:
    return f"No Ray cluster can be reached at {address} ({why}). Is it running? Start one: ray start --head"


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
                f"Ray could not be started on this machine ({str(error).strip()}). Leave --engine ray out: --jobs alone needs no Ray."
            ) from None
        raise RequestError(_unreachable(address, str(error).strip())) from None


def _quiet(data: Any) -> None:
    """Progress is shown by linnet, and errors are its own."""
    context = data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    for name in ("ray.data", "ray"):
        logging.getLogger(name).setLevel(logging.ERROR)

"""Spawned processes whose failures are always reported.

A spawned process first imports the modules that it needs. If memory runs out there, Python prints a traceback, but does not
report it to the parent. So calls are sent pickled and unpickled by `call`, whose module imports little: errors after that
are reported.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from threading import Thread
from typing import Any, TypeVar

from linnet.advice import Step
from linnet.errors import LinnetError, RequestError
from linnet.system.memory_errors import short_of_memory

__all__ = ["CONTEXT", "Pool", "answer_tasks", "call", "pack", "pool"]

T = TypeVar("T")

# Forked processes would have this one's locks, but not its threads.
CONTEXT = multiprocessing.get_context("spawn")


def pack(function: Callable[..., Any], *arguments: Any) -> bytes:
    """A function of a module with its arguments, for `call`."""
    return pickle.dumps((function, arguments))


def call(packed: bytes) -> Any:
    """Call a packed function."""
    function, arguments = pickle.loads(packed)
    return function(*arguments)


class Pool:
    """Processes that share calls."""

    def __init__(self, executor: ProcessPoolExecutor) -> None:
        self._executor = executor

    def submit(self, function: Callable[..., T], *arguments: Any) -> Future[T]:
        """Call the function in one of the processes."""
        return self._executor.submit(call, pack(function, *arguments))

    def map(self, function: Callable[[Any], T], items: Iterable[Any]) -> Iterator[T]:
        """What the function returns for each item, in order."""
        return self._executor.map(call, (pack(function, item) for item in items))


@contextmanager
def pool(workers: int) -> Iterator[Pool]:
    """A pool of processes. Raises RequestError if one of them dies within the block."""
    try:
        with ProcessPoolExecutor(workers, CONTEXT, initializer=_end_with_parent) as executor:
            yield Pool(executor)
    except BrokenProcessPool as error:
        raise RequestError(
            f"One of {workers} processes died, most often because memory ran out (see the system log).",
            Step.FEWER_THREADS(),
        ) from error


def answer_tasks(packed: bytes, connection: Connection) -> None:
    """Target of a process: calls the function that `packed` returns with each task received, and sends back its result or
    error.

    An error that is not a LinnetError is sent as a MemoryError, or a RuntimeError with its traceback. Ctrl-C is left to the
    parent; if the parent is gone, this process ends.
    """
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _end_with_parent()
        answer = call(packed)
    except Exception as error:
        connection.send(_sendable(error))
        return
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        try:
            outcome = answer(task)
        except Exception as error:
            outcome = _sendable(error)
        connection.send(outcome)


def _sendable(error: Exception) -> Exception:
    if short_of_memory(error):
        return MemoryError()
    if isinstance(error, LinnetError):
        return error
    return RuntimeError(f"A linnet process failed:\n{''.join(traceback.format_exception(error))}")


def _end_with_parent() -> None:
    """End this process as soon as its parent is gone, however that ended."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)

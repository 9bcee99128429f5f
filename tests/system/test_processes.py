"""What fails in a started process is an error, not a process that dies."""

from __future__ import annotations

import os
from multiprocessing.connection import Connection
from typing import Any

import pytest
from tests.advised import advises

from linnet.advice import Step
from linnet.errors import DamagedError, DataError, LinnetError, RequestError
from linnet.system.processes import CONTEXT, answer_tasks, pack, pool


class Failing:
    """Cannot be unpacked: as a module that cannot be imported, it raises this."""

    def __init__(self, error: type[Exception], message: str) -> None:
        self.raised = (error, message)

    def __reduce__(self) -> tuple[Any, ...]:
        return _fail, self.raised


def _fail(error: type[Exception], message: str) -> None:
    raise error(message)


def _answer(task: tuple[type[Exception], str]) -> str:
    if task[0] is DamagedError:
        try:
            raise MemoryError
        except MemoryError:
            raise DamagedError(task[1]) from None
    if issubclass(task[0], Exception):
        _fail(*task)
    return task[1]


def _maker() -> Any:
    return _answer


def _asked(function: Any, *arguments: Any, tasks: list[Any]) -> list[Any]:
    ours: Connection
    ours, theirs = CONTEXT.Pipe()
    process = CONTEXT.Process(target=answer_tasks, args=(pack(function, *arguments), theirs), daemon=True)
    process.start()
    theirs.close()
    answers = []
    for task in tasks:
        ours.send(task)
        answers.append(ours.recv())
    ours.close()
    process.join()
    assert process.exitcode == 0
    return answers


def test_a_process_answers_with_results_and_errors() -> None:
    answers = _asked(
        _maker,
        tasks=[(int, "three"), (DataError, "row"), (KeyError, "x"), (DamagedError, "file"), (int, "four")],
    )
    assert answers[0] == "three"
    assert isinstance(answers[1], DataError)
    assert isinstance(answers[2], RuntimeError)
    assert "KeyError: 'x'" in str(answers[2])
    assert isinstance(answers[3], MemoryError)  # the file is not damaged
    assert answers[4] == "four"


@pytest.mark.parametrize(
    ("error", "message", "expected"),
    [
        (ImportError, "x.so: failed to map segment from shared object", MemoryError),
        (MemoryError, "", MemoryError),
        (ValueError, "other", RuntimeError),
        (LinnetError, "told", LinnetError),
    ],
)
def test_what_cannot_be_unpacked_is_an_answer_and_nothing_is_printed(
    error: type[Exception], message: str, expected: type[Exception], capfd: pytest.CaptureFixture[str]
) -> None:
    [answer] = _asked(_maker, Failing(error, message), tasks=[1])
    assert isinstance(answer, expected)
    assert capfd.readouterr().err == ""


def test_a_pool_raises_what_a_call_cannot_unpack(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(MemoryError), pool(1) as processes:
        list(processes.map(_answer, [Failing(MemoryError, "")]))
    assert capfd.readouterr().err == ""


def test_a_process_of_a_pool_that_dies_is_told_in_words() -> None:
    died = pytest.raises(
        RequestError, match=r"One of 2 processes died.*memory", check=advises(Step.FEWER_THREADS)
    )
    with died, pool(2) as processes:
        processes.submit(os._exit, 9).result()

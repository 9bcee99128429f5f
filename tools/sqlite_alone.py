"""Names the tests of the annotation tool that need not run on PostgreSQL.

    python -m pytest -n 0 -p tools.sqlite_alone -k sqlite tests/annotate

Tests with the fixture `site` run on SQLite and on PostgreSQL, except those in tests/annotate/sqlite_alone.txt, which this plugin writes:
the others run every statement of SQL that they run, so that PostgreSQL is asked each. Tests of the store, of backups and of jobs, and those
whose names tell of what databases do differently (letters, order, what happens at the same time), always run on both.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

LIST = Path(__file__).parents[1] / "tests" / "annotate" / "sqlite_alone.txt"
_ON_BOTH = re.compile(
    r"/(store|archive|jobs)/|by_case|wildcards|code_points|html|order|pages_follow|at_once|meanwhile|overwrite|last_place|twice|between"
)

statements: dict[str, set[str]] = defaultdict(set)
"""What each test function ran on SQLite."""
seconds: dict[str, float] = defaultdict(float)
_running: list[str] = []


@cache
def without_parameters(statement: str) -> str:
    """The statement with one ? for a list of them."""
    return re.sub(r"\?(, \?)+", "?", statement)


def needed(ran: dict[str, set[str]], took: dict[str, float]) -> set[str]:
    """Tests that together run all statements: those that are always needed, then greedily by new statements a second."""
    chosen = {name for name in ran if _ON_BOTH.search(name)}
    missing = set().union(*ran.values()) - set().union(*(ran[name] for name in chosen))
    while missing:
        best = max(sorted(ran), key=lambda name: len(ran[name] & missing) / (took[name] + 0.1))
        chosen.add(best)
        missing -= ran[best]
    return chosen


def pytest_configure() -> None:
    """Listen to all engines."""
    event.listen(Engine, "before_cursor_execute", _note)


def _note(connection: Any, cursor: Any, statement: str, *_: Any) -> None:
    if _running:
        statements[_running[0]].add(without_parameters(statement))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[Any]:
    """Note what runs meanwhile, and how long it takes."""
    if "site" not in item.fixturenames or "sqlite" not in item.nodeid.partition("[")[2]:
        return (yield)
    _running[:] = [item.nodeid.split("[")[0]]
    begun = time.monotonic()
    try:
        return (yield)
    finally:
        seconds[_running[0]] += time.monotonic() - begun
        _running.clear()


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Write the list, unless a test failed."""
    if exitstatus == pytest.ExitCode.OK:
        alone = sorted(set(statements) - needed(statements, seconds))
        LIST.write_text("".join(f"{name}\n" for name in alone), encoding="utf-8")

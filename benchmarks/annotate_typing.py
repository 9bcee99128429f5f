"""Searching a terminology letter by letter, as people type in the annotation helper. Used by `annotate_speed.py`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from typing import Any

from annotate_server import Caller, Server
from annotate_tables import Figure
from measuring import quantile, seconds

from linnet.terminology import Terminology
from linnet.terminology.search import SearchIndex

__all__ = ["TYPED", "typing_figures"]

TYPED = "search as you type"  # how the lines of these figures begin
_NAMES, _LONGEST = 60, 30
_SEED = 11


def typing_figures(server: Server, admin: Caller, name: str, terminology: Terminology) -> list[Figure]:
    """Wall time of the request of every keystroke, and processor time of the server.

    Of 60 names taken at random, any name of a concept, all are typed from their beginning, every third again with the
    words turned round, and every third with a letter left out; each new letter is a request. The linker's indexes are
    not needed and not waited for.
    """
    SearchIndex.open(terminology)
    project = _project(admin, name)
    typed = list(_keystrokes(terminology))
    admin.call("GET", f"/projects/{project}/concepts", q="gout", k=30)  # opens the index
    before, path = server.cpu(), f"/projects/{project}/concepts"
    times = [1000 * seconds(partial(admin.call, "GET", path, q=query, k=30)) for query in typed]
    cpu = 1000 * (server.cpu() - before) / len(typed)
    size = f"{len(terminology.names):,} names"
    return [
        Figure(f"{TYPED}, {size}, {len(typed):,} keystrokes: median", quantile(times, 0.5), "ms"),
        Figure(f"{TYPED}, {size}: p95", quantile(times, 0.95), "ms", 50),
        Figure(f"{TYPED}, {size}: p99", quantile(times, 0.99), "ms"),
        Figure(f"{TYPED}: server's processor time a keystroke", cpu, "ms"),
    ]


def _project(admin: Caller, terminology: str) -> int:
    made: Any = admin.call("POST", "/projects", {"name": "Typing", "terminology": terminology, "held_out": 0})
    for job in admin.call("GET", f"/projects/{made['id']}/jobs"):
        if job["state"] in ("queued", "running"):
            admin.call("POST", f"/jobs/{job['id']}/cancel")
    return int(made["id"])


def _keystrokes(terminology: Terminology) -> Iterator[str]:
    generator = random.Random(_SEED)
    rows = generator.sample(range(len(terminology.names)), min(_NAMES, len(terminology.names)))
    for number, row in enumerate(rows):
        name = terminology.names[row].strip()
        yield from _letters(name)
        if number % 3 == 0:
            yield from _letters(" ".join(reversed(name.split())))
        if number % 3 == 1 and len(name) > 4:
            place = generator.randrange(1, min(len(name), _LONGEST) - 1)
            yield from _letters(name[:place] + name[place + 1 :])


def _letters(text: str) -> Iterator[str]:
    for length in range(1, min(len(text), _LONGEST) + 1):
        if text[length - 1] != " ":
            yield text[:length]

"""The mappings that requests have opened; the last few are kept with their lists."""

from __future__ import annotations

import threading
from collections import OrderedDict
from functools import partial
from pathlib import Path
from typing import Any

from linnet.annotate.domain.accounts.sessions import SignedIn
from linnet.annotate.domain.mappings.hosted import HostedMapping
from linnet.annotate.domain.mappings.open_mapping import OpenMapping
from linnet.annotate.domain.projects.finding import find_project
from linnet.annotate.domain.projects.visibility import seen_by
from linnet.annotate.domain.terminologies import Terminologies
from linnet.annotate.store import Database

__all__ = ["HostedMappings"]

_KEPT = 16


class HostedMappings:
    """Opens the mappings of projects. Thread-safe."""

    def __init__(self, database: Database, data: Path, terminologies: Terminologies) -> None:
        self._database, self._data, self._terminologies = database, data, terminologies
        self._open: OrderedDict[tuple[int, str], tuple[Any, OpenMapping]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, project: int, user: SignedIn) -> OpenMapping:
        """The mapping of a project as a user may see it: independent annotators see their own decisions only, until a curator settles.

        Raises NotFound if there is none, Invalid if its terminology is gone.
        """
        with self._database.read() as session:
            row = find_project(session, project)
        only = "" if seen_by(row, user) is None else user.name
        mapping = self.new(row.id, only=only)
        depends = mapping.depends_on()
        with self._lock:
            kept = self._open.pop((project, only), None)
            if kept is None or kept[0] != depends:
                again = partial(self.new, row.id, only=only)
                opened = OpenMapping(mapping, name=row.name, open=lambda: again().searching(), again=again)
                kept = depends, opened
            self._open[project, only] = kept
            while len(self._open) > _KEPT:
                self._open.popitem(last=False)
            return kept[1]

    def new(self, project: int, *, only: str = "") -> HostedMapping:
        """A project's mapping for one thread alone. Raises NotFound."""
        return HostedMapping.of(self._database, self._data, self._terminologies, project, only=only)

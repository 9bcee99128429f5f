"""The mappings of projects: their tables are the server's, and a project's model proposes. The last few opened are kept."""

from __future__ import annotations

import threading
from collections import OrderedDict
from functools import partial
from pathlib import Path
from typing import Any

from linnet.active.model import open_model
from linnet.annotate.domain.accounts.sessions import SignedIn
from linnet.annotate.domain.learning.versions import version_folder
from linnet.annotate.domain.mappings.open_mapping import OpenMapping
from linnet.annotate.domain.projects.finding import find_project
from linnet.annotate.domain.projects.visibility import seen_by
from linnet.annotate.domain.terminologies import Terminologies
from linnet.annotate.refusals import Conflict, NotFound
from linnet.annotate.store import Database
from linnet.annotate.store.mapping_tables import HostedTables
from linnet.annotate.store.tables import Project
from linnet.link.linker import Linker
from linnet.mapping.decisions import Event
from linnet.mapping.folder import Folder
from linnet.mapping.proposing import Progress
from linnet.mapping.rows import Row
from linnet.mapping.store import Store
from linnet.mapping.upgrading import Upgraded, upgrade
from linnet.terminology import Terminology
from linnet.terminology.search import SearchIndex

__all__ = ["LINKER", "HostedMapping", "HostedMappings"]

_KEPT = 16
LINKER = "linker"
"""The setting with the name of the terminology that strings are mapped to."""


class HostedMapping(Folder):
    """A mapping in the database of a server. For one thread at a time.

    only  whose decisions it shows, "" for everybody's: see `linnet.annotate.domain.projects.visibility.seen_by`

    Raises NotFound if the project has none.
    """

    takes_back = Event.WITHDRAWN

    def __init__(
        self,
        database: Database,
        data: Path,
        terminologies: Terminologies,
        project: Project,
        *,
        only: str = "",
    ) -> None:
        self.project = project
        self._database, self._data, self._all = database, data, terminologies
        store = Store(HostedTables(database, project.id, name=project.name, only=only))
        if not store.setting("columns", {}):
            raise NotFound("This project has no mapping. A manager uploads a table on its page “Mapping”.")
        super().__init__(Path(project.name), store)

    @classmethod
    def of(
        cls, database: Database, data: Path, terminologies: Terminologies, project: int, *, only: str = ""
    ) -> HostedMapping:
        """The mapping of a project by its id. Raises NotFound."""
        with database.read() as session:
            row = find_project(session, project)
        return cls(database, data, terminologies, row, only=only)

    @property
    def terminology(self) -> str:
        """Name of the terminology."""
        return str(self.store.setting(LINKER))

    @property
    def terminologies(self) -> list[Terminology]:
        """The only one. Raises Invalid if the server does not have it."""
        if self._terminologies is None:
            self._terminologies = [self._all.open(self.terminology)]
        return self._terminologies

    @property
    def linker(self) -> Linker:
        """Opened at first use, with what the project has learnt for this terminology. Raises as `open_model`."""
        if self._linker is None:
            self._linker = self.linker_for(self.terminology)
        return self._linker

    def linker_for(self, name: str) -> Linker:
        """The linker of another terminology. Raises Invalid for an unknown one, and as `open_model`."""
        project, terminology, folder = self.project, self._all.open(name), None
        if name == project.terminology:
            folder = version_folder(self._database, self._data, project.id, project.model)
        types = [type for type in project.types if type in terminology.type_names]
        return open_model(terminology, folder, types=types, pipeline=project.pipeline).linker

    def upgrade_to(self, name: str, *, progress: Progress) -> Upgraded:
        """Go over to another terminology of the server: see `linnet.mapping.upgrading.upgrade`."""
        linker = self.linker_for(name)
        return upgrade(self, linker, lambda: self.store.put_setting(LINKER, name), progress=progress)

    def searching(self) -> tuple[Linker, list[SearchIndex]]:
        """The linker, and the index for searching the terminology. Raises Unavailable until a job has built it."""
        return self.linker, [self._all.search(self.terminology)]

    def depends_on(self) -> tuple[Any, ...]:
        """Another value once it has to be opened anew, because of anything but its rows."""
        project, settings = self.project, self.store.setting("settings", {})
        return project.name, project.model, project.pipeline, self.terminologies[0].digest, str(settings)

    def undo(self, number: int, *, by: str | None = None) -> Row:
        """Take back what `by` decided last. Raises Conflict if somebody else did, RequestError if nobody has."""
        decision = self[number].state.decision
        if decision is not None and decision.by != by:
            raise Conflict(
                f"{decision.by} decided this row, and only they can take it back. Decide otherwise instead.",
                by=decision.by,
            )
        return super().undo(number, by=by)


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

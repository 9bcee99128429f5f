"""What all requests share, created when the server starts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from linnet.annotate.domain.accounts.throttle import Throttle
from linnet.annotate.domain.learning.linkers import Linkers
from linnet.annotate.domain.mappings.hosted import HostedMappings
from linnet.annotate.domain.terminologies import Terminologies
from linnet.annotate.settings import Settings
from linnet.annotate.store import Database
from linnet.annotate.store.tables import Project

__all__ = ["AppState"]


@dataclass(frozen=True, slots=True)
class AppState:
    """What the routes share."""

    settings: Settings
    database: Database
    terminologies: Terminologies
    linkers: Linkers
    mappings: HostedMappings
    throttle: Throttle = field(default_factory=Throttle)

    @classmethod
    def open(cls, settings: Settings, database: Database) -> AppState:
        """State for an open database."""
        terminologies = Terminologies(settings.data, settings.terminologies)
        mappings = HostedMappings(database, settings.data, terminologies)
        return cls(settings, database, terminologies, Linkers(terminologies), mappings)

    def names_of(self, project: Project) -> Callable[[str], str]:
        """Lookup of preferred names in the project's terminology, "" for unknown ids."""
        return self.terminologies.name_of(project.terminology)

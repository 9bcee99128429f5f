"""Linkers for requests: one per project and version, opened when first needed; the last few are kept."""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path

from linnet.active.model import open_model
from linnet.annotate.domain.terminologies import Terminologies
from linnet.annotate.refusals import Unavailable
from linnet.annotate.store.tables import Project
from linnet.link import Linker

__all__ = ["Linkers"]

_KEPT = 8
_Key = tuple[int, int, str, tuple[str, ...], str, str]


class Linkers:
    """Open linkers. Their files are memory-mapped, so several cost little more than one."""

    def __init__(self, terminologies: Terminologies) -> None:
        self._terminologies = terminologies
        self._open: OrderedDict[_Key, Linker] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, project: Project, folder: Path | None) -> Linker:
        """Linker of a project's current version, which is in `folder`. Raises Unavailable while indexes are being built."""
        if not project.ready:
            raise Unavailable("The terminology is still being prepared. Try again in a minute.")
        terminology = self._terminologies.open(project.terminology)
        types, recogniser, pipeline = project.types, project.recogniser, project.pipeline
        key = project.id, project.model, terminology.digest, tuple(types), recogniser, pipeline
        with self._lock:
            linker = self._open.pop(key, None)
            if linker is None:
                model = open_model(terminology, folder, types=types, recogniser=recogniser, pipeline=pipeline)
                linker = model.linker
            self._open[key] = linker
            while len(self._open) > _KEPT:
                self._open.popitem(last=False)
            return linker

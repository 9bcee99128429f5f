"""Proposes concepts for the strings of a mapping, and goes over to another terminology."""

from __future__ import annotations

from pathlib import Path

from linnet.active.training_data import Progress
from linnet.annotate.domain.mappings.hosted import HostedMapping
from linnet.annotate.domain.mappings.team import UPGRADE
from linnet.annotate.domain.projects.finding import find_project
from linnet.annotate.domain.terminologies import Terminologies
from linnet.annotate.store import Database
from linnet.annotate.store.log import log
from linnet.annotate.store.tables import Job
from linnet.mapping.proposing import propose
from linnet.plural import counted

__all__ = ["map_strings", "terminology_of"]


def terminology_of(database: Database, data: Path, terminologies: Terminologies, job: Job) -> str:
    """Name of the terminology that the job links to. Raises NotFound if the mapping is gone."""
    wanted = job.options.get(UPGRADE)
    return str(wanted or HostedMapping.of(database, data, terminologies, job.project_id).terminology)


def map_strings(
    database: Database, data: Path, terminologies: Terminologies, job: Job, progress: Progress
) -> str:
    """Do the job, whose terminology has its indexes; returns a summary. Interrupted, it goes on where it stopped."""
    mapping = HostedMapping.of(database, data, terminologies, job.project_id)

    def report(done: int, total: int) -> None:
        progress(done / max(total, 1), f"Mapping: {done:,} of {total:,} strings")

    if name := job.options.get(UPGRADE):
        before = mapping.terminology
        result = mapping.upgrade_to(name, progress=report)
        changes = {"terminology": [before, name], "returned": dict(result.reasons)}
        with database.write() as session:
            project = find_project(session, job.project_id)
            log(session, "mapping.upgrade", by=job.created_by, project=project, changes=changes)
        returned = ", ".join(f"{count:,} {reason}" for reason, count in result.reasons.most_common())
        return f"{counted(result.reasons.total(), 'strings')} returned{f' ({returned})' if returned else ''}"
    propose(mapping.store, mapping.linker, progress=report)
    return f"{counted(len(mapping), 'strings')} have proposals"

"""Proposes concepts for the strings of a mapping, and goes over to another terminology."""

from __future__ import annotations

from pathlib import Path

from linnet.active.training_data import Progress
from linnet.annotate.domain.learning.job_store import enqueue
from linnet.annotate.domain.mappings.hosted import HostedMapping
from linnet.annotate.domain.mappings.team import UPGRADE
from linnet.annotate.domain.projects.finding import find_project
from linnet.annotate.domain.states import JobKind
from linnet.annotate.domain.terminologies import Terminologies
from linnet.annotate.store import Database
from linnet.annotate.store.log import log
from linnet.annotate.store.tables import Job, Mapping, Project
from linnet.mapping.decisions import Equivalence, Status
from linnet.mapping.proposing import propose
from linnet.mapping.rows import Row
from linnet.plural import counted
from linnet.types import Document, Mention

__all__ = ["approved_strings", "map_strings", "propose_again", "terminology_of"]

_SAME = (Equivalence.EQUAL, Equivalence.EQUIVALENT)


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


def approved_strings(
    database: Database, data: Path, terminologies: Terminologies, project: Project
) -> list[Document]:
    """What the project's model may learn of its mapping: a document for each string that is approved as equal to one concept of the
    project's terminology."""
    if not _has_mapping(database, project.id):
        return []
    mapping = HostedMapping(database, data, terminologies, project)
    if mapping.terminology != project.terminology:
        return []
    return [
        _document(row)
        for row in mapping
        if row.status is Status.APPROVED
        and mapping.is_done(row.state)
        and row.equivalence in _SAME
        and len(row.targets) == 1
    ]


def propose_again(database: Database, job: Job) -> None:
    """Start a job that links the strings of the mapping with a new version of the model, if there is a mapping."""
    if _has_mapping(database, job.project_id):
        with database.write() as session:
            enqueue(session, find_project(session, job.project_id), JobKind.MAP, by=job.created_by)


def _has_mapping(database: Database, project: int) -> bool:
    with database.read() as session:
        return session.get(Mapping, project) is not None


def _document(row: Row) -> Document:
    document = Document(f"row {row.number}", row.text)
    concepts = (row.targets[0].concept,)
    return document.with_mentions([Mention(document, 0, len(row.text), row.text, concepts=concepts)])

"""Proposes concepts for the strings of a mapping, and goes over to another terminology."""

from __future__ import annotations

from linnet.annotate.domain.learning.job_store import enqueue
from linnet.annotate.domain.mappings.hosted import HostedMapping
from linnet.annotate.domain.mappings.team import UPGRADE
from linnet.annotate.domain.projects.finding import find_project
from linnet.annotate.domain.states import JobKind
from linnet.annotate.jobs.work import Work
from linnet.annotate.store.log import log
from linnet.annotate.store.tables import Mapping, Project
from linnet.mapping.decisions import Equivalence, Status
from linnet.mapping.proposing import propose
from linnet.mapping.rows import Row
from linnet.plural import counted
from linnet.types import Document, Mention

__all__ = ["approved_strings", "map_strings", "propose_again", "terminology_of"]

_SAME = (Equivalence.EQUAL, Equivalence.EQUIVALENT)


def terminology_of(work: Work) -> str:
    """Name of the terminology that the job links to. Raises NotFound if the mapping is gone."""
    return str(work.job.options.get(UPGRADE) or _mapping(work).terminology)


def map_strings(work: Work) -> str:
    """Do the job, whose terminology has its indexes; returns a summary. Interrupted, it goes on where it stopped."""
    mapping, job = _mapping(work), work.job

    def report(done: int, total: int) -> None:
        work.progress(done / max(total, 1), f"Mapping: {done:,} of {total:,} strings")

    if name := job.options.get(UPGRADE):
        before = mapping.terminology
        result = mapping.upgrade_to(name, progress=report)
        changes = {"terminology": [before, name], "returned": dict(result.reasons)}
        with work.database.write() as session:
            project = find_project(session, job.project_id)
            log(session, "mapping.upgrade", by=job.created_by, project=project, changes=changes)
        returned = ", ".join(f"{count:,} {reason}" for reason, count in result.reasons.most_common())
        return f"{counted(result.reasons.total(), 'strings')} returned{f' ({returned})' if returned else ''}"
    propose(mapping.store, mapping.linker, progress=report)
    return f"{counted(len(mapping), 'strings')} have proposals"


def approved_strings(work: Work, project: Project) -> list[Document]:
    """What the project's model may learn of its mapping: a document for each string that is approved as equal to one concept of the
    project's terminology."""
    if not _has_mapping(work):
        return []
    mapping = HostedMapping(work.database, work.data, work.terminologies, project)
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


def propose_again(work: Work) -> None:
    """Start a job that links the strings of the mapping with a new version of the model, if there is a mapping."""
    if _has_mapping(work):
        with work.database.write() as session:
            project = find_project(session, work.job.project_id)
            enqueue(session, project, JobKind.MAP, by=work.job.created_by)


def _mapping(work: Work) -> HostedMapping:
    return HostedMapping.of(work.database, work.data, work.terminologies, work.job.project_id)


def _has_mapping(work: Work) -> bool:
    with work.database.read() as session:
        return session.get(Mapping, work.job.project_id) is not None


def _document(row: Row) -> Document:
    document = Document(f"row {row.number}", row.text)
    concepts = (row.targets[0].concept,)
    return document.with_mentions([Mention(document, 0, len(row.text), row.text, concepts=concepts)])

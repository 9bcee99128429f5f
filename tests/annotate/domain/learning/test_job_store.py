"""Jobs are taken from the table: in order, each once, by whichever trainer comes first."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from linnet.annotate.domain.learning import job_store
from linnet.annotate.store import Database, open_database
from linnet.annotate.store.columns import now
from linnet.annotate.store.tables import Job, Project


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """An empty database of either kind."""
    opened = open_database(database_url)
    yield opened
    opened.close()


def _queued(database: Database, count: int, **fields: object) -> list[int]:
    """Ids of new rows, as any linnet leaves them behind for its trainer."""
    with database.write() as session:
        project = Project(
            name=f"p{fields}", terminology="small", terminology_digest="", mode="shared", types=[], labels=[],
            strategy="random", held_out=0, created_by="ada",
        )  # fmt: skip
        session.add(project)
        session.flush()
        rows = [
            Job(project_id=project.id, kind="predict", options={}, created_by="ada", **{"state": "queued"} | fields)
            for _ in range(count)
        ]  # fmt: skip
        session.add_all(rows)
        session.flush()
        return [row.id for row in rows]


def test_the_job_that_has_waited_longest_is_taken_first(database: Database) -> None:
    _queued(database, 1, state="done")
    ids = _queued(database, 3)
    with database.write() as session:
        job_store.cancel(session, ids[1], by="ada")
    taken = [job_store.take(database) for _ in range(3)]
    assert [job and job.id for job in taken] == [ids[0], ids[2], None]
    first = taken[0]
    assert first is not None
    assert (first.state, first.attempts) == ("running", 1)
    assert first.beat is not None
    assert first.beat <= now()


def test_two_trainers_never_take_the_same_job(database: Database) -> None:
    ids = _queued(database, 12)

    def take_all(_: int) -> list[int]:
        taken = []
        while (job := job_store.take(database)) is not None:
            taken.append(job.id)
        return taken

    with ThreadPoolExecutor(4) as threads:
        shares = list(threads.map(take_all, range(4)))
    assert sorted(id for share in shares for id in share) == ids
    assert all(share == sorted(share) for share in shares)


def test_what_a_killed_trainer_was_doing_is_taken_again_before_later_jobs(database: Database) -> None:
    ids = _queued(database, 2)
    assert job_store.take(database) is not None
    job_store.recover(database)
    taken = [job_store.take(database), job_store.take(database)]
    assert [(job.id, job.attempts) for job in taken if job is not None] == [(ids[0], 2), (ids[1], 1)]

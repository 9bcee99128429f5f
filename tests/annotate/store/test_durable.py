from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

from linnet.annotate.store import Database, durable, open_database
from linnet.annotate.store.tables import LogEntry
from linnet.errors import StoreError


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(f"sqlite:///{tmp_path / 'linnet.db'}")
    yield opened
    opened.close()


def _note(database: Database) -> None:
    with database.write() as session:
        session.add(LogEntry(by="ada", action="test", changes={}))


def test_a_write_returns_after_the_log_was_synced(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    monkeypatch.setattr(durable, "_SYNC", lambda file: sizes.append(os.fstat(file).st_size))
    _note(database)
    assert sizes == [(tmp_path / "linnet.db-wal").stat().st_size]
    with pytest.raises(RuntimeError), database.write():
        raise RuntimeError  # nothing is committed, nothing synced
    assert len(sizes) == 1


def test_whoever_commits_during_a_sync_shares_the_next_one(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on, syncs = Event(), Event(), []

    def slow(file: int) -> None:
        syncs.append(file)
        begun.set()
        assert go_on.wait(10)

    monkeypatch.setattr(durable, "_SYNC", slow)
    threads = [Thread(target=_note, args=(database,)) for _ in range(6)]
    threads[0].start()
    assert begun.wait(10)
    for thread in threads[1:]:
        thread.start()
    kept = database._durable
    assert kept is not None
    while kept._requested < 6:  # all have committed while the first is still being synced
        threads[1].join(0.01)
    assert len(syncs) == 1
    go_on.set()
    for thread in threads:
        thread.join(10)
    assert len(syncs) == 2


def test_a_disk_that_refuses_is_told(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(file: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(durable, "_SYNC", fail)
    with pytest.raises(StoreError, match="may not be on disk"):
        _note(database)


def test_a_log_that_sqlite_has_removed_needs_no_sync(tmp_path: Path) -> None:
    durable.Durable(tmp_path / "linnet.db").sync()

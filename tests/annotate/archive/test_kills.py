"""Backup and restore killed between any two steps, and on a full disk: all or nothing, and the next try succeeds."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import inspect, select
from tests.annotate.conftest import Site, _database

from linnet.annotate.archive import server_restore as restores
from linnet.annotate.archive import writing as backups
from linnet.annotate.archive.manifest import is_server_backup
from linnet.annotate.archive.server_backup import back_up_server
from linnet.annotate.archive.server_restore import restore_server
from linnet.annotate.settings import Settings
from linnet.annotate.store import open_database
from linnet.annotate.store.tables import Document, User, Version
from linnet.errors import StoreError

# Reads a line for each command of linnet to run: the folder to watch, a step, and the command's words. A fork runs it, and is killed
# before that step: opening, renaming, making or removing something in the folder. Answers the exit status, and the number of steps of
# a command that came to its end, else 0. Importing linnet once saves a second for each of some forty kills.
KILLER = """
import json, os, signal, sys
from linnet.cli import main
import linnet.annotate.archive.server_backup, linnet.annotate.archive.server_restore
WATCHED = {"open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "sqlite3.connect", "shutil.rmtree"}
def run(folder, last, *words):
    steps = 0
    def hook(event, arguments):
        nonlocal steps
        if event in WATCHED and any(folder in str(argument) for argument in arguments):
            steps += 1
            if steps == last:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.argv[1:] = words
    sys.addaudithook(hook)
    try:
        main()
    except SystemExit as end:
        return end.code or 0, steps
    return 0, steps
for line in sys.stdin:
    reading, writing = os.pipe()
    if child := os.fork():
        os.close(writing)
        steps = int(os.fdopen(reading).read() or 0)
        print(json.dumps([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), steps]), flush=True)
    else:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        status, steps = run(*json.loads(line))
        os.write(writing, str(steps).encode())
        os._exit(status)
"""
Run = Callable[..., tuple[int, int]]


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    """Runs a command and kills it before a step, 0 for never: its exit status, and the number of steps, 0 if it was killed."""
    command = [sys.executable, "-c", KILLER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as killer:

        def run(folder: Path, last: int, *arguments: object) -> tuple[int, int]:
            words = [str(folder), last, "annotate", *map(str, arguments)]
            killer.stdin.write(json.dumps(words) + "\n")
            killer.stdin.flush()
            status, steps = json.loads(killer.stdout.readline())
            assert status in (0, -signal.SIGKILL)
            return status, steps

        yield run


def _some(steps: int) -> list[int]:
    """Steps to be killed at: spread over all, and each of the last, where things become valid."""
    return sorted({*range(1, steps + 1, max(1, steps // 6)), *range(max(1, steps - 7), steps + 1)})


@pytest.fixture
def full(quiet: Site) -> Site:
    """A server with an account, two documents, and a model version with files."""
    ada = quiet.client().sign_in("ada", path="setup")
    project = ada.project()
    ada.document(project, "Gout.")
    ada.document(project, "Asthma.")
    folder = quiet.settings.data / "projects" / str(project) / "v1"
    folder.mkdir(parents=True)
    for name in ("names.tsv", "version.json"):
        (folder / name).write_text(name * 1000)
    with quiet.database.write() as session:
        session.add(
            Version(
                project_id=project, number=1, parent=0, folder=f"projects/{project}/v1", digest="x", documents=2, mentions=2,
                learned={}, before=None, after=None, created_by="ada",
            )
        )  # fmt: skip
    return quiet


@pytest.fixture(params=["sqlite", "postgresql"])
def goal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Settings]:
    """An empty place, of either kind."""
    with _database(request, tmp_path) as url:
        yield Settings(data=tmp_path / "goal", database=url if request.param == "postgresql" else "")


def _restored(settings: Settings) -> bool:
    """Whether the place has a whole server; False for none of it."""
    if not settings.database and not (settings.data / "linnet.db").exists():
        return False
    with closing(open_database(settings.database_url, upgrade=False)) as database, database.read() as session:
        if not inspect(session.connection()).get_table_names():
            return False
        assert session.scalars(select(User.name)).all() == ["ada"]
        assert len(session.scalars(select(Document.id)).all()) == 2
        [folder] = session.scalars(select(Version.folder).where(Version.folder != ""))
    assert (settings.data / folder / "names.tsv").read_text() == "names.tsv" * 1000
    return True


def test_a_killed_backup_leaves_the_older_one_or_the_new_one(full: Site, tmp_path: Path, run: Run) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    target = folder / "server.zip"
    options = ["backup", target, "--data", full.settings.data]
    status, steps = run(folder, 0, *options)
    assert (status, is_server_backup(target)) == (0, True)
    older = target.read_bytes()
    for last in _some(steps):
        assert run(folder, last, *options)[0] == -signal.SIGKILL
        assert is_server_backup(target)
    assert target.read_bytes()[:4] == older[:4]
    drafts = [file for file in folder.iterdir() if file != target]
    assert drafts
    for draft in drafts:
        os.utime(draft, (0, 0))  # as if the kill had been longer ago than a minute
    assert run(folder, 0, *options)[0] == 0
    assert list(folder.iterdir()) == [target]


def test_a_killed_restore_leaves_nothing_and_the_next_one_succeeds(
    full: Site, tmp_path: Path, goal: Settings, run: Run
) -> None:
    back_up_server(full.settings, tmp_path / "server.zip")
    trial = Settings(data=tmp_path / "trial")
    options: list[object] = ["restore", tmp_path / "server.zip", "--data"]
    status, steps = run(trial.data, 0, *options, trial.data)
    assert (status, _restored(trial)) == (0, True)
    options += [goal.data, *(["--database", goal.database] if goal.database else [])]
    tried = 0
    for last in _some(steps):
        if run(goal.data, last, *options)[0] == 0:
            break  # PostgreSQL's restore has fewer steps
        tried += 1
        if _restored(goal):  # killed while it tidied up
            break
    assert tried > 5
    if not _restored(goal):
        assert run(goal.data, 0, *options)[0] == 0
    assert _restored(goal)


def test_a_full_disk_leaves_no_backup_and_nothing_restored(
    full: Site, tmp_path: Path, goal: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    back_up_server(full.settings, tmp_path / "server.zip")

    def out_of_space(*arguments: Any) -> Any:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(backups, "_copy", out_of_space)
        with pytest.raises(OSError, match="No space"):
            back_up_server(full.settings, tmp_path / "second.zip")
    assert not (tmp_path / "second.zip").exists()
    assert [file.name for file in tmp_path.iterdir() if file.name.endswith(".part")] == []
    for place, name in ((restores.shutil, "copyfileobj"), (restores, "insert_rows"), (restores, "_move")):
        with monkeypatch.context() as patch:
            patch.setattr(place, name, out_of_space)
            with pytest.raises(StoreError, match="disk is full"):
                restore_server(tmp_path / "server.zip", goal)
        assert not _restored(goal)
        assert [file.name for file in goal.data.iterdir()] == ["server.lock"]
    restore_server(tmp_path / "server.zip", goal)
    assert _restored(goal)


def test_a_project_removed_during_a_backup_makes_it_begin_again(
    full: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = full.client().sign_in("ada")
    add, times = backups._add_files, []

    def removing(archive: Any, data: Path, folder: str) -> Any:
        times.append(folder)
        if len(times) == 1:
            ada.ok("DELETE", "projects/1")
        return add(archive, data, folder)

    monkeypatch.setattr(backups, "_add_files", removing)
    manifest = back_up_server(full.settings, tmp_path / "server.zip")
    assert times == ["projects/1/v1"]
    assert manifest.summary().startswith("1 account, 0 projects, 0 documents")

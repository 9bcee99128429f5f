"""The tables of a hosted mapping do what those of a file do, on both databases, and a killed process loses nothing that was saved."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

import pytest

from linnet.annotate.refusals import Invalid, NotFound
from linnet.annotate.store import Database, open_database
from linnet.annotate.store.mapping_tables import HostedTables
from linnet.annotate.store.tables import Mapping, Project
from linnet.mapping.columns import RowColumns
from linnet.mapping.decisions import Decision, Target
from linnet.mapping.source_table import Strings
from linnet.mapping.store import Store

GOUT = Target("X:1", "Gout")
KILLED = """
import sys
from linnet.annotate.store import open_database
from linnet.annotate.store.mapping_tables import HostedTables
from linnet.mapping.decisions import Decision, Target
from linnet.mapping.store import Store
store = Store(HostedTables(open_database(sys.argv[1]), 1))
for number in range(1, 10_000):
    with store.changing():
        store.append([Decision.made(1, [Target(f"X:{number}", "x")], by=sys.argv[2])])
    print(number, flush=True)
"""


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """With two projects that have mappings of the same strings."""
    opened = open_database(database_url)
    for name in ("one", "two"):
        with opened.write() as session:
            project = Project(
                name=name, terminology="small", terminology_digest="", mode="shared", types=[], labels=[], strategy="",
                held_out=0, created_by="ada",
            )  # fmt: skip
            session.add(project)
            session.flush()
            session.add(Mapping(project_id=project.id, created_by="ada"))
        store = Store(HostedTables(opened, project.id))
        with store.changing():
            store.put_rows({Strings("gout"): Counter(A=1), Strings("fever", ("a", "b")): Counter(B=2, C=3)})
            store.put_setting("settings", {"name": name})
    yield opened
    opened.close()


def test_mappings_do_not_mix(database: Database) -> None:
    one, two = (Store(HostedTables(database, number)) for number in (1, 2))
    with one.changing():
        one.append([Decision.made(2, [GOUT], by="ada")])
        one.put_rows({Strings("gout"): Counter(A=7)})
        one.retire_rows([Strings("gout")])
    assert [row.frequency for row in one.rows()] == [7, 0]
    assert [row.frequency for row in two.rows()] == [1, 5]
    assert (len(one.log()), two.log(), two.newest()) == (1, [], 0)
    assert (one.setting("settings"), two.setting("settings")) == ({"name": "one"}, {"name": "two"})
    assert (one.numbers_of(code="C"), two.numbers_of(code="C")) == ([], [2])
    assert [row.context for row in two.rows()] == [(), ("a", "b")]


def test_lists_see_what_another_connection_changes(database: Database) -> None:
    mine, other = (Store(HostedTables(database, 1)) for _ in range(2))
    columns = RowColumns(mine)
    assert columns.current().who.tolist() == ["", ""]
    with other.changing():
        other.append([Decision.made(1, [GOUT], by="bob")])
    assert columns.current().who.tolist() == ["bob", ""]
    with other.changing():
        other.put_rows({Strings("new"): Counter(N=1)})
    assert columns.current().texts == ["gout", "fever", "new"]


def test_a_change_that_fails_leaves_nothing_behind(database: Database) -> None:
    store = Store(HostedTables(database, 1))

    def fails(text: str) -> None:
        with store.changing():
            store.put_rows({Strings("first"): Counter(A=1)})
            store.put_rows({Strings(text): Counter(A=1)})
            raise ZeroDivisionError

    for text, refusal in (("a\0b", Invalid), ("fine", ZeroDivisionError)):
        with pytest.raises(refusal):
            fails(text)
    assert [row.text for row in store.rows()] == ["gout", "fever"]
    with pytest.raises(NotFound), Store(HostedTables(database, 9)).changing():
        pass


def test_what_two_processes_saved_survives_kill_9(database: Database, database_url: str) -> None:
    commands = [[sys.executable, "-c", KILLED, database_url, name] for name in ("ann", "bob")]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for command in commands]
    saved = []
    for process in running:
        assert process.stdout is not None
        saved.append([int(process.stdout.readline()) for _ in range(10)][-1])
    for process in running:
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
    log = Store(HostedTables(database, 1)).log(1)
    for name, least in zip(("ann", "bob"), saved, strict=True):
        own = [entry.targets[0].concept for entry in log if entry.by == name]
        assert len(own) >= least
        assert own == [f"X:{number}" for number in range(1, len(own) + 1)]
    [state] = Store(HostedTables(database, 1)).states([1])
    assert state[2] == log[-1].by

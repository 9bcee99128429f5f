"""The log is only appended to, a change is all or nothing, and a killed process loses nothing that was saved."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from linnet.errors import DamagedError, StoreError
from linnet.mapping.decisions import Decision, Target
from linnet.mapping.source_table import Strings
from linnet.mapping.store import FILE, Store

GOUT = Target("MESH:D006073", "Gout")
KILLED = """
import sys
from pathlib import Path
from linnet.mapping.decisions import Decision, Target
from linnet.mapping.store import Store
store = Store.open(Path(sys.argv[1]))
for number in range(1, 10_000):
    with store.changing():
        store.append([Decision.made(1, [Target(f"X:{number}", "x")])])
    print(number, flush=True)
"""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store.create(tmp_path / FILE)
    with store.changing():
        store.put_rows({Strings("gout"): Counter(A=1), Strings("fever"): Counter(B=2)})
    return store


def test_decisions_cannot_be_changed_or_removed(store: Store) -> None:
    with store.changing():
        store.append([Decision.made(1, [GOUT])])
    for statement in ("UPDATE log SET who = 'x'", "DELETE FROM log"):
        with pytest.raises(sqlite3.IntegrityError, match="only appended"):
            store.tables.connection.execute(statement)
    assert [entry.targets for entry in store.log(1)] == [(GOUT,)]


def test_a_change_that_fails_leaves_nothing_behind(store: Store) -> None:
    def fails() -> None:
        with store.changing():
            store.append([Decision.made(1, [GOUT])])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert store.log() == []


def test_rows_have_their_own_codes_and_log(store: Store) -> None:
    with store.changing():
        store.append([Decision.made(2, [GOUT])])
    first, second = store.rows()
    assert (first.text, first.codes[0].code, first.state.decision) == ("gout", "A", None)
    assert second.state.decision is not None
    assert second.targets == (GOUT,)
    assert [row.text for row in store.rows([2])] == ["fever"]


def test_a_file_of_another_kind_or_a_later_format_is_refused(store: Store, tmp_path: Path) -> None:
    (tmp_path / "other").write_text("not a database, but long enough to be taken for one" * 20)
    with pytest.raises(StoreError):
        Store.open(tmp_path / "other")
    (tmp_path / "empty").touch()
    with pytest.raises(DamagedError, match="damaged"):
        Store.open(tmp_path / "empty")
    with store.changing():
        store.put_setting("format", 99)
    with pytest.raises(StoreError, match="later linnet"):
        Store.open(tmp_path / FILE)


def test_what_was_saved_survives_kill_9(store: Store, tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path / FILE)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(20):
            saved = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
    found = [entry.targets[0].concept for entry in Store.open(tmp_path / FILE).log(1)]
    assert found[:saved] == [f"X:{number}" for number in range(1, saved + 1)]

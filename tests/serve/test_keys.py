"""API keys that are given, taken away and mistyped while they are known."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from linnet.errors import DataError
from linnet.serve.faults import Faults
from linnet.serve.keys import KeyRing

ADA, BOB = "0123456789abcdef-ada", "0123456789abcdef-bob"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    place = tmp_path / "keys.txt"
    place.write_text(f"ada {ADA}\n")
    return place


def _owner(ring: KeyRing, key: str) -> str | None:
    return ring.current.owner({b"x-api-key": key.encode()})


def test_a_key_that_is_added_is_known_and_one_that_is_taken_out_is_not(file: Path) -> None:
    ring = KeyRing(file, faults=Faults())
    known = ring.current
    ring.check()
    assert ring.current is known
    file.write_text(f"ada {ADA}\nbob {BOB}\n")
    ring.check()
    assert (_owner(ring, ADA), _owner(ring, BOB)) == ("ada", "bob")
    file.write_text(f"bob {BOB}\n")
    ring.check()
    assert (_owner(ring, ADA), _owner(ring, BOB)) == (None, "bob")


def test_a_file_of_the_same_size_and_time_is_read_when_it_is_asked_for(file: Path) -> None:
    ring = KeyRing(file, faults=Faults())
    before = file.stat()
    file.write_text(f"bob {BOB}\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    ring.check(force=True)
    assert _owner(ring, BOB) == "bob"


@pytest.mark.parametrize("slip", ["", "short", f"{BOB}\n{BOB}", "bob schlüssel-mit-umlaut-0123456789", None])
def test_a_slip_shuts_nobody_out_and_lets_nobody_in(file: Path, slip: str | None) -> None:
    faults = Faults()
    ring = KeyRing(file, faults=faults)
    file.unlink()
    if slip is not None:
        file.write_text(slip)
    ring.check()
    assert (_owner(ring, ADA), _owner(ring, BOB)) == ("ada", None)
    [fault] = faults.current()
    assert fault.code == "keys_failed"
    assert str(file) in fault.message
    assert BOB not in fault.message
    file.write_text(f"bob {BOB}\n")
    ring.check()
    assert (_owner(ring, ADA), _owner(ring, BOB)) == (None, "bob")
    assert faults.current() == []


def test_without_a_file_nothing_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINNET_API_KEYS", ADA)
    ring = KeyRing(None, faults=Faults())
    ring.check(force=True)
    assert _owner(ring, ADA) == "$LINNET_API_KEYS 1"


def test_a_file_that_makes_no_sense_at_first_is_refused(file: Path) -> None:
    file.write_text("# none yet\n")
    with pytest.raises(DataError, match="openssl"):
        KeyRing(file, faults=Faults())


def test_a_server_learns_of_keys_by_looking(make_site: Any, file: Path, until: Callable[..., Any]) -> None:
    site = make_site(keys=file, poll=0.05)

    def status(key: str) -> int:
        found: int = site.client.get("/v1/concepts/X:1", headers={"X-API-Key": key}).status_code
        return found

    assert (status(ADA), status(BOB)) == (200, 401)
    file.write_text(f"bob {BOB}\n")
    until(lambda: (status(ADA), status(BOB)) == (401, 200))
    file.write_text("bob\n")
    ready = until(lambda: site.client.get("/ready", headers={"X-API-Key": BOB}).json()["faults"])
    assert [one["code"] for one in ready] == ["keys_failed"]
    assert status(BOB) == 200


def test_a_hangup_makes_all_processes_read_their_keys(
    start: Callable[..., Any], store: Path, file: Path, until: Callable[..., Any]
) -> None:
    options = ("--workers", "2", "--threads", "1", "--poll", "1000", "--api-keys", str(file))
    server = start(store, options=options)

    def status(key: str) -> int:
        found: int = server.ask("GET", "/v1/concepts/X:1", None, **{"X-API-Key": key})[0]
        return found

    assert (status(ADA), status(BOB)) == (200, 401)
    file.write_text(f"bob {BOB}\n")
    assert status(ADA) == 200
    server.process.send_signal(signal.SIGHUP)
    until(lambda: all((status(ADA), status(BOB)) == (401, 200) for _ in range(10)))
    assert server.end() == 0

"""Terminologies that are replaced, damaged or gone while they are served."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.advised import advises

from linnet.advice import Step
from linnet.errors import DamagedError, StoreError
from linnet.link.linker_config import LinkerConfig
from linnet.serve.faults import Faults
from linnet.serve.poller import Poller
from linnet.serve.reloader import Reloader
from linnet.serve.settings import Settings
from linnet.serve.snapshot import open_snapshot
from linnet.terminology import write_terminology
from linnet.types import Concept

OTHER = [Concept("Y:1", "Gout"), Concept("Y:2", "Scurvy", ("vitamin C deficiency",))]


@pytest.fixture
def copy(store: Path, tmp_path: Path) -> Path:
    """A terminology that a test may change."""
    return Path(shutil.copytree(store, tmp_path / "copy"))


@pytest.fixture
def served(make_site: Any, copy: Path) -> Any:
    """A site that serves it, and looks at it when it is told to only."""
    return make_site(terminologies=(copy,), poll=1000.0)


def _settings(place: Path, **changes: Any) -> Settings:
    return Settings(opening=LinkerConfig(terminologies=(str(place),), changes=changes))


def _linked(site: Any, text: str = "gout") -> tuple[list[str], str]:
    answer = site.client.post("/v1/link", json={"mentions": [{"text": text}]})
    assert answer.status_code == 200
    [link] = answer.json()["links"]
    return link["concepts"], answer.headers["linnet-terminology"]


def _faults(site: Any) -> dict[str, str]:
    ready = site.client.get("/ready")
    assert ready.status_code == 200
    assert ready.json()["ready"]
    found = {one["code"]: one["message"] for one in ready.json()["faults"]}
    assert ready.json()["status"] == ("degraded" if found else "ok")
    return found


def test_what_is_built_again_takes_the_place_of_what_was(
    served: Any, copy: Path, rebuild: Callable[..., Path]
) -> None:
    before = _linked(served)
    assert before[0] == ["X:1"]
    served.service.reloader.check()
    assert _linked(served) == before
    rebuild(copy, OTHER)
    served.service.reloader.check()
    after = _linked(served)
    assert after[0] == ["Y:1"]
    assert after[1] != before[1]
    assert served.client.get("/v1/concepts", params={"q": "vitamin"}).json()["concepts"][0]["id"] == "Y:2"
    assert served.client.get("/v1/concepts/X:1").status_code == 404
    assert _faults(served) == {}
    text = served.client.get("/metrics").text
    assert 'linnet_reloads_total{outcome="done"} 1.0' in text
    assert (after[1] in text, before[1] in text) == (True, False)


def test_overrides_are_served_when_they_are_saved(served: Any, copy: Path) -> None:
    (copy / "overrides.tsv").write_text("gout\tX:2\tforce\n")
    served.service.reloader.check()
    assert _linked(served)[0] == ["X:2"]
    (copy / "overrides.tsv").write_text("gout\n")
    served.service.reloader.check()
    assert _linked(served)[0] == ["X:2"]
    assert "overrides.tsv" in _faults(served)["reload_failed"]


def test_until_the_new_one_is_whole_the_old_one_is_served(
    served: Any, copy: Path, rebuild: Callable[..., Path], caplog: Any
) -> None:
    before = _linked(served)
    write_terminology(OTHER, copy, pipeline={"retrievers": ["exact", "sparse"], "reranker": None})
    for _ in range(2):
        served.service.reloader.check()
        assert _linked(served) == before
        # What the old one read when it was opened, too.
        assert served.client.get("/v1/concepts/X:0").json()["children"] == 6
        assert served.client.get("/v1/concepts", params={"q": "asth"}).json()["concepts"][0]["id"] == "X:2"
        assert "linnet index" in _faults(served)["reload_failed"]
    text = served.client.get("/metrics").text
    assert 'linnet_reloads_total{outcome="failed"}' in text
    assert 'linnet_faults{code="reload_failed"} 1.0' in text
    assert "reload_failed" in caplog.text
    rebuild(copy, OTHER)
    served.service.reloader.check()
    assert _linked(served)[0] == ["Y:1"]
    assert _faults(served) == {}
    assert 'linnet_faults{code="reload_failed"} 0.0' in served.client.get("/metrics").text


@pytest.mark.parametrize("harm", ["truncated", "flipped", "no json"])
def test_a_damaged_one_is_not_served(
    served: Any, copy: Path, rebuild: Callable[..., Path], tmp_path: Path, harm: str
) -> None:
    before = _linked(served)
    new = rebuild(tmp_path / "new", OTHER)
    if harm == "no json":
        (new / "terminology.json").write_text("{")
    else:
        file = new / "names.arrow"
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 255
        file.write_bytes(data[:-100] if harm == "truncated" else data)
    copy.rename(tmp_path / "aside")
    new.rename(copy)
    served.service.reloader.check()
    assert _linked(served) == before
    assert "linnet terminology build" in _faults(served)["reload_failed"]
    shutil.rmtree(copy)
    (tmp_path / "aside").rename(copy)
    served.service.reloader.check()
    assert _faults(served) == {}


def test_a_store_that_vanishes_is_served_on(served: Any, copy: Path, tmp_path: Path) -> None:
    before = _linked(served)
    shutil.copytree(copy, tmp_path / "spare")
    shutil.rmtree(copy)
    served.service.reloader.check()
    assert _linked(served) == before
    assert _linked(served, "louis-bar syndrome")[0] == ["X:6"]
    assert served.client.post("/v1/annotate", json={"text": "Asthma."}).json()["mentions"][0]["concepts"] == [
        "X:2"
    ]
    assert served.client.get("/v1/concepts/X:1").json()["parents"][0]["id"] == "X:0"
    assert served.client.get("/v1/concepts", params={"q": "migr"}).json()["concepts"][0]["id"] == "X:3"
    assert "put it back" in _faults(served)["store_missing"]
    (tmp_path / "spare").rename(copy)
    served.service.reloader.check()
    assert _linked(served) == before
    assert _faults(served) == {}


def test_a_read_only_store_without_a_search_index_is_served_without_searching(
    make_site: Any, copy: Path, monkeypatch: Any
) -> None:
    shutil.rmtree(copy / "index" / "search")

    def refused(_: Any) -> Any:
        raise StoreError("read-only")

    monkeypatch.setattr("linnet.serve.snapshot.SearchIndex.build", refused)
    site = make_site(terminologies=(copy,))
    assert _linked(site)[0] == ["X:1"]
    problem = site.refused(503, "GET", "/v1/concepts", params={"q": "gout"})
    assert "/ready" in problem["next"]
    assert f"linnet terminology search {copy} --rebuild" in _faults(site)["search_missing"]


def test_opening_goes_on_while_a_directory_takes_the_place_of_another(
    copy: Path, rebuild: Callable[..., Path], monkeypatch: Any
) -> None:
    from linnet.link import Linker

    opened = Linker.open
    calls = []

    def slow(*args: Any, **options: Any) -> Any:
        calls.append(1)
        if len(calls) == 1:
            rebuild(copy, OTHER)
        return opened(*args, **options)

    monkeypatch.setattr("linnet.link.linker_config.Linker.open", slow)
    monkeypatch.setattr("linnet.serve.snapshot._PAUSE", 0.01)
    found = open_snapshot(_settings(copy))
    assert len(calls) >= 2
    assert found.linker.link(["gout"])[0].concepts == ("Y:1",)
    assert found.terminologies[0].digest == found.served["terminologies"][0]["digest"]


def test_what_cannot_be_opened_at_first_is_said(copy: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreError, check=advises(Step.BUILD_TERMINOLOGY)):
        open_snapshot(_settings(tmp_path / "nothing"))
    with pytest.raises(StoreError, check=advises(Step.BUILD_INDEX)):
        open_snapshot(_settings(copy, retrievers=("exact", "dense")))
    (copy / "names.arrow").write_bytes(b"")
    with pytest.raises(DamagedError):
        open_snapshot(_settings(copy))


def test_what_is_wrong_is_in_the_metrics_before_this_process_is_asked(served: Any, copy: Path) -> None:
    def said() -> str:
        text: str = served.service.metrics.render().decode()  # as another process adds it up
        return text

    shutil.rmtree(copy)
    served.service.reloader.check()
    assert 'linnet_faults{code="store_missing"} 1.0' in said()
    served.service.faults.clear("store_missing")
    assert 'linnet_faults{code="store_missing"} 0.0' in said()


def test_a_disk_that_does_not_answer_is_a_fault_until_it_does(served: Any, monkeypatch: Any) -> None:
    reloader = served.service.reloader
    monkeypatch.setattr("linnet.serve.reloader._HANGING", 0.0)
    monkeypatch.setattr(reloader, "_checking", 0.0)
    assert "check the disk" in _faults(served)["store_hangs"]
    reloader.check()
    assert _faults(served) == {}


def test_what_could_not_be_opened_is_tried_again_after_a_while(
    served: Any, copy: Path, rebuild: Callable[..., Path], monkeypatch: Any
) -> None:
    from linnet.serve import reloader

    opening = reloader.open_snapshot
    rebuild(copy, OTHER)

    def short(*_: Any, **__: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(reloader, "open_snapshot", short)
    served.service.reloader.check()
    assert "MemoryError" in _faults(served)["reload_failed"]
    monkeypatch.setattr(reloader, "open_snapshot", opening)
    served.service.reloader.check()
    assert _linked(served)[0] == ["X:1"]
    monkeypatch.setattr(reloader, "_RETRY", 0.0)
    served.service.reloader._retry = 0.0
    served.service.reloader.check()
    assert _linked(served)[0] == ["Y:1"]
    assert _faults(served) == {}


def test_the_other_processes_do_not_wait_for_ever_for_a_search_index(
    copy: Path, rebuild: Callable[..., Path], monkeypatch: Any
) -> None:
    faults = Faults()
    other = Reloader(_settings(copy), faults=faults, writes_indexes=False)
    before = other.current
    rebuild(copy, OTHER)
    shutil.rmtree(copy / "index" / "search")
    other.check()
    assert other.current is before
    other._retry = 0.0
    other.check()
    assert other.current is not before
    assert [one.code for one in faults.current()] == ["search_missing"]


def test_a_look_that_fails_is_a_fault_until_one_succeeds(caplog: Any) -> None:
    faults, outcomes = Faults(), [True, True, False]

    def check(woken: bool) -> None:
        if outcomes.pop(0):
            raise ZeroDivisionError

    poller = Poller(check, what="keys", seconds=1000.0, faults=faults)
    poller.poll()
    poller.poll()
    assert [one.code for one in faults.current()] == ["keys_look_failed"]
    assert caplog.text.count("Traceback") == 1
    poller.poll()
    assert faults.current() == []

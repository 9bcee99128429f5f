"""Jobs of a mapping: a new release of the terminology, interruptions, and people who decide meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.annotate.conftest import CONCEPTS, Client, Site

from linnet.annotate.domain.learning import job_store
from linnet.annotate.settings import Settings
from linnet.mapping import proposing
from linnet.terminology import write_terminology
from linnet.types import Concept

TABLE = b"label\ngout\nasthma\nmigraine\nscurvy\n"


@pytest.fixture
def site(tmp_path: Path, small_terminology: Path) -> Iterator[Site]:
    """A site whose jobs the test does, with a terminology and its next release: gout is retired, asthma renamed."""
    changed = {
        "X:1": Concept("X:1", "", replaced_by=("X:8",)),
        "X:2": replace(CONCEPTS[2], name="Reactive airways", names=()),
    }
    new = [changed.get(each.id, each) for each in CONCEPTS] + [
        Concept("X:8", "Urate arthritis", types=("Disease",))
    ]
    release = tmp_path / "small-2027"
    write_terminology(new, release, pipeline={"retrievers": ["exact", "sparse"]})
    made = Site(Settings(data=tmp_path / "data", terminologies=(small_terminology, release)), working=False)
    yield made
    made.close()


@pytest.fixture
def ada(site: Site) -> Client:
    return site.client().sign_in("ada", path="setup")


@pytest.fixture
def project(site: Site, ada: Client) -> int:
    """Whose strings have proposals."""
    number = ada.project()
    ada.ok("POST", f"projects/{number}/mapping", files={"file": ("a.csv", TABLE)})
    site.work()
    return number


def decide(ada: Client, project: int, row: int, concept: str) -> None:
    ada.ok("POST", f"projects/{project}/mapping/rows/{row}/decision", {"concepts": [concept]})


def returned(ada: Client, project: int) -> dict[int, str]:
    rows = ada.ok("GET", f"projects/{project}/mapping/rows?attention=true")["rows"]
    return {row["number"]: row["returned"].partition(":")[0] for row in rows}


def test_a_new_release_returns_what_it_puts_in_doubt_and_the_review_goes_on_with_it(
    site: Site, ada: Client, project: int
) -> None:
    for row, concept in ((1, "X:1"), (2, "X:2"), (3, "X:3")):
        decide(ada, project, row, concept)
    job = ada.ok("POST", f"projects/{project}/mapping/terminology", {"terminology": "small-2027"})
    site.work()
    done = ada.ok("GET", f"jobs/{job['id']}")
    assert (done["state"], done["reason"]) == ("done", "")
    assert done["message"] == "2 strings returned (1 retired, 1 renamed)"
    assert returned(ada, project) == {1: "retired", 2: "renamed"}
    summary = ada.ok("GET", f"projects/{project}/mapping")
    assert summary["terminologies"] == ["small-2027"]
    decide(ada, project, 1, "X:8")
    assert ada.ok("GET", f"projects/{project}/mapping/concept?id=X:8")["name"] == "Urate arthritis"
    entry = ada.ok("GET", f"projects/{project}/log")["entries"][0]
    assert (entry["action"], entry["changes"]["terminology"]) == ("mapping.upgrade", ["small", "small-2027"])
    ada.refused(422, "POST", f"projects/{project}/mapping/terminology", {"terminology": "none"})


def test_what_is_decided_while_a_release_is_compared_is_looked_at_too(
    site: Site, ada: Client, project: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from linnet.mapping import upgrading

    decide(ada, project, 2, "X:2")
    proposed = upgrading.propose

    def slowly(*arguments: Any, **options: Any) -> int:
        version = proposed(*arguments, **options)
        decide(ada, project, 1, "X:1")
        decide(ada, project, 2, "X:3")
        return version

    monkeypatch.setattr(upgrading, "propose", slowly)
    ada.ok("POST", f"projects/{project}/mapping/terminology", {"terminology": "small-2027"})
    site.work()
    assert returned(ada, project) == {1: "retired"}


def test_a_killed_job_goes_on_where_it_stopped(
    site: Site, ada: Client, project: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    monkeypatch.setattr(proposing, "_TOGETHER", 2)
    newer = TABLE + b"breast cancer\novarian cancer\nvitamin C deficiency\n"
    ada.ok("POST", f"projects/{project}/mapping/table", files={"file": ("b.csv", newer)})
    report, told = job_store.report_progress, []

    def dies(database: Any, id: int, share: float, message: str) -> None:
        told.append(message)
        if message.startswith("Mapping: 2"):
            raise Killed
        report(database, id, share, message)

    monkeypatch.setattr("linnet.annotate.jobs.worker._REPORT_INTERVAL", 0)
    monkeypatch.setattr(job_store, "report_progress", dies)
    with pytest.raises(Killed):
        site.work()
    monkeypatch.setattr(job_store, "report_progress", report)
    rows = ada.ok("GET", f"projects/{project}/mapping/rows?order=number")["rows"]
    assert [bool(row["targets"]) for row in rows] == [True] * 6 + [False]
    job_store.recover(site.database)
    site.work()
    assert "Mapping: 0 of 3 strings" in told
    rows = ada.ok("GET", f"projects/{project}/mapping/rows?order=number")["rows"]
    assert all(row["targets"] for row in rows)

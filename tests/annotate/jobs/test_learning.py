from __future__ import annotations

import errno
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from linnet.annotate.domain.learning import job_store
from linnet.annotate.jobs import worker
from linnet.annotate.store.tables import Job, Project
from linnet.cli import app
from linnet.io import artifact

ODD = "podagra"  # a name of X:1 that the terminology does not have


def _accept(client: Any, view: Any) -> Any:
    return client.ok(
        "POST", f"documents/{view['id']}/state", {"revision": view["revision"], "state": "accepted"}
    )


def _open_all(client: Any, project: int) -> list[Any]:
    found = client.ok("GET", f"projects/{project}/documents?order=id&limit=100")["documents"]
    return [client.ok("GET", f"documents/{one['id']}") for one in found]


def _annotate(client: Any, view: Any, text: str, concept: str) -> Any:
    start = view["text"].index(text)
    body = {
        "revision": view["revision"],
        "start": start,
        "end": start + len(text),
        "concepts": [concept],
        "type": "Disease",
    }
    return view | client.ok("POST", f"documents/{view['id']}/annotations", body)


def test_what_was_annotated_is_predicted_measured_and_can_be_rolled_back(
    ada: Any, small_terminology: Path, tmp_path: Path
) -> None:
    project = ada.project()
    texts = {
        f"d{number}.txt": f"Case {number}: {ODD} and asthma. The migraine study {number}."
        for number in range(6)
    }
    ada.upload(project, texts)
    views = _open_all(ada, project)
    ada.ok("PATCH", f"documents/{views[4]['id']}", {"held_out": True})
    for view in (views[0], views[1], views[4]):
        done = _annotate(ada, view, ODD, "X:1")
        found = next(one for one in view["annotations"] if one["text"] == "asthma")
        done |= ada.ok(
            "PATCH", f"documents/{view['id']}/annotations/{found['id']}", {"revision": done["revision"]}
        )
        study = next(one for one in view["annotations"] if one["text"] == "migraine")
        done |= ada.ok(
            "DELETE", f"documents/{view['id']}/annotations/{study['id']}?revision={done['revision']}"
        )
        _accept(ada, done)
    assert {one["text"] for one in views[2]["annotations"]} == {"asthma", "migraine"}

    job = ada.ok("POST", f"projects/{project}/jobs", {"kind": "train"})
    job = ada.ok("GET", f"jobs/{job['id']}")
    assert (job["state"], job["version"], job["progress"]) == ("done", 1, 1.0), job["reason"]
    [version, first] = ada.ok("GET", f"projects/{project}/models")
    assert (version["number"], version["parent"], version["current"], first["current"]) == (1, 0, True, False)
    assert (version["documents"], version["after"]["documents"]) == (2, 1)
    assert version["before"]["spans"]["f1"] == first["after"]["spans"]["f1"] == pytest.approx(0.5)
    assert version["after"]["strong"]["f1"] == 1.0
    assert version["before"]["linking"] == 0.5
    [point] = ada.ok("GET", f"projects/{project}/curve")["points"]
    assert point["metrics"] == version["after"]

    view = ada.ok("GET", f"documents/{views[2]['id']}")
    assert [(one["text"], one["concepts"], one["model"]) for one in view["annotations"]] == [
        (ODD, ["X:1"], 1),
        ("asthma", ["X:2"], 1),
    ]
    assert ada.ok("GET", f"projects/{project}/concept?id=X:1")["learned"] == [ODD]
    linked = _linked_elsewhere(ada, project, small_terminology, tmp_path, view["text"])
    assert linked == [(one["text"], one["concepts"]) for one in view["annotations"]]
    entry = next(
        e for e in ada.ok("GET", f"projects/{project}/log")["entries"] if e["action"] == "model.train"
    )
    assert (entry["by"], entry["model"], entry["model_digest"]) == ("ada", 1, version["digest"])

    ada.ok("POST", f"projects/{project}/models/current", {"number": 0})
    view = ada.ok("GET", f"documents/{views[2]['id']}")
    assert {(one["text"], one["model"]) for one in view["annotations"]} == {("asthma", 0), ("migraine", 0)}
    assert ada.ok("GET", f"projects/{project}")["model"] == 0
    ada.refused(404, "POST", f"projects/{project}/models/current", {"number": 7})
    for number in (0, 7):
        ada.refused(404 if number else 422, "GET", f"projects/{project}/models/{number}/files")


def _linked_elsewhere(
    client: Any, project: int, terminology: Path, place: Path, text: str
) -> list[tuple[str, list[str]]]:
    """What `linnet link` makes of a text with the files of version 1."""
    answer = client.get(f"/api/projects/{project}/models/1/files")
    assert answer.headers["content-disposition"].endswith('-v1.zip"')
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        archive.extractall(place)
    [folder] = place.iterdir()
    (place / "a.txt").write_text(text)
    done = CliRunner().invoke(
        app,
        [
            "link",
            str(place / "a.txt"),
            "-t",
            str(terminology),
            "--learned",
            str(folder),
            "-o",
            str(place / "out.jsonl"),
        ],
    )
    assert done.exit_code == 0, done.stderr
    [line] = (place / "out.jsonl").read_text().splitlines()
    manifest = json.loads((place / "out.jsonl.manifest.json").read_text())
    assert manifest["models"]["learned"]["digest"] == artifact.digest(folder / "version.json")
    return [(one["text"], one["concepts"]) for one in json.loads(line)["mentions"]]


def test_predictions_leave_alone_what_people_made_and_do_not_bring_back_what_they_removed(ada: Any) -> None:
    project = ada.project()
    view = ada.document(project, "Gout, asthma and migraine and scurvy.")
    path = f"documents/{view['id']}"
    gout, asthma, migraine, _ = view["annotations"]
    done = ada.ok(
        "PATCH", f"{path}/annotations/{gout['id']}", {"revision": view["revision"], "concepts": ["X:6"]}
    )
    done = ada.ok("DELETE", f"{path}/annotations/{asthma['id']}?revision={done['revision']}")
    done = ada.ok("DELETE", f"{path}/annotations/{migraine['id']}?revision={done['revision']}")
    done = ada.ok("POST", f"{path}/undo", {"revision": done["revision"]})
    job = ada.ok("POST", f"projects/{project}/jobs", {"kind": "predict"})
    assert ada.ok("GET", f"jobs/{job['id']}")["state"] == "done"
    now = ada.ok("GET", path)
    assert [(one["text"], one["layer"], one["concepts"]) for one in now["annotations"]] == [
        ("Gout", "user", ["X:6"]),
        ("migraine", "pred", ["X:3"]),
        ("scurvy", "pred", ["X:6"]),
    ]
    assert now["annotations"][1]["id"] == migraine["id"]


def test_the_queue_follows_the_strategy_and_skips_what_is_done(ada: Any) -> None:
    project = ada.project()
    texts = {
        "sure.txt": "Gout.",
        "unsure.txt": "breast or ovarian asthma cancers",
        "nothing.txt": "Good news.",
    }
    ada.upload(project, texts)
    queue = ada.ok("GET", f"projects/{project}/queue")["documents"]
    assert queue[0]["name"] == "unsure"  # the two others are worth the same, in random order
    known = [one["confidence"] for one in queue if one["confidence"] is not None]
    assert known == sorted(known)
    first = ada.ok("GET", f"documents/{queue[0]['id']}")
    assert (first["previous"], first["next"]) == (None, queue[1]["id"])
    ada.ok("POST", f"documents/{first['id']}/state", {"revision": first["revision"], "state": "skipped"})
    assert [one["id"] for one in ada.ok("GET", f"projects/{project}/queue")["documents"]] == [
        one["id"] for one in queue[1:]
    ]
    for strategy in ("random", "diversity"):
        assert ada.ok("PATCH", f"projects/{project}", {"strategy": strategy})["strategy"] == strategy
        assert ada.ok("GET", f"projects/{project}/queue")["total"] == 2
    assert (
        "least-confident" in ada.refused(422, "PATCH", f"projects/{project}", {"strategy": "best"})["message"]
    )


def test_a_job_that_cannot_be_done_says_why(ada: Any) -> None:
    project = ada.project()
    job = ada.ok("POST", f"projects/{project}/jobs", {"kind": "train"})
    job = ada.ok("GET", f"jobs/{job['id']}")
    assert (job["state"], job["version"]) == ("failed", None)
    assert "Annotate some documents" in job["reason"]
    assert (
        "names"
        in ada.refused(422, "POST", f"projects/{project}/jobs", {"kind": "train", "learners": ["magic"]})[
            "message"
        ]
    )
    ada.refused(404, "GET", "jobs/99999")


def test_a_second_training_is_refused_while_the_first_waits_and_either_can_be_cancelled(quiet: Any) -> None:
    ada = quiet.client().sign_in("ada", path="setup")
    project = ada.project()
    job = ada.ok("POST", f"projects/{project}/jobs", {"kind": "train"})
    assert ada.refused(409, "POST", f"projects/{project}/jobs", {"kind": "train"})["by"] == "ada"
    once = ada.ok("POST", f"projects/{project}/jobs", {"kind": "predict"})
    assert ada.ok("POST", f"projects/{project}/jobs", {"kind": "predict"})["id"] == once["id"]
    assert ada.ok("POST", f"jobs/{job['id']}/cancel")["state"] == "cancelled"
    quiet.work()
    assert ada.ok("GET", f"jobs/{job['id']}")["state"] == "cancelled"
    assert ada.ok("POST", f"projects/{project}/jobs", {"kind": "train"})["id"] != job["id"]


def test_a_job_that_was_stopped_begins_nothing_more(quiet: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = quiet.client().sign_in("ada", path="setup")
    [job] = ada.ok("GET", f"projects/{ada.project()}/jobs")
    built: list[Any] = []
    monkeypatch.setattr(worker, "ensure_indexes", built.append)
    opened = quiet.worker._terminologies.open

    def stopped_meanwhile(name: str) -> Any:
        assert ada.ok("POST", f"jobs/{job['id']}/cancel")["state"] == "running"
        return opened(name)

    monkeypatch.setattr(quiet.worker._terminologies, "open", stopped_meanwhile)
    quiet.work()
    assert ada.ok("GET", f"jobs/{job['id']}")["state"] == "cancelled"
    assert built == []


def test_after_a_crash_jobs_wait_again_until_they_crashed_too_often(quiet: Any) -> None:
    with quiet.database.write() as session:
        project = Project(
            name="p", terminology="small", terminology_digest="", mode="shared", types=[], labels=[],
            strategy="random", held_out=0, created_by="ada",
        )  # fmt: skip
        session.add(project)
        session.flush()
        job = job_store.enqueue(session, project, "predict", by="ada").id
    for attempt in range(1, job_store.ATTEMPTS + 1):
        taken = job_store.take(quiet.database)
        assert taken is not None
        assert (taken.id, taken.attempts) == (job, attempt)
        assert job_store.take(quiet.database) is None
        job_store.report_progress(quiet.database, job, 0.5, "half way")
        job_store.recover(quiet.database)
    with quiet.database.read() as session:
        row = session.get_one(Job, job)
    assert row.state == "failed"
    assert "died 3 times" in row.reason
    assert "half way" in row.reason


def test_a_training_that_is_resumed_after_its_version_was_made_does_not_make_another(
    quiet: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = quiet.client().sign_in("ada", path="setup")
    project = ada.project()
    ada.upload(
        project,
        {"a.pubtator": "1|t|Podagra\n1|a|\n1\t0\t7\tPodagra\tDisease\tX:1\n", "b.txt": "podagra"},
        complete="true",
    )
    quiet.work()
    job = ada.ok("POST", f"projects/{project}/jobs", {"kind": "train"})["id"]

    def crash(*_: object, **__: object) -> str:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("linnet.annotate.jobs.worker.predict", crash)
        with pytest.raises(KeyboardInterrupt):
            quiet.work()
    assert ada.ok("GET", f"jobs/{job}")["state"] == "running"
    job_store.recover(quiet.database)
    quiet.work()
    done = ada.ok("GET", f"jobs/{job}")
    assert (done["state"], done["attempts"], done["version"]) == ("done", 2, 1)
    assert [one["number"] for one in ada.ok("GET", f"projects/{project}/models")] == [1, 0]
    [document] = ada.ok("GET", f"projects/{project}/queue")["documents"]
    assert document["predicted"] == 1


def test_a_training_that_fills_the_disk_says_so_and_keeps_nothing(
    ada: Any, site: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    project = ada.project()
    ada.upload(
        project, {"a.pubtator": "1|t|Podagra\n1|a|\n1\t0\t7\tPodagra\tDisease\tX:1\n"}, complete="true"
    )
    monkeypatch.setattr("linnet.active.learners.names.build_indexes", full)
    job = ada.ok("POST", f"projects/{project}/jobs", {"kind": "train"})["id"]
    job = ada.ok("GET", f"jobs/{job}")
    assert job["state"] == "failed"
    assert "disk is full" in job["reason"]
    folder = site.settings.data / "projects" / str(project)
    assert not folder.exists() or list(folder.iterdir()) == []
    assert ada.ok("GET", f"projects/{project}")["model"] == 0


def test_where_annotators_work_alone_every_accepted_sheet_teaches(ada: Any, bob: Any) -> None:
    project = ada.project(mode="independent")
    ada.upload(project, {"a.txt": f"{ODD} and a migraine study.", "b.txt": f"{ODD} after a migraine study."})
    for client, concept in ((bob, "X:1"), (ada, "X:1")):
        for view in _open_all(client, project)[: 2 if client is bob else 1]:
            done = _annotate(client, view, ODD, concept)
            found = [one for one in view["annotations"] if one["text"] == "migraine"]
            for one in found if client is bob else []:
                done |= client.ok(
                    "DELETE", f"documents/{view['id']}/annotations/{one['id']}?revision={done['revision']}"
                )
            _accept(client, done)
    progress = ada.ok("GET", f"projects/{project}")["progress"]
    assert (progress["accepted"], progress["teaching"]) == (1, 2)
    job = ada.ok("POST", f"projects/{project}/jobs", {"kind": "train"})
    job = ada.ok("GET", f"jobs/{job['id']}")
    assert (job["state"], job["version"]) == ("done", 1), job["reason"]
    names = {one["text"]: one for one in ada.ok("GET", f"projects/{project}/learned/names")["names"]}
    assert (names[ODD]["mentions"], names[ODD]["documents"]) == (3, 3)
    # Bob says twice that migraine is no mention, Ada once that it is: it is annotated at one of two places.
    assert ada.ok("GET", f"projects/{project}/learned/stops")["total"] == 0
    [version, _] = ada.ok("GET", f"projects/{project}/models")
    assert version["documents"] == 2


def test_an_administrator_who_accepted_nothing_can_train_on_what_annotators_accepted(
    ada: Any, bob: Any
) -> None:
    project = ada.project(mode="independent")
    ada.upload(project, {"a.txt": f"{ODD} here."})
    [view] = _open_all(bob, project)
    _accept(bob, _annotate(bob, view, ODD, "X:1"))
    progress = ada.ok("GET", f"projects/{project}")["progress"]
    assert (progress["accepted"], progress["teaching"]) == (0, 1)
    job = ada.ok("POST", f"projects/{project}/jobs", {"kind": "train"})
    assert ada.ok("GET", f"jobs/{job['id']}")["version"] == 1

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path
from typing import Any

from linnet.active.learned_items import LearnedName, LearnedStop, read_names, read_stops
from linnet.link.learned import NAMES, STOPS
from linnet.terminology import write_terminology
from linnet.types import Concept

ODD = "podagra"  # a name of X:1 that the terminology does not have


def _taught(ada: Any) -> int:
    """A project whose model has learnt `podagra`, and that migraine is no mention."""
    project: int = ada.project()
    for number in range(3):
        text = f"Case {number}: {ODD}, {ODD} and asthma. The migraine study {number}."
        starts = [text.index(ODD), text.rindex(ODD)]
        lines = [f"{number}|t|{text}", f"{number}|a|"]
        lines += [f"{number}\t{start}\t{start + len(ODD)}\t{ODD}\tDisease\tX:1" for start in starts]
        start = text.index("asthma")
        lines.append(f"{number}\t{start}\t{start + 6}\tasthma\tDisease\tX:2")
        ada.upload(project, {f"{number}.pubtator": "\n".join(lines) + "\n\n"}, complete=str(number < 2))
    _train(ada, project)
    return project


def _train(ada: Any, project: int) -> None:
    job = ada.ok("POST", f"projects/{project}/jobs", {"kind": "train"})
    job = ada.ok("GET", f"jobs/{job['id']}")
    assert job["state"] == "done", job["reason"]


def _predicted(ada: Any, project: int) -> list[str]:
    view = ada.document(project, f"New {ODD} and a migraine.")
    return [one["text"] for one in view["annotations"]]


def test_what_was_learnt_is_listed_with_what_it_was_learnt_from(ada: Any) -> None:
    project = _taught(ada)
    names = ada.ok("GET", f"projects/{project}/learned/names")
    assert (names["version"], names["total"]) == (1, 2)
    assert names["names"][1] == {
        "text": ODD, "concept": "X:1", "name": "Gout", "mentions": 6, "documents": 3, "removed": False,
    }  # fmt: skip
    stops = ada.ok("GET", f"projects/{project}/learned/stops")
    assert stops["stops"] == [
        {"text": "migraine", "seen": 2, "annotated": 0, "documents": 2, "removed": False}
    ]
    for search in ("PODA", "x:1", "gout"):
        found = ada.ok("GET", f"projects/{project}/learned/names?search={search}")
        assert [one["text"] for one in found["names"]] == [ODD]
    assert _predicted(ada, project) == [ODD]


def test_a_name_and_a_stop_that_are_removed_are_gone_now_and_after_the_next_training(ada: Any) -> None:
    project = _taught(ada)
    path = f"projects/{project}/learned"
    removed = ada.ok("POST", f"{path}/removed", {"kind": "name", "text": ODD.title(), "concept": "X:1"})
    assert ada.ok("GET", f"jobs/{removed['job']}")["version"] == 2
    ada.ok("POST", f"{path}/removed", {"kind": "stop", "text": "Migraine"})
    assert [one["text"] for one in ada.ok("GET", f"{path}/names")["names"]] == ["asthma"]
    assert ada.ok("GET", f"{path}/stops")["total"] == 0
    assert _predicted(ada, project) == ["migraine"]
    entries = [
        (one["action"], one["by"], one["changes"])
        for one in ada.ok("GET", f"projects/{project}/log")["entries"]
    ]
    assert ("learned.remove", "ada", {"name": ODD.title(), "concept": "X:1"}) in entries
    assert ("learned.remove", "ada", {"stop": "Migraine"}) in entries
    assert [action for action, _, _ in entries].count("model.correct") == 2

    _train(ada, project)
    assert [one["text"] for one in ada.ok("GET", f"{path}/names")["names"]] == ["asthma"]
    assert ada.ok("GET", f"{path}/stops")["total"] == 0

    for one in ada.ok("GET", f"{path}/removed"):
        assert one["created_by"] == "ada"
        ada.ok("DELETE", f"{path}/removed/{one['id']}")
    ada.refused(404, "DELETE", f"{path}/removed/{one['id']}")
    _train(ada, project)
    assert ODD in [one["text"] for one in ada.ok("GET", f"{path}/names")["names"]]
    assert ada.ok("GET", f"{path}/stops")["total"] == 1


def test_a_version_gone_back_to_shows_what_was_removed_and_can_be_corrected_again(ada: Any) -> None:
    project = _taught(ada)
    ada.ok("POST", f"projects/{project}/learned/removed", {"kind": "stop", "text": "migraine"})
    ada.ok("POST", f"projects/{project}/models/current", {"number": 1})
    [stop] = ada.ok("GET", f"projects/{project}/learned/stops")["stops"]
    assert stop["removed"]
    ada.ok("POST", f"projects/{project}/jobs", {"kind": "correct"})
    assert ada.ok("GET", f"projects/{project}/learned/stops") == {
        "version": 3, "total": 0, "offset": 0, "stops": [],
    }  # fmt: skip


def test_what_makes_no_sense_to_remove_is_refused(ada: Any, bob: Any) -> None:
    project = _taught(ada)
    path = f"projects/{project}/learned/removed"
    assert "concept" in ada.refused(422, "POST", path, {"kind": "name", "text": "a"})["fields"]
    ada.refused(422, "POST", path, {"kind": "stop", "text": " "})
    ada.refused(422, "POST", path, {"kind": "other", "text": "a"})
    bob.refused(403, "POST", path, {"kind": "stop", "text": "migraine"})
    twice = [
        ada.ok("POST", path, {"kind": "stop", "text": text})["removal"]["id"] for text in ("cold", "COLD")
    ]
    assert twice[0] == twice[1]


def test_independent_annotators_do_not_see_what_others_taught(ada: Any, bob: Any) -> None:
    project = ada.project(mode="independent")
    for part in ("names", "stops", "removed"):
        assert (
            "annotators work independently"
            in bob.refused(403, "GET", f"projects/{project}/learned/{part}")["message"]
        )
        ada.ok("GET", f"projects/{project}/learned/{part}")


def test_a_backup_keeps_what_was_removed(ada: Any) -> None:
    project = _taught(ada)
    ada.ok("POST", f"projects/{project}/learned/removed", {"kind": "name", "text": ODD, "concept": "X:1"})
    backup = ada.get(f"/api/projects/{project}/backup").content
    restored = ada.ok("POST", "projects/restore", files={"file": ("b.zip", io.BytesIO(backup))})["project"]
    [removal] = ada.ok("GET", f"projects/{restored}/learned/removed")
    assert (removal["text"], removal["concept"], removal["created_by"]) == (ODD, "X:1", "ada")


def test_versions_made_before_evidence_was_kept_are_listed_without_it(tmp_path: Path) -> None:
    write_terminology([Concept("X:1", "Gout", ("podagra",))], tmp_path / NAMES)
    (tmp_path / STOPS).write_text(json.dumps(["cold"]))
    assert read_names(tmp_path) == [LearnedName("podagra", "X:1")]
    assert read_stops(tmp_path) == [LearnedStop("cold")]
    shutil.rmtree(tmp_path / NAMES)
    assert read_names(tmp_path) == []

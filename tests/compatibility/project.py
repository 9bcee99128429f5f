"""A project of `linnet annotate`, and what its page is told of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.annotate.conftest import Client, Site
from tests.compatibility.invented import TEXTS

__all__ = ["annotate", "told", "without_ids"]

LEARNERS = ["names", "recogniser", "stops", "threshold", "encoder"]


def annotate(site: Site, train: Path) -> int:
    """The number of a new project: documents, annotations, decisions of two people, a trained version, a job that waits.

    train  an annotated corpus
    """
    ada = site.client().sign_in("ada", path="setup")
    ada.ok("POST", "users", {"name": "bob", "password": "correct horse battery staple"})
    bob = site.client().sign_in("bob")
    project = ada.project(name="Fixtures", terminology="flat", types=["Disease"], held_out=0)
    ada.upload(project, {"train.pubtator": train.read_text(encoding="utf-8")}, complete="true")
    ada.upload(project, {f"text{n}.txt": text for n, text in enumerate(TEXTS) if text})
    found = ada.ok("GET", f"projects/{project}/documents?order=name&search=text")["documents"]
    views = [ada.ok("GET", f"documents/{document['id']}") for document in found]
    done = _add(bob, views[0], "AT patients", "T:003")
    first = views[0]["annotations"][0]["id"]
    done = bob.ok("DELETE", f"documents/{views[0]['id']}/annotations/{first}?revision={done['revision']}")
    done = bob.ok("POST", f"documents/{views[0]['id']}/undo", {"revision": done["revision"]})
    _decide(bob, views[0] | done, "accepted")
    done = _add(ada, views[1], "Podagra", "T:002") if "Podagra" not in _texts(views[1]) else views[1]
    last = next(a for a in done.get("annotations", views[1]["annotations"]) if a["text"] != "Podagra")
    done = ada.ok(
        "DELETE", f"documents/{views[1]['id']}/annotations/{last['id']}?revision={done['revision']}"
    )
    _decide(ada, views[1] | done, "accepted")
    _decide(ada, views[2], "skipped")
    ada.ok("PATCH", f"documents/{views[1]['id']}", {"held_out": True})
    job = ada.ok("POST", f"projects/{project}/jobs", {"kind": "train", "learners": LEARNERS})
    job = ada.ok("GET", f"jobs/{job['id']}")
    assert job["state"] == "done", job
    return project


def told(client: Client, project: int) -> dict[str, Any]:
    """What the page shows of a project: everything but numbers that are given anew, moments and durations."""
    place = f"projects/{project}"
    found = client.ok("GET", f"{place}/documents?order=name&limit=200")["documents"]
    answer = {
        "summary": client.ok("GET", place),
        "documents": [client.ok("GET", f"documents/{document['id']}") for document in found],
        "queue": [document["name"] for document in client.ok("GET", f"{place}/queue")["documents"]],
        "models": client.ok("GET", f"{place}/models"),
        "curve": client.ok("GET", f"{place}/curve"),
        "log": client.ok("GET", f"{place}/log?limit=500")["entries"],
        "names": client.ok("GET", f"{place}/learned/names?limit=500"),
        "stops": client.ok("GET", f"{place}/learned/stops?limit=500"),
        "search": client.ok("GET", f"{place}/concepts?q=kidny"),
    }
    return without_ids(answer)  # type: ignore[no-any-return]


def without_ids(value: Any) -> Any:
    """The same without what is given anew when a project is restored."""
    if isinstance(value, dict):
        return {key: without_ids(item) for key, item in value.items() if key not in _GIVEN_ANEW}
    if isinstance(value, list):
        return [without_ids(item) for item in value]
    return value


_GIVEN_ANEW = {"id", "project", "previous", "next", "document", "job"}


def _add(client: Client, view: Any, text: str, concept: str) -> Any:
    start = view["text"].index(text)
    body = {
        "revision": view["revision"],
        "start": start,
        "end": start + len(text),
        "concepts": [concept],
        "type": "Disease",
    }
    return view | client.ok("POST", f"documents/{view['id']}/annotations", body)


def _decide(client: Client, view: Any, state: str) -> None:
    client.ok("POST", f"documents/{view['id']}/state", {"revision": view["revision"], "state": state})


def _texts(view: Any) -> list[str]:
    return [annotation["text"] for annotation in view["annotations"]]

"""What finds mentions in a new project, and the least probability of its predictions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.active.conftest import CONCEPTS

import linnet
from linnet.active.model import Model, Predicted, ensure_indexes
from linnet.annotate.api.app_state import AppState
from linnet.annotate.domain.documents.counts import count_predictions
from linnet.annotate.domain.projects.finding import find_project
from linnet.annotate.jobs import predicting, prediction_pool, worker
from linnet.annotate.store.tables import Document
from linnet.read.assertion import ATTRIBUTES
from linnet.terminology import write_terminology
from linnet.types import Concept

# The terminology does not have the name; the trained recogniser knows a disease when it sees one.
UNNAMED = "Patients with severe cardiomyopathy were treated with allopurinol."


@pytest.fixture
def probable(monkeypatch: pytest.MonkeyPatch) -> dict[str, float | None]:
    """Probabilities of links from now on, by the mention's text in lower case."""
    by_text: dict[str, float | None] = {}
    predict = Model.predict

    def predicted(self: Model, documents: Sequence[Any]) -> Iterator[Predicted]:
        for document, links in predict(self, documents):
            yield Predicted(
                document, [replace(link, probability=by_text[link.mention.text.lower()]) for link in links]
            )

    monkeypatch.setattr(Model, "predict", predicted)
    return by_text


def _found(client: Any, view: Any) -> list[str]:
    return [one["text"] for one in client.ok("GET", f"documents/{view['id']}")["annotations"]]


def test_a_new_project_begins_with_the_best_recogniser_for_its_terminology(ada: Any) -> None:
    best, names = ada.project(recogniser=""), ada.project(recogniser="dictionary")
    assert ada.ok("GET", f"projects/{best}")["recogniser"] == "combined"
    assert "cardiomyopathy" in " ".join(_found(ada, ada.document(best, UNNAMED)))
    assert _found(ada, ada.document(names, UNNAMED)) == ["allopurinol"]


NOTE = """PMH: gout, Ca breast, scurvy resolved. Denies migraine.
FH: mother asthma.
O/E: BP 120/80, sats 95% on RA. ?gout. Plan: allopurinol 100 mg od.
"""


def test_a_note_is_read_as_linnet_link_reads_it(ada: Any, small_terminology: Path) -> None:
    flags = [{"name": name, "guess": True} for name in ATTRIBUTES]
    project = ada.project(recogniser="combined", attributes=flags)
    predicted = {
        (each["start"], each["end"]): (each["concepts"], each["probability"], set(each["attributes"]))
        for each in ada.document(project, NOTE)["annotations"]
    }
    linked = linnet.load(small_terminology, recogniser="combined", assertion=True).annotate(NOTE)
    assert linked.text_kind == "note"
    own = [mention for mention in linked.mentions if mention.concepts]
    assert {"migraine", "asthma", "allopurinol", "Ca breast"} <= {mention.text for mention in own}
    for mention in own:
        link = mention.link
        said = (list(link.concepts), link.probability, set(link.assertion or ()))
        assert predicted[mention.start, mention.end] == said
    clinical = ada.project(recogniser="combined", attributes=flags, pipeline="clinical")
    assert len(ada.document(clinical, NOTE)["annotations"]) == len(predicted)


def test_the_recogniser_can_be_changed_and_predictions_follow(ada: Any) -> None:
    project = ada.project()
    view = ada.document(project, UNNAMED)
    assert _found(ada, view) == ["allopurinol"]
    ada.ok("PATCH", f"projects/{project}", {"recogniser": "combined"})
    assert "cardiomyopathy" in " ".join(_found(ada, view))
    ada.ok("PATCH", f"projects/{project}", {"recogniser": "dictionary"})
    assert _found(ada, view) == ["allopurinol"]


def test_a_recogniser_that_does_not_suit_is_refused_with_those_that_do(ada: Any) -> None:
    new = {"name": "B", "terminology": "small", "recogniser": "magic"}
    assert "combined" in ada.refused(422, "POST", "projects", new)["message"]
    project = ada.project()
    assert (
        "dictionary" in ada.refused(422, "PATCH", f"projects/{project}", {"recogniser": "magic"})["message"]
    )
    assert ada.ok("GET", f"projects/{project}")["recogniser"] == "dictionary"


def test_what_a_project_learns_is_used_beside_its_recogniser(ada: Any) -> None:
    project = ada.project(recogniser="combined")
    view = ada.document(project, UNNAMED)
    ada.upload(
        project, {"a.pubtator": "1|t|Podagra\n1|a|\n1\t0\t7\tPodagra\tDisease\tX:1\n"}, complete="true"
    )
    ada.ok("POST", f"projects/{project}/jobs", {"kind": "train", "learners": ["names"]})
    assert ada.ok("GET", f"projects/{project}")["model"] == 1
    assert "cardiomyopathy" in " ".join(_found(ada, view))
    assert _found(ada, ada.document(project, "Podagra hurts.")) == ["Podagra"]


def test_predictions_below_the_minimum_are_hidden_counted_and_come_back(ada: Any, probable: Any) -> None:
    probable |= {"gout": 0.31, "asthma": 0.15, "migraine": None}
    project = ada.project()
    view = ada.document(project, "Gout, asthma and migraine.")
    ada.ok("PATCH", f"projects/{project}", {"min_probability": 0.15})
    assert _found(ada, view) == ["Gout", "asthma", "migraine"]
    counts = ada.ok("GET", f"projects/{project}/predictions")
    assert {share: n for share, n in enumerate(counts["by_probability"]) if n} == {3: 1, 6: 1}
    assert counts["unknown"] == 1
    ada.ok("PATCH", f"projects/{project}", {"min_probability": 0.2})
    assert _found(ada, view) == ["Gout", "migraine"]
    assert ada.ok("GET", f"projects/{project}/predictions") == counts  # hidden ones are still counted
    ada.ok("PATCH", f"projects/{project}", {"min_probability": 0})
    assert _found(ada, view) == ["Gout", "asthma", "migraine"]


def test_hidden_predictions_leave_what_people_made(ada: Any, probable: Any) -> None:
    probable |= {"gout": 0.1, "asthma": 0.1, "migraine": 0.9}
    project = ada.project()
    view = ada.document(project, "Gout, asthma and migraine.")
    gout = view["annotations"][0]
    path = f"documents/{view['id']}/annotations/{gout['id']}"
    ada.ok("PATCH", path, {"revision": view["revision"], "concepts": ["X:6"]})
    ada.ok("PATCH", f"projects/{project}", {"min_probability": 0.5})
    assert _found(ada, view) == ["Gout", "migraine"]


@pytest.mark.parametrize("minimum", [-0.1, 1.5, "much"])
def test_a_minimum_that_is_no_probability_is_refused(ada: Any, minimum: object) -> None:
    project = ada.project()
    ada.refused(422, "PATCH", f"projects/{project}", {"min_probability": minimum})


def test_documents_that_are_accepted_are_not_counted(ada: Any, site: Any) -> None:
    project = ada.project()
    view = ada.document(project, "Gout.")
    state: AppState = site.state
    with state.database.write() as session:
        session.get_one(Document, view["id"]).predicted = [0.99995, 1.0, 0.0]
    with state.database.read() as session:
        counts = count_predictions(session, find_project(session, project))
    assert (counts.by_probability[0], counts.by_probability[-1]) == (1, 2)
    accept = {"state": "accepted", "revision": view["revision"]}
    ada.ok("POST", f"documents/{view['id']}/state", accept)
    assert sum(ada.ok("GET", f"projects/{project}/predictions")["by_probability"]) == 0


def test_a_new_project_links_to_the_types_that_its_recogniser_finds(
    make_site: Callable[..., Any], tmp_path: Path
) -> None:
    concepts = [*CONCEPTS, Concept("X:20", "History", types=("Humanities",))]
    ensure_indexes(write_terminology(concepts, tmp_path / "data" / "terminologies" / "wide"))
    ada = make_site(working=False).client().sign_in("ada", path="setup")
    [wide] = [one for one in ada.ok("GET", "terminologies") if one["name"] == "wide"]
    assert (wide["found"], len(wide["types"])) == (["Chemical", "Disease"], 3)
    new = {"name": "A", "terminology": "wide"}
    made = ada.ok("POST", "projects", new)
    assert (made["types"], made["labels"]) == (["Chemical", "Disease"], ["Chemical", "Disease"])
    assert ada.ok("POST", "projects", new | {"name": "B", "types": []})["types"] == []
    by_names = new | {"name": "C", "recogniser": "dictionary"}
    assert ada.ok("POST", "projects", by_names)["types"] == []
    # Where it finds all of them, nothing needs to be left out.
    assert ada.ok("POST", "projects", new | {"name": "D", "terminology": "small"})["types"] == []


def test_processes_that_share_a_prediction_make_the_same_one_and_say_how_far_it_is(
    quiet: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = quiet.client().sign_in("ada", path="setup")
    texts = {f"{number}.txt": f"Gout and asthma {number}; migraine." for number in range(9)}
    found = []
    messages: list[str] = []

    def report(database: Any, id: int, share: float, message: str) -> None:
        messages.append(message)

    monkeypatch.setattr(worker, "_REPORT_INTERVAL", 0)
    monkeypatch.setattr(worker.job_store, "report_progress", report)
    monkeypatch.setattr(predicting, "cores", lambda: 2)
    for least in (10**9, 0):
        monkeypatch.setattr(predicting, "_SHARED", least)
        monkeypatch.setattr(predicting, "_BATCH", 2)
        project = ada.project()
        ada.upload(project, texts)
        messages.clear()
        quiet.work()
        [job, *_] = ada.ok("GET", f"projects/{project}/jobs")
        assert (job["state"], job["message"]) == ("done", "27 predictions in 9 documents"), job["reason"]
        assert [f"Predicting: {done} of 9 documents" for done in range(10)] == [
            message for message in messages if message.startswith("Predicting")
        ]
        listed = ada.ok("GET", f"projects/{project}/mentions")["mentions"]
        found.append(
            [(one["name"], one["annotation"]["start"], one["annotation"]["probability"]) for one in listed]
        )
    assert found[0] == found[1]


def test_a_process_that_dies_ends_the_job_with_a_reason(quiet: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = quiet.client().sign_in("ada", path="setup")
    monkeypatch.setattr(predicting, "cores", lambda: 2)
    monkeypatch.setattr(predicting, "_SHARED", 0)
    monkeypatch.setattr(prediction_pool, "_predict_elsewhere", _die)
    project = ada.project()
    ada.upload(project, {"a.txt": "Gout."})
    quiet.work()
    [job, *_] = ada.ok("GET", f"projects/{project}/jobs")
    assert (job["state"], job["reason"]) == ("failed", "The server has too little memory for this job.")


def _die(*_: object) -> None:
    os._exit(1)

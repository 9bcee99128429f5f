from __future__ import annotations

from typing import Any

import pytest

from linnet.active.strategies import strategies


def test_the_linkers_candidates_come_with_what_is_known_of_them(ada: Any) -> None:
    view = ada.document(ada.project(), "Severe gouty arthritis of the toe.")
    found = ada.ok("GET", f"documents/{view['id']}/candidates?start=7&end=22&k=3")
    assert (found["text"], found["concepts"]) == ("gouty arthritis", ["X:1"])
    best = found["candidates"][0]
    assert (best["id"], best["name"], best["found"], best["score"]) == ("X:1", "Gout", "gouty arthritis", 1.0)
    assert (best["definition"], best["types"]) == ("Crystals of urate in joints.", ["Disease"])
    assert len(found["candidates"]) <= 3
    ada.refused(422, "GET", f"documents/{view['id']}/candidates?start=7&end=7000")
    ada.refused(404, "GET", "documents/99999/candidates?start=0&end=1")


def test_concepts_are_found_as_one_types(ada: Any) -> None:
    project = ada.project()
    found = ada.ok("GET", f"projects/{project}/concepts?q=mig")["concepts"]
    assert [(one["id"], one["found"], one["match"]) for one in found] == [("X:3", "Migraine", "prefix")]
    assert [one["id"] for one in ada.ok("GET", f"projects/{project}/concepts?q=X:2")["concepts"]] == ["X:2"]
    assert ada.ok("GET", f"projects/{project}/concepts?q=%20")["concepts"] == []
    chemicals = ada.ok("GET", f"projects/{project}/concepts?q=a&types=Chemical")["concepts"]
    assert [one["id"] for one in chemicals] == ["X:7"]
    assert "Chemical" in ada.refused(422, "GET", f"projects/{project}/concepts?q=a&types=Star")["message"]


def _ids(ada: Any, project: int, **query: Any) -> list[str]:
    return [one["id"] for one in ada.ok("GET", f"projects/{project}/concepts", params=query)["concepts"]]


def test_the_search_keeps_to_the_projects_types(ada: Any) -> None:
    project = ada.project(types=["Disease"])
    assert "X:7" not in _ids(ada, project, q="allopurinol")
    assert "X:7" in _ids(ada, ada.project(), q="allopurinol")
    assert _ids(ada, project, q="allopurinol", types="Chemical") == []
    found = ada.ok("GET", f"projects/{project}/concepts?q=x:7")
    assert (found["concepts"], [one["name"] for one in found["elsewhere"]]) == ([], ["Allopurinol"])


def test_the_linkers_ranking_leads(ada: Any) -> None:
    project = ada.project()
    first = ada.ok("GET", f"projects/{project}/concepts?q=Gouty Arthritis")["concepts"][0]
    assert (first["id"], first["found"], first["match"]) == ("X:1", "gouty arthritis", "linker")
    assert first["score"] > 0.9
    assert _ids(ada, project, q="breast canser")[0] == "X:4"


def test_what_the_linker_would_not_link_to_is_only_a_guess(ada: Any) -> None:
    project = ada.project()
    found = ada.ok("GET", f"projects/{project}/concepts?q=artritic qqzz")["concepts"]
    assert found
    assert {one["match"] for one in found} <= {"guess", "some"}


def test_the_search_knows_the_abbreviations_of_the_document(ada: Any) -> None:
    project = ada.project()
    view = ada.document(project, "Migraine disorder (MD) was found. MD is common.")
    span = {"document": view["id"], "start": 34, "end": 36}
    assert _ids(ada, project, q="MD", **span)[0] == "X:3"
    assert "X:3" not in _ids(ada, project, q="MD")
    ada.refused(422, "GET", f"projects/{project}/concepts", params={"q": "MD", **span, "end": 5000})
    ada.refused(422, "GET", f"projects/{ada.project()}/concepts", params={"q": "MD", **span})


def test_ids_are_found_in_any_case_with_or_without_their_prefix(ada: Any) -> None:
    project = ada.project()
    for query in ("X:2", "x:2", " x: 2 "):
        assert _ids(ada, project, q=query) == ["X:2"], query


def test_a_concept_shows_its_place_and_how_often_it_is_annotated(ada: Any) -> None:
    project = ada.project()
    ada.document(project, "Gout and gout.")
    gout = ada.ok("GET", f"projects/{project}/concept?id=X:9")
    assert (gout["id"], gout["names"], gout["annotations"]) == ("X:1", ["gouty arthritis"], 2)
    assert [one["id"] for one in gout["parents"]] == [one["id"] for one in gout["path"]] == ["X:0"]
    top = ada.ok("GET", f"projects/{project}/concept/children")
    assert [(one["id"], one["children"]) for one in top["concepts"]] == [("X:0", 6)]
    page = ada.ok("GET", f"projects/{project}/concept/children?id=X:0&offset=1&limit=2")
    assert (page["total"], [one["name"] for one in page["concepts"]]) == (6, ["Breast Neoplasms", "Gout"])
    ada.refused(404, "GET", f"projects/{project}/concept?id=X:77")


def test_before_its_terminology_is_prepared_a_project_says_so(quiet: Any) -> None:
    ada = quiet.client().sign_in("ada", path="setup")
    project = ada.project(terminology="small")
    assert ada.ok("GET", f"projects/{project}")["ready"] is False
    ada.upload(project, {"a.txt": "gout"})
    [found] = ada.ok("GET", f"projects/{project}/documents")["documents"]
    assert (
        ada.refused(503, "GET", f"documents/{found['id']}/candidates?start=0&end=4")["code"] == "unavailable"
    )


def test_what_there_is_to_choose_from_is_listed(ada: Any) -> None:
    assert {"pubtator", "bioc", "brat", "texoo", "jsonl", "table", "text"} <= {
        one["name"] for one in ada.ok("GET", "formats") if one["reads"] and one["writes"]
    }
    assert [one["name"] for one in ada.ok("GET", "strategies")] == list(strategies)
    assert {"names", "stops", "threshold"} <= {one["name"] for one in ada.ok("GET", "learners")}
    small = next(one for one in ada.ok("GET", "terminologies") if one["name"] == "small")
    assert (small["concepts"], small["types"]) == (8, ["Chemical", "Disease"])
    assert {"names", "stops", "threshold"} <= set(small["learners"])
    assert not {"encoder", "two-tower"} & set(small["learners"])  # it has no index of vectors
    assert [one["name"] for one in small["recognisers"]] == ["combined", "dictionary"]
    quick = {one["name"] for one in ada.ok("GET", "learners") if one["quick"]}
    assert quick - {"recogniser"} == {"names", "stops", "threshold"}
    assert all(one["description"] for one in ada.ok("GET", "strategies") + ada.ok("GET", "learners"))


def test_a_project_is_made_changed_and_removed(ada: Any) -> None:
    project = ada.project(name="Study A", types=["Disease"])
    made = ada.ok("GET", f"projects/{project}")
    assert (made["labels"], made["ready"], made["model"]) == (["Disease"], True, 0)
    ada.refused(409, "POST", "projects", {"name": "Study A", "terminology": "small"})
    ada.refused(422, "POST", "projects", {"name": "B", "terminology": "../../etc"})
    ada.refused(422, "POST", "projects", {"name": "B", "terminology": "small", "types": ["Star"]})
    ada.upload(project, {"a.txt": "gout"})
    assert ada.ok("PATCH", f"projects/{project}", {"name": "Study B"})["name"] == "Study B"
    ada.ok("DELETE", f"projects/{project}")
    ada.refused(404, "GET", f"projects/{project}")
    ada.refused(404, "GET", f"projects/{project}/queue")


def test_what_training_learns_is_chosen_when_the_project_is_made(ada: Any) -> None:
    project = ada.project(learners=["threshold", "names"])
    assert ada.ok("GET", f"projects/{project}")["learners"] == ["names", "threshold"]
    ada.upload(
        project,
        {"a.pubtator": "1|t|Podagra\n1|a|\n1\t0\t7\tPodagra\tDisease\tX:1\n"},
        complete="true",
    )
    for named, trained in (([], {"names", "threshold"}), (["stops"], {"stops"})):
        ada.ok("POST", f"projects/{project}/jobs", {"kind": "train", "learners": named})
        assert set(ada.ok("GET", f"projects/{project}/models")[0]["learned"]) == trained
    new = {"name": "B", "terminology": "small"}
    refused = ada.refused(422, "POST", "projects", {**new, "learners": ["magic"]})
    assert "threshold" in refused["message"]


@pytest.mark.torch
def test_a_learner_that_the_terminology_is_not_ready_for_is_refused(ada: Any) -> None:
    pytest.importorskip("onnxscript", reason="needs the train extra")
    new = {"name": "B", "terminology": "small", "learners": ["two-tower"]}
    refused = ada.refused(422, "POST", "projects", new)
    assert "'two-tower' cannot learn here" in refused["message"]
    assert "Index the terminology with such a model" in refused["message"]


def test_other_types_are_linked_to_from_now_on_and_what_people_annotated_stays(ada: Any, bob: Any) -> None:
    project = ada.project(types=["Disease", "Chemical"])
    view = ada.document(project, "Allopurinol for gout. Asthma.")
    assert [one["text"] for one in view["annotations"]] == ["Allopurinol", "gout", "Asthma"]
    chemical, _, _ = view["annotations"]
    path = f"documents/{view['id']}/annotations"
    ada.ok("PATCH", f"{path}/{chemical['id']}", {"revision": view["revision"], "concepts": ["X:7"]})
    affected = ada.ok("GET", f"projects/{project}/types?types=Disease")
    assert affected == {"gold": 0, "user": 1, "predicted": 0, "concepts": 1}
    assert ada.ok("GET", f"projects/{project}/types?types=Chemical")["predicted"] == 2
    assert ada.ok("GET", f"projects/{project}/types") == {"gold": 0, "user": 0, "predicted": 0, "concepts": 0}
    bob.refused(403, "GET", f"projects/{project}/types")
    ada.refused(422, "GET", f"projects/{project}/types?types=Star")
    ada.refused(422, "PATCH", f"projects/{project}", {"types": ["Star"]})

    changed = ada.ok("PATCH", f"projects/{project}", {"types": ["Chemical"]})
    assert (changed["types"], changed["labels"]) == (["Chemical"], ["Chemical"])
    after = ada.ok("GET", f"documents/{view['id']}")["annotations"]
    assert [(one["text"], one["layer"]) for one in after] == [("Allopurinol", "user")]
    assert _ids(ada, project, q="gout") == []
    entry = next(
        one
        for one in ada.ok("GET", f"projects/{project}/log")["entries"]
        if one["action"] == "project.change"
    )
    assert entry["changes"]["types"] == [["Disease", "Chemical"], ["Chemical"]]

    changed = ada.ok("PATCH", f"projects/{project}", {"types": ["Disease"], "labels": ["Finding"]})
    assert changed["labels"] == ["Finding"]
    assert ada.ok("PATCH", f"projects/{project}", {"types": []})["labels"] == ["Finding"]
    assert [one["type"] for one in ada.ok("GET", f"documents/{view['id']}")["annotations"]][1:] == [
        "Finding"
    ] * 2

"""A curator settles what independent annotators disagree about."""

from __future__ import annotations

import json
from typing import Any

import pytest

PASSWORD = "correct horse battery staple"
TEXT = "Gout, asthma, migraine and scurvy in breast cancer."


@pytest.fixture(scope="session")
def cleo(site: Any, ada: Any, bob: Any) -> Any:
    """A curator's browser."""
    ada.ok("POST", "users", {"name": "cleo", "password": PASSWORD})
    return site.client().sign_in("cleo")


@pytest.fixture
def project(ada: Any, bob: Any, cleo: Any) -> int:
    """An independent project whose one document ada and bob have accepted, with these differences: bob removed gout, linked asthma to
    something else, and shortened breast cancer."""
    number: int = ada.project(mode="independent")
    ada.ok("PUT", f"projects/{number}/members/cleo", {"role": "curator"})
    ada.document(number, TEXT)
    for client in (ada, bob):
        view = _view(client, number)
        marks = {one["text"]: one["id"] for one in view["annotations"]}
        path = f"documents/{view['id']}/annotations"
        revision = view["revision"]
        if client is bob:
            revision = bob.ok("DELETE", f"{path}/{marks['Gout']}?revision={revision}")["revision"]
            body = {"revision": revision, "concepts": ["X:3"]}
            revision = bob.ok("PATCH", f"{path}/{marks['asthma']}", body)["revision"]
            body = {"revision": revision, "start": TEXT.index("cancer"), "concepts": ["X:4"]}
            revision = bob.ok("PATCH", f"{path}/{marks['breast cancer']}", body)["revision"]
        client.ok("POST", f"documents/{view['id']}/state", {"revision": revision, "state": "accepted"})
    return number


def _view(client: Any, project: int, sheet: str = "") -> Any:
    [found] = client.ok("GET", f"projects/{project}/documents")["documents"]
    return client.ok("GET", f"documents/{found['id']}" + (f"?sheet={sheet}" if sheet else ""))


def _decide(client: Any, view: Any, text: str, how: str, annotator: str | None = None) -> Any:
    start = TEXT.index(text)
    body = {"start": start, "end": start + len(text), "how": how, "annotator": annotator}
    return client.ok("POST", f"documents/{view['id']}/decisions", body | {"revision": view["revision"]})


def _texts(annotations: Any, layer: str = "user") -> dict[str, list[str]]:
    return {one["text"]: one["concepts"] for one in annotations if one["layer"] == layer}


def test_disagreements_are_listed_by_kind_with_each_version(cleo: Any, project: int) -> None:
    listed = cleo.ok("GET", f"projects/{project}/disagreements")
    assert [(one["text"], one["kind"], one["open"]) for one in listed["disagreements"]] == [
        ("Gout", "missing", True),
        ("asthma", "concept", True),
        ("breast cancer", "span", True),
    ]
    assert (listed["kinds"], listed["settled"]) == ({"missing": 1, "concept": 1, "span": 1}, 0)
    versions = {one["annotator"]: one["annotations"] for one in listed["disagreements"][1]["versions"]}
    assert [(one["concepts"], one["names"]) for one in versions["ada"] + versions["bob"]] == [
        (["X:2"], ["Asthma"]),
        (["X:3"], ["Migraine"]),
    ]
    [document] = listed["documents"]
    assert (document["annotators"], document["open"], document["state"]) == (["ada", "bob"], 3, None)
    spans = cleo.ok("GET", f"projects/{project}/disagreements?kind=span&kind=type")
    assert [one["text"] for one in spans["disagreements"]] == ["breast cancer"]
    assert cleo.ok("GET", f"projects/{project}/disagreements?state=settled")["total"] == 0


def test_a_curator_takes_merges_and_writes_the_third_and_the_result_is_exported_and_learnt_from(
    ada: Any, cleo: Any, project: int
) -> None:
    view = _view(cleo, project, "@curated")
    assert _texts(view["annotations"]) == {"migraine": ["X:3"], "scurvy": ["X:6"]}  # what both agree on
    path = f"documents/{view['id']}"
    accept = {"state": "accepted", "revision": view["revision"]}
    problem = cleo.refused(409, "POST", f"{path}/state?sheet=@curated", accept)
    assert "3 disagreements are not settled" in problem["message"]

    assert _texts(_decide(cleo, view, "Gout", "take", "ada")["changed"]) == {"Gout": ["X:1"]}
    view = _view(cleo, project, "@curated")
    [merged] = _decide(cleo, view, "asthma", "merge")["changed"]
    assert (merged["concepts"], merged["composite"], merged["author"]) == (["X:2", "X:3"], False, "cleo")
    view = _view(cleo, project, "@curated")
    start = TEXT.index("breast")
    third = {"start": start, "end": start + 6, "concepts": ["X:5"], "revision": view["revision"]}
    cleo.ok("POST", f"{path}/annotations?sheet=@curated", third)
    assert not any(one["open"] for one in cleo.ok("GET", f"{path}/places")["places"])

    revision = _view(cleo, project, "@curated")["revision"]
    cleo.ok("POST", f"{path}/state?sheet=@curated", {"state": "accepted", "revision": revision})
    expected = {
        "Gout": ["X:1"], "asthma": ["X:2", "X:3"], "migraine": ["X:3"], "scurvy": ["X:6"], "breast": ["X:5"]
    }  # fmt: skip
    for options in ("curated=true&states=accepted", "layers=user"):
        answer = cleo.get(f"/api/projects/{project}/export?format=jsonl&{options}")
        [line] = answer.text.splitlines()
        assert {one["text"]: one["concepts"] for one in json.loads(line)["mentions"]} == expected
    ada.ok("POST", f"projects/{project}/jobs", {"kind": "train"})
    names = ada.ok("GET", f"projects/{project}/learned/names")["names"]
    assert {one["text"]: one["concept"] for one in names}.get("breast") == "X:5"
    assert _texts(_view(ada, project)["annotations"])["breast cancer"] == ["X:4"]  # her own sheet stays


def test_no_mention_is_a_decision_which_is_undone_and_never_exported(cleo: Any, project: int) -> None:
    view = _view(cleo, project, "@curated")
    _decide(cleo, view, "Gout", "take", "bob")
    view = _view(cleo, project, "@curated")
    _decide(cleo, view, "breast cancer", "none")
    places = cleo.ok("GET", f"documents/{view['id']}/places")["places"]
    assert [(one["text"], one["open"]) for one in places] == [
        ("Gout", False), ("asthma", True), ("breast cancer", False)
    ]  # fmt: skip
    view = _view(cleo, project, "@curated")
    assert set(_texts(view["annotations"], "none")) == {"Gout", "breast cancer"}
    answer = cleo.get(f"/api/projects/{project}/export?format=jsonl&curated=true")
    assert {one["text"] for one in json.loads(answer.text)["mentions"]} == {"migraine", "scurvy"}

    undone = cleo.ok("POST", f"documents/{view['id']}/undo?sheet=@curated", {"revision": view["revision"]})
    assert (undone["action"], undone["text"]) == ("curation.none", "breast cancer")
    places = cleo.ok("GET", f"documents/{view['id']}/places")["places"]
    assert [one["open"] for one in places] == [False, True, True]
    again = cleo.ok("POST", f"documents/{view['id']}/redo?sheet=@curated", {"revision": undone["revision"]})
    view["revision"] = again["revision"]
    done = _decide(cleo, view, "breast cancer", "take", "bob")  # decided otherwise
    assert (_texts(done["changed"]), len(done["removed"])) == ({"cancer": ["X:4"]}, 1)


def test_two_curators_cannot_overwrite_each_other(ada: Any, cleo: Any, project: int) -> None:
    view = _view(cleo, project, "@curated")
    _decide(ada, view, "Gout", "none")
    body = {"start": 0, "end": 4, "how": "take", "annotator": "ada", "revision": view["revision"]}
    problem = cleo.refused(409, "POST", f"documents/{view['id']}/decisions", body)
    assert (problem["by"], problem["document"]["revision"]) == ("ada", view["revision"] + 1)
    _decide(cleo, view, "asthma", "take", "bob")  # elsewhere
    gone = {"start": 1, "end": 4, "how": "none", "revision": view["revision"] + 2}
    assert "have changed" in cleo.refused(409, "POST", f"documents/{view['id']}/decisions", gone)["message"]
    wrong = body | {"revision": view["revision"] + 2, "annotator": "cleo"}
    assert "ada, bob" in cleo.refused(404, "POST", f"documents/{view['id']}/decisions", wrong)["message"]
    cleo.refused(422, "POST", f"documents/{view['id']}/decisions", body | {"how": "none"})


def test_annotators_see_neither_versions_nor_curated_sheets(
    bob: Any, ada: Any, cleo: Any, project: int
) -> None:
    view = _view(cleo, project, "@curated")
    _decide(cleo, view, "Gout", "none")
    path = f"documents/{view['id']}"
    for address in (
        f"projects/{project}/disagreements", f"projects/{project}/agreement", f"{path}/places", f"{path}?sheet=ada",
        f"{path}?sheet=@curated", f"{path}/annotations?sheet=@curated", f"{path}/changes?sheet=ada&since=0",
        f"projects/{project}/export?curated=true",
    ):  # fmt: skip
        assert bob.refused(403, "GET", address)["code"] == "forbidden", address
    bob.refused(403, "POST", f"{path}/undo?sheet=@curated", {"revision": 1})
    assert "curation.none" not in {one["action"] for one in bob.ok("GET", f"{path}/log")["entries"]}
    assert "curation.none" in {one["action"] for one in cleo.ok("GET", f"{path}/log")["entries"]}
    # A curator reads every sheet, but changes only the curated one.
    assert "Gout" not in _texts(cleo.ok("GET", f"{path}?sheet=bob")["annotations"])
    assert "Gout" in _texts(cleo.ok("GET", f"{path}?sheet=ada")["annotations"])
    cleo.refused(403, "POST", f"{path}/undo?sheet=ada", {"revision": 1})
    cleo.refused(404, "GET", f"{path}?sheet=nobody")


def test_predicting_again_leaves_an_open_curated_sheet_alone(ada: Any, cleo: Any, project: int) -> None:
    before = _view(cleo, project, "@curated")
    ada.ok("POST", f"projects/{project}/jobs", {"kind": "predict"})
    assert _view(cleo, project, "@curated") == before


def test_documents_without_disagreement_are_accepted_together(
    ada: Any, bob: Any, cleo: Any, project: int
) -> None:
    other = ada.document(project, "Scurvy alone.")["id"]
    for client in (ada, bob):
        revision = client.ok("GET", f"documents/{other}")["revision"]
        client.ok("POST", f"documents/{other}/state", {"revision": revision, "state": "accepted"})
    assert cleo.ok("POST", f"projects/{project}/disagreements/agreed") == {"documents": 1}
    assert cleo.ok("POST", f"projects/{project}/disagreements/agreed") == {"documents": 0}
    states = {
        one["document"]: one["state"]
        for one in cleo.ok("GET", f"projects/{project}/disagreements")["documents"]
    }
    assert states[other] == "accepted"
    assert set(states.values()) == {None, "accepted"}


def test_agreement_before_and_after(cleo: Any, project: int) -> None:
    before = cleo.ok("GET", f"projects/{project}/agreement")
    [pair] = before["pairs"]
    # ada has 5 spans, bob 4, of which 3 are the same; 6 spans in all, 2 with the same label
    assert pair["span_f1"] == pytest.approx(6 / 9)
    assert pair["aligned_kappa"]["value"] < pair["kappa"] < 1
    assert before["alpha"]["value"] is not None
    assert before["alpha"]["interval"] is not None
    assert (before["documents"], before["curated"], before["curated_documents"]) == (1, [], 0)
    for text, name in (("Gout", "ada"), ("asthma", "ada"), ("breast cancer", "ada")):
        _decide(cleo, _view(cleo, project, "@curated"), text, "take", name)
    view = _view(cleo, project, "@curated")
    cleo.ok(
        "POST",
        f"documents/{view['id']}/state?sheet=@curated",
        {"state": "accepted", "revision": view["revision"]},
    )
    after = cleo.ok("GET", f"projects/{project}/agreement")
    assert after["pairs"] == before["pairs"]
    assert {one["first"]: one["span_f1"] for one in after["curated"]} == {
        "ada": 1,
        "bob": pytest.approx(6 / 9),
    }
    assert {one["first"]: one["aligned_kappa"]["value"] for one in after["curated"]}["ada"] == 1


def test_a_backup_keeps_curated_sheets(ada: Any, cleo: Any, project: int) -> None:
    _decide(cleo, _view(cleo, project, "@curated"), "Gout", "none")
    backup = ada.get(f"/api/projects/{project}/backup").content
    report = ada.ok("POST", "projects/restore", files={"file": ("a.zip", backup)})
    ada.ok("PUT", f"projects/{report['project']}/members/cleo", {"role": "curator"})
    again = cleo.ok("GET", f"projects/{report['project']}/disagreements?state=all")
    assert [(one["text"], one["open"]) for one in again["disagreements"]] == [
        ("Gout", False), ("asthma", True), ("breast cancer", True)
    ]  # fmt: skip


def test_a_shared_project_has_nothing_to_settle(ada: Any) -> None:
    project = ada.project()
    view = ada.document(project, "Gout.")
    assert ada.ok("GET", f"projects/{project}/disagreements")["documents"] == []
    assert "share" in ada.refused(422, "GET", f"documents/{view['id']}?sheet=@curated")["message"]


def test_attributes_alone_are_a_disagreement_which_is_taken_or_merged(ada: Any, bob: Any, cleo: Any) -> None:
    defined = [{"name": "negated"}, {"name": "severity", "values": ["mild", "severe"]}]
    number = ada.project(mode="independent", attributes=defined)
    ada.ok("PUT", f"projects/{number}/members/cleo", {"role": "curator"})
    ada.document(number, TEXT)
    wanted = {
        ada: {"Gout": {"negated": True}, "asthma": {"severity": "mild"}},
        bob: {"Gout": {"severity": "severe"}, "asthma": {"severity": "mild"}, "scurvy": {"negated": True}},
    }
    for client, values in wanted.items():
        view = _view(client, number)
        revision = view["revision"]
        for mark in view["annotations"]:
            if mark["text"] in values:
                body = {"revision": revision, "attributes": values[mark["text"]]}
                place = f"documents/{view['id']}/annotations/{mark['id']}"
                revision = client.ok("PATCH", place, body)["revision"]
        client.ok("POST", f"documents/{view['id']}/state", {"revision": revision, "state": "accepted"})

    listed = cleo.ok("GET", f"projects/{number}/disagreements?kind=attribute")
    assert [each["text"] for each in listed["disagreements"]] == ["Gout", "scurvy"]
    assert listed["kinds"] == {"attribute": 2}
    versions = {each["annotator"]: each["annotations"] for each in listed["disagreements"][0]["versions"]}
    assert [mark["attributes"] for mark in versions["ada"] + versions["bob"]] == [
        {"negated": True},
        {"severity": "severe"},
    ]

    view = _view(cleo, number, "@curated")
    assert {each["text"]: each["attributes"] for each in view["annotations"]}["asthma"] == {
        "severity": "mild"
    }
    _decide(cleo, view, "Gout", "merge")
    _decide(cleo, _view(cleo, number, "@curated"), "scurvy", "take", "ada")
    view = _view(cleo, number, "@curated")
    settled = {each["text"]: each["attributes"] for each in view["annotations"]}
    assert settled["Gout"] == {"negated": True, "severity": "severe"}
    assert settled["scurvy"] == {}

    [pair] = cleo.ok("GET", f"projects/{number}/agreement")["pairs"]
    # Of five shared spans, ada denies one and bob another; both call one mild, and bob another severe.
    assert pair["attributes"] == [
        {"name": "negated", "first": 1, "second": 1, "f1": 0.0, "kappa": pair["attributes"][0]["kappa"]},
        {"name": "severity", "first": 1, "second": 2, "f1": 2 / 3, "kappa": pair["attributes"][1]["kappa"]},
    ]
    assert pair["attributes"][0]["kappa"]["value"] == pytest.approx((3 / 5 - 17 / 25) / (8 / 25))
    assert pair["attributes"][1]["kappa"]["value"] == pytest.approx((4 / 5 - (12 + 1) / 25) / (12 / 25))
    assert pair["kappa"] == pytest.approx(1.0)


def test_curating_counts_in_progress(ada: Any, bob: Any, cleo: Any, project: int) -> None:
    def people() -> dict[str, int]:
        found = ada.ok("GET", f"projects/{project}/progress")["people"]
        return {one["name"]: one["curated"] for one in found if one["curated"]}

    view = _view(cleo, project, "@curated")
    for text in ("Gout", "asthma", "breast cancer"):
        view |= _decide(cleo, view, text, "take", "ada")
    assert people() == {}
    path = f"documents/{view['id']}/state?sheet=@curated"
    cleo.ok("POST", path, {"revision": view["revision"], "state": "accepted"})
    assert people() == {"cleo": 1}
    table = ada.get(f"/api/projects/{project}/progress.csv").text.splitlines()
    assert table[0].endswith("unchanged,curated")
    assert [line.split(",")[0] for line in table[1:] if line.endswith(",1")] == ["cleo"]

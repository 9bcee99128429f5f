"""Documents with very many annotations: read in pieces, changed together, limited with a word on what to do."""

from __future__ import annotations

from typing import Any

import pytest

from linnet.annotate.domain.annotations import edits
from linnet.annotate.jobs import predicting

TEXT = " ".join(["Gout, asthma and scurvy."] * 60)


def _key(one: Any) -> tuple[int, int, int]:
    return one["start"], -one["end"], one["id"]


def _without_times(view: Any) -> list[Any]:
    return [
        {name: value for name, value in one.items() if name not in ("changed", "revision")}
        for one in view["annotations"]
    ]


def test_annotations_are_read_in_pieces_in_text_order(ada: Any) -> None:
    view = ada.document(ada.project(), TEXT)
    path = f"documents/{view['id']}"
    for start, end in ((0, 12), (0, 8), (0, 24)):  # several that begin together
        revision = ada.ok("GET", path)["revision"]
        body = {"revision": revision, "start": start, "end": end, "type": "Disease"}
        ada.ok("POST", f"{path}/annotations", body)
    whole = ada.ok("GET", path)
    assert whole["more"] is None
    assert whole["annotations"] == sorted(whole["annotations"], key=_key)
    for limit in (1, 7, 1000):
        first = ada.ok("GET", f"{path}?limit={limit}")
        found, more = first["annotations"], first["more"]
        assert len(found) == min(limit, len(whole["annotations"]))
        assert {name: first[name] for name in ("text", "user", "predicted", "revision", "annotators")} == {
            name: whole[name] for name in ("text", "user", "predicted", "revision", "annotators")
        }
        while more:
            page = ada.ok("GET", f"{path}/annotations?limit={limit}&after={more}")
            assert page["revision"] == whole["revision"]
            found, more = found + page["annotations"], page["more"]
        assert found == whole["annotations"]
    ada.refused(422, "GET", f"{path}/annotations?after=1;2")


def test_changes_since_a_revision_are_those_alone_unless_they_are_too_many(ada: Any, bob: Any) -> None:
    view = ada.document(ada.project(), TEXT)
    path, before = f"documents/{view['id']}", view["revision"]
    one, other = view["annotations"][:2]
    ada.ok("PATCH", f"{path}/annotations/{one['id']}", {"revision": before, "nil": True})
    ada.ok("DELETE", f"{path}/annotations/{other['id']}?revision={before + 1}")
    changes = bob.ok("GET", f"{path}/changes?since={before}")
    assert [change["id"] for change in changes["changed"]] == [one["id"]]
    assert (changes["removed"], changes["complete"], changes["revision"]) == ([other["id"]], True, before + 2)
    assert bob.ok("GET", f"{path}/changes?since={before + 2}")["changed"] == []
    ada.ok("POST", f"{path}/state", {"revision": before + 2, "state": "accepted"})
    many = bob.ok("GET", f"{path}/changes?since={before}&limit=50")
    assert (many["complete"], many["changed"], many["state"]) == (False, [], "accepted")
    assert not bob.ok("GET", f"{path}/changes?since={before + 90}")["complete"]  # of another database


def test_many_annotations_are_accepted_applied_undone_and_redone_as_few_are(ada: Any) -> None:
    view = ada.document(ada.project(), TEXT)
    path, revision = f"documents/{view['id']}", view["revision"]
    assert len(view["annotations"]) == 180
    done = ada.ok("POST", f"{path}/state", {"revision": revision, "state": "accepted"})
    assert len(done["changed"]) == 180
    assert {one["layer"] for one in done["changed"]} == {"user"}
    undone = ada.ok("POST", f"{path}/undo?limit=179", {"revision": done["revision"]})
    assert (undone["complete"], undone["changed"], undone["state"]) == (False, [], "open")
    assert _without_times(ada.ok("GET", path)) == _without_times(view)

    # "and" is annotated once, and everywhere else by applying that; the ids that undo takes away come back.
    made = ada.ok(
        "POST",
        f"{path}/annotations",
        {"revision": undone["revision"], "start": 13, "end": 16, "type": "Disease"},
    )
    [new] = made["changed"]
    same = ada.ok("POST", f"{path}/annotations/{new['id']}/same", {"revision": made["revision"]})
    assert same["made"] == 59
    everywhere = ada.ok("GET", path)
    back = ada.ok("POST", f"{path}/undo", {"revision": same["revision"]})
    assert len(back["removed"]) == 59
    again = ada.ok("POST", f"{path}/redo", {"revision": back["revision"]})
    assert {one["id"] for one in again["changed"]} == set(back["removed"])
    assert _without_times(ada.ok("GET", path)) == _without_times(everywhere)
    bad = ada.ok("DELETE", f"{path}/annotations/{again['changed'][-1]['id']}?revision={again['revision']}")
    ada.ok("POST", f"{path}/undo", {"revision": bad["revision"]})
    assert _without_times(ada.ok("GET", path)) == _without_times(everywhere)


def test_a_full_document_takes_no_more_and_says_what_to_do(ada: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edits, "ANNOTATIONS", 180)
    view = ada.document(ada.project(), TEXT)
    path, revision = f"documents/{view['id']}", view["revision"]
    body = {"revision": revision, "start": 13, "end": 16, "type": "Disease"}
    problem = ada.refused(422, "POST", f"{path}/annotations", body)
    assert "181 annotations; expected at most 180. Remove some" in problem["message"]
    monkeypatch.setattr(edits, "ANNOTATIONS", 190)
    [made] = ada.ok("POST", f"{path}/annotations", body)["changed"]
    problem = ada.refused(422, "POST", f"{path}/annotations/{made['id']}/same", {"revision": revision + 1})
    assert "240 annotations; expected at most 190" in problem["message"]
    assert len(ada.ok("GET", path)["annotations"]) == 181


def test_predictions_beyond_what_a_document_may_have_are_left_out_and_told(
    ada: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(predicting, "ANNOTATIONS", 100)
    project = ada.project()
    view = ada.document(project, TEXT)
    assert len(view["annotations"]) == 100
    assert max(one["end"] for one in view["annotations"]) < len(TEXT) * 0.6
    [job] = [one for one in ada.ok("GET", f"projects/{project}/jobs") if one["kind"] == "predict"]
    assert "80 more were left out: a document has at most 100" in job["message"]


def test_long_documents_are_linked_alone(ada: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predicting, "_CHARACTERS", 60)
    project = ada.project()
    files = {f"{number}.txt": f"Gout {number} " + "and so on " * (20 * (number == 2)) for number in range(6)}
    ada.upload(project, files)
    listed = ada.ok("GET", f"projects/{project}/documents?order=id")["documents"]
    assert [one["predicted"] for one in listed] == [1] * 6


def test_the_queue_shows_the_least_probable_predictions_that_accepting_would_confirm(ada: Any) -> None:
    project = ada.project()
    view = ada.document(project, f"😀 {TEXT}")
    ada.document(project, "Nothing at all.")
    listed = {one["id"]: one for one in ada.ok("GET", f"projects/{project}/queue")["documents"]}
    shown = listed.pop(view["id"])["predictions"]
    predicted = [one for one in view["annotations"] if one["layer"] == "pred"]
    predicted.sort(key=lambda one: (one["probability"] is None, one["probability"], one["start"]))
    names = ("text", "concepts", "names", "nil", "composite", "probability")
    assert shown == [{name: one[name] for name in names} for one in predicted[:5]]
    assert [one["predictions"] for one in listed.values()] == [[]]

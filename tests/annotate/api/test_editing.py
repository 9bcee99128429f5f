from __future__ import annotations

from typing import Any

import pytest

TEXT = "Gout and asthma. The gout was treated; breast and ovarian cancer were not 😀 found. GOUT again."


def _spans(view: Any) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(one["text"], one["layer"], tuple(one["concepts"])) for one in view["annotations"]]


def _at(view: Any, text: str) -> Any:
    return next(one for one in view["annotations"] if one["text"] == text)


def test_predictions_are_corrected_accepted_undone_and_redone(ada: Any) -> None:
    view = ada.document(ada.project(), TEXT)
    id = view["id"]
    assert ("breast and ovarian cancer", "pred", ("X:4", "X:5")) in _spans(view)
    assert _at(view, "breast and ovarian cancer")["composite"]
    assert all(1 <= one["confidence"] <= 2 and one["model"] == 0 for one in view["annotations"])

    asthma = _at(view, "asthma")
    done = ada.ok(
        "PATCH", f"documents/{id}/annotations/{asthma['id']}", {"revision": view["revision"], "nil": True}
    )
    [changed] = done["changed"]
    assert (changed["layer"], changed["nil"], changed["concepts"], changed["author"]) == (
        "user",
        True,
        [],
        "ada",
    )
    assert changed["confidence"] is None

    new = {"revision": done["revision"], "start": 49, "end": 64, "concepts": ["X:5"], "type": "Disease"}
    done = ada.ok("POST", f"documents/{id}/annotations", new)
    assert [one["text"] for one in done["changed"]] == ["ovarian cancer"] or done["changed"][0][
        "text"
    ] == TEXT[49:64]

    done = ada.ok("DELETE", f"documents/{id}/annotations/{asthma['id']}?revision={done['revision']}")
    assert done["removed"] == [asthma["id"]]
    accepted = ada.ok("POST", f"documents/{id}/state", {"revision": done["revision"], "state": "accepted"})
    assert accepted["state"] == "accepted"
    final = ada.ok("GET", f"documents/{id}")
    assert {one["layer"] for one in final["annotations"]} == {"user"}

    revision = accepted["revision"]
    undone = []
    for _ in range(4):
        answer = ada.ok("POST", f"documents/{id}/undo", {"revision": revision})
        revision = answer["revision"]
        undone.append((answer["action"], answer["annotation"], answer["text"]))
    assert [action for action, *_ in undone] == [
        "document.accept", "annotation.remove", "annotation.create", "annotation.change",
    ]  # fmt: skip
    assert undone[1][1:] == undone[3][1:] == (asthma["id"], "asthma")
    assert undone[0][1:] == (None, "")
    assert _spans(ada.ok("GET", f"documents/{id}")) == _spans(view)
    assert ada.refused(409, "POST", f"documents/{id}/undo", {"revision": revision})["message"].startswith(
        "There is nothing"
    )
    for _ in range(4):
        revision = ada.ok("POST", f"documents/{id}/redo", {"revision": revision})["revision"]
    again = ada.ok("GET", f"documents/{id}")
    assert (_spans(again), again["state"], again["can_redo"]) == (_spans(final), "accepted", False)


def test_two_people_cannot_overwrite_each_other(ada: Any, bob: Any) -> None:
    view = ada.document(ada.project(), TEXT)
    path, revision = f"documents/{view['id']}", view["revision"]
    asthma, gout = _at(view, "asthma"), _at(view, "Gout")
    ada.ok("PATCH", f"{path}/annotations/{asthma['id']}", {"revision": revision, "concepts": ["X:3"]})

    problem = bob.refused(
        409, "PATCH", f"{path}/annotations/{asthma['id']}", {"revision": revision, "nil": True}
    )
    assert problem["by"] == "ada"
    assert _at(problem["document"], "asthma")["concepts"] == ["X:3"]
    bob.refused(409, "DELETE", f"{path}/annotations/{asthma['id']}?revision={revision}")
    overlapping = {"revision": revision, "start": 5, "end": 15, "type": "Chemical"}
    assert bob.refused(409, "POST", f"{path}/annotations", overlapping)["by"] == "ada"
    assert (
        bob.refused(409, "POST", f"{path}/state", {"revision": revision, "state": "accepted"})["by"] == "ada"
    )

    # What ada did does not touch this; the answer brings bob up to date.
    done = bob.ok("PATCH", f"{path}/annotations/{gout['id']}", {"revision": revision, "nil": True})
    assert {one["id"] for one in done["changed"]} == {asthma["id"], gout["id"]}
    # Each undoes their own.
    ada.ok("POST", f"{path}/undo", {"revision": done["revision"]})
    now = bob.ok("GET", path)
    assert (_at(now, "asthma")["concepts"], _at(now, "Gout")["nil"]) == (["X:2"], True)


def test_an_annotation_removed_by_somebody_else_cannot_be_changed_any_more(ada: Any, bob: Any) -> None:
    view = ada.document(ada.project(), TEXT)
    gone = _at(view, "asthma")["id"]
    ada.ok("DELETE", f"documents/{view['id']}/annotations/{gone}?revision={view['revision']}")
    body = {"revision": view["revision"], "nil": True}
    assert bob.refused(409, "PATCH", f"documents/{view['id']}/annotations/{gone}", body)["by"] == "ada"
    bob.refused(
        404, "PATCH", f"documents/{view['id']}/annotations/{gone}", body | {"revision": view["revision"] + 1}
    )


def test_undo_is_refused_where_somebody_else_has_changed_the_same_since(ada: Any, bob: Any) -> None:
    view = ada.document(ada.project(), TEXT)
    path, asthma = f"documents/{view['id']}", _at(view, "asthma")["id"]
    done = ada.ok(
        "PATCH", f"{path}/annotations/{asthma}", {"revision": view["revision"], "concepts": ["X:3"]}
    )
    done = bob.ok(
        "PATCH", f"{path}/annotations/{asthma}", {"revision": done["revision"], "concepts": ["X:6"]}
    )
    problem = ada.refused(409, "POST", f"{path}/undo", {"revision": done["revision"]})
    assert _at(problem["document"], "asthma")["concepts"] == ["X:6"]


def test_all_same_predictions_are_confirmed_as_one_change(ada: Any) -> None:
    view = ada.document(ada.project(), TEXT)
    path = f"documents/{view['id']}"
    other = _at(view, "GOUT")
    done = ada.ok(
        "PATCH",
        f"{path}/annotations/{other['id']}",
        {"revision": view["revision"], "concepts": ["X:6"]},
    )
    confirm = f"{path}/annotations/{_at(view, 'Gout')['id']}/same/confirm"
    done = ada.ok("POST", confirm, {"revision": done["revision"]})
    assert (done["done"], done["left"]) == (2, 0)
    assert sorted(one["text"] for one in done["changed"]) == ["Gout", "gout"]
    assert {one["layer"] for one in done["changed"]} == {"user"}
    again = ada.ok("POST", confirm, {"revision": done["revision"]})
    assert (again["done"], again["left"], again["revision"]) == (0, 0, done["revision"])
    back = ada.ok("POST", f"{path}/undo", {"revision": done["revision"]})
    assert (back["action"], back["text"], back["number"]) == ("annotation.confirm-same", "Gout", 2)
    now = ada.ok("GET", path)
    assert [one["layer"] for one in now["annotations"] if one["text"].lower() == "gout"] == [
        "pred",
        "pred",
        "user",
    ]


def test_predictions_of_the_same_text_that_mean_something_else_are_not_confirmed(ada: Any) -> None:
    view = ada.document(ada.project(), TEXT)
    path = f"documents/{view['id']}"
    linked = {"revision": view["revision"], "concepts": ["X:6"]}
    done = ada.ok("PATCH", f"{path}/annotations/{_at(view, 'Gout')['id']}", linked)
    confirm = f"{path}/annotations/{_at(view, 'Gout')['id']}/same/confirm"
    done = ada.ok("POST", confirm, {"revision": done["revision"]})
    assert (done["done"], done["left"]) == (0, 2)


def test_all_same_mentions_are_removed_as_one_change_and_stay_away(ada: Any) -> None:
    project = ada.project()
    view = ada.document(project, TEXT)
    path = f"documents/{view['id']}"
    before = _spans(view)
    remove = f"{path}/annotations/{_at(view, 'gout')['id']}/same/remove"
    done = ada.ok("POST", remove, {"revision": view["revision"]})
    assert (done["done"], len(done["removed"])) == (3, 3)
    assert "gout" not in [text.lower() for text, *_ in _spans(ada.ok("GET", path))]
    ada.ok("POST", f"projects/{project}/jobs", {"kind": "predict"})
    assert "gout" not in [text.lower() for text, *_ in _spans(ada.ok("GET", path))]
    back = ada.ok("POST", f"{path}/undo", {"revision": ada.ok("GET", path)["revision"]})
    assert (back["action"], back["text"], back["number"]) == ("annotation.remove-same", "Gout", 3)
    assert _spans(ada.ok("GET", path)) == before
    ada.refused(404, "POST", f"{path}/annotations/999999/same/remove", {"revision": back["revision"]})


def test_what_somebody_else_changed_meanwhile_is_not_confirmed_or_removed_unseen(ada: Any, bob: Any) -> None:
    view = ada.document(ada.project(), TEXT)
    path = f"documents/{view['id']}"
    gout = _at(view, "Gout")
    bob.ok("PATCH", f"{path}/annotations/{gout['id']}", {"revision": view["revision"], "nil": True})
    for how in ("confirm", "remove"):
        stale = {"revision": view["revision"]}
        ada.refused(409, "POST", f"{path}/annotations/{gout['id']}/same/{how}", stale)
    assert len(ada.ok("GET", path)["annotations"]) == len(view["annotations"])


def test_an_annotation_is_applied_to_all_same_mentions(ada: Any) -> None:
    view = ada.document(ada.project(), TEXT)
    path = f"documents/{view['id']}"
    first = _at(view, "Gout")
    done = ada.ok(
        "PATCH", f"{path}/annotations/{first['id']}", {"revision": view["revision"], "concepts": ["X:6"]}
    )
    last = next(one for one in view["annotations"] if one["text"] == "GOUT")
    done = ada.ok("DELETE", f"{path}/annotations/{last['id']}?revision={done['revision']}")
    done = ada.ok("POST", f"{path}/annotations/{first['id']}/same", {"revision": done["revision"]})
    assert (done["made"], done["relinked"]) == (1, 1)
    now = ada.ok("GET", path)
    assert [one["concepts"] for one in now["annotations"] if one["text"].lower() == "gout"] == [["X:6"]] * 3
    undone = ada.ok("POST", f"{path}/undo", {"revision": done["revision"]})
    assert undone["can_redo"]
    now = ada.ok("GET", path)
    assert [one["concepts"] for one in now["annotations"] if one["text"].lower() == "gout"] == [
        ["X:6"],
        ["X:1"],
    ]


def test_what_makes_no_sense_is_refused_with_a_message(ada: Any) -> None:
    view = ada.document(ada.project(), TEXT)
    path, revision = f"documents/{view['id']}/annotations", view["revision"]
    new = {"revision": revision, "start": 17, "end": 20}
    for wrong, field in [
        ({"end": 10_000}, "end"),
        ({"start": 20}, "body"),
        ({"start": 4, "end": 5}, "start"),
        ({"concepts": ["X:77"]}, "concepts"),
        ({"concepts": ["X:9"]}, "concepts"),
        ({"concepts": ["X:1"], "nil": True}, "body"),
        ({"type": "Nonsense"}, "type"),
        ({"type": "a\x00b"}, "type"),
        ({"start": -1}, "start"),
        ({"colour": "red"}, "colour"),
    ]:
        assert field in ada.refused(422, "POST", path, new | wrong)["fields"], wrong
    assert "X:1" in ada.refused(422, "POST", path, new | {"concepts": ["X:9"]})["message"]
    ada.refused(409, "POST", path, new | {"revision": revision + 5})
    ada.refused(409, "POST", path, {"revision": revision, "start": 0, "end": 4, "type": "Disease"})
    ada.refused(404, "POST", "documents/99999/annotations", new)
    assert ada.ok("GET", f"documents/{view['id']}")["revision"] == revision


def test_offsets_count_code_points(ada: Any) -> None:
    view = ada.document(ada.project(), "😀😀 gout 𝛼 asthma")
    assert [(one["start"], one["end"], one["text"]) for one in view["annotations"]] == [
        (3, 7, "gout"),
        (10, 16, "asthma"),
    ]


def test_everything_is_in_the_log_with_model_and_terminology(ada: Any, bob: Any) -> None:
    project = ada.project()
    view = ada.document(project, TEXT)
    asthma = _at(view, "asthma")["id"]
    bob.ok(
        "PATCH", f"documents/{view['id']}/annotations/{asthma}", {"revision": view["revision"], "nil": True}
    )
    [entry, predicted] = ada.ok("GET", f"documents/{view['id']}/log")["entries"]
    assert (entry["by"], entry["action"], entry["revision"]) == (
        "bob",
        "annotation.change",
        view["revision"] + 1,
    )
    [change] = entry["changes"]["annotations"]
    assert (change["before"]["concepts"], change["after"]["nil"]) == (["X:2"], True)
    assert entry["terminology_digest"] == ada.ok("GET", f"projects/{project}")["terminology_digest"]
    assert (predicted["by"], predicted["model"]) == ("", 0)
    assert (entry["document"], entry["document_name"]) == (view["id"], view["name"])
    actions = [one["action"] for one in ada.ok("GET", f"projects/{project}/log")["entries"]]
    assert actions[-2:] == ["job.prepare", "project.create"]


def test_independent_annotators_do_not_see_each_other_and_are_compared(ada: Any, bob: Any) -> None:
    project = ada.project(mode="independent")
    view = ada.document(project, TEXT)
    path = f"documents/{view['id']}"
    theirs = bob.ok("GET", path)
    mine = _at(view, "asthma")["id"]
    assert mine != _at(theirs, "asthma")["id"]
    done = ada.ok("PATCH", f"{path}/annotations/{mine}", {"revision": view["revision"], "concepts": ["X:3"]})
    ada.ok("POST", f"{path}/state", {"revision": done["revision"], "state": "accepted"})
    assert bob.ok("GET", path) == theirs
    assert bob.ok("GET", f"projects/{project}")["progress"]["open"] == 1
    assert ada.ok("GET", f"projects/{project}")["progress"]["accepted"] == 1
    assert ada.ok("GET", f"projects/{project}/agreement")["pairs"] == []
    for log in (f"{path}/log", f"projects/{project}/log"):
        assert "annotation.change" not in {one["action"] for one in bob.ok("GET", log)["entries"]}
        assert "annotation.change" in {one["action"] for one in ada.ok("GET", log)["entries"]}
    bob.refused(403, "GET", f"projects/{project}/export?annotator=ada")
    gone = _at(theirs, "GOUT")["id"]
    done = bob.ok("DELETE", f"{path}/annotations/{gone}?revision={theirs['revision']}")
    bob.ok("POST", f"{path}/state", {"revision": done["revision"], "state": "accepted"})
    [pair] = ada.ok("GET", f"projects/{project}/agreement")["pairs"]
    assert (pair["first"], pair["second"], pair["documents"]) == ("ada", "bob", 1)
    assert (pair["first_mentions"], pair["second_mentions"], pair["spans"]) == (5, 4, 4)
    assert pair["span_f1"] == pytest.approx(8 / 9)
    assert pair["same_concepts"] == 0.75
    assert "annotation.remove" in {one["action"] for one in bob.ok("GET", f"{path}/log")["entries"]}
    exports = {
        who.headers["X-CSRF-Token"]: who.request(
            "GET", f"/api/projects/{project}/export?annotator={name}"
        ).text
        for who, name in ((ada, "ada"), (bob, "bob"))
    }
    own = bob.request("GET", f"/api/projects/{project}/export").text
    assert own == exports[bob.headers["X-CSRF-Token"]] != exports[ada.headers["X-CSRF-Token"]]


def _spanned(text: str, words: str) -> dict[str, int]:
    return {"start": text.index(words), "end": text.index(words) + len(words)}


def test_a_longer_annotation_replaces_what_lies_inside_it_and_inside_the_same_text_elsewhere(
    ada: Any,
) -> None:
    text = "Acute gout hurts. Acute  gout, ACUTE GOUT; acute gout knee; gout and chronic gout."
    view = ada.document(ada.project(), text)
    path = f"documents/{view['id']}"
    made = {"revision": view["revision"], "concepts": ["X:6"], **_spanned(text, "acute gout")}
    crossing = {"revision": view["revision"], "concepts": ["X:6"], **_spanned(text, "gout knee")}
    done = ada.ok("POST", f"{path}/annotations", crossing)
    made = {"revision": done["revision"], "concepts": ["X:6"], **_spanned(text, "Acute gout")}
    done = ada.ok("POST", f"{path}/annotations", made)
    [longer] = [one for one in done["changed"] if one["text"] == "Acute gout"]
    before = _spans(ada.ok("GET", path))
    replace = f"{path}/annotations/{longer['id']}/inside"
    done = ada.ok("POST", replace, {"revision": done["revision"]})
    assert (done["removed_inside"], done["made"]) == (3, 2)
    now = _spans(ada.ok("GET", path))
    assert [(words, layer) for words, layer, _ in now] == [
        ("Acute gout", "user"),
        ("Acute  gout", "user"),
        ("ACUTE GOUT", "user"),
        ("gout knee", "user"),
        ("gout", "pred"),
        ("gout", "pred"),
        ("gout", "pred"),
    ]
    assert {concepts for _, layer, concepts in now if layer == "user"} == {("X:6",)}
    again = ada.ok("POST", replace, {"revision": done["revision"]})
    assert (again["removed_inside"], again["made"], again["revision"]) == (0, 0, done["revision"])
    ada.refused(409, "POST", replace, {"revision": done["revision"] + 5})
    back = ada.ok("POST", f"{path}/undo", {"revision": done["revision"]})
    assert back["action"] == "annotation.replace-inside"
    assert _spans(ada.ok("GET", path)) == before
    ada.refused(404, "POST", f"{path}/annotations/999999/inside", {"revision": back["revision"]})


def test_a_boolean_is_no_number(ada: Any) -> None:
    view = ada.document(ada.project(), TEXT)
    place = f"documents/{view['id']}"
    new = {"revision": view["revision"], "start": True, "end": 4, "type": "Disease"}
    fields = ada.refused(422, "POST", f"{place}/annotations", new)["fields"]
    assert list(fields) == ["start"]
    assert "got a boolean; expected a whole number" in fields["start"]
    fields = ada.refused(422, "POST", f"{place}/state", {"revision": False, "state": "accepted"})["fields"]
    assert list(fields) == ["revision"]


def test_a_request_repeated_with_its_idempotency_key_changes_nothing_twice(ada: Any, bob: Any) -> None:
    view = ada.document(ada.project(), TEXT)
    path, revision = f"documents/{view['id']}", view["revision"]
    asthma = _at(view, "asthma")["id"]
    requests = [
        ("POST", f"{path}/annotations", {"start": 0, "end": 3, "type": "Disease", "nil": True}),
        ("PATCH", f"{path}/annotations/{asthma}", {"nil": True}),
        ("POST", f"{path}/undo", {}),
        ("POST", f"{path}/state", {"state": "accepted"}),
    ]
    for number, (method, where, body) in enumerate(requests):
        send = {"body": body | {"revision": revision}, "headers": {"Idempotency-Key": f"request-{number}"}}
        done = ada.ok(method, where, **send)
        again = ada.refused(409, method, where, **send)
        assert again["code"] == "repeated"
        assert again["document"]["revision"] == done["revision"] == revision + 1
        revision = done["revision"]
    # The same key of somebody else is another request.
    body = {"state": "open", "revision": revision}
    assert bob.ok("POST", f"{path}/state", body, headers={"Idempotency-Key": "request-3"})["state"] == "open"

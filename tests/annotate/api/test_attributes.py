from __future__ import annotations

from typing import Any

NEGATED = {"name": "negated", "guess": True}
PAST = {"name": "historical", "guess": True}
SEVERITY = {"name": "severity", "values": ["mild", "severe"]}
TEXT = "No gout. Asthma in 2001 was treated. History of migraine."


def _at(view: Any, text: str) -> Any:
    return next(each for each in view["annotations"] if each["text"] == text)


def test_a_project_has_no_attributes_unless_chosen(ada: Any) -> None:
    view = ada.document(ada.project(), TEXT)
    assert ada.ok("GET", f"projects/{view['project']}")["attributes"] == []
    assert [each["attributes"] for each in view["annotations"]] == [{}, {}, {}]


def test_attributes_get_keys_that_do_not_collide(ada: Any) -> None:
    wanted = [NEGATED, PAST, {"name": "hypothetical"}, {"name": "new", "key": "H"}, SEVERITY]
    made = ada.ok("GET", f"projects/{ada.project(attributes=wanted)}")["attributes"]
    assert [(each["name"], each["key"]) for each in made] == [
        ("negated", "N"),
        ("historical", "I"),
        ("hypothetical", "Y"),
        ("new", "H"),
        ("severity", "S"),
    ]
    assert made[-1] == {"name": "severity", "values": ["mild", "severe"], "key": "S", "guess": False}


def test_definitions_that_contradict_themselves_are_refused(ada: Any) -> None:
    id = ada.project()
    for wrong, message in (
        ([NEGATED, {"name": "Negated"}], "two attributes have the name"),
        ([{"name": "a", "key": "Q"}, {"name": "b", "key": "Q"}], "two attributes have the key"),
        ([{"name": "grade", "values": ["one"]}], "has one value"),
        ([{"name": "grade", "values": ["one", "One"]}], "has a value twice"),
        ([{"name": "grade", "guess": True}], "can be guessed"),
    ):
        answer = ada.patch(f"/api/projects/{id}", json={"attributes": wrong})
        assert answer.status_code == 422, answer.text
        assert message in answer.text


def test_predictions_and_new_annotations_get_first_guesses(ada: Any) -> None:
    view = ada.document(ada.project(attributes=[NEGATED, PAST]), TEXT)
    assert _at(view, "gout")["attributes"] == {"negated": True}
    assert _at(view, "migraine")["attributes"] == {"historical": True}
    id, gout = view["id"], _at(view, "gout")
    done = ada.ok("DELETE", f"documents/{id}/annotations/{gout['id']}?revision={view['revision']}")
    assert ada.ok("GET", f"documents/{id}/guess?start=3&end=7") == {"attributes": {"negated": True}}
    new = {"revision": done["revision"], "start": 3, "end": 7, "concepts": ["X:1"]}
    done = ada.ok("POST", f"documents/{id}/annotations", new)
    assert done["changed"][0]["attributes"] == {"negated": True}
    done = ada.ok("POST", f"documents/{id}/undo", {"revision": done["revision"]})
    new |= {"revision": done["revision"], "attributes": {"negated": False}}
    assert ada.ok("POST", f"documents/{id}/annotations", new)["changed"][0]["attributes"] == {}


def test_a_guess_depends_on_the_type_and_a_note_has_its_sections(ada: Any) -> None:
    names = ["uncertain", "hypothetical"]
    project = ada.project(attributes=[{"name": name, "guess": True} for name in names])
    text = "FH: gout.\n\nPlan: consider aspirin tomorrow."
    view = ada.document(project, text)
    start = text.index("aspirin")
    guess = f"documents/{view['id']}/guess?start={start}&end={start + 7}"
    assert ada.ok("GET", f"{guess}&type=Chemical") == {"attributes": {"hypothetical": True}}
    assert ada.ok("GET", f"{guess}&type=Disease") == {"attributes": {"uncertain": True, "hypothetical": True}}
    found = [(text[at["start"] : at["end"]].strip(), at["kind"]) for at in view["sections"]]
    assert found == [("gout.", "family history"), ("consider aspirin tomorrow.", "plan")]
    assert ada.document(project, "No gout was found.")["sections"] == []


def test_attributes_are_set_one_by_one_undone_and_redone(ada: Any) -> None:
    view = ada.document(ada.project(attributes=[NEGATED, SEVERITY]), TEXT)
    id, gout = view["id"], _at(view, "gout")
    place = f"documents/{id}/annotations/{gout['id']}"
    body = {"revision": view["revision"], "attributes": {"severity": "mild"}}
    done = ada.ok("PATCH", place, body)
    [changed] = done["changed"]
    assert changed["attributes"] == {"negated": True, "severity": "mild"}
    assert (changed["layer"], changed["concepts"]) == ("user", ["X:1"])
    done = ada.ok(
        "PATCH",
        place,
        {"revision": done["revision"], "attributes": {"negated": False, "severity": "severe"}},
    )
    assert done["changed"][0]["attributes"] == {"severity": "severe"}
    done = ada.ok("POST", f"documents/{id}/undo", {"revision": done["revision"]})
    assert done["changed"][0]["attributes"] == {"negated": True, "severity": "mild"}
    done = ada.ok("POST", f"documents/{id}/undo", {"revision": done["revision"]})
    assert (done["changed"][0]["attributes"], done["changed"][0]["layer"]) == ({"negated": True}, "pred")
    done = ada.ok("POST", f"documents/{id}/redo", {"revision": done["revision"]})
    assert done["changed"][0]["attributes"] == {"negated": True, "severity": "mild"}


def test_attributes_and_values_that_the_project_does_not_have_are_refused(ada: Any) -> None:
    view = ada.document(ada.project(attributes=[NEGATED, SEVERITY]), TEXT)
    place = f"/api/documents/{view['id']}/annotations/{_at(view, 'gout')['id']}"
    for wrong, message in (
        ({"certain": True}, "no attribute 'certain'. Choose from: negated, severity"),
        ({"severity": "lethal"}, "cannot be 'lethal'. Choose from: mild, severe"),
        ({"severity": True}, "cannot be only switched on"),
        ({"negated": "yes"}, "is a flag and has no value 'yes'"),
    ):
        answer = ada.patch(place, json={"revision": view["revision"], "attributes": wrong})
        assert answer.status_code == 422, answer.text
        assert message in answer.json()["message"]


def test_values_are_not_copied_to_the_same_text_elsewhere(ada: Any) -> None:
    project = ada.project(attributes=[NEGATED, SEVERITY])
    view = ada.document(project, "No zoster. Then zoster came. Never had zoster.")
    id = view["id"]
    new = {"revision": view["revision"], "start": 16, "end": 22, "concepts": ["X:2"]}
    done = ada.ok("POST", f"documents/{id}/annotations", new | {"attributes": {"severity": "mild"}})
    made = done["changed"][0]["id"]
    done = ada.ok("POST", f"documents/{id}/annotations/{made}/same", {"revision": done["revision"]})
    assert [each["attributes"] for each in done["changed"]] == [{"negated": True}, {"negated": True}]


def test_new_predictions_leave_what_users_set(ada: Any) -> None:
    project = ada.project(attributes=[NEGATED])
    view = ada.document(project, TEXT)
    id, gout = view["id"], _at(view, "gout")
    place = f"documents/{id}/annotations/{gout['id']}"
    ada.ok("PATCH", place, {"revision": view["revision"], "attributes": {"negated": False}})
    ada.ok("PATCH", f"projects/{project}", {"attributes": [NEGATED, PAST]})
    after = ada.ok("GET", f"documents/{id}")
    assert _at(after, "gout")["attributes"] == {}
    assert _at(after, "migraine")["attributes"] == {"historical": True}


def test_annotations_keep_attributes_that_the_project_drops_and_the_settings_count_them(ada: Any) -> None:
    project = ada.project(attributes=[NEGATED, SEVERITY])
    view = ada.document(project, TEXT)
    id, gout = view["id"], _at(view, "gout")
    place = f"documents/{id}/annotations/{gout['id']}"
    done = ada.ok("PATCH", place, {"revision": view["revision"], "attributes": {"severity": "mild"}})
    assert ada.ok("GET", f"projects/{project}/attributes") == [
        {"name": "negated", "value": "", "annotations": 1, "predicted": 0},
        {"name": "severity", "value": "mild", "annotations": 1, "predicted": 0},
    ]
    ada.ok("PATCH", f"projects/{project}", {"attributes": [NEGATED]})
    assert _at(ada.ok("GET", f"documents/{id}"), "gout")["attributes"]["severity"] == "mild"
    done = ada.ok("PATCH", place, {"revision": done["revision"], "nil": True})
    done = ada.ok("PATCH", place, {"revision": done["revision"], "attributes": {"severity": None}})
    assert done["changed"][0]["attributes"] == {"negated": True}


def test_mentions_are_found_by_attribute_and_changed_together(ada: Any) -> None:
    project = ada.project(attributes=[NEGATED, PAST, SEVERITY])
    first, second = ada.document(project, TEXT), ada.document(project, "Never had gout. Denies asthma.")
    place = f"projects/{project}/mentions"

    def found(query: str) -> list[str]:
        return [each["annotation"]["text"] for each in ada.ok("GET", f"{place}?{query}")["mentions"]]

    assert sorted(found("attribute=negated")) == ["asthma", "gout", "gout"]
    assert found("attribute=severity") == []
    documents = [
        {
            "document": view["id"],
            "revision": view["revision"],
            "annotations": [each["id"] for each in view["annotations"] if each["text"] == "gout"],
        }
        for view in (first, second)
    ]
    change = {
        "token": "0123456789abcdef",
        "action": "attributes",
        "attributes": {"severity": "mild", "negated": False},
        "documents": documents,
    }
    done = ada.ok("POST", f"{place}/changes", change)
    assert (done["mentions"], done["documents"]) == (2, 2)
    assert (
        ada.ok("POST", f"{place}/changes", change)["mentions"] == 2
    )  # its answer was lost; nothing changes twice
    assert found("attribute=severity&value=mild") == ["gout", "gout"]
    assert found("attribute=severity&value=severe") == []
    assert found("attribute=negated") == ["asthma"]
    again = ada.ok("GET", f"documents/{first['id']}")
    assert again["revision"] == first["revision"] + 1
    ada.ok("POST", f"documents/{first['id']}/undo", {"revision": again["revision"]})
    assert sorted(found("attribute=negated")) == ["asthma", "gout"]
    for wrong in ({"attributes": {"severity": "fatal"}}, {"attributes": {}}, {"action": "confirm"}):
        ada.refused(422, "POST", f"{place}/changes", change | wrong)

"""Mentions in all documents of a project: found, compared, and changed together."""

from __future__ import annotations

import json
from typing import Any

import pytest

TEXTS = ("Gout and asthma.", "The GOUT was treated.", "Migraine; gout\nflares and gouty arthritis.")


@pytest.fixture
def project(ada: Any, bob: Any) -> int:
    """A shared project with three documents."""
    return _filled(ada)


@pytest.fixture(scope="module")
def unchanged(ada: Any, bob: Any) -> int:
    """Such a project, in which no test changes anything."""
    return _filled(ada)


def _filled(ada: Any, **fields: Any) -> int:
    number: int = ada.project(**fields)
    ada.upload(number, {f"{name}.txt": text for name, text in zip("abc", TEXTS, strict=True)})
    return number


def _find(client: Any, project: int, **query: Any) -> Any:
    return client.ok("GET", f"projects/{project}/mentions", params=query)


def _body(found: Any, action: str, token: str = "token-0001", **fields: Any) -> dict[str, Any]:
    documents: dict[int, dict[str, Any]] = {}
    for one in found["mentions"]:
        entry = documents.setdefault(
            one["document"], {"document": one["document"], "revision": one["revision"], "annotations": []}
        )
        entry["annotations"].append(one["annotation"]["id"])
    return {"token": token, "action": action, "documents": list(documents.values()), **fields}


def _change(client: Any, project: int, body: dict[str, Any]) -> Any:
    return client.ok("POST", f"projects/{project}/mentions/changes", body)


def _texts(found: Any) -> list[str]:
    return [one["annotation"]["text"] for one in found["mentions"]]


def _entries(client: Any, document: int, action: str) -> int:
    entries = client.ok("GET", f"documents/{document}/log")["entries"]
    return sum(entry["action"] == action for entry in entries)


def test_mentions_are_found_by_text_concept_layer_state_and_probability(ada: Any, unchanged: int) -> None:
    project = unchanged
    found = _find(ada, project, text="gout", whole=True)
    assert (found["total"], found["documents"]) == (3, 3)
    assert _texts(found) == ["Gout", "GOUT", "gout"]
    assert (found["mentions"][0]["before"], found["mentions"][0]["after"]) == ("", " and asthma.")
    [meaning] = found["meanings"]
    assert (meaning["concepts"], meaning["names"], meaning["mentions"]) == (["X:1"], ["Gout"], 3)
    assert _texts(_find(ada, project, text="gout")) == ["Gout", "GOUT", "gout", "gouty arthritis"]
    assert _texts(_find(ada, project, concept="X:1", offset=2, limit=1)) == ["gout"]
    assert _texts(_find(ada, project, concept="X:2")) == ["asthma"]
    assert _find(ada, project, layer="user")["total"] == 0
    assert _find(ada, project, state="accepted")["total"] == 0
    everything = _find(ada, project)["mentions"]
    sure = [one for one in everything if one["annotation"]["probability"] >= 0.9]
    assert len(sure) == _find(ada, project, least=0.9)["total"]
    assert len(everything) - len(sure) == _find(ada, project, below=0.9)["total"]


def test_texts_that_are_linked_to_different_concepts_are_listed(ada: Any, project: int) -> None:
    assert ada.ok("GET", f"projects/{project}/mentions/inconsistent")["texts"] == []
    one = _find(ada, project, text="gout", whole=True, limit=1)
    _change(ada, project, _body(one, "link", concepts=["X:6"]))
    listed = ada.ok("GET", f"projects/{project}/mentions/inconsistent")
    [text] = listed["texts"]
    assert (listed["total"], text["text"].lower()) == (1, "gout")
    assert [(each["concepts"], each["mentions"]) for each in text["meanings"]] == [(["X:1"], 2), (["X:6"], 1)]
    assert ada.ok("GET", f"projects/{project}/mentions/inconsistent", params={"layer": "user"})["total"] == 0


def test_many_mentions_are_linked_as_one_change_per_document_that_can_be_undone_there(
    ada: Any, project: int
) -> None:
    found = _find(ada, project, text="gout")
    done = _change(ada, project, _body(found, "link", concepts=["X:6"]))
    assert (done["mentions"], done["documents"]) == (4, 3)
    assert [each["outcome"] for each in done["outcomes"]] == ["changed"] * 3
    assert [one["concepts"] for one in _layer(ada, project, "user")] == [["X:6"]] * 4
    third = found["mentions"][-1]["document"]
    assert _entries(ada, third, "mentions.link") == 1
    ada.ok("POST", f"documents/{third}/undo", {"revision": ada.ok("GET", f"documents/{third}")["revision"]})
    assert [one["text"] for one in _layer(ada, project, "user")] == ["Gout", "GOUT"]


def test_many_predictions_are_confirmed_or_removed(ada: Any, project: int) -> None:
    found = _find(ada, project, text="gout", whole=True)
    confirmed = _change(ada, project, _body(found, "confirm"))
    assert confirmed["mentions"] == 3
    assert {one["author"] for one in _layer(ada, project, "user")} == {"ada"}
    again = _change(
        ada, project, _body(_find(ada, project, text="gout", whole=True), "confirm", "token-0002")
    )
    assert (again["mentions"], {each["outcome"] for each in again["outcomes"]}) == (0, {"unchanged"})
    removed = _change(ada, project, _body(_find(ada, project, layer="pred"), "remove", "token-0003"))
    assert removed["mentions"] == 3
    ada.ok("POST", f"projects/{project}/jobs", {"kind": "predict"})
    assert _texts(_find(ada, project)) == ["Gout", "GOUT", "gout"]


def test_a_document_that_somebody_changed_meanwhile_stays_as_it_is_and_is_named(
    ada: Any, bob: Any, project: int
) -> None:
    found = _find(ada, project, text="gout", whole=True)
    second = found["mentions"][1]
    changed = {"revision": second["revision"], "concepts": ["X:3"]}
    bob.ok("PATCH", f"documents/{second['document']}/annotations/{second['annotation']['id']}", changed)
    third = found["mentions"][2]
    path = f"documents/{third['document']}/annotations/{third['annotation']['id']}"
    bob.ok("DELETE", path, params={"revision": third["revision"]})
    done = _change(ada, project, _body(found, "link", nil=True))
    assert [each["outcome"] for each in done["outcomes"]] == ["changed", "refused", "refused"]
    assert done["outcomes"][1]["message"].startswith("bob has changed this")
    assert done["outcomes"][1]["name"] == "b"
    assert _find(ada, project, concept="X:3")["mentions"][0]["annotation"]["author"] == "bob"


def test_a_repeated_request_changes_nothing_twice_and_says_what_was_changed(ada: Any, project: int) -> None:
    body = _body(_find(ada, project, text="gout", whole=True), "link", nil=True)
    first = body["documents"][:1]
    _change(ada, project, body | {"documents": first})  # the server was killed after the first document
    done = _change(ada, project, body)
    assert [(each["outcome"], each["mentions"]) for each in done["outcomes"]] == [("changed", 1)] * 3
    assert _change(ada, project, body) == done
    assert [_entries(ada, each["document"], "mentions.link") for each in body["documents"]] == [1, 1, 1]


def test_annotators_of_an_independent_project_find_and_change_only_their_own(
    ada: Any, bob: Any, site: Any
) -> None:
    project = _filled(ada, mode="independent")
    found = _find(bob, project, text="gout", whole=True)  # on the sheets that everybody begins with
    done = _change(bob, project, _body(found, "link", concepts=["X:6"]))
    assert (done["mentions"], done["documents"]) == (3, 3)
    assert _find(bob, project, concept="X:6")["total"] == 3
    assert _find(ada, project, concept="X:6")["total"] == 0
    assert ada.ok("GET", f"projects/{project}/mentions/inconsistent")["total"] == 0
    mine = _find(bob, project, concept="X:6")
    stolen = _change(ada, project, _body(mine, "remove", "token-0004"))
    assert {each["outcome"] for each in stolen["outcomes"]} == {"refused"}
    assert _find(bob, project, concept="X:6")["total"] == 3
    assert _find(ada, project, text="gout", whole=True)["total"] == 3


def test_documents_of_another_project_are_neither_changed_nor_named(ada: Any, bob: Any, project: int) -> None:
    hidden = _filled(ada, alone=True)
    body = _body(_find(ada, hidden, text="gout"), "remove")
    done = _change(bob, project, body)
    assert {(each["outcome"], each["name"]) for each in done["outcomes"]} == {("refused", "")}
    assert _find(ada, hidden, text="gout")["total"] == 4


@pytest.mark.parametrize(
    "wrong",
    [
        {"action": "link"},
        {"action": "confirm", "concepts": ["X:1"]},
        {"action": "link", "concepts": ["X:1"], "nil": True},
        {"action": "link", "concepts": ["X:404"]},
        {"action": "link", "concepts": ["X:9"]},
        {"action": "remove", "token": "short"},
        {"action": "remove", "documents": []},
    ],
)
def test_requests_that_make_no_sense_change_nothing(ada: Any, unchanged: int, wrong: dict[str, Any]) -> None:
    project = unchanged
    body = _body(_find(ada, project, text="gout"), "remove") | wrong
    ada.refused(422, "POST", f"projects/{project}/mentions/changes", body)
    twice = body | {"action": "remove", "token": "token-0005", "concepts": [], "nil": False}
    twice["documents"] = 2 * _body(_find(ada, project, text="gout"), "remove")["documents"][:1]
    ada.refused(422, "POST", f"projects/{project}/mentions/changes", twice)
    assert _find(ada, project, text="gout")["total"] == 4


def _layer(client: Any, project: int, layer: str) -> list[Any]:
    return [one["annotation"] for one in _find(client, project, layer=layer)["mentions"]]


@pytest.fixture(scope="module")
def long(ada: Any) -> int:
    """A project with nine documents, which no test changes."""
    project: int = ada.project()
    ada.upload(
        project, {f"{number}.txt": f"Gout and asthma, migraine {number}: gout." for number in range(9)}
    )
    return project


@pytest.mark.parametrize("query", [{}, {"concept": "X:1"}, {"text": "o"}])
def test_pages_follow_each_other(ada: Any, long: int, query: dict[str, Any]) -> None:
    project = long
    whole = _find(ada, project, **query, limit=100)
    pages = [_find(ada, project, **query, offset=offset, limit=4) for offset in range(0, whole["total"], 4)]
    assert [one for page in pages for one in page["mentions"]] == whole["mentions"]
    assert {(page["total"], page["documents"]) for page in pages} == {(len(whole["mentions"]), 9)}
    assert {len(page["mentions"]) for page in pages[:-1]} == {4}
    assert all(page["meanings"] == whole["meanings"] for page in pages)
    assert _find(ada, project, **query, offset=100, limit=4)["mentions"] == []


def test_concepts_are_told_apart_by_case(ada: Any, unchanged: int) -> None:
    assert _find(ada, unchanged, concept="X:1")["total"] == 4
    assert _find(ada, unchanged, concept="x:1")["total"] == 0
    assert _find(ada, unchanged, concept="X:")["total"] == 0


def test_only_the_most_frequent_links_are_listed(ada: Any) -> None:
    project = ada.project()
    mentions = [
        {"start": 5 * place, "end": 5 * place + 4, "text": "word", "concepts": [f"Y:{place}"]}
        for place in range(120)
    ]
    record = {"id": "a", "text": "word " * 120, "mentions": mentions}
    ada.upload(project, {"a.jsonl": json.dumps(record)})
    found = _find(ada, project, layer="gold", limit=1)
    assert (found["total"], len(found["meanings"])) == (120, 100)

"""Comments on documents and mentions: who sees, answers, settles and removes them."""

from __future__ import annotations

from typing import Any

import pytest

PASSWORD = "correct horse battery staple"
TEXT = "Gout 😀 and asthma."


@pytest.fixture(scope="session")
def dora(site: Any, ada: Any) -> Any:
    """The browser of a second annotator."""
    ada.ok("POST", "users", {"name": "dora", "password": PASSWORD})
    return site.client().sign_in("dora")


@pytest.fixture
def shared(ada: Any, bob: Any, dora: Any) -> tuple[int, int]:
    """A shared project of all, and its document."""
    return _made(ada, "shared")


@pytest.fixture
def independent(ada: Any, bob: Any, dora: Any) -> tuple[int, int]:
    """An independent project of all, and its document."""
    return _made(ada, "independent")


def _made(ada: Any, mode: str) -> tuple[int, int]:
    project = ada.project(mode=mode)
    return project, int(ada.document(project, TEXT)["id"])


def _say(client: Any, document: int, text: str, about: str = "", **fields: Any) -> Any:
    place = {"start": TEXT.index(about), "end": TEXT.index(about) + len(about)} if about else {}
    return client.ok("POST", f"documents/{document}/comments", {"text": text, **place, **fields})


def _said(client: Any, document: int) -> list[tuple[str, list[str]]]:
    threads = client.ok("GET", f"documents/{document}/comments")
    return [(one["about"], [comment["text"] for comment in one["comments"]]) for one in threads]


def test_what_is_said_of_the_document_comes_before_what_is_said_of_its_text(
    ada: Any, bob: Any, shared: tuple[int, int]
) -> None:
    _, document = shared
    _say(ada, document, "Or is it an allergy?", "asthma")
    _say(bob, document, "Urate?", "Gout 😀")
    first = _say(bob, document, "An odd one.\n\nSee table 2.")
    answered = ada.ok("POST", f"documents/{document}/comments/{first['id']}/replies", {"text": "Odd how?"})
    assert [(one["author"], one["text"]) for one in answered["comments"]] == [
        ("bob", "An odd one.\n\nSee table 2."),
        ("ada", "Odd how?"),
    ]
    expected = [
        ("", ["An odd one.\n\nSee table 2.", "Odd how?"]),
        ("Gout 😀", ["Urate?"]),
        ("asthma", ["Or is it an allergy?"]),
    ]
    assert _said(ada, document) == _said(bob, document) == expected


def test_what_is_to_be_discussed_is_listed_until_it_is_settled(
    ada: Any, bob: Any, shared: tuple[int, int]
) -> None:
    project, document = shared
    _say(ada, document, "A remark.")
    thread = _say(bob, document, "Which gout?", "Gout", discuss=True)
    listed = ada.ok("GET", f"projects/{project}/comments?discuss=open")
    assert (listed["total"], listed["open"]) == (1, 1)
    assert [(one["about"], one["document"]) for one in listed["threads"]] == [("Gout", document)]
    path = f"documents/{document}/comments/{thread['id']}"
    answer = ada.ok("POST", f"{path}/replies", {"text": "The usual one."})["comments"][1]["id"]
    ada.refused(
        422, "PATCH", f"documents/{document}/comments/{answer}", {"discuss": "settled"}
    )  # a reply has no state
    assert ada.ok("PATCH", path, {"discuss": "settled"})["discuss"] == "settled"
    listed = bob.ok("GET", f"projects/{project}/comments?discuss=open")
    assert (listed["total"], listed["open"]) == (0, 0)
    assert bob.ok("GET", f"projects/{project}/comments?discuss=settled")["total"] == 1
    assert bob.ok("GET", f"projects/{project}/comments?discuss=no")["total"] == 1
    assert bob.ok("GET", f"projects/{project}/comments")["total"] == 2


def test_a_comment_asked_for_twice_is_made_once(ada: Any, shared: tuple[int, int]) -> None:
    _, document = shared
    first = _say(ada, document, "Once.", "Gout")
    assert _say(ada, document, " Once. ", "Gout")["id"] == first["id"]
    for _ in range(2):
        ada.ok("POST", f"documents/{document}/comments/{first['id']}/replies", {"text": "Answer."})
    assert _said(ada, document) == [("Gout", ["Once.", "Answer."])]
    assert _say(ada, document, "Once.", "asthma")["id"] != first["id"]


def test_only_the_author_changes_a_comment_and_what_others_answered_stays(
    ada: Any, bob: Any, dora: Any, shared: tuple[int, int]
) -> None:
    project, document = shared
    thread = _say(bob, document, "Urtae?", "Gout")
    path = f"documents/{document}/comments/{thread['id']}"
    assert "Only bob" in dora.refused(403, "PATCH", path, {"text": "Urate!"})["message"]
    changed = bob.ok("PATCH", path, {"text": "Urate?"})["comments"][0]
    assert changed["text"] == "Urate?"
    assert changed["changed"] is not None
    dora.refused(403, "DELETE", path)
    dora.ok("POST", f"{path}/replies", {"text": "Yes."})
    assert "answered" in bob.refused(409, "DELETE", path)["message"]
    ada.ok("DELETE", path)  # a manager
    assert _said(bob, document) == []
    log = ada.ok("GET", f"projects/{project}/log")["entries"]
    removed = next(entry for entry in log if entry["action"] == "comment.remove")
    assert removed["changes"]["text"] == "Urate?"


def test_one_may_remove_what_nobody_answered(bob: Any, shared: tuple[int, int]) -> None:
    _, document = shared
    path = f"documents/{document}/comments/{_say(bob, document, 'Hm.')['id']}"
    bob.ok("POST", f"{path}/replies", {"text": "No."})
    bob.ok("DELETE", path)
    assert _said(bob, document) == []
    bob.refused(404, "DELETE", path)
    bob.refused(404, "PATCH", path, {"text": "Hm?"})


def test_independent_annotators_see_their_own_threads_and_those_of_curators(
    ada: Any, bob: Any, dora: Any, independent: tuple[int, int]
) -> None:
    project, document = independent
    own = _say(bob, document, "I take the joint.", "Gout", discuss=True)
    _say(ada, document, "Everybody: read the guideline.")
    assert _said(dora, document) == [("", ["Everybody: read the guideline."])]
    path = f"documents/{document}/comments/{own['id']}"
    for method, place, body in (
        ("POST", f"{path}/replies", {"text": "Me too."}),
        ("PATCH", path, {"discuss": "settled"}),
        ("DELETE", path, None),
    ):
        dora.refused(404, method, place, body)
    assert dora.ok("GET", f"projects/{project}/comments")["open"] == 0
    told = [entry["by"] for entry in dora.ok("GET", f"projects/{project}/log")["entries"]]
    assert "bob" not in told
    ada.ok("POST", f"{path}/replies", {"text": "Do."})
    assert _said(bob, document)[-1] == ("Gout", ["I take the joint.", "Do."])


def test_a_place_outside_the_text_and_words_that_are_none_are_refused(
    ada: Any, shared: tuple[int, int]
) -> None:
    _, document = shared
    path = f"documents/{document}/comments"
    for body in (
        {"text": " \n"},
        {"text": "x", "start": 0},
        {"text": "x", "start": 3, "end": 3},
        {"text": "x", "start": 0, "end": len(TEXT) + 1},
        {"text": "x" * 5001},
        {"text": "a\x00b"},
    ):
        ada.refused(422, "POST", path, body)
    assert _said(ada, document) == []


def test_a_backup_brings_threads_back(ada: Any, bob: Any, shared: tuple[int, int]) -> None:
    project, document = shared
    thread = _say(bob, document, "Which?", "asthma", discuss=True)
    ada.ok("POST", f"documents/{document}/comments/{thread['id']}/replies", {"text": "All."})
    backup = ada.get(f"/api/projects/{project}/backup").content
    restored = ada.ok("POST", "projects/restore", files=[("file", ("b.zip", backup))])["project"]
    [found] = ada.ok("GET", f"projects/{restored}/comments")["threads"]
    assert (found["about"], found["discuss"]) == ("asthma", "open")
    assert [(one["author"], one["text"]) for one in found["comments"]] == [("bob", "Which?"), ("ada", "All.")]
    assert found["document"] != document


def test_removing_a_document_removes_what_was_said_of_it(ada: Any, shared: tuple[int, int]) -> None:
    project, document = shared
    _say(ada, document, "Gone soon.", "Gout")
    ada.ok("DELETE", f"documents/{document}")
    assert ada.ok("GET", f"projects/{project}/comments")["total"] == 0

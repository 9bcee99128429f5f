"""Two people at once, pages loaded again, servers that die: nothing is lost, nothing is overwritten unseen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.browser


def test_what_one_annotates_the_other_sees(
    ada: Any, visit: Callable[..., Any], server: Any, script: Any
) -> None:
    project = script.project("Together", {"one.txt": "Flumble and dazzle."})
    document = script.document(project, "one")
    other = visit(server.address)
    other.open()
    other.sign_in(*script.annotator("second", project))
    for who in (ada, other):
        who.open_document(document)
    ada.select("Flumble")
    ada.page.get_by_role("button", name="Without a concept").click()
    other.page.locator(".text mark.user", has_text="Flumble").wait_for()
    other.said("ada changed this document")

    other.page.locator(".text mark.user").click()
    other.search("gout").click()
    other.said("Linked")
    ada.page.get_by_label("Linked to").get_by_text("Gout").wait_for()


def test_a_conflict_is_shown_with_the_document_as_it_is_now(
    ada: Any, server: Any, script: Any, sign_in: Callable[..., Any]
) -> None:
    project = script.project("Conflict", {"one.txt": "Flumble and dazzle."})
    document = script.document(project, "one")
    ada.page.route("**/api/events?*", lambda route: route.abort())  # it does not hear what happens
    ada.open_document(document)
    ada.said("The connection is lost")
    ada.select("Flumble")
    third = sign_in(server.address, *script.annotator("third", project))
    third.post(
        f"/documents/{document['id']}/annotations",
        {"start": 0, "end": 11, "nil": True, "revision": document["revision"]},
    )
    ada.page.get_by_role("button", name="Without a concept").click()
    ada.said("third has changed this")
    ada.page.locator(".text mark.user", has_text="Flumble and").wait_for()
    assert len(script.document(project, "one")["annotations"]) == 1


def test_loading_the_page_again_loses_nothing(ada: Any, script: Any) -> None:
    project = script.project("Reload", {"one.txt": "Flumble and dazzle."})
    ada.open_document(script.document(project, "one"))
    ada.select("Flumble")
    ada.nil()
    ada.said("Annotated")
    ada.page.reload()
    ada.page.locator(".text mark.user", has_text="Flumble").wait_for()
    ada.page.get_by_role("button", name="Undo").click()
    ada.said("Undone")
    assert script.document(project, "one")["annotations"] == []


def test_a_server_killed_in_the_middle_loses_nothing(
    new_server: Callable[[], Any], visit: Callable[..., Any], sign_in: Callable[..., Any]
) -> None:
    server = new_server()
    own = sign_in(server.address, "ada", "correct horse battery", first=True)
    project = own.project("Killed", {"one.txt": "Flumble and dazzle."})
    document = own.document(project, "one")
    me = visit(server.address)
    me.open()
    me.sign_in("ada", "correct horse battery")
    me.open_document(document)
    me.select("Flumble")
    me.nil()
    me.said("Annotated")
    server.kill()
    me.said("The connection is lost")
    me.select("dazzle")
    me.nil()
    me.said("The server does not answer")
    server.start()
    me.page.get_by_role("button", name="Try again").click()
    me.said("Annotated “dazzle”")
    assert [one["text"] for one in own.document(project, "one")["annotations"]] == ["Flumble", "dazzle"]

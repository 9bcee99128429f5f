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
    ada.page.route("**/projects/*/changes*", lambda route: route.abort())  # it does not hear what happens
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


@pytest.fixture
def lonely(
    new_server: Callable[[], Any], visit: Callable[..., Any], sign_in: Callable[..., Any]
) -> tuple[Any, Any, Any, int]:
    """A server that can be killed, its interface for scripts, a person on a document there, and its project."""
    server = new_server()
    own = sign_in(server.address, "ada", "correct horse battery", first=True)
    project = own.project("Lonely", {"one.txt": "Flumble and dazzle."})
    me = visit(server.address)
    me.open()
    me.sign_in("ada", "correct horse battery")
    me.open_document(own.document(project, "one"))
    me.page.get_by_role("link", name="Back to Lonely").wait_for()  # all of the page is there
    return server, own, me, project


def _texts(own: Any, project: int) -> list[str]:
    return [one["text"] for one in own.document(project, "one")["annotations"]]


def test_a_server_killed_during_two_edits_gets_both_when_it_is_back_without_a_click(
    lonely: tuple[Any, Any, Any, int],
) -> None:
    server, own, me, project = lonely
    server.kill()
    for words in ("Flumble", "dazzle"):
        me.select(words)
        me.nil()
    unsaved = me.page.get_by_role("alert", name="Not saved yet")
    unsaved.get_by_text("2 changes not saved yet.").wait_for()
    assert unsaved.get_by_role("listitem").all_inner_texts() == [
        "annotate “Flumble” in “one”", "annotate “dazzle” in “one”",
    ]  # fmt: skip
    server.start()
    me.said("Annotated “dazzle”")
    unsaved.wait_for(state="detached")
    assert me.boxes("user") == ["Flumble", "dazzle"]
    assert _texts(own, project) == ["Flumble", "dazzle"]


def test_ten_seconds_offline_and_a_reload_before_the_server_is_back_lose_nothing_and_double_nothing(
    lonely: tuple[Any, Any, Any, int],
) -> None:
    server, own, me, project = lonely
    me.page.context.set_offline(True)
    me.select("Flumble")
    me.nil()
    me.page.get_by_text("1 change not saved yet.").wait_for()
    me.page.context.set_offline(False)  # nobody clicks
    me.said("Annotated “Flumble”")

    # The answer to the next one is lost: it is saved, and the page does not know.
    me.page.route("**/annotations", lambda route: (route.fetch(), route.abort()))
    me.select("dazzle")
    me.nil()
    me.page.get_by_text("1 change not saved yet.").wait_for()
    assert _texts(own, project) == ["Flumble", "dazzle"]
    server.kill()
    me.page.unroute("**/annotations")
    server.start()
    me.page.reload()
    me.page.locator(".text mark.user", has_text="dazzle").wait_for()
    me.page.get_by_text("not saved yet").wait_for(state="detached")
    assert _texts(own, project) == ["Flumble", "dazzle"]
    entries = own.get(f"/projects/{project}/log")["entries"]
    assert [one["action"] for one in entries].count("annotation.create") == 2


def test_an_unsaved_change_of_what_somebody_else_has_changed_is_told_with_its_reason(
    lonely: tuple[Any, Any, Any, int],
) -> None:
    _, own, me, project = lonely
    document = own.document(project, "one")
    me.page.route("**/annotations", lambda route: route.abort())
    me.select("Flumble")
    me.nil()
    me.page.get_by_text("1 change not saved yet.").wait_for()
    own.post(
        f"/documents/{document['id']}/annotations",
        {"start": 0, "end": 11, "nil": True, "revision": document["revision"]},
    )
    me.page.unroute("**/annotations")
    me.page.get_by_role("button", name="Send now").click()
    told = me.page.get_by_role("alert", name="Not saved", exact=True)
    told.get_by_text("annotate “Flumble” in “one”: You have changed this in another window").wait_for()
    told.get_by_role("button", name="OK").click()
    told.wait_for(state="detached")
    assert _texts(own, project) == ["Flumble and"]

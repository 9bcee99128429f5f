"""Mentions of all documents on the page: searched, compared, and changed together."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import httpx2
import pytest
from tests.web.accessibility import flaws
from tests.web.conftest import ADMIN

pytestmark = pytest.mark.browser

TEXTS = {"a.txt": "Gout and asthma.", "b.txt": "The GOUT was treated.", "c.txt": "Gout flares."}


def _found(script: Any, project: int, **query: Any) -> list[Any]:
    return [one["annotation"] for one in script.get(f"/projects/{project}/mentions", **query)["mentions"]]


def test_mentions_of_a_text_are_linked_in_all_documents_after_a_preview(ada: Any, script: Any) -> None:
    project = script.project("Across", TEXTS)
    ada.open(f"/projects/{project}/queue")
    ada.page.get_by_role("link", name="Mentions").click()
    page = ada.page
    page.get_by_label("Text of the mention").fill("gout")
    ada.said("3 mentions in 3 documents")
    page.get_by_role("button", name="Choose all 3").click()
    page.get_by_label("Choose “Gout” in c").uncheck()
    page.get_by_role("button", name="Link 2…").click()
    preview = page.get_by_role("region", name="Preview")
    preview.get_by_role("heading", name="Link 2 mentions in 2 documents").wait_for()
    assert preview.get_by_role("listitem").all_inner_texts() == ["2 × “Gout”, Gout"]
    apply = preview.get_by_role("button", name="Link 2 mentions")
    assert apply.is_disabled()
    preview.get_by_label("Link to").fill("asthma")
    preview.get_by_role("button", name="MESH:D001249").click()
    apply.click()
    ada.said("2 mentions linked in 2 documents.")
    linked = [one["concepts"] for one in _found(script, project, text="gout")]
    assert linked == [["MESH:D001249"], ["MESH:D001249"], ["MESH:D006073"]]

    # What is now inconsistent is listed, and one click searches for it.
    page.get_by_label("Text of the mention").fill("")
    page.get_by_role("button", name="“Gout”").click()
    page.get_by_text("Asthma: 2 · Gout: 1").wait_for()

    document = script.document(project, "a")
    ada.open_document(document)
    page.keyboard.press("u")
    ada.said("Undone: linked mentions in many documents “Gout”")
    assert _found(script, project, text="gout")[0]["concepts"] == ["MESH:D006073"]


def test_a_document_changed_meanwhile_is_named_and_predictions_are_confirmed_by_certainty(
    ada: Any, script: Any
) -> None:
    project = script.project("Meanwhile", TEXTS)
    ada.open(f"/projects/{project}/mentions")
    page = ada.page
    page.get_by_label("Layer").select_option("pred")
    ada.said("4 mentions in 3 documents")
    page.get_by_role("button", name="Choose all 4").click()
    page.get_by_role("button", name="Confirm 4…").click()
    # The page hears of changes only after a while, so the change of another person comes in between.
    page.route("**/mentions?*", lambda route: route.abort())
    view = script.document(project, "b")
    path = f"/documents/{view['id']}/annotations/{view['annotations'][0]['id']}"
    script.patch(path, {"revision": view["revision"], "nil": True})
    page.get_by_role("region", name="Preview").get_by_role("button", name="Confirm 4 mentions").click()
    ada.said("3 mentions confirmed in 2 documents. 1 document stayed as it is.")
    kept = page.get_by_role("list", name="Documents that were not changed")
    kept.get_by_text("b: You have changed this in another window in the meantime").wait_for()
    page.unroute("**/mentions?*")
    assert [one["nil"] for one in _found(script, project, text="gout", layer="user")] == [False, True, False]

    page.get_by_label("Certainty").select_option("doubtful")
    ada.said("0 mentions in 0 documents")
    page.get_by_label("Certainty").select_option("")
    page.get_by_label("Layer").select_option("")
    ada.said("mentions in 3 documents")
    page.get_by_role("button", name="Choose all").click()
    page.get_by_role("button", name="Remove").first.click()
    assert flaws(page, "mentions") == []


@pytest.mark.parametrize(
    ("what", "after"),
    [
        ({"action": "link", "nil": True}, {"nil": True}),
        ({"action": "attributes", "attributes": {"negated": True}}, {"attributes": {"negated": True}}),
    ],
    ids=["link", "attributes"],
)
def test_a_server_killed_in_the_middle_of_a_change_of_many_leaves_each_document_changed_or_not_and_says_which(
    new_server: Callable[[], Any],
    sign_in: Callable[..., Any],
    what: dict[str, Any],
    after: dict[str, Any],
) -> None:
    server = new_server()
    script = sign_in(server.address, *ADMIN, first=True)
    texts = {f"{number}.txt": f"Gout {number}." for number in range(120)}
    project = script.project("Killed", texts, attributes=[{"name": "negated"}])
    found = script.get(f"/projects/{project}/mentions", text="gout", limit=2000)
    documents = [
        {"document": one["document"], "revision": one["revision"], "annotations": [one["annotation"]["id"]]}
        for one in found["mentions"]
    ]
    assert len(documents) == 120
    change = {"token": "killed-0001", **what, "documents": documents}

    def ask() -> None:
        with suppress(httpx2.HTTPError):
            script.post(f"/projects/{project}/mentions/changes", change)

    watcher = sign_in(server.address, *ADMIN)
    asking = threading.Thread(target=ask)
    asking.start()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if watcher.get(f"/documents/{documents[5]['document']}")["revision"] > documents[5]["revision"]:
            break
    server.kill()
    asking.join()
    server.start()

    again = sign_in(server.address, *ADMIN)
    before = {one["id"] for one in _found(again, project, layer="user", limit=2000)}
    assert len(before) >= 6
    done = again.post(f"/projects/{project}/mentions/changes", change)
    assert [one["outcome"] for one in done["outcomes"]] == ["changed"] * 120
    assert (done["mentions"], done["documents"]) == (120, 120)
    assert all(one | after == one for one in _found(again, project, limit=2000))
    for document in documents[:10]:
        entries = again.get(f"/documents/{document['document']}/log")["entries"]
        assert [entry["action"] for entry in entries].count(f"mentions.{what['action']}") == 1

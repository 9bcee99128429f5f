"""Accepting in the list of documents: what is accepted is shown, the list stands still, and undo is where it happened."""

from __future__ import annotations

from typing import Any

import pytest
from tests.web.accessibility import violations

pytestmark = pytest.mark.browser


def _opened(me: Any, script: Any, name: str, count: int = 4) -> tuple[int, list[str]]:
    texts = {f"{name} {number}.txt": f"Gout and dazzle {number}." for number in range(count)}
    project = script.project(name, texts, strategy="random")
    me.open(f"/projects/{project}/queue")
    me.page.locator(".documents li.card").nth(count - 1).wait_for()
    return project, me.page.locator(".documents h3").all_inner_texts()


def _states(script: Any, project: int) -> dict[str, str]:
    return {one["name"]: one["state"] for one in script.get(f"/projects/{project}/documents")["documents"]}


def test_a_row_says_what_accepting_confirms_stays_where_it_is_and_undo_is_there(
    ada: Any, script: Any
) -> None:
    project, names = _opened(ada, script, "Shown")
    rows = ada.page.locator(".documents li.card")
    [gout] = script.document(project, names[1])["annotations"]
    said = rows.nth(1).get_by_role("list", name="What accepting confirms").inner_text()
    sure = min(99, round(gout["probability"] * 100))  # nothing is certain
    assert " ".join(said.split()) == f"Gout → Gout {sure} % sure"

    rows.nth(1).get_by_role("button", name="Accept").click()
    rows.nth(1).get_by_text("✓ Accepted, 1 prediction unchanged.").wait_for()
    ada.page.wait_for_timeout(2500)  # the list has been loaded again
    assert ada.page.locator(".documents h3").all_inner_texts() == names
    assert violations(ada.page) == []
    rows.nth(1).get_by_role("button", name="Undo").click()
    rows.nth(1).get_by_role("button", name="Accept").wait_for()
    assert set(_states(script, project).values()) == {"open"}
    assert [one["layer"] for one in script.document(project, names[1])["annotations"]] == ["pred"]

    rows.nth(0).get_by_role("button", name="Skip").click()
    rows.nth(0).get_by_text("Skipped.").wait_for()
    ada.page.reload()  # another list: what is done is gone
    rows.nth(2).wait_for()
    assert ada.page.locator(".documents h3").all_inner_texts() == names[1:]


def test_two_clicks_350_milliseconds_apart_accept_one_document(ada: Any, script: Any) -> None:
    project, names = _opened(ada, script, "Twice")
    box = ada.page.get_by_role("button", name=f"Accept {names[0]}").bounding_box()
    place = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    for clicks in (1, 1, 2):  # 1: browsers that count them as two single clicks
        ada.page.mouse.click(*place, click_count=clicks)
        ada.page.wait_for_timeout(350)
    ada.page.get_by_text("✓ Accepted").wait_for()
    ada.page.wait_for_timeout(500)
    assert [name for name, state in _states(script, project).items() if state != "open"] == [names[0]]


def test_rows_stand_still_while_others_work(ada: Any, script: Any) -> None:
    project, names = _opened(ada, script, "Still")
    document = script.document(project, names[0])
    script.post(f"/documents/{document['id']}/state", {"state": "accepted", "revision": document["revision"]})
    rows = ada.page.locator(".documents li.card")
    rows.nth(0).get_by_text("It is no longer in this list.").wait_for()
    assert ada.page.locator(".documents h3").all_inner_texts() == names
    assert rows.nth(0).get_by_role("button").count() == 0

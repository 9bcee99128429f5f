"""Documents shared out among annotators, on the page: a manager, and two annotators with queues of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.web.accessibility import violations

pytestmark = pytest.mark.browser


def test_a_manager_shares_out_documents_and_moves_them_and_each_person_sees_their_own(
    ada: Any, visit: Callable[..., Any], server: Any, script: Any
) -> None:
    project = script.project("Shared out", {"first.txt": "Gout."}, mode="independent")
    people = {}
    for name in ("nora", "olaf"):
        people[name] = visit(server.address)
        people[name].open()
        people[name].sign_in(*script.annotator(name, project))
    ada.open(f"/projects/{project}/settings")
    ada.page.get_by_label("Each document is annotated by").select_option("one person")
    ada.page.get_by_text("Open documents are shared out").wait_for()
    ada.page.get_by_role("button", name="Save").click()
    ada.said("Saved.")
    script.upload(project, {f"d{number}.txt": f"Asthma, case {number}." for number in range(5)})

    assert sorted(_queue(people["nora"], project) + _queue(people["olaf"], project)) == [
        "d0", "d1", "d2", "d3", "d4", "first"
    ]  # fmt: skip
    theirs = _queue(people["olaf"], project)[0]
    nora = people["nora"]
    nora.open_document(script.document(project, theirs))
    nora.page.get_by_text("This document is assigned to others.").wait_for()
    assert nora.page.get_by_role("button", name="Accept").is_disabled()
    nora.page.locator(".text mark").first.click()
    nora.page.keyboard.press("c")
    nora.page.get_by_text("This document is not assigned to you.").wait_for()

    own = _queue(nora, project)
    nora.open_document(script.document(project, own[0]))
    nora.page.get_by_role("button", name="Why?").click()
    nora.page.get_by_text("Why this document comes next:").wait_for()
    nora.accept()
    nora.open(f"/projects/{project}/progress")
    nora.page.get_by_role("heading", name="Your progress").wait_for()
    row = nora.page.get_by_role("row").filter(has_text="nora")
    assert row.get_by_role("cell").all_inner_texts()[1:5] == ["3", "1", "0", "2"]
    assert nora.page.get_by_role("row").count() == 2

    ada.open(f"/projects/{project}/progress")
    ada.page.get_by_role("button", name="Hand over what nora has not begun").click()
    ada.page.get_by_text("2 documents that nora has not begun would go to others: olaf 2.").wait_for()
    _passes_axe(ada)
    ada.page.get_by_role("button", name="Hand over", exact=True).click()
    ada.said("olaf got 2 documents")
    nora.page.get_by_role("row").filter(has_text="nora").get_by_role("cell", name="1").nth(1).wait_for()
    assert _queue(nora, project) == []

    ada.open(f"/projects/{project}/documents")
    # Who got which depends on the project's number, so on what other tests made before.
    for name in [name for name in ("d0", "d1", "d2") if name != own[0]][:2]:
        ada.page.get_by_label(f"Choose {name}").check()
    ada.page.get_by_label("Person").select_option("nora")
    _passes_axe(ada)
    ada.page.get_by_role("button", name="Assign", exact=True).click()
    ada.said("nora got")
    ada.page.get_by_label("Assigned to").select_option("nora")
    ada.page.get_by_text("3 documents").wait_for()


def _queue(visitor: Any, project: int) -> list[str]:
    visitor.open(f"/projects/{project}/queue")
    visitor.page.locator("ol.documents, .empty").first.wait_for()
    names: list[str] = visitor.page.locator("ol.documents h3").all_inner_texts()
    return names


def _passes_axe(visitor: Any) -> None:
    assert violations(visitor.page) == []

"""Many tabs of one browser: each asks for what happens while it is shown, and catches up when it is shown again."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser

TABS = 7  # one more than the connections that a browser opens to one server
HIDE = """Object.defineProperty(document, "visibilityState", { configurable: true, get: () => window.hiddenTab ? "hidden" : "visible" });
Object.defineProperty(document, "hidden", { configurable: true, get: () => Boolean(window.hiddenTab) });"""


def _documents(script: Any, name: str, count: int) -> list[dict[str, Any]]:
    project = script.project(
        name, {f"{number}.txt": f"Flumble and dazzle {number}." for number in range(count)}
    )
    return [script.document(project, str(number)) for number in range(count)]


def _annotate(script: Any, document: dict[str, Any], start: int, end: int) -> None:
    revision = script.get(f"/documents/{document['id']}")["revision"]
    script.post(
        f"/documents/{document['id']}/annotations",
        {"start": start, "end": end, "nil": True, "revision": revision},
    )


def test_seven_tabs_of_several_projects_all_hear_what_happens_and_all_save(ada: Any, script: Any) -> None:
    documents = [*_documents(script, "Tabs", TABS // 2), *_documents(script, "Other tabs", TABS - TABS // 2)]
    tabs = [ada, *(ada.new_tab() for _ in documents[1:])]
    for tab, document in zip(tabs, documents, strict=True):
        tab.open_document(document)
    for document in documents:
        _annotate(script, document, 0, 7)
    for tab in tabs:
        tab.page.locator(".text mark.user", has_text="Flumble").wait_for()
    for tab in tabs:
        tab.select("dazzle")
        tab.nil()
        tab.said("Annotated “dazzle”")
    for document in documents:
        made = script.get(f"/documents/{document['id']}")["annotations"]
        assert [one["text"] for one in made] == ["Flumble", "dazzle"]


def test_a_hidden_tab_asks_nothing_and_catches_up_when_it_is_shown(ada: Any, script: Any) -> None:
    [document] = _documents(script, "Hidden", 1)
    ada.page.context.add_init_script(HIDE)
    ada.open_document(document)
    with ada.page.expect_response("**/projects/*/changes?since=*"):
        pass
    _show(ada, False)
    ada.page.wait_for_timeout(200)  # an answer may be on its way
    asked: list[str] = []
    ada.page.on("request", lambda request: asked.append(request.url))
    _annotate(script, document, 0, 7)
    ada.page.wait_for_timeout(2500)
    assert asked == []
    assert ada.boxes("user") == []
    _show(ada, True)
    ada.page.locator(".text mark.user", has_text="Flumble").wait_for()


def test_what_the_tab_has_saved_itself_is_not_loaded_again(ada: Any, script: Any) -> None:
    [document] = _documents(script, "Own", 1)
    ada.open_document(document)
    for _ in range(2):  # the first may have the prediction that has just ended
        with ada.page.expect_response("**/projects/*/changes?since=*"):
            pass
    loaded: list[str] = []
    ada.page.on("request", lambda request: loaded.append(f"{request.method} {request.url}"))
    ada.select("dazzle")
    ada.nil()
    ada.said("Annotated “dazzle”")
    for _ in range(3):  # one of them has the event
        with ada.page.expect_response("**/projects/*/changes?since=*"):
            pass
    assert [one for one in loaded if f"/api/documents/{document['id']}/changes" in one] == []


def test_an_unreachable_server_is_told_and_asked_again_until_it_answers(ada: Any, script: Any) -> None:
    [document] = _documents(script, "Away", 1)
    ada.open_document(document)
    ada.page.route("**/projects/*/changes*", lambda route: route.fulfill(status=502))
    ada.said("The connection is lost")
    _annotate(script, document, 0, 7)
    ada.page.unroute("**/projects/*/changes*")
    ada.page.locator(".text mark.user", has_text="Flumble").wait_for()
    ada.page.get_by_text("The connection is lost").wait_for(state="detached")


def _show(tab: Any, shown: bool) -> None:
    tab.page.evaluate(
        "hidden => { window.hiddenTab = hidden; document.dispatchEvent(new Event('visibilitychange')); }",
        not shown,
    )

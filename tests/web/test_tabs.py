"""Many tabs of one browser: a browser makes six connections to a server, and an event stream keeps one of them."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser

TABS = 8
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


def test_eight_tabs_of_several_projects_all_hear_what_happens_and_all_save(ada: Any, script: Any) -> None:
    documents = [*_documents(script, "Tabs", TABS // 2), *_documents(script, "Other tabs", TABS // 2)]
    tabs = [ada, *(ada.new_tab() for _ in documents[1:])]
    for tab, document in zip(tabs, documents, strict=True):
        tab.open_document(document)
    for tab, document in zip(tabs, documents, strict=True):
        _annotate(script, document, 0, 7)
        tab.page.locator(".text mark.user", has_text="Flumble").wait_for()
    for tab in tabs:
        tab.select("dazzle")
        tab.nil()
        tab.said("Annotated “dazzle”")
    for document in documents:
        made = script.get(f"/documents/{document['id']}")["annotations"]
        assert [one["text"] for one in made] == ["Flumble", "dazzle"]


def test_when_the_tab_that_holds_the_stream_is_closed_another_one_takes_over(ada: Any, script: Any) -> None:
    documents = _documents(script, "Successor", 3)
    tabs = [ada, *(ada.new_tab() for _ in documents[1:])]
    for tab, document in zip(tabs, documents, strict=True):
        tab.open_document(document)
    tabs[2].page.locator(".text").wait_for()
    for closing in (0, 1):
        tabs[closing].page.close()
        for _, document in list(zip(tabs, documents, strict=True))[closing + 1 :]:
            _annotate(script, document, *((0, 7), (12, 18))[closing])
        for tab in tabs[closing + 1 :]:
            tab.page.locator(".text mark.user").nth(closing).wait_for()


def test_a_tab_that_holds_the_stream_and_has_stopped_is_replaced(ada: Any, script: Any) -> None:
    documents = _documents(script, "Stopped", 2)
    other = ada.new_tab()
    for tab, document in zip((ada, other), documents, strict=True):
        tab.open_document(document)
    # As browsers stop tabs that have been hidden for long: it keeps the stream, and says no more.
    ada.page.evaluate("BroadcastChannel.prototype.postMessage = () => undefined")
    third = other.new_tab()
    third.open_document(documents[1])
    _annotate(script, documents[1], 0, 7)
    for tab in (third, other):
        tab.page.locator(".text mark.user", has_text="Flumble").wait_for()


def test_where_tabs_cannot_share_a_stream_a_hidden_one_closes_it_and_catches_up_when_it_is_shown(
    visit: Any, server: Any, signed_in: Any, script: Any
) -> None:
    documents = _documents(script, "Plain HTTP", TABS)
    me = visit(server.address, storage_state=signed_in)
    me.page.context.add_init_script("delete Navigator.prototype.locks;" + HIDE)
    tabs = [me, *(me.new_tab() for _ in documents[1:])]
    for tab, document in zip(tabs, documents, strict=True):
        tab.open_document(document)
        _show(tab, False)
    tabs[0].select("dazzle")
    tabs[0].nil()
    tabs[0].said("Annotated “dazzle”")
    _annotate(script, documents[1], 0, 7)
    tabs[1].page.wait_for_timeout(1000)
    assert tabs[1].page.locator(".text mark.user").count() == 0
    _show(tabs[1], True)
    tabs[1].page.locator(".text mark.user", has_text="Flumble").wait_for()


def _show(tab: Any, shown: bool) -> None:
    tab.page.evaluate(
        "hidden => { window.hiddenTab = hidden; document.dispatchEvent(new Event('visibilitychange')); }",
        not shown,
    )

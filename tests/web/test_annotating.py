"""Annotating with the mouse, and with nothing but keys; what is exported is what was done."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.web.conftest import READ

pytestmark = pytest.mark.browser

TEXT = "Breast and ovarian cancer 😀 run in families.\nGout is not flumble. Flumble hurts; zzyzx too."


def test_with_the_mouse(ada: Any, script: Any, tmp_path: Path) -> None:
    project = script.project("Mouse", {"one.txt": TEXT})
    before = script.document(project, "one")
    assert any(one["text"] == "Gout" for one in before["annotations"])
    ada.open_document(before)
    page = ada.page

    ada.select("flumble")
    ada.search("gout").click()
    ada.said("Annotated “flumble”")
    page.get_by_role("button", name="All same mentions").click()
    ada.said("1 more annotated")

    ada.select("zzyzx")
    ada.nil()
    ada.said("Annotated “zzyzx”")

    page.locator(".text mark", has_text="Gout").click()
    page.get_by_role("button", name="Remove").click()
    ada.said("Removed “Gout”")
    page.get_by_role("button", name="Undo").click()
    ada.said("Undone")
    page.get_by_role("button", name="Redo").click()
    ada.said("Redone")

    ada.accept()
    page.locator(".pill", has_text="accepted").wait_for()

    ada.open(f"/projects/{project}/export")
    with page.expect_download() as download:
        page.get_by_role("button", name="Export", exact=True).click()
    file = tmp_path / "export.jsonl"
    download.value.save_as(file)
    [exported] = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert exported["text"] == TEXT
    mentions = {(one["start"], one["text"]): one["concepts"] for one in exported["mentions"]}
    assert all(TEXT[start : start + len(text)] == text for start, text in mentions)
    gout = "MESH:D006073"
    assert mentions[TEXT.index("flumble"), "flumble"] == [gout]
    assert mentions[TEXT.index("Flumble"), "Flumble"] == [gout]
    assert mentions[TEXT.index("zzyzx"), "zzyzx"] == []
    assert not any(text == "Gout" for _, text in mentions)


def test_with_keys_only(ada: Any, script: Any) -> None:
    project = script.project("Keys", {"one.txt": TEXT, "two.txt": "Asthma."}, strategy="random")
    ada.open_document(script.document(project, "one"))
    page, key = ada.page, ada.page.keyboard
    key.press("?")
    page.get_by_role("heading", name="Keys").wait_for()
    key.press("Escape")
    page.get_by_role("heading", name="Keys").wait_for(state="hidden")

    key.press("t")  # the text: from its end back to "hurts"
    key.press("End")
    for _ in range(4):
        key.press("ArrowLeft")
    page.get_by_role("heading", name="“hurts”").wait_for()
    key.press("Shift+ArrowLeft")
    page.get_by_role("heading", name="“Flumble hurts”").wait_for()
    key.press("Shift+ArrowRight")
    key.press("ArrowLeft")
    page.get_by_role("heading", name="“Flumble”").wait_for()
    key.press("Enter")
    key.type("gout")
    page.locator("#options[aria-busy=false]").wait_for()
    key.press("Enter")
    ada.said("Annotated “Flumble”")

    page.locator("h2", has_text="“Flumble”").wait_for()
    key.press(",")
    ada.said("Span is now “Flumbl”")
    key.press(".")
    ada.said("Span is now “Flumble”")
    key.press("0")
    ada.said("NIL")
    key.press("u")
    ada.said("Undone")
    key.press("k")
    page.locator("h2", has_text="“Gout”").wait_for()
    key.press("c")
    ada.said("Confirmed “Gout”")
    key.press("Delete")
    ada.said("Removed “Gout”")
    page.wait_for_timeout(
        READ
    )  # on a fast machine all this takes less time than the page wants a document to be read
    key.press("Escape")
    key.press("a")
    ada.said("Accepted “one”")
    page.get_by_role("heading", name="two").wait_for()

    now = script.document(project, "one")
    made = {one["text"]: one for one in now["annotations"]}
    assert now["state"] == "accepted"
    assert made["Flumble"]["concepts"] == ["MESH:D006073"]
    assert made["Flumble"]["layer"] == "user"
    assert "Gout" not in made


def test_overlapping_annotations_several_concepts_and_another_span(ada: Any, script: Any) -> None:
    project = script.project("Overlap", {"one.txt": TEXT})
    ada.open_document(script.document(project, "one"))
    page = ada.page
    # Breast and ovarian cancer: the composite may be predicted already; one inside it, and one across its end.
    ada.select("ovarian cancer 😀 run")
    page.get_by_role("button", name="Without a concept").click()
    ada.said("Annotated “ovarian cancer 😀 run”")
    for name in ("Ovarian Neoplasms", "Breast Neoplasms"):
        ada.search(name)
        page.keyboard.press("Shift+Enter")
        page.get_by_label("Linked to").get_by_text(name).wait_for()
    page.get_by_label("Composite:").uncheck()
    ada.said("Saved")
    page.get_by_role("button", name="Change span").click()
    ada.select("cancer 😀 run in")
    ada.said("Span is now “cancer 😀 run in”")
    [made] = [one for one in script.document(project, "one")["annotations"] if one["layer"] == "user"]
    assert (made["text"], made["composite"]) == ("cancer 😀 run in", False)
    assert made["concepts"] == ["MESH:D010051", "MESH:D001943"]

    # A click where two overlap takes the inner one, the next the outer one.
    ada.select("cancer")
    page.get_by_role("button", name="Without a concept").click()
    ada.said("Annotated “cancer”")
    inner = page.locator(".text mark[data-start]", has_text="cancer")
    page.keyboard.press("Escape")
    found = set()
    for _ in range(inner.get_attribute("data-ids").count(" ") + 1):
        inner.click()
        found.add(page.locator("h2.quoted").inner_text())
    assert {"“cancer”", "“cancer 😀 run in”"} <= found


def test_what_is_html_is_shown_as_text(ada: Any, script: Any) -> None:
    text = "<img src=x onerror=alert(1)> <script>alert(2)</script> Gout &amp; asthma"
    project = script.project("<b>bold</b>", {"<i>one<i>.txt": text}, description="<script>alert(3)</script>")
    ada.open(f"/projects/{project}/queue")
    ada.page.get_by_role("heading", name="<b>bold</b>").wait_for()
    [summary] = script.get(f"/projects/{project}/documents")["documents"]
    ada.open_document(summary)
    assert ada.page.locator(".text").inner_text() == text
    assert ada.page.locator(".text img, .text script").count() == 0


def test_concepts_are_browsed_up_and_down(ada: Any, script: Any) -> None:
    project = script.project("Browse", {"one.txt": "Gout."})
    ada.open_document(script.document(project, "one"))
    page = ada.page
    page.locator(".text mark", has_text="Gout").click()
    card = page.get_by_role("article", name="Concept")
    card.get_by_role("heading", name="Gout").wait_for()
    broader = card.get_by_role("navigation", name="Broader concepts").get_by_role("button").last
    name = broader.inner_text()
    broader.click()
    card.get_by_role("heading", name=name).wait_for()
    card.locator("summary").click()
    card.get_by_role("button", name="Gout").first.click()
    card.get_by_role("heading", name="Gout").wait_for()
    card.get_by_role("button", name="Top").click()
    card.get_by_role("heading", name="Top of the terminology").wait_for()


def test_with_a_finger_on_a_narrow_screen(visit: Any, server: Any, signed_in: Any, script: Any) -> None:
    project = script.project("Finger", {"one.txt": TEXT})
    me = visit(
        server.address, storage_state=signed_in, viewport={"width": 400, "height": 800}, has_touch=True
    )
    me.open_document(script.document(project, "one"))
    me.page.locator(".text").tap(position={"x": 5, "y": 5})
    # What a long press does, which no browser takes from a program.
    me.page.evaluate(
        """() => {
            const piece = [...document.querySelectorAll(".text [data-start]")].find(one => one.textContent.includes("zzyzx"));
            const start = piece.textContent.indexOf("zzyzx");
            getSelection().setBaseAndExtent(piece.firstChild, start, piece.firstChild, start + 5);
        }"""
    )
    me.page.locator("h2", has_text="“zzyzx”").wait_for()
    me.page.get_by_role("button", name="Without a concept").tap()
    me.said("Annotated “zzyzx”")


def test_right_to_left_paragraphs_begin_at_the_right_and_offsets_hold(ada: Any, script: Any) -> None:
    text = "المريض مصاب بـ flumble منذ الولادة 👩🏽‍⚕️\nThe last paragraph: zzyzx\nover a line."
    project = script.project("Sides", {"one.txt": text})
    ada.open_document(script.document(project, "one"))
    ada.select("flumble")
    ada.nil()
    ada.said("Annotated “flumble”")
    ada.select("zzyzx\nover")  # a mention across a line break
    ada.nil()
    ada.said("Annotated")
    made = script.document(project, "one")["annotations"]
    assert [(one["start"], one["text"]) for one in made] == [
        (text.index("flumble"), "flumble"),
        (text.index("zzyzx"), "zzyzx\nover"),
    ]
    sides = ada.page.evaluate(
        """() => {
            const [arabic, english] = [".text [data-start='0']", ".text mark:last-of-type"].map((one) => document.querySelector(one));
            const range = document.createRange();
            range.setStart(arabic.firstChild, 0);
            range.setEnd(arabic.firstChild, 1);
            const text = document.querySelector(".text").getBoundingClientRect();
            const first = range.getBoundingClientRect();
            return [text.right - first.right < 60, english.getClientRects()[1].left - text.left < 60];
        }"""
    )
    assert sides == [True, True]


def test_the_cursor_stays_on_the_concept_just_chosen(ada: Any, script: Any) -> None:
    project = script.project("Cursor", {"one.txt": "Gout and asthma."})
    ada.open_document(script.document(project, "one"))
    page = ada.page
    page.locator(".text mark", has_text="Gout").click()
    name = ada.search("arteriosclerosis").locator("strong").inner_text()
    page.keyboard.press("Enter")
    ada.said("Linked")
    chosen = page.locator("#options [role=option][aria-selected=true]")
    chosen.filter(has_text=name).filter(has_text="linked").wait_for()
    page.get_by_role("article", name="Concept").get_by_role("heading", name=name).wait_for()
    page.keyboard.press("j")  # to asthma and back: still there, because that is what it is linked to
    page.locator(".text mark.selected", has_text="asthma").wait_for()
    page.keyboard.press("k")
    page.locator(".text mark.selected", has_text="Gout").wait_for()

"""Comments in the document, what is to be discussed in the project, and the guideline."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from tests.web.accessibility import violations

pytestmark = pytest.mark.browser

_NUMBERS = count()


@pytest.fixture
def talk(ada: Any, visit: Callable[..., Any], server: Any, script: Any) -> tuple[int, Any, Any]:
    """A shared project with a document, ada's browser there, and that of berta, who annotates."""
    number = next(_NUMBERS)
    project = script.project(f"Talk {number}", {"one.txt": "Breast cancer 😀 and gout."})
    name, password = script.annotator(f"berta{number}", project)
    berta = visit(server.address)
    berta.open()
    berta.sign_in(name, password)
    for visitor in (ada, berta):
        visitor.open_document(script.document(project, "one"))
    return project, ada, berta


def test_what_one_says_of_a_mention_is_answered_and_settled_by_another(talk: tuple[int, Any, Any]) -> None:
    project, ada, berta = talk
    page = berta.page
    page.locator(".text mark", has_text="gout").click()
    page.keyboard.press("q")
    page.get_by_role("textbox", name="Comment on the selected text").fill("Gout, or gouty arthritis?")
    page.get_by_label("to discuss").check()
    page.get_by_role("button", name="Comment", exact=True).click()
    page.get_by_role("article", name="Comment on “gout”").wait_for()
    assert violations(page) == []

    ada.page.get_by_role("button", name="Comments 1").wait_for()  # without loading the page again
    ada.open(f"/projects/{project}/comments")
    ada.page.get_by_text("1 to discuss").wait_for()
    ada.page.get_by_role("link", name="“gout”").click()
    thread = ada.page.get_by_role("article", name="Comment on “gout”")
    thread.get_by_role("button", name="Answer").click()
    ada.page.get_by_label("Your answer").fill("Gout.")
    thread.get_by_role("button", name="Answer").click()
    page.get_by_text("Gout.", exact=True).wait_for()
    thread.get_by_role("button", name="Settled").click()
    page.get_by_text("settled", exact=True).wait_for()
    assert ada.page.locator(".text mark.selected").inner_text() == "gout"
    ada.open(f"/projects/{project}/comments")
    ada.page.get_by_text("Nothing is waiting to be discussed").wait_for()


def test_a_comment_can_be_changed_and_removed_and_escape_closes_the_panel(talk: tuple[int, Any, Any]) -> None:
    _, ada, _ = talk
    page = ada.page
    page.keyboard.press("q")
    page.get_by_role("textbox", name="Comment on the document").fill("Od.")
    page.get_by_role("button", name="Comment", exact=True).click()
    thread = page.get_by_role("article", name="Comment on the document")
    thread.get_by_role("button", name="Change").click()
    page.get_by_label("Your comment").fill("Odd.")
    thread.get_by_role("button", name="Save").click()
    thread.get_by_text("Odd.", exact=True).wait_for()
    thread.get_by_role("button", name="Remove").click()
    page.get_by_text("Nothing has been said.").wait_for()
    page.get_by_role("textbox", name="Comment on the document").press("Escape")
    page.get_by_role("region", name="Comments").wait_for(state="detached")


def test_the_guideline_is_a_key_away_and_its_links_work(ada: Any, script: Any) -> None:
    words = "Annotate diseases, see https://example.org/guide(2).\n\nNo symptoms."
    project = script.project("Guided", {"one.txt": "Gout."}, description=words)
    ada.open_document(script.document(project, "one"))
    ada.page.keyboard.press("g")
    dialog = ada.page.get_by_role("dialog", name="Guideline")
    link = dialog.get_by_role("link")
    assert link.get_attribute("href") == "https://example.org/guide(2)"
    assert link.get_attribute("target") == "_blank"
    assert "No symptoms." in dialog.inner_text()
    ada.page.keyboard.press("g")
    dialog.wait_for(state="hidden")


def test_an_open_comment_leaves_the_helper_where_it_is(talk: tuple[int, Any, Any]) -> None:
    _, ada, _ = talk
    ada.page.keyboard.press("q")
    ada.page.get_by_role("textbox", name="Comment on the document").wait_for()
    ada.select("Breast")
    ada.page.keyboard.type("asthma")
    assert ada.page.get_by_label("Search the terminology").input_value() == "asthma"
    ada.page.locator("#options[aria-busy=false] [role=option]").first.wait_for()
    ada.page.keyboard.press("Enter")
    ada.said("Annotated “Breast”")
    ada.page.get_by_role("textbox", name="Comment on the selected text").wait_for()


def test_drafts_survive_a_reload_each_at_its_place(talk: tuple[int, Any, Any]) -> None:
    _, ada, _ = talk
    page = ada.page
    page.keyboard.press("q")
    whole = page.get_by_role("textbox", name="Comment on the document")
    whole.fill("Check the title.")
    page.locator(".text mark", has_text="gout").click()
    part = page.get_by_role("textbox", name="Comment on the selected text")
    assert part.input_value() == ""  # what was written is about the document
    part.fill("Gouty?")
    page.reload()
    page.get_by_role("button", name="Comments").click()
    assert whole.input_value() == "Check the title."
    page.get_by_text("Not sent yet:").wait_for()
    page.get_by_role("region", name="Comments").get_by_role("button", name="“gout”").click()
    assert part.input_value() == "Gouty?"
    page.get_by_role("button", name="Comment", exact=True).click()
    thread = page.get_by_role("article", name="Comment on “gout”")
    thread.get_by_role("button", name="Answer").click()
    page.get_by_label("Your answer").fill("Perhaps.")
    page.reload()
    page.get_by_role("button", name="Comments").click()
    assert page.get_by_label("Your answer").input_value() == "Perhaps."
    thread.get_by_role("button", name="Cancel").click()
    page.reload()
    page.get_by_role("button", name="Comments").click()
    assert whole.input_value() == "Check the title."
    assert page.get_by_label("Your answer").count() == 0
    assert part.count() == 0

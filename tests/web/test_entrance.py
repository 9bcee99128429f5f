"""The first visit, and signing in."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser


def test_from_the_first_account_to_the_first_queue(
    new_server: Callable[[], Any], visit: Callable[..., Any], tmp_path: Path
) -> None:
    me = visit(new_server().address)
    page = me.page
    me.open()
    page.get_by_label("Name").fill("grace")
    page.get_by_label("Password", exact=False).first.fill("ten letters or more")
    page.get_by_label("Repeat the password").fill("ten letters or fewer")
    page.get_by_role("button", name="Create account").click()
    me.said("The two passwords differ")
    page.get_by_label("Repeat the password").fill("ten letters or more")
    page.get_by_role("button", name="Create account").click()

    page.get_by_role("link", name="Create the first project").click()
    page.get_by_role("textbox", name="Name").fill("Case reports")
    learners = page.get_by_role("group", name="What training learns")
    assert learners.get_by_role("checkbox", name=re.compile("^names:")).is_checked()
    assert not learners.get_by_role("checkbox", name=re.compile("^encoder:")).is_checked()
    assert learners.get_by_text("two-tower:").count() == 0  # the starter has no index of entities
    learners.get_by_role("checkbox", name=re.compile("^stops:")).uncheck()
    page.screenshot(path=tmp_path / "new-project.png", full_page=True)
    page.get_by_role("button", name="Create project").click()

    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    first.write_text("Gout and asthma.", encoding="utf-8")
    second.write_text("Migraine.", encoding="utf-8")
    broken = tmp_path / "broken.json"
    broken.write_text("{", encoding="utf-8")
    page.locator("#files").set_input_files([first, second, broken])
    page.get_by_role("button", name="Upload", exact=True).click()
    report = page.get_by_role("region", name="What was read")
    report.get_by_text("2 documents with 0 annotations added").wait_for()
    assert "broken.json" in report.inner_text()
    page.get_by_role("link", name="Go to the queue").click()
    page.get_by_role("link", name="first", exact=True).wait_for()
    page.get_by_role("link", name="second", exact=True).wait_for()
    page.locator(".key.pred").first.wait_for()  # predictions come without loading the page again
    page.get_by_role("link", name="Model", exact=True).click()
    chosen = page.get_by_text("What to train:")
    chosen.wait_for()
    assert "names" in chosen.inner_text()
    assert "stops" not in chosen.inner_text()


def test_a_wrong_password_is_refused(visit: Callable[..., Any], server: Any) -> None:
    me = visit(server.address)
    me.open()
    me.page.get_by_label("Name").fill("ada")
    me.page.get_by_label("Password").fill("not the password")
    me.page.get_by_role("button", name="Sign in").click()
    me.said("Wrong name or password")


def test_an_edit_that_an_expired_session_refuses_is_saved_after_signing_in_again(
    ada: Any, script: Any
) -> None:
    project = script.project("Expiry", {"one.txt": "Flumble and dazzle, zzyzx."})
    document = script.document(project, "one")
    ada.open_document(document)
    page = ada.page
    ada.select("Flumble")
    ada.nil()
    ada.said("Annotated “Flumble”")
    ada.select("dazzle")
    page.get_by_label("Search the terminology").fill("gout")
    page.locator("#options[aria-busy=false] [role=option]").first.wait_for()
    ada.end_session()
    page.locator("#options [role=option]").first.click()
    page.get_by_role("heading", name="Your session has expired").wait_for()
    page.keyboard.press("Escape")  # there is no way around it
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Password").fill("not the password")
    dialog.get_by_role("button", name="Sign in").click()
    ada.said("Wrong name or password")
    assert [one["text"] for one in script.document(project, "one")["annotations"]] == ["Flumble"]
    dialog.get_by_label("Password").fill("correct horse battery")
    dialog.get_by_role("button", name="Sign in").click()
    dialog.wait_for(state="hidden")
    ada.said("Annotated “dazzle”")
    page.get_by_role("heading", name="“dazzle”").wait_for()
    ada.select("zzyzx")
    ada.nil()
    ada.said("Annotated “zzyzx”")
    made = {one["text"]: one["concepts"] for one in script.document(project, "one")["annotations"]}
    assert made == {"Flumble": [], "dazzle": ["MESH:D006073"], "zzyzx": []}


def test_somebody_else_who_signs_in_after_an_expired_session_sends_nothing_of_the_first(
    visit: Callable[..., Any], server: Any, script: Any
) -> None:
    project = script.project("Handed over", {"one.txt": "Flumble."})
    document = script.document(project, "one")
    first, second = script.annotator("early", project), script.annotator("late", project)
    me = visit(server.address)
    me.open()
    me.sign_in(*first)
    me.open_document(document)
    me.select("Flumble")
    me.end_session()
    me.nil()
    dialog = me.page.get_by_role("dialog")
    dialog.get_by_label("Name").fill(second[0])
    dialog.get_by_label("Password").fill(second[1])
    dialog.get_by_role("button", name="Sign in").click()
    me.page.get_by_role("link", name="late").wait_for()
    me.page.get_by_role("textbox", name="Text of the document").wait_for()
    assert script.document(project, "one")["annotations"] == []


def test_whoever_may_not_does_not_see_it(visit: Callable[..., Any], server: Any, script: Any) -> None:
    me = visit(server.address)
    me.open("/accounts")
    me.sign_in(*script.annotator("reader"))
    me.said("Only admins can do this")
    me.open("/projects/new")
    me.page.get_by_text("Only admins can create projects").wait_for()
    assert me.page.get_by_role("link", name="Accounts").count() == 0

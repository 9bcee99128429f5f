"""The first visit, and signing in."""

from __future__ import annotations

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
    page.get_by_label("The same password again").fill("ten letters or fewer")
    page.get_by_role("button", name="Create the account").click()
    me.said("The two passwords differ")
    page.get_by_label("The same password again").fill("ten letters or more")
    page.get_by_role("button", name="Create the account").click()

    page.get_by_role("link", name="Create the first").click()
    page.get_by_role("textbox", name="Name").fill("Case reports")
    page.get_by_role("button", name="Create the project").click()

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
    page.get_by_role("link", name="To the queue").click()
    page.get_by_role("link", name="first", exact=True).wait_for()
    page.get_by_role("link", name="second", exact=True).wait_for()
    page.locator(".key.pred").first.wait_for()  # predictions come without loading the page again


def test_a_wrong_password_is_refused(visit: Callable[..., Any], server: Any) -> None:
    me = visit(server.address)
    me.open()
    me.page.get_by_label("Name").fill("ada")
    me.page.get_by_label("Password").fill("not the password")
    me.page.get_by_role("button", name="Sign in").click()
    me.said("Name or password is wrong")


def test_after_an_expired_session_one_goes_on_where_one_was(ada: Any, script: Any) -> None:
    project = script.project("Expiry", {"one.txt": "Gout."})
    document = script.document(project, "one")
    ada.open_document(document)
    ada.page.context.clear_cookies()
    ada.page.get_by_role("button", name="Accept").click()
    ada.said("Your session has expired")
    ada.sign_in("ada", "correct horse battery")
    ada.page.get_by_role("heading", name="one").wait_for()
    assert script.document(project, "one")["state"] == "open"


def test_whoever_may_not_does_not_see_it(visit: Callable[..., Any], server: Any, script: Any) -> None:
    me = visit(server.address)
    me.open("/accounts")
    me.sign_in(*script.annotator("reader"))
    me.said("Only admins may do this")
    me.open("/projects/new")
    me.page.get_by_text("Only administrators create projects").wait_for()
    assert me.page.get_by_role("link", name="Accounts").count() == 0

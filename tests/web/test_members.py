"""Members of projects on the page: who sees a project, and which pages of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.browser


def test_a_project_is_seen_by_its_members_only_and_each_role_has_its_pages(
    ada: Any, visit: Callable[..., Any], server: Any, script: Any
) -> None:
    project = script.project("Members", {"one.txt": "Flumble and dazzle."}, mode="independent")
    other = visit(server.address)
    other.open()
    other.sign_in(*script.annotator("maria"))
    other.page.get_by_text("You are not a member of a project yet").wait_for()
    other.open(f"/projects/{project}/queue")
    other.page.get_by_text(f"There is no project {project}").wait_for()

    ada.open(f"/projects/{project}/members")
    ada.page.get_by_label("Name of the account").fill("maria")
    ada.page.get_by_role("button", name="Add").click()
    ada.said("maria is an annotator.")
    assert _tabs(other, project) == [
        "Queue",
        "Documents",
        "Mentions",
        "Mapping",
        "Comments",
        "Export",
        "History",
        "Training",
        "Progress",
    ]

    ada.page.get_by_label("Role of maria").select_option("curator")
    ada.said("maria is a curator.")
    assert _tabs(other, project) == [
        "Queue", "Documents", "Mentions", "Mapping", "Comments", "Export", "History", "Training", "Learnt",
        "Progress", "Disagreements", "Agreement", "Members",
    ]  # fmt: skip
    other.page.get_by_role("link", name="Members").click()
    other.page.get_by_role("cell", name="Curator", exact=True).wait_for()
    assert other.page.get_by_role("button", name="Add").count() == 0

    ada.page.get_by_role("button", name="Remove maria").click()
    ada.page.get_by_role("button", name="Cancel").click()
    ada.page.get_by_role("button", name="Remove maria").click()
    ada.page.get_by_role("button", name="Remove maria").click()
    ada.said("maria is no longer a member")
    other.open("/")
    other.page.get_by_text("You are not a member of a project yet").wait_for()


def _tabs(visitor: Any, project: int) -> list[str]:
    visitor.open(f"/projects/{project}/queue")
    visitor.page.get_by_role("navigation", name="Project").wait_for()
    names: list[str] = []
    for tab in visitor.page.get_by_role("navigation", name="Project").get_by_role("link").all():
        tab.click()
        name = tab.inner_text()
        visitor.page.locator("nav.tabs [aria-current]", has_text=name).wait_for()
        names += visitor.page.get_by_role("navigation", name=name).get_by_role("link").all_inner_texts()
    return names

"""A group's whole way on the page: a manager, two invited annotators and a curator, from upload to curated export."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from tests.web.conftest import READ

pytestmark = pytest.mark.browser

NUMBER = 6
SECRET = "ten letters or more"
GOUT, ASTHMA = "MESH:D006073", "MESH:D001249"


def _abstracts() -> str:
    """PubTator, without annotations."""
    bodies = [
        f"We saw {number + 3} patients. Gout was common, asthma was not, and flumble {number} stayed unexplained. Nobody had migraine."
        for number in range(NUMBER)
    ]
    return "\n\n".join(f"{n}|t|Series {n}.\n{n}|a|{body}" for n, body in enumerate(bodies, start=1)) + "\n"


def test_two_annotators_and_a_curator_go_from_an_upload_to_a_curated_export(
    ada: Any, visit: Callable[..., Any], server: Any, script: Any, tmp_path: Path
) -> None:
    project = _make_project(ada)
    curator = visit(server.address)
    curator.open()
    curator.sign_in(*script.annotator("vera", project, role="curator"))
    annotators = [_invited(ada, visit, server, project, name) for name in ("ines", "jack")]
    _upload(ada, project, tmp_path)
    script.wait(project)

    for visitor, wrong in zip(annotators, (2, 5), strict=True):
        _annotate(visitor, project, wrong)
    progress = script.get(f"/projects/{project}/progress")["people"]
    done = {one["name"]: (one["assigned"], one["accepted"], one["left"]) for one in progress}
    assert done["ines"] == done["jack"] == (NUMBER, NUMBER, 0)

    _settle(curator, project)
    curated = _export(curator, project, "jsonl")
    documents = {one["id"]: one for one in map(json.loads, curated.splitlines())}
    assert len(documents) == NUMBER
    for document in documents.values():
        links = {one["text"]: one["concepts"] for one in document["mentions"]}
        assert links["Gout"] == [GOUT], document["id"]
        assert links["asthma"] == [ASTHMA]
    negated = [
        one["text"]
        for document in documents.values()
        for one in document["mentions"]
        if one.get("extra", {}).get("attributes", {}).get("negated")
        or one.get("attributes", {}).get("negated")
    ]
    assert negated.count("migraine") == NUMBER
    rows = list(csv.DictReader(io.StringIO(_export(curator, project, "csv").lstrip("\ufeff"))))
    assert {row["sheet"] for row in rows} == {"curated"}
    assert len({row["document"] for row in rows}) == NUMBER

    curator.open(f"/projects/{project}/agreement")
    curator.page.get_by_role("heading", name="Agreement with the curated sheets").wait_for()


def _make_project(ada: Any) -> int:
    page = ada.page
    ada.open("/projects/new")
    page.get_by_label("Name", exact=True).fill("The group's series")
    page.get_by_label("Description and guideline").fill("Diseases only, see https://example.org/guide.")
    page.get_by_label("independently").check()
    page.get_by_label("Each document is annotated by").select_option("2 people")
    page.get_by_text("Attributes of mentions: none").click()
    page.get_by_label("What the text says of a mention:").check()
    page.get_by_label(re.compile("^Held out")).fill("0")
    page.get_by_role("button", name="Create project").click()
    page.wait_for_url(re.compile(r"/projects/\d+"))
    return int(re.findall(r"/projects/(\d+)", page.url)[0])


def _invited(ada: Any, visit: Callable[..., Any], server: Any, project: int, name: str) -> Any:
    """The browser of somebody who made an account with an invitation."""
    ada.open(f"/projects/{project}/members")
    ada.page.get_by_role("button", name="Make an invitation link").click()
    link = ada.page.get_by_label("Link of the invitation").input_value().partition("/invitation")[2]
    person = visit(server.address)
    person.open(f"/invitation{link}")
    person.page.get_by_label("Name").fill(name)
    person.page.get_by_label(re.compile("^Password")).fill(SECRET)
    person.page.get_by_label("Repeat the password").fill(SECRET)
    person.page.get_by_role("button", name="Create account").click()
    person.page.get_by_role("link", name="The group's series").wait_for()
    return person


def _upload(ada: Any, project: int, folder: Path) -> None:
    file = folder / "series.txt"
    file.write_text(_abstracts(), encoding="utf-8")
    ada.open(f"/projects/{project}/upload")
    ada.page.locator("#files").set_input_files(file)
    ada.page.get_by_role("button", name="Upload", exact=True).click()
    ada.page.get_by_role("heading", name=f"{NUMBER} documents").wait_for()


def _annotate(visitor: Any, project: int, wrong: int) -> None:
    """Accept everything with keys. wrong: in this document gout is linked to asthma, and commented on."""
    page, key = visitor.page, visitor.page.keyboard
    visitor.open(f"/projects/{project}/queue")
    page.get_by_role("link", name="Annotate the first").click()
    heading = page.locator("h1")
    for number in range(1, NUMBER + 1):
        page.get_by_role("textbox", name="Text of the document").wait_for()
        name = heading.inner_text()
        if name == str(wrong):
            page.locator(".text mark", has_text="Gout").click()
            visitor.search("asthma").wait_for()
            key.press("Enter")
            visitor.said("Linked")
            key.press("q")
            page.get_by_role("textbox", name="Comment on the selected text").fill("Or is it?")
            page.get_by_label("to discuss").check()
            page.get_by_role("button", name="Comment", exact=True).click()
            page.get_by_role("article", name="Comment on “Gout”").wait_for()
            page.get_by_role("button", name="Close comments").click()
        page.wait_for_timeout(READ)  # a document that has only just opened is not accepted
        key.press("Escape")
        key.press("a")
        page.locator("[role=status]").filter(has_text="Accepted").first.wait_for()
        if number < NUMBER:
            expect(heading).not_to_have_text(name)
    visitor.open(f"/projects/{project}/queue")
    page.get_by_text("Your queue is empty").wait_for()


def _settle(curator: Any, project: int) -> None:
    page = curator.page
    curator.open(f"/projects/{project}/comments")
    page.get_by_text("2 to discuss").wait_for()
    curator.open(f"/projects/{project}/disagreements")
    page.get_by_role("button", name=f"Accept {NUMBER - 2} documents without open disagreements").click()
    curator.said(f"{NUMBER - 2} curated documents accepted.")
    place = page.get_by_role("region", name="Disagreement")
    for left in (2, 1):
        curator.open(f"/projects/{project}/disagreements")
        page.get_by_text(f"{NUMBER - left} of {NUMBER} documents curated").wait_for()
        page.get_by_role("link", name="Settle the first").click()
        place.get_by_role("heading", name="1 of 1: “Gout”").wait_for()
        first = place.get_by_role("region", name="ines")
        page.keyboard.press("1" if GOUT in first.inner_text() else "2")
        curator.said("Took ")
        page.wait_for_timeout(READ)
        page.keyboard.press("a")
        curator.said("Accepted")


def _export(curator: Any, project: int, format: str) -> str:
    curator.open(f"/projects/{project}/export")
    curator.page.get_by_label("Format").select_option(format)
    curator.page.get_by_label("Whose").select_option("the curated sheets")
    with curator.page.expect_download() as download:
        curator.page.get_by_role("button", name="Export", exact=True).click()
    text: str = download.value.path().read_text(encoding="utf-8")
    return text

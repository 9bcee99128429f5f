"""Two reviewers map a table of a project together, in real browsers; then a second month's table and a new release come in."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.web.accessibility import flaws, skip_without_axe
from tests.web.conftest import ADMIN, Script, Server
from tests.web.test_review import Reviewer, sixty

from linnet.link.starter import starter_terminology
from linnet.terminology import Terminology, write_terminology
from linnet.types import Concept

pytestmark = pytest.mark.browser

RELEASE = "starter-2027"
HEAD = "code,label,n\n"


def release(place: Path, retired: str, by: str, renamed: str) -> None:
    """The starter terminology as of next year: one concept replaced by another, one with another name, one new."""
    old = Terminology.open(starter_terminology())
    concepts = []
    for id in old.ids:
        concept = old[id]
        if id == retired:
            concepts.append(Concept(id, "", replaced_by=(by,)))
        elif id == renamed:
            concepts.append(replace(concept, name="Renamed condition", names=()))
        else:
            concepts.append(concept)
    write_terminology(concepts, place, pipeline=dict(old.pipeline))


class Member(Reviewer):
    """A member of a project before the page of its mapping."""

    def __init__(self, visitor: Any, project: int, name: str) -> None:
        self.visitor, self.page, self.project, self.name = visitor, visitor.page, project, name
        self.keys = 0

    def open(self) -> Member:
        self.visitor.open(f"/projects/{self.project}/review")
        self.heading.wait_for()
        return self

    def sent(self) -> None:
        """Wait until nothing waits to be sent."""
        kept = f"linnet-review-unsent /projects/{self.project}/mapping {self.name}"
        while self.page.evaluate("name => sessionStorage.getItem(name)", kept) is not None:
            self.page.wait_for_timeout(20)

    def map_all(self, gold: dict[str, str], script: Script, *, wrong: int = 0) -> None:
        """Decide every string, but the last ones for no concept."""
        rows = script.get(f"/projects/{self.project}/mapping/rows", order="frequency", limit=100)["rows"]
        proposed = {row["text"]: [target["concept"] for target in row["targets"]] for row in rows}
        listed = {row["text"]: [each["id"] for each in row["candidates"]] for row in rows}
        wrongly = [row["text"] for row in rows][len(rows) - wrong :]
        for _ in rows:
            text = self.heading.inner_text()
            if text in wrongly:
                self.press("0")
            elif proposed[text] == [gold[text]]:
                self.press("a")
            elif gold[text] in listed[text]:
                self.press(str(listed[text].index(gold[text]) + 1))
            else:
                self.press("/", *gold[text])
                self.page.get_by_role("list", name="Found").get_by_text(gold[text], exact=True).wait_for()
                self.press("Enter")
        self.sent()


@pytest.fixture
def place(built: Path, tmp_path: Path) -> Iterator[Server]:
    """A server of its own, which has a new release beside the starter terminology."""
    gold = list(sixty().values())
    release(tmp_path / "data/terminologies" / RELEASE, gold[0], gold[1], gold[2])
    server = Server(tmp_path / "data")
    yield server
    server.kill()


def test_two_reviewers_map_sixty_strings_and_a_month_and_a_release_come_in(
    place: Server, visit: Callable[..., Any], sign_in: Callable[..., Script], tmp_path: Path
) -> None:
    script = sign_in(place.address, *ADMIN, first=True)
    gold = sixty()
    strings = list(gold)
    table = HEAD + "".join(f"C{n},{string},{100 - n}\n" for n, string in enumerate(strings))
    (tmp_path / "may.csv").write_text(table, encoding="utf-8")
    project = script.post(
        "/projects",
        {"name": "Diagnoses", "terminology": "starter", "held_out": 0, "recogniser": "dictionary"},
    )["id"]
    accounts = {name: script.annotator(name, project) for name in ("ann", "ben")}
    manager = visit(place.address)
    manager.open(f"/projects/{project}/mapping")
    manager.sign_in(*ADMIN)
    page = manager.page
    page.get_by_label("Table (CSV").set_input_files(tmp_path / "may.csv")
    for label, value in (("names", "label"), ("codes", "code"), ("number of records", "n")):
        page.get_by_label(f"Column of the {label}").fill(value)
    page.get_by_label("A string counts once two people").check()
    page.get_by_role("button", name="Upload").click()
    manager.said("60 strings added")
    script.wait(project)

    people = {}
    for name, account in accounts.items():
        visitor = visit(place.address)
        visitor.open()
        visitor.sign_in(*account)
        people[name] = Member(visitor, project, name).open()
    ann, ben = people["ann"], people["ben"]
    ann.map_all(gold, script)
    ann.covered("0.0")  # two people have to agree
    keys = ann.keys
    ben.page.get_by_role("row").filter(has_text=strings[0]).get_by_text("ann", exact=True).wait_for()
    ben.map_all(gold, script, wrong=2)
    searched = [
        row
        for row in script.get(f"/projects/{project}/mapping/rows", limit=100)["rows"]
        if gold[row["text"]] not in [each["id"] for each in row["candidates"]]
    ]
    assert keys <= 1.1 * 60 + 14 * len(searched)

    page.reload()
    page.get_by_role("region", name="Agreement on strings").get_by_text("ann and ben").wait_for()
    page.get_by_text("96.7 %").first.wait_for()
    curator = Member(manager, project, ADMIN[0]).open()
    page.get_by_label("Returned or disputed").check()
    curator.listed()
    assert set(page.locator("[role=row] .string").all_inner_texts()) == set(strings[58:])
    page.get_by_label("Returned or disputed").blur()
    for _ in range(2):
        text = curator.heading.inner_text()
        row = script.get(f"/projects/{project}/mapping/rows", text=text)["rows"][0]
        curator.press(str([each["id"] for each in row["candidates"]].index(gold[text]) + 1))
    curator.sent()
    curator.covered("100.0")
    ben.covered("100.0")  # seen without a reload

    _next_month(manager, script, project, strings, tmp_path)
    _next_release(manager, script, project, gold)


def _next_month(manager: Any, script: Script, project: int, strings: list[str], folder: Path) -> None:
    """Five strings are gone, one is new, and the frequencies are others."""
    kept = [f"C{n},{string},{n + 1}\n" for n, string in enumerate(strings[:55])]
    (folder / "june.csv").write_text(HEAD + "".join(kept) + "N1,podagra,9000\n", encoding="utf-8")
    manager.page.get_by_role("link", name="project").click()
    manager.page.get_by_label("Newer table of the same source").set_input_files(folder / "june.csv")
    manager.page.get_by_role("button", name="Update").click()
    manager.said("1 string added, 55 were there, 5 are no longer in the table")
    script.wait(project)
    rows = script.get(f"/projects/{project}/mapping/rows", order="frequency", limit=100)["rows"]
    assert [(row["text"], row["status"], row["frequency"]) for row in rows[:2]] == [
        ("podagra", "unchecked", 9000),
        (strings[54], "approved", 55),
    ]
    assert len(rows) == 56


def _next_release(manager: Any, script: Script, project: int, gold: dict[str, str]) -> None:
    """Only what it puts in doubt comes back."""
    strings = list(gold)
    page = manager.page
    page.get_by_label("New release of the terminology").select_option(RELEASE)
    page.get_by_role("button", name="Upgrade").click()
    manager.said("is being compared")
    script.wait(project)
    page.reload()
    page.get_by_text(f"mapped to {RELEASE}").wait_for()
    curator = Member(manager, project, ADMIN[0]).open()
    page.get_by_label("Returned or disputed").check()
    curator.listed()
    rows = {
        row["text"]: row for row in script.get(f"/projects/{project}/mapping/rows", attention=True)["rows"]
    }
    assert rows.keys() >= {strings[0], strings[2]}
    assert len(rows) < 12
    assert rows[strings[0]]["returned"].startswith("retired")
    assert rows[strings[0]]["targets"][0]["concept"] == gold[strings[1]]
    page.get_by_label("Returned or disputed").blur()
    page.get_by_role("row").filter(has_text=strings[0]).click()
    curator.at(strings[0])
    page.get_by_text("A new release returned it. retired").wait_for()
    curator.press("a")
    curator.sent()
    exported = page.request.get(
        f"{page.url.partition('/projects')[0]}/api/projects/{project}/mapping/export?format=csv"
    )
    lines = {line["text"]: line for line in csv.DictReader(io.StringIO(exported.text().lstrip("\ufeff")))}
    assert lines[strings[1]]["concepts"] == gold[strings[1]]
    assert (lines[strings[0]]["concepts"], lines[strings[0]]["by"]) == (gold[strings[1]], ADMIN[0])
    assert strings[57] not in lines


def test_a_killed_server_loses_no_decision(
    place: Server, visit: Callable[..., Any], sign_in: Callable[..., Script]
) -> None:
    script = sign_in(place.address, *ADMIN, first=True)
    project = script.post(
        "/projects", {"name": "Two", "terminology": "starter", "held_out": 0, "recogniser": "dictionary"}
    )["id"]
    files = {"file": ("a.csv", (HEAD + "A,podagra,3\nB,asthma bronchiale,2\nC,n/a,1\n").encode())}
    script._client.post(
        f"/projects/{project}/mapping", files=files, data={"column": "label"}
    ).raise_for_status()
    script.wait(project)
    visitor = visit(place.address)
    visitor.open()
    visitor.sign_in(*ADMIN)
    ada = Member(visitor, project, ADMIN[0]).open()
    ada.press("a")
    ada.sent()
    place.kill()
    ada.press("a", "0")
    ada.page.get_by_text("2 decisions not saved yet").wait_for()
    place.start()
    ada.send_now()
    ada.page.get_by_text("not saved yet").wait_for(state="hidden")
    rows = script.get(f"/projects/{project}/mapping/rows")["rows"]
    assert {row["by"] for row in rows} == {ADMIN[0]}
    skip_without_axe()
    ada.press("m", "1", "2")
    found = flaws(ada.page, "review in a project")
    visitor.open(f"/projects/{project}/mapping")
    ada.page.get_by_role("link", name="Review").wait_for()
    found += flaws(ada.page, "mapping")
    assert found == []
    assert re.search("covered", ada.page.inner_text("main"))

"""Two annotators and a curator, from the upload to a curated export, and that the page can be used with the keyboard alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.web.accessibility import flaws, skip_without_axe

pytestmark = pytest.mark.browser

TEXT = "Gout and asthma were known. Migraine came later, then breast cancer 😀 and anaemia."
GOUT, MIGRAINE = "MESH:D006073", "MESH:D008881"


def _disagreeing(
    script: Any, sign_in: Any, address: str, name: str, documents: int = 2
) -> tuple[int, list[Any]]:
    """A project whose documents two annotators accepted: the second removed gout, and linked asthma otherwise, in the first."""
    texts = {f"case-{number}.txt": f"{TEXT} Case {number}." for number in range(1, documents + 1)}
    project = script.project(name, texts, mode="independent")
    slug = name.lower()
    people = [sign_in(address, *script.annotator(f"{slug}-{who}", project)) for who in ("ann", "ben")]
    for person in people:
        for number in range(1, documents + 1):
            view = person.document(project, f"case-{number}")
            path = f"/documents/{view['id']}"
            revision = view["revision"]
            if person is people[1] and number == 1:
                marks = {one["text"]: one["id"] for one in view["annotations"]}
                change = {"revision": revision, "concepts": [GOUT]}
                revision = person.patch(f"{path}/annotations/{marks['asthma']}", change)["revision"]
                change = {"revision": revision, "start": TEXT.index("cancer")}
                revision = person.patch(f"{path}/annotations/{marks['breast cancer']}", change)["revision"]
                revision = person.delete(f"{path}/annotations/{marks['Gout']}?revision={revision}")[
                    "revision"
                ]
            person.post(f"{path}/state", {"revision": revision, "state": "accepted"})
    return project, people


def test_a_curator_settles_everything_with_the_keyboard_and_exports_it(
    visit: Callable[..., Any], server: Any, script: Any, sign_in: Callable[..., Any]
) -> None:
    project, _ = _disagreeing(script, sign_in, server.address, "Settled")
    curator = script.annotator("settled-cleo", project, role="curator")
    me = visit(server.address)
    page = me.page
    me.open(f"/projects/{project}/disagreements")
    me.sign_in(*curator)
    page.get_by_text("0 of 2 documents curated").wait_for()
    page.get_by_role("button", name="Accept 1 document without open disagreements").click()
    me.said("1 curated document accepted.")
    page.get_by_role("link", name="“asthma”").wait_for()
    page.get_by_role("link", name="Settle the first").click()

    place = page.get_by_role("region", name="Disagreement")
    curated = place.get_by_role("region", name="Curated")
    place.get_by_role("heading", name="1 of 3: “Gout”").wait_for()
    assert "Nothing here." in place.get_by_role("region", name="settled-ben").inner_text()
    page.keyboard.press("1")  # takes ann's version, and goes on
    me.said("Took settled-ann's version")
    place.get_by_role("heading", name="2 of 3: “asthma”").wait_for()
    page.keyboard.press("m")
    place.get_by_role("heading", name="3 of 3: “breast cancer”").wait_for()
    page.keyboard.press("k")
    curated.get_by_text(GOUT).wait_for()
    page.keyboard.press("u")
    me.said("Undone: merged the annotators' versions")
    curated.get_by_text("Not settled yet.").wait_for()
    page.keyboard.press("r")
    curated.get_by_text(GOUT).wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    me.said("1 disagreement not settled yet")

    # The third version: another concept for the text of the place.
    page.keyboard.press("j")
    place.get_by_role("heading", name="3 of 3").wait_for()
    page.keyboard.press("e")
    page.get_by_label("Search the terminology").wait_for()
    me.search("migraine").wait_for()
    page.keyboard.press("Enter")
    curated.get_by_text(MIGRAINE).wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    me.said("Accepted")

    me.open(f"/projects/{project}/export")
    page.get_by_label("Whose").select_option("the curated sheets")
    with page.expect_download() as download:
        page.get_by_role("button", name="Export", exact=True).click()
    lines = [json.loads(line) for line in download.value.path().read_text(encoding="utf-8").splitlines()]
    [case] = [line for line in lines if line["id"] == "case-1"]
    links = {one["text"]: one["concepts"] for one in case["mentions"]}
    assert len(lines) == 2
    assert links["Gout"] == [GOUT]
    assert links["asthma"] == ["MESH:D001249", GOUT]
    assert links["breast cancer"] == [MIGRAINE]

    me.open(f"/projects/{project}/agreement")
    page.get_by_role("heading", name="Agreement with the curated sheets").wait_for()
    assert page.get_by_text("Krippendorff's α of all annotators on 2 documents").count() == 1


def test_nothing_decided_is_lost_when_the_server_is_killed(
    visit: Callable[..., Any], new_server: Callable[[], Any], sign_in: Callable[..., Any]
) -> None:
    server = new_server()
    admin = ("ada", "correct horse battery")
    script = sign_in(server.address, *admin, first=True)
    project, _ = _disagreeing(script, sign_in, server.address, "Killed", documents=1)
    me = visit(server.address)
    page = me.page
    me.open(f"/documents/{script.document(project, 'case-1')['id']}/curation")
    me.sign_in(*admin)
    place = page.get_by_role("region", name="Disagreement")
    place.get_by_role("heading", name="1 of 3").wait_for()
    for key, after in (("2", "2 of 3"), ("m", "3 of 3"), ("0", "3 of 3")):
        page.keyboard.press(key)
        place.get_by_role("heading", name=after).wait_for()
        if key == "0":
            me.said("No mention")
        server.kill()
        server.start()
        page.reload()
        place.get_by_role("heading", name="of 3").wait_for()
    page.get_by_text("0 of 3 disagreements open").wait_for()
    curated = place.get_by_role("region", name="Curated")
    page.keyboard.press("k")
    page.keyboard.press("k")
    place.get_by_role("heading", name="2 of 3").wait_for()
    curated.get_by_text("MESH:D001249").wait_for()


def test_the_first_open_place_is_shown_at_once_and_stays_while_the_rest_is_loading(
    ada: Any, server: Any, script: Any, sign_in: Callable[..., Any]
) -> None:
    project, _ = _disagreeing(script, sign_in, server.address, "Waiting")
    page = ada.page
    place = page.get_by_role("region", name="Disagreement")
    ada.open(f"/documents/{script.document(project, 'case-1')['id']}/curation")
    place.get_by_role("heading", name="1 of 3").wait_for()
    page.keyboard.press("2")
    place.get_by_role("heading", name="2 of 3").wait_for()
    slow: list[Any] = []
    page.route(f"**/projects/{project}/disagreements?*", lambda route: slow.append(route))
    page.reload()
    place.get_by_role("heading", name="2 of 3").wait_for()
    page.keyboard.press("j")
    place.get_by_role("heading", name="3 of 3").wait_for()
    slow[0].continue_()
    page.locator("button[aria-label$=' document']:enabled").wait_for()
    place.get_by_role("heading", name="3 of 3").wait_for()


def test_the_pages_of_curation_pass_axe_and_fit_their_window(
    ada: Any, server: Any, script: Any, sign_in: Callable[..., Any]
) -> None:
    skip_without_axe()
    project, _ = _disagreeing(script, sign_in, server.address, "Curated", documents=1)
    document = script.document(project, "case-1")["id"]
    page = ada.page
    found = []
    for path in (
        f"/projects/{project}/disagreements", f"/projects/{project}/agreement", f"/documents/{document}/curation"
    ):  # fmt: skip
        ada.open(path)
        page.locator("#main h2").first.wait_for()
        if path.startswith("/documents"):
            place = page.get_by_role("region", name="Disagreement")
            place.get_by_role("heading", name="1 of").wait_for()
            page.keyboard.press("2")
            ada.said("Took")
            page.get_by_role("heading", name="2 of 3").wait_for()  # it goes on once what was taken is shown
            page.keyboard.press("e")
            page.get_by_role("article", name="Concept").get_by_role("heading").wait_for()
        found += flaws(page, path)
    assert found == [], "\n".join(found)


def test_the_page_of_curation_shows_the_comments_on_a_place_and_takes_new_ones(
    ada: Any, server: Any, script: Any, sign_in: Callable[..., Any]
) -> None:
    project, _ = _disagreeing(script, sign_in, server.address, "Talked", documents=1)
    document = script.document(project, "case-1")
    start = document["text"].index("asthma")
    comment = {"text": "Is it asthma?", "start": start, "end": start + len("asthma")}
    script.post(f"/documents/{document['id']}/comments", comment)
    page = ada.page
    ada.open(f"/documents/{document['id']}/curation")
    place = page.get_by_role("region", name="Disagreement")
    place.get_by_role("heading", name="1 of 3").wait_for()
    panel = page.get_by_role("region", name="Comments", exact=True)
    panel.get_by_text("Nothing has been said about this.").wait_for()
    page.keyboard.press("j")
    panel.get_by_text("Is it asthma?").wait_for()
    page.keyboard.press("q")
    page.keyboard.type("It is.")
    panel.get_by_role("button", name="Comment", exact=True).click()
    panel.get_by_role("article", name="Comment on “asthma”").nth(1).wait_for()
    said = [one["comments"][0]["text"] for one in script.get(f"/documents/{document['id']}/comments")]
    assert sorted(said) == ["Is it asthma?", "It is."]

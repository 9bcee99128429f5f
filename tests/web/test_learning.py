"""From annotated documents to a model, its predictions, and back to an earlier one."""

from __future__ import annotations

import zipfile
from typing import Any

import pytest

pytestmark = pytest.mark.browser

# PubTator: three documents that teach a name the terminology does not have.
TAUGHT = "".join(
    f"{number}|t|Wobblethroat {place}\n{number}|a|She had wobblethroat.\n"
    f"{number}\t0\t12\tWobblethroat\tDisease\tMESH:D006073\n"
    f"{number}\t{len(place) + 22}\t{len(place) + 34}\twobblethroat\tDisease\tMESH:D006073\n\n"
    for number, place in ((101, "in Rome"), (102, "in Lima"), (103, "in Oslo"), (104, "in Bern"))
)


def test_training_to_the_end_teaches_predictions_that_can_be_corrected(ada: Any, script: Any) -> None:
    project = script.project("Training", {"taught.txt": TAUGHT})
    ada.open(f"/projects/{project}/documents")
    page = ada.page
    page.get_by_role("button", name="Hold out 104").click()
    page.locator("li", has_text="104").locator(".pill", has_text="held out").wait_for()
    script.upload(project, {"new.txt": "Wobblethroat again."})
    new = script.document(project, "new")
    assert "Wobblethroat" not in [one["text"] for one in new["annotations"]]

    ada.open(f"/projects/{project}/training")
    page.get_by_role("button", name="Train", exact=True).click()
    page.get_by_role("heading", name="Model 1").wait_for(timeout=90_000)
    table = page.locator("table", has_text="Strong match (span and concept), F1")
    table.wait_for()
    assert "in 1 held-out document" in table.inner_text().lower()
    page.get_by_role("img", name="Learning curve").wait_for()
    with page.expect_download() as files:
        page.get_by_role("link", name="Files of model 1").click()
    with zipfile.ZipFile(files.value.path()) as archive:
        assert "Training-v1/version.json" in archive.namelist()
    page.set_viewport_size({"width": 400, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") == 400
    assert table.locator("td", has_text="%").last.is_visible()
    page.set_viewport_size({"width": 1600, "height": 1000})
    script.wait(project)
    assert script.document(project, "104")["held_out"]

    ada.open(f"/projects/{project}/queue")
    page.get_by_role("link", name="new", exact=True).click()
    page.locator(".text mark.pred", has_text="Wobblethroat").click()
    page.get_by_label("Linked to").get_by_text("Gout").wait_for()
    ada.search("asthma").click()
    ada.said("Linked")
    assert ada.boxes("user") == ["Wobblethroat"]

    ada.open(f"/projects/{project}/training")
    page.get_by_role("button", name="Use model 0 from now on").click()
    page.get_by_text("model 0 ·").wait_for()
    script.wait(project)
    [kept] = [one for one in script.document(project, "new")["annotations"] if one["text"] == "Wobblethroat"]
    assert kept["layer"] == "user"  # no model takes back what a person said


def test_the_queue_accepts_skips_and_is_ordered_anew(ada: Any, script: Any) -> None:
    project = script.project("Queue", {f"{name}.txt": f"{name} has gout." for name in ("Ann", "Bob", "Cy")})
    ada.open(f"/projects/{project}/queue")
    page = ada.page
    page.get_by_role("button", name="Accept Ann").click()
    page.get_by_role("button", name="Undo: Ann").wait_for()
    page.get_by_role("button", name="Skip Bob").click()
    page.get_by_role("button", name="Undo: Bob").wait_for()
    with page.expect_response(lambda answer: answer.request.method == "PATCH"):
        page.get_by_label("Order").select_option("random")
    page.get_by_role("link", name="Ann", exact=True).wait_for(state="detached")  # another list
    assert page.locator(".documents h3").all_inner_texts() == ["Cy"]
    page.get_by_text("1 of 3 documents accepted").wait_for()
    states = {one["name"]: one["state"] for one in script.get(f"/projects/{project}/documents")["documents"]}
    assert states == {"Ann": "accepted", "Bob": "skipped", "Cy": "open"}
    assert script.get(f"/projects/{project}")["strategy"] == "random"

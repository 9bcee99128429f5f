"""Attributes of mentions: guessed, set by keys, undone, searched for and exported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.web.accessibility import skip_without_axe, violations

pytestmark = pytest.mark.browser

TEXT = "No gout. The mother had asthma. Migraine came, and no wheezy chest."
SEVERITY = {"name": "severity", "values": ["mild", "severe"]}
BUILT_IN = ["negated", "uncertain", "historical", "other person", "hypothetical"]
DEFINED = [*({"name": name, "guess": True} for name in BUILT_IN), SEVERITY]


def _attributes(script: Any, project: int) -> dict[str, Any]:
    return {one["text"]: one["attributes"] for one in script.document(project, "one")["annotations"]}


def test_attributes_are_chosen_guessed_set_by_keys_undone_found_and_exported(ada: Any, script: Any) -> None:
    page, key = ada.page, ada.page.keyboard
    wanted = {"name": "Attributes", "terminology": "starter", "held_out": 0, "recogniser": "dictionary"}
    project = script.post("/projects", wanted)["id"]
    script.wait(project)
    ada.open(f"/projects/{project}/settings")
    page.get_by_text("Attributes of mentions: none").click()
    page.get_by_label("What the text says of a mention:").check()
    page.get_by_role("button", name="Add another attribute").click()
    page.get_by_role("group", name="Attribute 1").get_by_label("Name").fill("severity")
    page.get_by_role("group", name="Attribute 1").get_by_label("Values").fill("mild, severe")
    page.get_by_role("button", name="Save").click()
    ada.said("Saved.")
    made = script.get(f"/projects/{project}")["attributes"]
    assert [(one["name"], one["key"], one["guess"]) for one in made] == [
        ("negated", "N", True),
        ("uncertain", "U", True),
        ("historical", "H", True),
        ("other person", "O", True),
        ("hypothetical", "Y", True),
        ("severity", "S", False),
    ]

    script.upload(project, {"one.txt": TEXT})
    ada.open_document(script.document(project, "one"))
    notes = page.locator(".text mark[data-sure]").evaluate_all(
        "marks => marks.map(mark => mark.dataset.sure)"
    )
    assert [note.split()[0] for note in notes[:2]] == ["neg", "oth"]
    key.press("j")
    group = page.get_by_role("group", name="Attributes")
    assert group.get_by_role("button", name="negated").get_attribute("aria-pressed") == "true"
    key.press("j")
    key.press("j")
    key.press("Shift+H")
    ada.said("“Migraine”: historical")
    key.press("Shift+S")
    ada.said("“Migraine”: severity: mild")
    key.press("Shift+S")
    ada.said("“Migraine”: severity: severe")
    assert _attributes(script, project)["Migraine"] == {"historical": True, "severity": "severe"}
    key.press("u")
    ada.said("Undone")
    page.locator(".text mark[data-sure='hist mild']").wait_for()
    assert _attributes(script, project)["Migraine"] == {"historical": True, "severity": "mild"}
    key.press("?")
    page.get_by_role("dialog").get_by_text("Shift S").wait_for()
    key.press("Escape")

    # A new annotation: the guess is shown, changed, and what is shown is what is made.
    ada.select("wheezy chest")
    group = page.get_by_role("group", name="Attributes of the new annotation")
    group.get_by_role("button", name="negated", pressed=True).wait_for()
    group.get_by_label("severity").select_option("severe")
    page.get_by_role("button", name="Without a concept").click()
    ada.said("Annotated “wheezy chest”")
    assert _attributes(script, project)["wheezy chest"] == {"negated": True, "severity": "severe"}

    ada.open(f"/projects/{project}/mentions")
    page.get_by_role("combobox", name="Attribute").select_option("negated")
    ada.said("2 mentions in 1 document")
    page.get_by_role("button", name="Choose all 2").click()
    page.get_by_role("button", name="Set an attribute of 2").click()
    preview = page.get_by_role("region", name="Preview")
    preview.get_by_label("Attribute").select_option("severity")
    preview.get_by_label("Value").select_option("mild")
    preview.get_by_role("button", name="Set an attribute of 2 mentions").click()
    ada.said("2 mentions changed in 1 document")
    after = _attributes(script, project)
    assert after["gout"] == after["wheezy chest"] == {"negated": True, "severity": "mild"}

    ada.open(f"/projects/{project}/export")
    page.get_by_label("Format").select_option("jsonl")
    page.get_by_label("open", exact=True).check()
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
    [line] = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    exported = {one["text"]: one.get("attributes", {}) for one in json.loads(line)["mentions"]}
    assert exported == {text: values for text, values in after.items() if text != "asthma"}  # a prediction

    ada.open(f"/projects/{project}/settings")
    page.get_by_text("Attributes of mentions: ").click()
    page.get_by_role("group", name="Attribute 1").get_by_label("Values").fill("light, severe")
    page.get_by_text("severity: mild").wait_for()
    page.get_by_text("3 annotations from uploads and users").wait_for()
    page.get_by_role("button", name="Save").click()
    ada.said("Saved.")
    assert _attributes(script, project) == after


def test_pages_with_attributes_pass_axe_and_fit_their_window_light_and_dark(ada: Any, script: Any) -> None:
    skip_without_axe()
    note = {"one.txt": f"{TEXT}\n\nFH: gout."}
    project = script.project("Attributes fit", note, attributes=DEFINED)
    document = script.document(project, "one")
    page = ada.page
    for path in (
        f"/documents/{document['id']}",
        f"/projects/{project}/settings",
        f"/projects/{project}/mentions",
    ):
        for width, scheme in ((360, "light"), (1280, "dark"), (1500, "light")):
            page.set_viewport_size({"width": width, "height": 720})
            page.emulate_media(color_scheme=scheme)
            ada.open(path)
            if path.startswith("/documents"):
                page.locator(".text mark").last.click()
                page.get_by_role("group", name="Attributes").wait_for()
                page.get_by_text("Section: family history").wait_for()
            elif path.endswith("settings"):
                page.get_by_text("Attributes of mentions: ").click()
            else:
                page.get_by_role("combobox", name="Attribute").wait_for()
            assert violations(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_on_a_laptop_five_candidates_are_in_sight_beside_all_built_in_attributes(
    ada: Any, script: Any
) -> None:
    text = (
        "Asthma was found in nine of the forty patients whom we examined, and those with gout came back; "
        * 16
    )[:1500]
    project = script.project("Attributes layout", {"one.txt": text}, attributes=DEFINED[:5])
    page = ada.page
    page.set_viewport_size({"width": 1280, "height": 720})
    ada.open_document(script.document(project, "one"))
    page.keyboard.press("j")
    page.get_by_role("group", name="Attributes").wait_for()
    page.locator("#options[aria-busy=false] [role=option]").nth(5).wait_for()
    fifth = page.locator("#options [role=option]").nth(4).bounding_box()
    inside = page.locator("#options").bounding_box()
    assert fifth["y"] + fifth["height"] <= min(720, inside["y"] + inside["height"])
    box = page.locator(".text").bounding_box()
    assert box["y"] + box["height"] <= 720

"""What a laptop's window shows of a document."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser

# Two or three mentions in each 160 characters, as in abstracts on diseases.
_WORDS = (
    "Asthma was found in nine of the forty patients whom we examined in the second year of the study, and those with "
    "severe gout were asked to come back a year later; "
)


def test_on_a_laptop_an_abstract_and_five_candidates_are_in_sight_and_the_toolbar_stays(
    ada: Any, script: Any
) -> None:
    text = (_WORDS * 10)[:1500]
    project = script.project("Layout", {"one.txt": text, "long.txt": text * 4})
    page = ada.page
    page.set_viewport_size({"width": 1280, "height": 720})
    ada.open_document(script.document(project, "one"))
    page.keyboard.press("j")
    page.locator("#options[aria-busy=false] [role=option]").nth(5).wait_for()
    assert page.evaluate("scrollY") == 0
    box = page.locator(".text").bounding_box()
    assert box["y"] + box["height"] <= 720
    fifth = page.locator("#options [role=option]").nth(4).bounding_box()
    assert fifth["y"] + fifth["height"] <= 720
    inside = page.locator("#options").bounding_box()
    assert fifth["y"] + fifth["height"] <= inside["y"] + inside["height"]

    ada.open_document(script.document(project, "long"))
    page.locator(".text mark").first.wait_for()
    page.keyboard.press("k")  # the last annotation, which lies below the window
    page.wait_for_function("scrollY > 300")
    toolbar = page.get_by_role("group", name="Document").bounding_box()
    mark = page.locator(".text mark.selected").first.bounding_box()
    assert toolbar["y"] >= 0
    assert toolbar["y"] + toolbar["height"] < mark["y"]
    assert mark["y"] + mark["height"] <= 720
    page.keyboard.press("j")  # around the end, back to the first
    page.wait_for_function("document.querySelector('.text mark.selected').getBoundingClientRect().top < 400")
    mark = page.locator(".text mark.selected").first.bounding_box()
    toolbar = page.get_by_role("group", name="Document").bounding_box()
    assert toolbar["y"] + toolbar["height"] < mark["y"]


def test_the_toolbar_is_one_line_at_every_width_whatever_the_name(ada: Any, script: Any) -> None:
    """From a phone to a desk; where the name has no room beside it, the name is above it."""
    names = ("a", "case-00017", "a-very-long-name-of-a-document-that-goes-on-and-on")
    project = script.project(
        "A project with a long name", {f"{name}.txt": f"Asthma, {name}." for name in names}
    )
    page = ada.page
    for name in names:
        ada.open_document(script.document(project, name))
        for width in (360, 390, 600, 859, 860, 1023, 1024, 1280, 1299, 1600):
            page.set_viewport_size({"width": width, "height": 800})
            tools = page.get_by_role("group", name="Document")
            boxes = [button.bounding_box() for button in tools.get_by_role("button").all()]
            assert len({round(box["y"] + box["height"] / 2) for box in boxes}) == 1, (name, width)
            assert all(box["x"] >= 0 and box["x"] + box["width"] <= width for box in boxes), (name, width)
            assert max(box["height"] for box in boxes) < 45, (name, width)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, width)
            if width >= 1024:
                keys = page.get_by_role("button", name="Keys").bounding_box()
                assert abs(keys["y"] - boxes[0]["y"]) < 8, (name, width)


def test_on_a_phone_little_is_around_the_text_and_the_list(ada: Any, script: Any) -> None:
    project = script.project(
        "Phone", {"one.txt": "Asthma.", "two.txt": "Gout."}, description="Diseases alone. " * 12
    )
    page = ada.page
    page.set_viewport_size({"width": 390, "height": 800})
    ada.open_document(script.document(project, "one"))
    assert page.locator(".text").bounding_box()["y"] < 180
    ada.open(f"/projects/{project}/queue")
    order = page.get_by_label("Order").bounding_box()
    assert order["y"] < 240
    tabs = page.get_by_role("navigation", name="Project").get_by_role("link")
    assert tabs.all_inner_texts() == ["Annotate", "Data", "Model", "Team"]
    assert len({round(tab.bounding_box()["y"]) for tab in tabs.all()}) == 1
    page.get_by_role("button", name="ada").click()
    page.get_by_role("button", name="Sign out").wait_for()


def test_addresses_of_the_earlier_tabs_and_of_the_four_lead_to_their_parts(ada: Any, script: Any) -> None:
    project = script.project("Addresses", {"one.txt": "Asthma."})
    page = ada.page
    for address, tab, part in (
        ("queue", "Annotate", "Queue"), ("training", "Model", "Training"), ("members", "Team", "Members"),
        ("settings", "Data", "Settings"), ("model", "Model", "Training"), ("data", "Data", "Upload"),
    ):  # fmt: skip
        ada.open(f"/projects/{project}/{address}")
        current = page.locator("nav [aria-current]")
        page.get_by_role("navigation", name=tab).wait_for()
        assert [one for one in current.all_inner_texts() if one in (tab, part)] == [tab, part]

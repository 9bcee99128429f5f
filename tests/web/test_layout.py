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

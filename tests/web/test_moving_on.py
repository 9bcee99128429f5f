"""A setting: confirming, linking and NIL go to the next annotation."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser


def test_confirming_linking_and_nil_go_on_when_asked_to(ada: Any, script: Any) -> None:
    project = script.project("Onward", {"one.txt": "Gout, asthma, migraine and scurvy."})
    ada.open_document(script.document(project, "one"))
    page, key = ada.page, ada.page.keyboard
    selected = page.get_by_role("region", name="Annotation").locator("h2")
    key.press("j")
    key.press("c")
    ada.said("Confirmed “Gout”")
    assert selected.inner_text() == "“Gout”"  # not asked to
    key.press("?")
    page.get_by_label("go to the next annotation").check()
    key.press("Escape")
    key.press("0")
    page.locator("h2", has_text="“asthma”").wait_for()
    key.press("c")
    page.locator("h2", has_text="“migraine”").wait_for()
    page.locator("#options[aria-busy=false] [role=option]").first.wait_for()
    key.press("1")
    page.locator("h2", has_text="“scurvy”").wait_for()
    key.press("c")  # the last one: it stays
    ada.said("Confirmed “scurvy”")
    assert selected.inner_text() == "“scurvy”"
    layers = [(one["layer"], one["nil"]) for one in script.document(project, "one")["annotations"]]
    assert layers == [("user", True), ("user", False), ("user", False), ("user", False)]

    page.reload()
    page.get_by_role("textbox", name="Text of the document").wait_for()
    key.press("?")
    assert page.get_by_label("go to the next annotation").is_checked()

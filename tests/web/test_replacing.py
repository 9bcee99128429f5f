"""A longer annotation in the place of those inside it, with a key."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser


def test_a_longer_annotation_replaces_what_lies_inside_everywhere_and_undo_brings_it_back(
    ada: Any, script: Any
) -> None:
    project = script.project("Longer", {"one.txt": "Severe gout, severe gout and gout."})
    view = script.document(project, "one")
    ada.open_document(view)
    key = ada.page.keyboard
    ada.select("Severe gout")
    key.press("-")
    ada.said("Annotated “Severe gout”")
    ada.page.get_by_role("button", name="Replace “gout” inside").wait_for()
    key.press("i")
    ada.said("“Severe gout”: 2 annotations inside replaced, 1 more annotated")
    texts = [one["text"] for one in script.document(project, "one")["annotations"]]
    assert texts == ["Severe gout", "severe gout", "gout"]
    assert ada.page.get_by_role("button", name="inside").count() == 0
    key.press("u")
    ada.said("Undone: replaced what lay inside")
    texts = [one["text"] for one in script.document(project, "one")["annotations"]]
    assert texts == ["Severe gout", "gout", "gout", "gout"]

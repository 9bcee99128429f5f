"""Many mentions at once, doubtful predictions in order, and selections that take whole words."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser

TEXT = {"one.txt": "Gout is painful. The gout was treated. Asthma and gout again; flumbleitis too."}


def _texts(script: Any, project: int) -> list[tuple[str, str]]:
    return [(one["text"], one["layer"]) for one in script.document(project, "one")["annotations"]]


def test_all_same_are_confirmed_removed_and_undone_as_one_step(ada: Any, script: Any) -> None:
    project = script.project("All same", TEXT)
    ada.open_document(script.document(project, "one"))
    key = ada.page.keyboard
    key.press("j")
    key.press("v")
    ada.said("“Gout”: 3 confirmed")
    assert [layer for text, layer in _texts(script, project) if text.lower() == "gout"] == ["user"] * 3
    key.press("u")
    ada.said("Undone: confirmed all same mentions “Gout” (3 annotations)")
    key.press("w")
    ada.said("“Gout”: 3 removed")
    assert "gout" not in [text.lower() for text, _ in _texts(script, project)]
    key.press("u")
    ada.said("Undone: removed all same mentions “Gout” (3 annotations)")
    assert [layer for text, layer in _texts(script, project) if text.lower() == "gout"] == ["pred"] * 3


def test_a_key_goes_to_the_next_doubtful_prediction(ada: Any, script: Any) -> None:
    project = script.project("Doubtful", TEXT)
    view = script.document(project, "one")
    doubtful = [one["text"] for one in view["annotations"] if (one["probability"] or 0) < 0.9]
    ada.open_document(view)
    if not doubtful:
        ada.page.keyboard.press("d")
        ada.said("No prediction here is less than 90 % sure.")
    for text in doubtful:
        ada.page.keyboard.press("d")
        ada.page.get_by_role("region", name="Annotation").get_by_text(text).first.wait_for()


def test_a_selection_takes_whole_words_and_with_alt_exactly_what_was_selected(ada: Any, script: Any) -> None:
    project = script.project("Words", TEXT)
    ada.open_document(script.document(project, "one"))
    ada.select("lumbleitis t")
    ada.page.keyboard.press("Escape")
    ada.select("lumbleiti")
    ada.page.keyboard.press("-")
    ada.said("Annotated “flumbleitis”")
    ada.page.keyboard.press("u")
    ada.said("Undone: annotated “flumbleitis”")
    ada.page.keyboard.down("Alt")
    ada.select("lumble")
    ada.page.keyboard.up("Alt")
    ada.page.keyboard.press("-")
    ada.said("Annotated “lumble”")

"""How sure the model is of a prediction: one number, said the same way everywhere, and a border that goes with it."""

from __future__ import annotations

import re
from typing import Any

import pytest

pytestmark = pytest.mark.browser

TEXT = "Fever, cold and AD."
CONTRAST = """(mark) => {
    const channels = colour => {
        const canvas = new OffscreenCanvas(1, 1).getContext("2d");
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const light = colour => {
        const [r, g, b] = channels(colour).map(one => one / 255).map(one => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
    };
    const ratio = (a, b) => Math.max(light(a), light(b)) / Math.min(light(a), light(b));
    const box = getComputedStyle(mark), number = getComputedStyle(mark, "::after"), sheet = getComputedStyle(mark.closest(".text"));
    const border = ratio(box.borderBottomColor, box.backgroundColor);
    return [ratio(number.color, sheet.backgroundColor), ratio(number.color, box.backgroundColor), border];
}"""


def _project(script: Any, name: str) -> tuple[int, dict[str, Any], dict[str, str]]:
    """A project's number, its document, and of each prediction what shall be said of it."""
    project = script.project(name, {"a.txt": "Fever.", "b.txt": TEXT})
    document = script.document(project, "b")
    said = {
        one["text"]: f"{max(1, min(99, round(one['probability'] * 100)))} % sure"
        for one in document["annotations"]
    }
    assert int(said["AD"].split()[0]) < 50 <= int(said["cold"].split()[0]) < 90
    assert said["Fever"] == "99 % sure"
    return project, document, said


def test_what_is_hardly_sure_does_not_look_like_what_is_nearly_certain(ada: Any, script: Any) -> None:
    _, document, said = _project(script, "Borders")
    ada.open_document(document)
    looks = {}
    for words, expected in said.items():
        mark = ada.page.locator(".text mark.pred", has_text=words)
        style = mark.evaluate("one => getComputedStyle(one).borderBottomStyle")
        content = mark.evaluate("one => getComputedStyle(one, '::after').content").strip('"')
        assert content.split() == expected.split()[:2]
        looks[words] = style
        for colours in ("light", "dark"):
            ada.page.emulate_media(color_scheme=colours)
            number, number_on_box, border = mark.evaluate(CONTRAST)
            assert number >= 4.5
            assert number_on_box >= 4.5
            assert border >= 3
    assert looks == {"Fever": "solid", "cold": "dashed", "AD": "dotted"}
    # The number takes no place and is no part of the text.
    assert ada.page.locator(".text").inner_text() == TEXT
    before = ada.page.locator(".text mark", has_text="AD").bounding_box()
    ada.page.locator(".text mark", has_text="cold").click()
    ada.page.keyboard.press("c")
    ada.said("Confirmed “cold”")
    after = ada.page.locator(".text mark", has_text="AD").bounding_box()
    assert abs(before["x"] - after["x"]) < 1


def test_the_same_number_is_said_in_list_helper_inspector_and_queue(ada: Any, script: Any) -> None:
    project, document, said = _project(script, "One number")
    ada.open_document(document)
    page = ada.page
    for words, expected in said.items():
        entry = page.get_by_role("listitem").filter(has_text=re.compile(f"^{words}"))
        assert expected in entry.inner_text()
        entry.get_by_role("button").click()
        page.get_by_role("heading", name=f"“{words}”").wait_for()
        page.locator("#options[aria-busy=false] [role=option]").first.wait_for()
        side = page.get_by_role("region", name="Annotation").inner_text()
        assert side.count("% sure") == 1
        assert expected in side
        assert "onfidence" not in side
    # For text that nobody annotated, the helper says how sure the linker is of what it proposes.
    page.locator(".text mark", has_text="cold").click()
    page.keyboard.press("Delete")
    ada.said("Removed “cold”")
    ada.select("cold")
    page.locator("#options[aria-busy=false] [role=option]").first.wait_for()
    # A selection has no type yet, which the linker would take into account.
    proposed = page.locator("#options [role=option]").first.inner_text()
    sure = re.search(r"(\d+) % sure", proposed)
    assert sure is not None
    assert abs(int(sure[1]) - int(said["cold"].split()[0])) <= 2

    for tab in ("queue", "documents"):
        ada.open(f"/projects/{project}/{tab}")
        shown = page.get_by_role("list", name="What accepting confirms")
        shown.get_by_text(said["AD"]).wait_for()
    page.get_by_label("Order").select_option("least sure")
    page.locator(".documents li").first.get_by_text(said["AD"]).wait_for()


def test_the_numbers_of_predictions_that_end_at_one_place_stand_side_by_side(ada: Any, script: Any) -> None:
    # Two predictions within one another come with an upload: "cancer" within "breast cancer".
    text = "It was breast cancer."
    project = script.project("Nested", {"a.txt": text})
    document = script.document(project, "a")
    inner = {**document["annotations"][0], "id": 10**9, "start": 14, "text": "cancer", "probability": 0.61}
    outer = {**document["annotations"][0], "probability": 0.97}
    assert (outer["text"], outer["end"]) == ("breast cancer", inner["end"])

    def nested(route: Any) -> None:
        route.fulfill(json={**document, "annotations": [outer, inner]})

    ada.page.route(f"**/api/documents/{document['id']}?*", nested)
    ada.open_document(document)
    numbers = ada.page.locator(".text mark[data-sure]")
    numbers.first.wait_for()
    assert [one.get_attribute("data-sure").split() for one in numbers.all()] == [["61", "%", "·", "97", "%"]]
    assert ada.page.locator(".text").inner_text() == text

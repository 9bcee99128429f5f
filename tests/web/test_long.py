"""Documents so long that only what is near the window is drawn: all that can be done in short ones can be done in them."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser

WORDS, EVERY = 44_008, 4  # more annotations than one request brings
_SEEN = """() => {
    const box = document.querySelector(".text mark.selected")?.getBoundingClientRect();
    return box && box.top >= 0 && box.bottom <= innerHeight;
}"""


def _document() -> tuple[str, str]:
    """A PubTator document and its text: gold annotations all over, a word that is not annotated in the middle and at the end."""
    words = [f"w{number % 97}" for number in range(WORDS)]
    words[WORDS // 2 + 1] = words[-1] = "zzyzx"
    words[::EVERY] = ["gout"] * (WORDS // EVERY)
    for place in range(24, WORDS, 25):
        words[place] += "."
    text = " ".join(words)
    lines, start = [], len("Long") + 1
    for word in words:
        if word == "gout":
            lines.append(f"1\t{start}\t{start + 4}\tgout\tDisease\tMESH:D006073")
        start += len(word) + 1
    return f"1|t|Long\n1|a|{text}\n" + "\n".join(lines) + "\n", f"Long {text}"


def test_a_very_long_document_is_worked_on_like_a_short_one(ada: Any, script: Any) -> None:
    file, text = _document()
    project = script.project("Very long", {"long.txt": file})
    [summary] = script.get(f"/projects/{project}/documents")["documents"]
    gold = summary["gold"]
    assert gold > 10_000
    ada.page.set_default_timeout(90_000)  # a busy machine may take long over ten thousand annotations
    ada.open_document(summary)
    page, key = ada.page, ada.page.keyboard
    page.locator(".text mark").first.wait_for()
    page.get_by_role("heading", name=f"{gold:,} annotations").wait_for()
    page.get_by_text("Loading more").wait_for(state="hidden")
    drawn = "document.querySelectorAll('.text mark').length"
    assert 50 < page.evaluate(drawn) < gold / 3
    # The browser's own search finds what is not drawn, for all of the text is there.
    assert len(page.evaluate("document.querySelector('.text').textContent")) == len(text)
    assert page.evaluate("window.find('zzyzx')")
    page.wait_for_function("scrollY > document.documentElement.scrollHeight / 3")
    page.wait_for_function("document.querySelectorAll('.text mark').length > 50")
    page.evaluate("getSelection().removeAllRanges()")

    ada.select("zzyzx")
    ada.nil()
    ada.said("Annotated “zzyzx”")
    page.get_by_role("button", name="All same mentions").click()
    ada.said("1 more annotated")
    made = [one for one in script.document(project, "1")["annotations"] if one["layer"] == "user"]
    assert [text[one["start"] : one["end"]] for one in made] == ["zzyzx", "zzyzx"]

    for step in ("j", "k", "k"):
        key.press(step)
        page.wait_for_function(_SEEN)
    page.get_by_role("heading", name="“gout”").wait_for()
    key.press("t")
    key.press("End")  # the last word, which is annotated now
    page.get_by_role("heading", name="“zzyzx”").wait_for()
    page.wait_for_function(_SEEN)
    key.press("j")  # after the last comes the first
    page.wait_for_function("scrollY < 500")
    page.wait_for_function(_SEEN)

    # The list has all, and goes along with what is selected.
    entries = page.get_by_role("list").get_by_role("listitem")
    assert entries.count() < 300
    page.evaluate("(list => list.scrollTop = list.scrollHeight)(document.querySelector('aside.list'))")
    entries.filter(has_text="zzyzx").last.get_by_role("button").click()
    page.wait_for_function(_SEEN)
    key.press("ArrowUp")
    page.wait_for_function("document.activeElement.textContent.includes('gout')")
    assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"

    key.press("u")
    ada.said("Undone")
    page.get_by_role("heading", name=f"{gold + 1:,} annotations").wait_for()
    key.press("r")
    ada.said("Redone")
    page.get_by_role("heading", name=f"{gold + 2:,} annotations").wait_for()
    page.get_by_role("button", name="Reopen").click()
    page.locator(".pill", has_text="open").wait_for()

"""Keys pressed too long, too fast or by somebody who means to search: no document is signed off unread, none gets what was
meant for another."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser

READ = 1000  # milliseconds in which a document is read


def _queue(script: Any, name: str, count: int = 5) -> tuple[int, list[dict[str, Any]]]:
    """A project's number, and its documents in the order of its queue."""
    texts = {f"{name}-{number}.txt": f"Flumble, gout and dazzle {number}." for number in range(count)}
    project = script.project(name, texts, strategy="random")
    queue = script.get(f"/projects/{project}/queue")["documents"]
    return project, [script.document(project, one["name"]) for one in queue]


def _accepted(script: Any, project: int) -> list[str]:
    found = script.get(f"/projects/{project}/documents", state="accepted")["documents"]
    return [one["name"] for one in found]


def _at(me: Any, document: dict[str, Any]) -> None:
    me.page.wait_for_url(f"**/documents/{document['id']}")
    me.page.get_by_role("heading", name=document["name"], exact=True).wait_for()


def _hold(me: Any, key: str, times: int) -> None:
    for _ in range(times):  # a key that is down already repeats
        me.page.keyboard.down(key)
        me.page.wait_for_timeout(30)
    me.page.keyboard.up(key)


def test_a_key_that_is_held_accepts_one_document_and_a_second_press_none_that_nobody_has_read(
    ada: Any, script: Any
) -> None:
    project, documents = _queue(script, "Held")
    ada.open_document(documents[0])
    ada.page.wait_for_timeout(READ)
    _hold(ada, "a", 30)
    _at(ada, documents[1])
    assert _accepted(script, project) == [documents[0]["name"]]

    ada.page.wait_for_timeout(READ)
    ada.page.keyboard.press("a")
    _at(ada, documents[2])
    ada.page.keyboard.press("a")
    ada.said("has only just opened")
    assert len(_accepted(script, project)) == 2
    ada.page.wait_for_timeout(READ)
    ada.page.keyboard.press("a")
    _at(ada, documents[3])
    assert len(_accepted(script, project)) == 3


def test_enter_held_on_a_button_presses_it_once(ada: Any, script: Any) -> None:
    project, documents = _queue(script, "Button")
    ada.open_document(documents[0])
    ada.page.wait_for_timeout(READ)
    ada.page.get_by_role("button", name="Accept").focus()
    _hold(ada, "Enter", 60)
    _at(ada, documents[1])
    assert len(_accepted(script, project)) == 1


def test_enter_held_on_a_word_opens_the_helper_and_links_nothing(ada: Any, script: Any) -> None:
    _, documents = _queue(script, "Enter held", 1)
    ada.open_document(documents[0])
    ada.select("dazzle")
    ada.page.get_by_role("article", name="Concept").wait_for()
    ada.page.locator(".text").focus()
    _hold(ada, "Enter", 20)
    assert ada.page.get_by_label("Search the terminology").evaluate("one => one === document.activeElement")
    assert ada.boxes("user") == []


def test_enter_links_nothing_where_the_linker_itself_would_not(ada: Any, script: Any) -> None:
    _, documents = _queue(script, "Nonsense", 1)
    ada.open_document(documents[0])
    ada.select("dazzle")
    ada.search("xyzzy qq").wait_for()  # the linker's nearest are listed all the same
    assert ada.page.locator("#options .active").count() == 0
    ada.page.get_by_text("No name fits well.").wait_for()
    ada.page.keyboard.press("Enter")
    assert ada.boxes("user") == []
    ada.page.keyboard.press("ArrowDown")
    ada.page.keyboard.press("Enter")
    ada.said("Annotated “dazzle”")


def test_letters_typed_after_selecting_text_are_searched(ada: Any, script: Any) -> None:
    project, documents = _queue(script, "Typed")
    ada.open_document(documents[0])
    ada.page.wait_for_timeout(READ)
    search = ada.page.get_by_label("Search the terminology")
    for words in ("Flumble", "gout"):  # text alone, and text that is annotated
        ada.select(words)
        ada.page.get_by_role("heading", name=f"“{words}”").wait_for()
        ada.page.keyboard.type("asthma")
        assert search.input_value() == "asthma"
        ada.page.keyboard.press("Escape")
    assert _accepted(script, project) == []
    assert ada.boxes("user") == []
    search.fill("")
    ada.page.locator("#options[aria-busy=false]").wait_for()

    # With the keyboard, too; then Escape drops the selection, and letters are commands again.
    ada.page.keyboard.press("Escape")
    ada.page.locator(".text").focus()
    ada.page.keyboard.press("Home")
    ada.page.keyboard.press("Shift+ArrowRight")
    ada.page.keyboard.type("x")
    assert search.input_value() == "x"
    for _ in range(2):
        ada.page.keyboard.press("Escape")
    ada.page.keyboard.press("x")
    _at(ada, documents[1])


def test_undo_takes_the_accept_back_from_the_next_document_and_goes_there(ada: Any, script: Any) -> None:
    project, documents = _queue(script, "Taken back")
    ada.open_document(documents[0])
    ada.page.wait_for_timeout(READ)
    ada.page.keyboard.press("a")
    _at(ada, documents[1])
    ada.said(f"Accepted “{documents[0]['name']}”. Undo reopens it.")
    ada.page.keyboard.press("u")
    _at(ada, documents[0])
    ada.said(f"Undone: accepted “{documents[0]['name']}”. It is open again.")
    assert _accepted(script, project) == []
    assert ada.boxes("pred") == ["gout"]
    assert ada.boxes("user") == []


def test_undo_says_what_it_undid(ada: Any, script: Any) -> None:
    _, documents = _queue(script, "Said", 1)
    ada.open_document(documents[0])
    ada.page.locator(".text mark", has_text="gout").click()
    ada.page.keyboard.press("Delete")
    ada.said("Removed “gout”")
    ada.page.keyboard.press("u")
    ada.said("Undone: removed an annotation “gout”")
    ada.page.get_by_role("heading", name="“gout”").wait_for()


def test_late_answers_and_fast_keys_leave_every_document_what_was_meant_for_it(ada: Any, script: Any) -> None:
    """Slow answers of documents and of saves, while the keys go on."""
    project, documents = _queue(script, "Late")
    ada.open_document(documents[0])
    ada.page.wait_for_timeout(READ)
    slow = {documents[1]["id"]: 1500, documents[2]["id"]: 300}

    ada.page.evaluate(
        """slow => {
            const real = fetch;
            window.fetch = async (url, options) => {
                const [, id, rest] = /documents\\/(\\d+)(.*)/.exec(url) ?? [];
                const wait = options?.method !== "GET" ? 500 : rest?.startsWith("?") ? slow[id] ?? 0 : 0;
                const answer = await real(url, options);
                await new Promise(done => setTimeout(done, wait));
                return answer;
            };
        }""",
        {str(id): delay for id, delay in slow.items()},
    )
    key = ada.page.keyboard
    ada.select("dazzle")
    key.press("0")  # being saved…
    key.press("Escape")
    key.press("n")  # …when the next document is asked for
    key.press("a")
    key.press("0")
    key.press("Delete")
    _at(ada, documents[1])
    key.press("Delete")
    key.press("n")
    ada.page.wait_for_timeout(50)
    ada.page.evaluate(
        """id => {
            history.pushState(null, "", `/documents/${id}`);
            dispatchEvent(new PopStateEvent("popstate"));
        }""",
        documents[3]["id"],
    )
    _at(ada, documents[3])
    ada.page.wait_for_timeout(2500)
    assert ada.page.locator("h1").inner_text() == documents[3]["name"]
    assert f"dazzle {documents[3]['name'].rpartition('-')[2]}" in ada.page.locator(".text").inner_text()
    assert _accepted(script, project) == []
    now = [script.document(project, one["name"])["annotations"] for one in documents]
    assert [[(one["text"], one["layer"]) for one in made if one["layer"] != "pred"] for made in now] == [
        [("dazzle", "user")], [], [], [], [],
    ]  # fmt: skip
    assert all("gout" in {one["text"] for one in made} for made in now)


def test_a_concept_of_the_place_before_is_not_linked_while_the_candidates_are_looked_for(
    ada: Any, script: Any
) -> None:
    _, documents = _queue(script, "Candidates", 1)
    ada.open_document(documents[0])
    ada.page.locator(".text mark", has_text="gout").click()
    ada.page.locator("#options[aria-busy=false] [role=option]").first.wait_for()
    ada.page.route("**/candidates?*", lambda route: None)  # never answered
    ada.select("dazzle")
    ada.page.get_by_role("heading", name="“dazzle”").wait_for()
    ada.page.keyboard.press("1")
    ada.page.keyboard.press("Enter")
    ada.page.keyboard.press("Enter")
    ada.page.wait_for_timeout(500)
    assert ada.boxes("user") == []
    ada.search("asthma").click()
    ada.said("Annotated “dazzle”")
    ada.page.get_by_label("Linked to").get_by_text("Asthma").wait_for()
    ada.page.unroute("**/candidates?*")


def test_letters_typed_after_dragging_over_the_same_annotation_again_are_searched(
    ada: Any, script: Any
) -> None:
    project, documents = _queue(script, "Dragged twice", 2)
    ada.open_document(documents[0])
    ada.page.wait_for_timeout(READ)
    ada.select("gout")
    ada.page.get_by_role("heading", name="“gout”").wait_for()
    ada.page.keyboard.press("Escape")
    ada.select("gout")
    ada.page.keyboard.type("asthenopia")
    assert ada.page.get_by_label("Search the terminology").input_value() == "asthenopia"
    _at(ada, documents[0])
    assert _accepted(script, project) == []
    assert ada.boxes("user") == []


def test_a_drag_that_ends_beside_the_text_selects_it(ada: Any, script: Any) -> None:
    _, documents = _queue(script, "Beside", 1)
    ada.open_document(documents[0])
    box = ada.page.locator(".text").bounding_box()
    ada.page.mouse.move(box["x"] + 60, box["y"] + 30)
    ada.page.mouse.down()
    ada.page.mouse.move(box["x"] + box["width"] + 40, box["y"] + 30, steps=5)
    ada.page.mouse.up()
    ada.page.get_by_role("region", name="Annotation").get_by_text("Choose a concept below").wait_for()
    ada.page.keyboard.type("ax")
    assert ada.page.get_by_label("Search the terminology").input_value() == "ax"


def test_no_letter_signs_a_document_off_while_anything_is_selected_searched_unfinished_or_open(
    ada: Any, script: Any
) -> None:
    """In every state of the page; then, with nothing selected, A accepts."""
    project, documents = _queue(script, "Walked through", 2)
    name = documents[0]["name"]
    page, key = ada.page, ada.page.keyboard

    def fresh() -> None:
        ada.open_document(documents[0])
        page.evaluate("localStorage.clear()")
        ada.open_document(documents[0])
        page.locator(".text mark", has_text="gout").wait_for()
        page.wait_for_timeout(READ)

    def annotation() -> None:
        page.locator(".text mark", has_text="gout").click()

    def dragged_annotation() -> None:
        ada.select("gout")

    def dragged_text() -> None:
        ada.select("dazzle")

    def word_by_key() -> None:
        page.locator(".text").focus()
        key.press("Home")

    def searched() -> None:
        ada.select("dazzle")
        ada.search("asthma")

    def in_a_menu() -> None:
        annotation()
        page.get_by_label("Type").focus()

    def browsed() -> None:
        searched()
        page.get_by_role("article", name="Concept").get_by_role("heading").click()

    def unfinished_comment() -> None:
        key.press("q")
        key.type("Not sure")
        page.locator("h1").click()

    def selected_elsewhere() -> None:
        page.evaluate("getSelection().selectAllChildren(document.querySelector('h1'))")

    def list_of_keys() -> None:
        key.press("?")
        page.get_by_role("dialog", name="Keys").wait_for()

    for reach in (
        annotation, dragged_annotation, dragged_text, word_by_key, searched, in_a_menu, browsed,
        unfinished_comment, selected_elsewhere, list_of_keys,
    ):  # fmt: skip
        fresh()
        reach()
        key.type("axo")
        page.wait_for_timeout(100)
        assert script.document(project, name)["state"] == "open", reach.__name__
        assert page.locator("h1").inner_text() == name, reach.__name__
    fresh()
    annotation()
    key.press("a")
    ada.said("“gout” is selected. Press Esc first")
    key.press("Escape")
    key.press("a")
    _at(ada, documents[1])
    assert _accepted(script, project) == [name]
    page.wait_for_timeout(READ)
    annotation()
    key.press("Control+Enter")
    ada.said("Accepted")
    assert len(_accepted(script, project)) == 2


def _late(me: Any, what: str, delay: int) -> None:
    """Answers of the helper come late."""
    me.page.evaluate(
        """([what, delay]) => {
            const real = fetch;
            window.fetch = async (url, options) => {
                const answer = await real(url, options);
                if (url.includes(what)) await new Promise(done => setTimeout(done, delay));
                return answer;
            };
        }""",
        [what, delay],
    )


def test_enter_waits_for_what_was_typed_and_links_it_and_the_next_keys_are_meant_for_what_follows(
    ada: Any, script: Any
) -> None:
    project, documents = _queue(script, "Late answers", 1)
    ada.open_document(documents[0])
    ada.select("dazzle")
    ada.page.get_by_role("heading", name="“dazzle”").wait_for()
    _late(ada, "/concepts?", 700)
    ada.page.keyboard.type("asthma")
    ada.page.keyboard.press("Enter")
    ada.page.keyboard.press("k")  # the annotation before it
    assert ada.page.get_by_label("Search the terminology").input_value() == "asthma"
    ada.said("Annotated “dazzle”")
    ada.page.get_by_role("heading", name="“gout”").wait_for()
    made = {one["text"]: one for one in script.document(project, documents[0]["name"])["annotations"]}
    assert made["dazzle"]["concepts"] == ["MESH:D001249"]
    assert made["gout"]["layer"] == "pred"


def test_a_digit_waits_for_the_candidates_and_digits_are_shown_only_where_they_choose(
    ada: Any, script: Any
) -> None:
    project, documents = _queue(script, "Digits", 1)
    ada.open_document(documents[0])
    _late(ada, "/candidates?", 700)
    ada.page.locator(".text mark", has_text="gout").click()
    ada.page.keyboard.press("1")
    ada.said("Linked")
    [gout] = script.document(project, documents[0]["name"])["annotations"]
    assert gout["layer"] == "user"

    digits = ada.page.locator("#options kbd")
    assert digits.count() > 0
    ada.search("diabetes").wait_for()
    assert digits.count() == 0
    ada.page.keyboard.type(" 2")  # typed, as names have digits
    assert ada.page.get_by_label("Search the terminology").input_value() == "diabetes 2"
    ada.page.locator("#options[aria-busy=false]").wait_for()
    ada.page.keyboard.press("ArrowDown")
    assert digits.count() > 0
    second = ada.page.locator("#options [role=option]").nth(1).locator("code").inner_text()
    ada.page.keyboard.press("2")
    ada.page.get_by_label("Linked to").get_by_text(second).wait_for()

"""A mapping is reviewed by keys, in a real browser before a real server."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from tests.web.accessibility import flaws, skip_without_axe
from tests.web.conftest import Server

from linnet.annotate.domain.mappings.open_mapping import OpenMapping
from linnet.annotate.review.app import create_app
from linnet.http.listening import address_of, listen
from linnet.link.starter import starter_terminology
from linnet.mapping import Columns, Mapping
from linnet.mapping.store import FILE, Store
from linnet.terminology import Terminology

pytestmark = pytest.mark.browser

GOUT, ASTHMA = "MESH:D006073", "MESH:D001249"
TABLE = """code,label,n,ward
A,podagra,50,medicine
B,asthma bronchiale,40,medicine
C,n/a,30,
D,heart attack,20,medicine
E,high blood pressure,10,surgery
"""


class ReviewServer(Server):
    """`linnet map review` of a folder."""

    probe = "/api/mapping"

    def command(self) -> list[str]:
        return ["map", "review", str(self._data)]


class ReviewThread:
    """What `linnet map review` serves, in a thread of this process: it takes a tenth of the time to start."""

    def __init__(self, folder: Path) -> None:
        self._mapping = OpenMapping.folder(folder)
        listening = listen("127.0.0.1", 0, program="linnet map review")
        self.address = address_of(listening, "127.0.0.1")
        app = create_app(self._mapping)
        self._server = uvicorn.Server(
            uvicorn.Config(app, log_level="warning", proxy_headers=False, timeout_graceful_shutdown=1)
        )
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [listening]})
        self._thread.start()

    def kill(self) -> None:
        """End it."""
        self._server.should_exit = True
        self._thread.join()
        self._mapping.close()


class Reviewer:
    """A person before the page of a mapping."""

    def __init__(self, visitor: Any, server: Any, folder: Path) -> None:
        self.visitor, self.page, self.server, self.folder = visitor, visitor.page, server, folder
        self.keys = 0

    def open(self) -> Reviewer:
        """Until the current row is there."""
        self.visitor.open()
        self.heading.wait_for()
        return self

    @property
    def heading(self) -> Any:
        """The string of the current row."""
        return self.page.get_by_role("region", name="String").get_by_role("heading")

    def press(self, *keys: str) -> None:
        """Press and count them."""
        for key in keys:
            self.page.keyboard.press(key)
            self.keys += 1

    def at(self, text: str) -> None:
        """Wait until a string is current."""
        self.heading.get_by_text(text, exact=True).wait_for()

    def covered(self, share: str) -> None:
        """Wait until so much is covered."""
        self.page.get_by_text(f"covered: {share} % of records").wait_for()

    def saved(self) -> Mapping:
        """The mapping once nothing waits to be sent."""
        while self.page.evaluate("sessionStorage.getItem('linnet-review-unsent')") is not None:
            self.page.wait_for_timeout(20)
        return Mapping.open(self.folder)

    def send_now(self) -> None:
        """Press the button, unless the page has tried again by itself and is done."""
        button = "[...document.querySelectorAll('button')].find(each => each.textContent === 'Send now')"
        self.page.evaluate(f"{button}?.click()")

    def listed(self) -> None:
        """Wait until the list that was chosen last is shown."""
        self.page.locator("[role=grid][aria-busy=false]").wait_for()

    def state(self, text: str) -> tuple[str, str, list[str]]:
        """Status, equivalence and concepts that are saved of a string."""
        mapping = self.saved()
        [row] = mapping.find(text=text)
        mapping.close()
        return str(row.status), str(row.equivalence or ""), [target.concept for target in row.targets]


@pytest.fixture
def review(built: Path, tmp_path: Path, visit: Callable[..., Any]) -> Iterator[Callable[..., Reviewer]]:
    """A function that maps a table to the starter terminology and opens the page.

    process  whether the server is a process of its own, which can be killed
    """
    servers: list[ReviewServer | ReviewThread] = []

    def review(
        table: str = TABLE, folder: Path | None = None, *, process: bool = False, **options: Any
    ) -> Reviewer:
        place = folder or tmp_path / "codes.map"
        if folder is None:
            (tmp_path / "codes.csv").write_text(table, encoding="utf-8")
            columns = Columns(text="label", id="code", frequency="n", context=("ward",))
            Mapping.new(tmp_path / "codes.csv", place, "starter", columns=columns).close()
        servers.append(ReviewServer(place) if process else ReviewThread(place))
        return Reviewer(visit(servers[-1].address, **options), servers[-1], place).open()

    yield review
    for server in servers:
        server.kill()


def sixty() -> dict[str, str]:
    """Sixty strings that are not quite names of the starter terminology, and their concepts."""
    terminology = Terminology.open(starter_terminology())
    found: dict[str, str] = {}
    for row, id in enumerate(terminology.ids):
        names = [name for name in terminology.concept(row).names if " " in name and "," not in name]
        if names:
            first, *others = max(names, key=len).lower().split()
            string = " ".join([*others, first]) if len(found) % 2 else " ".join([first, *others, "nos"])
            found.setdefault(string, id)
        if len(found) == 60:
            break
    return found


def test_sixty_strings_are_mapped_with_one_key_each(review: Callable[..., Reviewer]) -> None:
    gold = sixty()
    lines = "".join(f"C{n},{string},{100 - n},\n" for n, string in enumerate(gold))
    ann = review("code,label,n,ward\n" + lines)
    mapping = ann.saved()
    candidates = {
        row.text: [each.concept for each in row.proposal.candidates][:9] for row in mapping if row.proposal
    }
    proposed = {row.text: [target.concept for target in row.targets] for row in mapping}
    mapping.close()
    listed = searched = 0
    for done in range(60):
        text = ann.heading.inner_text()
        wanted, before = gold[text], ann.keys
        if proposed[text] == [wanted]:
            ann.press("a")
        elif wanted in candidates[text]:
            ann.press(str(candidates[text].index(wanted) + 1))
        else:
            ann.press("/", *wanted)
            ann.page.get_by_role("list", name="Found").get_by_text(wanted, exact=True).wait_for()
            ann.press("Enter")
        if wanted in candidates[text]:
            listed += ann.keys - before
        else:
            searched += 1
        if done < 59:  # the next row is there at once
            assert ann.heading.inner_text() != text
    rows = 60 - searched
    assert rows >= 50
    assert listed <= 1.1 * rows
    ann.covered("100.0")

    ann.page.reload()
    ann.heading.wait_for()
    ann.covered("100.0")
    mapping = ann.saved()
    assert {row.text: [target.concept for target in row.targets] for row in mapping} == {
        text: [concept] for text, concept in gold.items()
    }
    assert {str(row.status) for row in mapping} == {"approved"}
    mapping.close()


def test_the_next_row_is_open_before_the_key_is_up(review: Callable[..., Reviewer]) -> None:
    ann = review()
    first = ann.heading.inner_text()
    ann.page.keyboard.down("a")
    assert ann.heading.inner_text() != first
    for _ in range(5):  # held down, it decides nothing else
        ann.page.keyboard.down("a")
    ann.page.keyboard.up("a")
    assert len(ann.saved().store.log()) == 1


def test_a_concept_that_lacks_a_qualifier_is_proposed_as_broader_and_approved_so(
    review: Callable[..., Reviewer],
) -> None:
    ann = review("code,label,n,ward\nA,severe gout,9,\nB,family history of gout,8,\nC,chronic gout,7,\n")
    approves, rows = ann.page.get_by_label("What A approves"), ann.page.get_by_role("row")
    rows.filter(has_text="severe gout").click()
    ann.at("severe gout")
    approves.get_by_text("broader").wait_for()
    ann.press("a")
    assert ann.state("severe gout") == ("approved", "broader", [GOUT])
    rows.filter(has_text="family history of gout").click()
    ann.at("family history of gout")
    approves.get_by_text("inexact").wait_for()
    ann.press("a")
    assert ann.state("family history of gout") == ("approved", "inexact", [GOUT])
    rows.filter(has_text="chronic gout").click()
    ann.at("chronic gout")
    ann.press("b")  # is pressed already
    approves.get_by_text("broader").wait_for(state="detached")
    ann.press("a")
    assert ann.state("chronic gout") == ("approved", "equivalent", [GOUT])


def test_each_key_does_what_the_list_says(review: Callable[..., Reviewer]) -> None:
    ann = review()
    rows = ann.page.get_by_role("row")
    rows.filter(has_text="podagra").click()
    ann.at("podagra")
    ann.press("b")
    ann.page.get_by_label("What A approves").get_by_text("broader").wait_for()
    ann.press("a")
    assert ann.state("podagra") == ("approved", "broader", [GOUT])
    rows.filter(has_text="asthma bronchiale").click()
    ann.press("n", "2")
    status, equivalence, [concept] = ann.state("asthma bronchiale")
    assert (status, equivalence, concept != ASTHMA) == ("approved", "narrower", True)
    rows.filter(has_text="n/a").click()
    ann.press("0")
    assert ann.state("n/a") == ("approved", "unmatched", [])
    rows.filter(has_text="heart attack").click()
    ann.press("f")
    assert ann.state("heart attack")[0] == "flagged"
    rows.filter(has_text="high blood pressure").click()
    ann.press("i")
    assert ann.state("high blood pressure")[0] == "ignored"
    ann.visitor.said("No open row follows")
    ann.press("i")  # said already
    assert len(ann.saved().store.log()) == 5
    ann.press("u")
    ann.at("high blood pressure")
    assert ann.state("high blood pressure")[0] == "unchecked"
    ann.press("u")
    ann.at("heart attack")
    assert ann.state("heart attack")[0] == "unchecked"
    ann.press("ArrowDown", "ArrowUp", "j", "k")
    ann.at("heart attack")
    ann.press("?")
    ann.page.get_by_role("dialog", name="Keys").get_by_text("approve what is proposed").wait_for()
    ann.press("a", "Escape")
    assert ann.state("heart attack")[0] == "unchecked"


def test_letters_in_a_field_are_text(review: Callable[..., Reviewer]) -> None:
    ann = review()
    first = ann.heading.inner_text()
    ann.press("q")
    ann.page.keyboard.type("a b n f i u 0 1 ?")
    ann.press("Enter", "/")
    ann.page.keyboard.type("abnfiu01")
    ann.press("Escape")
    for name in ("Strings or codes with", "Reviewer"):
        ann.page.get_by_label(name).focus()
        ann.page.keyboard.press("a")
    assert ann.saved().store.log() == []
    ann.page.get_by_label("Reviewer").fill("ann")
    ann.page.get_by_label("Strings or codes with").fill("")
    ann.page.get_by_label("Strings or codes with").blur()
    ann.at(first)
    ann.press("a")
    [made] = ann.saved().store.log()
    assert (made.comment, made.by) == ("a b n f i u 0 1 ?", "ann")


def test_a_search_finds_another_concept(review: Callable[..., Reviewer]) -> None:
    ann = review()
    ann.page.get_by_role("row").filter(has_text="n/a").click()
    ann.press("/", *"asthma")
    ann.page.get_by_role("list", name="Found").get_by_text("Asthma", exact=True).wait_for()
    ann.press("Enter")
    ann.page.get_by_role("row").filter(has_text="n/a").get_by_text("Asthma").first.wait_for()
    assert ann.state("n/a") == ("approved", "equivalent", [ASTHMA])
    ann.press("a")  # the search has ended
    assert ann.saved().find(text="n/a")[0].targets[0].concept == ASTHMA
    assert len(ann.saved().store.log()) == 2


def test_a_comment_of_a_decided_row_is_saved_at_once(review: Callable[..., Reviewer]) -> None:
    ann = review()
    ann.page.get_by_role("row").filter(has_text="podagra").click()
    ann.press("b", "a")
    ann.page.get_by_role("row").filter(has_text="podagra").click()
    ann.press("q", *"sure", "Enter")
    ann.page.get_by_text("“sure”").wait_for()
    [row] = ann.saved().find(text="podagra")
    assert (row.state.decision and row.state.decision.comment, row.equivalence) == ("sure", "broader")


def test_what_a_dead_server_has_not_saved_is_kept_and_sent_later(review: Callable[..., Reviewer]) -> None:
    ann = review(process=True)
    ann.press("a")
    assert len(ann.saved().store.log()) == 1
    ann.server.kill()
    ann.press("a", "f")
    ann.page.get_by_text("2 decisions not saved yet").wait_for()
    ann.press("0")
    ann.page.get_by_text("3 decisions not saved yet").wait_for()
    ann.server.start()
    ann.send_now()
    ann.page.get_by_text("not saved yet").wait_for(state="hidden")
    log = ann.saved().store.log()
    assert [str(entry.status) for entry in log] == ["approved", "approved", "flagged", "approved"]
    assert len({entry.row for entry in log}) == 4


def test_many_are_approved_after_a_sample_was_checked(review: Callable[..., Reviewer]) -> None:
    lines = "".join(f"P{n},podagra,{n},w{n}\n" for n in range(1, 41))
    ann = review("code,label,n,ward\n" + lines + "N,n/a,900,\n")
    ann.page.get_by_role("button", name="Approve many").click()
    ann.page.get_by_label("that are at least").fill("60")
    ann.page.get_by_role("button", name="Draw a sample").click()
    ann.page.get_by_text("0 of 20 checked").wait_for()
    ann.press("i", *"aaaaaaaaa")
    ann.page.get_by_text("10 of 20 checked, 9 right").wait_for()
    ann.page.reload()
    ann.page.get_by_text("10 of 20 checked, 9 right").wait_for()
    ann.heading.wait_for()
    ann.press(*"aaaaaaaaaa")
    ann.page.get_by_text("That implies that 95.0 % are right (76.4 % to 99.1 %, 95 % interval).").wait_for()
    ann.page.get_by_role("button", name=re.compile("Approve the other 20 rows")).click()
    ann.at("n/a")
    ann.visitor.said("20 rows approved")
    statuses = sorted(str(row.status) for row in ann.saved())
    assert statuses == ["approved"] * 39 + ["ignored", "unchecked"]


def test_lists_are_sorted_and_filtered(review: Callable[..., Reviewer]) -> None:
    ann = review()
    strings = ann.page.locator("[role=row] .string")
    ann.page.get_by_label("Order").select_option("text")
    ann.listed()
    assert strings.all_inner_texts() == [
        "asthma bronchiale",
        "heart attack",
        "high blood pressure",
        "n/a",
        "podagra",
    ]
    ann.page.get_by_label("Strings or codes with").fill("HEART")
    ann.at("heart attack")
    assert strings.all_inner_texts() == ["heart attack"]
    ann.page.get_by_label("Strings or codes with").fill("nothing like it")
    ann.page.get_by_text("No string is like that").wait_for()
    ann.page.get_by_label("Strings or codes with").fill("")
    ann.at("asthma bronchiale")
    ann.page.get_by_label("Status", exact=True).select_option("unchecked")
    ann.listed()
    ann.page.get_by_label("Strings or codes with").blur()
    ann.press("a", "a")
    ann.at("high blood pressure")
    assert len(strings.all_inner_texts()) == 5  # what is decided stays in the list
    ann.saved()
    ann.page.reload()
    ann.page.get_by_label("Status", exact=True).select_option("approved")
    ann.listed()
    assert strings.count() == 2


def many(folder: Path, rows: int) -> Path:
    """A mapping of so many strings that linnet has not been asked for."""
    template = folder / "small.map"
    (folder / "small.csv").write_text("label\nasthma\n", encoding="utf-8")
    Mapping.new(folder / "small.csv", template, "starter", columns=Columns(text="label")).close()
    store = Store.open(template / FILE)
    with store.changing():
        store.put_rows({(f"string {n}", ()): {f"C{n}": rows - n} for n in range(rows)})
    store.close()
    return template


def test_many_rows_scroll_without_waiting(review: Callable[..., Reviewer], tmp_path: Path) -> None:
    ann = review(folder=many(tmp_path, 20_000))
    assert ann.page.locator("[role=row]").count() < 80
    for place in (10_000, 19_990, 5):
        ann.page.evaluate(f"document.querySelector('[role=grid]').scrollTop = {place * 40}")
        ann.page.locator(f"#row-{place} .string").wait_for(timeout=2000)
    assert ann.page.locator("[role=row]").count() < 80
    ann.page.get_by_label("Strings or codes with").fill("string 12345")
    ann.at("string 12345")


def test_the_page_is_accessible(review: Callable[..., Reviewer]) -> None:
    skip_without_axe()
    ann = review()
    found = flaws(ann.page, "rows")
    ann.press("a", "b")
    ann.page.get_by_role("button", name="Approve many").click()
    found += flaws(ann.page, "approve many")
    ann.page.get_by_role("button", name="Keys").click()
    found += flaws(ann.page, "keys")
    ann.press("Escape", "/", *"gout")
    ann.page.get_by_role("list", name="Found").get_by_text("Gout", exact=True).wait_for()
    found += flaws(ann.page, "search")
    ann.server.kill()
    ann.press("Escape", "a")
    ann.page.get_by_text("not saved yet").wait_for()
    found += flaws(ann.page, "unsaved")
    assert found == []


def test_a_telephone_shows_all_and_takes_taps(review: Callable[..., Reviewer]) -> None:
    ann = review(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    assert ann.page.evaluate("document.documentElement.scrollWidth") == 390
    first = ann.heading.inner_text()
    ann.page.get_by_role("button", name="Approve A", exact=True).tap()
    assert ann.heading.inner_text() != first
    ann.page.get_by_role("row").filter(has_text="podagra").tap()
    ann.at("podagra")
    ann.page.get_by_role("list", name="Candidates").get_by_role("button", name="Approve Gout").tap()
    assert ann.state("podagra")[2] == [GOUT]

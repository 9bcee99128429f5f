"""Keys, clicks and seconds that ten abstracts with partly wrong predictions take a skilled annotator on the page.

    python benchmarks/annotate_keys.py [--without remove-same …] [--json FILE]

Starts `linnet annotate` in a temporary folder, puts the predictions of `annotate_abstracts.py` into its database, and corrects them in
Chromium, with all commands and then without the newer ones. Each abstract must end exactly as the expert wants it, and accepted.

The annotator knows what is wrong, and takes for each mistake the commands with the few keys and clicks: a click on a mention, a drag
over new text, the digit of a candidate, or as many letters as it takes until the concept is chosen in the helper, and commands
for all same mentions. Right predictions cost nothing, because accepting confirms them. A drag is one click. Seconds are those of
the keystroke-level model (Card, Moran and Newell 1980): 0.28 for a key, 1.3 for pointing and a click, 0.4 to change between keyboard and
mouse; time to read and think is the same either way and not counted.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from annotate_abstracts import ABSTRACTS, Abstract, Mark
from annotate_page import chromium, visitor
from annotate_server import Caller, Server
from measuring import parser_of
from playwright.sync_api import Page
from sqlalchemy import delete, select

from linnet.annotate.store import open_database
from linnet.annotate.store.tables import Annotation, Document, Sheet
from linnet.link.starter import starter_terminology
from linnet.terminology import Terminology

NEWER = ("remove-same", "replace-inside")
"""Commands that `--without` can leave out. apply to all same, which both rounds use, is older."""
_KEY, _CLICK, _CHANGE = 0.28, 1.3, 0.4  # seconds
_READ = 900  # milliseconds until the page lets a document be accepted
_ENOUGH = 12  # letters of a name after which typing on is hopeless
_DRAG = """([start, end]) => {
    const root = document.querySelector(".text");
    const place = offset => {
        for (const piece of root.querySelectorAll("[data-start]")) {
            const from = Number(piece.dataset.start);
            if (offset >= from && offset < from + piece.textContent.length) return [piece.firstChild, offset - from];
        }
    };
    const rect = offset => {
        const range = document.createRange(), [node, at] = place(offset);
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        return range.getBoundingClientRect();
    };
    const first = rect(start), last = rect(end - 1);
    return [first.left + 0.5, first.top + first.height / 2, last.right - 0.5, last.top + last.height / 2];
}"""


@dataclass
class Effort:
    """What an abstract takes. commands: how often each was used."""

    keys: int = 0
    clicks: int = 0
    changes: int = 0
    commands: dict[str, int] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        """By the keystroke-level model."""
        return _KEY * self.keys + _CLICK * self.clicks + _CHANGE * self.changes


class Annotator:
    """Corrects abstracts on the page, and counts. allowed: which of the newer commands."""

    def __init__(self, page: Page, caller: Caller, ids: dict[str, str], allowed: Collection[str]) -> None:
        self._page, self._caller, self._ids, self._allowed = page, caller, ids, allowed
        self._effort = Effort()
        self._at_keyboard = True
        self._marked = False  # letters would start a search, as after a selection

    def annotate(self, address: str, document: int, abstract: Abstract) -> Effort:
        """Correct a document and accept it."""
        self._effort, self._at_keyboard, self._marked = Effort(), True, False
        self._page.goto(f"{address}/documents/{document}")
        self._page.get_by_role("textbox", name="Text of the document").wait_for()
        self._page.locator(".text mark").first.wait_for()
        wanted = {(mark.start, mark.end): self._ids[mark.concept] for mark in abstract.gold}
        while mistake := self._next(document, wanted):
            self._correct(document, abstract, wanted, *mistake)
        self._page.wait_for_timeout(_READ)
        before = self._view(document)
        if self._page.locator(".text .selected").count():  # a letter signs nothing off that has a selection
            self._press("Escape")
        self._command("a")
        view = self._saved(document, before)
        if view["state"] != "accepted" or _links(view) != {
            place: [concept] for place, concept in wanted.items()
        }:
            raise RuntimeError(f"{view['name']} is not as the expert wants it: {_links(view)}")
        return self._effort

    def _next(self, document: int, wanted: dict[tuple[int, int], str]) -> tuple[str, Any] | None:
        """The first mistake in the text: its kind, and the annotation or place."""
        view = self._view(document)
        here = {(one["start"], one["end"]): one for one in view["annotations"]}
        mistakes: list[tuple[int, str, Any]] = []
        for place, one in here.items():
            if place not in wanted:
                around = next((goal for goal in wanted if goal[0] <= place[0] and place[1] <= goal[1]), None)
                mistakes.append((place[0], "span" if around else "false", (one, around)))
            elif one["concepts"] != [wanted[place]]:
                mistakes.append((place[0], "concept", (one, place)))
        for place in wanted.keys() - here.keys():
            if not any(place[0] < end and start < place[1] for start, end in here):
                mistakes.append((place[0], "missing", (None, place)))
        if not mistakes:
            return None
        _, kind, about = min(mistakes, key=lambda mistake: mistake[0])
        return kind, about

    def _correct(
        self,
        document: int,
        abstract: Abstract,
        wanted: dict[tuple[int, int], str],
        kind: str,
        about: tuple[Any, Any],
    ) -> None:
        annotation, place = about
        view = self._view(document)
        if kind == "false":
            same = [one for one in view["annotations"] if one["text"].lower() == annotation["text"].lower()]
            alike = len(same) > 1 and not any((one["start"], one["end"]) in wanted for one in same)
            self._click(annotation["start"])
            self._command("w" if alike and "remove-same" in self._allowed else "Delete")
            self._saved(document, view)
            return
        text = abstract.text[place[0] : place[1]].lower()
        places = [goal for goal in wanted if abstract.text[goal[0] : goal[1]].lower() == text]
        if kind == "concept":
            self._click(place[0])
        elif kind == "missing" or (kind == "span" and "replace-inside" in self._allowed):
            self._drag(*place)
        else:
            self._click(annotation["start"])
            self._command("e")
            self._drag(*place)
            view = self._saved(document, view)
        links = {one: concepts for one, concepts in _links(view).items() if one in wanted}
        if links.get(place) != [wanted[place]]:
            self._link(wanted[place], fresh=self._marked)
            view = self._saved(document, view)
            if kind == "missing" or "replace-inside" in self._allowed:
                self._marked = False  # an annotation was made
            if kind == "span" and "replace-inside" in self._allowed:
                self._command("i")
                view = self._saved(document, view)
        links = _links(view)
        alike = all(wanted[goal] == wanted[place] for goal in places)
        left = [goal for goal in places if links.get(goal) != [wanted[place]]]
        free = [goal for goal in left if goal in links or not _overlapped(goal, links)]
        if alike and free:
            if self._marked:
                self._click(place[0])
            self._command("s")
            self._saved(document, view)

    def _link(self, concept: str, *, fresh: bool) -> None:
        """Link what is selected: by a digit, or by typing as little of a name as is needed."""
        self._page.locator("#options[aria-busy=false]").wait_for()
        self._page.wait_for_timeout(150)
        listed = self._codes()
        if concept in listed[:9]:
            self._press(str(listed.index(concept) + 1))
            return
        name = next(name for name, id in self._ids.items() if id == concept).lower()
        if not fresh:
            self._press("/")
        for letter in name[:_ENOUGH]:
            self._press(letter)
            self._page.wait_for_timeout(120)
            self._page.locator("#options[aria-busy=false]").wait_for()
            chosen = self._page.locator("#options [aria-selected=true] code")
            if chosen.count() and chosen.inner_text() == concept:
                break
        else:
            listed = self._codes()
            for _ in range(listed.index(concept) + 1):
                self._press("ArrowDown")
                if self._page.locator("#options [aria-selected=true] code").inner_text() == concept:
                    break
        self._press("Enter")

    def _codes(self) -> list[str]:
        return self._page.locator("#options [role=option] code").all_inner_texts()

    def _command(self, key: str) -> None:
        if self._marked and len(key) == 1:
            self._press("Escape")
            self._marked = False
        self._press(key)

    def _press(self, key: str) -> None:
        self._page.keyboard.press(key)
        self._effort.keys += 1
        self._effort.changes += not self._at_keyboard
        self._at_keyboard = True
        if len(key) > 1 or key.islower():
            self._effort.commands[key] = self._effort.commands.get(key, 0) + 1

    def _click(self, start: int) -> None:
        left, top, *_ = self._page.evaluate(_DRAG, [start, start + 1])
        self._page.mouse.click(left + 2, top)
        self._marked = False
        self._count_click()

    def _drag(self, start: int, end: int) -> None:
        box = self._page.evaluate(_DRAG, [start, end])
        mouse = self._page.mouse
        mouse.move(box[0], box[1])
        mouse.down()
        mouse.move(box[2], box[3], steps=4)
        mouse.up()
        self._marked = True
        self._count_click()

    def _count_click(self) -> None:
        self._effort.clicks += 1
        self._effort.changes += self._at_keyboard
        self._at_keyboard = False

    def _view(self, document: int) -> dict[str, Any]:
        view: dict[str, Any] = self._caller.call("GET", f"/documents/{document}")
        return view

    def _saved(self, document: int, before: dict[str, Any]) -> dict[str, Any]:
        """The document once the page has saved a change. Raises RuntimeError if it does not."""
        deadline = time.monotonic() + 10
        while (view := self._view(document))["revision"] == before["revision"]:
            if time.monotonic() > deadline:
                raise RuntimeError(f"nothing was saved in {view['name']}: {self._said()}")
            time.sleep(0.02)
        self._page.locator("[role=status]", has_text="Saving").wait_for(state="hidden")
        self._page.wait_for_timeout(60)
        return view

    def _said(self) -> str:
        return " ".join(self._page.locator("[role=status], [role=alert]").all_inner_texts()).strip()


def _links(view: dict[str, Any]) -> dict[tuple[int, int], list[str]]:
    return {(one["start"], one["end"]): one["concepts"] for one in view["annotations"]}


def _overlapped(place: tuple[int, int], others: Collection[tuple[int, int]]) -> bool:
    return any(place[0] < end and start < place[1] for start, end in others)


def main() -> None:
    """Measure with all commands and without the newer ones, and print a table."""
    parser = parser_of(__doc__)
    parser.add_argument(
        "--without",
        nargs="+",
        choices=NEWER,
        default=list(NEWER),
        help="left out in the first of the two rounds",
    )
    parser.add_argument(
        "--lacks", nargs="+", choices=NEWER, default=[], help="commands that this page does not have"
    )
    parser.add_argument("--json", type=Path, help="also write the figures here")
    options = parser.parse_args()
    terminology = Terminology.open(starter_terminology())
    ids = {terminology.name(row): id for row, id in enumerate(terminology.ids)}
    offered = set(NEWER) - set(options.lacks)
    rounds = {"before": offered - set(options.without), "after": offered}
    figures = {name: measure(ids, allowed) for name, allowed in rounds.items()}
    print("abstract  keys  clicks  seconds   keys  clicks  seconds")
    for number, pair in enumerate(zip(figures["before"], figures["after"], strict=True), 1):
        print(f"{number:>8}" + "  ".join(_line(effort) for effort in pair))
    before, after = (_total(efforts) for efforts in figures.values())
    print(f"{'all':>8}{_line(before)}  {_line(after)}")
    actions = [effort.keys + effort.clicks for effort in (before, after)]
    print(f"keys and clicks: {actions[0]} → {actions[1]}, {1 - actions[1] / actions[0]:.0%} fewer")
    if options.json:
        found = {name: [vars(effort) for effort in efforts] for name, efforts in figures.items()}
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def measure(ids: dict[str, str], allowed: Collection[str]) -> list[Effort]:
    """The effort of each abstract, in a new project of a new server."""
    with tempfile.TemporaryDirectory(prefix="linnet-annotate-keys-") as folder:
        data = Path(folder) / "data"
        server = Server(data, terminologies=[])
        try:
            caller = Caller(server.port)
            caller.sign_in("ada", first=True)
            documents = _prepare(caller, data, ids)
            with chromium() as browser:
                page = visitor(browser, caller.cookie, width=1280, height=720).new_page()
                annotator = Annotator(page, caller, ids, allowed)
                return [
                    annotator.annotate(server.address, document, abstract)
                    for document, abstract in zip(documents, ABSTRACTS, strict=True)
                ]
        finally:
            server.close()


def _prepare(caller: Caller, data: Path, ids: dict[str, str]) -> list[int]:
    """Ids of the documents of a new project, with the invented predictions instead of the model's."""
    wanted = {"name": "abstracts", "terminology": "starter", "held_out": 0, "recogniser": "dictionary"}
    project = caller.call("POST", "/projects", wanted | {"labels": ["Entity"]})["id"]
    for number, abstract in enumerate(ABSTRACTS):
        caller.upload(project, f"a{number}.txt", abstract.text)
    database = open_database(f"sqlite:///{data / 'linnet.db'}", upgrade=False)
    documents = []
    with database.write() as session:
        for number, abstract in enumerate(ABSTRACTS):
            document = session.scalars(select(Document).where(Document.name == f"a{number}")).one()
            sheet = session.scalars(select(Sheet).where(Sheet.document_id == document.id)).one()
            session.execute(delete(Annotation).where(Annotation.sheet_id == sheet.id))
            session.add_all(_prediction(sheet.id, mark, ids) for mark in abstract.predicted)
            documents.append(document.id)
    database.close()
    return documents


def _prediction(sheet: int, mark: Mark, ids: dict[str, str]) -> Annotation:
    return Annotation(
        sheet_id=sheet,
        start=mark.start,
        end=mark.end,
        layer="pred",
        type="Entity",
        concepts=[ids[mark.concept]],
        nil=False,
        composite=False,
        confidence=1.0,
        probability=0.8,
        author="",
        model=0,
        revision=0,
        extra={},
    )


def _line(effort: Effort) -> str:
    return f"{effort.keys:>6}{effort.clicks:>8}{effort.seconds:>9.1f}"


def _total(efforts: Sequence[Effort]) -> Effort:
    return Effort(
        sum(effort.keys for effort in efforts),
        sum(effort.clicks for effort in efforts),
        sum(effort.changes for effort in efforts),
    )


if __name__ == "__main__":
    main()

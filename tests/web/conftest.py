"""A real server, a real browser, and people who use both."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the annotate extra")
pytest.importorskip("playwright", reason="needs the dev extra")

import httpx2
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Request, sync_playwright

from linnet.annotate.api.pages import WEB

ADMIN = ("ada", "correct horse battery")
_BROWSERS = (
    "chromium-headless-shell",  # half the processor time: it has no window
    "chromium",
    "chromium-browser",
    "google-chrome",
)
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
READ = 1000  # milliseconds in which a document is read
_START = 180  # seconds a busy machine may take


class Server:
    """`linnet annotate` in a process of its own; can be killed and started again at the same address."""

    probe = "/api/status"
    """A path that answers once it is ready."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._port = 0
        self.address = ""
        self._process: subprocess.Popen[str] | None = None
        self.start()

    def command(self) -> list[str]:
        """Words after `linnet`, without those of the port."""
        return ["annotate", "--data", str(self._data)]

    def start(self) -> None:
        """Until it says where it is."""
        code = "import sys; from linnet.cli import main; sys.exit(main())"
        options = [*self.command(), "--port", str(self._port), "--no-browser"]
        log = self._data.with_suffix(".log")
        with log.open("a", encoding="utf-8") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-c", code, *options],
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env={**os.environ, "OMP_NUM_THREADS": "1"},
                start_new_session=True,
                text=True,
            )
        deadline = time.monotonic() + _START
        while time.monotonic() < deadline and self._process.poll() is None:
            said = re.findall(r"http://[\d.]+:(\d+)", log.read_text(encoding="utf-8"))
            if said and _answers(f"http://127.0.0.1:{said[-1]}{self.probe}"):
                self._port, self.address = int(said[-1]), f"http://127.0.0.1:{said[-1]}"
                return
            time.sleep(0.1)
        self.kill()
        raise AssertionError(f"the server did not start: {log.read_text(encoding='utf-8')}")

    def kill(self) -> None:
        """Like a power cut: it and its trainer."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


def _answers(address: str) -> bool:
    try:
        return httpx2.get(address, timeout=5).is_success
    except httpx2.HTTPError:
        return False


class Script:
    """The interface for scripts, signed in."""

    def __init__(self, address: str, name: str, password: str, *, first: bool = False) -> None:
        self._client = httpx2.Client(base_url=f"{address}/api", timeout=60)
        answer = self._client.post(
            "/setup" if first else "/session", json={"name": name, "password": password}
        )
        answer.raise_for_status()
        self._client.headers["X-CSRF-Token"] = answer.json()["csrf"]

    def close(self) -> None:
        """End its connections."""
        self._client.close()

    def get(self, path: str, **query: Any) -> Any:
        """What a path answers."""
        return self._client.get(path, params=query).raise_for_status().json()

    def post(self, path: str, body: object) -> Any:
        """What a request that changes something answers."""
        return self._client.post(path, json=body).raise_for_status().json()

    def put(self, path: str, body: object) -> Any:
        """What a request that sets something answers."""
        return self._client.put(path, json=body).raise_for_status().json()

    def delete(self, path: str) -> Any:
        """What a request that removes something answers."""
        return self._client.delete(path).raise_for_status().json()

    def patch(self, path: str, body: object) -> Any:
        """What a request that changes something in part answers."""
        return self._client.patch(path, json=body).raise_for_status().json()

    def annotator(self, name: str, project: int | None = None, *, role: str = "annotator") -> tuple[str, str]:
        """A new account's name and password. project: of which it becomes a member, in a role."""
        account = {"name": name, "password": f"{name} {name} {name}", "role": "annotator"}
        self.post("/users", account)
        if project is not None:
            self.put(f"/projects/{project}/members/{name}", {"role": role})
        return name, account["password"]

    def project(self, name: str, documents: dict[str, str], **options: Any) -> int:
        """A project of plain or PubTator texts by file name, with its terminology ready and its predictions made."""
        wanted = {
            "name": name,
            "terminology": "starter",
            "held_out": 0,
            "recogniser": "dictionary",
            **options,
        }
        project = self.post("/projects", wanted)["id"]
        self.upload(project, documents)
        return int(project)

    def upload(self, project: int, documents: dict[str, str], *, complete: bool = True) -> None:
        """Until everything is predicted. complete: documents with annotations count as accepted."""
        files = [("files", (file, text.encode(), "text/plain")) for file, text in documents.items()]
        self._client.post(
            f"/projects/{project}/documents", files=files, data={"complete": str(complete).lower()}
        ).raise_for_status()
        self.wait(project)

    def wait(self, project: int) -> None:
        """Until no job waits or runs."""
        deadline = time.monotonic() + _START
        while time.monotonic() < deadline:
            states = {job["state"] for job in self.get(f"/projects/{project}/jobs")}
            assert "failed" not in states
            if not states & {"queued", "running"}:
                return
            time.sleep(0.1)
        raise AssertionError("the jobs did not end")

    def document(self, project: int, name: str) -> dict[str, Any]:
        """One document as it is now."""
        [found] = [
            one for one in self.get(f"/projects/{project}/documents")["documents"] if one["name"] == name
        ]
        view = self.get(f"/documents/{found['id']}")
        assert isinstance(view, dict)
        return view


class Visitor:
    """A person before the page."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self._address = page, address
        self._unanswered: set[Request] = set()
        page.on("request", self._asked)
        page.on("requestfinished", self._answered)
        page.on("requestfailed", self._answered)

    def _asked(self, request: Request) -> None:
        if "/changes?" not in request.url:  # the page asks for these by itself, again and again
            self._unanswered.add(request)

    def _answered(self, request: Request) -> None:
        self._unanswered.discard(request)

    def new_tab(self) -> Visitor:
        """Another tab of the same browser."""
        return Visitor(self.page.context.new_page(), self._address)

    def open(self, path: str = "/") -> None:
        """Load a path."""
        self.page.goto(self._address + path)

    def sign_in(self, name: str, password: str) -> None:
        """On the entrance."""
        self.page.get_by_label("Name").fill(name)
        self.page.get_by_label("Password").fill(password)
        self.page.get_by_role("button", name="Sign in").click()
        self.page.locator("header.top").wait_for()

    def open_document(self, document: dict[str, Any]) -> None:
        """Until its text is there."""
        self.open(f"/documents/{document['id']}")
        self.page.get_by_role("textbox", name="Text of the document").wait_for()

    def select(self, words: str) -> None:
        """Select the first place of some words with the mouse."""
        box = self.page.evaluate(
            """words => {
                const root = document.querySelector(".text");
                const start = root.textContent.indexOf(words);
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
                const first = rect(start), last = rect(start + words.length - 1);
                return [first.left + 0.5, first.top + first.height / 2, last.right - 0.5, last.top + last.height / 2];
            }""",
            words,
        )
        mouse = self.page.mouse
        mouse.move(box[0], box[1])
        mouse.down()
        mouse.move(box[2], box[3], steps=4)
        mouse.up()

    def nil(self) -> None:
        """Say that the terminology has no such concept."""
        self.page.get_by_role("button", name=re.compile("^NIL")).click()

    def end_session(self) -> None:
        """As if it had expired: the next thing the person does is the first to find out, for nothing is being loaded."""
        self.page.route(
            "**/projects/*/changes?*", lambda route: None
        )  # never answered: what the page asks by itself finds out nothing
        rested = 0
        while rested < 10:
            self.page.wait_for_timeout(50)
            rested = 0 if self._unanswered else rested + 1
        self.page.context.clear_cookies()

    def search(self, words: str) -> Locator:
        """Type into the helper; returns the first concept found, when it is listed."""
        self.page.get_by_label("Search the terminology").fill(words)
        self.page.locator("#options[aria-busy=false]").wait_for()
        return self.page.locator("#options [role=option]").first

    def said(self, text: str) -> None:
        """Wait until the page tells something."""
        self.page.locator("[role=status], [role=alert]").filter(has_text=text).first.wait_for()

    def accept(self) -> None:
        """Accept the document, once it has been shown for as long as the page wants it to be read."""
        self.page.wait_for_timeout(READ)
        self.page.get_by_role("button", name="Accept").click()
        self.page.locator("[role=status], [role=alert]").filter(
            has_text=re.compile("Accepted")
        ).first.wait_for()

    def boxes(self, layer: str) -> list[str]:
        """Texts of the annotations of a layer, as drawn."""
        return self.page.locator(f".text mark.{layer}").all_inner_texts()


@pytest.fixture(scope="session")
def built() -> Path:
    """The pages' assets."""
    if not all((WEB / page).is_file() for page in ("index.html", "mapping.html")):
        pytest.skip("the page is not built: run `make web`")
    return WEB


@pytest.fixture(scope="session")
def browser(built: Path) -> Iterator[Browser]:
    """Chromium, one for all tests."""
    program = os.environ.get("LINNET_CHROMIUM") or next(filter(None, map(shutil.which, _BROWSERS)), None)
    if program is None:
        pytest.skip("no Chromium: install it, or set LINNET_CHROMIUM to its program")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture
def new_server(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Server]]:
    """Starts servers that nobody has visited, and ends them with the test: an idle one takes processor time, too."""
    started: list[Server] = []

    def start() -> Server:
        started.append(Server(tmp_path_factory.mktemp("annotate") / "data"))
        return started[-1]

    yield start
    for server in started:
        server.kill()


@pytest.fixture(scope="session")
def server(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that has its first account."""
    server = Server(tmp_path_factory.mktemp("annotate") / "data")
    Script(server.address, *ADMIN, first=True).close()
    yield server
    server.kill()


@pytest.fixture(scope="session")
def script(server: Server) -> Iterator[Script]:
    """The interface for scripts, for the admin."""
    script = Script(server.address, *ADMIN)
    yield script
    script.close()


@pytest.fixture
def sign_in() -> Iterator[Callable[..., Script]]:
    """Further interfaces for scripts, for other people or servers."""
    opened: list[Script] = []

    def sign_in(address: str, name: str, password: str, *, first: bool = False) -> Script:
        opened.append(Script(address, name, password, first=first))
        return opened[-1]

    yield sign_in
    for script in opened:
        script.close()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Any]]:
    """Opens a browser of its own for a person. A page that complains fails the test: errors of scripts, and whatever the
    content-security policy refuses."""
    complaints: list[str] = []
    contexts = []

    def heard(message: ConsoleMessage) -> None:
        refused = message.text.startswith(
            "Failed to load resource"
        )  # a refusal the page shows, or a dead server
        if message.type in ("error", "warning") and not refused:
            complaints.append(message.text)

    def visit(address: str, **options: Any) -> Visitor:
        context = browser.new_context(**{"viewport": {"width": 1600, "height": 1000}, **options})
        context.set_default_timeout(20_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", heard)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        return Visitor(page, address)

    yield visit
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture(scope="session")
def signed_in(browser: Browser, server: Server) -> Any:
    """What the admin's browser keeps after signing in."""
    context = browser.new_context()
    visitor = Visitor(context.new_page(), server.address)
    visitor.open()
    visitor.sign_in(*ADMIN)
    kept = context.storage_state()
    context.close()
    return kept


@pytest.fixture
def ada(visit: Callable[..., Visitor], server: Server, signed_in: Any) -> Visitor:
    """The admin, signed in."""
    return visit(server.address, storage_state=signed_in)

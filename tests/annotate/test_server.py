"""The server as users start it: killed, restarted, asked by many at once."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

import pytest
from tests.advised import advises

from linnet.advice import Step
from linnet.annotate.api import pages
from linnet.annotate.server import serve
from linnet.annotate.settings import Settings
from linnet.errors import RequestError, StoreError

PASSWORD = "correct horse battery staple"
# Its first argument is the folder of a page: these tests need no page that npm has built.
LINNET = """
import sys
from pathlib import Path
from linnet.annotate.api import pages
pages.WEB = Path(sys.argv.pop(1))
from linnet.cli import main
main()
"""


@pytest.fixture(autouse=True)
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a page that has been built."""
    folder = tmp_path / "page"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text('<!doctype html><script src="/assets/a-1.js"></script>')
    (folder / "assets" / "a-1.js").write_text("1")
    monkeypatch.setattr(pages, "WEB", folder)
    return folder


class Running:
    """A server in a process of its own, and a signed-in user of it."""

    def __init__(self, data: Path, terminology: Path, page: Path) -> None:
        command = [
            sys.executable,
            "-c",
            LINNET,
            str(page),
            "annotate",
            "--port",
            "0",
            "--no-browser",
        ]
        command += ["--data", str(data), "--terminology", str(terminology)]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        assert "linnet annotate is at http://127.0.0.1:" in line, line + self.process.stderr.read()
        self.address = line.split(" at ")[1].split(" ")[0]
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        self._csrf = ""

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        headers = {"Content-Type": "application/json", "X-CSRF-Token": self._csrf}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.address}/api/{path}", data, headers, method=method)
        with self._opener.open(request, timeout=60) as answer:
            return json.loads(answer.read() or b"null")

    def sign_in(self, path: str = "session") -> Running:
        self._csrf = self.ask("POST", path, {"name": "ada", "password": PASSWORD})["csrf"]
        return self

    def upload(self, project: int, texts: list[str]) -> Any:
        lines = "\n".join(json.dumps({"id": f"d{n}", "text": text}) for n, text in enumerate(texts))
        boundary = "linnet-boundary"
        part = f'--{boundary}\r\nContent-Disposition: form-data; name="files"; filename="a.jsonl"\r\n\r\n{lines}\r\n'
        headers = {"Content-Type": f"multipart/form-data; boundary={boundary}", "X-CSRF-Token": self._csrf}
        data = f"{part}--{boundary}--\r\n".encode()
        request = urllib.request.Request(f"{self.address}/api/projects/{project}/documents", data, headers)
        with self._opener.open(request, timeout=60) as answer:
            return json.loads(answer.read())

    def wait(self, job: int, fits: Callable[[Any], bool]) -> Any:
        for _ in range(3000):
            found = self.ask("GET", f"jobs/{job}")
            if fits(found):
                return found
            time.sleep(0.05)
        raise TimeoutError(str(found))

    def trainer(self) -> int:
        """Process id of the trainer."""
        children = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        pids = [int(pid) for file in children for pid in file.read_text().split()]
        for pid in pids:
            if b"linnet.annotate.jobs.trainer" in Path(f"/proc/{pid}/cmdline").read_bytes():
                return pid
        raise LookupError(f"no trainer among {pids}")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        if self.process.stderr is not None:
            self.process.stderr.close()


@pytest.fixture
def start(tmp_path: Path, small_terminology: Path, page: Path) -> Iterator[Callable[[], Running]]:
    if not Path("/proc/self/task").exists():
        pytest.skip("needs Linux: finds the trainer, to kill it, through /proc")
    made: list[Running] = []

    def begin() -> Running:
        made.append(Running(tmp_path / "data", small_terminology, page))
        return made[-1]

    yield begin
    for server in made:
        if server.process.poll() is None:
            server.process.send_signal(signal.SIGTERM)
            server.process.wait(timeout=30)
        if server.process.stderr is not None:
            server.process.stderr.close()


def test_nothing_is_lost_when_trainer_and_server_are_killed(start: Callable[[], Running]) -> None:
    server = start().sign_in("setup")
    project = server.ask(
        "POST", "projects", {"name": "p", "terminology": "small", "held_out": 0, "recogniser": "dictionary"}
    )["id"]
    texts = [
        f"Gout {number} and asthma, migraine and scurvy, breast and ovarian cancer. " * 5
        for number in range(100)
    ]
    job = server.upload(project, texts)["job"]

    server.wait(job, lambda found: found["state"] == "running" and found["progress"] > 0.1)
    os.kill(server.trainer(), signal.SIGKILL)
    again = server.wait(job, lambda found: found["attempts"] == 2 and found["progress"] > 0.1)
    assert again["state"] == "running"
    # An annotation made while it predicts, and then the server dies at once.
    document = server.ask("GET", f"projects/{project}/documents?order=id")["documents"][0]["id"]
    view = server.ask("GET", f"documents/{document}")
    new = {"revision": view["revision"], "start": 5, "end": 6, "type": "Disease", "nil": True}
    server.ask("POST", f"documents/{document}/annotations", new)
    trainer = server.trainer()
    server.kill()
    for _ in range(100):
        if not Path(f"/proc/{trainer}").exists():
            break
        time.sleep(0.1)
    else:
        pytest.fail("the trainer outlived its server")

    server = start().sign_in()
    done = server.wait(job, lambda found: found["state"] not in ("queued", "running"))
    assert (done["state"], done["attempts"]) == ("done", 3), done["reason"]
    kept = server.ask("GET", f"documents/{document}")["annotations"]
    assert [(one["layer"], one["author"]) for one in kept if one["start"] == 5] == [("user", "ada")]
    assert server.ask("GET", f"projects/{project}/documents?limit=1&order=confidence")["total"] == 100
    assert server.ask("GET", f"projects/{project}")["progress"]["predicted"] == 100 * 5 * 5


def test_a_port_that_is_taken_is_said_at_once(
    start: Callable[[], Running], tmp_path: Path, page: Path
) -> None:
    port = start().address.rpartition(":")[2]
    command = [
        sys.executable,
        "-c",
        LINNET,
        str(page),
        "annotate",
        "--data",
        str(tmp_path / "b"),
        "--port",
    ]
    done = subprocess.run([*command, port, "--no-browser"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, "--port" in done.stderr) == (1, True)
    others = subprocess.run([*command, "0", "--host", "0.0.0.0"], capture_output=True, text=True, timeout=60)
    assert others.returncode == 1
    assert "first account" in others.stderr


def test_a_second_server_on_the_same_data_is_refused(start: Callable[[], Running], tmp_path: Path) -> None:
    server = start()
    with pytest.raises(RequestError, match="Another linnet annotate is using"):
        serve(Settings(data=tmp_path / "data"), port=0, browser=False)
    server.kill()
    start()  # what was killed holds nothing


@pytest.mark.parametrize("missing", ["index.html", "assets/a-1.js"])
def test_a_server_without_its_page_does_not_start(
    missing: str, page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (page / missing).unlink()
    with pytest.raises(RequestError, match=rf"{missing} is missing\. Run: make .*web"):
        serve(Settings(data=tmp_path / "data"), port=0, browser=False)
    assert not (tmp_path / "data").exists()
    monkeypatch.setattr(pages, "clone", lambda: None)
    with pytest.raises(RequestError, match="run: make wheel"):
        serve(Settings(data=tmp_path / "data"), port=0, browser=False)


def test_terminologies_that_are_none_or_of_one_name_are_refused(
    tmp_path: Path, small_terminology: Path
) -> None:
    with pytest.raises(StoreError, match=f"{tmp_path} is not a terminology"):
        serve(Settings(data=tmp_path / "data", terminologies=(small_terminology, tmp_path)), port=0)
    other = shutil.copytree(small_terminology, tmp_path / "other" / small_terminology.name)
    with pytest.raises(RequestError, match="Rename one of the folders"):
        serve(Settings(data=tmp_path / "data", terminologies=(small_terminology, other)), port=0)
    assert not (tmp_path / "data").exists()


def test_data_that_cannot_be_written_to_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(StoreError, check=advises(Step.OTHER_FOLDER)):
        serve(Settings(data=tmp_path / "file"), port=0)


def test_a_page_is_told_what_the_trainer_does(start: Callable[[], Running]) -> None:
    server = start().sign_in("setup")
    project = server.ask(
        "POST", "projects", {"name": "p", "terminology": "small", "recogniser": "dictionary"}
    )["id"]
    answer = server.ask("GET", f"projects/{project}/changes")
    job = server.upload(project, ["Gout."])["job"]
    kinds: set[str] = set()
    states: dict[int, str] = {}
    deadline = time.monotonic() + 60
    while states.get(job) != "done" and time.monotonic() < deadline:
        answer = server.ask("GET", f"projects/{project}/changes?since={answer['since']}")
        kinds |= {event["kind"] for event in answer["events"]}
        states |= {one["id"]: one["state"] for one in answer["jobs"]}
        time.sleep(0.1)
    assert states[job] == "done"
    assert kinds == {"document", "documents"}

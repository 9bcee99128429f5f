"""The server as users start it: which page it shows, what it refuses, and what is left of it after a power cut."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.advised import advises
from tests.mapping.conftest import BREAST, GOUT

from linnet.advice import Step
from linnet.annotate.api import pages
from linnet.annotate.review.server import serve
from linnet.errors import RequestError, StoreError
from linnet.mapping import Mapping

# Its first argument is the folder of a page: these tests need no page that npm has built.
_LINNET = """
import sys
from pathlib import Path
from linnet.annotate.api import pages
pages.WEB = Path(sys.argv.pop(1))
from linnet.cli import main
from tests.advised import advises
main()
"""


@pytest.fixture(autouse=True)
def web(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of two pages that have been built."""
    folder = tmp_path / "web"
    (folder / "assets").mkdir(parents=True)
    for name in ("index", "mapping"):
        (folder / f"{name}.html").write_text(
            f'<!doctype html>{name}<script src="/assets/{name}-1.js"></script>'
        )
        (folder / "assets" / f"{name}-1.js").write_text("1")
    monkeypatch.setattr(pages, "WEB", folder)
    return folder


@contextmanager
def running(mapping: Path, web: Path) -> Iterator[str]:
    """The address of a server, which is killed in the end."""
    words = [str(web), "map", "review", str(mapping), "--port", "0", "--no-browser"]
    process = subprocess.Popen([sys.executable, "-c", _LINNET, *words], stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        heard = ""
        while not (found := re.search(r"http://127\.0\.0\.1:\d+", heard)):
            line = process.stderr.readline()
            assert line, heard
            heard += line
        yield found[0]
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stderr.close()


def post(address: str, body: dict[str, Any]) -> Any:
    request = urllib.request.Request(
        address, json.dumps(body).encode(), {"Content-Type": "application/json", "X-Linnet": "review"}
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read())


def test_what_is_saved_outlives_a_killed_server(mapping: Mapping, web: Path) -> None:
    with running(mapping.path, web) as address:
        post(f"{address}/api/mapping/rows/1/decision", {"concepts": [GOUT], "by": "ann"})
        post(f"{address}/api/mapping/rows/2/decision", {"concepts": [BREAST], "by": "ann"})
    assert [entry.by for entry in mapping.store.log()] == ["ann", "ann"]
    with running(mapping.path, web) as address:
        changed = post(f"{address}/api/mapping/rows/3/decision", {"concepts": []})
    assert changed["progress"]["strings"] == {"unchecked": 2, "approved": 3}


def test_each_server_shows_its_own_page(page: Any) -> None:
    assert "mapping<script" in page.get("/").text
    assert page.get("/assets/mapping-1.js").text == "1"
    for path in ("/index.html", "/../conftest.py", "/no.js", "/api/nothing"):
        assert page.get(path).status_code == 404


def test_without_its_page_the_server_does_not_start(mapping: Mapping, web: Path) -> None:
    (web / "assets" / "mapping-1.js").unlink()
    with pytest.raises(RequestError, match=r"page of linnet map review has not been built.*mapping-1\.js"):
        serve(mapping.path, browser=False)


def test_a_folder_that_is_no_mapping_and_a_port_that_is_taken_are_refused(
    mapping: Mapping, tmp_path: Path
) -> None:
    with pytest.raises(StoreError, match="is not a mapping"):
        serve(tmp_path, browser=False)
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(RequestError, check=advises(Step.OTHER_PORT, program="linnet map review")),
    ):
        serve(mapping.path, port=taken.getsockname()[1], browser=False)

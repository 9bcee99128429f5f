"""Fixtures of the service's tests: small terminologies, the application without a network, and servers as users start them."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the serve extra")
pytest.importorskip("prometheus_client", reason="needs the serve extra")

from fastapi.testclient import TestClient

from linnet.link.indexing import build_indexes
from linnet.link.linker_config import LinkerConfig
from linnet.serve.app import create_app
from linnet.serve.settings import Limits, Settings
from linnet.terminology import write_terminology
from linnet.terminology.search import SearchIndex
from linnet.types import Concept

CONCEPTS = [
    Concept("X:0", "Disease", types=("Disease",)),
    Concept("X:1", "Gout", ("gouty arthritis",), ("Disease",), "Crystals of urate in joints.", ("X:0",)),
    Concept("X:2", "Asthma", ("bronchial asthma",), ("Disease",), "Narrow airways.", ("X:0",)),
    Concept("X:3", "Migraine", ("migraine disorder",), ("Disease",), "", ("X:0",)),
    Concept("X:4", "Breast Neoplasms", ("breast cancer",), ("Disease",), "", ("X:0",)),
    Concept("X:5", "Ovarian Neoplasms", ("ovarian cancer",), ("Disease",), "", ("X:0",)),
    Concept("X:6", "Ataxia Telangiectasia", ("Louis-Bar syndrome",), ("Disease",), "", ("X:0",)),
    Concept("X:7", "Allopurinol", (), ("Chemical",), "For gout."),
    Concept("X:9", "", replaced_by=("X:1",)),
]


def build(place: Path, concepts: list[Concept] | None = None) -> Path:
    """A terminology with its indexes; what lies there is replaced, the search index and all."""
    pipeline = {"retrievers": ["exact", "sparse"], "reranker": None}
    terminology = write_terminology(concepts or CONCEPTS, place, pipeline=pipeline)
    build_indexes(terminology, ["exact", "sparse"])
    SearchIndex.build(terminology)
    return place


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A terminology that no test changes."""
    return build(tmp_path_factory.mktemp("terminologies") / "small")


class Site:
    """The application, called without a network."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.service, self.middleware = create_app(settings)
        self.client = TestClient(
            self.middleware, base_url="http://127.0.0.1:8766", raise_server_exceptions=False
        )

    @contextmanager
    def running(self, owner: str) -> Iterator[None]:
        """As if a request of this owner were running."""
        assert self.client.portal is not None
        with self.client.portal.wrap_async_context_manager(self.middleware._requests.admitted(owner)):
            yield

    def refused(self, status: int, method: str, path: str, **options: Any) -> dict[str, Any]:
        """The problem that a refused request is answered with."""
        answer = self.client.request(method, path, **options)
        assert answer.status_code == status, f"{method} {path}: {answer.status_code} {answer.text}"
        assert answer.headers["content-type"] == "application/problem+json"
        problem: dict[str, Any] = answer.json()
        assert problem["status"] == status
        assert problem["detail"]
        return problem


@pytest.fixture
def make_site(store: Path) -> Iterator[Callable[..., Site]]:
    """Makes a site; keyword arguments are of `Settings`, `Limits` or `LinkerConfig`."""
    made: list[Site] = []

    def make(**options: Any) -> Site:
        limits = {name: options.pop(name) for name in list(options) if name in Limits.__slots__}
        opening = LinkerConfig(
            terminologies=tuple(map(str, options.pop("terminologies", (store,)))),
            changes=options.pop("changes", {}),
            concept_types=options.pop("types", None),
        )
        chosen = {"opening": opening, "limits": Limits(**limits), "threads": 1} | options
        made.append(Site(Settings(**chosen)))
        made[-1].client.__enter__()
        return made[-1]

    yield make
    for site in made:
        site.client.__exit__()


@pytest.fixture(scope="session")
def site(store: Path) -> Iterator[Site]:
    """A site that tests only ask."""
    made = Site(Settings(opening=LinkerConfig(terminologies=(str(store),)), threads=1))
    with made.client:
        yield made


class Running:
    """A server in processes of its own."""

    def __init__(
        self, *terminologies: Path, options: tuple[str, ...] = (), env: dict[str, str] | None = None
    ) -> None:
        command = [sys.executable, "-c", "from linnet.cli import main; main()", "serve", "--port", "0"]
        for place in terminologies:
            command += ["--terminology", str(place)]
        self.process = subprocess.Popen(
            [*command, *options], stderr=subprocess.PIPE, text=True, env=os.environ | (env or {})
        )
        assert self.process.stderr is not None
        self.log = []
        for line in self.process.stderr:
            self.log.append(line)
            if "linnet serve is at http://" in line:
                break
        else:
            raise AssertionError("".join(self.log))
        self.address = line.split(" at ")[1].split(" ")[0]
        self.port = int(self.address.rpartition(":")[2])

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def socket(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Status and body of an answer, by a connection of its own."""
        connection = self.connect()
        data = None if body is None else json.dumps(body)
        try:
            connection.request(method, path, data, {"Content-Type": "application/json"} | headers)
            answer = connection.getresponse()
            said = answer.read()
        finally:
            connection.close()
        return answer.status, json.loads(said) if said[:1] in b"{[" else said.decode()

    def workers(self) -> list[int]:
        """Process ids of its workers."""
        children = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        return [int(pid) for file in children for pid in file.read_text().split()]

    def end(self, sig: int = signal.SIGTERM) -> int:
        """Its exit code, once it has ended."""
        if self.process.poll() is None:
            self.process.send_signal(sig)
        assert self.process.stderr is not None
        self.log += self.process.stderr.readlines()
        code = self.process.wait(timeout=30)
        self.process.stderr.close()
        return code


@contextmanager
def _running(
    *terminologies: Path, options: tuple[str, ...] = (), env: dict[str, str] | None = None
) -> Iterator[Running]:
    """A server that is ended with the block."""
    server = Running(*terminologies, options=options, env=env)
    try:
        yield server
    finally:
        server.end()


@pytest.fixture(scope="session")
def running() -> Callable[..., Any]:
    """A context manager: a server that ends with the block."""
    return _running


@pytest.fixture
def start() -> Iterator[Callable[..., Running]]:
    """Starts servers, which end with the test."""
    made: list[Running] = []

    def begin(
        *terminologies: Path, options: tuple[str, ...] = (), env: dict[str, str] | None = None
    ) -> Running:
        made.append(Running(*terminologies, options=options, env=env))
        return made[-1]

    yield begin
    for server in made:
        if server.process.poll() is None:
            server.end()


@pytest.fixture
def rebuild() -> Callable[..., Path]:
    """Builds a terminology, see `build`."""
    return build


def wait_for(true: Callable[[], Any], *, seconds: float = 60.0) -> Any:
    """What a function gives, once it gives something."""
    last = time.monotonic() + seconds
    while not (found := true()):
        if time.monotonic() > last:
            raise TimeoutError
        time.sleep(0.02)
    return found


@pytest.fixture
def until() -> Callable[..., Any]:
    """Waits, see `wait_for`."""
    return wait_for

"""Fixtures of the annotation tool's tests."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, cast

import pytest

pytest.importorskip("fastapi", reason="needs the annotate extra")

from anyio.from_thread import start_blocking_portal
from argon2 import PasswordHasher
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import create_engine, make_url, select, text
from tests.active.conftest import CONCEPTS, accurate, accurate_model, small_terminology

from linnet.annotate.api.app import create_app
from linnet.annotate.api.app_state import AppState
from linnet.annotate.domain.accounts import passwords
from linnet.annotate.domain.projects.members import set_member
from linnet.annotate.domain.states import ProjectRole
from linnet.annotate.jobs.worker import Worker
from linnet.annotate.settings import Settings
from linnet.annotate.store import Database, durable, open_database
from linnet.annotate.store.tables import Project, User

__all__ = ["CONCEPTS", "accurate", "accurate_model", "small_terminology"]

_NUMBERS = count(1)
SQLITE_ALONE = Path(__file__).with_name("sqlite_alone.txt")  # written by tools/sqlite_alone.py
_LISTED = frozenset(SQLITE_ALONE.read_text(encoding="utf-8").split("\n"))
PASSWORD = "correct horse battery staple"


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """URL of a PostgreSQL server in which databases may be made; skipped where there is none."""
    named, programs = os.environ.get("LINNET_TEST_POSTGRES"), _find_server()
    if named:
        yield named
    elif programs:
        with _started(programs) as url:
            yield url
    else:
        pytest.skip("no PostgreSQL: install it, or set LINNET_TEST_POSTGRES to a server's URL")


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """URL of an empty database, of either kind."""
    with _database(request, tmp_path) as url:
        yield url


@contextmanager
def _database(request: pytest.FixtureRequest, folder: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{folder / 'linnet.db'}"
        return
    server = make_url(request.getfixturevalue("postgres")).set(drivername="postgresql+psycopg")
    name = f"linnet_{os.getpid()}_{next(_NUMBERS)}"
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    yield server.set(drivername="postgresql", database=name).render_as_string(hide_password=False)
    with engine.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    engine.dispose()


@pytest.fixture(scope="session", autouse=True)
def _hurried_passwords() -> Iterator[None]:
    """Argon2 with the smallest parameters: what takes long on purpose need not take long in tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "_HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        yield


@pytest.fixture(scope="session", autouse=True)
def _unsynced_commits() -> Iterator[None]:
    """As in PostgreSQL with fsync=off: what a killed process committed is kept, only a power cut may lose it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(durable, "_SYNC", lambda log: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def _one_event_loop() -> Iterator[None]:
    """Runs the application of all clients, which would else start a thread and a loop for each request."""
    with start_blocking_portal() as portal, pytest.MonkeyPatch.context() as patch:
        patch.setattr(Client, "portal", portal)
        yield


@cache
def _application() -> FastAPI:
    """The application that all sites are: making it takes a second."""
    return create_app(cast(AppState, None))


class _OfSite:
    """The application with the state of one site."""

    def __init__(self, state: AppState) -> None:
        self._state = state

    async def __call__(self, *call: Any) -> None:
        _application().state.linnet = self._state
        await _application()(*call)

    def openapi(self) -> dict[str, Any]:
        return _application().openapi()

    @property
    def database(self) -> Database:
        return self._state.database


class Site:
    """The application, called without a network; a client does the jobs that its request posted."""

    def __init__(self, settings: Settings, *, working: bool = True) -> None:
        self.settings = settings
        self.database: Database = open_database(settings.database_url)
        self.worker = Worker(settings, self.database)
        self.working = working
        self.state = AppState.open(settings, self.database)
        self.app = _OfSite(self.state)

    def client(self) -> Client:
        """Somebody's browser, not signed in."""
        return Client(self.app, after=self.work if self.working else None)

    def work(self) -> None:
        """Do all jobs that wait."""
        while self.worker.work():
            pass

    def close(self) -> None:
        self.database.close()


class Client(TestClient):
    """A browser that repeats its session's token."""

    def __init__(
        self, app: Any, *, address: str = "127.0.0.1", after: Callable[[], None] | None = None
    ) -> None:
        super().__init__(app, base_url="http://127.0.0.1:8765", client=(address, 50000))
        self._after = after

    def sign_in(self, name: str, *, path: str = "session") -> Client:
        """Sign in, or create the first account with `path="setup"`."""
        answer = self.post(f"/api/{path}", json={"name": name, "password": PASSWORD})
        assert answer.status_code == 201, answer.text
        self.headers["X-CSRF-Token"] = answer.json()["csrf"]
        return self

    def request(self, method: str, url: Any, **options: Any) -> Any:
        """The answer, once the jobs that the request posted are done."""
        answer = super().request(method, url, **options)
        if self._after is not None and method != "GET":
            self._after()
        return answer

    def ok(self, method: str, path: str, body: Any = None, **options: Any) -> Any:
        """The answer to a request that is not refused."""
        answer = self.request(method, f"/api/{path}", json=body, **options)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def refused(
        self, status: int, method: str, path: str, body: Any = None, **options: Any
    ) -> dict[str, Any]:
        """The problem that a refused request is answered with."""
        answer = self.request(method, f"/api/{path}", json=body, **options)
        assert answer.status_code == status, f"{method} {path}: {answer.status_code} {answer.text}"
        problem: dict[str, Any] = answer.json()
        assert problem["message"]
        return problem

    def project(self, *, alone: bool = False, **fields: Any) -> int:
        """Number of a new project. alone: without members; else every account is one, as an annotator."""
        body = {"name": f"project {next(_NUMBERS)}", "terminology": "small", "held_out": 0}
        body |= {"recogniser": "dictionary"} | fields
        made = self.ok("POST", "projects", body)
        if not alone:
            self._add_everybody(made["id"], made["created_by"])
        return int(made["id"])

    def _add_everybody(self, project: int, creator: str) -> None:
        """In one transaction: the accounts that other tests made are many, and a request each would take half a second."""
        with self.app.database.write() as session:
            row = session.get_one(Project, project)
            for name in session.scalars(select(User.name).where(User.name != creator)):
                set_member(session, row, name, ProjectRole.ANNOTATOR, by=creator)

    def upload(self, project: int, files: Mapping[str, str | bytes], **fields: Any) -> Any:
        """The report of an upload."""
        parts = [
            ("files", (name, text.encode() if isinstance(text, str) else text))
            for name, text in files.items()
        ]
        return self.ok("POST", f"projects/{project}/documents", files=parts, data=fields)

    def document(self, project: int, text: str, **fields: Any) -> Any:
        """A document of a text, opened."""
        name = f"document {next(_NUMBERS)}"
        self.upload(project, {f"{name}.txt": text}, **fields)
        [found] = self.ok("GET", f"projects/{project}/documents?search={name.replace(' ', '_')}")["documents"]
        return self.ok("GET", f"documents/{found['id']}")


@pytest.fixture
def make_site(tmp_path: Path, small_terminology: Path) -> Iterator[Callable[..., Site]]:
    """Makes a site in a folder of its own."""
    made: list[Site] = []

    def make(*, database: str = "", working: bool = True) -> Site:
        settings = Settings(data=tmp_path / "data", database=database, terminologies=(small_terminology,))
        made.append(Site(settings, working=working))
        return made[-1]

    yield make
    for site in made:
        site.close()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests with a `site` on both databases, except those that SQLITE_ALONE names, and modules with a site of their own."""
    if "site" in metafunc.fixturenames and not hasattr(metafunc.module, "site"):
        alone = metafunc.definition.nodeid in _LISTED
        databases = ["sqlite"] if alone else ["sqlite", "postgresql"]
        metafunc.parametrize("site", databases, indirect=True, scope="session")


@pytest.fixture(scope="session")
def site(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, small_terminology: Path
) -> Iterator[Site]:
    """A site on SQLite, then one on PostgreSQL, that all tests share; each makes projects of its own."""
    folder = tmp_path_factory.mktemp("site")
    with _database(request, folder) as url:
        made = Site(Settings(data=folder / "data", database=url, terminologies=(small_terminology,)))
        yield made
        made.close()


@pytest.fixture(scope="session")
def ada(site: Site) -> Client:
    """An admin's browser, signed in."""
    return site.client().sign_in("ada", path="setup")


@pytest.fixture(scope="session")
def bob(site: Site, ada: Client) -> Client:
    """An annotator's browser, signed in."""
    ada.ok("POST", "users", {"name": "bob", "password": PASSWORD})
    return site.client().sign_in("bob")


@pytest.fixture
def quiet(make_site: Callable[..., Site]) -> Site:
    """A site on SQLite whose jobs nobody does."""
    return make_site(working=False)


@pytest.fixture(params=["deflate", "bzip2", "lzma"])
def damaged_zip(request: pytest.FixtureRequest) -> Callable[[Mapping[str, str]], bytes]:
    """Makes an archive of files whose packed bytes were altered, whichever way they were packed."""
    methods = {"deflate": zipfile.ZIP_DEFLATED, "bzip2": zipfile.ZIP_BZIP2, "lzma": zipfile.ZIP_LZMA}

    def make(files: Mapping[str, str]) -> bytes:
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", methods[request.param]) as archive:
            for name, text in files.items():
                archive.writestr(name, text)
        content = bytearray(stream.getvalue())
        content[60:75] = bytes(byte ^ 0x5A for byte in content[60:75])
        return bytes(content)

    return make


def _find_server() -> Path | None:
    """The folder with PostgreSQL's programs, None where there is none."""
    on_path = shutil.which("initdb")
    places = (
        [Path(on_path).resolve().parent] if on_path else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    )
    return next((place for place in reversed(places) if (place / "postgres").exists()), None)


@contextmanager
def _started(programs: Path) -> Iterator[str]:
    """URL of an empty server's database, which listens on a socket only and is gone when the block ends."""
    import pwd

    user = "postgres" if os.getuid() == 0 else None  # it refuses to run as root
    with tempfile.TemporaryDirectory(prefix="lpg", ignore_cleanup_errors=True) as folder:
        if user:
            account = pwd.getpwnam(user)
            os.chown(folder, account.pw_uid, account.pw_gid)
        run = {"user": user, "cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        data = f"{folder}/data"
        subprocess.run(
            [
                programs / "initdb",
                "-D",
                data,
                "-U",
                "linnet",
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--locale=C.UTF-8",
                "-N",
            ],
            check=True,
            **run,
        )
        settings = ["-c", "listen_addresses=", "-c", f"unix_socket_directories={folder}", "-c", "fsync=off"]
        server = subprocess.Popen([programs / "postgres", "-D", data, *settings], **run)
        try:
            _wait_for(folder)
            yield f"postgresql://linnet@/postgres?host={folder}"
        finally:
            server.terminate()
            server.wait(timeout=20)


def _wait_for(folder: str) -> None:
    import psycopg

    for _ in range(300):
        try:
            psycopg.connect(host=folder, user="linnet", dbname="postgres").close()
        except psycopg.OperationalError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError("PostgreSQL did not answer within 30 s")

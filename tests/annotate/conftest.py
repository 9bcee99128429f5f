"""Fixtures of the annotation tool's tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="needs the annotate extra")

from sqlalchemy import create_engine, make_url, text

_NUMBERS = count(1)


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
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'linnet.db'}"
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

"""`linnet annotate` as a process of its own, people who call it, and the processor time it takes. Used by `annotate_speed.py`."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

__all__ = ["PASSWORD", "Caller", "OpenPages", "Server"]

PASSWORD = "correct horse battery"
_START = 60.0  # seconds a busy machine may take
_KEPT = 3.0  # seconds a connection may idle; the server hangs up after 5


class Server:
    """Started on a free port of this machine; `close` ends it and its trainer."""

    def __init__(self, data: Path, *, database: str = "", terminologies: list[Path]) -> None:
        code = "import sys; from linnet.cli import main; sys.exit(main())"
        options = ["annotate", "--data", str(data), "--port", "0", "--no-browser"]
        options += ["--database", database] if database else []
        for path in terminologies:
            options += ["--terminology", str(path)]
        self._log = data.with_suffix(".log")
        with self._log.open("w", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-c", code, *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.port = self._port()
        self.address = f"http://127.0.0.1:{self.port}"

    def _port(self) -> int:
        deadline = time.monotonic() + _START
        while time.monotonic() < deadline and self._process.poll() is None:
            said = re.search(r"http://127\.0\.0\.1:(\d+)", self._log.read_text(encoding="utf-8"))
            if said:
                port = int(said[1])
                with suppress(OSError):
                    Caller(port).call("GET", "/status")
                    return port
            time.sleep(0.05)
        self.close()
        raise RuntimeError(f"the server did not start: {self._log.read_text(encoding='utf-8')}")

    def cpu(self) -> float:
        """Seconds of processor time of the server itself so far, without its trainer; counted in hundredths."""
        return _cpu(self._process.pid, children=False)

    def trainer_cpu(self) -> float:
        """Seconds of processor time of the trainer, and of what it started and has ended."""
        return sum(_cpu(pid, children=True) for pid in _children(self._process.pid))

    def close(self) -> None:
        """End it and whatever it started."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=15)
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


class Caller:
    """One person's connection, kept open; not signed in before `sign_in`."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self._headers: dict[str, str] = {}
        self._used = 0.0

    def sign_in(self, name: str, *, first: bool = False) -> None:
        """With the password of all. first: creates the first account."""
        answer = self._send(
            "POST",
            "/setup" if first else "/session",
            json.dumps({"name": name, "password": PASSWORD}).encode(),
        )
        self._headers["Cookie"] = answer[1].partition(";")[0]
        self._headers["X-CSRF-Token"] = json.loads(answer[0])["csrf"]

    def call(self, method: str, path: str, body: object = None, **query: Any) -> Any:
        """What a request answers. Raises RuntimeError with the server's words where it is refused."""
        asked = f"?{urlencode(query, doseq=True)}" if query else ""
        answer, _ = self._send(method, path + asked, None if body is None else json.dumps(body).encode())
        return json.loads(answer) if answer else None

    def upload(self, project: int, name: str, text: str, **fields: str) -> Any:
        """Upload one file and wait until its documents are predicted in."""
        edge = "linnet-benchmark-edge"
        parts = [
            f'--{edge}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'
            for key, value in fields.items()
        ]
        parts.append(
            f'--{edge}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n'
            f"Content-Type: text/plain\r\n\r\n{text}\r\n--{edge}--\r\n"
        )
        answer, _ = self._send(
            "POST",
            f"/projects/{project}/documents",
            "".join(parts).encode(),
            kind=f"multipart/form-data; boundary={edge}",
        )
        self.wait(project)
        return json.loads(answer)

    def wait(self, project: int) -> list[Any]:
        """Until no job of a project waits or runs; its jobs."""
        while True:
            jobs = self.call("GET", f"/projects/{project}/jobs")
            if not {"queued", "running"} & {job["state"] for job in jobs}:
                if failed := [job["reason"] for job in jobs if job["state"] == "failed"]:
                    raise RuntimeError(f"a job failed: {failed[0]}")
                return list(jobs)
            time.sleep(0.1)

    def again(self) -> Caller:
        """Another connection of the same person."""
        other = Caller(self._port)
        other._headers = self._headers
        return other

    @property
    def cookie(self) -> str:
        """Value of the session's cookie, for a browser."""
        return self._headers["Cookie"].partition("=")[2]

    def close(self) -> None:
        """End the connection."""
        self._connection.close()

    def _send(
        self, method: str, path: str, body: bytes | None, *, kind: str = "application/json"
    ) -> tuple[bytes, str]:
        headers: Mapping[str, str] = {**self._headers, **({"Content-Type": kind} if body is not None else {})}
        if time.monotonic() - self._used > _KEPT:
            self._connection.close()  # opened again by the request
        self._connection.request(method, f"/api{path}", body=body, headers=headers)
        answer = self._connection.getresponse()
        content = answer.read()
        self._used = time.monotonic()
        if answer.status >= 400:
            raise RuntimeError(f"{method} {path} was refused with {answer.status}: {content.decode()[:500]}")
        return content, answer.headers.get("Set-Cookie", "")


class OpenPages:
    """Ask every second what has happened in a project, as open pages do."""

    def __init__(self, callers: list[Caller], project: int) -> None:
        self._ending = threading.Event()
        self._threads = [
            threading.Thread(
                target=self._ask, args=(caller.again(), f"/projects/{project}/changes"), daemon=True
            )
            for caller in callers
        ]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Close them."""
        self._ending.set()
        for thread in self._threads:
            thread.join()

    def _ask(self, caller: Caller, path: str) -> None:
        since = caller.call("GET", path)["since"]
        while not self._ending.wait(1.0):
            since = caller.call("GET", path, since=since)["since"]
        caller.close()


def _children(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        yield from map(int, task.read_text(encoding="ascii").split())


def _cpu(pid: int, *, children: bool) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return sum(map(int, fields[11 : 15 if children else 13])) / os.sysconf("SC_CLK_TCK")

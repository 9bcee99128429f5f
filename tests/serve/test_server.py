"""The server as users start it: replaced, ended, killed, asked by many, by slow ones and by hostile ones."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from linnet.cli import app
from linnet.types import Concept

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/smaps_rollup").exists(), reason="needs Linux: looks into /proc"
)
GOUT = {"mentions": [{"text": "gout"}], "k": 1}


class Asking(threading.Thread):
    """A client that asks over and over by one connection, and notes what is wrong with the answers."""

    def __init__(self, server: Any, fits: Callable[[int, dict[str, Any], Any], bool]) -> None:
        super().__init__(daemon=True)
        self._server, self._fits = server, fits
        self.wrong: list[str] = []
        self.seen: set[str] = set()
        self.count = 0
        self.over = threading.Event()

    def run(self) -> None:
        connection = self._server.connect()
        while not self.over.is_set():
            try:
                connection.request("POST", "/v1/link", json.dumps(GOUT), {"Content-Type": "application/json"})
                answer = connection.getresponse()
                said = json.loads(answer.read())
            except (OSError, http.client.HTTPException) as error:
                self.wrong.append(repr(error))
                break
            self.count += 1
            self.seen.add(answer.headers["linnet-terminology"])
            if not self._fits(answer.status, said, answer.headers):
                self.wrong.append(json.dumps(said))
        connection.close()


def test_a_terminology_is_replaced_under_load_and_no_request_is_dropped_or_mixed(
    start: Callable[..., Any], rebuild: Callable[..., Path], until: Callable[..., Any], tmp_path: Path
) -> None:
    place, digests = tmp_path / "t", {}
    for version in range(3, -1, -1):
        rebuild(place, [Concept(f"V:{version}", "Gout"), Concept("Z:1", "Scurvy")])
        found = json.loads((place / "terminology.json").read_text())
        digests[found["digest"]] = f"V:{version}"
    server = start(place, options=("--workers", "2", "--poll", "0.05", "--threads", "1"))

    def fits(status: int, said: dict[str, Any], headers: Any) -> bool:
        [link] = said["links"]
        [one] = said["served"]["terminologies"]
        return (
            status == 200
            and [digests[headers["linnet-terminology"]]] == link["concepts"]
            and one["digest"] == headers["linnet-terminology"]
            and said["served"]["snapshot"] == headers["linnet-snapshot"]
        )

    clients = [Asking(server, fits) for _ in range(4)]
    for client in clients:
        client.start()
    for version in range(1, 4):
        until(lambda version=version: all(len(client.seen) == version for client in clients))
        rebuild(place, [Concept(f"V:{version}", "Gout"), Concept("Z:1", "Scurvy")])
        until(
            lambda version=version: all(
                server.ask("POST", "/v1/link", GOUT)[1]["links"][0]["concepts"] == [f"V:{version}"]
                for _ in range(6)
            )
        )
    until(lambda: all(len(client.seen) == 4 for client in clients))
    for client in clients:
        client.over.set()
        client.join()
    assert [client.wrong for client in clients] == [[], [], [], []]
    assert min(client.count for client in clients) > 10
    # Both processes are counted, and say what they serve now.
    metrics = server.ask("GET", "/metrics")[1].splitlines()
    total = next(
        line for line in metrics if line.startswith('linnet_requests_total{method="POST",route="/v1/link"')
    )
    assert float(total.split()[-1]) >= sum(client.count for client in clients)
    until(
        lambda: (
            [line[-4:] for line in _metrics(server) if line.startswith("linnet_snapshot_info{")] == [" 2.0"]
        )
    )
    # What was mapped for the terminologies before is given back.
    os.kill(server.process.pid, signal.SIGHUP)
    until(lambda: sum(_deleted(pid, str(place)) for pid in server.workers()) == 0)
    assert server.end() == 0
    assert "Traceback" not in "".join(server.log)


def _deleted(pid: int, place: str) -> int:
    """Files of a terminology that is gone, which a process still has in memory."""
    lines = Path(f"/proc/{pid}/maps").read_text().splitlines()
    return sum(1 for line in lines if line.endswith("(deleted)") and place in line)


def test_requests_that_have_begun_are_finished_when_it_ends(start: Callable[..., Any], store: Path) -> None:
    server = start(store)
    idle = server.connect()
    idle.request("GET", "/health")
    idle.getresponse().read()
    # A request whose body is still arriving, and a batch that has no end.
    begun = server.socket()
    body = json.dumps(GOUT).encode()
    begun.sendall(b"POST /v1/link HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n")
    begun.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body[:10]))
    batch = server.connect()
    batch.putrequest("POST", "/v1/batch/link")
    batch.putheader("Content-Type", "application/x-ndjson")
    batch.putheader("Transfer-Encoding", "chunked")
    batch.endheaders()
    line = b'{"id": "m1", "text": "gout"}\n'
    batch.send(b"%x\r\n%s\r\n" % (len(line), line))
    answers = batch.getresponse()
    assert json.loads(answers.readline())["id"] == "m1"
    server.process.send_signal(signal.SIGTERM)
    time.sleep(1.5)  # a second of it is the clients' to close their connections
    with pytest.raises(OSError):
        server.socket()
    begun.sendall(body[10:])
    said = b""
    while piece := begun.recv(65536):
        said += piece
    assert said.startswith(b"HTTP/1.1 200")
    assert b'"X:1"' in said
    last = json.loads(answers.readline())
    assert (last["line"], last["problem"]["code"]) == (2, "busy")
    assert "up to 1" in last["problem"]["next"]
    assert answers.read() == b""
    assert server.end() == 0
    for one in (idle, batch, begun):
        one.close()


def test_clients_that_keep_their_connection_are_told_to_close_it_and_see_no_reset(
    start: Callable[..., Any], store: Path
) -> None:
    server = start(store)
    wrong: list[str] = []
    told: list[int] = []

    def ask() -> None:
        connection = server.connect()
        try:
            while True:
                connection.request("GET", "/ready")
                answer = connection.getresponse()
                answer.read()
                if answer.headers["connection"] == "close":
                    told.append(answer.status)
                    return
        except (OSError, http.client.HTTPException) as error:
            wrong.append(repr(error))
        finally:
            connection.close()

    clients = [threading.Thread(target=ask) for _ in range(8)]
    for client in clients:
        client.start()
    time.sleep(0.3)
    assert server.end() == 0
    for client in clients:
        client.join()
    assert wrong == []
    assert told == [503] * 8


@pytest.mark.parametrize("workers", ["1", "2"])
def test_what_is_not_done_in_time_when_it_ends_is_refused_as_a_problem(
    start: Callable[..., Any], store: Path, until: Callable[..., Any], workers: str
) -> None:
    server = start(store, options=("--drain", "1", "--threads", "1", "--workers", workers))
    answers: list[tuple[int, Any]] = []
    text = "gout/" * 19_000

    def ask() -> None:
        answers.append(server.ask("POST", "/v1/annotate", {"text": text}))

    clients = [threading.Thread(target=ask) for _ in range(4)]
    for client in clients:
        client.start()
    until(lambda: "linnet_requests_in_flight 5.0" in _metrics(server))
    assert server.end() == 0
    for client in clients:
        client.join()
    refused = [said for status, said in answers if status == 503]
    assert refused
    assert {said["code"] for said in refused} == {"busy"}
    assert {status for status, _ in answers} <= {200, 503}
    assert "Traceback" not in "".join(server.log)


def test_several_processes_share_what_they_serve_and_one_that_dies_is_replaced(
    start: Callable[..., Any], rebuild: Callable[..., Path], until: Callable[..., Any], tmp_path: Path
) -> None:
    place = rebuild(
        tmp_path / "t", [Concept(f"L:{n}", f"disease {n} of {n % 97} kinds") for n in range(3_000)]
    )
    server = start(place, options=("--workers", "2", "--threads", "1"))
    workers = server.workers()
    for number in range(10):
        asked = {"mentions": [{"text": f"disease {number} of kind {n}"} for n in range(20)]}
        assert server.ask("POST", "/v1/link", asked)[0] == 200
    mapped = [_mapped(pid, str(place)) for pid in workers]
    assert len(mapped) == 2
    assert all(0 < pss < 0.75 * rss for rss, pss in mapped), "each has a copy of its own"
    os.kill(workers[0], signal.SIGKILL)
    assert server.ask("POST", "/v1/link", GOUT)[0] == 200
    until(lambda: len(set(server.workers()) - {workers[0]}) == 2)
    info = "linnet_snapshot_info{"
    until(lambda: any(line.startswith(info) and line.endswith(" 2.0") for line in _metrics(server)))
    total = [line for line in _metrics(server) if line.startswith('linnet_requests_total{method="POST"')]
    assert float(total[0].split()[-1]) >= 6
    # Those who serve end with who started them, whatever becomes of it.
    workers = server.workers()
    server.process.kill()
    server.end()
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))
    assert "ended by signal 9" in "".join(server.log)


def _metrics(server: Any) -> list[str]:
    text: str = server.ask("GET", "/metrics")[1]
    return text.splitlines()


# ── slow and hostile clients ─────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def guarded(store: Path, request: pytest.FixtureRequest) -> Iterator[Any]:
    options = ("--threads", "1", "--read-timeout", "0.5", "--write-timeout", "0.5", "--max-requests", "8")
    with request.getfixturevalue("running")(store, options=options) as made:
        yield made


def _received(connection: socket.socket) -> bytes:
    """All that arrives until the server closes the connection."""
    received = b""
    try:
        while piece := connection.recv(65536):
            received += piece
    except ConnectionResetError:
        received += b"<reset>"
    finally:
        connection.close()
    return received


def test_a_client_that_sends_its_body_too_slowly_is_cut_off_and_others_are_answered(guarded: Any) -> None:
    slow = guarded.socket()
    slow.sendall(b"POST /v1/link HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n")
    slow.sendall(b"Content-Length: 100\r\n\r\n{")
    assert guarded.ask("POST", "/v1/link", GOUT)[0] == 200
    received = _received(slow)  # to the end of the connection
    assert received.startswith(b"HTTP/1.1 408")
    assert b"application/problem+json" in received


def test_a_crowd_of_slow_clients_leaves_room_for_others(guarded: Any) -> None:
    crowd = []
    for _ in range(60):
        connection = guarded.socket()
        connection.sendall(b"POST /v1/link HTTP/1.1\r\nHost: a")
        crowd.append(connection)
    for _ in range(3):
        assert guarded.ask("POST", "/v1/link", GOUT)[0] == 200
    for connection in crowd:
        connection.close()


def test_one_request_too_many_is_told_to_come_back(guarded: Any, until: Callable[..., Any]) -> None:
    head = b"POST /v1/link HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n"

    def refused() -> bool:
        # Each of them is there for half a second.
        crowd = [guarded.socket() for _ in range(8)]
        for connection in crowd:
            connection.sendall(head)
        time.sleep(0.05)
        found = guarded.ask("POST", "/v1/link", GOUT)[0]
        assert guarded.ask("GET", "/health")[0] == 200
        assert guarded.ask("GET", "/ready")[0] == 200
        for connection in crowd:
            connection.close()
        return bool(found == 503)

    until(refused)
    assert until(lambda: guarded.ask("POST", "/v1/link", GOUT)[0] == 200)


def test_a_client_that_does_not_read_frees_its_place(guarded: Any, until: Callable[..., Any]) -> None:
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", guarded.port))
    many = json.dumps({"mentions": [{"text": "gout"}] * 300, "k": 100}).encode()
    request = b"POST /v1/link HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    connection.settimeout(5)
    try:
        for _ in range(200):
            connection.sendall(request % len(many) + many)
    except OSError:
        pass
    until(lambda: "linnet_requests_in_flight 1.0" in _metrics(guarded))
    connection.close()


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"x" * 1_000_000,
        b"GARBAGE\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"POST /v1/link HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
)
def test_invalid_http_is_refused(guarded: Any, sent: bytes) -> None:
    connection = guarded.socket()
    connection.sendall(sent)
    received = _received(connection)
    assert received.startswith(b"HTTP/1.1 400 Bad Request"), received
    assert guarded.ask("GET", "/health")[0] == 200


def test_work_of_who_goes_away_is_not_done(guarded: Any, until: Callable[..., Any]) -> None:
    def looked_at() -> float:
        [line] = [line for line in _metrics(guarded) if line.startswith("linnet_mentions_total")]
        return float(line.split()[-1])

    before = looked_at()
    text = " ".join(f"gout number {n} and asthma with migraine." for n in range(800))
    body = json.dumps({"text": text[:30_000]}).encode()
    head = b"POST /v1/annotate HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    crowd = []
    for _ in range(8):
        connection = guarded.socket()
        connection.sendall(head % len(body) + body)
        crowd.append(connection)
    until(lambda: "linnet_requests_in_flight 9.0" in _metrics(guarded))
    for connection in crowd:
        connection.close()
    until(lambda: "linnet_requests_in_flight 1.0" in _metrics(guarded))
    status, said = guarded.ask("POST", "/v1/link", GOUT)
    assert (status, said["links"][0]["concepts"]) == (200, ["X:1"])
    done = looked_at() - before
    each = text[:30_000].count("gout")
    # One was being annotated, perhaps a second; eight would be as many times as many.
    assert done < 4 * 3 * each


# ── starting ─────────────────────────────────────────────────────────────────────────────────────────────────


def _refused(*options: str | Path, env: dict[str, str] | None = None) -> str:
    command = [sys.executable, "-c", "from linnet.cli import main; main()", "serve", *map(str, options)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=os.environ | (env or {}))
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


def test_what_cannot_be_started_says_why(guarded: Any, store: Path, tmp_path: Path) -> None:
    assert "Choose another --port" in _refused("-t", store, "--port", str(guarded.port))
    everybody = _refused("-t", store, "--host", "0.0.0.0", "--port", "0")
    assert "--api-keys" in everybody
    assert "--open" in everybody
    assert "an address of this machine" in _refused(
        "-t", store, "--host", "192.0.2.1", "--port", "0", "--open"
    )
    several = _refused("-t", tmp_path / "none", "--port", "0", "--workers", "2")
    assert "linnet terminology build" in several


def test_a_server_that_others_can_reach_advises_a_proxy(start: Callable[..., Any], store: Path) -> None:
    server = start(store, options=("--host", "0.0.0.0", "--open"))
    assert server.end() == 0
    assert "put a proxy in front of it" in "".join(server.log)


class _Starting:
    """A server of two processes, the first of which is just starting, and what it says."""

    def __init__(self, store: Path, until: Callable[..., Any]) -> None:
        command = [sys.executable, "-c", "from linnet.cli import main; main()", "serve", "--port", "0"]
        self.process = subprocess.Popen(
            [*command, "--workers", "2", "-t", str(store)], stderr=subprocess.PIPE, text=True
        )
        self.said: list[str] = []
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        until(self.children)

    def children(self) -> list[int]:
        """Process ids of what it has started."""
        file = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(pid) for pid in file.read_text().split()]

    def _listen(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as lines:
            self.said.extend(lines)

    def end(self) -> int:
        self.process.terminate()
        code = self.process.wait(30)
        self._listener.join(10)
        return code


def test_a_hangup_while_it_starts_does_not_end_it(store: Path, until: Callable[..., Any]) -> None:
    server = _Starting(store, until)

    def there() -> bool:
        server.process.send_signal(signal.SIGHUP)
        time.sleep(0.05)
        return server.process.poll() is not None or any(" is at " in line for line in server.said)

    until(there)
    assert server.process.poll() is None, server.said
    assert server.end() == 0


def test_a_process_that_is_killed_while_it_starts_is_replaced(store: Path, until: Callable[..., Any]) -> None:
    server = _Starting(store, until)
    second = until(lambda: server.children()[1:])[0]
    os.kill(second, signal.SIGKILL)
    until(lambda: server.process.poll() is not None or any(" is at " in line for line in server.said))
    assert server.process.poll() is None, server.said
    until(lambda: len(server.children()) == 2)
    assert second not in server.children()
    assert server.end() == 0
    assert "ended by signal 9; another starts" in "".join(server.said)


def test_a_first_process_that_is_killed_while_it_starts_is_named_with_its_signal(
    store: Path, until: Callable[..., Any]
) -> None:
    server = _Starting(store, until)
    os.kill(server.children()[0], signal.SIGKILL)
    assert server.process.wait(30) == 1
    server.end()
    assert "ended by signal 9 before it answered requests" in "".join(server.said)


def test_ended_while_it_starts_it_starts_no_others(store: Path, until: Callable[..., Any]) -> None:
    server = _Starting(store, until)
    assert server.end() == 0
    assert server.said == []


def test_a_process_that_cannot_take_the_place_of_another_says_why(
    start: Callable[..., Any], rebuild: Callable[..., Path], until: Callable[..., Any], tmp_path: Path
) -> None:
    place = rebuild(tmp_path / "t")
    server = start(place, options=("--workers", "2", "--threads", "1", "--poll", "0.1"))
    place.rename(tmp_path / "aside")
    os.kill(server.workers()[0], signal.SIGKILL)
    lines = iter(server.process.stderr)
    assert any("linnet terminology build" in line for line in lines if "with code 1" in line)
    assert server.ask("POST", "/v1/link", GOUT)[0] == 200
    assert [one["code"] for one in server.ask("GET", "/ready")[1]["faults"]] == ["store_missing"]
    (tmp_path / "aside").rename(place)
    until(lambda: 'linnet_faults{code="store_missing"} 0.0' in _metrics(server))
    info = "linnet_snapshot_info{"
    until(lambda: any(line.startswith(info) and line.endswith(" 2.0") for line in _metrics(server)))
    assert server.end() == 0


def test_without_its_extra_it_says_what_to_install(store: Path, monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    refused = CliRunner().invoke(app, ["serve", "-t", str(store)])
    assert refused.exit_code == 1
    assert re.search(r"needs the 'serve' extra\. Run: pip install .*\[serve\]", refused.stderr)


def _mapped(pid: int, place: str) -> tuple[int, int]:
    """Resident and proportional kilobytes of the files of a terminology."""
    rss = pss = 0
    ours = False
    for line in Path(f"/proc/{pid}/smaps").read_text().splitlines():
        if not line.split(maxsplit=1)[0].endswith(":"):
            ours = place in line
        elif ours and line.startswith("Rss:"):
            rss += int(line.split()[1])
        elif ours and line.startswith("Pss:"):
            pss += int(line.split()[1])
    return rss, pss


def test_the_word_starter_names_the_packaged_terminology_unless_a_folder_has_the_name(
    start: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    server = start("starter")
    status, answer = server.ask("POST", "/v1/link", {"mentions": [{"text": "heart attack"}], "k": 1})
    assert (status, answer["links"][0]["concepts"]) == (200, ["MESH:D009203"])
    assert [entry["name"] for entry in answer["served"]["terminologies"]] == ["starter"]
    assert server.end() == 0
    (tmp_path / "starter").mkdir()
    done = CliRunner().invoke(app, ["serve", "--terminology", "starter"])
    assert done.exit_code == 1
    assert "Write ./starter for the folder." in done.stderr

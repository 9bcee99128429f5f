"""The nginx file of docs/serving.md before a server: what slow, silent and deaf clients can do then."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
pytestmark = pytest.mark.skipif(NGINX is None, reason="needs nginx")

PAGE = (Path(__file__).parents[2] / "docs" / "serving.md").read_text(encoding="utf-8")
GOUT = json.dumps({"mentions": [{"text": "gout"}], "k": 1})
JSON = {"Content-Type": "application/json"}
# What surrounds the file on Debian, in a folder of this test.
MAIN = """daemon off; pid {folder}/pid; error_log {folder}/error.log; worker_processes 1; {user}
events {{ worker_connections 256; }}
http {{
    access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    {file}
}}
"""


class Proxied:
    """nginx before a server. port: nginx's."""

    def __init__(self, server: Any, folder: Path) -> None:
        self.server = server
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        [file] = re.findall(r"```nginx\n(# /etc/nginx/.*?)```", PAGE, re.DOTALL)
        for pattern, replacement in (
            (r"listen 443 ssl;", f"listen 127.0.0.1:{self.port};"),
            (r"\n *(ssl_certificate|server_name)[^\n]*", ""),
            (r"127\.0\.0\.1:8766", f"127.0.0.1:{server.port}"),
            (r"(client_header_timeout|send_timeout) [0-9]+s", r"\1 1s"),
            (r"limit_conn linnet [0-9]+", "limit_conn linnet 8"),
        ):
            file, count = re.subn(pattern, replacement, file)
            assert count, f"the file on the page has no {pattern}"
        config = folder / "nginx.conf"
        user = "user root;" if os.getuid() == 0 else ""
        config.write_text(MAIN.format(folder=folder, file=file, user=user))
        assert NGINX is not None
        self.process = subprocess.Popen(
            [NGINX, "-p", str(folder), "-c", str(config)], stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + 20
        while True:
            try:
                self.socket().close()
                break
            except OSError:
                assert time.monotonic() < deadline, (folder / "error.log").read_text()
                time.sleep(0.05)

    def socket(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def link(self) -> int:
        """Status of the answer to a small request."""
        connection = self.connect()
        connection.request("POST", "/v1/link", GOUT, JSON)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status


@pytest.fixture(scope="module")
def proxied(
    store: Path, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Proxied]:
    with request.getfixturevalue("running")(store, options=("--threads", "1")) as server:
        proxied = Proxied(server, tmp_path_factory.mktemp("nginx"))
        yield proxied
        proxied.process.terminate()
        proxied.process.wait(20)


def _ended(connection: socket.socket) -> bool:
    """Whether the connection ends within a few seconds."""
    connection.settimeout(5)
    try:
        while connection.recv(65536):
            pass
    except TimeoutError:
        return False
    except ConnectionError:
        pass
    connection.close()
    return True


def test_answers_pass_unchanged(proxied: Proxied) -> None:
    answers = []
    for connection in (proxied.connect(), proxied.server.connect()):
        connection.request("POST", "/v1/link", GOUT, JSON)
        answer = connection.getresponse()
        answers.append((answer.status, answer.headers["linnet-snapshot"], answer.read()))
        connection.request("GET", "/v1/concepts/none")
        refused = connection.getresponse()
        assert (refused.status, refused.headers["content-type"]) == (404, "application/problem+json")
        connection.close()
    assert answers[0] == answers[1]


def test_silent_clients_and_slow_heads_are_cut_off_and_others_are_answered(proxied: Proxied) -> None:
    silent, slow = proxied.socket(), proxied.socket()
    head = b"POST /v1/link HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    dripped, deadline = 0, time.monotonic() + 5
    try:
        while time.monotonic() < deadline:
            slow.sendall(head[dripped : dripped + 1])
            dripped += 1
            time.sleep(0.05)
    except OSError:
        assert dripped < len(head)
    assert proxied.link() == 200
    assert _ended(slow)
    assert _ended(silent)


def test_a_crowd_of_slow_clients_leaves_room_for_others(proxied: Proxied) -> None:
    crowd = []
    for _ in range(60):
        crowd.append(proxied.socket())
        crowd[-1].sendall(b"POST /v1/link HTTP/1.1\r\nHost: a")
    assert [proxied.link() for _ in range(3)] == [200, 200, 200]
    assert all(_ended(connection) for connection in crowd)


def test_slow_bodies_do_not_reach_the_server(proxied: Proxied) -> None:
    slow = proxied.socket()
    slow.sendall(
        b"POST /v1/link HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
    )
    time.sleep(0.2)
    assert "linnet_requests_in_flight 1.0" in proxied.server.ask("GET", "/metrics")[1]
    slow.close()


def test_one_address_has_a_limit_of_requests(proxied: Proxied, until: Callable[..., Any]) -> None:
    crowd = []
    for _ in range(8):
        crowd.append(proxied.socket())
        crowd[-1].sendall(b"POST /v1/link HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{")
    assert until(lambda: proxied.link() == 503)
    for connection in crowd:
        connection.close()
    assert until(lambda: proxied.link() == 200)


def test_a_client_that_does_not_read_is_cut_off(proxied: Proxied) -> None:
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", proxied.port))
    mentions = [{"text": "gout", "id": "x" * 500} for _ in range(1000)]
    body = json.dumps({"mentions": mentions, "k": 100}).encode()
    head = (
        b"POST /v1/link HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    )
    connection.settimeout(10)
    try:
        for _ in range(50):
            connection.sendall(head % len(body) + body)
    except ConnectionError:
        pass
    else:
        pytest.fail("nginx has read 50 requests of a client that reads no answer")
    finally:
        connection.close()
    assert "linnet_requests_in_flight 1.0" in proxied.server.ask("GET", "/metrics")[1]


def test_a_batch_is_answered_line_by_line(proxied: Proxied) -> None:
    connection = proxied.connect()
    connection.putrequest("POST", "/v1/batch/link?k=1")
    connection.putheader("Content-Type", "application/x-ndjson")
    connection.putheader("Transfer-Encoding", "chunked")
    connection.endheaders()
    line = b'{"text": "gout"}\n'
    connection.send(b"%x\r\n%s\r\n" % (len(line), line))
    answer = connection.getresponse()
    assert json.loads(answer.readline())["concepts"] == ["X:1"]
    for number in range(2, 5):
        connection.send(b"%x\r\n%s\r\n" % (len(line), line))
        assert json.loads(answer.readline())["id"] == str(number)
    connection.send(b"0\r\n\r\n")
    assert answer.read() == b""
    connection.close()


def test_a_batch_that_is_sent_whole_before_any_answer_is_read_is_answered_whole(proxied: Proxied) -> None:
    count = 12_000
    lines = b"".join(b'{"text": "gout", "left": "%s"}\n' % (b"a long context " * 10) for _ in range(count))
    connection = proxied.connect()
    connection.request("POST", "/v1/batch/link?k=3", lines, {"Content-Type": "application/x-ndjson"})
    answer = connection.getresponse()
    assert answer.status == 200
    assert [json.loads(line)["id"] for line in answer.read().splitlines()] == [
        str(n) for n in range(1, count + 1)
    ]
    connection.close()


@pytest.mark.parametrize("sent", [b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GARBAGE\r\n\r\n"])
def test_invalid_http_does_not_reach_the_server(proxied: Proxied, sent: bytes) -> None:
    connection = proxied.socket()
    connection.sendall(sent)
    assert connection.recv(12) == b"HTTP/1.1 400"
    assert _ended(connection)
    assert proxied.link() == 200


def test_many_clients_are_answered_at_once(proxied: Proxied) -> None:
    statuses: list[int] = []
    clients = [threading.Thread(target=lambda: statuses.append(proxied.link())) for _ in range(6)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    assert statuses == [200] * 6

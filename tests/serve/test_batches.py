"""Batches: order, bad lines in their place, bounded memory, answers while lines are still sent."""

from __future__ import annotations

import asyncio
import errno
import http.client
import io
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from linnet.http.refusals import Refusal
from linnet.serve.line_reader import LineReader
from linnet.serve.spool import Spool
from linnet.serve.tasks import LinkTask

NDJSON = {"Content-Type": "application/x-ndjson"}


def _post(site: Any, path: str, lines: str | bytes) -> list[dict[str, Any]]:
    answer = site.client.post(f"/v1/batch/{path}", content=lines, headers=NDJSON)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/x-ndjson"
    return [json.loads(line) for line in answer.text.splitlines()]


def test_there_is_a_line_for_each_line_in_their_order(site: Any) -> None:
    names = ["gout", "asthma", "migraine", "quoxly", "breast and ovarian cancer"] * 100
    lines = "".join(json.dumps({"id": f"m{n}", "text": name}) + "\n" for n, name in enumerate(names))
    answers = _post(site, "link", lines)
    assert [one["id"] for one in answers] == [f"m{n}" for n in range(500)]
    assert [one["text"] for one in answers] == names
    alone = site.client.post("/v1/link", json={"mentions": [{"id": "m4", "text": names[4]}]}).json()["links"][
        0
    ]
    assert answers[4] == alone | {"snapshot": answers[0]["snapshot"]}


def test_a_bad_line_is_answered_in_its_place(make_site: Any) -> None:
    site = make_site(body=5000, text=100)
    bad = b"\n".join(
        [
            b'{"text": "gout"}',
            b"",
            b"{not json",
            b'{"text": null}',
            b'["gout"]',
            b'{"text": "\xff"}',
            b'{"text": "' + b"x" * 6000 + b'"}',
            b'{"id": "last", "text": "asthma"}',
        ]
    )
    answers = _post(site, "link", bad)
    assert [one.get("id", one.get("line")) for one in answers] == ["1", 3, 4, 5, 6, 7, "last"]
    assert [one["problem"]["status"] for one in answers if "problem" in one] == [400, 422, 422, 400, 413]
    assert all(one["problem"]["detail"] for one in answers if "problem" in one)
    answers = _post(site, "annotate", f'\ufeff{{"text": "{"x " * 60}"}}\n{{"text": "gout"}}'.encode())
    assert answers[0]["problem"]["code"] == "too_large"
    assert answers[1]["mentions"][0]["concepts"] == ["X:1"]


def test_a_piece_is_no_larger_than_a_request_may_be(make_site: Any, monkeypatch: Any) -> None:
    site = make_site(body=5000, text=3000)
    held, run = [], LinkTask.run

    def noted(snapshot: Any, tasks: Any) -> Any:
        held.extend(sum(len(one.left) for one in task.mentions) for task in tasks)
        return run(snapshot, tasks)

    monkeypatch.setattr(LinkTask, "run", noted)
    line = json.dumps({"text": "gout", "left": "x" * 2000, "document": "d"})
    answers = _post(site, "link", "\n".join([line] * 20))
    assert len(answers) == 20
    assert max(held) == 4000
    late = json.dumps({"text": "gout", "left": "x" * 3001})
    assert _post(site, "link", late)[0]["problem"]["code"] == "too_large"


def test_what_cannot_be_linked_is_said_on_its_lines(make_site: Any, monkeypatch: Any) -> None:
    site = make_site()
    monkeypatch.setattr("linnet.serve.tasks.mention_record", lambda _: 1 / 0)
    answers = _post(site, "link", '{"text": "gout"}\n{"text": "asthma"}\n')
    assert [(one["line"], one["problem"]["status"]) for one in answers] == [(1, 500), (2, 500)]


def test_no_lines_no_answers(site: Any) -> None:
    assert _post(site, "link", b"") == []
    assert _post(site, "annotate", b"\n \n\r\n") == []


def test_mentions_of_one_document_share_its_abbreviations_however_they_arrive(site: Any) -> None:
    context = {"left": "ataxia telangiectasia (", "right": ")"}
    filler = [{"text": f"gout {n}", "document": "d"} for n in range(300)]
    group = [{"text": "AT", "document": "d"}, *filler, {"text": "AT", "document": "d", **context}]
    alone = [{"text": "AT"}, {"text": "AT", "document": "other"}]
    lines = [json.dumps(one).encode() + b"\n" for one in [*alone, *group, *alone]]
    whole = _post(site, "link", b"".join(lines))
    assert [one["concepts"] for one in whole if one["text"] == "AT"] == [[], [], ["X:6"], ["X:6"], [], []]
    dripping = site.client.post("/v1/batch/link", content=iter(lines), headers=NDJSON).text
    assert [json.loads(line) for line in dripping.splitlines()] == whole


def test_texts_are_annotated(site: Any) -> None:
    lines = "".join(json.dumps({"text": f"Patient {n} has gout."}) + "\n" for n in range(50))
    answers = _post(site, "annotate?k=1&types=disease", lines)
    assert [one["id"] for one in answers] == [str(n) for n in range(1, 51)]
    assert all(one["mentions"][0]["concepts"] == ["X:1"] for one in answers)
    assert all("served" not in one for one in answers)


# ── the parts ────────────────────────────────────────────────────────────────────────────────────────────────


def _lines(pieces: list[bytes], *, most: int = 100) -> list[tuple[int, bytes | str]]:
    async def run() -> list[tuple[int, bytes | str]]:
        waiting = iter(pieces)

        async def receive() -> dict[str, Any]:
            piece = next(waiting, None)
            return {"type": "http.request", "body": piece or b"", "more_body": piece is not None}

        lines = LineReader(receive, max_bytes=most, seconds=5, ending=lambda: False)
        found = []
        while (line := await lines.next()) is not None:
            found.append((line.number, line.data.code if isinstance(line.data, Refusal) else line.data))
        return found

    return asyncio.run(run())


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_lines_are_the_same_however_they_arrive(size: int) -> None:
    body = b"one\r\n\ntwo\n" + b"x" * 101 + b"\nthree\n" + b"y" * 500
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    found = [(1, b"one"), (3, b"two"), (4, "too_large"), (5, b"three"), (6, "too_large")]
    assert _lines(pieces) == found


def test_single_bytes_do_not_put_off_the_end(monkeypatch: Any) -> None:
    monkeypatch.setattr("linnet.serve.line_reader._INTERVAL", 0.01)

    async def run() -> Refusal | None:
        async def receive() -> dict[str, Any]:
            await asyncio.sleep(0.005)
            return {"type": "http.request", "body": b"x", "more_body": True}

        lines = LineReader(receive, max_bytes=10**6, seconds=0.1, ending=lambda: False)
        assert await lines.next() is None
        lines.close()
        return lines.stopped

    ended = asyncio.run(run())
    assert ended is not None
    assert (ended.code, "Lines up to 0" in ended.next_step) == ("too_slow", True)


@pytest.mark.parametrize("memory", [1, 50, 10**6])
def test_a_spool_gives_back_what_was_put_in(memory: int, monkeypatch: Any) -> None:
    monkeypatch.setattr("linnet.serve.spool._IN_MEMORY", memory)

    async def run() -> None:
        spool = Spool(max_bytes=400)
        pieces = [bytes([n]) * (n % 37) for n in range(1, 200)]

        async def fill() -> None:
            for piece in pieces:
                await spool.put(piece)
            spool.end()

        filling = asyncio.create_task(fill())
        await asyncio.sleep(0.01)
        # On disk there are no more than were allowed.
        assert spool._written <= 400
        found = b""
        while data := await spool.get():
            found += data
        await filling
        spool.close()
        assert found == b"".join(pieces)

    asyncio.run(run())


class FullDisk(io.RawIOBase):
    """A file on a disk with room for a hundred bytes."""

    def __init__(self) -> None:
        self._content, self._place = bytearray(), 0

    def readable(self) -> bool:
        return True

    writable = seekable = readable

    def seek(self, place: int, whence: int = 0) -> int:
        assert whence == 0
        self._place = place
        return place

    def tell(self) -> int:
        return self._place

    def readinto(self, buffer: Any) -> int:
        piece = self._content[self._place : self._place + len(buffer)]
        buffer[: len(piece)] = piece
        self._place += len(piece)
        return len(piece)

    def write(self, data: Any) -> int:
        piece = bytes(data)[: 100 - self._place]
        if not piece:
            raise OSError(errno.ENOSPC, "No space left on device")
        self._content[self._place : self._place + len(piece)] = piece
        self._place += len(piece)
        return len(piece)


def test_a_spool_on_a_full_disk_waits_for_the_reader(monkeypatch: Any) -> None:
    def opened(*, prefix: str, buffering: int = -1) -> Any:
        return FullDisk() if buffering == 0 else io.BufferedRandom(FullDisk())

    monkeypatch.setattr("linnet.serve.spool._IN_MEMORY", 50)
    monkeypatch.setattr("linnet.serve.spool.tempfile.TemporaryFile", opened)

    async def run() -> None:
        spool = Spool(max_bytes=10**6)
        pieces = [bytes([n]) * (n % 37) for n in range(1, 200)]

        async def fill() -> None:
            for piece in pieces:
                await spool.put(piece)
            spool.end()

        filling = asyncio.create_task(fill())
        await asyncio.sleep(0.01)
        assert spool.full
        found = b""
        while data := await spool.get():
            found += data
        await filling
        spool.close()
        assert found == b"".join(pieces)

    asyncio.run(run())


# ── a server ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def server(store: Path, request: pytest.FixtureRequest) -> Iterator[Any]:
    with request.getfixturevalue("running")(
        store,
        options=("--threads", "1", "--max-batches", "2", "--max-waiting-batches", "1", "--timeout", "3"),
    ) as made:
        yield made


def _begin(server: Any) -> http.client.HTTPConnection:
    """A batch of chunks, begun."""
    connection: http.client.HTTPConnection = server.connect()
    connection.putrequest("POST", "/v1/batch/link?k=1")
    connection.putheader("Content-Type", "application/x-ndjson")
    connection.putheader("Transfer-Encoding", "chunked")
    connection.endheaders()
    return connection


def _chunk(connection: http.client.HTTPConnection, data: bytes) -> None:
    connection.send(b"%x\r\n%s\r\n" % (len(data), data))


def test_a_line_is_answered_before_the_next_is_sent(server: Any) -> None:
    connection = _begin(server)
    _chunk(connection, b'{"id": "m0", "text": "gout"}\n')
    answer = connection.getresponse()
    assert json.loads(answer.readline())["id"] == "m0"
    for number in range(1, 4):
        _chunk(connection, b'{"id": "m%d", "text": "gout"}\n' % number)
        assert json.loads(answer.readline())["id"] == f"m{number}"
    connection.send(b"0\r\n\r\n")
    assert answer.read() == b""
    connection.close()


def test_who_sends_all_before_reading_any_gets_everything(server: Any) -> None:
    count = 12_000
    lines = b"".join(
        b'{"id": "%d", "text": "gout", "left": "%s"}\n' % (n, b"a long context " * 10) for n in range(count)
    )
    status, said = _whole(server, lines)
    assert status == 200
    assert [json.loads(line)["id"] for line in said] == [str(n) for n in range(count)]


def test_who_sends_for_longer_than_answers_may_be_left_unread_gets_everything(
    start: Callable[..., Any], store: Path
) -> None:
    # Sending takes twice as long as answers may be left unread; a busy machine may hold the reader up that long.
    server = start(store, options=("--write-timeout", "3"))
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", server.port))
    connection.sendall(b"POST /v1/batch/link HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n")
    connection.sendall(b"Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n")
    lines = b'{"text": "gout", "id": "%s"}\n' % (b"x" * 400) * 500
    for _ in range(30):
        connection.sendall(b"%x\r\n%s\r\n" % (len(lines), lines))
        time.sleep(0.2)
    connection.sendall(b"0\r\n\r\n")
    answer = http.client.HTTPResponse(connection)
    answer.begin()
    assert len(answer.read().splitlines()) == 15_000
    answer.close()
    connection.close()


def test_who_reads_nothing_after_sending_makes_room(
    start: Callable[..., Any], store: Path, until: Callable[..., Any]
) -> None:
    server = start(store, options=("--write-timeout", "0.5"))
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", server.port))
    lines = b'{"text": "gout", "id": "%s"}\n' % (b"x" * 400) * 15_000
    connection.sendall(
        b"POST /v1/batch/link HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n" % len(lines)
    )
    connection.sendall(b"Content-Type: application/x-ndjson\r\n\r\n" + lines)
    until(lambda: "linnet_requests_in_flight 1.0" in server.ask("GET", "/metrics")[1])
    connection.close()


def _whole(server: Any, lines: bytes) -> tuple[int, list[bytes]]:
    connection = server.connect()
    connection.request("POST", "/v1/batch/link?k=3", lines, NDJSON)
    answer = connection.getresponse()
    said = answer.read().splitlines()
    connection.close()
    return answer.status, said


def test_one_too_many_is_told_to_come_back_and_those_who_go_away_make_room(
    server: Any, until: Callable[..., Any]
) -> None:
    begun = [_begin(server), _begin(server)]
    for connection in begun:
        _chunk(connection, b'{"text": "gout"}\n')
        connection.getresponse().readline()
    # One more waits for a place, in vain; the next has not even a place to wait.
    waiting: list[tuple[int, list[bytes]]] = []
    third = threading.Thread(target=lambda: waiting.append(_whole(server, b"{}\n")))
    third.start()
    until(lambda: "linnet_requests_in_flight 4.0" in server.ask("GET", "/metrics")[1])
    status, said = _whole(server, b"{}\n")
    refusal = json.loads(said[0])
    assert (status, refusal["code"]) == (503, "busy")
    assert refusal["detail"] == "The server is answering 2 batches, its limit, and 1 wait."
    third.join()
    assert [status for status, _ in waiting] == [503]
    # Requests are not batches.
    assert server.ask("POST", "/v1/link", {"mentions": [{"text": "gout"}]})[0] == 200
    for connection in begun:
        assert connection.sock is not None
        connection.sock.shutdown(socket.SHUT_RDWR)
        connection.close()
    assert until(lambda: _whole(server, b"{}\n")[0] == 200)


def test_a_batch_waits_for_a_place_and_is_answered(server: Any, until: Callable[..., Any]) -> None:
    begun = [_begin(server), _begin(server)]
    answers: list[tuple[int, list[bytes]]] = []
    third = threading.Thread(target=lambda: answers.append(_whole(server, b'{"text": "gout"}\n')))
    third.start()
    until(lambda: "linnet_requests_in_flight 4.0" in server.ask("GET", "/metrics")[1])
    _chunk(begun[0], b"")
    assert begun[0].getresponse().status == 200
    third.join()
    [(status, lines)] = answers
    assert (status, json.loads(lines[0])["concepts"]) == (200, ["X:1"])
    for connection in begun:
        connection.close()


def test_nobody_who_sends_without_end_fills_the_memory(server: Any) -> None:
    connection = _begin(server)
    line = b'{"text": "gout", "left": "%s"}\n' % (b"x" * 50_000)
    sent = 0

    def send() -> None:
        nonlocal sent
        for _ in range(2_000):
            _chunk(connection, line)
            sent += 1
        connection.send(b"0\r\n\r\n")

    sending = threading.Thread(target=send)
    sending.start()
    answer = connection.getresponse()
    found = sum(1 for _ in islice(iter(answer.readline, b""), 2_000))
    sending.join()
    connection.close()
    assert found == sent == 2_000
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    assert int(peak.split()[1]) < 400 * 1024, "100 MB were sent"

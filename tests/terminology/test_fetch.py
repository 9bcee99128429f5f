"""Downloads from a local server that can be interrupted, change, refuse, or know no ranges."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from linnet.errors import DataError, RequestError, UnknownNameError
from linnet.terminology.fetch import Source, fetch, source, sources
from linnet.terminology.readers import readers

CONTENT = bytes(range(256)) * 4096  # 1 MiB


@dataclass
class Remote:
    """What the server offers, how it behaves, and what it was asked."""

    content: bytes = CONTENT
    tag: str = '"v1"'
    ranges: bool = True
    obeys_if_range: bool = True
    break_after: int | None = None
    base: str = ""
    asked: list[dict[str, str]] = field(default_factory=list)

    def source(self, **changes: str) -> Source:
        return replace(Source(f"{self.base}/file.obo", "Invented", "none", "obo"), **changes)

    def finished(self) -> None:
        self.break_after = None
        self.asked.clear()


@pytest.fixture
def remote() -> Iterator[Remote]:
    state = Remote()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.asked.append(dict(self.headers))
            if self.path == "/file.md5":
                return self.answer(200, hashlib.md5(state.content).hexdigest().encode() + b"  file.obo\n")
            if self.path != "/file.obo":
                return self.send_error(404)
            asked = self.headers.get("Range")
            unchanged = self.headers.get("If-Range") == state.tag or not state.obeys_if_range
            if state.ranges and asked and unchanged:
                first = int(asked.removeprefix("bytes=").removesuffix("-"))
                if first >= len(state.content):
                    return self.answer(416, b"")
                span = f"bytes {first}-{len(state.content) - 1}/{len(state.content)}"
                return self.answer(206, state.content[first:], span)
            return self.answer(200, state.content)

        def answer(self, code: int, body: bytes, span: str = "") -> None:
            self.send_response(code)
            self.send_header("Content-Length", str(len(body)))
            if state.tag:
                self.send_header("ETag", state.tag)
            if span:
                self.send_header("Content-Range", span)
            self.end_headers()
            self.wfile.write(body if state.break_after is None else body[: state.break_after])

        def log_message(self, format: str, *args: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        state.base = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield state
        server.shutdown()
        thread.join()


def interrupted(remote: Remote, folder: Path, after: int = 300_000) -> None:
    """Leave `folder` as a connection does that breaks after so many bytes."""
    remote.break_after = after
    with pytest.raises(DataError, match="connection broke after 300,000 of 1,048,576 bytes"):
        fetch(remote.source(), folder)
    assert not (folder / "file.obo").exists()
    remote.finished()


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_a_file_is_downloaded_whole_and_nothing_else_stays(remote: Remote, tmp_path: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    folder = tmp_path / "new"
    found = fetch(remote.source(), folder, progress=lambda done, total: seen.append((done, total)))
    assert found == folder / "file.obo"
    assert found.read_bytes() == CONTENT
    assert names(folder) == ["file.obo"]
    assert seen[-1] == (len(CONTENT), len(CONTENT))


def test_an_interrupted_download_goes_on_where_it_stopped(remote: Remote, tmp_path: Path) -> None:
    interrupted(remote, tmp_path)
    assert fetch(remote.source(), tmp_path).read_bytes() == CONTENT
    assert remote.asked[0]["Range"] == "bytes=300000-"
    assert remote.asked[0]["If-Range"] == '"v1"'
    assert names(tmp_path) == ["file.obo"]


@pytest.mark.parametrize("obeys", [True, False])
def test_a_file_that_changed_meanwhile_is_downloaded_from_the_start(
    remote: Remote, tmp_path: Path, obeys: bool
) -> None:
    interrupted(remote, tmp_path)
    remote.content, remote.tag, remote.obeys_if_range = CONTENT[::-1], '"v2"', obeys
    assert fetch(remote.source(), tmp_path).read_bytes() == CONTENT[::-1]


def test_a_file_that_shrank_meanwhile_is_downloaded_from_the_start(remote: Remote, tmp_path: Path) -> None:
    interrupted(remote, tmp_path)
    remote.content, remote.obeys_if_range = b"short", False
    assert fetch(remote.source(), tmp_path).read_bytes() == b"short"


def test_a_server_without_ranges_sends_the_whole_file_again(remote: Remote, tmp_path: Path) -> None:
    remote.ranges = False
    interrupted(remote, tmp_path)
    assert fetch(remote.source(), tmp_path).read_bytes() == CONTENT


@pytest.mark.parametrize("tag", ["", 'W/"weak"'])
def test_without_a_strong_version_nothing_is_resumed(remote: Remote, tmp_path: Path, tag: str) -> None:
    remote.tag = tag
    interrupted(remote, tmp_path)
    assert fetch(remote.source(), tmp_path).read_bytes() == CONTENT
    assert "Range" not in remote.asked[0]


def test_a_part_of_another_address_is_not_gone_on_from(remote: Remote, tmp_path: Path) -> None:
    interrupted(remote, tmp_path)
    memory = tmp_path / "file.obo.part.json"
    memory.write_text(json.dumps({**json.loads(memory.read_text()), "url": "http://elsewhere/file.obo"}))
    assert fetch(remote.source(), tmp_path).read_bytes() == CONTENT
    assert "Range" not in remote.asked[0]


def test_a_missing_file_is_refused_with_the_address(remote: Remote, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"/gone\.obo: the server answered 404"):
        fetch(remote.source(url=f"{remote.base}/gone.obo"), tmp_path)
    assert names(tmp_path) == []


def test_a_server_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be reached"):
        fetch(Source("http://127.0.0.1:9/file.obo", "", "", "obo"), tmp_path)


@pytest.mark.parametrize("algorithm", ["md5", "sha1", "sha256", "sha512"])
def test_a_checksum_given_is_compared(remote: Remote, tmp_path: Path, algorithm: str) -> None:
    right = hashlib.new(algorithm, CONTENT).hexdigest()
    assert fetch(remote.source(), tmp_path, checksum=right.upper()).exists()
    (tmp_path / "file.obo").write_bytes(b"the one before")
    with pytest.raises(DataError, match=f"has {algorithm} {right}; expected 0"):
        fetch(remote.source(), tmp_path, checksum="0" * len(right))
    assert names(tmp_path) == ["file.obo"]
    assert (tmp_path / "file.obo").read_bytes() == b"the one before"


def test_the_publishers_checksum_is_compared(remote: Remote, tmp_path: Path) -> None:
    with_checksum = remote.source(checksum=f"{remote.base}/file.md5")
    assert fetch(with_checksum, tmp_path).exists()
    with pytest.raises(DataError, match="404"):
        fetch(remote.source(checksum=f"{remote.base}/gone.md5"), tmp_path)


def test_a_checksum_of_unknown_kind_is_refused_before_anything_is_downloaded(
    remote: Remote, tmp_path: Path
) -> None:
    with pytest.raises(RequestError, match="7 digits"):
        fetch(remote.source(), tmp_path, checksum="abcdef0")
    assert remote.asked == []


def test_an_unknown_source_lists_the_choices() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'mondo'"):
        source("mondoo")


def test_every_source_has_a_licence_an_encrypted_address_and_a_reader() -> None:
    for one in sources.values():
        assert one.licence
        assert one.title
        assert one.url.startswith("https://")
        assert one.format in readers
        assert "." in one.file

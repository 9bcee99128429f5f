"""Downloads of public sources from their publishers, resumable.

An unfinished file is called `NAME.part`; `NAME.part.json` beside it records the version of the remote file. The file gets
its final name once it is complete and its checksum, if there is one, is right.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from linnet.errors import DataError, RequestError, UnknownNameError
from linnet.formats.delimited import data_rows

__all__ = ["Source", "fetch", "source", "sources"]

_BLOCK = 1 << 18
_TIMEOUT = 60  # seconds without data


@dataclass(frozen=True, slots=True)
class Source:
    """A freely available file.

    format     for `linnet terminology build --format`
    checksum   URL of a file that begins with the digest, "" if the publisher has none
    algorithm  of the checksum, as hashlib names it
    """

    url: str
    title: str
    licence: str
    format: str
    checksum: str = ""
    algorithm: str = "md5"

    @property
    def file(self) -> str:
        """Name of the file."""
        return Path(urlsplit(self.url).path).name


sources = {name: Source(*cells) for name, *cells in data_rows(Path(__file__).with_name("sources.tsv"))}


def source(name: str) -> Source:
    """The named source. Raises UnknownNameError, listing the choices."""
    if name not in sources:
        raise UnknownNameError("source", name, sources)
    return sources[name]


def fetch(
    wanted: Source,
    directory: str | Path,
    *,
    checksum: str = "",
    progress: Callable[[int, int | None], None] = lambda done, total: None,
) -> Path:
    """Download a file into a directory; its path.

    checksum  expected hex digest instead of the publisher's: MD5, SHA-1, SHA-256 or SHA-512, recognised by length
    progress  called with the bytes received and the total, None if the server does not give it

    An interrupted download resumes if the remote file has not changed, else restarts.
    Raises DataError if the server refuses, the connection breaks (the partial file is kept) or the checksum is wrong
    (the file is removed), RequestError for a checksum of unknown length.
    """
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / wanted.file
    part = folder / f"{wanted.file}.part"
    algorithm, expected = _expected(wanted, checksum)
    _download(wanted.url, part, progress)
    if expected:
        with part.open("rb") as stream:
            digest = hashlib.file_digest(stream, algorithm).hexdigest()
        if digest != expected:
            _discard(part)
            raise DataError(
                f"the download has {algorithm} {digest}; expected {expected}. It was removed: fetch it again.",
                path=wanted.url,
            )
    part.replace(target)
    _discard(part)
    return target


def _expected(wanted: Source, checksum: str) -> tuple[str, str]:
    """Algorithm and hex digest, both "" without a checksum."""
    if checksum:
        lengths = {32: "md5", 40: "sha1", 64: "sha256", 128: "sha512"}
        if len(checksum) not in lengths:
            raise RequestError(
                f"The checksum has {len(checksum)} digits. Expected MD5 (32), SHA-1 (40), SHA-256 (64) or SHA-512 (128)."
            )
        return lengths[len(checksum)], checksum.lower()
    if not wanted.checksum:
        return "", ""
    with _open(wanted.checksum, {}) as response:
        words = response.read(1 << 16).decode("ascii", "replace").split()
    if not words:
        raise DataError("the publisher's checksum file is empty. Try again later.", path=wanted.checksum)
    return wanted.algorithm, words[0].lower()


def _download(url: str, part: Path, progress: Callable[[int, int | None], None]) -> None:
    """Complete `part` from the remote file."""
    response, done = _start(url, part)
    with response:
        length = response.headers.get("Content-Length")
        total = done + int(length) if length is not None else None
        _record_version(part, url, response.headers)
        with part.open("ab" if done else "wb") as stream:
            while block := _receive(response, url, done, total):
                try:
                    stream.write(block)
                    stream.flush()
                except OSError as error:
                    raise DataError(
                        f"cannot be written: {error.strerror}. Free some space and run the same command to resume.",
                        path=part,
                    ) from None
                done += len(block)
                progress(done, total)
    if total is not None and done < total:
        raise _broken(url, done, total, "the server closed it")


def _start(url: str, part: Path) -> tuple[Any, int]:
    """The server's response, and the number of bytes of `part` that it continues."""
    done, validator = _resumable(part, url)
    if done:
        response = _open(url, {"Range": f"bytes={done}-", "If-Range": validator})
        if response.status == 200:  # the whole file: it has changed, or the server does not support ranges
            return response, 0
        same = response.headers.get("ETag") in (None, validator) or not validator.startswith('"')
        if same and str(response.headers.get("Content-Range", "")).startswith(f"bytes {done}-"):
            return response, done
        # Already complete, shrunk, or a range of another version.
        response.close()
    return _open(url, {}), 0


def _receive(response: Any, url: str, done: int, total: int | None) -> bytes:
    try:
        return bytes(response.read(_BLOCK))
    except (OSError, http.client.HTTPException) as error:
        raise _broken(url, done, total, str(error) or type(error).__name__) from None


def _resumable(part: Path, url: str) -> tuple[int, str]:
    """Size and version of the partial file; (0, "") if it cannot be resumed."""
    try:
        version = json.loads(_version_file(part).read_text(encoding="utf-8"))
        size = part.stat().st_size
    except (OSError, ValueError):
        return 0, ""
    if version.get("url") != url or not version.get("validator"):
        return 0, ""
    return size, str(version["validator"])


def _record_version(part: Path, url: str, headers: Any) -> None:
    """Record the version being downloaded. Only a strong ETag or a date may be used with If-Range."""
    tag = str(headers.get("ETag") or "")
    validator = tag if tag and not tag.startswith("W/") else str(headers.get("Last-Modified") or "")
    _version_file(part).write_text(json.dumps({"url": url, "validator": validator}), encoding="utf-8")


def _version_file(part: Path) -> Path:
    return part.with_name(f"{part.name}.json")


def _discard(part: Path) -> None:
    part.unlink(missing_ok=True)
    _version_file(part).unlink(missing_ok=True)


def _open(url: str, headers: dict[str, str]) -> Any:
    """The server's response: 200, 206, or 416 if the range is beyond the end."""
    # Transparent compression would change offsets and checksums.
    request = urllib.request.Request(
        url, headers={"User-Agent": "linnet", "Accept-Encoding": "identity", **headers}
    )
    try:
        return urllib.request.urlopen(request, timeout=_TIMEOUT)
    except urllib.error.HTTPError as error:
        if error.code == 416 and headers:
            return error
        error.close()
        raise DataError(
            f"the server answered {error.code} {error.reason}. The file may have moved: find it at its publisher "
            "and pass --url.",
            path=url,
        ) from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise DataError(
            f"cannot be reached: {getattr(error, 'reason', error)}. Check the address and the connection.",
            path=url,
        ) from None


def _broken(url: str, done: int, total: int | None, why: str) -> DataError:
    expected = f" of {total:,}" if total is not None else ""
    return DataError(
        f"the connection broke after {done:,}{expected} bytes ({why}). Run the same command to resume.",
        path=url,
    )

"""Directories that linnet writes as one thing: terminologies, indexes, models.

A directory is filled under a temporary name and renamed into place, so that it is there whole or not at all.
Its manifest (a JSON file) lists every other file with size and CRC-32, so that damage is noticed on opening.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

from linnet.errors import DamagedError, StoreError

__all__ = [
    "check",
    "describe",
    "digest",
    "read_manifest",
    "replacing_directory",
    "scratch_directory",
    "write_manifest",
]

# Files above this are checked by size when opened, and by checksum only when asked for (`--verify`): 3 GB take seconds.
_CHECKED_ON_OPEN = 128 * 2**20
_BLOCK = 1 << 20
_WORTH_THREADS = 16 * 2**20


@contextmanager
def replacing_directory(path: str | Path, *, keep: tuple[str, ...] = ()) -> Iterator[Path]:
    """A temporary directory that takes the place of `path` when the block ends without an error.

    keep  files (`overrides.tsv`) and directories inside an existing `path` that are carried over

    An existing directory is moved aside first and removed last; on any error it stays as it was.
    Raises StoreError when the disk refuses (full, read-only, no such parent).
    """
    target = Path(path)
    draft = _beside(target)
    try:
        yield draft
        for name in keep:
            if (target / name).is_dir():
                # Files of a directory are linked, not copied; what is being built in a hidden one is left behind.
                hidden = shutil.ignore_patterns(".*")
                shutil.copytree(target / name, draft / name, copy_function=_linked, ignore=hidden)
            elif (target / name).exists() and not (draft / name).exists():
                shutil.copy2(target / name, draft / name)
        mask = os.umask(0)
        os.umask(mask)
        draft.chmod(0o777 & ~mask)
        _swap(draft, target)
    except OSError as error:
        raise StoreError(
            f"{target}: cannot be written: {error.strerror or error}. Nothing was changed; free some space or choose another place."
        ) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


@contextmanager
def scratch_directory(path: str | Path) -> Iterator[Path]:
    """A temporary directory on the disk of `path`, removed at the end. Raises StoreError when the disk refuses one."""
    scratch = _beside(Path(path))
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _beside(target: Path) -> Path:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
    except OSError as error:
        raise StoreError(f"{target}: cannot be written: {error.strerror}. Choose another place.") from error


def _linked(source: str, copy: str) -> None:
    try:
        os.link(source, copy)
    except OSError:  # a file system without links
        shutil.copy2(source, copy)


def _swap(draft: Path, target: Path) -> None:
    if not target.exists():
        draft.rename(target)
        return
    aside = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}.old."))
    target.rename(aside / "old")
    try:
        draft.rename(target)
    except OSError:
        (aside / "old").rename(target)
        raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def write_manifest(directory: Path, name: str, fields: Mapping[str, Any]) -> None:
    """Write `directory/name` with `fields` plus `files`: {relative path: {"bytes", "crc32"}} of all files there."""
    files = [file for file in sorted(directory.rglob("*")) if file.is_file() and file.name != name]
    text = json.dumps({**fields, "files": describe(directory, files)}, indent=1, ensure_ascii=False)
    (directory / name).write_text(text + "\n", encoding="utf-8")


def describe(directory: Path, files: Iterable[Path]) -> dict[str, dict[str, int]]:
    """Relative path → {"bytes", "crc32"} of each file: what `check` compares with."""
    return {
        file.relative_to(directory).as_posix(): {"bytes": file.stat().st_size, "crc32": _crc32(file)}
        for file in files
    }


def read_manifest(directory: Path, name: str, *, what: str, rebuild: str) -> dict[str, Any]:
    """The manifest's fields.

    what     what the directory should be, for the message ("terminology")
    rebuild  the command that makes one

    Raises StoreError where there is none, DamagedError where it is not JSON.
    """
    file = directory / name
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        found = "no such directory" if not directory.exists() else f"it has no {name}"
        raise StoreError(f"{directory} is not a {what}: {found}. Run: {rebuild}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise DamagedError(f"{file} cannot be read: {error}. Run: {rebuild}") from None
    try:
        fields = json.loads(text)
    except json.JSONDecodeError as error:
        raise DamagedError(f"{file} is damaged: not JSON ({error}). Run: {rebuild}") from None
    if not isinstance(fields, dict) or not isinstance(fields.get("files"), dict):
        raise DamagedError(f"{file} is damaged: 'files' is missing. Run: {rebuild}")
    return fields


def check(directory: Path, fields: Mapping[str, Any], *, rebuild: str, everything: bool = False) -> None:
    """Compare the files of `directory` with its manifest: sizes of all, CRC-32 of those under 128 MB (or of all).

    Raises DamagedError naming the first file that is missing, of another size, or altered.
    """
    summed = []
    for name, expected in fields["files"].items():
        file = directory / name
        try:
            size = file.stat().st_size
        except OSError:
            raise DamagedError(f"{file} is missing. Run: {rebuild}") from None
        if size != expected["bytes"]:
            raise DamagedError(f"{file} has {size:,} bytes; expected {expected['bytes']:,}. Run: {rebuild}")
        if everything or size <= _CHECKED_ON_OPEN:
            summed.append((file, expected["crc32"]))
    for (file, expected), found in zip(summed, _crc32_of_all([file for file, _ in summed]), strict=True):
        if found != expected:
            raise DamagedError(
                f"{file} was altered: its checksum differs from the manifest's. Run: {rebuild}"
            )


def digest(*parts: bytes | str | Path) -> str:
    """32 hex digits (BLAKE2b-128) of strings, bytes and the contents of files, in order."""
    state = blake2b(digest_size=16)
    for part in parts:
        if isinstance(part, Path):
            with part.open("rb") as stream:
                while block := stream.read(_BLOCK):
                    state.update(block)
        else:
            state.update(part.encode() if isinstance(part, str) else part)
    return state.hexdigest()


def _crc32_of_all(files: Sequence[Path]) -> list[int]:
    """CRC-32 of each file; large ones by several threads, which zlib lets run side by side."""
    if sum(file.stat().st_size for file in files) < _WORTH_THREADS:
        return [_crc32(file) for file in files]
    with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
        return list(pool.map(_crc32, files))


def _crc32(file: Path) -> int:
    value = 0
    with file.open("rb", buffering=0) as stream:
        while block := stream.read(_BLOCK):
            value = zlib.crc32(block, value)
    return value

"""Directories written as a unit: terminologies, indexes, models.

A directory is written under a temporary name and renamed, so that it appears completely or not at all. Its manifest (a
JSON file) lists every other file with size and CRC-32, and large files also with the CRC-32 of their ends, so that damage
is noticed on opening.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

from linnet.advice import Advice
from linnet.errors import DamagedError, StoreError
from linnet.io.drafts import draft_directory
from linnet.io.filenames import writable

__all__ = [
    "as_manifest",
    "check",
    "describe",
    "digest",
    "link_or_copy",
    "read_manifest",
    "replacing_directory",
    "scratch_directory",
    "unreadable",
    "write_manifest",
]

# Bytes of a directory whose checksums are compared on opening, the smallest files first: reading 3 GB takes seconds.
_CHECKED_ON_OPEN = 128 * 2**20
# Bytes checked at either end of the other files, as these describe how to read the rest.
_END = 1 << 16
_BLOCK = 1 << 20
_WORTH_THREADS = 16 * 2**20


@contextmanager
def replacing_directory(path: str | Path, *, keep: tuple[str, ...] = ()) -> Iterator[Path]:
    """A temporary directory that replaces `path` if the block ends without an error.

    keep  files (`overrides.tsv`) and directories of an existing `path` to keep

    An existing directory is moved aside first and removed last; on any error it is unchanged.
    Raises StoreError if the disk cannot be written (full, read-only, no such parent).
    """
    target = Path(path)
    with _beside(target) as draft:
        try:
            yield draft
            for name in keep:
                if (target / name).is_dir():
                    # Files of a directory are linked, not copied; hidden ones, which are being built, are left out.
                    hidden = shutil.ignore_patterns(".*")
                    shutil.copytree(target / name, draft / name, copy_function=link_or_copy, ignore=hidden)
                elif (target / name).exists() and not (draft / name).exists():
                    shutil.copy2(target / name, draft / name)
            mask = os.umask(0)
            os.umask(mask)
            draft.chmod(0o777 & ~mask)
            _swap(draft, target)
        except OSError as error:
            raise StoreError(
                f"{target}: cannot be written: {error.strerror or error}. "
                "Nothing was changed; free some space or choose another place."
            ) from error


@contextmanager
def scratch_directory(path: str | Path) -> Iterator[Path]:
    """A temporary directory on the disk of `path`, removed at the end. Raises StoreError if it cannot be created."""
    with _beside(Path(path)) as scratch:
        yield scratch


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    with ExitStack() as stack:
        try:
            draft = stack.enter_context(draft_directory(target))
        except OSError as error:
            raise StoreError(
                f"{target}: cannot be written: {error.strerror}. Make {target.parent} writable, or choose another place."
            ) from error
        yield draft


def link_or_copy(source: str | Path, copy: str | Path) -> None:
    """Hard-link a file, or copy it if the file system has no links."""
    try:
        os.link(source, copy)
    except OSError:  # a file system without links
        shutil.copy2(source, copy)


def _swap(draft: Path, target: Path) -> None:
    if not target.exists():
        draft.rename(target)
        return
    with draft_directory(target, kind="old.") as aside:
        target.rename(aside / "old")
        try:
            draft.rename(target)
        except OSError:
            (aside / "old").rename(target)
            raise


def write_manifest(directory: Path, name: str, fields: Mapping[str, Any]) -> None:
    """Write `directory/name` with `fields`, `files` (the other files as in `describe`) and its own checksum."""
    files = [file for file in sorted(directory.rglob("*")) if file.is_file() and file.name != name]
    (directory / name).write_text(as_manifest({**fields, "files": describe(directory, files)}), "utf-8")


def as_manifest(fields: Mapping[str, Any]) -> str:
    """The text of a manifest with these fields and their checksum; file names in it are `writable`."""
    fields = json.loads(writable(json.dumps(fields, ensure_ascii=False)))
    return json.dumps({**fields, "checksum": _checksum(fields)}, indent=1, ensure_ascii=False) + "\n"


def _checksum(fields: Mapping[str, Any]) -> int:
    others = {name: value for name, value in fields.items() if name != "checksum"}
    return zlib.crc32(json.dumps(others, sort_keys=True).encode())


def describe(directory: Path, files: Iterable[Path]) -> dict[str, dict[str, int]]:
    """Relative path → {"bytes", "crc32"}, and "ends" for large files, for comparison by `check`."""
    return {file.relative_to(directory).as_posix(): _described(file) for file in files}


def _described(file: Path) -> dict[str, int]:
    size = file.stat().st_size
    description = {"bytes": size, "crc32": _crc32(file)}
    return description if size <= 2 * _END else {**description, "ends": _crc32_of_ends(file)}


def read_manifest(directory: Path, name: str, *, what: str, rebuild: Advice) -> dict[str, Any]:
    """The manifest's fields.

    what     the expected kind of directory, for the message ("terminology")
    rebuild  how to build one

    Raises StoreError if there is none, DamagedError if it is invalid.
    """
    file = directory / name
    try:
        if not stat.S_ISREG(file.stat().st_mode):  # reading a named pipe would block
            raise DamagedError(f"{file} is not a file.", rebuild)
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        reason = "no such directory" if not directory.exists() else f"it has no {name}"
        article = "an" if what[0] in "aeiou" else "a"
        raise StoreError(f"{directory} is not {article} {what}: {reason}.", rebuild) from None
    except NotADirectoryError:
        raise StoreError(
            f"{directory} is a file; a {what} is a directory. Give the directory that was built from it."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(file, error, rebuild=rebuild) from None
    try:
        fields = json.loads(text)
    except json.JSONDecodeError as error:
        raise DamagedError(f"{file} is damaged: not JSON ({error}).", rebuild) from None
    if not isinstance(fields, dict) or not isinstance(fields.get("files"), dict):
        raise DamagedError(f"{file} is damaged: 'files' is missing.", rebuild)
    if fields.get("checksum") != _checksum(fields):
        raise DamagedError(f"{file} was altered: its checksum is another, or gone.", rebuild)
    return fields


def unreadable(path: Path, error: Exception, *, rebuild: Advice) -> DamagedError:
    """The error for an existing file that cannot be read; it advises a rebuild unless the cause is known."""
    code = getattr(error, "errno", None)
    cures = {
        errno.EACCES: "Make it readable for this user",
        errno.EPERM: "Make it readable for this user",
        errno.EMFILE: "Allow more open files: ulimit -n 4096",
        errno.ENFILE: "Close other programs",
        errno.ENOMEM: "Free some memory",
    }
    reason = f"{path} cannot be read: {getattr(error, 'strerror', None) or error}."
    return DamagedError(f"{reason} {cures[code]}.") if code in cures else DamagedError(reason, rebuild)


def check(directory: Path, fields: Mapping[str, Any], *, rebuild: Advice, everything: bool = False) -> None:
    """Compare the files of `directory` with its manifest: the sizes of all files, and checksums.

    everything  compare the CRC-32 of all files; otherwise that of the smallest files (128 MB in all), and of the others
                that of the first and last 64 KB. A flipped bit inside a large file then goes unnoticed.

    Raises DamagedError for the first file that is missing, altered, or of another size.
    """
    sizes = {}
    for name, expected in fields["files"].items():
        file = directory / name
        try:
            sizes[name] = file.stat().st_size
        except FileNotFoundError:
            raise DamagedError(f"{file} is missing.", rebuild) from None
        except OSError as error:
            raise unreadable(file, error, rebuild=rebuild) from None
        if sizes[name] != expected["bytes"]:
            raise DamagedError(f"{file} has {sizes[name]:,} bytes; expected {expected['bytes']:,}.", rebuild)
    read = 0
    summed: list[str] = []
    others: list[str] = []
    for name in sorted(sizes, key=lambda name: (sizes[name], name)):
        read += sizes[name]
        (summed if everything or read <= _CHECKED_ON_OPEN else others).append(name)
    try:
        checksums = dict(zip(summed, _crc32_of_all([directory / name for name in summed]), strict=True))
        ends = {name: _crc32_of_ends(directory / name) for name in others if "ends" in fields["files"][name]}
    except OSError as error:
        raise unreadable(directory, error, rebuild=rebuild) from None
    for name, expected in fields["files"].items():
        if checksums.get(name, expected["crc32"]) != expected["crc32"] or (
            name in ends and ends[name] != expected["ends"]
        ):
            raise DamagedError(
                f"{directory / name} was altered: its checksum differs from the manifest's.", rebuild
            )


def digest(*contents: bytes | str | Path) -> str:
    """32 hex digits (BLAKE2b-128) of strings, bytes and the contents of files, in order."""
    state = blake2b(digest_size=16)
    for content in contents:
        if isinstance(content, Path):
            with content.open("rb") as stream:
                while block := stream.read(_BLOCK):
                    state.update(block)
        else:
            state.update(content.encode(errors="surrogateescape") if isinstance(content, str) else content)
    return state.hexdigest()


def _crc32_of_all(files: Sequence[Path]) -> list[int]:
    """CRC-32 of each file; large files in several threads, as zlib releases the interpreter lock."""
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


def _crc32_of_ends(file: Path) -> int:
    with file.open("rb", buffering=0) as stream:
        first = stream.read(_END)
        stream.seek(-_END, os.SEEK_END)
        return zlib.crc32(stream.read(_END), zlib.crc32(first))

"""The progress of a run, kept inside its output, so that a later run can resume it.

    OUT/_linnet/run.json          what decides the content (linker, options); resuming needs the same
    OUT/_linnet/journal.jsonl     a line for each finished chunk
    OUT/_linnet/surveys/          the scan of each input file, with the file's size and time of change
    OUT/_linnet/attempts/         a file for each chunk in work: the number of attempts
    OUT/_linnet/lock              held by the one run that writes

Readers of data folders skip names that begin with an underscore. A chunk is finished when the journal has its line and the
output has its file, with the recorded size. Files are renamed into place before they are recorded, so a killed run loses
only the chunks in work.
"""

from __future__ import annotations

import json
import os
import shutil
from base64 import b64decode, b64encode
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from linnet.advice import Step
from linnet.errors import DataError, MismatchError, RequestError
from linnet.io import artifact
from linnet.io.files import open_output
from linnet.scale.plan import Chunk, is_chunk_name
from linnet.scale.scan import RowRange, Scan
from linnet.scale.sources import Source
from linnet.system.lockfile import locked

__all__ = ["FOLDER", "ChunkRecord", "Journal", "open_journal"]

FOLDER = "_linnet"
ChunkRecord = dict[str, Any]
"""A finished chunk: part, key, bytes, digest (of its file), documents, mentions, linked, types, text_kinds, refused, seconds, cpu
(seconds)."""


class Journal:
    """The journal of an output folder, open for one run."""

    def __init__(self, output: Path, stream: TextIO, records: dict[str, ChunkRecord]) -> None:
        self.output = output
        self._stream = stream
        self._records = records

    def record_of(self, chunk: Chunk) -> ChunkRecord | None:
        """The record of a finished chunk; None where it must be linked."""
        record = self._records.get(chunk.name)
        if record is None or record["key"] != chunk.key:
            return None
        try:
            size = (self.output / chunk.name).stat().st_size
        except OSError:
            return None
        return record if size == record["bytes"] else None

    def add(self, record: ChunkRecord) -> None:
        """Record a finished chunk; on disk when this returns."""
        self._records[record["part"]] = record
        self._stream.write(json.dumps(record) + "\n")
        self._stream.flush()
        os.fsync(self._stream.fileno())

    def scan_of(self, source: Source) -> Scan | None:
        """The scan of a file, if the file is unchanged."""
        try:
            table = json.loads(_scan_file(self.output, source).read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return None
        if table["source"] != asdict(source) or "notes" not in table:  # of an earlier version
            return None
        errors = tuple(DataError(message, path=path, line=line) for message, path, line in table["errors"])
        ranges = tuple(RowRange(*values) for values in table["cuts"])
        ids = b64decode(table["ids"])
        return Scan(source, table["digest"], ranges, errors, ids, table["mentions"], table["notes"])

    def add_scan(self, scan: Scan) -> None:
        """Record the scan of a file."""
        file = _scan_file(self.output, scan.source)
        file.parent.mkdir(parents=True, exist_ok=True)
        table = {
            "source": asdict(scan.source),
            "digest": scan.digest,
            "cuts": scan.ranges,
            "errors": [(error.message, str(error.path), error.line) for error in scan.errors],
            "ids": b64encode(scan.ids).decode(),
            "mentions": scan.mentions,
            "notes": scan.notes,
        }
        with open_output(file) as stream:
            json.dump(table, stream)

    def remove_others(self, names: Collection[str]) -> None:
        """Remove all other chunks' files, recorded or not, and drafts of dead workers (see `linnet.io.files.replacing`)."""
        kept = set(names)
        for file in [path for path in self.output.rglob("*") if path.is_file()]:
            name = file.relative_to(self.output)
            draft = name.name.startswith(".") and name.name.endswith(".part")
            stale = is_chunk_name(name.name) and name.as_posix() not in kept
            if name.parts[0] != FOLDER and (draft or stale):
                file.unlink(missing_ok=True)


@contextmanager
def open_journal(output: Path, settings: Mapping[str, Any], *, resume: bool) -> Iterator[Journal]:
    """The journal of a folder, for one run at a time.

    settings  what decides the content of the chunks, JSON-ready
    resume    continue an earlier run; otherwise the folder must be empty or absent

    Raises RequestError for a folder that cannot be used, MismatchError for one written with other settings.
    """
    folder = output / FOLDER
    if output.exists() and not output.is_dir():
        raise RequestError(f"{output} is a file; the output in chunks is a folder. Name another.")
    fresh = not output.exists() or _is_fresh(output)
    begun = (folder / "run.json").is_file()
    if not fresh and not (resume and begun):
        advice = [Step.RESUME_FIRST_RUN()] if begun else []
        raise RequestError(f"{output} already exists and is not empty. Name a new folder.", *advice)
    try:
        (folder / "attempts").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RequestError(f"{output} cannot be written: {error.strerror}. Name another folder.") from None
    busy = RequestError(f"Another run is writing to {output}. Wait for it, or name another folder.")
    with locked(folder / "lock", busy=busy):
        if fresh:
            _begin(folder, json.loads(json.dumps(settings)))
        else:
            _check_settings(folder / "run.json", json.loads(json.dumps(settings)), output)
        records = _read(folder / "journal.jsonl")
        with (folder / "journal.jsonl").open("a", encoding="utf-8", newline="\n") as stream:
            yield Journal(output, stream, records)


def _is_fresh(output: Path) -> bool:
    """Whether the folder holds nothing but the journal of a run that finished no chunk."""
    journal = output / FOLDER / "journal.jsonl"
    return {path.name for path in output.iterdir()} <= {FOLDER} and not (
        journal.is_file() and journal.stat().st_size
    )


def _begin(folder: Path, settings: Any) -> None:
    """Record the settings. If they have changed, earlier scans are removed."""
    text = json.dumps(settings, indent=1) + "\n"
    file = folder / "run.json"
    if not file.is_file() or file.read_text(encoding="utf-8") != text:
        shutil.rmtree(folder / "surveys", ignore_errors=True)
        with open_output(file) as stream:
            stream.write(text)


def _check_settings(file: Path, settings: Any, output: Path) -> None:
    recorded = json.loads(file.read_text(encoding="utf-8"))
    if recorded != settings:
        name, old, new = next(_differences(recorded, settings, ""))
        raise MismatchError(
            f"{output} was begun with another {name}: {old} then, {new} now. Name a new folder, or use the same settings."
        )


def _differences(old: Any, new: Any, key: str) -> Iterator[tuple[str, str, str]]:
    if isinstance(old, dict) and isinstance(new, dict):
        for name in [*old, *(name for name in new if name not in old)]:
            if old.get(name) != new.get(name):
                yield from _differences(old.get(name), new.get(name), f"{key}.{name}" if key else name)
    else:
        yield key, json.dumps(old, ensure_ascii=False)[:200], json.dumps(new, ensure_ascii=False)[:200]


def _read(file: Path) -> dict[str, ChunkRecord]:
    """The finished chunks by name. An incomplete last line, of a killed run, is removed from the file."""
    if not file.is_file():
        return {}
    raw = file.read_bytes()
    complete = raw[: raw.rfind(b"\n") + 1]
    if len(complete) < len(raw):
        os.truncate(file, len(complete))
    return {record["part"]: record for line in complete.splitlines() if (record := json.loads(line))}


def _scan_file(output: Path, source: Source) -> Path:
    return output / FOLDER / "surveys" / f"{artifact.digest(source.name)}.json"

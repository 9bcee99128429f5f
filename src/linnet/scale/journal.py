"""What a run has done so far, kept inside its output, so that a later run can go on from there.

    OUT/_linnet/run.json          what decides the content: linker, options; a run that differs may not go on
    OUT/_linnet/journal.jsonl     one line for each finished part
    OUT/_linnet/surveys/          what was found in each input file, with its size and time of change
    OUT/_linnet/attempts/         one file for each part being linked: how often it was begun
    OUT/_linnet/lock              held by the one run that writes

Readers of data folders pass over names that begin with an underscore. A part counts as finished when its line is in
the journal and its file, of the size noted there, lies in the output: files are renamed into place first and noted
after that, so that a killed run loses what it was linking, never what it had linked.
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

from linnet import artifact
from linnet.errors import DataError, MismatchError, RequestError
from linnet.files import open_output
from linnet.lockfile import locked
from linnet.scale.plan import Part, is_part_name
from linnet.scale.scan import Cut, Survey
from linnet.scale.sources import Source

__all__ = ["PLACE", "Done", "Journal", "open_journal"]

PLACE = "_linnet"
Done = dict[str, Any]
"""A finished part: part, key, bytes, digest (of its file), documents, mentions, linked, types, refused, seconds, cpu (seconds)."""


class Journal:
    """The notes of one output folder, open for one run."""

    def __init__(self, output: Path, stream: TextIO, done: dict[str, Done]) -> None:
        self.output = output
        self._stream = stream
        self._done = done

    def finished(self, part: Part) -> Done | None:
        """The notes on a part that is there; None where it has to be linked."""
        done = self._done.get(part.name)
        if done is None or done["key"] != part.key:
            return None
        try:
            size = (self.output / part.name).stat().st_size
        except OSError:
            return None
        return done if size == done["bytes"] else None

    def add(self, done: Done) -> None:
        """Note a part as finished, on disk before this returns."""
        self._done[done["part"]] = done
        self._stream.write(json.dumps(done) + "\n")
        self._stream.flush()
        os.fsync(self._stream.fileno())

    def survey_of(self, source: Source) -> Survey | None:
        """What was found in the file, if it is still the same."""
        try:
            kept = json.loads(_survey_file(self.output, source).read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return None
        if kept["source"] != asdict(source) or "notes" not in kept:  # of an earlier version
            return None
        errors = tuple(DataError(message, path=path, line=line) for message, path, line in kept["errors"])
        cuts = tuple(Cut(*cut) for cut in kept["cuts"])
        ids = b64decode(kept["ids"])
        return Survey(source, kept["digest"], cuts, errors, ids, kept["mentions"], kept["notes"])

    def keep(self, survey: Survey) -> None:
        """Note what was found in a file."""
        place = _survey_file(self.output, survey.source)
        place.parent.mkdir(parents=True, exist_ok=True)
        record = {
            "source": asdict(survey.source),
            "digest": survey.digest,
            "cuts": survey.cuts,
            "errors": [(error.message, str(error.path), error.line) for error in survey.errors],
            "ids": b64encode(survey.ids).decode(),
            "mentions": survey.mentions,
            "notes": survey.notes,
        }
        with open_output(place) as stream:
            json.dump(record, stream)

    def clear(self, kept: Collection[str]) -> None:
        """Remove parts that are not among these, noted or not, and what workers that died were writing under a temporary name
        (see `linnet.files.replacing`)."""
        names = set(kept)
        for file in [path for path in self.output.rglob("*") if path.is_file()]:
            name = file.relative_to(self.output)
            draft = name.name.startswith(".") and name.name.endswith(".part")
            stale = is_part_name(name.name) and name.as_posix() not in names
            if name.parts[0] != PLACE and (draft or stale):
                file.unlink(missing_ok=True)


@contextmanager
def open_journal(output: Path, settings: Mapping[str, Any], *, resume: bool) -> Iterator[Journal]:
    """The journal of a folder, for one run at a time.

    settings  what decides the content of the parts, JSON-ready
    resume    go on with what is there; otherwise the folder must be empty, or not exist

    Raises RequestError for a folder that may not be written to, MismatchError for one that was written by a run of other settings.
    """
    place = output / PLACE
    if output.exists() and not output.is_dir():
        raise RequestError(
            f"{output} is a file; what is linked in parts becomes a folder. Name another with -o."
        )
    fresh = not output.exists() or _holds_nothing(output)
    begun = (place / "run.json").is_file()
    if not fresh and not (resume and begun):
        advice = "To go on with the run that made it: --resume. Or name" if begun else "Name"
        raise RequestError(f"{output} exists already, and is not empty. {advice} a new folder.")
    try:
        (place / "attempts").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RequestError(f"{output} cannot be written: {error.strerror}. Name another folder.") from None
    busy = RequestError(f"Another run is writing to {output}. Wait for it, or name another folder.")
    with locked(place / "lock", busy=busy):
        if fresh:
            _begin(place, json.loads(json.dumps(settings)))
        else:
            _check_settings(place / "run.json", json.loads(json.dumps(settings)), output)
        done = _read(place / "journal.jsonl")
        with (place / "journal.jsonl").open("a", encoding="utf-8", newline="\n") as stream:
            yield Journal(output, stream, done)


def _holds_nothing(output: Path) -> bool:
    """Whether there is nothing in the folder but the notes of a run that finished no part."""
    journal = output / PLACE / "journal.jsonl"
    return {path.name for path in output.iterdir()} <= {PLACE} and not (
        journal.is_file() and journal.stat().st_size
    )


def _begin(place: Path, settings: Any) -> None:
    """Note the settings. What was found in the input before, by a run of others, no longer counts."""
    text = json.dumps(settings, indent=1) + "\n"
    file = place / "run.json"
    if not file.is_file() or file.read_text(encoding="utf-8") != text:
        shutil.rmtree(place / "surveys", ignore_errors=True)
        with open_output(file) as stream:
            stream.write(text)


def _check_settings(file: Path, settings: Any, output: Path) -> None:
    kept = json.loads(file.read_text(encoding="utf-8"))
    if kept != settings:
        name, old, new = next(_differences(kept, settings, ""))
        raise MismatchError(
            f"{output} was begun with another {name}: {old} then, {new} now. Name a new folder, or link as it was begun."
        )


def _differences(old: Any, new: Any, place: str) -> Iterator[tuple[str, str, str]]:
    if isinstance(old, dict) and isinstance(new, dict):
        for name in [*old, *(name for name in new if name not in old)]:
            if old.get(name) != new.get(name):
                yield from _differences(old.get(name), new.get(name), f"{place}.{name}" if place else name)
    else:
        yield place, json.dumps(old, ensure_ascii=False)[:200], json.dumps(new, ensure_ascii=False)[:200]


def _read(file: Path) -> dict[str, Done]:
    """The finished parts; a last line that was cut off when its run was killed is cut away."""
    if not file.is_file():
        return {}
    raw = file.read_bytes()
    whole = raw[: raw.rfind(b"\n") + 1]
    if len(whole) < len(raw):
        os.truncate(file, len(whole))
    return {done["part"]: done for line in whole.splitlines() if (done := json.loads(line))}


def _survey_file(output: Path, source: Source) -> Path:
    return output / PLACE / "surveys" / f"{artifact.digest(source.name)}.json"

"""Plain text: one document per file, per line, or per `.txt` file of a folder."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from linnet.corpora.lines import lines
from linnet.corpora.losses import Losses, unheld
from linnet.corpora.notes import Note, ignore
from linnet.errors import DataError, RequestError
from linnet.formats.refusal import Refuse, stop
from linnet.io.artifact import replacing_directory
from linnet.io.control_characters import spaced_text
from linnet.io.files import inner_name, open_output, read_text
from linnet.types import Document

__all__ = ["count_others", "marked", "new_folder", "read_text_files", "write_new", "write_text_files"]

_UNSAFE = re.compile(r"[/\\\x00-\x1f\x7f]")


def read_text_files(
    path: str | Path,
    *,
    by_line: bool = False,
    check: Callable[[Path], None] = lambda file: None,
    refuse: Refuse = stop,
    note: Note = ignore,
) -> Iterator[Document]:
    """One document per file, in file name order for a folder; its id is the file name without ending.

    by_line  each non-blank line is a document; its id is the line number (in a folder, `name:number`)
    check    raises DataError for a file of a folder that is not running text; that file is refused alone

    Blank files, and files that are not UTF-8, are refused with DataError.
    """
    folder = Path(path).is_dir()
    if folder:
        count_others(Path(path), (".txt",), note)
    for file in sorted(Path(path).glob("*.txt")) if folder else [path]:
        if folder:
            try:
                check(Path(file))
            except DataError as error:
                refuse(error)
                continue
        name = "stdin" if str(file) == "-" else inner_name(file).removesuffix(".txt")
        if by_line:
            for number, line in lines(file):
                if isinstance(line, DataError):
                    refuse(line)
                elif line.strip():
                    yield Document(f"{name}:{number}" if folder else str(number), line)
            continue
        try:
            text = read_text(file)
            if not text.strip():
                raise DataError("has no text. Check that it is the right file.", path=file)
        except DataError as error:
            refuse(error)
            continue
        yield Document(name, text)


def count_others(folder: Path, endings: Sequence[str], note: Note) -> None:
    """Note the other entries of a folder by ending, except hidden files and BRAT's settings."""
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith(".") or entry.suffix == ".conf":
            continue
        if entry.is_dir():
            note("folders inside the folder, not read")
        elif entry.suffix not in endings:
            note(f"files '{entry.suffix}', not read" if entry.suffix else "files without an ending, not read")


def write_text_files(documents: Iterable[Document], path: str | Path) -> Losses:
    """Write one document to a file, or any number to `ID.txt` in a new folder (a path without ending); control characters as spaces.

    Raises RequestError for several documents in one file, and for a folder that is not empty.
    """
    lost: Counter[str] = Counter()
    if str(path) != "-" and not Path(path).suffix:
        with new_folder(path) as folder:
            for document in documents:
                if write_new(
                    folder, document.id, {".txt": spaced_text(marked(document.text), lost)}, lost, path
                ):
                    lost += unheld(document, frozenset())
        return Losses(+lost)
    with open_output(path) as stream:
        for number, document in enumerate(documents):
            if number:
                raise RequestError(
                    f"{path} is one file, but there are several documents. Name a folder, without ending."
                )
            lost += unheld(document, frozenset())
            stream.write(spaced_text(marked(document.text), lost))
    return Losses(+lost)


@contextmanager
def new_folder(path: str | Path) -> Iterator[Path]:
    """A folder that appears completely or not at all. Raises RequestError if it is not empty."""
    place = Path(path)
    if place.exists() and not (place.is_dir() and not any(place.iterdir())):
        raise RequestError(f"{path} already exists, and its content would be replaced. Name a new folder.")
    with replacing_directory(place) as draft:
        yield draft


def write_new(folder: Path, id: str, files: Mapping[str, str], lost: Counter[str], path: str | Path) -> bool:
    """Write the files (ending → content) of a document; False if identical files exist.

    Raises DataError if other files exist for that id.
    """
    targets = {folder / file_name(id, ending): content for ending, content in files.items()}
    if any(target.exists() for target in targets):
        if all(target.read_bytes() == content.encode() for target, content in targets.items()):
            lost["repetitions of a document"] += 1
            return False
        raise DataError(f"two documents have the id '{id}'. Give every document its own.", path=path)
    for target, content in targets.items():
        lost["exact document ids"] += target.name != id + target.suffix and target.suffix == ".txt"
        target.write_bytes(content.encode())
    return True


def marked(text: str) -> str:
    """The text for writing to a file: an initial U+FEFF is doubled, as the first one is not read as text."""
    return f"\ufeff{text}" if text.startswith("\ufeff") else text


def file_name(id: str, ending: str) -> str:
    """A file name for a document id; invalid characters are percent-encoded."""
    safe = _UNSAFE.sub(lambda match: quote(match.group(), safe=""), id)
    return f"{'%2E' + safe[1:] if safe.startswith('.') else safe or '_'}{ending}"

"""What is checked of every document that is read, whatever its format: its id, unread annotations, and whether it is annotated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

from linnet.corpora.link_output import is_linked, not_gold
from linnet.corpora.notes import Note
from linnet.corpora.unannotated import reason_of
from linnet.corpora.unread_fields import unread_error, unread_fields, unread_note
from linnet.errors import DataError
from linnet.formats import formats
from linnet.formats.refusal import Refuse
from linnet.io.filenames import writable
from linnet.types import Document
from linnet.words import mojibake

__all__ = ["DocumentChecks"]

_FORMATS = formats("corpus")


class DocumentChecks:
    """Reads and checks the documents of one file."""

    def __init__(
        self,
        path: str | Path,
        format: str,
        *,
        annotated: bool,
        refuse: Refuse,
        note: Note,
    ) -> None:
        """
        annotated    gold annotations are required: documents without are left out, links and unread annotations refused
        refuse       raises the error of what is malformed, or leaves it out
        note         counts what is left out on purpose
        """
        self._path, self._format, self._annotated = path, format, annotated
        self._refuse, self._note = refuse, note
        self._refused = 0
        self._contents: dict[str, bytes] = {}  # id → digest of the document's content
        self._unannotated: Counter[str] = Counter()
        self._twice = ""  # the note of texts that were decoded twice, with the first example

    def refuse(self, error: DataError) -> None:
        """Raise an error, or skip what is malformed; see `linnet.formats.refusal`."""
        self._refuse(error)
        self._refused += 1

    def documents(self, reader: Callable[..., Iterable[Document]]) -> Iterator[Document]:
        """The documents that a reader finds in the file and that pass, in order; the file is opened with the first.

        Raises DataError at the end if there was no document, or none is annotated though annotations are required, and at once
        for links of linnet in place of gold annotations.
        """
        any_read, any_kept = False, False
        for document in map(self._with_writable_id, reader(self._path, refuse=self.refuse, note=self._note)):
            if self._repeats_id(document) or self._has_unread_annotations(document):
                continue
            if self._annotated and is_linked(document):
                raise not_gold(self._path)
            any_read = True
            if told := mojibake.note(document.text):
                self._twice = self._twice or told
                self._note(self._twice)
            if self._is_left_out(document):
                continue
            any_kept = True
            yield document
        if self._unannotated and not any_kept:
            reasons = ", ".join(f"{count:,} {reason}" for reason, count in self._unannotated.items())
            raise DataError(
                f"no document is annotated ({reasons}). Finish annotating, and export it again.",
                path=self._path,
            )
        if not any_read and not self._refused:
            raise DataError(
                f"has no document, read as '{self._format}'. Check the file, or name its format.",
                path=self._path,
            )

    def _with_writable_id(self, document: Document) -> Document:
        id = writable(document.id)
        if id == document.id:
            return document
        self._note("document ids made from a file name that is not UTF-8, its other bytes written as %XX")
        return replace(document, id=id)

    def _repeats_id(self, document: Document) -> bool:
        """Whether a document with another content had this id; refuses it then."""
        if "shared-ids" in _FORMATS[self._format].traits:
            return False
        content = _digest(document)
        if self._contents.setdefault(document.id, content) == content:
            return False
        self.refuse(
            DataError(
                f"document id '{document.id}' occurs again with different content. Give every document its own id.",
                path=self._path,
            )
        )
        return True

    def _has_unread_annotations(self, document: Document) -> bool:
        """Whether it has fields that look like annotations though these are required; refuses it then. Else counts such fields."""
        names = unread_fields(document)
        if names and self._annotated:
            self.refuse(unread_error(names, document, self._format, self._path))
            return True
        for name in names:
            self._note(unread_note(name, self._format), unread=True)
        return False

    def _is_left_out(self, document: Document) -> bool:
        """Whether its annotation is unfinished though annotations are required. Counts unfinished ones in any case."""
        reason = reason_of(document)
        if not reason:
            return False
        self._note(f"documents {reason}, {'left out' if self._annotated else 'read without annotations'}")
        if self._annotated:
            self._unannotated[reason] += 1
        return self._annotated


def _digest(document: Document) -> bytes:
    content = repr((document.text, document.mentions))
    return blake2b(content.encode("utf-8", "surrogatepass"), digest_size=8).digest()

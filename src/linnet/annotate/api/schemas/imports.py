"""What an upload brought."""

from __future__ import annotations

from linnet.annotate.api.schemas.base import Reply

__all__ = ["FileReport", "ImportReport"]


class FileReport(Reply):
    """What became of one uploaded file (or of one folder of an archive, for formats that are folders).

    format      it was read as
    documents   added
    mentions    annotations added
    accepted    documents that count as complete and checked; none where something could not be read
    empty       rows of a table left out because they have no text
    duplicates  ids of documents left out because the project has one of that id
    refused     what could not be read, each with its place: a mention where the rest of its document is sound,
                else a document, else the file
    unknown     concept ids the terminology does not have → number of mentions; they are kept as they are
    notes       what the file holds that was left out on purpose, counted: "12 rejected annotations, left out"
    unread      whether a note is about annotations that were not read, so that none of its documents counts as complete
    """

    name: str
    format: str
    documents: int
    mentions: int
    accepted: int
    empty: int
    duplicates: list[str]
    refused: list[str]
    unknown: dict[str, int]
    notes: list[str]
    unread: bool


class ImportReport(Reply):
    """What became of an upload.

    accepted  documents that count as complete and checked: only those uploaded with `complete` from files read completely
    job       number of the job that predicts the new documents, None where none was started
    """

    documents: int
    mentions: int
    accepted: int
    held_out: int
    files: list[FileReport]
    job: int | None

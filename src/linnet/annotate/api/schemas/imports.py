"""Reports of uploads: what was read of each file, and what was refused."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from linnet.annotate.api.schemas.base import Reply

__all__ = ["FileReport", "ImportReport"]


class FileReport(Reply):
    """Result for one uploaded file, or one folder of an archive if its format is a folder.

    format      that it was read as
    documents   number added
    mentions    number of annotations added
    accepted    number of documents accepted as complete; 0 if a part of the file could not be read
    empty       number of table rows left out because they have no text
    duplicates  ids of documents left out because the project has them already
    refused     what could not be read, with its place: a mention, if the rest of its document is valid, else a document, else
                the file
    unknown     concept ids that the terminology does not have → number of mentions, which keep them
    notes       what was left out on purpose, counted: "12 rejected annotations, left out"
    unread      whether annotations were left out, so that no document of the file was accepted
    """

    name: str
    format: str = ""
    documents: int = 0
    mentions: int = 0
    accepted: int = 0
    empty: int = 0
    duplicates: list[str] = Field(default_factory=list)
    refused: list[str] = Field(default_factory=list)
    unknown: dict[str, int] = Field(default_factory=dict)
    notes: list[str] = Field(default_factory=list)
    unread: bool = False


class ImportReport(Reply):
    """Result of an upload.

    accepted  number of documents accepted: with `complete`, those of files that could be read completely
    failed    number of files of which nothing could be added; `refused` of each says why
    job       id of the job that predicts in the new documents; None if there are none
    """

    documents: int
    mentions: int
    accepted: int
    held_out: int
    failed: int
    files: Sequence[FileReport]
    job: int | None

"""Reports of uploads: what was read of each file, and what was refused."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from linnet.annotate.api.schemas.base import Reply

__all__ = ["FileReport", "ImportReport"]


class FileReport(Reply):
    """Result for one uploaded file, or one folder of an archive if its format is a folder."""

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
    """Result of an upload."""

    documents: int
    mentions: int
    accepted: int
    held_out: int
    failed: int
    files: Sequence[FileReport]
    job: int | None

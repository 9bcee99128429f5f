"""Files that people take for texts and that are none: they are told what to upload instead."""

from __future__ import annotations

from collections.abc import Collection

__all__ = ["foreign_archive", "foreign_file", "instead"]

_BEGINNINGS = {
    b"%PDF": "a PDF",
    b"{\\rtf": "a rich-text document",
    b"\xd0\xcf\x11\xe0": "an old Word or Excel file",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
}
_WEB = (b"<!doctype html", b"<html")
# What archives hold that are documents.
_MEMBERS = {
    "[Content_Types].xml": "a Word, Excel or PowerPoint file",
    "META-INF/manifest.xml": "an OpenDocument file",
}


def foreign_file(head: bytes) -> str:
    """What a file is that begins like this, "" for what may be a text."""
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(_WEB):
        return "a web page"
    return next((kind for beginning, kind in _BEGINNINGS.items() if head.startswith(beginning)), "")


def foreign_archive(members: Collection[str]) -> str:
    """What an archive of these members is, "" for one that may hold texts."""
    return next((kind for member, kind in _MEMBERS.items() if member in members), "")


def instead(name: str, kind: str) -> str:
    """What to say of such a file."""
    return f"{name} is {kind}, which cannot be read. Save its text as plain text (.txt), or its table as CSV, and upload that."

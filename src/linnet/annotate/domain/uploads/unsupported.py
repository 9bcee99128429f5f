"""Files that are not texts, such as PDF and Word: what each is, and what to upload instead."""

from __future__ import annotations

from collections.abc import Collection

from linnet.formats.kinds import is_parquet, is_zip, kind_of

__all__ = ["foreign_archive", "foreign_file", "instead"]

_GZIP = b"\x1f\x8b"
_UTF_16 = "UTF-16"  # left to `encodings`
# Members that reveal an office document.
_MEMBERS = {
    "[Content_Types].xml": "a Word, Excel or PowerPoint file",
    "META-INF/manifest.xml": "an OpenDocument file",
}


def foreign_file(head: bytes) -> str:
    """What kind of file begins like this; "" if it may be a text."""
    kind = kind_of(head)
    if (
        kind is None
        or is_zip(head)
        or head.startswith(_GZIP)
        or is_parquet(head)
        or kind.name.startswith(_UTF_16)
    ):
        return ""
    return kind.name if kind.binary or kind.name.startswith("a web page") else ""


def foreign_archive(members: Collection[str]) -> str:
    """What an archive with these members is; "" if it may hold texts."""
    return next((kind for member, kind in _MEMBERS.items() if member in members), "")


def instead(name: str, kind: str) -> str:
    """The message for such a file."""
    return f"{name} is {kind}, which cannot be read. Save its text as plain text (.txt), or its table as CSV, and upload that."

"""What is refused of an archive before anything of it is restored."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from linnet.annotate.archive import reading
from linnet.annotate.archive.manifest import FORMAT, MANIFEST, Manifest, is_server_backup
from linnet.annotate.archive.reading import check_limits, opened, read_lines
from linnet.annotate.refusals import Invalid, TooLarge


def _packed(**members: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def _locked(content: bytes) -> bytes:
    """The archive as if its first member had a password."""
    flags = content.index(b"PK\x01\x02") + 8
    return content[:flags] + b"\x01" + content[flags + 1 :]


def _archive(**members: str) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(_packed(**members)))


@pytest.mark.parametrize("name", ["../evil", "models/../../evil", "/evil", "..\\evil", "c:evil"])
def test_a_path_that_leads_outside_is_refused(name: str) -> None:
    with _archive(**{name: "x"}) as archive, pytest.raises(Invalid, match="lead outside its folder"):
        check_limits(archive)
    manifest = json.dumps({"format": FORMAT, "members": {name: {"size": 1, "sha256": "0"}}})
    with (
        _archive(**{MANIFEST: manifest}) as archive,
        pytest.raises(Invalid, match="leads outside its folder"),
    ):
        Manifest.read(archive)


def test_a_password_is_said_to_be_in_the_way() -> None:
    file = io.BytesIO(_locked(_packed(**{MANIFEST: "{}"})))
    with pytest.raises(Invalid, match="Remove the password first"), opened(file, expected=""):
        pytest.fail("it was opened")


@pytest.mark.parametrize(
    "content",
    [
        b"not packed",
        _packed(a="x"),
        _packed(**{MANIFEST: "["}),
        _packed(**{MANIFEST: "[1]"}),
        _packed(**{MANIFEST: json.dumps({"format": FORMAT, "members": [1]})}),
        _packed(**{MANIFEST: "[" * 100_000}),
        _locked(_packed(**{MANIFEST: "{}"})),
    ],
    ids=["text", "other", "cut off", "list", "members", "nested", "locked"],
)
def test_whatever_else_lies_there_is_no_backup_of_a_server(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(content)
    assert not is_server_backup(tmp_path / "a.zip")


def test_a_damaged_manifest_is_none(damaged_zip: Callable[..., bytes], tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(damaged_zip({MANIFEST: '{"format": 2}' * 500}))
    assert not is_server_backup(tmp_path / "a.zip")


@pytest.mark.parametrize(("limit", "most"), [("FILES", 2), ("UNPACKED", 5)])
def test_what_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch, limit: str, most: int) -> None:
    with _archive(a="x" * 4, b="x") as archive:
        monkeypatch.setattr(reading, limit, most)
        check_limits(archive)
        monkeypatch.setattr(reading, limit, most - 1)
        with pytest.raises(TooLarge, match="the limits of this server"):
            check_limits(archive)


def test_a_text_may_show_how_nul_is_escaped_but_not_contain_it() -> None:
    texts = [r"\u0000", r"C:\u0000", "\\" * 4 + "u0000"]
    with _archive(rows="\n".join(json.dumps({"text": text}) for text in texts)) as archive:
        assert [row["text"] for row in read_lines(archive, "rows")] == texts
    for text in ("\x00", "a\x00b", "\\\x00"):
        with (
            _archive(rows=json.dumps({"text": text})) as archive,
            pytest.raises(ValueError, match="the character NUL"),
        ):
            list(read_lines(archive, "rows"))

"""Stamps that tell whether a file was replaced."""

from __future__ import annotations

import os
from pathlib import Path

from linnet.file_stamp import file_stamp


def test_a_stamp_changes_when_a_file_is_written_replaced_or_removed(tmp_path: Path) -> None:
    file, other = tmp_path / "a", tmp_path / "b"
    file.write_text("one")
    stamps = [file_stamp(file)]
    assert file_stamp(file) == stamps[0]
    file.write_text("three")
    stamps.append(file_stamp(file))
    other.write_text("seven")
    status = file.stat()
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    other.replace(file)
    stamps.append(file_stamp(file))
    file.unlink()
    stamps.append(file_stamp(file))
    assert stamps[-1] is None
    assert len(set(stamps)) == 4


def test_a_path_below_a_file_has_no_stamp(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert file_stamp(tmp_path / "file" / "below") is None

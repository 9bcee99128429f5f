from __future__ import annotations

import os
from pathlib import Path

from linnet.io.file_stamps import stamp_of


def test_a_file_that_is_replaced_has_another_stamp(tmp_path: Path) -> None:
    file, other = tmp_path / "a", tmp_path / "b"
    for place in (file, other):
        place.write_text("same")
        os.utime(place, (1, 1))
    before = stamp_of(file)
    assert before == stamp_of(file)
    other.replace(file)
    assert stamp_of(file) != before


def test_a_file_that_does_not_exist_has_no_stamp(tmp_path: Path) -> None:
    assert stamp_of(tmp_path / "absent") is None

from __future__ import annotations

import os
from pathlib import Path

from linnet.annotate.domain.terminologies import Terminologies
from linnet.terminology import write_terminology
from linnet.types import Concept


def test_a_terminology_is_opened_once_until_another_takes_its_place(tmp_path: Path) -> None:
    place = tmp_path / "terms"
    write_terminology([Concept("X:1", "Gout")], place)
    known = Terminologies(tmp_path / "data", [place])
    first = known.open("terms")
    names = known.name_of("terms")
    assert (names("X:1"), names("X:2"), known.open("terms")) == ("Gout", "", first)

    os.utime(place / "terminology.json", ns=(1, 1))  # touched, not changed
    assert known.open("terms") is first

    write_terminology([Concept("X:1", "Gouty arthritis"), Concept("X:2", "Scurvy")], place)
    assert known.open("terms") is not first
    assert (known.name_of("terms")("X:1"), known.name_of("terms")("X:2")) == ("Gouty arthritis", "Scurvy")


def test_names_are_blank_where_the_terminology_is_gone(tmp_path: Path) -> None:
    assert Terminologies(tmp_path).name_of("nowhere")("X:1") == ""

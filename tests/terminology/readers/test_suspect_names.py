"""Names with damaged characters or markup, and concepts that lose their replacement, are counted whatever the format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from linnet.terminology.readers import ReadOptions, read
from linnet.terminology.readers.suspect_names import SuspectNames
from linnet.types import Concept


def notes(*names: str) -> list[str]:
    suspects = SuspectNames()
    suspects.add(Concept("X:1", names[0], names[1:]))
    return suspects.notes()


@pytest.mark.parametrize(
    "name", ["SjÃ¶gren", "Crohnâ€™s disease", "Î²-thalassemia", "Sj\ufffdgren", "SÃ£o Paulo fever"]
)
def test_characters_of_a_wrong_encoding(name: str) -> None:
    (note,) = notes("gout", name)
    assert note.startswith(f"1 name holds characters of a wrong encoding, e.g. '{name}'")


@pytest.mark.parametrize(
    "name",
    ["Sjögren", "Crohn’s disease", "β-thalassemia", "ÃO", "São Paulo fever", "p < 0.05 </", "â", "Ângström"],
)
def test_names_that_are_whole(name: str) -> None:
    assert notes(name) == []


def test_markup_is_counted() -> None:
    (note,) = notes("<i>E. coli</i> infection", "H<sub>2</sub>O")
    assert note.startswith("2 names hold HTML tags, e.g. '<i>E. coli</i> infection'")


def test_a_source_of_any_format_tells(tmp_path: Path) -> None:
    file, told = tmp_path / "a.jsonl", list[str]()
    records = [{"id": "X:1", "name": "SjÃ¶gren", "replaced_by": "X:2"}, {"id": "X:2", "name": "gout"}]
    file.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    list(read(file, options=ReadOptions(notice=told.append)))
    assert ["wrong encoding" in note for note in told] == [True, False]
    assert "1 concept has both a name and a replacement, e.g. 'X:1, replaced by X:2'" in told[1]


def test_ids_that_files_of_links_read_as_no_concept_or_as_several_are_counted() -> None:
    suspects = SuspectNames()
    for id in (
        "-1",
        "NIL",
        "A17|B2",
        "X:1,X:2",
        "X:1",
        "22298006 |Myocardial infarction|",
        "E11.9",
        "A17.0+",
    ):
        suspects.add(Concept(id, "gout"))
    no_concept, several = suspects.notes()
    assert no_concept.startswith("2 ids mean no concept, e.g. '-1'. Links to these concepts are read as NIL")
    assert several.startswith("2 ids look like several ids, e.g. 'A17|B2'.")

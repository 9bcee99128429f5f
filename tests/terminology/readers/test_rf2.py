from pathlib import Path

import pytest

from linnet.errors import DataError
from linnet.terminology.readers import ReadOptions, detect, read

FSN, SYNONYM = "900000000000003001", "900000000000013009"
PREFERRED, ACCEPTABLE = "900000000000548007", "900000000000549004"
US, GB = "900000000000509007", "900000000000508004"
M = "900000000000207008"


def table(header: str, *rows: str) -> str:
    return "".join("\t".join(line.split("|")) + "\r\n" for line in (header, *rows))


DESCRIPTION = "id|effectiveTime|active|moduleId|conceptId|languageCode|typeId|term|caseSignificanceId"
FILES = {
    "Snapshot/Terminology/sct2_Concept_Snapshot_INT_20990101.txt": table(
        "id|effectiveTime|active|moduleId|definitionStatusId",
        *(
            f"{id}|2099|{active}|{M}|0"
            for id, active in (("11", 1), ("12", 1), ("13", 0), ("14", 0), ("15", 0))
        ),
    ),
    "Snapshot/Terminology/sct2_Description_Snapshot-en_INT_20990101.txt": table(
        DESCRIPTION,
        f"1|2099|1|{M}|11|en|{FSN}|Soreness of beak (disorder)|0",
        f"2|2099|1|{M}|11|en|{SYNONYM}|Beak ache|0",
        f"3|2099|1|{M}|11|en|{SYNONYM}|Sore beak|0",
        f"4|2099|0|{M}|11|en|{SYNONYM}|Old beak|0",
        f"5|2099|1|{M}|12|en|{FSN}|Disease (disorder)|0",
        f"6|2099|1|{M}|13|en|{FSN}|Gone (finding)|0",
        f"7|2099|1|{M}|11|en|{SYNONYM}|Soreness of beak|0",
        f"8|2099|1|{M}|11|fr|{SYNONYM}|Mal de bec|0",
    ),
    "Snapshot/Terminology/sct2_TextDefinition_Snapshot-en_INT_20990101.txt": table(
        DESCRIPTION, f"9|2099|1|{M}|11|en|900000000000550004|A beak that hurts.|0"
    ),
    "Snapshot/Terminology/sct2_Relationship_Snapshot_INT_20990101.txt": table(
        "id|effectiveTime|active|moduleId|sourceId|destinationId|relationshipGroup|typeId|characteristicTypeId|modifierId",
        f"1|2099|1|{M}|11|12|0|116680003|0|0",
        f"2|2099|0|{M}|12|11|0|116680003|0|0",
        f"3|2099|1|{M}|12|11|0|363698007|0|0",
    ),
    "Snapshot/Refset/Language/der2_cRefset_LanguageSnapshot-en_INT_20990101.txt": table(
        "id|effectiveTime|active|moduleId|refsetId|referencedComponentId|acceptabilityId",
        f"a|2099|1|{M}|{GB}|2|{PREFERRED}",
        f"b|2099|1|{M}|{US}|3|{PREFERRED}",
        f"c|2099|1|{M}|{US}|2|{ACCEPTABLE}",
    ),
    "Snapshot/Refset/Content/der2_cRefset_AssociationSnapshot_INT_20990101.txt": table(
        "id|effectiveTime|active|moduleId|refsetId|referencedComponentId|targetComponentId",
        f"a|2099|1|{M}|900000000000526001|13|11",
        f"b|2099|1|{M}|900000000000523009|13|12",
        f"c|2099|1|{M}|900000000000523009|14|12",
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(text.encode())
    full = tmp_path / "Full/Terminology/sct2_Concept_Full_INT_20990101.txt"
    full.parent.mkdir(parents=True)
    full.write_text("not to be read\n")
    return tmp_path


def test_names_in_order_of_preference_with_tag_as_type(folder: Path) -> None:
    assert detect(folder) == "rf2"
    first, second, *_ = read(folder)
    assert (first.id, first.all_names) == ("SNOMEDCT:11", ("Sore beak", "Beak ache", "Soreness of beak"))
    assert (first.types, first.definition) == (("disorder",), "A beak that hurts.")
    assert first.parents == ("SNOMEDCT:12",)
    assert (second.name, second.parents) == ("Disease", ())


def test_inactive_concepts_lead_to_their_surest_successors(folder: Path) -> None:
    retired = {c.id: c.replaced_by for c in read(folder) if not c.name}
    assert retired == {"SNOMEDCT:13": ("SNOMEDCT:11",), "SNOMEDCT:14": ("SNOMEDCT:12",)}


def test_languages_and_types_filter(folder: Path) -> None:
    french = [c for c in read(folder, options=ReadOptions(languages={"fr"})) if c.name]
    assert [c.all_names for c in french] == [("Mal de bec",)]
    kept = read(folder, options=ReadOptions(types={"finding"}, suppressed=True))
    assert [c.name for c in kept] == ["Gone"]


def test_a_release_without_snapshot_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no sct2_Concept_…Snapshot….txt below it"):
        list(read(tmp_path, format="rf2"))


def test_a_row_of_another_width_is_named(folder: Path) -> None:
    with next(folder.rglob("sct2_Concept_Snapshot*")).open("a") as stream:
        stream.write("16\t2099\n")
    with pytest.raises(DataError, match=r"sct2_Concept_Snapshot_INT_20990101\.txt:7: row has 2 columns"):
        list(read(folder))


def test_files_in_a_linked_folder_are_read(folder: Path, tmp_path: Path) -> None:
    expected = list(read(folder))
    release = tmp_path / "elsewhere" / "release"
    release.mkdir(parents=True)
    (release / "Snapshot").symlink_to(folder / "Snapshot")
    assert list(read(release, format="rf2")) == expected

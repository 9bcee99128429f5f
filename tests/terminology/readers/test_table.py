import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.advised import in_options

from linnet.advice import Note
from linnet.errors import DataError, RequestError
from linnet.terminology.readers import ReadOptions, detect, read
from linnet.terminology.readers.missing_values import is_missing_id
from linnet.types import Concept


def write(folder: Path, text: str, name: str = "birds.tsv") -> Path:
    file = folder / name
    file.write_bytes(text.encode())
    return file


def test_columns_with_usual_names_are_found(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        "# made by hand\nid\tlabel\tsynonyms\ttype\tparents\txrefs\tdefinition\n"
        '"B:1"\tsore beak\tbeak pain|bill ache\tDisease\tB:2\tMSH:D1\t"A ""sore"" beak."\nB:2\tdisease\t\t\t\t\t\n',
    )
    first, second = read(file)
    assert (first.id, first.all_names) == ("B:1", ("sore beak", "beak pain", "bill ache"))
    assert (first.types, first.parents, first.xrefs) == (("Disease",), ("B:2",), ("MESH:D1",))
    assert first.definition == 'A "sore" beak.'
    assert second.all_names == ("disease",)


def test_columns_are_named_and_separators_chosen(tmp_path: Path) -> None:
    file = write(tmp_path, "Code;Nom;Autres\n7;bec;bouche, gueule\n")
    options = ReadOptions(
        columns={"id": "Code", "name": "Nom", "synonyms": "Autres"}, prefix="B", separator=","
    )
    (concept,) = read(file, format="table", options=options)
    assert (concept.id, concept.all_names) == ("B:7", ("bec", "bouche", "gueule"))


def test_numbered_columns_need_no_header_and_rows_of_an_id_are_united(tmp_path: Path) -> None:
    file = write(tmp_path, "\ufeff#1 beak\t7\nbill\t7\nbeak\t8\n")
    first, second = read(file, format="table", options=ReadOptions(columns={"name": 1, "id": 2}, prefix="B"))
    assert (first.id, first.all_names) == ("B:7", ("#1 beak", "bill"))
    assert second.id == "B:8"


def test_numbered_columns_with_a_header(tmp_path: Path) -> None:
    file = write(tmp_path, "name\tid\nbeak\tB:7\n")
    (concept,) = read(file, format="table", options=ReadOptions(columns={"name": 1, "id": 2}, header=True))
    assert concept.name == "beak"


def test_csv_cells_may_hold_commas_quotes_and_line_ends(tmp_path: Path) -> None:
    file = write(tmp_path, 'id,name,definition\nB:1,"beak, ""sore""","two\nlines"\nB:2,x,y\n', "birds.csv")
    first, second = read(file)
    assert (first.name, first.definition, second.name) == ('beak, "sore"', "two lines", "x")


def test_answers_of_sparql_endpoints(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        "?x\t?label\t?p\t?y\n"
        '<http://b.example/obo/HP_0000001>\t"beak"@en\t<http://www.w3.org/2000/01/rdf-schema#subClassOf>\t'
        "<http://b.example/obo/HP_0000002>\n"
        '<http://b.example/obo/HP_0000001>\t"beak"@en\tRO:1\t<http://b.example/obo/HP_0000003>\n',
    )
    columns = {"id": "x", "name": "label", "relation": "p", "parents": "?y"}
    (concept,) = read(file, format="table", options=ReadOptions(columns=columns))
    assert (concept.id, concept.name, concept.parents) == ("HP:0000001", "beak", ("HP:0000002",))


def test_without_names_rows_add_to_concepts_of_other_files(tmp_path: Path) -> None:
    file = write(tmp_path, "cls\txref\nB:1\tMSH:D1\n")
    (concept,) = read(file, format="table", options=ReadOptions(columns={"id": "cls", "xrefs": "xref"}))
    assert (concept.name, concept.xrefs, concept.replaced_by) == ("", ("MESH:D1",), ())


@pytest.mark.parametrize(
    ("text", "columns", "says"),
    [
        ("id\tname\nB:1\tx\ty\n", {}, r"birds\.tsv:2: row has 3 columns; expected 2"),
        ("id\tname\nB:1\n", {}, r"birds\.tsv:2: row has 1 columns"),
        ("id\tname\n\tx\n", {}, r"birds\.tsv:2: row without an id"),
        ("a\tb\nB:1\tx\n", {}, r"which column holds the ids\? Columns: a, b"),
        ("id\tb\nB:1\tx\n", {}, r"which column holds the names\?"),
        ("id\tname\nB:1\tx\n", {"name": "nom"}, r"no column 'nom'. Columns: id, name"),
        ("B:1\tx\n", {"id": 1, "name": 3}, r"no column 3; the row has 2"),
        ("id\tname\n", {}, "no concept"),
        ('id,name\nB:1,"x\n', {}, r"birds\.tsv:2: a quote is never closed"),
    ],
)
def test_what_is_malformed_is_named(
    tmp_path: Path, text: str, columns: dict[str, str | int], says: str
) -> None:
    with pytest.raises(DataError, match=says):
        list(read(write(tmp_path, text), format="table", options=ReadOptions(columns=columns)))


def test_bytes_that_are_not_utf_8_are_named_by_line(tmp_path: Path) -> None:
    file = tmp_path / "latin.tsv"
    file.write_bytes("id\tname\nB:1\tAménorrhée\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"latin\.tsv:2: not valid UTF-8"):
        list(read(file))


def test_a_role_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="Unknown role 'nom'"):
        list(read(write(tmp_path, "id\tname\n"), format="table", options=ReadOptions(columns={"nom": "x"})))


# Hypothesis also tries words of linnet's own code, among them those that stand for an empty cell.
_NAME = st.text(st.characters(categories=["L", "N"]), min_size=1).filter(lambda name: not is_missing_id(name))


@settings(max_examples=50, deadline=None)
@given(names=st.lists(_NAME, min_size=1, unique=True))
def test_one_name_a_row_gives_all_names_in_order(
    tmp_path_factory: pytest.TempPathFactory, names: list[str]
) -> None:
    file = write(tmp_path_factory.mktemp("table"), "id\tname\n" + "".join(f"B:1\t{name}\n" for name in names))
    (concept,) = read(file)
    assert concept.all_names == tuple(names)


def test_a_workbook_is_read_as_csv_is(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="needs the xlsx extra")
    book = openpyxl.Workbook()
    for row in (("id", "name", "synonyms"), (7.0, "beak", "bill|neb"), (8, datetime.date(2099, 3, 1), None)):
        book.active.append(row)
    book.create_sheet("Mouse").append(("id", "name"))
    book["Mouse"].append((9, "snout"))
    book.save(tmp_path / "birds.xlsx")
    assert detect(tmp_path / "birds.xlsx") == "table"
    skipped: list[DataError] = []
    options = ReadOptions(prefix="B", on_error="skip", report=skipped.append)
    found = list(read(tmp_path / "birds.xlsx", options=options))
    assert (found[0].id, found[0].all_names) == ("B:7", ("beak", "bill", "neb"))
    assert "Excel turns gene names such as MARCH1 into dates" in str(skipped[0])
    (mouse,) = read(tmp_path / "birds.xlsx", options=ReadOptions(sheet="Mouse"))
    assert mouse.name == "snout"
    with pytest.raises(RequestError, match="is not a workbook"):
        list(read(write(tmp_path, "id\tname\nB:1\tx\n"), options=ReadOptions(sheet="Mouse")))


@pytest.mark.data
@pytest.mark.parametrize(
    ("file", "options", "concepts", "names"),
    [
        ("doid/HumanDO.tsv", {}, 12_246, 12_246),
        ("doid/allXREFinDO.tsv", {}, 11_559, 11_559),
        ("hpo/layperson-synonyms.tsv", {"columns": {"id": "term", "name": "term_label", "synonyms": "layperson"}}, 4_701, 10_789),
        ("hpo/hp_edges.tsv", {"columns": {"id": "x", "relation": "p", "parents": "y"}}, 14_280, 0),
        ("hpo/hp_xrefs.tsv", {"columns": {"id": "cls", "xrefs": "xref"}}, 11_693, 0),
        ("mondo/edges.tsv", {"columns": {"id": "x", "relation": "p", "parents": "y"}}, 41_048, 0),
        ("mondo/xrefs.tsv", {"columns": {"id": "cls", "xrefs": "xref"}}, 27_242, 0),
        ("mesh2024/chemicals.tsv.gz", {"prefix": "MESH"}, 54_296, 176_220),
        ("mesh2024/mesh2024_parents.tsv.gz", {"columns": {"id": 1, "parents": 2}, "prefix": "MESH"}, 30_652, 0),
        ("mesh2024/scr_names.tsv.gz", {"columns": {"id": "SupplementalRecordUI", "name": "Name"}}, 43_755, 43_926),
        ("mesh2024/scr_to_descriptor.tsv", {"columns": {"id": "SupplementalRecordUI", "replaced_by": "DescriptorUI"}}, 280, 0),
        ("reach/Species_exhaustive.tsv.gz", {"columns": {"name": 1, "id": 2}, "prefix": "NCBITAXON"}, 9_999, 67_720),
        ("reach/bio_process.tsv.gz", {"columns": {"name": 1, "id": 2}}, 23_612, 68_227),
        ("reach/chebi.tsv.gz", {"columns": {"name": 1, "id": 2}}, 71_089, 71_089),
        ("reach/PubChem.tsv.gz", {"columns": {"name": 1, "id": 2}, "prefix": "PUBCHEM"}, 40_088, 207_396),
        ("mesh2024/mesh2024_terms.tsv.gz", {"columns": {"id": "DescriptorUI", "name": "TermName"}}, 30_764, 263_931),
    ],
)  # fmt: skip
def test_real_tables(data: Path, file: str, options: dict[str, object], concepts: int, names: int) -> None:
    found = list(read(data / "terminologies" / file, format="table", options=ReadOptions(**options)))  # type: ignore[arg-type]
    assert len(found) == concepts
    assert sum(len(c.all_names) for c in found) == names


def noted(folder: Path, text: str, **options: Any) -> tuple[list[Concept], str]:
    file = folder / "table.tsv"
    file.write_text(text, encoding="utf-8")
    notes: list[Note] = []
    found = list(read(file, format="table", options=ReadOptions(notice=notes.append, **options)))
    return found, " ".join(map(in_options, notes))


def test_markers_of_mgi_are_read_by_its_own_column_names(tmp_path: Path) -> None:
    header = "MGI Accession ID\tMarker Symbol\tStatus\tMarker Name\tMarker Synonyms (pipe-separated)\n"
    (concept,), _ = noted(tmp_path, header + "MGI:990001\tGlmr\tO\tglimmer\tGlx|Gly\n")
    assert (concept.id, concept.all_names) == ("MGI:990001", ("Glmr", "glimmer", "Glx", "Gly"))


def test_the_type_of_a_name_is_no_type_of_the_substance(tmp_path: Path) -> None:
    columns = {"id": "UNII", "name": "Display Name", "synonyms": "Name"}
    text = "Name\tTYPE\tUNII\tDisplay Name\nVELLO\tcn\tXX99XX99XX\tVELLOMAB\n"
    (concept,), note = noted(tmp_path, text, columns=columns, prefix="UNII")
    assert (concept.id, concept.all_names, concept.types) == ("UNII:XX99XX99XX", ("VELLOMAB", "VELLO"), ())
    assert "Not read: TYPE" in note


def test_ids_of_which_some_alone_get_a_prefix_are_told(tmp_path: Path) -> None:
    concepts, note = noted(tmp_path, "id\tname\nC000002\tvello\nC000588423\ttarn\n")
    assert [c.id for c in concepts] == ["C000002", "MESH:C000588423"]
    assert (
        "'C000002', are kept as they are; others got MESH because of their shape. If that is wrong: --prefix MESH"
        in note
    )


def test_names_that_hold_bars_are_told(tmp_path: Path) -> None:
    (concept,), note = noted(tmp_path, "id\tlist\nX:1\tgout|podagra\n", columns={"id": "id", "name": "list"})
    assert concept.name == "gout|podagra"
    assert "1 preferred name holds '|' and was read whole, e.g. 'gout|podagra'" in note


@pytest.mark.parametrize(
    "word", ["retired", "inactive", "Withdrawn", "deleted", "Symbol Withdrawn", "deprecated"]
)
def test_a_status_that_says_retired_leaves_the_row_out(tmp_path: Path, word: str) -> None:
    file = write(tmp_path, f"id,name,status\nB:1,beak,{word}\nB:2,bill,active\n", "birds.csv")
    told: list[str] = []
    (concept,) = read(file, options=ReadOptions(notice=told.append))
    assert concept.id == "B:2"
    assert not [note for note in told if "does not tell" in note]


def test_a_status_that_says_nothing_known_is_counted(tmp_path: Path) -> None:
    told: list[str] = []
    file = write(
        tmp_path, "id,name,status\nB:1,beak,I\nB:2,bill,A\nB:3,wing,A\nB:4,claw,Active\n", "birds.csv"
    )
    assert len(list(read(file, options=ReadOptions(notice=told.append)))) == 4
    assert any(
        "status does not tell for 3 rows whether they are obsolete, so they were read: A (2), I (1)." in n
        for n in told
    )


def test_a_year_in_a_column_of_obsolete_rows_is_when_it_became_so(tmp_path: Path) -> None:
    file = write(tmp_path, "id,name,deprecated\nB:1,beak,2019-04-01\nB:2,bill,\n", "birds.csv")
    assert [concept.id for concept in read(file)] == ["B:2"]


def test_ids_with_several_names_in_rows_of_their_own_are_counted_with_an_example(tmp_path: Path) -> None:
    notes: list[Note] = []
    file = write(tmp_path, "id\tname\nB:1\tbeak\nB:1\tBeak\nB:2\tbill\nB:2\tgape\nB:2\tgape\n")
    concepts = list(read(file, options=ReadOptions(notice=notes.append)))
    assert [concept.all_names for concept in concepts] == [("beak", "Beak"), ("bill", "gape")]
    [note] = [note for note in notes if "several names" in note]
    assert "1 id that has several names in rows of their own, e.g. B:2: 'bill' and 'gape'." in note
    assert "--columns id=COLUMN" in in_options(note)

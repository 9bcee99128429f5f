import gzip
from pathlib import Path

import pytest
from tests.advised import in_options, reads

from linnet.advice import Note
from linnet.errors import DataError
from linnet.terminology.readers import ReadOptions, detect, read


def name(cui: str, text: str, *, language: str = "ENG", status: str = "S", form: str = "VO", preferred: str = "N",
         sab: str = "MTH", code: str = "NOCODE", suppress: str = "N") -> str:  # fmt: skip
    return f"{cui}|{language}|{status}|L1|{form}|S1|{preferred}|A1||||{sab}|PT|{code}|{text}|0|{suppress}||\n"


def relation(first: str, rel: str, second: str, rela: str = "", sab: str = "MSH", suppress: str = "N") -> str:
    return f"{first}|A1|CUI|{rel}|{second}|A2|CUI|{rela}|R1||{sab}|{sab}|||{suppress}||\n"


FILES = {
    "MRCONSO.RRF": name("C1", "Beak pain")
    + name("C1", "Sore beak", status="P", form="PF", preferred="Y", sab="MSH", code="D1")
    + name("C1", "Mal de bec", language="FRE", status="P", form="PF", preferred="Y", sab="MSHFRE")
    + name("C1", "Old beak", suppress="O")
    + name("C2", "Disease", status="P", sab="SNOMEDCT_US", code="64572001")
    + name("C3", "seedol", status="P", sab="RXNORM", code="9")
    + name("C4", "Pickalot", status="P", sab="RXNORM", code="10")
    + name("C5", "Combi", status="P", sab="RXNORM", code="11")
    + name("C6", "Chick disease", status="P", sab="HPO", code="HP:0000006"),
    "MRSTY.RRF": "C1|T184|A1|Sign or Symptom|AT1||\nC2|T047|B2|Disease or Syndrome|AT2||\n"
    "C3|T121|A|Pharmacologic Substance|AT3||\nC4|T121|A|Pharmacologic Substance|AT4||\n"
    "C6|T047|B2|Disease or Syndrome|AT6||\n",
    "MRDEF.RRF": "C1|A1|AT1||NCI|From NCI.|N||\nC1|A1|AT1||MSH|From &lt;MeSH&gt;.|N||\nC1|A1|AT1||MSHFRE|En.|N||\n",
    "MRREL.RRF": relation("C1", "PAR", "C2")
    + relation("C2", "CHD", "C1")
    + relation("C2", "RN", "C6")
    + relation("C1", "RB", "C6", suppress="Y")
    + relation("C3", "RN", "C4", "tradename_of", sab="RXNORM")
    + relation("C5", "RB", "C3", "has_tradename", sab="RXNORM")
    + relation("C5", "RB", "C2", "has_tradename", sab="RXNORM"),
    "MRCUI.RRF": "C8|1999AA|SY|||C1|Y|\nC9|1999AA|RB|||C2|Y|\nC9|1999AA|RO|||C1|Y|\nC7|1999AA|DEL||||N|\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for file, text in FILES.items():
        (tmp_path / file).write_text(text)
    return tmp_path


def test_names_types_definition_and_codes(folder: Path) -> None:
    assert detect(folder) == detect(folder / "MRCONSO.RRF") == "umls"
    concept = next(read(folder))
    assert (concept.id, concept.all_names) == ("UMLS:C1", ("Sore beak", "Beak pain"))
    assert concept.types == ("T184", "Sign or Symptom")
    assert concept.definition == "From <MeSH>."
    assert (concept.xrefs, concept.sources) == (("MESH:D1",), ("MTH", "MSH"))


def test_the_second_concept_is_what_the_relation_says_of_the_first(folder: Path) -> None:
    concepts = {c.id: c for c in read(folder)}
    assert concepts["UMLS:C1"].parents == ("UMLS:C2",)
    assert concepts["UMLS:C6"].parents == ("UMLS:C2",)
    assert concepts["UMLS:C2"].parents == ()
    assert concepts["UMLS:C6"].xrefs == ("HP:0000006",)


def test_a_trade_name_names_its_generic_unless_it_is_a_combination(folder: Path) -> None:
    concepts = {c.id: c for c in read(folder)}
    assert concepts["UMLS:C3"].all_names == ("seedol", "Pickalot")
    assert concepts["UMLS:C4"].all_names == ("Pickalot",)


def test_retired_ids_lead_to_the_same_or_else_a_broader_concept(folder: Path) -> None:
    retired = {c.id: c.replaced_by for c in read(folder) if not c.name}
    assert retired == {"UMLS:C8": ("UMLS:C1",), "UMLS:C9": ("UMLS:C2",)}


@pytest.mark.parametrize(
    ("options", "ids"),
    [
        (ReadOptions(types={"t047"}), ["C2", "C6"]),
        (ReadOptions(types={"Sign or Symptom"}), ["C1"]),
        (ReadOptions(vocabularies={"MSH", "HPO"}), ["C1", "C6"]),
        (ReadOptions(languages={"FRE"}), ["C1"]),
    ],
)
def test_filters(folder: Path, options: ReadOptions, ids: list[str]) -> None:
    assert [c.id.removeprefix("UMLS:") for c in read(folder, options=options) if c.name] == ids


def test_english_comes_first_and_suppressed_names_on_request(folder: Path) -> None:
    both = next(read(folder, options=ReadOptions(languages={"FRE", "ENG"}, suppressed=True)))
    assert both.all_names == ("Sore beak", "Beak pain", "Old beak", "Mal de bec")


def test_only_the_names_are_needed_and_files_may_be_gzipped(tmp_path: Path) -> None:
    (tmp_path / "META").mkdir()
    (tmp_path / "META/MRCONSO.RRF.gz").write_bytes(gzip.compress(FILES["MRCONSO.RRF"].encode()))
    assert len(list(read(tmp_path))) == 6
    with pytest.raises(DataError, match=r"no MRSTY\.RRF"):
        list(read(tmp_path, options=ReadOptions(types={"T047"})))


def test_a_short_row_is_named_or_skipped(folder: Path) -> None:
    (folder / "MRCONSO.RRF").write_text(FILES["MRCONSO.RRF"] + "C9|ENG\n")
    with pytest.raises(DataError, match=r"MRCONSO\.RRF:10: row has 2 columns; expected at least 17"):
        list(read(folder))
    assert len([c for c in read(folder, options=ReadOptions(on_error="skip")) if c.name]) == 6


def test_a_directory_without_the_names_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"has no MRCONSO\.RRF"):
        list(read(tmp_path, format="umls"))


def test_names_that_are_left_out_are_counted(folder: Path) -> None:
    told: list[Note] = []
    list(read(folder, options=ReadOptions(notice=told.append, languages=frozenset({"ENG", "GER"}))))
    assert [in_options(note).partition("MRCONSO.RRF: ")[2] for note in told] == [
        "left out: 1 suppressed name. To read them: --suppressed",
        "names in other languages were left out: FRE (1). To read them: --languages ENG GER FRE",
        "no row is in the language GER.",
    ]


def test_a_filter_that_matches_nothing_lists_what_there_is(folder: Path) -> None:
    with pytest.raises(DataError, match=r"no concept has the type 'T999'. Types: T047 \(2\)"):
        list(read(folder, options=ReadOptions(types=frozenset({"T999"}))))
    with pytest.raises(
        DataError,
        check=reads(
            r"no row of the vocabularies MESH .*of other vocabularies: RXNORM \(3\).*--sources RXNORM"
        ),
    ):
        list(read(folder, options=ReadOptions(vocabularies=frozenset({"MESH"}))))


def test_a_row_with_a_bar_in_a_name_is_refused(folder: Path) -> None:
    with (folder / "MRCONSO.RRF").open("a") as file:
        file.write(name("C7", "beak | bill"))
    with pytest.raises(DataError, match=r"row has 20 columns; expected at most 19"):
        list(read(folder))

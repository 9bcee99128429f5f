"""A format is proved by the content, or the file is refused with what was found and the command to type."""

import gzip
import json
import pickle
import sqlite3
import zipfile
import zlib
from pathlib import Path

import pytest
from tests.advised import advises, reads

from linnet.advice import Step
from linnet.errors import DataError
from linnet.terminology.readers import ReadOptions, detect, read


def write(folder: Path, content: str | bytes, name: str = "source") -> Path:
    file = folder / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


def row(cui: str, name: str, *, sab: str = "BIRD", language: str = "ENG", code: str = "B1") -> str:
    return f"{cui}|{language}|P|L1|PF|S1|Y|A1||||{sab}|PT|{code}|{name}|0|N||\n"


def drug(rxcui: str, name: str) -> str:
    return f"{rxcui}|ENG||||||1|||{rxcui}|RXNORM|IN|{rxcui}|{name}||N|4096|\n"


@pytest.mark.parametrize("name", ["MRCONSO_ENG.RRF", "subset.txt", "birds.rrf.gz"])
def test_rows_of_mrconso_under_any_name_are_umls(tmp_path: Path, name: str) -> None:
    text = (
        row("C0000001", "Sore beak") + row("C0000001", "Beak ache") + row("C0000002", "Split beak")
    ).encode()
    file = write(tmp_path, gzip.compress(text) if name.endswith("gz") else text, name)
    assert detect(file) == "umls"
    assert [(c.id, c.all_names) for c in read(file)] == [
        ("UMLS:C0000001", ("Sore beak", "Beak ache")),
        ("UMLS:C0000002", ("Split beak",)),
    ]


def test_a_filtered_mrconso_is_read_and_not_the_one_beside_it(tmp_path: Path) -> None:
    write(tmp_path, row("C0000001", "Sore beak") + row("C0000009", "Wing"), "MRCONSO.RRF")
    write(tmp_path, "C0000001|T184|A1|Sign or Symptom|AT1||\n", "MRSTY.RRF")
    file = write(tmp_path, row("C0000001", "Sore beak"), "beaks.rrf")
    notices: list[str] = []
    (concept,) = read(file, options=ReadOptions(notice=notices.append))
    assert (concept.id, concept.types) == ("UMLS:C0000001", ("T184", "Sign or Symptom"))
    assert "read as names, together with MRSTY.RRF beside it" in notices[0]


def test_names_in_other_languages_alone_say_what_to_type(tmp_path: Path) -> None:
    file = write(tmp_path, row("C0000001", "Mal de bec", language="FRE"))
    with pytest.raises(DataError, check=reads(r"no row in ENG.*FRE \(1\)\. Read it with: --languages FRE")):
        list(read(file))


def test_rows_of_rxnconso_are_rxnorm(tmp_path: Path) -> None:
    file = write(tmp_path, drug("7", "seedol") + drug("8", "pickalot"))
    assert detect(file) == "rxnorm"
    assert [(c.id, c.name) for c in read(file)] == [("RXNORM:7", "seedol"), ("RXNORM:8", "pickalot")]


@pytest.mark.parametrize(
    "text",
    ["D1||sore beak\n", "D1|100100||sore beak|beak ache\n", "MESH:D1||a\nOMIM:100100||b\n", "C||Diseases\n"],
)
def test_lines_of_id_and_names_are_medic(tmp_path: Path, text: str) -> None:
    assert detect(write(tmp_path, text)) == "medic"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("C0000001|ENG|P||sore beak\n", r"`id\|\|name\|synonym…`: 'C0000001\|ENG"),
        ("sore beak||beak ache\n", "`id"),
        ("C0000001||sore beak||beak ache\n", "`id"),
        ("7||0|4||Disease||sore beak||D1\n", r"annotated text \(BioSyn"),
        (
            "C0000001|sore beak|T184\n",
            r"rows of 3 columns separated by '\|'.*\(without a header.*--format table --delimiter '\|' --columns id=COLUMN name=COLUMN",
        ),
        ("code|label|kind\n", r"--format table --delimiter '\|' --columns id=code name=label$"),
        ("C0000001|T184|A1|Sign or Symptom|AT1||\n", "is UMLS's MRSTY.RRF"),
        ("C0000001|A1|CUI|PAR|C0000002|A2|CUI|isa|R1||BIRD|BIRD|||N||\n", "is UMLS's MRREL.RRF"),
        ("C0000001|A1|AT1||BIRD|It hurts.|N||\n", "is UMLS's MRDEF.RRF"),
        ("10000001$Sore beak$$$\n", "is one file of MedDRA"),
        ("B000    Sore beak\n", "order file"),
        (
            "9031\t7\tBEAK\t-\t-\t-\t1\t-\td\tprotein-coding\t-\t-\t-\t-\t2099\t-\n",
            "gene_info without its first line",
        ),
        (
            "The beak, it hurts, and so on.\n",
            "looks like running text: 'The beak, it hurts, and so on.*`linnet link` and `linnet evaluate` read text",
        ),
        (
            "Beaks are sore.\n",
            r"looks like running text: 'Beaks are sore\.'",
        ),
        ("id,text\n1,The beak was sore.\n", "may hold names or documents; columns: id, text"),
        ("concept_id\tconcept_name\tdomain_id\tvocabulary_id\n", r"Rename it to CONCEPT\.csv"),
        (
            "#curie_map:\nsubject_id\tpredicate_id\tobject_id\n",
            "linnet terminology merge DIR DIR -o OUT --map",
        ),
        ("DiseaseName\tDiseaseID\tDefinition\tSynonyms\n", "--columns id=DiseaseID name=DiseaseName"),
    ],
)
def test_rows_that_prove_no_format_are_refused_with_the_command_to_type(
    tmp_path: Path, text: str, says: str
) -> None:
    with pytest.raises(DataError, check=reads(says)):
        detect(write(tmp_path, text * 3 if "\n" in text and "," not in text else text))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("@prefix b: <http://b.example/> .\nb:1 a b:Beak .\n", r"is an ontology in Turtle, .*robot convert --input source"),
        ("# beaks\nPREFIX b: <http://b.example/>\n", "is an ontology in Turtle"),
        ("<http://b.example/1> <http://b.example/p> \"beak\" .\n", "is RDF in N-Triples"),
        ("Prefix(:=<http://b.example/>)\nOntology(<http://b.example/>\n", "is an ontology in OWL functional syntax"),
        ("Prefix: b: <http://b.example/>\nOntology: <http://b.example/>\n", "is an ontology in Manchester syntax"),
        ('<?xml version="1.0"?>\n<!DOCTYPE rdf:RDF [\n<!ENTITY b "x">\n]>\n<rdf:RDF>\n', "is OWL or RDF in XML"),
        ('<?xml version="1.0"?>\n<Ontology xmlns="http://www.w3.org/2002/07/owl#">\n', "is OWL in XML"),
        ("<!DOCTYPE html>\n<html lang='en'><head>\n", r"is a web page \(HTML\), .*Download the file behind it"),
        ("<HTML><BODY>Sign in</BODY></HTML>", "is a web page"),
        ('<CodeSystem xmlns="http://hl7.org/fhir">\n', "is FHIR XML, .*Get it as JSON"),
        ('<?xml version="1.0"?>\n<ClaML version="2.0.0">\n', "is a classification in ClaML"),
        ('<xmi:XMI xmlns:xmi="http://www.omg.org/XMI">', "UIMA CAS XMI"),
        ("<beaks><beak/></beaks>", "is XML with the root element <beaks>"),
        ("version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "git lfs pull"),
        ("Sore\tB-Beak\nbeak\tI-Beak\nhurts\tO\n", r"annotated text \(CoNLL"),
        ("<ALL>\tO\nSore\tB-Beak\n", r"annotated text \(CoNLL"),
        ("PMC1-7|t|Sore beaks\n", r"annotated text \(PubTator\)"),
        ("*NEWRECORD\nRECTYPE = D\n", "is MeSH in ASCII, .*linnet terminology fetch mesh-descriptors"),
        ("7|t|Sore beaks\n7|a|They hurt.\n", r"annotated text \(PubTator\)"),
        ("!gaf-version: 2.2\n", "file of GO annotations"),
        ("--------\n  A knowledge resource\n--------\nID   BEAK_BIRD\nAC   B00001;\n", "flat file of UniProt or Cellosaurus"),
        ("ID   BEAK_BIRD   Reviewed;   7 AA.\nAC   B00001;\n", "flat file of UniProt"),
    ],
)  # fmt: skip
def test_other_texts_are_called_what_they_are(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(DataError, match=says):
        detect(write(tmp_path, text))


def database(folder: Path) -> bytes:
    with sqlite3.connect(folder / "db") as connection:
        connection.execute("create table beaks (id, name)")
    connection.close()
    return (folder / "db").read_bytes()


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("sqlite", r"is an SQLite database, .*Export .*sqlite3 -csv -header source "),
        ("xls", "is an old Excel"),
        ("pdf", "is a PDF, .*Get the terminology itself"),
        ("parquet", r"is a Parquet file, .*Convert it: python -c"),
        ("pickle", "is a Python pickle, .*linnet never opens pickles"),
        ("docbin", "is spaCy's DocBin, .*`linnet link` and `linnet evaluate` read text"),
        ("zlib", "is a file compressed with zlib"),
        ("png", r"is a picture \(PNG\)"),
        ("unknown", "is a binary file of an unknown kind"),
    ],
)
def test_binary_files_are_called_what_they_are(tmp_path: Path, kind: str, says: str) -> None:
    content = {
        "sqlite": database(tmp_path) if kind == "sqlite" else b"",
        "xls": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512),
        "pdf": b"%PDF-1.7\n%\xe2\xe3\n",
        "parquet": b"PAR1" + bytes(64),
        "pickle": pickle.dumps([{"id": "B:1"}], protocol=4),
        "docbin": zlib.compress(b"\x87\xa7version\xa30.1\xa5attrs\x93\x01\x02\xa6tokens"),
        "zlib": zlib.compress(b"beaks" * 9),
        "png": b"\x89PNG\r\n\x1a\n" + bytes(32),
        "unknown": b"\x01\x02\x00\x03" * 40,
    }[kind]
    with pytest.raises(DataError, match=says):
        detect(write(tmp_path, content))
    with pytest.raises(DataError, match=says):
        detect(write(tmp_path, gzip.compress(content)))


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ({"beaks": [{"key": "B:1", "beak": "sore"}]}, r"fields of the first object: beaks\..*jq -c '\.beaks\[\]' source > NEW\.jsonl"),
        ({"key": "B:1", "beak": "sore"}, "fields of the first object: key, beak. .*--format jsonl --columns id=FIELD name=FIELD"),
        ([{"key": "B:1"}], "fields of the first object: key"),
        ([["B:1", "sore beak"]], "neither objects nor an array of objects"),
        (["sore beak"], "neither objects nor an array of objects"),
        ({"@context": {}, "@graph": []}, "is linked data"),
        ([{"numberVerification": [{"longNumber": 7}]}], r"is a network \(CX\)"),
        ([{"CXVersion": "2.0"}], r"is a network \(CX2\)"),
        ({"nodes": [], "edges": []}, r"jq -c '\.nodes\[\]'"),
        ({"id": "7", "text": "The beak was sore.", "entities": []}, "looks like annotated text"),
        ({"id": "7", "name": "x", "text": "beak", "candidates": []}, "looks like annotated text"),
        ({"document": "7", "text": "beak", "left": "", "right": ""}, "looks like annotated text"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("indent", [None, 2])
def test_json_of_no_known_kind_is_refused_with_its_fields(
    tmp_path: Path, document: object, says: str, indent: int | None
) -> None:
    with pytest.raises(DataError, check=reads(says)):
        detect(write(tmp_path, json.dumps(document, indent=indent)))


def test_the_fields_of_a_long_object_are_all_looked_at(tmp_path: Path) -> None:
    long = {"meta": {"x": "beak " * 40_000}, "graphs": []}
    assert detect(write(tmp_path, json.dumps(long, indent=1))) == "obograph"
    assert (
        detect(write(tmp_path, json.dumps({"x": "beak " * 40_000, "id": "B:1", "name": "sore beak"}) + "\n"))
        == "jsonl"
    )


def test_columns_make_it_a_table_or_json_with_such_fields(tmp_path: Path) -> None:
    table = write(tmp_path, "beak\tB1\nwing\tB2\n", "a.tsv")
    options = ReadOptions(columns={"id": 2, "name": 1}, prefix="B")
    assert [c.id for c in read(table, options=options)] == ["B:B1", "B:B2"]
    lines = write(tmp_path, '{"key": "B:1", "beak": "sore"}\n', "a.jsonl")
    assert [c.name for c in read(lines, options=ReadOptions(columns={"id": "key", "name": "beak"}))] == [
        "sore"
    ]


def test_a_text_that_fits_several_formats_is_refused(tmp_path: Path) -> None:
    header = "text\tcurie\tpredicate\tdb\tid\tentry_name\n"
    with pytest.raises(
        DataError,
        match=r"fits several formats: gilda, ssslm\.",
        check=advises(Step.READ_WITH, format="gilda"),
    ):
        detect(write(tmp_path, header))


def test_the_one_file_of_an_archive_may_have_any_name(tmp_path: Path) -> None:
    header = (
        "id\teffectiveTime\tactive\tmoduleId\tconceptId\tlanguageCode\ttypeId\tterm\tcaseSignificanceId\n"
    )
    described = header + "1\t20990101\t1\t0\t11\ten\t900000000000013009\tSore beak\t0\n"
    for name, text, format in (("a.txt", row("C0000001", "Sore beak"), "umls"), ("b.txt", described, "rf2")):
        file = tmp_path / f"{name}.zip"
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(name, text)
        assert detect(file) == format
        (concept,) = read(file, options=ReadOptions(notice=lambda message: None))
        assert concept.name == "Sore beak"

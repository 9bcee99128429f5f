"""Detection never guesses: what shows signs of structure and proves no format is refused with words."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from tests.advised import in_options, reads

from linnet.corpora import Notes, detect, read
from linnet.errors import DataError, RequestError

TABS = "id\tname\n1\tgout\n2\tasthma\n"
NAMES = "gout\nbreast cancer\nasthma\n"


def file(tmp_path: Path, content: str | bytes, name: str = "input.txt") -> Path:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [
        "Gout hurts.\nSo does asthma.\n",
        "heart attack",
        "Asthma and the common cold\n\nA review of both",
        "PMH: HTN, DM2\nMeds: metformin\nGout",
        "- gout\n- asthma\n",
        "In 2020, gout was rare.\nIn 2021, it was not.\n",
        "[Gout in men.]\nAn article.",
        "p < 0.05 in <b>bold</b> and",
        "<5 mg of aspirin was given",
        "PAR1 is a receptor.",
        "Results\twere poor.\nThe patients had gout.\nThey were treated.\n",
        "Gout is a disease that was described by Hippocrates and many of his followers and\nis still seen today\n",
    ],
)
def test_prose_is_text(tmp_path: Path, text: str):
    assert detect(file(tmp_path, text)) == "text"


@pytest.mark.parametrize(
    ("text", "between", "columns"),
    [
        (TABS, "tabs", "'id', 'name'"),
        ("D1\tgout\tx\nD2\tasthma\n\nD3\tataxia\ty\n", "tabs", "'D1', 'gout', 'x'"),
        ("id,diagnosis\n1,gout\n2,\n", "commas", "'id', 'diagnosis'"),
        ("id,text\n1,Gout, said he, hurts\n2,asthma\n", "commas", "'id', 'text'"),
        ("nr;Diagnose\n1;Gicht\n2;Asthma\n", "semicolons", "'nr', 'Diagnose'"),
        ("X1|ENG||gout\nX2|ENG||asthma\n", "bars", "'X1', 'ENG', '', 'gout'"),
    ],
)
def test_what_looks_like_a_table_is_refused_with_its_columns(
    tmp_path: Path, text: str, between: str, columns: str
):
    path = file(tmp_path, text)
    with pytest.raises(
        DataError, check=reads(rf"looks like a table.* {between}.*--column NAME.*--input-format text")
    ) as error:
        detect(path)
    assert columns in str(error.value)
    assert [document.text for document in read(path, format="text")] == [text]
    assert detect(path, column=True) == "table"


def test_a_named_column_makes_it_a_table_whatever_the_ending(tmp_path: Path):
    path = file(tmp_path, TABS)
    assert [document.text for document in read(path, column="name")] == ["gout", "asthma"]


@pytest.mark.parametrize("content", ['{"text": "gout"}\n', "<p>a</p>\n<html>", "1|t|Gout\n1|a|hurts\n"])
def test_a_column_of_what_is_no_table_is_refused(tmp_path: Path, content: str):
    with pytest.raises(DataError, match=r"has no columns\. Name no column"):
        read(file(tmp_path, content.replace("<p>a</p>\n", "")), column="text")


def test_a_list_of_names_is_refused_unless_it_is_read_by_lines(tmp_path: Path):
    path = file(tmp_path, NAMES)
    with pytest.raises(
        DataError, check=reads(r"list of names.*'gout'.*--mentions.*--lines.*--input-format text")
    ):
        detect(path)
    assert [document.text for document in read(path, by_line=True)] == NAMES.split("\n")[:-1]
    chemicals = file(tmp_path, "1,2-dichloroethane\n1,3-butadiene\n", "chemicals.txt")
    assert detect(chemicals, by_line=True) == "text"
    with pytest.raises(DataError, match="looks like a table"):
        detect(file(tmp_path, TABS), by_line=True)
    # What linnet writes as CSV has places, which look like locants of chemicals.
    links = file(tmp_path, "document,start,end,text\n1,0,6,asthma\n2,0,4,gout\n", "links")
    with pytest.raises(DataError, match="looks like a table"):
        detect(links, by_line=True)


@pytest.mark.parametrize("content", [NAMES, "<notes><note>gout</note></notes>", '{"abstract": "gout"}\n'])
def test_where_annotations_are_wanted_nobody_is_told_to_insist_on_text(tmp_path: Path, content: str):
    with pytest.raises(DataError) as error:
        read(file(tmp_path, content), annotated=True)
    assert not {"--mentions", "--lines", "--input-format"} & set(in_options(error.value).split())


def test_a_table_of_one_column_is_not_robbed_of_its_first_name(tmp_path: Path):
    with pytest.raises(RequestError, match="is the first line, 'gout', the header"):
        list(read(file(tmp_path, NAMES, "names.csv")))
    assert len(list(read(file(tmp_path, "diagnosis\n" + NAMES, "names.csv")))) == 3


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"pmid": "7", "abstract": "gout hurts"}\n', r"no 'text', but the keys pmid, abstract.*\.text = \.abstract"),
        ('[{"id": 1, "text": "gout"}]\n[{"id": 2, "text": "ague"}]\n', r"not one object per line.*jq -c '\.\[\]'"),
        ('[{"id": 1, "text": "gout"}]', r"not one object per line.*jq -c '\.\[\]'"),
        ('{\n "id": 1,\n "text": "gout"\n}\n', r"not one object per line.*jq -c \."),
        ('["gout", "asthma"]', "JSON array without objects"),
        ('{"resourceType": "Observation", "text": {"div": "gout"}}', "FHIR JSON.*--input-format text"),
        ("<notes><note>gout</note></notes>", "XML of an unknown kind.*<notes>.*--input-format text"),
        ("<?xml version='1.0'?><a><b/></a>", "XML of an unknown kind.*<a>"),
        ("@prefix x: <http://e.org/> .\nx:1 x:2 x:3 .\n", "ontology in Turtle"),
        (b"SQLite format 3\x00", "an SQLite database"),
        (b"%PDF-1.7\n", "a PDF"),
    ],
)  # fmt: skip
def test_what_is_no_corpus_is_named_and_never_linked_as_prose(
    tmp_path: Path, content: str | bytes, message: str
):
    with pytest.raises(DataError, check=reads(message)):
        detect(file(tmp_path, content))


def test_insisting_on_text_helps_for_markup_but_not_for_bytes(tmp_path: Path):
    markup = file(tmp_path, "<notes><note>gout</note></notes>")
    assert next(read(markup, format="text")).text.startswith("<notes>")
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as content:
        content.writestr("word/document.xml", "gout")
    for format in ("text", "pubtator", "table"):
        with pytest.raises(DataError, match="is a Word document"):
            read(file(tmp_path, archive.getvalue()), format=format)


def test_a_folder_of_texts_refuses_what_is_none_and_counts_other_files(tmp_path: Path):
    file(tmp_path, "Gout hurts.", "a.txt")
    file(tmp_path, TABS, "b.txt")
    file(tmp_path, b"%PDF-1.7\n", "c.txt")
    file(tmp_path, '{"text": "x"}\n', "d.txt")
    file(tmp_path, "x", "e.docx")
    (tmp_path / "more").mkdir()
    notes = Notes()
    refused: list[DataError] = []
    documents = read(tmp_path, on_error="skip", report=refused.append, note=notes.add)
    assert [document.id for document in documents] == ["a"]
    assert [Path(str(error.path)).name for error in refused] == ["b.txt", "c.txt", "d.txt"]
    assert notes.counts == {"files '.docx', not read": 1, "folders inside the folder, not read": 1}
    with pytest.raises(DataError, match="looks like a table"):
        list(read(tmp_path))


def test_a_folder_without_texts_says_what_it_holds(tmp_path: Path):
    file(tmp_path, "x", "a.pdf")
    with pytest.raises(DataError, match=r"no \.ann, \.txt or \.xmi files; it has \.pdf"):
        detect(tmp_path)


@pytest.mark.parametrize(
    ("content", "format"),
    [
        ('[{"id": "7", "begin": 0, "length": 4, "text": "Gout", "annotations": []}]', "texoo"),
        ('{"id": "7", "text": "Gout", "annotations": [{"begin": 0, "length": 4}]}', "texoo"),
        ('[{"id": "0", "document_id": "7", "passages": [], "entities": []}]', "bigbio"),
        ('{"id": "7", "passages": [{"offset": 0, "text": "Gout"}]}', "biocjson"),
        ('{"text": "AT", "cui": "C0000001"}\n', "mentions"),
        ('{"text": "' + "gout " * 20_000 + '"}\n', "jsonl"),
    ],
)
def test_json_is_told_by_the_keys_of_its_first_object(tmp_path: Path, content: str, format: str):
    assert detect(file(tmp_path, content, "x.json")) == format

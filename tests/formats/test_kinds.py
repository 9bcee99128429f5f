"""What a file is, told from its first bytes."""

from __future__ import annotations

import doctest
import io
import pickle
import zipfile
import zlib

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from linnet.formats import kinds
from linnet.formats.kinds import is_parquet, kind_of


def zipped(*members: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for member in members:
            archive.writestr(member, "x")
    return content.getvalue()


def written(write) -> bytes:  # type: ignore[no-untyped-def]
    content = io.BytesIO()
    write(pa.table({"name": ["gout"] * 3}), content)
    return content.getvalue()


def test_the_examples_hold():
    tried = doctest.testmod(kinds)
    assert tried.attempted > tried.failed == 0


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (zipped("a.txt"), "a zip archive"),
        (zipped("[Content_Types].xml", "xl/workbook.xml"), "an Excel workbook (.xlsx)"),
        (zipped("[Content_Types].xml", "word/document.xml"), "a Word document (.docx)"),
        (b"%PDF-1.7\n", "a PDF"),
        (b"{\\rtf1 gout}", "a rich-text document (RTF)"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
            "an old Excel or Word file (.xls, .doc), or a workbook with a password",
        ),
        (b"SQLite format 3\x00", "an SQLite database"),
        (b"Obj\x01\x04", "an Avro file"),
        (b"\x89PNG\r\n\x1a\n", "a picture (PNG)"),
        (written(feather.write_feather), "an Arrow or Feather file"),
        (written(lambda table, stream: pq.write_table(table, stream)), "a Parquet file"),
        (pickle.dumps(["gout"]), "a Python pickle"),
        (zlib.compress(b"\x84\xa5attrs\x93" + bytes(range(256))), "spaCy's DocBin"),
        ("Gout hurts.".encode("utf-16-le"), "UTF-16 without a byte order mark"),
        (b"gout\0x", "a binary file of an unknown kind"),
        (bytes(range(256)), "a binary file of an unknown kind"),
    ],
)
def test_binary_files_are_called_by_their_names(head: bytes, name: str):
    kind = kind_of(head)
    assert kind is not None
    assert (kind.name, kind.binary) == (name, True)
    assert kind.advice


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("\ufeff<!DOCTYPE html>\n<p>gout", "a web page (HTML)"),
        ("@prefix ex: <http://example.org/> .\n", "an ontology in Turtle"),
        ("Prefix(:=<http://example.org/>)\nOntology(<http://example.org/>\n", "an ontology in OWL functional syntax"),
        ("<http://e.org/1> <http://e.org/2> \"gout\" .\n", "RDF in N-Triples"),
        ("format-version: 1.2\n\n[Term]\nid: X:1\n", "an ontology in OBO"),
        ("<?xml version='1.0'?>\n<typeSystemDescription xmlns='x'/>", "a UIMA type system"),
        ("<!DOCTYPE PubmedArticleSet PUBLIC 'a' 'b'>\n<PubmedArticleSet>", "PubMed XML"),
        ("<!-- note --><article article-type='review'>", "an article in JATS XML"),
        ("<Patient xmlns='http://hl7.org/fhir'>", "FHIR XML"),
        ("<rdf:RDF xmlns:rdf='x'>", "OWL or RDF in XML"),
        ('{"resourceType": "CodeSystem"}', "FHIR JSON"),
        ("TY  - JOUR\nTI  - Gout\n", "a RIS file of references"),
        ("PMID- 7\nTI  - Gout\n", "a PubMed file of references (nbib, MEDLINE)"),
        ("MSH|^~\\&|A|B\n", "a file of HL7 version 2 messages"),
        ("# beaks\n\nprefix b: <http://b.example/>\n", "an ontology in Turtle"),
        ("version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "a Git LFS pointer without the content of the file"),
        ("*NEWRECORD\nRECTYPE = D\n", "MeSH in ASCII"),
        ("!gaf-version: 2.2\n", "a file of GO annotations (GAF, GPAD)"),
        ("<drugbank xmlns='http://www.drugbank.ca'>", "DrugBank's full XML"),
    ],
)  # fmt: skip
def test_texts_in_a_markup_are_called_by_their_names(text: str, name: str):
    kind = kind_of(text.encode())
    assert kind is not None
    assert (kind.name, kind.binary) == (name, False)


@pytest.mark.parametrize(
    "text",
    [
        "Gout hurts.",
        "PAR1 is a receptor.",
        "ORCHIECTOMY was performed.",
        "x^2 grows.",
        "Base < 5 mmol, potassium > 3.",
        "version https://example.org/ of the guideline",
        "p < 0.05 <b>",
        "One stray \x02 control character" + " in a long text" * 50,
        '{"id": 1, "text": "gout"}',
    ],
)
def test_prose_is_no_kind_whatever_word_it_begins_with(text: str):
    assert kind_of(text.encode()) is None
    assert not is_parquet(text.encode())

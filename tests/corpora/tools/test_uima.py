from __future__ import annotations

import io
import json
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import pytest
from tests.corpora.json_mutations import mutations

from linnet import corpora
from linnet.errors import DataError

NER = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
TOKEN = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token"
CUSTOM = "webanno.custom.Finding"
TEXT = "Gout 😀 hurts, and scurvy bleeds."
STRUCTURES: list[dict[str, Any]] = [
    {"type": TOKEN, "id": 3, "sofa": 1, "begin": 0, "end": 4},
    {"type": NER, "id": 4, "sofa": 1, "begin": 0, "end": 4, "value": "Disease", "identifier": "MESH:D000001"},
    {"type": NER, "id": 5, "sofa": 1, "begin": 19, "end": 25, "value": "Disease"},
    {"type": CUSTOM, "id": 6, "sofa": 1, "begin": 8, "end": 13, "severity": "mild", "code": "HP:0000001"},
    {"type": "uima.cas.Sofa", "id": 1, "sofaNum": 1, "sofaID": "_InitialView", "sofaString": TEXT},
]


def xmi(structures: list[dict[str, Any]], more: str = "") -> str:
    """The structures as INCEpTION writes them; whatever is no structure is left out."""
    packages = sorted({str(s["type"]).rpartition(".")[0] for s in structures})
    declared = " ".join(
        f'xmlns:p{number}="http:///{package.replace(".", "/")}.ecore"'
        for number, package in enumerate(packages)
    )
    rows = []
    for structure in structures:
        package, _, name = str(structure["type"]).rpartition(".")
        features = " ".join(
            f"{'xmi:id' if key == 'id' else key}={quoteattr(str(value), {chr(10): '&#10;'})}"
            for key, value in structure.items()
            if key != "type"
        )
        rows.append(f"<p{packages.index(package)}:{name} {features}/>")
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><xmi:XMI xmlns:xmi="http://www.omg.org/XMI" {declared} xmi:version="2.0">'
        + "".join(rows)
        + more
        + "</xmi:XMI>"
    )


def cas_json(structures: list[dict[str, Any]]) -> str:
    fields = [
        {"%ID": s["id"], "%TYPE": s["type"]}
        | {
            ("@sofa" if key == "sofa" else key): value
            for key, value in s.items()
            if key not in ("id", "type")
        }
        for s in structures
    ]
    return json.dumps({"%TYPES": {}, "%FEATURE_STRUCTURES": fields, "%VIEWS": {}})


def write(path: Path, content: str) -> Path:
    path.write_text(content, encoding="utf-8")
    return path


@pytest.mark.parametrize("render", [xmi, cas_json])
def test_entities_and_own_layers_are_mentions_with_their_concepts_and_utf_16_offsets(
    tmp_path: Path, render: Any
):
    notes = corpora.Notes()
    path = write(tmp_path / "one.xmi", render(STRUCTURES))
    assert corpora.detect(path) == "uima"
    (document,) = corpora.read(path, note=notes.add)
    assert (document.id, document.text) == ("one", TEXT)
    assert [(m.text, m.type, m.concepts) for m in document.mentions] == [
        ("Gout", "Disease", ("MESH:D000001",)),
        ("scurvy", "Disease", ()),
        ("hurts", "Finding", ("HP:0000001",)),
    ]
    assert document.mentions[2].extra == {"uima": {"severity": "mild"}}
    assert not notes


def test_the_layers_that_are_left_out_are_named_and_counted(tmp_path: Path):
    lemma = {
        "type": "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Lemma",
        "sofa": 1,
        "begin": 0,
        "end": 4,
    }
    relation = {
        "type": "webanno.custom.Cause",
        "sofa": 1,
        "begin": 0,
        "end": 4,
        "Governor": 5,
        "Dependent": 4,
    }
    empty = {"type": CUSTOM, "id": 12, "sofa": 1, "begin": 5, "end": 5}
    notes = corpora.Notes()
    path = write(tmp_path / "a.xmi", xmi([{**lemma, "id": 10}, {**relation, "id": 11}, empty, *STRUCTURES]))
    (document,) = corpora.read(path, note=notes.add)
    assert len(document.mentions) == 3
    assert sorted(notes.counts) == [
        "annotations of no character (zero width), left out",
        "annotations of the layer Cause, left out",
        "annotations of the layer Lemma, left out",
    ]


def test_identifiers_in_child_elements_and_of_ctakes_are_concepts(tmp_path: Path):
    ctakes = {
        "type": "org.apache.ctakes.typesystem.type.textsem.DiseaseDisorderMention",
        "id": 7,
        "sofa": 1,
        "begin": 0,
        "end": 4,
        "ontologyConceptArr": "8",
    }
    code = {
        "type": "org.apache.ctakes.typesystem.type.refsem.UmlsConcept",
        "id": 9,
        "cui": "C0018099",
        "codingScheme": "SNOMEDCT_US",
    }
    more = (
        '<cas:FSArray xmlns:cas="http:///uima/cas.ecore" xmi:id="8" elements="9"/>'
        '<c:Multi xmlns:c="http:///webanno/custom.ecore" xmi:id="20" sofa="1" begin="0" end="4">'
        "<identifier>MESH:D000001</identifier><identifier>OMIM:100100</identifier></c:Multi>"
    )
    (document,) = corpora.read(write(tmp_path / "a.xmi", xmi([ctakes, code, STRUCTURES[-1]], more)))
    assert [(m.type, m.concepts) for m in document.mentions] == [
        ("DiseaseDisorderMention", ("UMLS:C0018099",)),
        ("Multi", ("MESH:D000001", "OMIM:100100")),
    ]


def test_an_archive_with_its_type_system_and_a_folder_are_read_document_by_document(tmp_path: Path):
    named = {
        "type": "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData",
        "id": 2,
        "sofa": 1,
        "begin": 0,
        "end": 9,
        "documentTitle": "b.txt",
    }
    files = {"x.xmi": xmi(STRUCTURES), "y.xmi": xmi([named, *STRUCTURES])}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("TypeSystem.xml", "<typeSystemDescription/>")
        for name, content in files.items():
            archive.writestr(name, content)
    (tmp_path / "export.zip").write_bytes(stream.getvalue())
    (tmp_path / "folder").mkdir()
    for name, content in files.items():
        write(tmp_path / "folder" / name, content)
    write(tmp_path / "folder" / "TypeSystem.xml", "<typeSystemDescription/>")
    for path in (tmp_path / "export.zip", tmp_path / "folder"):
        assert corpora.detect(path) == "uima"
        assert [(d.id, len(d.mentions)) for d in corpora.read(path)] == [("x", 3), ("b.txt", 3)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<typeSystemDescription/>", "a UIMA type system|Name the .xmi file"),
        ("<html/>", "expected UIMA CAS XMI, whose root is <xmi:XMI>; got <html>"),
        (xmi(STRUCTURES)[:-9], "not valid XML"),
        (xmi(STRUCTURES[:-1]), "has no text"),
        (
            xmi([{**STRUCTURES[1], "end": "four"}, STRUCTURES[-1]]),
            "expected a whole number in 'end', got 'four'",
        ),
        (
            xmi([{"type": NER, "id": 4, "sofa": 1, "begin": 0}, STRUCTURES[-1]]),
            "whole number in 'end', got ''",
        ),
        (xmi([{**STRUCTURES[1], "end": 400}, STRUCTURES[-1]]), "document a, NamedEntity 4: span"),
        ('<!DOCTYPE x [<!ENTITY a "b">]>' + xmi(STRUCTURES).partition("?>")[2], "document type declaration"),
        ('{"%TYPES": {}}', "expected UIMA CAS JSON 0.4"),
    ],
)
def test_what_is_no_document_is_refused_by_name(tmp_path: Path, content: str, message: str):
    path = write(tmp_path / "a.xmi", content)
    with pytest.raises(DataError, match=message):
        list(corpora.read(path, format="uima"))


def test_a_type_system_alone_is_told_what_it_is(tmp_path: Path):
    path = write(tmp_path / "TypeSystem.xml", '<?xml version="1.0"?>\n<typeSystemDescription/>')
    with pytest.raises(DataError, match=r"UIMA type system.*name the \.xmi file"):
        corpora.detect(path)


def independent(content: str) -> tuple[str, list[tuple[str, str]]]:
    """Text and begin, end of every entity and every annotation of a layer of the project's own."""
    root = ET.fromstring(content)
    (text,) = [element.get("sofaString") for element in root if element.tag.endswith("}Sofa")]
    spans = [
        (element.attrib["begin"], element.attrib["end"])
        for element in root
        if ("NamedEntity" in element.tag or "/webanno/custom" in element.tag) and element.get("sofa") == "1"
    ]
    return str(text), [span for span in spans if span[0] != span[1]]


def test_a_changed_document_gives_the_spans_of_an_independent_parser_or_is_refused(tmp_path: Path):
    path = tmp_path / "a.xmi"
    refused = 0
    for seed, changed in mutations(STRUCTURES, 200):
        if not all(
            isinstance(one, dict)
            and isinstance(one.get("type"), str)
            and one["type"].count(".")
            and "sofa" not in one["type"]
            for one in changed
        ):
            continue
        content = xmi(changed)
        path.write_text(content, encoding="utf-8")
        try:
            (read,) = corpora.read(path, format="uima")
        except DataError:
            refused += 1
            continue
        text, spans = independent(content)
        assert (read.text, len(read.mentions)) == (text, len(spans)), (seed, content)
    assert refused > 20


@pytest.mark.data
def test_a_real_document_gives_the_spans_of_an_independent_parser(data: Path):
    path = data / "real-files" / "json-and-xmi" / "reference.xmi"
    root = ET.fromstring(path.read_bytes())
    values = [element.get("value") for element in root if element.tag.endswith("}NamedEntity")]
    (document,) = corpora.read(path)
    assert [mention.type for mention in document.mentions] == values != []
    assert document.id == "doc"

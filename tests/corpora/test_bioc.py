"""BioC, XML and JSON."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from linnet.corpora import Notes, detect, read, write
from linnet.errors import DataError, OffsetError
from linnet.types import Document, Mention

RECORD: dict[str, Any] = {
    "id": "7",
    "infons": {"journal": "Invented & Co"},
    "passages": [
        {
            "offset": 0,
            "infons": {"type": "title"},
            "text": "Gout <in> 😀 mice",
            "sentences": [],
            "annotations": [
                {
                    "id": "T1",
                    "infons": {"type": "Disease", "MESH": "D000001"},
                    "text": "Gout",
                    "locations": [{"offset": 0, "length": 4}],
                }
            ],
            "relations": [],
        },
        {
            "offset": 20,
            "infons": {"type": "abstract"},
            "text": "",
            "sentences": [
                {
                    "offset": 20,
                    "infons": {},
                    "text": "Lung or liver failure.",
                    "annotations": [
                        {
                            "id": "T2",
                            "infons": {
                                "type": "Disease",
                                "identifier": "MESH:D000002|MESH:D000003",
                                "note": "both",
                            },
                            "text": "Lung failure",
                            "locations": [{"offset": 20, "length": 4}, {"offset": 34, "length": 7}],
                        }
                    ],
                    "relations": [],
                }
            ],
            "annotations": [],
            "relations": [],
        },
    ],
    "annotations": [{"id": "M1", "infons": {"heading": "Gout"}, "text": "", "locations": []}],
    "relations": [{"id": "R1", "infons": {"relation": "Same"}, "nodes": [{"refid": "T1", "role": "a"}]}],
}


def json_file(tmp_path: Path, *records: Any) -> Path:
    path = tmp_path / "some.json"
    collection = {"source": "Invented", "date": "", "key": "", "infons": {}, "documents": list(records)}
    path.write_text(json.dumps(collection, indent=1), encoding="utf-8")
    return path


def xml_file(tmp_path: Path, inner: str) -> Path:
    path = tmp_path / "some.xml"
    path.write_text(
        f"<?xml version='1.0'?>\n<!DOCTYPE collection SYSTEM 'BioC.dtd'>\n<collection><source>Invented</source>\n{inner}</collection>",
        encoding="utf-8",
    )
    return path


def changed(**fields: Any) -> dict[str, Any]:
    passage = {"offset": 0, "infons": {}, "text": "Gout", "annotations": [annotation()]} | fields
    return {"id": "7", "passages": [passage]}


def annotation(**fields: Any) -> dict[str, Any]:
    return {
        "id": "1",
        "infons": {"type": "D"},
        "text": "Gout",
        "locations": [{"offset": 0, "length": 4}],
    } | fields


def test_passages_are_laid_out_so_that_offsets_hold(tmp_path: Path):
    path = json_file(tmp_path, RECORD)
    assert detect(path) == "biocjson"
    (document,) = read(path)
    assert document.text == "Gout <in> 😀 mice\n\n\n\nLung or liver failure."
    assert [m.text for m in document.mentions] == ["Gout", "Lung or liver failure"]
    assert [m.concepts for m in document.mentions] == [("MESH:D000001",), ("MESH:D000002", "MESH:D000003")]
    assert document.mentions[1].extra["spans"] == [[20, 24], [34, 41]]
    assert document.extra["title"] == 16


def test_json_is_written_back_as_it_was(tmp_path: Path):
    path = json_file(tmp_path, RECORD)
    assert not write(read(path), tmp_path / "out", format="biocjson")
    assert json.loads((tmp_path / "out").read_text()) == json.loads(path.read_text())


def test_xml_is_written_back_byte_for_byte_and_holds_what_json_holds(tmp_path: Path):
    first = list(read(json_file(tmp_path, RECORD)))
    assert not write(first, tmp_path / "a.xml", format="bioc")
    assert detect(tmp_path / "a.xml") == "bioc"
    second = list(read(tmp_path / "a.xml"))
    assert (second, [m.extra for m in second[0].mentions]) != ([], [])
    assert [(d.id, d.text, d.mentions) for d in second] == [(d.id, d.text, d.mentions) for d in first]
    assert second[0].extra["bioc"]["relations"] == first[0].extra["bioc"]["relations"]
    assert not write(second, tmp_path / "b.xml", format="bioc")
    assert (tmp_path / "b.xml").read_bytes() == (tmp_path / "a.xml").read_bytes()


def test_one_document_a_line_is_read(tmp_path: Path):
    path = tmp_path / "some.json"
    path.write_text(json.dumps(RECORD) + "\n" + json.dumps(RECORD | {"id": "8"}) + "\n")
    assert detect(path) == "biocjson"
    assert [d.id for d in read(path)] == ["7", "8"]


def test_changed_concepts_replace_those_that_were_read(tmp_path: Path):
    document = next(read(json_file(tmp_path, RECORD)))
    linked = [replace(m, concepts=("OMIM:100100",)) for m in document.mentions]
    write([document.with_mentions(linked)], tmp_path / "out", format="biocjson")
    first = json.loads((tmp_path / "out").read_text())["documents"][0]["passages"][0]["annotations"][0]
    assert first["infons"] == {"type": "Disease", "MESH": "OMIM:100100"}
    assert [m.concepts for m in next(read(tmp_path / "out")).mentions] == [("OMIM:100100",)] * 2


def test_attributes_never_change_type_or_concepts(tmp_path: Path):
    attributes = {"negated": True, "type": "Chemical", "identifier": "MESH:D000001", "grade": "2"}
    text = "No gout."
    mention = Mention(
        Document("1", text), 3, 7, "gout", "Disease", ("MESH:D006073",), extra={"attributes": attributes}
    )
    losses = write([Document("1", text, (mention,))], tmp_path / "out", format="biocjson")
    [kept] = next(read(tmp_path / "out")).mentions
    assert (kept.type, kept.concepts) == ("Disease", ("MESH:D006073",))
    infons = kept.extra["bioc"]["infons"]
    assert (infons["negated"], infons["grade"]) == ("true", "2")
    assert losses.counts == {"attributes with a name that stands for the type or the concepts": 2}


def document(id: str, **fields: Any) -> dict[str, Any]:
    return changed(**fields) | {"id": id}


@pytest.mark.parametrize(
    ("content", "ids"),
    [
        ({"PubTator3": [document("7"), document("8")]}, ["7", "8"]),
        ([document("7"), document("8")], ["7", "8"]),
        ([{"source": "a", "documents": [document("7")]}, {"documents": [document("8")]}], ["7", "8"]),
        ([{"PubTator3": [document("7")]}], ["7"]),
        (document("7"), ["7"]),
        (document(""), ["1"]),
        ({"id": 0, "passages": []}, ["0"]),
    ],
)
@pytest.mark.parametrize("indent", [None, 1])
def test_collections_envelopes_arrays_and_single_documents_are_read(
    tmp_path: Path, content: Any, ids: list[str], indent: int | None
):
    path = tmp_path / "some.json"
    path.write_text(json.dumps(content, indent=indent))
    assert [d.id for d in read(path, format="biocjson")] == ids


@pytest.mark.parametrize("name", ["documents", "PubTator3"])
def test_one_collection_a_line_is_read_and_a_broken_line_is_named(tmp_path: Path, name: str):
    path = tmp_path / "some.json"
    rows = [json.dumps({"source": name, name: [document(id)]}) for id in "789"]
    path.write_text("\n".join(rows))
    assert [d.id for d in read(path, format="biocjson")] == ["7", "8", "9"]
    path.write_text("\n".join([rows[0], rows[1][:-1], rows[2]]))
    reported: list[DataError] = []
    found = read(path, format="biocjson", on_error="skip", report=reported.append)
    assert [d.id for d in found] == ["7", "9"]
    assert [error.line for error in reported] == [2]


def test_other_json_is_refused_with_its_keys(tmp_path: Path):
    (tmp_path / "a.json").write_text('{"sentences": [], "entities": []}')
    with pytest.raises(DataError, match='documents with "passages"; got the keys entities, sentences'):
        list(read(tmp_path / "a.json", format="biocjson"))


def test_the_fields_of_a_second_collection_are_noted(tmp_path: Path):
    (tmp_path / "a.json").write_text(
        json.dumps([{"source": source, "documents": [document(source)]} for source in "ab"])
    )
    notes = Notes()
    assert len(list(read(tmp_path / "a.json", format="biocjson", note=notes.add))) == 2
    assert notes.lines() == ["1 document of further collections, whose source, date and infons are left out"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"annotations": 7},
        {"annotations": {"id": "1"}},
        {"relations": "none"},
        {"sentences": {"offset": 0}},
        {"sentences": ["Gout"]},
        {"infons": ["title"]},
        {"text": ["Gout"]},
        {"offset": True},
    ],
)
def test_a_document_of_another_shape_is_refused(tmp_path: Path, wrong: dict[str, Any]):
    with pytest.raises(DataError, match="expected"):
        list(read(json_file(tmp_path, changed(**wrong)), format="biocjson"))


def test_a_text_without_the_words_at_its_locations_is_refused(tmp_path: Path):
    places = [{"offset": 0, "length": 4}, {"offset": 9, "length": 7}]
    for said, sound in [("Lung failure", True), ("Lung or failure", True), ("Lung ... failure", True)]:
        annotated = changed(text="Lung and failure", annotations=[annotation(text=said, locations=places)])
        assert len(next(read(json_file(tmp_path, annotated))).mentions) == sound
    annotated = changed(
        text="Lung and failure", annotations=[annotation(text="liver failure", locations=places)]
    )
    with pytest.raises(
        OffsetError, match="0–4, 9–16 is 'Lung … failure', the annotation says 'liver failure'"
    ):
        list(read(json_file(tmp_path, annotated)))


@pytest.mark.parametrize("format", ["bioc", "biocjson"])
def test_the_fields_of_a_collection_stay_when_its_first_document_is_refused(tmp_path: Path, format: str):
    path = json_file(tmp_path, RECORD, RECORD | {"id": "8"})
    if format == "bioc":
        write(read(path), tmp_path / "a.xml", format="bioc")
        path = tmp_path / "a.xml"
        path.write_text(path.read_text().replace("<offset>0<", "<offset>x<", 1))
    else:
        path.write_text(path.read_text().replace('"offset": 0', '"offset": "x"', 1))
    (document,) = read(path, on_error="skip")
    assert document.extra["bioc"]["collection"]["source"] == "Invented"


@pytest.mark.parametrize("key", ["Annotations", "Infons", "TEXT"])
def test_keys_in_another_case_are_refused(tmp_path: Path, key: str):
    record = changed()
    record["passages"][0][key] = record["passages"][0].pop(key.lower())
    with pytest.raises(DataError, match=f"got the key '{key}', expected '{key.lower()}'"):
        list(read(json_file(tmp_path, record)))


def test_fields_that_look_like_annotations_are_noted(tmp_path: Path):
    notes = Notes()
    next(
        read(json_file(tmp_path, changed(denotations=[{"span": {"begin": 0}}, {"span": {}}])), note=notes.add)
    )
    assert notes.lines() == [
        "2 items of 'denotations', which look like annotations but are not BioC's, kept aside"
    ]


def test_annotations_without_a_place_are_noted(tmp_path: Path):
    notes = Notes()
    next(read(json_file(tmp_path, RECORD), note=notes.add))
    assert notes.lines() == ["1 annotation without a place in the text, kept aside"]


@pytest.mark.parametrize("format", ["bioc", "biocjson"])
def test_title_and_abstract_of_pubtator_become_passages_and_come_back(tmp_path: Path, format: str):
    (tmp_path / "in").write_text("7|t|Gout\n7|a|hurts\n7\t0\t4\tGout\tDisease\tD000001+D000002\n")
    write(read(tmp_path / "in"), tmp_path / "mid", format=format)
    write(read(tmp_path / "mid"), tmp_path / "out", format="pubtator")
    assert (tmp_path / "out").read_text() == (tmp_path / "in").read_text()


@pytest.mark.parametrize(
    ("record", "kind", "says"),
    [
        (3, DataError, "expected a BioC document"),
        ({"id": "7", "passages": [4]}, DataError, "expected objects"),
        (changed(offset="0"), DataError, "whole number as offset"),
        (changed(offset=10**9), DataError, "far outside"),
        (
            changed(annotations=[annotation(locations=[{"offset": 1, "length": 4}])]),
            OffsetError,
            "document 7, annotation 1",
        ),
        (changed(annotations=[annotation(locations=[{"offset": "0"}])]), DataError, "expected infons, text"),
        (changed(annotations=[7]), DataError, "expected infons, text"),
        (
            {"id": "7", "passages": [{"offset": 0, "text": "ab"}, {"offset": 1, "text": "c"}]},
            DataError,
            "begins before",
        ),
    ],
)
def test_malformed_documents_are_refused_and_can_be_skipped(
    tmp_path: Path, record: Any, kind: type[DataError], says: str
):
    path = json_file(tmp_path, record, RECORD | {"id": "8"})
    with pytest.raises(kind, match=says):
        list(read(path, format="biocjson"))
    reported: list[DataError] = []
    assert "8" in [d.id for d in read(path, format="biocjson", on_error="skip", report=reported.append)]
    assert len(reported) == 1


def test_xml_errors_name_the_line(tmp_path: Path):
    passage = "<passage><offset>{}</offset><text>Gout</text></passage>"
    path = xml_file(tmp_path, f"<document><id>1</id>\n{passage.format('zero')}</document>")
    with pytest.raises(DataError, match="whole number in <offset>, got 'zero'") as caught:
        list(read(path))
    assert caught.value.line == 5
    path = xml_file(tmp_path, f"<document><id>1</id>\n{passage.format(0)}")
    with pytest.raises(DataError, match="not well-formed XML"):
        list(read(path))


def test_entities_of_the_file_are_not_followed(tmp_path: Path):
    (tmp_path / "secret").write_text("secret")
    path = tmp_path / "some.xml"
    path.write_text(
        f'<!DOCTYPE collection [<!ENTITY x SYSTEM "file://{tmp_path}/secret">]><collection><document><id>1</id>'
        "<passage><offset>0</offset><text>Gout &x;</text></passage></document></collection>"
    )
    with pytest.raises(DataError, match="text outside the file"):
        list(read(path))


def test_entities_cut_no_text(tmp_path: Path):
    text = "Patients with &alpha;-thalassemia"
    passage = f"<passage><offset>0</offset>\n<text>{text}</text></passage>"
    path = xml_file(tmp_path, f"<document><id>1</id>{passage}</document>\n<document><id>2</id></document>")
    with pytest.raises(DataError, match="&alpha; is not declared") as caught:
        list(read(path))
    assert caught.value.line == 5
    reported: list[DataError] = []
    assert [d.id for d in read(path, on_error="skip", report=reported.append)] == ["2"]
    assert len(reported) == 1
    path.write_text(path.read_text().replace("SYSTEM 'BioC.dtd'", '[<!ENTITY alpha "α">]'))
    assert [d.text for d in read(path)] == ["Patients with α-thalassemia", ""]


def test_markup_and_comments_in_a_text_cut_nothing(tmp_path: Path):
    passage = "<passage><offset>0</offset><text>Gout <!-- and --> <i>in</i> mice</text></passage>"
    (document,) = read(xml_file(tmp_path, f"<document><id>1</id>{passage}</document>"))
    assert document.text == "Gout  in mice"


def test_unknown_elements_and_repeated_infons_are_noted(tmp_path: Path):
    notes = Notes()
    infons = "<infon key='type'>D</infon><infon key='MESH'>D000001</infon><infon key='MESH'>D000002</infon>"
    path = xml_file(
        tmp_path,
        f"<document><id>1</id><passage><offset>0</offset><text>Gout</text><mark/><annotation id='1'>{infons}"
        "<location offset='0' length='4'/><text>Gout</text></annotation></passage></document>",
    )
    (document,) = read(path, note=notes.add)
    assert document.mentions[0].concepts == ("MESH:D000001", "MESH:D000002")
    assert notes.lines() == [
        "1 <mark> element in <passage>, which BioC does not have, left out",
        "1 infon 'MESH' given again with another value, joined to the first with '|'",
    ]
    path.write_text(path.read_text().replace("<mark/>", "<text>Lung</text>"))
    with pytest.raises(DataError, match="two <text> in one <passage>"):
        list(read(path))


def test_a_truncated_gzip_is_refused(tmp_path: Path):
    documents = [Document(str(i), f"Gout {i} " * 50) for i in range(2000)]
    write(documents, tmp_path / "a.xml", format="bioc")
    whole = gzip.compress((tmp_path / "a.xml").read_bytes())
    (tmp_path / "a.xml.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="truncated"):
        list(read(tmp_path / "a.xml.gz"))


def test_characters_that_xml_cannot_hold_become_spaces_and_are_counted(tmp_path: Path):
    home = Document("1", "Gout\x00and\x0bAT\r\n")
    losses = write([home.with_mentions([Mention(home, 9, 11, "AT")])], tmp_path / "out", format="bioc")
    (document,) = read(tmp_path / "out")
    assert (document.text, document.mentions[0].text) == ("Gout and AT\r\n", "AT")
    assert losses.counts == {"texts with control characters (now spaces)": 1}


@pytest.mark.parametrize("depth", [1, 1500])
def test_passages_in_passages_are_refused(tmp_path: Path, depth: int):
    inner = "<passage>" * depth + "<offset>0</offset>" + "</passage>" * depth
    path = xml_file(tmp_path, f"<document><id>1</id><passage>{inner}</passage></document>")
    with pytest.raises(DataError, match="<passage> inside <passage>; expected it inside <document>"):
        list(read(path))


def test_json_that_is_nested_too_deeply_is_refused(tmp_path: Path):
    deep = "[" * 900 + "]" * 900
    (tmp_path / "a.json").write_text(f'{{"id": "1", "passages": [], "other": {deep}}}')
    with pytest.raises(DataError, match="nested too deeply"):
        list(read(tmp_path / "a.json", format="biocjson"))

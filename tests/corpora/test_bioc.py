"""BioC, XML and JSON."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from linnet.corpora import detect, read, write
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
        (changed(offset="0"), DataError, "whole-number offset"),
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
    assert all("secret" not in d.text for d in read(path))


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

"""TeXoo JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from linnet import corpora
from linnet.corpora import Notes, detect, read, write
from linnet.errors import DataError, OffsetError
from linnet.types import Document, Mention


def dataset(*annotations: Any) -> dict[str, Any]:
    document = {"id": "7", "text": "Gout and ataxia", "language": "en", "annotations": list(annotations)}
    return {"name": "Invented", "language": "en", "version": 3, "documents": [document]}


def annotation(**fields: Any) -> dict[str, Any]:
    return {"class": "MentionAnnotation", "begin": 0, "length": 4, "text": "Gout", "source": "GOLD", **fields}


def file(tmp_path: Path, content: Any) -> Path:
    path = tmp_path / "some.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_annotations_become_mentions_with_source_concept_and_confidence(tmp_path: Path):
    path = file(
        tmp_path,
        dataset(
            annotation(refId="MESH:D000001", confidence=0.5, source="PRED"),
            annotation(source="USER", refId="C0000001"),
            annotation(),
        ),
    )
    assert detect(path) == "texoo"
    (document,) = read(path)
    assert [(m.source, m.concepts, m.confidence) for m in document.mentions] == [
        ("pred", ("MESH:D000001",), 0.5),
        ("user", ("UMLS:C0000001",), None),
        ("gold", (), None),
    ]


def test_what_linnet_does_not_model_is_written_back(tmp_path: Path):
    content = dataset(
        annotation(type="Disease", author="me", refId="MESH:D000001"),
        {"class": "PassageAnnotation", "begin": 0, "length": 15, "label": "intro"},
    )
    assert not write(read(file(tmp_path, content)), tmp_path / "out", format="texoo")
    assert json.loads((tmp_path / "out").read_text()) == content


def test_a_recognisers_name_survives_as_a_prediction(tmp_path: Path):
    home = Document("1", "gout")
    mention = Mention(
        home, 0, 4, "gout", "", ("MESH:D000001", "OMIM:100100"), "dictionary", 0.25, {"combined": True}
    )
    assert not write([home.with_mentions([mention])], tmp_path / "out", format="texoo")
    record = json.loads((tmp_path / "out").read_text())["documents"][0]["annotations"][0]
    assert (record["source"], record["refId"]) == ("PRED", "MESH:D000001+OMIM:100100")
    (back,) = next(read(tmp_path / "out")).mentions
    assert (back, back.extra) == (mention, {"combined": True})


@pytest.mark.parametrize(
    ("content", "kind", "says"),
    [
        ("{", DataError, "not valid JSON"),
        ({"documents": 3, "annotations": []}, DataError, "Is it TeXoo JSON"),
        ({"documents": [3]}, DataError, "document 1: expected an object"),
        (dataset(annotation(begin="0")), DataError, "whole numbers in 'begin'"),
        (dataset(annotation(confidence="high")), DataError, "number in 'confidence'"),
        (dataset(annotation(begin=1)), OffsetError, "document 7: the text at 1–5"),
    ],
)
def test_malformed_datasets_are_refused(tmp_path: Path, content: Any, kind: type[DataError], says: str):
    with pytest.raises(kind, match=says):
        list(read(file(tmp_path, content), format="texoo"))


def test_no_documents_are_written_as_an_empty_dataset(tmp_path: Path):
    write([], tmp_path / "out", format="texoo")
    assert json.loads((tmp_path / "out").read_text())["documents"] == []


def test_single_documents_and_arrays_of_them_are_read(tmp_path: Path):
    record = {
        "id": "7",
        "title": "Gout",
        "begin": 0,
        "length": 11,
        "text": "Gout hurts.",
        "annotations": [
            {
                "class": "MentionAnnotation",
                "begin": 0,
                "length": 4,
                "text": "Gout",
                "type": "MISC",
                "source": "GOLD",
            },
            {"class": "PassageAnnotation", "begin": 0, "length": 11, "label": "Symptoms"},
        ],
    }
    for content in ([record, record | {"id": "8"}], record):
        path = tmp_path / "some.json"
        path.write_text(json.dumps(content, indent=1))
        assert detect(path) == "texoo"
        notes = Notes()
        first, *others = read(path, note=notes.add)
        assert [other.id for other in others] == (["8"] if isinstance(content, list) else [])
        assert [(m.text, m.type) for m in first.mentions] == [("Gout", "MISC")]
        assert notes.counts == {
            "annotations that are not mentions (PassageAnnotation), kept aside": 1 + len(others)
        }
        assert not write([first], tmp_path / "out.json", format="texoo")
        assert [d.mentions for d in read(tmp_path / "out.json")] == [first.mentions]


@pytest.mark.data
def test_a_real_document_gives_every_mention(data: Path):
    path = data / "real-files" / "json-and-xmi" / "kreatin.json"
    [record] = json.loads(path.read_text())
    (document,) = read(path)
    given = [(a["begin"], a["text"]) for a in record["annotations"] if a["class"] == "MentionAnnotation"]
    assert [(m.start, m.text) for m in document.mentions] == given


def test_annotations_that_are_no_list_are_refused(tmp_path: Path):
    path = tmp_path / "a.json"
    path.write_text('{"id": "1", "text": "Gout.", "annotations": true}', encoding="utf-8")
    with pytest.raises(DataError, match="expected a list in 'annotations', got true"):
        list(corpora.read(path, format="texoo"))

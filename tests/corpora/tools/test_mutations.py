"""Exports of annotation tools against an independent parser: the same spans, or refused; never fewer without a word."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.corpora.json_mutations import as_lines, mutations

from linnet import corpora
from linnet.errors import DataError

TEXT = "Gout hurts and scurvy bleeds, but not for long."
EMOJI = "Gout 😀 hurts and scurvy bleeds."

DOCCANO = [
    {"id": 1, "text": TEXT, "label": [[0, 4, "Disease"], [15, 21, "Disease"]]},
    {
        "id": 2,
        "text": "Scurvy bleeds.",
        "entities": [{"id": 7, "label": "Disease", "start_offset": 0, "end_offset": 6}],
        "relations": [],
    },
    {"id": 3, "text": "Nothing.", "label": []},
]
PRODIGY = [
    {
        "text": TEXT,
        "spans": [{"start": 0, "end": 4, "label": "Disease"}, {"start": 15, "end": 21, "label": "Disease"}],
        "answer": "accept",
    },
    {"text": "Scurvy.", "spans": [{"start": 0, "end": 6, "label": "Disease"}], "answer": "reject"},
    {
        "text": "Asthma.",
        "spans": [{"start": 0, "end": 6, "label": "D", "text": "Asthma"}],
        "answer": "accept",
    },
]
LABEL_STUDIO = [
    {
        "id": 11,
        "data": {"text": EMOJI},
        "annotations": [
            {
                "id": 1,
                "was_cancelled": False,
                "result": [
                    {
                        "id": "a",
                        "type": "labels",
                        "value": {"start": 0, "end": 4, "text": "Gout", "labels": ["D"]},
                    },
                    {
                        "id": "b",
                        "type": "labels",
                        "value": {"start": 18, "end": 24, "text": "scurvy", "labels": ["D"]},
                    },
                ],
            }
        ],
        "predictions": [{"result": []}],
    },
    {
        "id": 12,
        "data": {"text": "Asthma."},
        "annotations": [
            {
                "id": 2,
                "result": [{"id": "c", "type": "labels", "value": {"start": 0, "end": 6, "labels": ["D"]}}],
            }
        ],
    },
]
MEDCAT = {
    "projects": [
        {
            "id": 3,
            "cuis": "",
            "documents": [
                {
                    "id": 5,
                    "text": TEXT,
                    "annotations": [
                        {
                            "cui": "C0018099",
                            "start": 0,
                            "end": 4,
                            "value": "Gout",
                            "validated": True,
                            "correct": True,
                        },
                        {
                            "cui": "C0036474",
                            "start": 15,
                            "end": 21,
                            "value": "scurvy",
                            "correct": False,
                            "killed": True,
                        },
                    ],
                },
                {
                    "id": 6,
                    "text": "Asthma.",
                    "annotations": [
                        {"cui": "C0004096", "start": 0, "end": 6, "value": "Asthma", "correct": True}
                    ],
                },
            ],
        }
    ]
}
PUBANNOTATION = [
    {
        "sourcedb": "X",
        "sourceid": "1",
        "text": TEXT,
        "denotations": [
            {"id": "T1", "span": {"begin": 0, "end": 4}, "obj": "Disease"},
            {"id": "T2", "span": {"begin": 15, "end": 21}, "obj": "Disease"},
        ],
        "attributes": [{"id": "A1", "subj": "T1", "pred": "pubann:denotes", "obj": "MESH:D000001"}],
    },
    {
        "sourcedb": "X",
        "sourceid": "2",
        "text": "Asthma.",
        "denotations": [{"span": {"begin": 0, "end": 6}, "obj": "D"}],
    },
]
SPACY = [
    [TEXT, {"entities": [[0, 4, "DISEASE"], [15, 21, "DISEASE"]], "links": {"(0, 4)": {"Q133087": 1.0}}}],
    ["Asthma.", {"entities": [[0, 6, "DISEASE"]]}],
]


def doccano(records: Any) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    for record in records:
        spans = []
        for name in ("label", "labels", "entities", "annotations"):
            for item in record.get(name) or []:
                spans.append(
                    (item[0], item[1])
                    if isinstance(item, list)
                    else (item["start_offset"], item["end_offset"])
                )
        yield record["text"] if "text" in record else record["data"], spans


def prodigy(records: Any) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    for record in records:
        accepted = record.get("answer") in (None, "accept")
        yield (
            record["text"],
            [(span["start"], span["end"]) for span in record.get("spans") or []] if accepted else [],
        )


def label_studio(records: Any) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    for record in records:
        annotations = [one for one in record.get("annotations") or [] if not one.get("was_cancelled")]
        spans = []
        for result in (annotations[-1].get("result") or []) if annotations else []:
            if "start" in result["value"]:
                spans += [(result["value"]["start"], result["value"]["end"])] * len(
                    result["value"].get("labels") or [""]
                )
        yield record["data"]["text"], spans


def medcat(export: Any) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    for project in export["projects"]:
        for document in project.get("documents") or []:
            yield (
                document["text"],
                [
                    (one["start"], one["end"])
                    for one in document.get("annotations") or []
                    if one.get("correct")
                    and not one.get("killed")
                    and not one.get("deleted")
                    and one.get("validated", True)
                ],
            )


def pubannotation(records: Any) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    for record in records:
        yield (
            record["text"],
            [(one["span"]["begin"], one["span"]["end"]) for one in record.get("denotations") or []],
        )


def spacy(records: Any) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    for record in filter(None, records):  # an empty example is counted, and left out
        text, fields = record
        entities = fields["entities"] if isinstance(fields, dict) else fields
        yield text, [(item[0], item[1]) for item in entities]


CASES: list[tuple[str, Any, Callable[[Any], Iterator[tuple[str, list[tuple[int, int]]]]]]] = [
    ("doccano", DOCCANO, doccano),
    ("prodigy", PRODIGY, prodigy),
    ("labelstudio", LABEL_STUDIO, label_studio),
    ("medcat", MEDCAT, medcat),
    ("pubannotation", PUBANNOTATION, pubannotation),
    ("spacy", SPACY, spacy),
]


def spans_read(path: Path, format: str) -> list[tuple[str, int]]:
    return [(document.text, len(document.mentions)) for document in corpora.read(path, format=format)]


@pytest.mark.parametrize(("format", "invented", "independent"), CASES, ids=[case[0] for case in CASES])
def test_a_changed_export_gives_the_spans_of_an_independent_parser_or_is_refused(
    tmp_path: Path, format: str, invented: Any, independent: Any
):
    path = tmp_path / "export"
    refused = 0
    for seed, changed in mutations(invented, 200):
        lines = isinstance(changed, list) and seed % 2
        path.write_text(as_lines(changed) if lines else json.dumps(changed), encoding="utf-8")
        try:
            read = spans_read(path, format)
        except DataError:
            refused += 1
            continue
        try:
            expected = [(text, len(spans)) for text, spans in independent(changed)]
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            pytest.fail(f"seed {seed}: read as {read}, though {error!r}: {json.dumps(changed)}")
        assert read == expected, f"seed {seed}: {json.dumps(changed)}"
    assert 20 < refused < 190


@pytest.mark.parametrize(("format", "invented", "independent"), CASES, ids=[case[0] for case in CASES])
def test_the_invented_export_is_told_and_read(tmp_path: Path, format: str, invented: Any, independent: Any):
    for name, content in (
        ("array.json", json.dumps(invented)),
        ("pretty.json", json.dumps(invented, indent=2)),
        ("lines.jsonl", as_lines(invented) if isinstance(invented, list) else json.dumps(invented)),
    ):
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        assert corpora.detect(path) == format
        assert spans_read(path, format) == [(text, len(spans)) for text, spans in independent(invented)]


@pytest.mark.parametrize(("format", "invented", "independent"), CASES, ids=[case[0] for case in CASES])
def test_skipping_leaves_out_only_what_is_malformed_and_reports_it(
    tmp_path: Path, format: str, invented: Any, independent: Any
):
    path = tmp_path / "export"
    compared = 0
    for _, changed in mutations(invented, 200):
        path.write_text(json.dumps(changed), encoding="utf-8")
        reported: list[DataError] = []
        try:
            documents = list(corpora.read(path, format=format, on_error="skip", report=reported.append))
        except DataError:
            continue
        try:
            expected = sum(len(spans) for _, spans in independent(changed))
        except (KeyError, TypeError, ValueError, AttributeError, IndexError):
            assert reported
            continue
        assert sum(len(document.mentions) for document in documents) == expected or reported
        compared += not reported
    assert compared > 10


@pytest.mark.data
@pytest.mark.parametrize(
    ("file", "format", "independent"),
    [("doccano.jsonl", "doccano", doccano), ("prodigy_drugs_eval.head.jsonl", "prodigy", prodigy)],
)
def test_real_lines_give_the_spans_of_an_independent_parser(
    data: Path, file: str, format: str, independent: Any
):
    path = data / "real-files" / "annotation-tools" / file
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    expected = [(text, len(spans)) for text, spans in independent(records)]
    assert sum(count for _, count in expected) > 2
    assert corpora.detect(path) == format
    assert spans_read(path, format) == expected


@pytest.mark.data
def test_a_real_pubannotation_document_gives_every_denotation_and_its_concept(data: Path):
    path = data / "real-files" / "annotation-tools" / "PMC-7646410_2.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    (document,) = corpora.read(path)
    assert len(document.mentions) == len(record["denotations"]) == len(record["attributes"])
    assert all(mention.concepts for mention in document.mentions)
    assert {mention.type for mention in document.mentions} == {"Species", "Disease"}


@pytest.mark.data
def test_a_real_medcat_export_gives_what_was_confirmed_and_counts_the_rest(data: Path, tmp_path: Path):
    head = (data / "real-files" / "annotation-tools" / "medcat_trainer_export.head.json").read_text(
        encoding="utf-8"
    )
    whole = head[: head.rindex('}, {"id"')] + "}]}]}]}"  # the head ends inside an annotation
    try:
        export = json.loads(whole)
    except ValueError:
        pytest.fail("the head of the export was cut elsewhere")
    path = tmp_path / "export.json"
    path.write_text(whole, encoding="utf-8")
    notes = corpora.Notes()
    read = list(corpora.read(path, note=notes.add))
    given = [one for project in export["projects"] for d in project["documents"] for one in d["annotations"]]
    gold = [one for one in given if one["correct"] and not one["deleted"] and not one["killed"]]
    assert sum(len(document.mentions) for document in read) == len(gold) > 10
    assert notes.counts.total() == len(given) - len(gold) > 0

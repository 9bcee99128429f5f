from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from linnet import corpora
from linnet.errors import DataError
from linnet.formats import Head, formats
from linnet.formats.kinds import tool_export
from linnet.types import Document


def read(path: Path, content: Any, **options: Any) -> tuple[list[Document], corpora.Notes]:
    """The documents of an export whose format is format_of from its content, and what was passed over."""
    lines = isinstance(content, tuple)
    path.write_text(
        "".join(json.dumps(record) + "\n" for record in content) if lines else json.dumps(content), "utf-8"
    )
    notes = corpora.Notes()
    return list(corpora.read(path, note=notes.add, **options)), notes


def format_of(record: Any) -> str | None:
    """The tool whose export the record proves; None for others."""
    head = Head(json.dumps(record if isinstance(record, dict) else [record]).encode(), whole=True)
    tools = (format for format in formats("corpus").values() if "tool" in format.traits)
    return next((format.name for format in tools if format.fits(head)), None)


def mentions(document: Document) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(m.text, m.type, m.concepts) for m in document.mentions]


# doccano -------------------------------------------------------------------------------------------------------------


def test_doccano_labels_are_types_or_concepts_in_all_its_layouts(tmp_path: Path):
    given = (
        {
            "id": 4,
            "text": "Gout hurts",
            "label": [[0, 4, "Disease"], [5, 10, "HP:0000001"]],
            "meta": {"a": 1},
        },
        {"id": 5, "text": "Gout", "labels": [[0, 4, "C0018099"]]},
        {
            "id": 6,
            "text": "Gout hurts",
            "entities": [{"id": 1, "label": "D", "start_offset": 0, "end_offset": 4}],
            "relations": [{"id": 2, "from_id": 1, "to_id": 1, "type": "same"}],
        },
        {
            "id": 7,
            "text": "Gout",
            "annotations": [{"label": 3, "start_offset": 0, "end_offset": 4, "user": 1}],
        },
    )
    documents, notes = read(tmp_path / "a.jsonl", given)
    assert [d.id for d in documents] == ["4", "5", "6", "7"]
    assert [mentions(d) for d in documents] == [
        [("Gout", "Disease", ()), ("hurts", "", ("HP:0000001",))],
        [("Gout", "", ("UMLS:C0018099",))],
        [("Gout", "D", ())],
        [("Gout", "3", ())],
    ]
    assert documents[2].extra == {"doccano": {"relations": given[2]["relations"]}}
    assert notes.lines() == ["1 number as labels, kept as it is: this export does not hold the names"]


def test_doccano_labels_of_whole_documents_are_refused(tmp_path: Path):
    (tmp_path / "a.jsonl").write_text('{"text": "Gout", "label": ["sad"]}\n')
    with pytest.raises(DataError, match=r"a.jsonl:1: .*Labels of whole documents cannot be read"):
        list(corpora.read(tmp_path / "a.jsonl", format="doccano"))


# Prodigy -------------------------------------------------------------------------------------------------------------

ACCEPTED = {
    "text": "Gout hurts",
    "spans": [{"start": 0, "end": 4, "label": "D", "kb_id": "MESH:D000001"}],
    "answer": "accept",
}


def test_prodigy_rejected_and_skipped_tasks_are_texts_but_not_gold(tmp_path: Path):
    given = (ACCEPTED, {**ACCEPTED, "answer": "reject"}, {**ACCEPTED, "answer": "ignore"})
    documents, notes = read(tmp_path / "a.jsonl", given)
    assert [mentions(d) for d in documents] == [[("Gout", "D", ("MESH:D000001",))], [], []]
    assert notes.counts == {
        "documents rejected by the annotator, read without annotations": 1,
        "documents that the annotator skipped, read without annotations": 1,
    }
    gold, notes = read(tmp_path / "a.jsonl", given, annotated=True)
    assert len(gold) == 1
    assert notes.counts == {
        "documents rejected by the annotator, left out": 1,
        "documents that the annotator skipped, left out": 1,
    }


def test_a_corpus_of_which_nothing_was_accepted_is_refused_as_gold(tmp_path: Path):
    with pytest.raises(DataError, match=r"no document is annotated \(2 rejected by the annotator\)"):
        read(tmp_path / "a.jsonl", ({**ACCEPTED, "answer": "reject"},) * 2, annotated=True)


def test_prodigy_gives_the_span_the_option_that_was_accepted(tmp_path: Path):
    task = {
        "text": "Gout hurts",
        "spans": [{"start": 0, "end": 4, "label": "D"}],
        "options": [{"id": "MESH:D000001"}, {"id": "NIL_none"}],
        "answer": "accept",
    }
    documents, _ = read(
        tmp_path / "a.jsonl", ({**task, "accept": ["MESH:D000001"]}, {**task, "accept": ["NIL_none"]})
    )
    assert [mentions(d)[0][2] for d in documents] == [("MESH:D000001",), ()]


def test_prodigy_spans_that_their_tokens_contradict_are_refused(tmp_path: Path):
    tokens = [{"text": "Rout", "start": 0, "end": 4, "id": 0}]
    task = {
        "text": "Gout",
        "spans": [{"start": 0, "end": 4, "token_start": 0, "token_end": 0}],
        "tokens": tokens,
    }
    with pytest.raises(DataError, match="the annotation says 'Rout'"):
        read(tmp_path / "a.jsonl", ({**task, "answer": "accept"},))


# Label Studio --------------------------------------------------------------------------------------------------------


def task(*annotations: Any, **more: Any) -> dict[str, Any]:
    return {
        "id": 9,
        "data": {"text": "😀 Gout hurts", "source": "x"},
        "annotations": list(annotations),
        **more,
    }


def result(start: int, end: int, text: str, *labels: str, id: str = "r", **more: Any) -> dict[str, Any]:
    value = {"start": start, "end": end, "text": text, "labels": list(labels)}
    return {"id": id, "type": "labels", "from_name": "label", "to_name": "text", "value": value, **more}


@pytest.mark.parametrize("shift", [0, 1])
def test_label_studio_regions_are_read_whichever_unit_its_version_counts(tmp_path: Path, shift: int):
    given = [task({"result": [result(2 + shift, 6 + shift, "Gout", "Disease")]})]
    (document,), notes = read(tmp_path / "a.json", given)
    assert notes.counts == ({"documents whose offsets count UTF-16 units, converted": 1} if shift else {})
    assert (document.id, document.text) == ("9", "😀 Gout hurts")
    assert mentions(document) == [("Gout", "Disease", ())]
    assert document.extra == {"labelstudio": {"data": {"source": "x"}}}


def test_label_studio_ids_in_answers_labels_and_notes_are_concepts_of_their_region(tmp_path: Path):
    span = {"start": 2, "end": 6}
    results = [
        result(2, 6, "Gout", "Disease", "C0018099", id="a", meta={"text": ["MESH:D000001"]}),
        {"id": "a", "type": "textarea", "value": {**span, "text": ["OMIM:100100"]}},
        {"id": "a", "type": "taxonomy", "value": {**span, "taxonomy": [["Joints", "HP:0000001"]]}},
        {"id": "z", "type": "choices", "value": {"choices": ["done"]}},
        {"type": "relation", "from_id": "a", "to_id": "a"},
    ]
    (document,), notes = read(tmp_path / "a.json", [task({"result": results})])
    ((text, type, concepts),) = mentions(document)
    assert (text, type) == ("Gout", "Disease")
    assert set(concepts) == {"UMLS:C0018099", "MESH:D000001", "OMIM:100100", "HP:0000001"}
    assert document.extra["labelstudio"]["relations"] == [results[-1]]
    assert notes.counts == {
        "answers about a region without a concept id, left out": 1,
        "answers about whole tasks, left out": 1,
    }


def test_label_studio_reads_one_annotation_of_a_task_and_counts_the_others(tmp_path: Path):
    old = {"result": [result(2, 6, "Gout", "old")], "updated_at": "2024-01-01"}
    new = {"result": [result(2, 6, "Gout", "new")], "updated_at": "2025-01-01"}
    truth = {"result": [result(2, 6, "Gout", "truth")], "updated_at": "2023-01-01", "ground_truth": True}
    gone = {"result": [result(2, 6, "Gout", "gone")], "was_cancelled": True}
    predicted = {"predictions": [{"result": [result(2, 6, "Gout", "guess")]}]}
    for several, label in (([new, old, gone], "new"), ([old, truth, new], "truth")):
        (document,), notes = read(tmp_path / "a.json", [task(*several, **predicted)])
        assert [m.type for m in document.mentions] == [label]
        assert notes.counts["predictions, left out"] == 1
        others = [n for what, n in notes.counts.items() if "annotated several times" in what]
        assert others == [len(several) - 1 - (gone in several)]


def test_label_studio_tasks_that_nobody_finished_are_not_gold(tmp_path: Path):
    tasks = [
        task({"result": [result(2, 6, "Gout", "D")]}),
        {**task({"result": [], "was_cancelled": True}), "id": 10},
    ]
    documents, notes = read(tmp_path / "a.json", tasks, annotated=True)
    assert [d.id for d in documents] == ["9"]
    assert notes.counts["documents without a finished annotation, left out"] == 1


def test_label_studio_minimal_json_is_read_and_records_of_one_task_are_one(tmp_path: Path):
    region = {"start": 0, "end": 4, "text": "Gout", "labels": ["D"]}
    first = {
        "id": 1,
        "text": "Gout hurts",
        "label": [region],
        "annotator": 1,
        "annotation_id": 3,
        "lead_time": 1.0,
        "updated_at": "2024",
    }
    second = {
        **first,
        "label": [{**region, "labels": ["E"]}],
        "annotator": 2,
        "annotation_id": 4,
        "updated_at": "2025",
    }
    (document,), notes = read(tmp_path / "a.json", [first, second])
    assert mentions(document) == [("Gout", "E", ())]
    assert notes.counts.total() == 1


def test_label_studio_chooses_the_field_that_fits_or_refuses(tmp_path: Path):
    data = {"title": "On joints", "body": "Gout hurts"}
    annotated = {"id": 1, "data": data, "annotations": [{"result": [result(0, 4, "Gout", "D")]}]}
    later = {"id": 2, "data": {"title": "Gout", "body": "Gout again"}, "annotations": [{"result": []}]}
    documents, _ = read(tmp_path / "a.json", [annotated, later])
    assert [d.text for d in documents] == ["Gout hurts", "Gout again"]
    with pytest.raises(DataError, match=r"task 2: several fields may be its text: 'title', 'body'"):
        read(tmp_path / "a.json", [later])


# MedCATtrainer -------------------------------------------------------------------------------------------------------


def test_medcat_reads_what_was_validated_and_counts_the_rest_by_reason(tmp_path: Path):
    one = {"cui": "C0018099", "start": 0, "end": 4, "value": "Gout", "validated": True, "correct": True}
    given = [
        one,
        {**one, "cui": "90560007", "correct": False, "alternative": True},
        {**one, "correct": False, "manually_created": True},
        {**one, "killed": True},
        {**one, "deleted": True},
        {**one, "irrelevant": True},
        {**one, "validated": False},
        {**one, "correct": False},
    ]
    export = {
        "projects": [{"id": 1, "documents": [{"id": 2, "name": "n", "text": "Gout", "annotations": given}]}]
    }
    (document,), notes = read(tmp_path / "a.json", export)
    assert document.id == "2"
    assert [m.concepts for m in document.mentions] == [
        ("UMLS:C0018099",),
        ("SNOMEDCT:90560007",),
        ("UMLS:C0018099",),
    ]
    assert len(notes.counts) == notes.counts.total() == 5


def test_medcat_documents_of_several_projects_carry_the_project_in_their_id(tmp_path: Path):
    projects = [{"id": n, "documents": [{"id": 2, "text": f"Gout {n}", "annotations": []}]} for n in (1, 4)]
    documents, _ = read(tmp_path / "a.json", {"projects": projects})
    assert [d.id for d in documents] == ["1/2", "4/2"]


# PubAnnotation -------------------------------------------------------------------------------------------------------


def test_pubannotation_objects_are_types_concepts_or_both_and_pieces_are_kept(tmp_path: Path):
    given = {
        "text": "Gout hurts joints",
        "sourcedb": "PMC",
        "sourceid": "1",
        "divid": 2,
        "denotations": [
            {"id": "T1", "span": {"begin": 0, "end": 4}, "obj": "Disease:D006073"},
            {"id": "T2", "span": {"begin": 5, "end": 10}, "obj": "HP_0000001"},
            {"id": "T3", "span": [{"begin": 0, "end": 4}, {"begin": 11, "end": 17}], "obj": "Finding"},
        ],
        "attributes": [
            {"subj": "T3", "pred": "pubann:denotes", "obj": "MESH:D000001"},
            {"subj": "T3", "pred": "sure", "obj": True},
        ],
        "relations": [{"id": "R1"}],
        "tracks": [
            {"project": "p", "denotations": [{"id": "T1", "span": {"begin": 11, "end": 17}, "obj": "Part"}]}
        ],
    }
    (document,), _ = read(tmp_path / "a.json", given)
    assert document.id == "PMC-1-2"
    assert mentions(document) == [
        ("Gout", "Disease", ("MESH:D006073",)),
        ("hurts", "", ("HP:0000001",)),
        ("Gout hurts joints", "Finding", ("MESH:D000001",)),
        ("joints", "Part", ()),
    ]
    assert document.mentions[2].extra["spans"] == [[0, 4], [11, 17]]
    assert document.extra["pubannotation"]["relations"] == [{"id": "R1"}]


# spaCy ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    [
        [
            [
                "Gout hurts",
                {"entities": [[0, 4, "D"]], "links": {"(0, 4)": {"MESH:D000001": 1.0, "MESH:D000002": 0.0}}},
            ]
        ],
        {
            "classes": ["D"],
            "annotations": [["Gout hurts", {"entities": [[0, 4, "D", "MESH:D000001"]]}], None],
        },
        (
            {
                "text": "Gout hurts",
                "ents": [{"start": 0, "end": 4, "label": "D", "kb_id": "MESH:D000001"}],
                "tokens": [],
            },
        ),
        [{"text": "Gout hurts", "entities": [{"start": 0, "end": 4, "label": "D", "cui": "MESH:D000001"}]}],
    ],
)
def test_spacy_examples_are_read_in_all_their_layouts(tmp_path: Path, given: Any):
    (document,), _ = read(tmp_path / "a.json", given)
    assert mentions(document) == [("Gout", "D", ("MESH:D000001",))]


# Telling them apart --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "record",
    [
        {"text": "Gout", "label": "positive"},
        {"text": "Gout", "label": 1},
        {"text": "Gout", "label": ["positive"]},
        {"text": "Gout", "mentions": [], "label": [[0, 4, "D"]]},
        {"text": "Gout", "annotations": []},
        {"documents": [{"id": "1", "text": "x", "annotations": []}]},
        {"id": "1", "passages": []},
        {"id": 1, "data": "text"},
        ["a", "b"],
        "Gout",
        None,
    ],
)
def test_what_no_tool_wrote_is_told_as_none(record: Any):
    assert format_of(record) is None


@pytest.mark.parametrize(
    "record",
    [
        {"annotatable": {"parts": []}, "anncomplete": True, "entities": []},
        {"fields": {"text": "Gout"}, "responses": []},
        {"name": "x", "schema": {}, "examples": []},
        {"id": 0, "paragraphs": []},
    ],
)
def test_exports_that_are_not_read_are_named_with_advice(record: Any):
    assert format_of(record) is None
    export = tool_export(Head(json.dumps(record).encode(), whole=True))
    assert export is not None
    assert export.clause.startswith("holds ")
    assert export.advice


def test_a_large_export_is_told_from_its_beginning(tmp_path: Path):
    text = "Gout hurts. " * 20_000
    tasks = [{"id": n, "annotations": [{"result": []}], "data": {"text": text}} for n in range(2)]
    (tmp_path / "a.json").write_text(json.dumps(tasks))
    assert corpora.detect(tmp_path / "a.json") == "labelstudio"
    projects = {"projects": [{"id": 1, "documents": [{"id": 1, "text": text, "annotations": []}]}]}
    (tmp_path / "b.json").write_text(json.dumps(projects, indent=1))
    assert corpora.detect(tmp_path / "b.json") == "medcat"


def test_what_was_passed_over_is_logged_where_nobody_collects_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({**ACCEPTED, "answer": "reject"}) + "\n" + json.dumps(ACCEPTED) + "\n")
    assert len(list(corpora.read(path))) == 2
    assert "1 document rejected by the annotator, read without annotations" in caplog.text


@pytest.mark.parametrize(
    "record",
    [
        {"text": "Gout hurts", "spans": [{"start": 0, "end": 4, "label": "D"}], "answer": "accept"},
        {"text": "Gout hurts", "label": [[0, 4, "D"]]},
    ],
)
@pytest.mark.parametrize("given", [[[5, 10, "D"]], [{"start": 5, "end": 10, "label": "D"}]])
def test_a_field_that_looks_like_annotations_and_is_not_read_is_noted(
    tmp_path: Path, record: dict[str, Any], given: Any
):
    format = "prodigy" if "answer" in record else "doccano"
    [document], notes = read(tmp_path / "a.jsonl", (record | {"findings": given},), format=format)
    assert mentions(document) == [("Gout", "D", ())]
    assert any("a list in 'findings', which is not read as annotations" in line for line in notes.lines())
    _, notes = read(tmp_path / "a.jsonl", (record | {"meta": {"a": 1}, "tags": ["x"]},), format=format)
    assert not any("not read as annotations" in line for line in notes.lines())

"""Prediction files of other people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from linnet import corpora
from linnet.errors import DataError
from linnet.evaluate.gold import gold_mentions
from linnet.evaluate.predictions import Answers, read_predictions
from linnet.types import Document, Mention

TEXT = "Flu, pox and more flu"


def mentions(*, ids: bool = False) -> list[Mention]:
    home = Document("d1", TEXT)
    spans = [(0, 3, "MESH:D000001"), (5, 8, "MESH:D000002"), (18, 21, "MESH:D000001")]
    return list(
        gold_mentions(
            [
                home.with_mentions(
                    [
                        Mention(home, a, b, TEXT[a:b], "Disease", (c,), extra={"id": f"m{a}"} if ids else {})
                        for a, b, c in spans
                    ]
                )
            ]
        )
    )


def read(path: Path, *records: dict[str, Any] | str, ids: bool = False) -> Answers:
    path.write_text(
        "".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in records), encoding="utf-8"
    )
    return read_predictions(path, mentions(ids=ids))


def concepts(answers: Answers) -> list[set[str]]:
    return [set(one.concepts) for one in answers.predictions]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "said.jsonl"


def test_documents_are_matched_by_place(file: Path) -> None:
    said = [
        {"start": 18, "end": 21, "concepts": ["MESH:D000009"], "probability": 0.5},
        {"start": 0, "end": 3, "concepts": ["MESH:D000001"]},
        {"start": 5, "end": 9, "concepts": ["MESH:D000002"]},
    ]
    answers = read(file, {"id": "d1", "text": TEXT, "mentions": said})
    assert concepts(answers) == [{"MESH:D000001"}, set(), {"MESH:D000009"}]
    assert answers.predictions[1].missing
    assert answers.predictions[2].probability == 0.5
    assert answers.annotations is not None
    assert len(answers.annotations) == 3
    assert (answers.missing, answers.unknown) == (1, 1)
    assert "1 mention has no prediction and counts as NIL" in answers.notes[0]
    assert "document d1 at 5–9" in answers.notes[1]


def test_mentions_with_places_are_matched_by_them(file: Path) -> None:
    answers = read(
        file,
        {"document": "d1", "start": 5, "end": 8, "concepts": ["MESH:D000002"]},
        {"document": "d2", "start": 5, "end": 8, "concepts": ["MESH:D000002"]},
    )
    assert concepts(answers) == [set(), {"MESH:D000002"}, set()]
    assert answers.annotations is None
    assert (answers.missing, answers.unknown) == (2, 1)


def test_mentions_are_matched_by_id_where_the_gold_has_ids(file: Path) -> None:
    answers = read(
        file,
        {"id": "m18", "text": "flu", "concepts": ["MESH:D000003"]},
        {"id": "m0", "text": "Flu", "concepts": []},
        {"id": "m99", "text": "fog", "concepts": []},
        ids=True,
    )
    assert concepts(answers) == [set(), set(), {"MESH:D000003"}]
    assert [one.missing for one in answers.predictions] == [False, True, False]
    assert answers.examples == ("m99",)


def test_mentions_without_ids_are_matched_line_by_line_and_their_text_is_checked(file: Path) -> None:
    rows = [
        {"text": "Flu", "concepts": ["D000001"]},
        {"text": "pox", "concept": "D000002"},
        {"text": "flu", "concepts": []},
    ]
    assert concepts(read(file, *rows)) == [{"MESH:D000001"}, {"MESH:D000002"}, set()]
    rows[1]["text"] = "fog"
    with pytest.raises(DataError, match=r"said.jsonl:2: predicts 'fog'; the gold mention here is 'pox'"):
        read(file, *rows)


def test_a_file_of_another_length_cannot_be_matched_line_by_line(file: Path) -> None:
    with pytest.raises(DataError, match="1 predictions for 3 gold mentions"):
        read(file, {"text": "Flu", "concepts": []})


def test_candidates_parts_and_names_are_kept(file: Path) -> None:
    candidates = [
        {"concept": "MESH:D000001", "name": "Flu", "score": 0.9},
        {"concept": "MESH:D000002", "name": "flu", "score": 0.9},
        {"concept": "MESH:D000003", "name": "influenza", "score": 0.8},
    ]
    part = {"concepts": ["MESH:D000001"], "candidates": candidates}
    rows = [{"concepts": ["MESH:D000001"], "parts": [part], "candidates": []}, *[{"concepts": []}] * 2]
    (answer, *_) = read(file, *rows).predictions
    assert answer.parts[0].ranked == (("MESH:D000001", "MESH:D000002"), ("MESH:D000003",))
    assert answer.parts[0].names == ("Flu", "influenza")


def test_candidates_without_names_are_no_homonyms(file: Path) -> None:
    candidates = [{"concept": "MESH:D000001"}, {"concept": "MESH:D000002"}]
    (answer, *_) = read(file, *[{"concepts": ["MESH:D000001"], "candidates": candidates}] * 3).predictions
    assert answer.ranked == (("MESH:D000001",), ("MESH:D000002",))


def test_any_corpus_format_holds_predictions(tmp_path: Path) -> None:
    file = tmp_path / "said.txt"
    file.write_text(
        f"d1|t|{TEXT}\nd1\t0\t3\tFlu\tDisease\tD000001\nd1\t5\t8\tpox\tDisease\tD000007|D000008\n",
        encoding="utf-8",
    )
    answers = read_predictions(file, mentions())
    assert concepts(answers) == [{"MESH:D000001"}, {"MESH:D000007", "MESH:D000008"}, set()]


def test_of_two_answers_at_one_place_the_gold_type_decides_else_they_are_one_composite(file: Path) -> None:
    def at(type: str, id: str) -> dict[str, Any]:
        return {"start": 0, "end": 3, "type": type, "concepts": [id]}

    typed = read(
        file,
        {"id": "d1", "text": TEXT, "mentions": [at("Gene", "MESH:D000004"), at("Disease", "MESH:D000005")]},
    )
    assert concepts(typed)[0] == {"MESH:D000005"}
    both = read(
        file, {"id": "d1", "text": TEXT, "mentions": [at("", "MESH:D000004"), at("", "MESH:D000005")]}
    )
    assert concepts(both)[0] == {"MESH:D000004", "MESH:D000005"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"concepts": ["A:1"', "not JSON"),
        ("[1]", "expected a JSON object, got list"),
        ('{"concepts": 3}', "list of concept ids"),
        ('{"concepts": [], "candidates": "A"}', "'candidates' must be a list"),
        ('{"concepts": [], "candidates": [1]}', "with a 'concept'"),
        ('{"concepts": [], "probability": 2}', "between 0 and 1"),
        ('{"concepts": [], "probability": true}', "between 0 and 1 or null, got True"),
        ('{"concepts": [], "parts": [7]}', "must be a list, got NoneType|must be an object"),
    ],
)
def test_malformed_lines_are_named(file: Path, line: str, message: str) -> None:
    with pytest.raises(DataError, match=f"said.jsonl:2: .*({message})"):
        read(file, {"concepts": []}, line, {"concepts": []})


@pytest.mark.parametrize("start", ["0", True, False, None])
def test_places_must_be_numbers(file: Path, start: Any) -> None:
    with pytest.raises(DataError, match=r"whole numbers, got .* and 3"):
        read(file, {"id": "d1", "text": TEXT, "mentions": [{"start": start, "end": 3, "concepts": []}]})


def test_a_repeated_id_is_refused(file: Path) -> None:
    with pytest.raises(DataError, match="'m0' occurs twice"):
        read(file, *[{"id": "m0", "concepts": []}] * 2, ids=True)


def test_ids_without_a_prefix_are_refused_rather_than_scored_zero(file: Path) -> None:
    with pytest.raises(DataError, match="have no prefix"):
        read(file, *[{"concepts": ["whatever"]}] * 3)


def test_tables_that_linnet_wrote_are_matched_by_place(tmp_path: Path) -> None:
    """CSV and Parquet of mentions: `document`, `start` and `end` are columns."""
    home = Document("1", "flu and pox")
    gold = [Mention(home, 0, 3, "flu", "Disease"), Mention(home, 8, 11, "pox", "Disease")]
    rows = [
        {"document": "1", "id": "", "start": 8, "end": 11, "text": "pox", "concepts": ["MESH:D000002"], "probability": 0.5},
        {"document": "1", "id": "", "start": 0, "end": 3, "text": "flu", "concepts": ["OMIM:1", "OMIM:2"], "probability": None},
    ]  # fmt: skip
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    (tmp_path / "a.csv").write_text(
        "document,id,start,end,text,concepts,probability\n1,,8,11,pox,MESH:D000002,0.5\n1,,0,3,flu,OMIM:1|OMIM:2,\n"
    )
    for name in ("a.parquet", "a.csv"):
        answers = read_predictions(tmp_path / name, gold)
        assert [sorted(p.concepts) for p in answers.predictions] == [["OMIM:1", "OMIM:2"], ["MESH:D000002"]]
        assert [p.probability for p in answers.predictions] == [None, 0.5]


def test_rows_of_a_table_are_matched_by_their_text(tmp_path: Path) -> None:
    """A linked table keeps its columns; what was found beside its gold is `linked_concepts`. Empty rows have no mention."""
    gold = tmp_path / "gold.csv"
    gold.write_text("phrase,concepts\nflu,OMIM:1\n,\npox,OMIM:2\n")
    rows = [mention for document in corpora.read(gold) for mention in document.mentions]
    file = tmp_path / "linked.csv"
    file.write_text("phrase,concepts,linked_concepts,name\nflu,OMIM:1,OMIM:9,x\n,,,\npox,OMIM:2,,\n")
    answers = read_predictions(file, rows)
    assert [sorted(p.concepts) for p in answers.predictions] == [["OMIM:9"], []]
    file.write_text("phrase,concepts\npox,OMIM:2\nflu,OMIM:1\n")
    with pytest.raises(DataError, match=r"linked\.csv:2: no cell of this row .* gold mention here is 'flu'"):
        read_predictions(file, rows)


def test_a_table_without_concepts_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text,label\nflu,x\n")
    with pytest.raises(DataError, match=r"no column holds the predicted concepts\. It has: text, label"):
        read_predictions(tmp_path / "a.csv", mentions())


def test_predictions_that_answer_no_gold_mention_are_refused(file: Path) -> None:
    lines = [{"document": "other", "start": 0, "end": 3, "concepts": ["X:1"]}]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(
        DataError, match=r"answers none of the .* gold mentions. It has document other at 0–3; the corpus has"
    ):
        read_predictions(file, mentions())
    file.write_text("Plain prose, which is no prediction.\n")
    with pytest.raises(DataError):
        read_predictions(file, mentions())


def test_a_bare_number_is_read_by_the_type_of_the_mention_it_answers(tmp_path: Path) -> None:
    home = Document("1", "flu")
    (tmp_path / "a.jsonl").write_text('{"concepts": ["104300"], "candidates": [{"concept": "104300"}]}\n')
    for type, expected in (("Disease", "OMIM:104300"), ("Gene", "NCBIGENE:104300")):
        gold = Mention(home, 0, 3, "flu", type, (expected,))
        (predicted,) = read_predictions(tmp_path / "a.jsonl", [gold]).predictions
        assert predicted.concepts == {expected}
        assert predicted.ranked == ((expected,),)


def test_an_empty_file_is_refused(file: Path) -> None:
    with pytest.raises(DataError, match="no prediction"):
        read(file, "")

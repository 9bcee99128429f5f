"""What `linnet link` wrote is recognised wherever it is read: its answers are predictions, no text and not gold."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from linnet.corpora import read, write
from linnet.corpora.link_output import as_predictions, link_columns
from linnet.errors import DataError, RequestError

LINKS = "concepts,name,probability,score,matched,origin"
ANSWER = "X:1,Gout,0.93,1.0,podagra,exact"


def file(tmp_path: Path, text: str, name: str = "linked.csv") -> Path:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / name


@pytest.mark.parametrize(
    ("columns", "written"),
    [
        ("dx," + LINKS, LINKS.split(",")),
        ("name,dx,concepts,linked_name,probability,score,matched,origin", ["concepts", "linked_name"]),
        ("origin,dx,concepts,name,probability,score,matched,linked_origin", ["linked_origin", "name"]),
        (f"dx,{LINKS},linked_concepts,linked_matched,linked_origin,linked_probability", ["concepts", "linked_concepts"]),
        ("name,probability,score,concepts", []),
        (f"dx,{LINKS},relation", [*LINKS.split(","), "relation"]),
        (f"relation,dx,{LINKS},linked_relation", ["concepts", "linked_relation"]),
    ],
)  # fmt: skip
def test_its_columns_are_told_from_those_of_the_table(columns: str, written: list[str]) -> None:
    links = link_columns(tuple(columns.split(",")))
    assert set(written) <= set(links) <= set(columns.split(",")) - {"dx"}
    assert bool(links) == bool(written)
    if "linked_name" in columns:
        assert "name" not in links
    assert ("relation" in links) == columns.endswith("origin,relation")


def test_its_names_are_never_read_as_the_text(tmp_path: Path) -> None:
    [document] = read(file(tmp_path, f"dx,{LINKS}\npodagra,{ANSWER}\n"))
    assert document.text == "podagra"
    path = file(tmp_path, f"id,dx,{LINKS}\n7,podagra,{ANSWER}\n")
    with pytest.raises(RequestError, match=r"which column holds the text\? Columns: id, dx\. "):
        list(read(path))


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_its_concepts_are_predictions_with_their_probability(tmp_path: Path, ending: str) -> None:
    path = file(tmp_path, f"dx,{LINKS}\npodagra,{ANSWER}\nnothing,,,,,,\n")
    if ending == "parquet":
        import pyarrow.csv
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.csv.read_csv(path), tmp_path / "linked.parquet")
        path = tmp_path / "linked.parquet"
    first, second = (document.mentions[0] for document in read(path))
    assert (first.concepts, first.source, first.confidence) == (("X:1",), "linnet", 0.93)
    assert (second.concepts, second.source, second.confidence) == ((), "linnet", None)


def test_the_concepts_of_the_table_itself_stay_gold(tmp_path: Path) -> None:
    path = file(tmp_path, f"dx,concepts,linked_{LINKS}\npodagra,X:2,{ANSWER}\n")
    [mention] = (mention for document in read(path, column="dx") for mention in document.mentions)
    assert (mention.concepts, mention.source) == (("X:2",), "gold")


@pytest.mark.parametrize(
    "columns", [f"dx,{LINKS}", "dx,concepts,name,probability,score,linked_matched,linked_origin"]
)
def test_it_is_refused_in_place_of_gold_whatever_its_columns_are_called(tmp_path: Path, columns: str) -> None:
    with pytest.raises(DataError, match="holds links that linnet made"):
        list(read(file(tmp_path, f"{columns}\npodagra,{ANSWER}\n"), column="dx", annotated=True))


def test_a_corrected_table_is_written_without_the_earlier_answer(tmp_path: Path) -> None:
    documents = read(file(tmp_path, f"id,dx,{LINKS},checked\n7,podagra,{ANSWER},no\n"), column="dx")
    corrected = [d.with_mentions([replace(m, concepts=("X:9",)) for m in d.mentions]) for d in documents]
    write(corrected, tmp_path / "out.csv", format="table")
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == "id,dx,concepts,checked\n7,podagra,X:9,no\n"


def records() -> dict[str, dict[str, Any]]:
    answer = {
        "text": "gout", "concepts": ["X:1"], "name": "Gout", "probability": 0.93, "origin": "override",
        "candidates": [{"concept": "X:1", "name": "Gout", "score": 1.0, "origin": "exact"}],
    }  # fmt: skip
    return {
        "jsonl": {
            "id": "1",
            "text": "gout",
            "mentions": [{"start": 0, "end": 4, "type": "", "note": "kept", **answer}],
        },
        "mentions": {"id": "1", "document": "1", "note": "kept", **answer},
    }


@pytest.mark.parametrize("format", ["jsonl", "mentions"])
def test_its_json_becomes_predictions_without_the_earlier_answer(tmp_path: Path, format: str) -> None:
    [document] = map(
        as_predictions, read(file(tmp_path, json.dumps(records()[format]), "a.jsonl"), format=format)
    )
    [mention] = document.mentions
    assert (mention.source, mention.confidence, mention.concepts) == ("linnet", 0.93, ("X:1",))
    write(
        [document.with_mentions([replace(mention, concepts=("X:9",))])], tmp_path / "out.jsonl", format=format
    )
    out = (tmp_path / "out.jsonl").read_text(encoding="utf-8")
    assert "X:9" in out
    assert "kept" in out
    assert not any(field in out for field in ("Gout", "candidates", "probability", "override"))


def test_what_a_person_has_made_of_it_stays_theirs(tmp_path: Path) -> None:
    record = records()["jsonl"]
    record["mentions"][0] |= {"source": "user"}
    [document] = map(as_predictions, read(file(tmp_path, json.dumps(record), "a.jsonl")))
    assert (document.mentions[0].source, document.mentions[0].confidence) == ("user", None)

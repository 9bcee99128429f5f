"""The mention format: one mention a line."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest

from linnet.corpora import detect, read
from linnet.corpora.mentions import read_mentions, write_mentions
from linnet.errors import DataError
from linnet.types import Document, Mention


def file(tmp_path: Path, *records: object) -> Path:
    path = tmp_path / "some.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_each_line_is_a_document_made_of_the_mention_and_its_context(tmp_path: Path):
    record = {
        "id": "m1",
        "text": "AT",
        "left": "ataxia (",
        "right": "), a",
        "document": "9",
        "type": "Disease",
    }
    (document,) = read_mentions(file(tmp_path, record))
    (mention,) = document.mentions
    assert (document.id, document.text) == ("9", "ataxia (AT), a")
    assert (mention.left, mention.text, mention.right, mention.type) == ("ataxia (", "AT", "), a", "Disease")
    assert mention.extra["id"] == "m1"


def test_only_the_text_is_needed_and_the_line_number_is_the_id(tmp_path: Path):
    first, second = read_mentions(file(tmp_path, {"text": "gout"}, {"text": "AT", "concept": "D000001"}))
    assert (first.id, second.id, second.mentions[0].extra["id"]) == ("1", "2", "2")
    assert second.mentions[0].concepts == ("MESH:D000001",)


def test_mentions_of_one_document_share_its_id(tmp_path: Path):
    path = file(
        tmp_path, {"id": "a", "text": "gout", "document": "9"}, {"id": "b", "text": "AT", "document": "9"}
    )
    assert [d.id for d in read(path)] == ["9", "9"]


def test_a_repeated_mention_id_is_refused(tmp_path: Path):
    path = file(tmp_path, {"id": "a", "text": "gout", "left": ""}, {"id": "a", "text": "AT", "left": ""})
    with pytest.raises(DataError, match="mention id 'a' occurs twice") as caught:
        list(read(path))
    assert caught.value.line == 2


def test_a_key_that_occurs_twice_is_refused_with_its_line(tmp_path: Path):
    path = tmp_path / "some.jsonl"
    path.write_text('{"text": "gout"}\n{"text": "gout", "text": "asthma"}\n', encoding="utf-8")
    with pytest.raises(DataError, match="the key 'text' occurs twice in an object") as refused:
        list(read_mentions(path))
    assert refused.value.line == 2
    assert "at column" not in str(refused.value)


def test_an_empty_mention_is_refused(tmp_path: Path):
    with pytest.raises(DataError, match="text is empty"):
        list(read_mentions(file(tmp_path, {"text": " "})))


def test_reading_what_was_written_gives_the_same_mentions(tmp_path: Path):
    records = [
        {
            "id": "m1",
            "text": "AT",
            "left": "see (",
            "right": ")",
            "document": "9",
            "type": "Disease",
            "note": "kept",
        },
        {"id": "m2", "text": "gout", "left": "", "right": "", "concepts": ["MESH:D000001", "MESH:D000002"]},
        {"id": "m3", "text": "gout", "left": "", "right": "", "concepts": "MESH:D000001+OMIM:100100"},
    ]
    assert not write_mentions(read_mentions(file(tmp_path, *records)), tmp_path / "out")
    assert [json.loads(line) for line in (tmp_path / "out").read_text().splitlines()] == records


def test_mentions_of_a_document_are_written_with_their_sentence(tmp_path: Path):
    text = "Gout hurts. Then AT came. It left."
    document = Document("9", text, (Mention(Document("9", text), 17, 19, "AT", "Disease"),))
    losses = write_mentions([document], tmp_path / "out")
    assert json.loads((tmp_path / "out").read_text()) == {
        "id": "9:17-19",
        "text": "AT",
        "left": "Then ",
        "right": " came.",
        "document": "9",
        "type": "Disease",
    }
    assert "text outside the sentences with mentions, in documents" in losses.counts


@pytest.mark.data
def test_medmentions_train_is_read(data: Path):
    path = data / "corpora" / "medmentions-st21pv" / "train.jsonl.gz"
    assert detect(path) == "mentions"
    documents = list(islice(read(path), 3000))
    assert len(documents) == 3000
    assert all(d.mentions[0].concepts[0].startswith("UMLS:C") for d in documents)


def test_two_mentions_of_one_span_get_ids_of_their_own(tmp_path: Path):
    home = Document("9", "gout")
    document = home.with_mentions([Mention(home, 0, 4, "gout", type) for type in ("Disease", "Finding")])
    write_mentions([document], tmp_path / "out")
    assert [d.mentions[0].extra["id"] for d in read(tmp_path / "out", format="mentions")] == [
        "9:0-4",
        "9:0-4#2",
    ]

"""Corpora as training data: what is used, what is left out, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from linnet.errors import DataError, RequestError
from linnet.terminology import Terminology, write_terminology
from linnet.train.corpus import TableColumns, linked_mentions, read_mentions
from linnet.types import Concept, Document, Mention

CONCEPTS = [
    Concept("T:1", "ataxia telangiectasia"),
    Concept("T:2", "gout", ("podagra",)),
    Concept("T:9", "", replaced_by=("T:2",)),
    Concept("T:8", "", replaced_by=("T:1", "T:2")),
]


@pytest.fixture
def terminology(tmp_path: Path) -> Terminology:
    return write_terminology(CONCEPTS, tmp_path / "t")


def mention(text: str, *concepts: str, document: Document | None = None, start: int = 0) -> Mention:
    return Mention(document or Document("", text), start, start + len(text), text, "Disease", concepts)


def test_mentions_with_one_known_concept_are_used_and_the_others_are_counted(
    terminology: Terminology,
) -> None:
    mentions = [
        mention("podagra", "T:2"),
        mention("old gout", "T:9"),
        mention("gout with ataxia", "T:1", "T:2"),
        mention("nothing"),
        mention("flu", "X:1"),
        mention("split", "T:8"),
    ]
    linked = linked_mentions(mentions, terminology)
    assert linked.texts == ("podagra", "old gout")
    assert [terminology.ids[row] for row in linked.concepts] == ["T:2", "T:2"]
    assert linked.describe() == (
        "2 mentions (left out: 1 without a concept, 2 with several concepts, 1 unknown to the terminology)"
    )


def test_abbreviations_of_the_document_are_spelt_out(terminology: Terminology) -> None:
    document = Document("1", "We studied ataxia telangiectasia (AT) in children. AT is rare.")
    linked = linked_mentions([mention("AT", "T:1", document=document, start=51)], terminology)
    assert linked.texts == ("ataxia telangiectasia",)


def test_a_corpus_of_other_ids_is_refused_with_both_kinds_shown(terminology: Terminology) -> None:
    with pytest.raises(DataError, match=r"none of 2 mentions.*2 unknown.*look like T:1, T:2.*MESH:D006073"):
        linked_mentions([mention("gout", "MESH:D006073")] * 2, terminology)


def test_corpora_are_read_with_a_digest_of_their_content(tmp_path: Path) -> None:
    def write(name: str, text: str) -> Path:
        row = {"text": text, "type": "Disease", "concepts": ["T:2"]}
        (tmp_path / name).write_text(json.dumps(row) + "\n", encoding="utf-8")
        return tmp_path / name

    one, other = write("a.jsonl", "gout"), write("b.jsonl", "podagra")
    mentions, digest = read_mentions([one, other], format="mentions")
    assert [m.text for m in mentions] == ["gout", "podagra"]
    assert read_mentions([one, other], format="mentions")[1] == digest
    assert read_mentions([one], format="mentions")[1] != digest


def test_a_corpus_without_mentions_of_the_type_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"text": "gout", "type": "Disease", "concepts": ["T:2"]}\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"a\.jsonl: no mention of type Chemical"):
        read_mentions([file], types=["Chemical"], format="mentions")


def test_a_table_of_mentions_with_concepts_is_training_data(tmp_path: Path) -> None:
    (tmp_path / "phrases.tsv").write_text("phrase\tconcept\tname\nthe quags\tx:1\tfen\nhm\t-1\t\n")
    mentions, _ = read_mentions([tmp_path / "phrases.tsv"])
    assert [(m.text, m.concepts) for m in mentions] == [("the quags", ("x:1",)), ("hm", ())]


def test_columns_of_a_table_are_named_where_they_have_other_names(tmp_path: Path) -> None:
    path = tmp_path / "phrases.tsv"
    path.write_text("said\tcode\nthe gout\t2\nwobbly\t1\n")
    with pytest.raises(RequestError, match="which column holds"):
        read_mentions([path])
    columns = TableColumns(column="said", concept_column="code", concept_prefix="T")
    mentions, with_columns = read_mentions([path], columns=columns)
    assert [(m.text, m.concepts) for m in mentions] == [("the gout", ("T:2",)), ("wobbly", ("T:1",))]
    other = TableColumns(column="said", concept_column="code", concept_prefix="U")
    assert read_mentions([path], columns=other)[1] != with_columns

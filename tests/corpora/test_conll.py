"""CoNLL / IOB2."""

from __future__ import annotations

from pathlib import Path

import pytest

from linnet.corpora import detect, read, write
from linnet.errors import DataError
from linnet.types import Document, Mention


def file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "some.conll"
    path.write_bytes(text.encode())
    return path


def found(document: Document) -> list[tuple[str, str]]:
    return [(m.text, m.type) for m in document.mentions]


def test_tokens_are_joined_by_spaces_and_sentences_by_line_breaks(tmp_path: Path):
    path = file(tmp_path, "Acute B-Disease\ngout I-Disease\nhurts O\n\nColchicine B-Chemical\nhelps O\n")
    assert detect(path) == "conll"
    (document,) = read(path)
    assert (document.id, document.text) == ("1", "Acute gout hurts\nColchicine helps")
    assert found(document) == [("Acute gout", "Disease"), ("Colchicine", "Chemical")]


@pytest.mark.parametrize(
    "tags",
    ["B-D I-D B-D O", "I-D I-D B-D O", "B-D E-D S-D O", "B-D L-D U-D O"],
)
def test_other_tagging_schemes_are_understood(tmp_path: Path, tags: str):
    rows = "".join(f"{token}\t{tag}\n" for token, tag in zip("abcd", tags.split(), strict=True))
    assert [m.text for m in next(read(file(tmp_path, rows), format="conll")).mentions] == ["a b", "c"]


def test_a_mention_does_not_cross_a_sentence_border(tmp_path: Path):
    assert found(next(read(file(tmp_path, "a\tB-D\n\nb\tI-D\n")))) == [("a", "D"), ("b", "D")]


def test_documents_are_separated_and_named(tmp_path: Path):
    path = file(tmp_path, "-DOCSTART- -X- O\n\na\tO\n\n-DOCSTART-\tPMID 7\tO\n\nb\tB\n")
    assert [(d.id, d.text, found(d)) for d in read(path)] == [("1", "a", []), ("PMID 7", "b", [("b", "")])]


def test_columns_between_token_and_tag_are_written_back(tmp_path: Path):
    text = "-DOCSTART-\t7\tO\n\nGout\tNN\tx\tB-Disease\nhurts\tVB\ty\tO\n\nIt\tPR\tz\tO\n\n"
    losses = write(read(file(tmp_path, text)), tmp_path / "out", format="conll")
    assert not losses
    assert (tmp_path / "out").read_text() == text


def test_running_text_is_tokenised_and_cut_at_the_borders_of_mentions(tmp_path: Path):
    text = "Non-gout (α-thalassaemia). It's over."
    home = Document("7", text)
    spans = [(4, 8, "Disease"), (10, 24, "Disease"), (12, 24, "Disease")]
    document = home.with_mentions([Mention(home, s, e, text[s:e], t, ("MESH:D000001",)) for s, e, t in spans])
    losses = write([document], tmp_path / "out", format="conll")
    assert losses.counts == {
        "concepts of mentions": 3,
        "overlapping mentions": 1,
        "white space and sentence borders, in documents": 1,
    }
    (back,) = read(tmp_path / "out")
    assert back.text == "Non - gout ( α - thalassaemia ) .\nIt ' s over ."
    assert found(back) == [("gout", "Disease"), ("α - thalassaemia", "Disease")]


def test_a_mention_across_sentences_stays_one(tmp_path: Path):
    text = "Hit by St. Gout. Vitus came."
    home = Document("7", text)
    document = home.with_mentions([Mention(home, 11, 22, text[11:22], "D")])
    write([document], tmp_path / "out", format="conll")
    assert found(next(read(tmp_path / "out"))) == [("Gout . Vitus", "D")]


@pytest.mark.parametrize("row", ["b", "b\tX-Disease", "b\tNN\tO", "\tO"])
def test_malformed_rows_are_refused_with_the_line_and_spoil_only_their_document(tmp_path: Path, row: str):
    path = file(tmp_path, f"a\tO\n{row}\n\n-DOCSTART-\t2\tO\nc\tO\n")
    with pytest.raises(DataError, match="expected a token and a tag") as caught:
        list(read(path, format="conll"))
    assert caught.value.line == 2
    assert [d.id for d in read(path, format="conll", on_error="skip")] == ["2"]

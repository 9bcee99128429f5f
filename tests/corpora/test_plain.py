"""Plain text files and folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from linnet.corpora import read, write
from linnet.errors import DataError, RequestError
from linnet.types import Document


def test_a_file_is_one_document_named_for_it(tmp_path: Path):
    (tmp_path / "note.txt").write_bytes("Gout,\r\nα-thalassaemia\n".encode())
    assert list(read(tmp_path / "note.txt")) == [Document("note", "Gout,\r\nα-thalassaemia\n")]


def test_each_line_is_a_document_if_wished(tmp_path: Path):
    (tmp_path / "names.txt").write_text("gout\n\nAT\u2028x\n")
    assert list(read(tmp_path / "names.txt", by_line=True)) == [
        Document("1", "gout"),
        Document("3", "AT\u2028x"),
    ]


def test_a_folder_holds_a_document_per_file_by_name(tmp_path: Path):
    for name in ("b", "a"):
        (tmp_path / f"{name}.txt").write_text(f"text {name}")
    assert [d.id for d in read(tmp_path)] == ["a", "b"]


def test_a_file_of_spaces_or_of_other_encoding_is_refused_and_can_be_skipped(tmp_path: Path):
    (tmp_path / "a.txt").write_text(" \n")
    (tmp_path / "b.txt").write_bytes(b"caf\xe9")
    (tmp_path / "c.txt").write_text("gout")
    with pytest.raises(DataError, match="has no text"):
        list(read(tmp_path))
    reported: list[DataError] = []
    assert [d.id for d in read(tmp_path, on_error="skip", report=reported.append)] == ["c"]
    assert [Path(str(error.path)).name for error in reported] == ["a.txt", "b.txt"]


def test_documents_are_written_to_a_folder_and_read_back(tmp_path: Path):
    documents = [Document("1/2", "Gout\r\n"), Document("..", "AT"), Document("é", "x")]
    write(documents, tmp_path / "folder", format="text")
    assert {d.text for d in read(tmp_path / "folder")} == {"Gout\r\n", "AT", "x"}


def test_several_documents_do_not_fit_one_file_which_is_left_alone(tmp_path: Path):
    target = tmp_path / "one.txt"
    target.write_text("before")
    with pytest.raises(RequestError, match="Name a folder"):
        write([Document("1", "a"), Document("2", "b")], target, format="text")
    assert target.read_text() == "before"


def test_a_folder_with_files_in_it_is_not_replaced(tmp_path: Path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "diary").write_text("dear")
    for format in ("text", "brat"):
        with pytest.raises(RequestError, match="Name a new folder"):
            write([Document("1", "a")], tmp_path / "mine", format=format)
    assert (tmp_path / "mine" / "diary").read_text() == "dear"


def test_a_repeated_document_is_written_once_and_another_of_its_id_refused(tmp_path: Path):
    for format in ("text", "brat"):
        losses = write([Document("1", "a"), Document("1", "a")], tmp_path / format, format=format)
        assert losses.counts == {"repetitions of a document": 1}
        with pytest.raises(DataError, match="two documents have the id '1'"):
            write([Document("1", "a"), Document("1", "b")], tmp_path / f"{format}2", format=format)


def test_a_text_that_begins_like_a_byte_order_mark_keeps_its_offsets(tmp_path: Path):
    write([Document("1", "\ufeffgout")], tmp_path / "1.txt", format="text")
    assert next(read(tmp_path / "1.txt")).text == "\ufeffgout"

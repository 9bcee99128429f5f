"""Cells with line ends survive a table."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from linnet import corpora
from linnet.jobs.outputs.mappings import write_omop, write_sssom
from linnet.link.linker import Linked
from linnet.types import Candidate, Document, Link, Mention


@pytest.mark.parametrize("name", ["out.csv", "out.tsv"])
@pytest.mark.parametrize("text", ["gout\rasthma", "gout\r\nasthma", "gout\nasthma", 'gout "x"\r', "gout"])
def test_a_cell_with_line_ends_is_one_row(tmp_path: Path, name: str, text: str) -> None:
    document = Document("1", text, (Mention(Document("1", text), 0, len(text), text, "Disease", ("T:1",)),))
    corpora.write([document], tmp_path / name, format="table")
    [read] = corpora.read(tmp_path / name)
    assert read.text.split() == text.split()
    assert (tmp_path / name).read_bytes().endswith(b"\n")
    assert not (tmp_path / name).read_bytes().endswith(b"\r\n")


@pytest.mark.parametrize("text", ["gout\rasthma", "gout\r\nasthma", "gout\nasthma"])
def test_a_mapping_of_a_text_with_line_ends_is_one_row(tmp_path: Path, text: str) -> None:
    document = Document("1", text, (Mention(Document("1", text), 0, len(text), text, "Disease"),))
    mention = document.mentions[0]
    link = Link(mention, ("OMOP:440674",), "Gout", 0.9, (Candidate("OMOP:440674", "Gout", 1.0, "exact"),))
    for write, delimiter in ((write_sssom, "\t"), (write_omop, ",")):
        place = tmp_path / "out"
        write([Linked(document, [link])], place)
        with place.open(encoding="utf-8", newline="") as stream:
            lines = (line for line in stream if not line.startswith("#"))
            _, row = csv.reader(lines, delimiter=delimiter)
        assert text in row

"""Cells with line ends survive a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from linnet import corpora
from linnet.types import Document, Mention


@pytest.mark.parametrize("name", ["out.csv", "out.tsv"])
@pytest.mark.parametrize("text", ["gout\rasthma", "gout\r\nasthma", "gout\nasthma", 'gout "x"\r', "gout"])
def test_a_cell_with_line_ends_is_one_row(tmp_path: Path, name: str, text: str) -> None:
    document = Document("1", text, (Mention(Document("1", text), 0, len(text), text, "Disease", ("T:1",)),))
    corpora.write([document], tmp_path / name, format="table")
    [read] = corpora.read(tmp_path / name)
    assert read.text.split() == text.split()
    assert (tmp_path / name).read_bytes().endswith(b"\n")
    assert not (tmp_path / name).read_bytes().endswith(b"\r\n")

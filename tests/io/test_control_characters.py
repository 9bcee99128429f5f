"""Control characters are written as spaces, so that the file is not taken for a binary one."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from linnet import corpora
from linnet.formats.head import CONTROL_CODES
from linnet.formats.kinds import kind_of
from linnet.io import control_characters
from linnet.jobs.outputs import write_links
from linnet.link.linker import Linked
from linnet.types import Document, Link, Mention

TEXT = "Gout\0and\x01asthma."


def test_the_examples_hold() -> None:
    assert doctest.testmod(control_characters).failed == 0


def test_each_such_character_alone_is_refused_by_readers_of_a_short_text() -> None:
    assert all(kind_of(b"gout" + bytes([code])) for code in CONTROL_CODES)
    assert not any(kind_of(b"gout" + bytes([code])) for code in range(128) if code not in CONTROL_CODES)


@pytest.mark.parametrize("name", ["out.pubtator", "folder", "out.csv", "out.tsv", "out.conll", "out.txt"])
def test_a_file_with_them_is_read_back_and_the_loss_is_counted(tmp_path: Path, name: str) -> None:
    formats = {"folder": "brat", "out.csv": "table", "out.tsv": "table", "out.txt": "text"}
    format = formats.get(name) or name.removeprefix("out.")
    home = Document("1", TEXT)
    document = home.with_mentions([Mention(home, 0, 15, TEXT[:15], "Disease", ("MESH:D006073",))])
    losses = corpora.write([document], tmp_path / name, format=format)
    assert losses.counts["texts with control characters (now spaces)"] == 1
    (read,) = corpora.read(tmp_path / name, format=format)
    assert "Gout and asthma" in read.text.replace("\n", " ")


@pytest.mark.parametrize("format", ["csv", "tsv", "sssom"])
def test_links_are_written_without_them(tmp_path: Path, format: str) -> None:
    mention = Mention(Document("1", TEXT), 0, 15, TEXT[:15], "Disease")
    link = Link(mention, ("MESH:D006073",), "Gout")
    write_links([Linked(mention.document, [link])], tmp_path / "out", format=format)
    assert b"Gout and asthma" in (tmp_path / "out").read_bytes()

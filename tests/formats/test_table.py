"""The tables of formats and refusals: every row can be used."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from linnet.formats import Format, Head, formats
from linnet.formats import table as module
from linnet.registry import imported

USES = ("terminology", "corpus", "links")
ROWS = [format for use in USES for format in formats(use).values()]
REFUSALS = [
    line.split("\t")
    for line in (Path(module.__file__).with_name("refusals.tsv")).read_text("utf-8").splitlines()
    if not line.startswith("#")
]
TRAITS = {"unannotated", "shared-ids", "numbered", "tool", "binary", "assertion", "table", "mapping"}


@pytest.mark.parametrize("format", ROWS, ids=lambda format: f"{format.use}-{format.name}")
def test_a_format_has_a_title_and_a_reader_or_writer_that_exist(format: Format) -> None:
    assert format.title
    assert format.traits <= TRAITS
    for function in filter(None, (format.reader, format.writer)):
        assert callable(imported(function))
    assert format.reader or format.writer or format.name == "csv"  # which the annotation tool writes


def test_names_are_told_apart_within_a_use_and_endings_ask_for_one_format() -> None:
    assert len({(format.use, format.name) for format in ROWS}) == len(ROWS)
    asked = [format.asked_by for format in ROWS if format.asked_by]
    assert sorted(asked) == sorted(set(asked))


@pytest.mark.parametrize("format", ROWS, ids=lambda format: f"{format.use}-{format.name}")
@pytest.mark.parametrize("content", [b"", b"\x00\x01", b"Gout hurts.\n", b"{", b"[[", b"<", b"a\tb\n1\t2\n"])
def test_no_format_is_proven_by_what_says_nothing(format: Format, content: bytes) -> None:
    assert not format.fits(Head(content, whole=True))


@pytest.mark.parametrize("row", REFUSALS, ids=lambda row: "-".join(row[:2])[:60])
def test_a_refusal_has_a_sign_a_name_and_a_step(row: list[str]) -> None:
    sign, pattern, *cells = row
    if sign == "advice":
        assert any(pattern in other[3:] for other in REFUSALS)
        return
    name, *steps = cells
    assert name
    assert any(steps)
    assert len(steps) <= 2
    if sign in ("packed", "bytes", "word"):
        re.compile(pattern.encode("latin-1"))
    elif sign in ("text", "annotated", "late", "first"):
        re.compile(pattern)


def test_a_format_is_named_by_its_files_in_a_folder_or_alone() -> None:
    known = formats("terminology")
    assert known["umls"].owns("mrconso.rrf", alone=True)
    assert known["mesh"].owns("desc2026.xml")
    assert not known["mesh"].owns("desc2026.xml", alone=True)

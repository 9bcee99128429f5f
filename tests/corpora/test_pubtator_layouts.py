"""PubTator as other tools and people write it: relations, blocks, odd order, other ways of counting."""

from __future__ import annotations

from pathlib import Path

import pytest

from linnet.corpora import Notes, read, write
from linnet.errors import DataError
from linnet.types import Mention


def file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "some.PubTator.txt"
    path.write_bytes(text.encode())
    return path


# Rows that are no mentions ----------------------------------------------------------------------------------------------


RELATIONS = [
    "Association\tD000001\t1234\tNovel",
    "Association\t672\t1234\tNovel",
    "Positive_Correlation\t672\tD000001\tNo",
    "672\tD000001\tAssociation",
    "672\tD000001\tAssociation\tNovel",
    "672\t1234\tAssociation",
    "CID\tD000001\tD000002\t\t",
    "CID\tD000001\tD000002\t0.9\tGout\tataxia",
    "CID\tD000001",
]


@pytest.mark.parametrize("relation", RELATIONS)
def test_rows_without_offsets_are_relations_and_written_back(tmp_path: Path, relation: str):
    path = file(tmp_path, f"11|t|Gout and ataxia\n11|a|\n11\t{relation}\n11\t0\t4\tGout\tDisease\tD000001\n")
    (document,) = read(path)
    assert document.extra["pubtator"]["relations"] == [relation]
    assert [m.text for m in document.mentions] == ["Gout"]
    assert not write([document], tmp_path / "out", format="pubtator")
    assert (tmp_path / "out").read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("0\tfour\tGout\tDisease\tD000001", "'0' and 'four' as start and end"),
        ("zero\t4\tGout\tDisease\tD000001", "'zero' and '4' as start and end"),
        ("0.0\t4.0\tGout\tDisease\tD000001", "'0.0' and '4.0' as start and end"),
        ("nan\tnan\tGout\tDisease\tD000001", "'nan' and 'nan'"),
        ("-4\t0\tGout\tDisease\tD000001", "'-4' and '0'"),
        (f"0\t{'9' * 5000}\tGout\tDisease\tD000001", "as start and end"),
        ("Gout\t0\t4\tDisease\tD000001", "the offsets in columns 3 and 4"),
        ("Disease\tD000001\tGout\t0\t4", "the offsets in columns 5 and 6"),
        ("0\t4\tGout", "4 columns"),
        ("0", "2 columns"),
    ],
)
def test_mentions_with_damaged_offsets_are_no_relations(tmp_path: Path, row: str, says: str):
    with pytest.raises(DataError, match=says) as caught:
        list(read(file(tmp_path, f"1|t|Gout\n1|a|is bad\n1\t{row}\n")))
    assert caught.value.line == 3


# Where the abstract begins ----------------------------------------------------------------------------------------------

GOUT = "1\t{}\t{}\tGout\tDisease\tD000001"
LUNG = "1\t{}\t{}\tlung\tDisease\tD000002"


@pytest.mark.parametrize(
    ("title", "abstract", "rows", "text"),
    [
        ("Gout hurts ", "A lung.", [(0, 4), (13, 17)], "Gout hurts A lung."),
        ("Gout hurts ", "A lung.", [(0, 4), (14, 18)], "Gout hurts  A lung."),
        ("Gout hurts   ", "A lung.", [(0, 4), (13, 17)], "Gout hurts A lung."),
        ("Gout hurts ", "A lung.", [(0, 4)], "Gout hurts  A lung."),
        ("Gout hurts ", "", [(0, 4)], "Gout hurts "),
        ("", "Gout or lung.", [(1, 5), (9, 13)], " Gout or lung."),
        ("", "Gout or lung.", [(0, 4), (8, 12)], "Gout or lung."),
    ],
)
def test_the_offsets_tell_where_the_abstract_begins(
    tmp_path: Path, title: str, abstract: str, rows: list[tuple[int, int]], text: str
):
    shown = [shape.format(*row) for shape, row in zip((GOUT, LUNG), rows, strict=False)]
    path = file(tmp_path, "\n".join([f"1|t|{title}", f"1|a|{abstract}", *shown, ""]))
    (document,) = read(path)
    assert (document.text, [m.text for m in document.mentions]) == (text, ["Gout", "lung"][: len(rows)])
    assert not write([document], tmp_path / "out", format="pubtator")
    assert (tmp_path / "out").read_bytes() == path.read_bytes()


def test_a_wrong_row_does_not_move_the_abstract(tmp_path: Path):
    rows = [GOUT.format(0, 4), LUNG.format(13, 17), LUNG.format(14, 18)]
    reported: list[DataError] = []
    path = file(tmp_path, "\n".join(["1|t|Gout hurts ", "1|a|A lung.", *rows[:2], rows[1], rows[2], ""]))
    (document,) = read(path, on_error="skip", report=reported.append)
    assert [m.start for m in document.mentions] == [0, 13, 13]
    assert [error.line for error in reported] == [6]


# Blocks and passages ----------------------------------------------------------------------------------------------------

FIRST = ["1|t|Gout", "1|a|It hurts.", GOUT.format(0, 4), ""]


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (LUNG.format(2, 6), "Gout It hurts. A lung and Gout too"),
        (LUNG.format(17, 21), "Gout It hurts. A lung and Gout too"),
    ],
)
def test_blocks_of_one_id_are_passages_of_one_document(tmp_path: Path, row: str, text: str):
    path = file(tmp_path, "\n".join([*FIRST, "1|t|A lung", "1|a|and Gout too", row, "", "2|t|Next", ""]))
    notes = Notes()
    document, after = read(path, note=notes.add)
    assert (document.text, after.id) == (text, "2")
    assert [(m.start, m.text) for m in document.mentions] == [(0, "Gout"), (17, "lung")]
    assert notes.lines() == ["1 document written in several blocks of one id, whose texts were joined"]
    assert not write([document, after], tmp_path / "out", format="pubtator")
    assert (tmp_path / "out").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("row", [GOUT.format(8, 12), GOUT.format(23, 27)])
def test_other_mentions_of_a_document_in_blocks_are_written_under_their_block(tmp_path: Path, row: str):
    path = file(tmp_path, "\n".join([*FIRST, "1|t|A", "1|a|lung, Gout", row, ""]))
    (document,) = read(path)
    more = [Mention(document, 17, 21, "lung", "Disease"), *document.mentions]
    write([document.with_mentions(more)], tmp_path / "out", format="pubtator")
    (again,) = read(tmp_path / "out")
    assert again.text == document.text
    assert [(m.start, m.text) for m in again.mentions] == [(0, "Gout"), (17, "lung"), (23, "Gout")]


def test_blocks_that_can_be_read_in_two_ways_are_refused(tmp_path: Path):
    path = file(tmp_path, "\n".join(["1|t|So it", "", "1|t|aaaaaaaaaaaaaaaa", "1\t7\t8\ta\tX", ""]))
    with pytest.raises(DataError, match="are ambiguous"):
        list(read(path))


@pytest.mark.parametrize("letter", ["b", "p", "abstract"])
def test_passages_with_other_letters_are_joined_and_written_back(tmp_path: Path, letter: str):
    path = file(tmp_path, f"1|t|Gout\n1|a|It hurts.\n1|{letter}|A lung.\n{LUNG.format(17, 21)}\n")
    (document,) = read(path)
    assert (document.text, document.mentions[0].text) == ("Gout It hurts. A lung.", "lung")
    assert not write([document], tmp_path / "out", format="pubtator")
    assert (tmp_path / "out").read_bytes() == path.read_bytes()


def test_bars_in_rows_and_texts_make_no_passages(tmp_path: Path):
    rows = ["1\t0\t4\tGout\tMutation\tc|SUB|T|920|G;Gene:1", GOUT.format(0, 4)]
    path = file(tmp_path, "\n".join(["1|t|Gout |a| or |t| not", *rows, ""]))
    (document,) = read(path)
    assert (document.text, len(document.mentions)) == ("Gout |a| or |t| not", 2)


# Odd order, blank lines, line ends --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "lines",
    [
        ["1|t|Gout", "1|a|It hurts.", "", GOUT.format(0, 4), "", "2|t|Next"],
        ["1|t|Gout", "", "1|a|It hurts.", GOUT.format(0, 4), "2|t|Next"],
        ["1|t|Gout", GOUT.format(0, 4), "1|a|It hurts.", "", "2|t|Next"],
        [GOUT.format(0, 4), "1|t|Gout", "1|a|It hurts.", "", "2|t|Next"],
        ["2|t|Next", "", GOUT.format(0, 4), "", "1|t|Gout", "1|a|It hurts.", ""],
        ["1|t|Gout", "1|a|It hurts.", "1\tCID\tA\tB", "", "", GOUT.format(0, 4), "", "", "2|t|Next", "", ""],
    ],
)
@pytest.mark.parametrize("end", ["", "\n"])
def test_order_and_blank_lines_do_not_matter_and_are_written_back(tmp_path: Path, lines: list[str], end: str):
    path = file(tmp_path, "\n".join(lines) + end)
    found = {document.id: document for document in read(path, format="pubtator")}
    assert {id: document.text for id, document in found.items()} == {"1": "Gout It hurts.", "2": "Next"}
    assert [m.text for m in found["1"].mentions] == ["Gout"]
    assert not write(found.values(), tmp_path / "out", format="pubtator")
    assert (tmp_path / "out").read_bytes() == path.read_bytes()


def test_line_ends_of_windows_and_byte_order_marks_are_dropped(tmp_path: Path):
    path = tmp_path / "some.txt"
    one = f"\ufeff1|t|Gout\r\n1|a|It hurts.\r\n{GOUT.format(0, 4)}\r\n\r\n"
    path.write_bytes((one + one.replace("1|", "2|").replace("1\t", "2\t")).encode())
    assert [(d.id, d.text, len(d.mentions)) for d in read(path)] == [
        ("1", "Gout It hurts.", 1),
        ("2", "Gout It hurts.", 1),
    ]


def test_carriage_returns_alone_are_refused_with_the_command_that_helps(tmp_path: Path):
    path = file(tmp_path, f"1|t|Gout\r1|a|It hurts.\r{GOUT.format(0, 4)}\r")
    with pytest.raises(DataError, match=r"tr '\\r' '\\n' < FILE > NEW"):
        list(read(path))


def test_spaces_instead_of_tabs_are_refused_with_advice(tmp_path: Path):
    for row in ("1 0 4 Gout Disease D000001", "1 0 4 Gout Mutation c|SUB|T|920|G"):
        with pytest.raises(DataError, match=r"separated by spaces\. Put tabs between columns") as caught:
            list(read(file(tmp_path, f"1|t|Gout\n1|a|x\n{row}\n")))
        assert caught.value.line == 3


def test_ids_of_no_known_vocabulary_are_kept_counted_and_written_back(tmp_path: Path):
    rows = ["1\t0\t4\tGout\tChemical\tlocal 7", "1\t0\t4\tGout\tSNP\ttmVar:c|SUB|T|920|G;Gene:1"]
    path = file(tmp_path, "\n".join(["1|t|Gout", *rows, GOUT.format(0, 4), ""]))
    notes = Notes()
    (document,) = read(path, note=notes.add)
    assert [m.concepts for m in document.mentions] == [
        ("local 7",),
        ("tmVar:c|SUB|T|920|G;Gene:1",),
        ("MESH:D000001",),
    ]
    assert notes.lines() == ["2 concept ids of no known vocabulary, kept as they are written"]
    assert not write([document], tmp_path / "out", format="pubtator")
    assert (tmp_path / "out").read_bytes() == path.read_bytes()

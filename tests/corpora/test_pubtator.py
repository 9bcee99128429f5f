"""PubTator with the habits of the NCBI disease, BC5CDR and MedMentions files."""

from __future__ import annotations

from pathlib import Path

import pytest

from linnet.corpora import read, write
from linnet.corpora.pubtator import read_pubtator, write_pubtator
from linnet.errors import DataError, OffsetError
from linnet.types import Document, Mention

INVENTED = """\
11|t|Gout and ataxia.
11|a|Lung and liver failure after colchicine.
11\t0\t4\tGout\tModifier\t D000001
11\t9\t15\tataxia\tSpecificDisease\tMESH:D000002
11\t17\t39\tLung and liver failure\tDisease\tD000003|D000004\tLung failure|liver failure
11\t46\t56\tcolchicine\tChemical\t-1
11\tCID\tD000005\tD000001

12|t|Both at once
12|a|
12\t0\t4\tBoth\tDiseaseClass\tD000001+OMIM:100100
12\t8\t12\tonce\tT047,T048\tUMLS:C0000001"""


def file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "some.PubTator.txt"
    path.write_bytes(text.encode())
    return path


def test_title_and_abstract_are_joined_so_that_offsets_hold(tmp_path: Path):
    first, second = read_pubtator(file(tmp_path, INVENTED))
    assert first.text == "Gout and ataxia. Lung and liver failure after colchicine."
    assert [m.text for m in first.mentions] == ["Gout", "ataxia", "Lung and liver failure", "colchicine"]
    assert (second.id, second.text, second.extra["title"]) == ("12", "Both at once", 12)


def test_ids_become_curies_and_no_concept_is_empty(tmp_path: Path):
    first, second = read_pubtator(file(tmp_path, INVENTED))
    assert [m.concepts for m in first.mentions] == [
        ("MESH:D000001",),
        ("MESH:D000002",),
        ("MESH:D000003", "MESH:D000004"),
        (),
    ]
    assert second.mentions[0].concepts == ("MESH:D000001", "OMIM:100100")
    assert second.mentions[1].concepts == ("UMLS:C0000001",)


def test_ncbi_classes_are_diseases_and_the_class_is_kept(tmp_path: Path):
    first, second = read_pubtator(file(tmp_path, INVENTED))
    assert [m.type for m in first.mentions] == ["Disease", "Disease", "Disease", "Chemical"]
    assert [m.extra.get("class") for m in first.mentions] == ["Modifier", "SpecificDisease", None, None]
    assert second.mentions[1].type == "T047,T048"


def test_combined_concepts_are_marked_and_parts_carried(tmp_path: Path):
    first, second = read_pubtator(file(tmp_path, INVENTED))
    assert second.mentions[0].extra["combined"] is True
    assert "combined" not in first.mentions[2].extra
    assert first.mentions[2].extra["parts"] == ["Lung failure", "liver failure"]


@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
@pytest.mark.parametrize("begin", ["", "\n"])
def test_what_was_read_is_written_byte_for_byte(tmp_path: Path, begin: str, end: str):
    path = file(tmp_path, begin + INVENTED + end.removesuffix("\n\n"))
    losses = write_pubtator(read_pubtator(path), tmp_path / "out")
    assert not losses
    assert (tmp_path / "out").read_bytes() == path.read_bytes()


def test_a_changed_concept_is_written_and_the_verbatim_field_is_not(tmp_path: Path):
    first, _ = read_pubtator(file(tmp_path, INVENTED))
    mention = first.mentions[0]
    relinked = Mention(first, 0, 4, "Gout", "Disease", ("MESH:D000009",), extra=mention.extra)
    write_pubtator([first.with_mentions([relinked])], tmp_path / "out")
    assert "11\t0\t4\tGout\tModifier\tD000009\n" in (tmp_path / "out").read_text()


def test_a_document_without_title_is_written_with_its_first_line_as_title(tmp_path: Path):
    text = "Gout\nIs it\ttreated?"
    document = Document("1", text, (Mention(Document("1", text), 5, 7, "Is", "Disease"),))
    losses = write_pubtator([document], tmp_path / "out")
    assert (tmp_path / "out").read_text() == "1|t|Gout\n1|a|Is it treated?\n1\t5\t7\tIs\tDisease\t-1\n"
    assert losses.counts == {"line breaks and tabs of the text (now spaces)": 1}


def test_a_title_that_follows_without_a_blank_line_starts_a_document(tmp_path: Path):
    path = file(tmp_path, "1|t|A\n1|a|B\n2|t|C\n2|a|D\n")
    assert [d.id for d in read_pubtator(path)] == ["1", "2"]
    write_pubtator(read_pubtator(path), tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("row", "line", "says"),
    [
        ("1\t0\t4\tGoat\tDisease\tD000001", 3, "says 'Goat'"),
        ("1\t5\t9\tGout\tDisease\tD000001", 3, "is at 0–4, 5 characters earlier"),
        ("1\t0\t5\tGout\tDisease\tD000001", 3, "ends at 4, not at 5"),
        ("1\t90\t94\tGout\tDisease\tD000001", 3, "outside the text of 11"),
        ("1\t4\t4\tGout\tDisease\tD000001", 3, "empty or runs backwards"),
    ],
)
def test_offsets_that_do_not_fit_are_refused_with_the_line(tmp_path: Path, row: str, line: int, says: str):
    with pytest.raises(OffsetError, match=says) as caught:
        list(read_pubtator(file(tmp_path, f"1|t|Gout\n1|a|is bad\n{row}\n")))
    assert caught.value.line == line


def test_offsets_in_other_units_are_recognised(tmp_path: Path):
    head = "1|t|😀é Gout here\n1|a|And gout\n"
    with pytest.raises(OffsetError, match="UTF-16 units"):
        list(read_pubtator(file(tmp_path, f"{head}1\t4\t8\tGout\tDisease\tD000001\n")))
    with pytest.raises(OffsetError, match="UTF-8 bytes"):
        list(read_pubtator(file(tmp_path, f"{head}1\t7\t11\tGout\tDisease\tD000001\n")))


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("1|t|Gout\n1|a|x\n1 0 4 Gout Disease D000001\n", 3, "tabs between columns"),
        ("1|t|Gout\n2|a|x\n", 2, "abstract of '2'"),
        ("1|t|Gout\n1|a|x\n2\t0\t4\tGout\tDisease\tD000001\n", 3, "row of '2'"),
        ("1|t|Gout\n1|a|x\n1\tzero\t4\tGout\tDisease\tD000001\n", 3, "expected ID, start"),
        ("1|t|Gout\n1|a|x\n1\t0\t4\n", 3, "got 3 columns"),
        ("1|a|Gout\n", 1, "title line"),
    ],
)
def test_malformed_rows_are_refused_with_the_line(tmp_path: Path, text: str, line: int, says: str):
    with pytest.raises(DataError, match=says) as caught:
        list(read_pubtator(file(tmp_path, text)))
    assert caught.value.line == line


def test_skipping_leaves_out_the_row_or_the_document_and_reports_it(tmp_path: Path):
    path = tmp_path / "bad.txt"
    path.write_bytes(
        b"1|t|Gout\n1|a|x\n1\t0\t4\tGoat\tDisease\tD000001\n1\t0\t4\tGout\tDisease\tD000001\n\n"
        b"2|t|caf\xe9\n2|a|x\n\n3|t|Fine\n3|a|x\n"
    )
    reported: list[DataError] = []
    documents = list(read(path, on_error="skip", report=reported.append))
    assert [(d.id, len(d.mentions)) for d in documents] == [("1", 1), ("3", 0)]
    assert [error.line for error in reported] == [3, 6]


def test_the_same_document_twice_is_kept_but_another_of_its_id_is_refused(tmp_path: Path):
    same, other = "1|t|Gout\n1|a|x\n\n", "2|t|Lung\n2|a|x\n\n"
    assert len(list(read(file(tmp_path, same + same)))) == 2
    with pytest.raises(DataError, match="'1' occurs again"):
        list(read(file(tmp_path, same + same.replace("x", "y"))))
    with pytest.raises(DataError, match="'1' occurs again"):
        list(read(file(tmp_path, same + other + same.replace("Gout", "Lung"))))


def test_ids_that_the_format_cannot_hold_are_listed_as_lost(tmp_path: Path):
    losses = write_pubtator([Document("a|b\tc", "Gout")], tmp_path / "out")
    assert losses.counts["exact document ids"] > 0
    assert next(read_pubtator(tmp_path / "out")).id == "a_b c"


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "documents", "mentions"),
    [
        ("ncbi-disease/NCBItrainset_corpus.txt", 593, 5145),
        ("ncbi-disease/NCBIdevelopset_corpus.txt", 100, 787),
        ("bc5cdr/CDR_TrainingSet.PubTator.txt", 500, 9385),
        ("bc5cdr/CDR_DevelopmentSet.PubTator.txt", 500, 9591),
    ],
)
def test_real_files_are_read_whole_and_written_byte_for_byte(
    data: Path, tmp_path: Path, name: str, documents: int, mentions: int
):
    path = data / "corpora" / name
    found = list(read(path))
    assert (len(found), sum(len(d.mentions) for d in found)) == (documents, mentions)
    assert not write(found, tmp_path / "out", format="pubtator")
    assert (tmp_path / "out").read_bytes() == path.read_bytes()
    prefixes = {c.partition(":")[0] for d in found for m in d.mentions for c in m.concepts}
    assert prefixes <= {"MESH", "OMIM"}


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "documents", "mentions"),
    [
        ("real-files/pubtator-central-dump/sample.txt", 12, 195),
        ("real-files/pubtator-ids/gnormplus.head.PubTator", 12, 190),
        ("corpora/tmvar3/tmVar3.PubTator", 303, 7039),
        ("corpora/nlm-chem/half.PubTator", 1518, 5550),
    ],
)
def test_files_of_other_tools_are_read_whole_and_written_byte_for_byte(
    data: Path, tmp_path: Path, name: str, documents: int, mentions: int
):
    found = list(read(data / name))
    assert (len(found), sum(len(d.mentions) for d in found)) == (documents, mentions)
    assert not write(found, tmp_path / "out", format="pubtator")
    assert (tmp_path / "out").read_bytes() == (data / name).read_bytes()

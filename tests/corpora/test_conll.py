"""CoNLL / IOB2."""

from __future__ import annotations

from pathlib import Path

import pytest

from linnet.corpora import Notes, detect, read, write
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


# Told by content, whatever the ending ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["dev.tsv", "dev.txt", "dev.csv", "dev.dat"])
@pytest.mark.parametrize(
    "rows",
    [
        "BRCA1\tO\nis\tO\n\nGout\tB-Disease\n",
        "It\tO\nhurts\tO\n\nmuch\tO\n",
        "Gout\tNN\tB_Disease\nhurts\tVB\tO\n",
        "# a comment\nGout\tB:Disease\nhurts\tO\n",
        "<ALL>\tO\nGout\tB-Disease\n</ALL>\tO\n",
        "1\tGout\tB-Disease\n2\thurts\tO\n\n1\tIt\tO\n",
        "###MEDLINE:7\n\nGout\tB-Disease\n#\tO\n",
    ],
)
def test_tags_tell_it_whatever_the_file_is_called(tmp_path: Path, name: str, rows: str):
    (tmp_path / name).write_text(rows)
    assert detect(tmp_path / name) == "conll"
    assert list(read(tmp_path / name))


@pytest.mark.parametrize("rows", ["name\tgroup\nAnn\tB\nBob\tO\n", "Ann\tB\nBob\tO\n"])
def test_a_table_of_blood_groups_is_no_corpus(tmp_path: Path, rows: str):
    (tmp_path / "groups.tsv").write_text(rows)
    assert detect(tmp_path / "groups.tsv") == "table"


@pytest.mark.parametrize("tags", ["B-D M-D E-D O", "B-D I-D I-D O", "B_D I_D I_D O", "B-D I-D L-D U-E"])
def test_more_schemes_are_understood(tmp_path: Path, tags: str):
    rows = "".join(f"{token}\t{tag}\n" for token, tag in zip("abcd", tags.split(), strict=True))
    assert found(next(read(file(tmp_path, rows))))[0] == ("a b c", "D")


def test_comments_name_documents_or_are_counted(tmp_path: Path):
    path = file(tmp_path, "###MEDLINE:7\n\nGout\tB-D\n#\tO\n\n# newdoc id = 8\n# sent_id = 1\nIt\tO\n")
    notes = Notes()
    documents = list(read(path, note=notes.add))
    assert [(d.id, d.text) for d in documents] == [("MEDLINE:7", "Gout #"), ("8", "It")]
    assert notes.counts == {"comment lines (#), left out": 1}


def test_markers_around_sentences_are_no_tokens(tmp_path: Path):
    path = file(tmp_path, "<ALL>\tO\nGout\tB-D\nhurts\tO\n</ALL>\tO\n\n<ALL>\tO\n<b>\tO\n</ALL>\tO\n")
    notes = Notes()
    (document,) = read(path, note=notes.add)
    assert document.text == "Gout hurts\n<b>"
    assert notes.counts == {"markers of AIONER (<ALL>), left out": 4}


def test_numbered_tokens_and_a_second_column_of_tags_are_kept_and_said(tmp_path: Path):
    text = "-DOCSTART-\t7\tO\n\n1\tGout\tB-X\tB-Disease\n2\thurts\tO\tO\n\n"
    notes = Notes()
    documents = list(read(file(tmp_path, text), note=notes.add))
    assert [(d.text, found(d)) for d in documents] == [("Gout hurts", [("Gout", "Disease")])]
    assert notes.counts == {"documents with tags also in column 3, of which only the last column was read": 1}
    write(documents, tmp_path / "out", format="conll")
    assert (tmp_path / "out").read_text() == text


@pytest.mark.data
@pytest.mark.parametrize("name", ["NCBI-disease-IOB_devel.head.tsv", "aioner.head.conll"])
def test_real_files_give_every_token_and_every_mention(data: Path, name: str):
    path = data / "real-files" / "conll-tsv" / name
    rows = [line.split("\t") for line in path.read_text().splitlines() if line.strip()]
    words = [token for token, _ in rows if token not in ("<ALL>", "</ALL>")]
    (document,) = read(path)
    assert document.text.split() == words
    assert len(document.mentions) == sum(tag.startswith("B") for _, tag in rows)


@pytest.mark.parametrize("line", ["broken", "one two three four", "gout"])
@pytest.mark.parametrize("separator", ["\t", " "])
def test_a_file_with_a_damaged_line_is_not_read_as_something_else(tmp_path: Path, line: str, separator: str):
    file = tmp_path / "a.conll"
    rows = [
        "Gout B-Disease",
        "and O",
        "breast B-Disease",
        line,
        "cancer I-Disease",
        ". O",
        "",
        "Asthma B-Disease",
    ]
    file.write_text("\n".join(row.replace(" ", separator) for row in rows) + "\n", encoding="utf-8")
    for by_line in (True, False):
        with pytest.raises(DataError, match="looks like CoNLL, but line 4 is not a token and its tag"):
            detect(file, by_line=by_line)


@pytest.mark.parametrize(
    "rows",
    ["vitamin B-12\nhepatitis B\ninfluenza B\ngout\n", "factor I\nfactor B-II\nblood group O\ncollagen I\n"],
)
def test_names_that_end_like_tags_are_names(tmp_path: Path, rows: str):
    file = tmp_path / "names.txt"
    file.write_text(rows, encoding="utf-8")
    assert detect(file, by_line=True) == "text"

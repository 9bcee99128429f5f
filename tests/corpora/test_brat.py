"""BRAT standoff."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

from linnet import corpora
from linnet.corpora import Notes, detect, read, write
from linnet.errors import DataError, OffsetError, RequestError
from linnet.types import Document, Mention

TEXT = "Gout and lung or\nliver failure, 😀 AT."
ANN = """\
T1\tDisease 0 4\tGout
T2\tDisease 9 13;23 30\tlung failure
T3\tDisease 9 30\tlung or liver failure
N1\tReference T1 MESH:D000001\tGout
N2\tReference T1 C0000001\tGout too
N3\tReference T2 MESH:D000002\tLung failure
E1\tWorsens:T1 Theme:T3
A1\tNegated E1
R1\tSame Arg1:T2 Arg2:T3
*\tEquiv T2 T3
#1\tAnnotatorNotes T1\tsure, about T3 too
"""


def pair(folder: Path, ann: str = ANN, text: str = TEXT, name: str = "7") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.txt").write_bytes(text.encode())
    (folder / f"{name}.ann").write_bytes(ann.encode())
    return folder


@pytest.mark.parametrize("named", ["", "7.ann", "7.txt"])
def test_a_folder_or_either_file_of_a_pair_is_read(tmp_path: Path, named: str):
    path = pair(tmp_path / "in") / named
    assert detect(path) == "brat"
    (document,) = read(path)
    assert (document.id, document.text) == ("7", TEXT)
    assert [m.concepts for m in document.mentions] == [
        ("MESH:D000001", "UMLS:C0000001"),
        ("MESH:D000002",),
        (),
    ]


def test_a_discontinuous_mention_covers_its_hull_and_keeps_its_fragments(tmp_path: Path):
    mention = next(read(pair(tmp_path / "in"))).mentions[1]
    assert (mention.text, mention.extra["spans"]) == ("lung or\nliver failure", [[9, 13], [23, 30]])


def test_what_was_read_is_written_byte_for_byte(tmp_path: Path):
    losses = write(read(pair(tmp_path / "in")), tmp_path / "out", format="brat")
    assert not losses
    assert (tmp_path / "out" / "7.ann").read_bytes() == ANN.encode()
    assert (tmp_path / "out" / "7.txt").read_bytes() == TEXT.encode()


def test_rows_about_a_mention_that_is_gone_go_with_it_and_are_counted(tmp_path: Path):
    document = next(read(pair(tmp_path / "in")))
    losses = write([document.with_mentions(document.mentions[1:])], tmp_path / "out", format="brat")
    kept = (tmp_path / "out" / "7.ann").read_text().splitlines()
    assert [row.split("\t")[0] for row in kept] == ["T2", "T3", "N3", "R1", "*"]
    assert losses.counts == {"rows about annotations that are gone (brat)": 3}


def test_new_mentions_and_changed_concepts_get_ids_that_are_free(tmp_path: Path):
    document = next(read(pair(tmp_path / "in")))
    first = document.mentions[0]
    changed = Mention(document, 0, 4, "Gout", "Disease", ("MESH:D000009",), extra=first.extra)
    new = Mention(document, 34, 36, "AT", "Rare disease")
    losses = write([document.with_mentions([changed, new])], tmp_path / "7.ann", format="brat")
    rows = (tmp_path / "7.ann").read_text().splitlines()
    assert rows[:3] == [
        "T1\tDisease 0 4\tGout",
        "T2\tRare_disease 34 36\tAT",
        "N3\tReference T1 MESH:D000009\tGout",
    ]
    assert losses.counts["exact types"] == 1


def test_a_text_without_annotations_has_no_mentions_and_annotations_without_text_are_refused(tmp_path: Path):
    folder = pair(tmp_path / "in")
    (folder / "7.ann").unlink()
    (folder / "8.ann").write_text("")
    with pytest.raises(DataError, match=r"Put 8\.txt beside it"):
        list(read(folder, format="brat"))
    assert [(d.id, d.mentions) for d in read(folder, format="brat", on_error="skip")] == [("7", ())]


@pytest.mark.parametrize(
    ("row", "kind", "says"),
    [
        ("T1\tDisease 0 4\tGoat", OffsetError, "says 'Goat'"),
        ("T1\tDisease 9 13;23 30\tlung flare", OffsetError, "fragments"),
        ("T1\tDisease 35 37\tAT", OffsetError, "UTF-16"),
        ("T1 Disease 0 4 Gout", DataError, "Put tabs between columns"),
        ("T1\tDisease zero 4\tGout", DataError, "expected 'T1<tab>TYPE"),
        ("N1\tReference", DataError, "expected 'N1<tab>Reference"),
        ("T1\tDisease 0 4\tGout\nT1\tDisease 0 4\tGout", DataError, "T1 occurs twice"),
    ],
)
def test_malformed_rows_are_refused_with_file_and_line(
    tmp_path: Path, row: str, kind: type[DataError], says: str
):
    folder = pair(tmp_path / "in", f"T9\tDisease 0 4\tGout\n{row}\n")
    with pytest.raises(kind, match=says) as caught:
        list(read(folder))
    assert Path(str(caught.value.path)).name == "7.ann"
    assert caught.value.line == 2 + row.count("\n")
    reported: list[DataError] = []
    (document,) = read(folder, on_error="skip", report=reported.append)
    assert len(document.mentions) == 1 + row.count("\n")
    assert len(reported) == 1


def test_several_documents_do_not_fit_one_pair(tmp_path: Path):
    with pytest.raises(RequestError, match="Name a folder"):
        write([Document("1", "a"), Document("2", "b")], tmp_path / "x.ann", format="brat")
    with pytest.raises(RequestError, match="Name a folder"):
        write([Document("1", "a")], "-", format="brat")
    assert list(tmp_path.iterdir()) == []


# Where others keep concepts, and how they name files and rows --------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "concepts"),
    [
        ("#1\tAnnotatorNotes T1\tC0000001", ("UMLS:C0000001",)),
        ("#1\tAnnotatorNotes T1\tMESH:D000001; UMLS:C0000002", ("MESH:D000001", "UMLS:C0000002")),
        ("N1\tReference T1 UMLS:C0000001\tGout", ("UMLS:C0000001",)),
        ("N1\tOntoBiotope Annotation:T1 Referent:MESH:D000001", ("MESH:D000001",)),
        ("N1\tReference T1 MESH:D000001\tGout\n#1\tAnnotatorNotes T1\tC0000001", ("MESH:D000001",)),
        ("#1\tAnnotatorNotes T1\tsee page:12", ()),
    ],
)
def test_concepts_are_read_from_rows_and_notes_and_written_back(
    tmp_path: Path, row: str, concepts: tuple[str, ...]
):
    ann = f"T1\tDisease 0 4\tGout\n{row}\n"
    (document,) = read(pair(tmp_path / "in", ann))
    assert document.mentions[0].concepts == concepts
    assert not write([document], tmp_path / "out", format="brat")
    assert (tmp_path / "out" / "7.ann").read_text() == ann


def test_a_type_that_is_a_cui_is_the_concept(tmp_path: Path):
    ann = "T1\tC0000001 0 4\tGout\n"
    (document,) = read(pair(tmp_path / "in", ann))
    [mention] = document.mentions
    assert (mention.type, mention.concepts) == ("", ("UMLS:C0000001",))
    assert not write([document], tmp_path / "out", format="brat")
    assert (tmp_path / "out" / "7.ann").read_text() == ann


def test_ids_of_annotations_need_no_number_right_behind_the_t(tmp_path: Path):
    ann = "TT1\tDisease 0 4\tGout\nN1\tReference TT1 MESH:D000001\tGout\nE1\tWorsens:TT1\n"
    (document,) = read(pair(tmp_path / "in", ann))
    assert document.mentions[0].concepts == ("MESH:D000001",)
    losses = write([document.with_mentions([])], tmp_path / "out", format="brat")
    assert losses.counts == {"rows about annotations that are gone (brat)": 1}


@pytest.mark.parametrize("named", ["", "7.a1", "7.txt"])
def test_files_of_shared_tasks_are_read_as_one(tmp_path: Path, named: str):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "7.txt").write_text(TEXT)
    (folder / "7.a1").write_text("T1\tDisease 0 4\tGout\n")
    (folder / "7.a2").write_text("T2\tDisease 9 13\tlung\nN1\tOBT Annotation:T1 Referent:OBT:000001\n")
    assert detect(folder / named) == "brat"
    (document,) = read(folder / named)
    assert [(m.text, m.concepts) for m in document.mentions] == [("Gout", ("OBT:000001",)), ("lung", ())]


def test_what_gives_no_mention_a_concept_is_counted(tmp_path: Path):
    ann = (
        "T1\tDisease 0 4\tGout\nN1\tReference T9 X:1\tgone\nN2\tReference E1 X:1\tevent\n"
        "#1\tAnnotatorNotes T1\tmaybe C0000001 ?\n"
    )
    notes = Notes()
    folder = pair(tmp_path / "in", ann)
    (folder / "notes.pdf").write_text("x")
    (folder / "annotation.conf").write_text("[entities]")
    list(read(folder, note=notes.add))
    assert notes.counts == {
        "rows with a concept for a missing annotation, kept aside": 1,
        "normalisation rows of other annotations than T, kept aside": 1,
        "notes with a concept id among other words, not read as concepts": 1,
        "files '.pdf', not read": 1,
    }


def test_a_normalisation_row_of_a_mention_that_is_cut_off_is_refused(tmp_path: Path):
    (tmp_path / "a.txt").write_text("Gout hurts.", encoding="utf-8")
    (tmp_path / "a.ann").write_text("T1\tDisease 0 4\tGout\nN1\tMESH Annotation:T1 Refer", encoding="utf-8")
    with pytest.raises(DataError, match=r"a\.ann:2: expected 'N1<tab>Reference T1 ID"):
        list(corpora.read(tmp_path / "a.ann"))


@pytest.mark.parametrize("named", ["study.zip", "study.zip/7.ann", "study.zip/inner"])
def test_annotations_in_a_zip_archive_are_refused_with_what_to_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
):
    monkeypatch.chdir(tmp_path)
    with zipfile.ZipFile("study.zip", "w") as packed:
        for name in ("7", "inner/8"):
            packed.writestr(f"{name}.txt", TEXT)
            packed.writestr(f"{name}.ann", ANN)
    said = re.escape("not read from a zip archive. Unpack it and give the folder: unzip study.zip -d study")
    with pytest.raises(DataError, match=said):
        detect(named)
    with pytest.raises(DataError, match=said):
        list(read(named, format="brat"))

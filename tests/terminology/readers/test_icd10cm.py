from pathlib import Path

import pytest

from linnet.errors import DataError
from linnet.terminology.readers import ReadOptions, detect, read


def row(number: int, code: str, flag: int, short: str, long: str) -> str:
    return f"{number:05d} {code:<7} {flag} {short:<60} {long}\n"


ORDER = (
    row(1, "B10", 0, "Sore beak", "Sore beak")
    + row(2, "B101", 0, "Sore beak of bird", "Sore beak of bird")
    + row(3, "B101XXA", 1, "Sore beak of bird, init", "Sore beak of bird, initial encounter")
    + row(4, "B11", 1, "Other", "Other beak")
)
TABULAR = """<?xml version="1.0" encoding="utf-8"?>
<ICD10CM.tabular><version>2099</version><chapter><name>1</name><desc>Birds (B10-B19)</desc>
<section id="B10-B19"><desc>Beaks (B10-B19)</desc>
<diag><name>B10</name><desc>Sore beak</desc><includes><note>bill</note></includes>
 <diag><name>B10.1</name><desc>Sore beak &amp; bird</desc>
  <inclusionTerm><note>Finch beak</note><note>Wren beak</note></inclusionTerm></diag>
</diag></section></chapter></ICD10CM.tabular>
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "icd10cm-order-2099.txt").write_text(ORDER)
    (tmp_path / "icd10cm-tabular-2099.xml").write_text(TABULAR)
    return tmp_path


def test_the_order_file_gives_descriptions_and_parents(folder: Path) -> None:
    file = folder / "icd10cm-order-2099.txt"
    assert detect(file) == "icd10cm"
    first, second, third, fourth = read(file)
    assert (first.id, first.all_names, first.parents) == ("ICD10CM:B10", ("Sore beak",), ())
    assert (second.id, second.parents) == ("ICD10CM:B10.1", ("ICD10CM:B10",))
    assert third.all_names == ("Sore beak of bird, initial encounter", "Sore beak of bird, init")
    assert (third.id, third.parents) == ("ICD10CM:B10.1XXA", ("ICD10CM:B10.1",))
    assert fourth.parents == ()


def test_the_tabular_list_gives_inclusion_terms(folder: Path) -> None:
    file = folder / "icd10cm-tabular-2099.xml"
    assert detect(file) == "icd10cm"
    _, second = read(file)
    assert second.all_names == ("Sore beak & bird", "Finch beak", "Wren beak")
    assert second.parents == ("ICD10CM:B10",)


def test_a_directory_unites_both(folder: Path) -> None:
    concepts = {c.id: c for c in read(folder)}
    assert len(concepts) == 4
    assert concepts["ICD10CM:B10.1"].all_names == (
        "Sore beak of bird",
        "Sore beak & bird",
        "Finch beak",
        "Wren beak",
    )


def test_a_row_laid_out_otherwise_is_named_or_skipped(folder: Path) -> None:
    file = folder / "icd10cm-order-2099.txt"
    file.write_text(ORDER + "B12 Shifted\n")
    with pytest.raises(DataError, match=r"icd10cm-order-2099\.txt:5: .*has not the layout of"):
        list(read(file))
    assert len(list(read(file, options=ReadOptions(on_error="skip")))) == 4


def test_xml_that_is_cut_off_is_refused(folder: Path) -> None:
    file = folder / "icd10cm-tabular-2099.xml"
    file.write_text(TABULAR[:-40])
    with pytest.raises(DataError, match=r"tabular-2099\.xml:\d+: not well-formed XML, or cut off"):
        list(read(file))


def test_entities_are_their_text_and_undeclared_ones_are_refused(folder: Path) -> None:
    file = folder / "icd10cm-tabular-2099.xml"
    begin = '<?xml version="1.0"?>\n<!DOCTYPE ICD10CM.tabular {}>\n'
    diagnosis = "<diag><name>D56.0</name><desc>Beak &alpha; sore</desc></diag>"
    body = f"<ICD10CM.tabular><chapter>\n{diagnosis}</chapter></ICD10CM.tabular>"
    file.write_text(begin.format('[<!ENTITY alpha "α">]') + body)
    assert [concept.name for concept in read(file)] == ["Beak α sore"]
    file.write_text(begin.format('SYSTEM "tabular.dtd"') + body)
    with pytest.raises(DataError, match=r"tabular-2099\.xml:4: the entity &alpha; is not declared"):
        list(read(file))


def test_lists_of_changes_beside_the_order_file_are_told_and_left_out(folder: Path) -> None:
    (folder / "icd10cm-order-addenda-2099.txt").write_text("Add:    00001 B12     0 New beak\n")
    notices: list[str] = []
    assert len(list(read(folder, options=ReadOptions(notice=notices.append)))) == 4
    assert "icd10cm-order-addenda-2099.txt were not read: they list the changes" in notices[0]


def test_files_in_a_linked_folder_are_read(folder: Path, tmp_path: Path) -> None:
    release = tmp_path / "release"
    release.mkdir()
    (release / "icd10cm-order-2099.txt").write_bytes((folder / "icd10cm-order-2099.txt").read_bytes())
    (folder / "xml").mkdir()
    (folder / "icd10cm-tabular-2099.xml").rename(folder / "xml" / "icd10cm-tabular-2099.xml")
    (release / "tabular").symlink_to(folder / "xml")
    names = {c.id: c.all_names for c in read(release, format="icd10cm")}
    assert "Finch beak" in names["ICD10CM:B10.1"]

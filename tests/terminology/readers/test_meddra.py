from pathlib import Path

import pytest

from linnet.errors import DataError
from linnet.terminology.readers import ReadOptions, detect, read

FILES = {
    "llt.asc": "11$Sore beak$11$$$$$$$Y$$\n12$Beak ache$11$$$$$$$Y$$\n13$Old beak$11$$$$$$$N$$\n",
    "pt.asc": "11$Sore beak$$21$$$$$$$$\n",
    "hlt.asc": "31$Beak disorders$$$$$$$\n",
    "hlgt.asc": "41$Head disorders$$$$$$$\n",
    "soc.asc": "51$Bird disorders$Bird$$$$$$$\n",
    "hlt_pt.asc": "31$11$$\n",
    "hlgt_hlt.asc": "41$31$$\n",
    "soc_hlgt.asc": "51$41$$\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "MedAscii").mkdir()
    for name, text in FILES.items():
        (tmp_path / "MedAscii" / name).write_text(text)
    return tmp_path


def test_preferred_terms_carry_their_lowest_level_terms(folder: Path) -> None:
    assert detect(folder) == "meddra"
    concepts = {c.id: c for c in read(folder)}
    assert concepts["MEDDRA:11"].all_names == ("Sore beak", "Beak ache")
    assert (concepts["MEDDRA:11"].types, concepts["MEDDRA:11"].parents) == (("PT",), ("MEDDRA:31",))
    assert concepts["MEDDRA:31"].parents == ("MEDDRA:41",)
    assert concepts["MEDDRA:41"].parents == ("MEDDRA:51",)
    assert concepts["MEDDRA:12"].replaced_by == concepts["MEDDRA:13"].replaced_by == ("MEDDRA:11",)


def test_terms_out_of_use_are_names_on_request(folder: Path) -> None:
    assert "Old beak" in next(read(folder, options=ReadOptions(suppressed=True))).names


def test_levels_filter(folder: Path) -> None:
    assert [c.id for c in read(folder, options=ReadOptions(types={"SOC"})) if c.name] == ["MEDDRA:51"]


def test_malformed_rows_and_missing_files_are_named(folder: Path) -> None:
    (folder / "MedAscii/llt.asc").write_text("12$Beak ache\n")
    with pytest.raises(DataError, match=r"llt\.asc:1: row has 2 columns"):
        list(read(folder))
    (folder / "MedAscii/llt.asc").write_text("12$Beak ache$99$$$$$$$Y$$\n")
    with pytest.raises(DataError, match=r"belongs to MEDDRA:99, which is not in pt\.asc"):
        list(read(folder))
    (folder / "MedAscii/pt.asc").unlink()
    with pytest.raises(DataError, match=r"has no pt\.asc"):
        list(read(folder))


def test_rows_of_the_hierarchy_that_lead_nowhere_are_told(folder: Path) -> None:
    (folder / "MedAscii/hlt_pt.asc").write_text("31$11$$\n39$11$$\n")
    notices: list[str] = []
    list(read(folder, options=ReadOptions(notice=notices.append)))
    assert "1 row of the hierarchy (hlt.asc, hlgt.asc, soc.asc) left out" in notices[0]

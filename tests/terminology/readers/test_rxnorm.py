from pathlib import Path

import pytest

from linnet.terminology.readers import ReadOptions, detect, read


def name(id: str, text: str, *, sab: str = "RXNORM", kind: str = "IN", suppress: str = "N") -> str:
    return f"{id}|ENG||||||A1||||{sab}|{kind}|{id}|{text}||{suppress}|4096|\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rrf = tmp_path / "rrf"
    rrf.mkdir()
    (rrf / "RXNCONSO.RRF").write_text(
        name("7", "seed oil", sab="MTHSPL", kind="SU")
        + name("7", "seedol syn", kind="SY")
        + name("7", "seedol")
        + name("8", "Pickalot", kind="BN")
        + name("9", "seedol 5 MG", kind="SCD")
        + name("9", "Gone", kind="SY", suppress="O")
    )
    (rrf / "RXNREL.RRF").write_text(
        "7||CUI|RO|8||CUI|tradename_of|1||RXNORM|RXNORM|||||\n9||CUI|PAR|7||CUI||1||RXNORM|RXNORM|||||\n"
    )
    (rrf / "RXNSTY.RRF").write_text("7|T121|A|Pharmacologic Substance|AT||\n9|T200|A|Clinical Drug|AT||\n")
    (rrf / "RXNCUI.RRF").write_text("5|01|02|1|7|\n7|01|02|1|7|\n")
    return tmp_path


def test_the_own_name_is_preferred_and_trade_names_are_added(folder: Path) -> None:
    assert detect(folder) == "rxnorm"
    concepts = {c.id: c for c in read(folder)}
    assert concepts["RXNORM:7"].all_names == ("seedol", "seedol syn", "seed oil", "Pickalot")
    assert concepts["RXNORM:7"].xrefs == ("UNII:7",)
    assert concepts["RXNORM:9"].all_names == ("seedol 5 MG",)
    assert concepts["RXNORM:9"].parents == ("RXNORM:7",)
    assert concepts["RXNORM:5"].replaced_by == ("RXNORM:7",)


def test_types_filter(folder: Path) -> None:
    live = [c.id for c in read(folder, options=ReadOptions(types={"Clinical Drug"})) if c.name]
    assert live == ["RXNORM:9"]

from pathlib import Path

import pytest

from linnet.errors import DataError, RequestError
from linnet.terminology.readers import ReadOptions, detect, read

HEADER = "Name\tTYPE\tUNII\tDisplay Name\r\n"
ROWS = (
    "FINCHAMAB [INN]\tcn\t00BEAK1234\tFINCHAMAB\r\n"
    "FINCHAMAB\tof\t00BEAK1234\tFINCHAMAB\r\n"
    "BYR-200\tcd\t00BEAK1234\tFINCHAMAB\r\n"
    "WREN .ALPHA.-ACID [USP MONOGRAPH]\tcn\t00WREN5678\tWREN .ALPHA.-ACID\r\n"
    "PLUMEX\tbn\t00BEAK1234\tFINCHAMAB\r\n"
    "2-WRENYL-(1R-(1.BETA.))-ACID\tsys\t00WREN5678\tWREN .ALPHA.-ACID\r\n"
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "UNII_Names_1Jan2099.txt"
    file.write_text(HEADER + ROWS, newline="")
    return file


def test_a_substance_has_its_display_name_and_its_official_common_and_brand_names(file: Path) -> None:
    assert detect(file) == "unii"
    finch, wren = read(file)
    assert (finch.id, finch.name, finch.names) == ("UNII:00BEAK1234", "finchamab", ("Plumex",))
    assert (wren.id, wren.name, wren.names) == ("UNII:00WREN5678", "wren alpha-acid", ())


def test_codes_and_systematic_names_are_optional(file: Path) -> None:
    finch, wren = read(file, options=ReadOptions(name_types={"cd", "sys"}))
    assert finch.names == ("BYR-200",)
    assert wren.names == ("2-wrenyl-(1r-(1beta))-acid",)


def test_the_columns_of_the_standardizer_package_are_read(tmp_path: Path) -> None:
    file = tmp_path / "names.tsv"
    file.write_text("unii\ttype\tname\tpreferred\n00BEAK1234\tbn\tPLUMEX\tFINCHAMAB\n")
    (finch,) = read(file)
    assert finch.all_names == ("finchamab", "Plumex")


def test_brackets_that_belong_to_a_name_stay(tmp_path: Path) -> None:
    file = tmp_path / "names.txt"
    file.write_text(HEADER + "FINCHINE [18F]\tcn\t00BEAK1234\tFINCHINE [18F]\r\n", newline="")
    (finch,) = read(file)
    assert finch.name == "finchine [18f]"


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("X\tzz\t00BEAK1234\tX\r\n", ":2: unknown type 'zz'. Expected a type of of, cn, bn, cd, sys"),
        ("X\tcn\tbeak\tX\r\n", ":2: UNII 'beak' is not ten letters and digits"),
        ("X\tcn\r\n", ":2: row has 2 columns; the header has 4"),
    ],
)
def test_a_malformed_row_is_named(tmp_path: Path, row: str, says: str) -> None:
    file = tmp_path / "names.txt"
    file.write_text(HEADER + row, newline="")
    with pytest.raises(DataError, match=says):
        list(read(file, format="unii"))


def test_an_unknown_type_of_name_lists_the_choices(file: Path) -> None:
    with pytest.raises(RequestError, match=r"'brand'.*bn \(brand\)"):
        list(read(file, options=ReadOptions(name_types={"brand"})))


def test_a_file_without_the_columns_says_which_it_needs(tmp_path: Path) -> None:
    file = tmp_path / "names.txt"
    file.write_text("Name\tCode\nx\ty\n")
    with pytest.raises(DataError, match="type"):
        list(read(file, format="unii"))


@pytest.mark.data
def test_the_packaged_list(data: Path) -> None:
    substances = list(read(data / "terminologies/other/unii_names.tsv.gz"))
    assert len(substances) == 161_712
    assert not [s.id for s in substances if any("[INN]" in name for name in s.all_names)]

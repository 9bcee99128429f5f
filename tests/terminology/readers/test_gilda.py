import gzip
from pathlib import Path

import pytest

from linnet.errors import DataError
from linnet.terminology.readers import ReadOptions, detect, read

HEADER = "norm_text\ttext\tdb\tid\tentry_name\tstatus\tsource\torganism\tsource_db\tsource_id"
ROWS = [
    "beak ache\tbeak ache\tbird\t0001\tsore beak\tsynonym\tbird\t\t\t",
    "sorebeak\tSore-beak\tbird\t0001\tsore beak\tcurated\tmanual\t\t\t",
    "sick beak\tsick beak\tbird\t0001\tsore beak\tformer_name\tbird\t\t\t",
    "sore beak\tsore beak\tbird\t0001\tsore beak\tname\tbird\t\tnest\tN7",
    "wing\twing\twings\t0001\twing\tname\twings\t9031\t\t",
    "seed\tseed\tCHEBI\tCHEBI:0007\tseed\tname\tchebi\t\t\t",
]


def write(folder: Path, rows: list[str] = ROWS, header: str = HEADER) -> Path:
    file = folder / "terms.tsv.gz"
    file.write_bytes(gzip.compress("".join(f"{line}\n" for line in (header, *rows)).encode()))
    return file


def test_ids_of_two_vocabularies_stay_apart_though_their_numbers_are_equal(tmp_path: Path) -> None:
    file = write(tmp_path)
    assert detect(file) == "gilda"
    assert [(c.id, c.name) for c in read(file)] == [
        ("bird:0001", "sore beak"),
        ("wings:0001", "wing"),
        ("CHEBI:0007", "seed"),
    ]


def test_names_come_by_status_after_the_name_of_the_entry(tmp_path: Path) -> None:
    concept = next(read(write(tmp_path)))
    assert concept.all_names == ("sore beak", "Sore-beak", "beak ache", "sick beak")
    assert (concept.sources, concept.xrefs) == (("bird", "manual"), ("nest:N7",))


def test_sources_filter(tmp_path: Path) -> None:
    kept = list(read(write(tmp_path), options=ReadOptions(vocabularies={"manual", "CHEBI"})))
    assert [c.all_names for c in kept] == [("sore beak", "Sore-beak"), ("seed",)]


def test_rows_of_an_unknown_status_are_synonyms_and_told(tmp_path: Path) -> None:
    notices: list[str] = []
    file = write(tmp_path, ["a\ta\tbird\t1\tb\todd\tbird\t\t\t"])
    (concept,) = read(file, options=ReadOptions(notice=notices.append))
    assert concept.all_names == ("b", "a")
    assert "read as synonyms: odd (1)" in notices[0]


@pytest.mark.parametrize(
    "row", ["a\ta\tbird", "a\ta\t\t7\tb\tname\tbird\t\t\t", "a\ta\tbird\t\tb\tname\tbird\t\t\t"]
)
def test_a_malformed_row_is_named_or_skipped(tmp_path: Path, row: str) -> None:
    file = write(tmp_path, [*ROWS, row])
    with pytest.raises(DataError, match=r"terms\.tsv\.gz:8: "):
        list(read(file))
    skipped: list[DataError] = []
    assert len(list(read(file, options=ReadOptions(on_error="skip", report=skipped.append)))) == 3
    assert len(skipped) == 1


@pytest.mark.data
def test_the_head_of_biolexicas_anatomy_has_as_many_concepts_as_pairs_of_db_and_id(data: Path) -> None:
    file = data / "real-files/gilda-terms/terms.head.tsv"
    rows = [line.split("\t") for line in file.read_text().splitlines()[1:]]
    concepts = {c.id.casefold(): set(c.all_names) for c in read(file)}
    pairs = {f"{row[2]}:{row[3]}".casefold() for row in rows}
    assert concepts.keys() == pairs
    for row in rows:
        assert {row[1], row[4]} <= concepts[f"{row[2]}:{row[3]}".casefold()]

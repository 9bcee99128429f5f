from pathlib import Path

import pytest
from tests.advised import reads

from linnet.errors import DataError
from linnet.terminology.readers import ReadOptions, read


def write(folder: Path, text: str) -> Path:
    file = folder / "medic.txt"
    file.write_text(text, encoding="utf-8")
    return file


def test_ids_get_their_vocabulary_and_entities_are_resolved(tmp_path: Path) -> None:
    file = write(tmp_path, "D000001||Gull&apos;s  disease|Gull disease\n104300||FOO &#233;\nC000002||Bar\n")
    first, second, third = read(file)
    assert (first.id, first.name, first.names) == ("MESH:D000001", "Gull's disease", ("Gull disease",))
    assert (second.id, second.name, second.sources) == ("OMIM:104300", "FOO é", ("OMIM",))
    assert third.id == "MESH:C000002"


def test_alternative_ids_lead_to_the_concept_unless_they_have_lines_of_their_own(tmp_path: Path) -> None:
    file = write(tmp_path, "C1|100100|200200||Wing syndrome\n200200||Other thing\n")
    concepts = {concept.id: concept for concept in read(file)}
    assert concepts["OMIM:100100"].replaced_by == ("MESH:C1",)
    assert concepts["OMIM:100100"].name == ""
    assert concepts["OMIM:200200"].name == "Other thing"


def test_lines_of_one_id_are_united_in_order(tmp_path: Path) -> None:
    file = write(tmp_path, "MESH:D1||b\nOMIM:2||x\nMESH:D1||a\nMESH:D1||b\n")
    first, second = read(file)
    assert (first.id, first.all_names) == ("MESH:D1", ("b", "a"))
    assert second.id == "OMIM:2"


def test_a_name_may_belong_to_two_concepts(tmp_path: Path) -> None:
    assert [c.name for c in read(write(tmp_path, "D1||cold\nD2||cold\n"))] == ["cold", "cold"]


@pytest.mark.parametrize("row", ["D3|no bars", "||no id", "D3||", "D3"])
def test_a_malformed_line_is_named_or_skipped_and_reported(tmp_path: Path, row: str) -> None:
    file = write(tmp_path, f"D1||good\n{row}\nD2||also good\n")
    with pytest.raises(DataError, match=r"medic\.txt:2:"):
        list(read(file, format="medic"))
    skipped: list[DataError] = []
    options = ReadOptions(on_error="skip", report=skipped.append)
    assert [c.id for c in read(file, format="medic", options=options)] == ["MESH:D1", "MESH:D2"]
    assert [error.line for error in skipped] == [2]


@pytest.mark.data
def test_the_dictionaries_of_published_results(data: Path) -> None:
    old = list(read(data / "terminologies/medic/medic_06Jul2012.txt"))
    live = [c for c in old if c.name]
    assert len(live) == 11_915
    assert sum(len(c.all_names) for c in live) > 71_000
    assert not any("&" in n and ";" in n.partition("&")[2][:7] for c in live for n in c.all_names)
    new = list(read(data / "terminologies/medic/medic_2021plus.dictionary.txt"))
    assert len(new) == 13_316
    assert sum(len(c.all_names) for c in new) == pytest.approx(90_599, abs=5)


@pytest.mark.parametrize(
    ("bare", "id"),
    [
        ("C0000001", "UMLS:C0000001"),
        ("C000001", "MESH:C000001"),
        ("C000000001", "MESH:C000000001"),
        ("100100", "OMIM:100100"),
    ],
)
def test_the_vocabulary_of_a_bare_id_is_told_from_its_digits(tmp_path: Path, bare: str, id: str) -> None:
    (concept,) = read(write(tmp_path, f"{bare}||sore beak\n"))
    assert concept.id == id


@pytest.mark.parametrize("bare", ["10000001", "7157", "44054006", "E11"])
def test_a_bare_id_of_no_known_vocabulary_needs_a_prefix(tmp_path: Path, bare: str) -> None:
    file = write(tmp_path, f"{bare}||sore beak\n")
    with pytest.raises(DataError, check=reads(rf"medic\.txt:1: '{bare}' is not an id of .* --prefix MEDDRA")):
        list(read(file))
    (concept,) = read(file, options=ReadOptions(prefix="BIRD"))
    assert concept.id == f"BIRD:{bare}"


def test_words_between_bars_are_not_alternative_ids(tmp_path: Path) -> None:
    file = write(tmp_path, "C0000001|ENG|P||M1|D1\n")
    with pytest.raises(DataError, match="is not `id"):
        list(read(file, format="medic"))

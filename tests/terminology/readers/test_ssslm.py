from pathlib import Path

import pytest

from linnet.errors import DataError
from linnet.terminology.readers import ReadOptions, read

HEADER = "text\tcurie\tname\tpredicate\ttype\tprovenance\tcontributor\tdate\tlanguage\tcomment\tsource\n"


def row(text: str, id: str, name: str, predicate: str, language: str = "", source: str = "bird") -> str:
    return "\t".join([text, id, name, predicate, "", "", "", "", language, "", source]) + "\n"


ROWS = (
    row("beak pain", "doid:1", "sore beak", "oboInOwl:hasExactSynonym")
    + row("pain", "doid:1", "sore beak", "oboInOwl:hasBroadSynonym")
    + row("Sore Beak", "doid:1", "sore beak", "rdfs:label", source="hp")
    + row("mal de bec", "doid:1", "sore beak", "oboInOwl:hasExactSynonym", language="fr")
    + row("bill", "uberon:2", "", "rdfs:label", language="en")
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "birds.ssslm.tsv"
    path.write_text(HEADER + ROWS)
    return path


def test_rows_of_a_concept_are_united_and_its_name_preferred(file: Path) -> None:
    first, second = read(file)
    assert (first.id, first.all_names) == ("DOID:1", ("sore beak", "Sore Beak", "beak pain", "mal de bec"))
    assert first.sources == ("bird", "HP")
    assert (second.id, second.name) == ("UBERON:2", "bill")


def test_languages_sources_and_scopes_filter(file: Path) -> None:
    assert "mal de bec" not in next(read(file, options=ReadOptions(languages={"en"}))).names
    assert next(read(file, options=ReadOptions(vocabularies={"HP"}))).all_names == ("sore beak", "Sore Beak")
    assert "pain" in next(read(file, options=ReadOptions(scopes={"broad"}))).names


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (HEADER + "a\tb\n", ":2: row has 2 columns; the header has 11"),
        (HEADER + row("", "doid:1", "", ""), ":2: expected a text and a CURIE"),
        ("text\tname\nx\ty\n", "no column 'curie'"),
        (HEADER, "no concept"),
    ],
)
def test_what_is_malformed_is_named(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "x.tsv"
    path.write_text(text)
    with pytest.raises(DataError, match=says):
        list(read(path, format="ssslm"))


def test_names_of_an_unknown_predicate_come_last_and_are_told(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    hidden = row("beek", "doid:1", "", "skos:hiddenLabel")
    path.write_text(
        HEADER + hidden + row("ache", "doid:1", "", "skos:altLabel") + row("beak", "doid:1", "", "rdfs:label")
    )
    notices: list[str] = []
    (concept,) = read(path, options=ReadOptions(notice=notices.append))
    assert concept.all_names == ("beak", "ache", "beek")
    assert "read as names: skos:hiddenLabel (1)" in notices[0]


def test_commas_between_the_columns_are_read(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('text,curie,predicate\n"beak, sore",doid:1,rdfs:label\n')
    (concept,) = read(path)
    assert concept.name == "beak, sore"


@pytest.mark.data
@pytest.mark.parametrize(("name", "concepts"), [("anatomy", 29_862), ("phenotype", 73_545)])
def test_biolexica(data: Path, name: str, concepts: int) -> None:
    found = list(read(data / f"terminologies/biolexica/{name}.ssslm.tsv.gz"))
    assert len(found) == concepts
    assert all(c.name for c in found)

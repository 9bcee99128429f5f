import csv
from pathlib import Path

import pytest
from tests.advised import in_options

from linnet.advice import Note
from linnet.errors import DataError
from linnet.terminology.readers import ReadOptions, detect, read


def table(header: str, *rows: str) -> str:
    return "".join("\t".join(line.split("|")) + "\n" for line in (header, *rows))


HEADER = (
    "concept_id|concept_name|domain_id|vocabulary_id|concept_class_id|standard_concept|concept_code|"
    "valid_start_date|valid_end_date|invalid_reason"
)
FILES = {
    "CONCEPT.csv": table(
        HEADER,
        '1|Sore "beak|Condition|SNOMED|Disorder|S|11|1970|2099|',
        "2|Disease|Condition|SNOMED|Disorder|S|12|1970|2099|",
        "3|Beak pain|Condition|ICD10CM|4-char code|​|B10.1|1970|2099|".replace("​", ""),
        "4|Old beak|Condition|SNOMED|Disorder||13|1970|2000|U",
        "5|Gone|Condition|SNOMED|Disorder||14|1970|2000|D",
    ),
    "CONCEPT_SYNONYM.csv": table(
        "concept_id|concept_synonym_name|language_concept_id", "1|Bill ache|4180186", "1|Mal de bec|4180190"
    ),
    "CONCEPT_ANCESTOR.csv": table(
        "ancestor_concept_id|descendant_concept_id|min_levels_of_separation|max_levels_of_separation",
        "2|1|1|1", "1|1|0|0", "9|1|2|2",
    ),
    "CONCEPT_RELATIONSHIP.csv": table(
        "concept_id_1|concept_id_2|relationship_id|valid_start_date|valid_end_date|invalid_reason",
        "3|1|Maps to|1970|2099|", "3|2|Is a|1970|2099|", "4|1|Concept replaced by|1970|2099|",
        "1|1|Maps to|1970|2099|", "5|1|Maps to|1970|2000|D",
    ),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_concepts_with_synonyms_parents_and_codes(folder: Path) -> None:
    assert detect(folder) == "omop"
    concepts = {c.id: c for c in read(folder)}
    first = concepts["OMOP:1"]
    assert first.all_names == ('Sore "beak', "Bill ache")
    assert (first.types, first.parents) == (("Condition", "Disorder"), ("OMOP:2",))
    assert (first.xrefs, first.sources) == (("SNOMEDCT:11",), ("SNOMED",))
    assert concepts["OMOP:3"].xrefs == ("ICD10CM:B10.1", "OMOP:1")
    assert concepts["OMOP:4"].replaced_by == ("OMOP:1",)
    assert "OMOP:5" not in concepts


def test_standard_concepts_only_the_others_leading_to_them(folder: Path) -> None:
    concepts = {c.id: c for c in read(folder, options=ReadOptions(standard=True))}
    assert [id for id, c in concepts.items() if c.name] == ["OMOP:1", "OMOP:2"]
    assert concepts["OMOP:3"].replaced_by == ("OMOP:1",)


def test_vocabularies_domains_and_languages_filter(folder: Path) -> None:
    live = read(folder, options=ReadOptions(vocabularies={"ICD10CM"}))
    assert [c.id for c in live] == ["OMOP:3"]
    assert [c.id for c in read(folder, options=ReadOptions(types={"4-char code"})) if c.name] == ["OMOP:3"]
    assert next(read(folder, options=ReadOptions(languages={"4180190"}))).names == ("Mal de bec",)


@pytest.mark.parametrize(
    ("row", "says"),
    [("7\tx\n", "row has 2 columns; the header has 10"), ("1" + "\tx" * 9 + "\n", "'1' occurs twice")],
)
def test_a_malformed_row_is_named(folder: Path, row: str, says: str) -> None:
    with (folder / "CONCEPT.csv").open("a") as stream:
        stream.write(row)
    with pytest.raises(DataError, match=rf"CONCEPT\.csv:7: .*{says}"):
        list(read(folder))


def test_a_missing_column_is_named(folder: Path) -> None:
    (folder / "CONCEPT.csv").write_text("concept_id\tname\n1\tx\n")
    with pytest.raises(DataError, match="no column 'concept_name'"):
        list(read(folder))


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_tables_with_commas_are_read_as_those_with_tabs(folder: Path, tmp_path: Path, delimiter: str) -> None:
    expected = list(read(folder))
    other = tmp_path / "commas"
    other.mkdir()
    for name, text in FILES.items():
        with (other / name).open("w", newline="") as stream:
            rows = [line.split("\t") for line in text.splitlines()]
            csv.writer(
                stream, delimiter=delimiter, quoting=csv.QUOTE_ALL if "SYN" in name else csv.QUOTE_MINIMAL
            ).writerows(rows)
    assert detect(other) == "omop"
    assert list(read(other)) == expected


def test_commas_quotes_and_line_breaks_inside_cells_are_kept(folder: Path) -> None:
    (folder / "CONCEPT.csv").write_text(
        HEADER.replace("|", ",") + '\n1,"Beak, ""sore""\nand red",Condition,SNOMED,Disorder,S,11,1970,2099,\n'
    )
    assert next(read(folder)).name == 'Beak, "sore" and red'


def test_a_concept_table_under_another_name_is_no_table_of_names(folder: Path) -> None:
    (folder / "CONCEPT.csv").rename(folder / "mine.csv")
    with pytest.raises(DataError, match="is OMOP's table of concepts under another name"):
        detect(folder / "mine.csv")


def test_what_is_left_out_is_counted(folder: Path) -> None:
    with (folder / "CONCEPT_SYNONYM.csv").open("a") as file:
        file.write("99\tNobody\t4180186\n")
    told: list[Note] = []
    list(read(folder, options=ReadOptions(notice=told.append)))
    assert [in_options(note).partition(".csv: ")[2] for note in told] == [
        "synonyms in other languages were left out: 4180190 (1). "
        "To read them: --languages 4093769 4180186 4180190",
        "left out: 1 invalid concept without a successor. To read them: --suppressed",
        "left out: 1 synonym of other concepts than these.",
    ]


def test_without_mappings_the_concepts_that_are_not_standard_are_counted(folder: Path) -> None:
    (folder / "CONCEPT_RELATIONSHIP.csv").unlink()
    told: list[str] = []
    list(read(folder, options=ReadOptions(notice=told.append, standard=True)))
    assert (
        "left out: 1 non-standard concept without a mapping, as CONCEPT_RELATIONSHIP.csv is missing."
        in " ".join(told)
    )

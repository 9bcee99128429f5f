"""What is exported belongs together, says what a person decided and what not, and is valid in its format."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sssom_pydantic
from fhir.resources.R4B.conceptmap import ConceptMap
from openpyxl import load_workbook
from tests.jobs.outputs import omop_validator, sssom_validator
from tests.mapping.conftest import BREAST, GOUT

from linnet.errors import RequestError, UnknownNameError
from linnet.mapping import Columns, Mapping
from linnet.terminology.readers.fhir_systems import system_of


@pytest.fixture
def reviewed(mapping: Mapping) -> Mapping:
    """podagra → gout (broader); breast cancer: proposed; n/a → nothing; the composite → both, flagged."""
    mapping.decide(1, GOUT, by="ann", equivalence="broader", comment='says "podagra", a sign')
    mapping.decide(4, (), by="ann")
    mapping.decide(5, [BREAST, GOUT], by="bob", status="flagged")
    return mapping


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        lines = [line for line in stream if not line.startswith("#")]
    return list(csv.DictReader(lines, delimiter="\t" if path.suffix == ".tsv" else ","))


def test_a_table_has_a_row_for_each_code_whatever_its_status(reviewed: Mapping, tmp_path: Path) -> None:
    reviewed.export(tmp_path / "out.csv")
    found = {row["code"]: row for row in rows(tmp_path / "out.csv")}
    assert set(found) == {"A1", "A2", "A3", "A4", "A5", "A6"}
    assert found["A1"]["concepts"] == found["A6"]["concepts"] == GOUT
    assert (found["A1"]["frequency"], found["A6"]["frequency"]) == ("120", "7")
    assert (found["A1"]["status"], found["A1"]["equivalence"], found["A1"]["by"]) == (
        "approved",
        "broader",
        "ann",
    )
    assert (found["A2"]["status"], found["A2"]["concepts"], found["A2"]["by"]) == ("unchecked", BREAST, "")
    assert (found["A4"]["status"], found["A4"]["concepts"]) == ("approved", "")
    assert (found["A5"]["status"], found["A5"]["names"]) == ("flagged", "Breast Neoplasms|Gout")


def test_names_belong_to_the_concepts_that_were_decided(reviewed: Mapping, tmp_path: Path) -> None:
    reviewed.decide(2, GOUT, by="ann")
    reviewed.export(tmp_path / "out.tsv")
    [row] = [row for row in rows(tmp_path / "out.tsv") if row["code"] == "A2"]
    assert (row["concepts"], row["names"]) == (GOUT, "Gout")
    assert row["probability"] == ""  # that of the proposal says nothing about another concept


def test_sssom_is_valid_and_holds_what_a_person_approved(reviewed: Mapping, tmp_path: Path) -> None:
    told = reviewed.export(
        tmp_path / "out.sssom.tsv", metadata={"license": "https://creativecommons.org/licenses/by/4.0/"}
    )
    assert sssom_validator.problems(tmp_path / "out.sssom.tsv") == []
    found = {row["subject_id"]: row for row in rows(tmp_path / "out.sssom.tsv")}
    assert set(found) == {"source:A1", "source:A6", "source:A4"}
    assert found["source:A1"]["predicate_id"] == "skos:broadMatch"
    assert {row["mapping_justification"] for row in found.values()} == {"semapv:ManualMappingCuration"}
    assert found["source:A4"]["object_id"] == "sssom:NoTermFound"
    assert told == ["3 of 5 rows are not approved and were left out."]
    others = sssom_pydantic.read(tmp_path / "out.sssom.tsv").mappings
    assert {each.subject.curie: each.predicate.curie for each in others} == {
        "source:A1": "skos:broadMatch", "source:A6": "skos:broadMatch", "source:A4": "skos:exactMatch",
    }  # fmt: skip


def test_what_nobody_checked_is_exported_on_request_and_says_so(reviewed: Mapping, tmp_path: Path) -> None:
    reviewed.export(tmp_path / "out.sssom.tsv", unchecked=0.5)
    assert sssom_validator.problems(tmp_path / "out.sssom.tsv") == []
    [row] = [row for row in rows(tmp_path / "out.sssom.tsv") if row["subject_id"] == "source:A2"]
    assert (row["mapping_justification"], row["author_label"]) == ("semapv:LexicalMatching", "")
    assert float(row["confidence"]) >= 0.5
    flagged = [row for row in rows(tmp_path / "out.sssom.tsv") if row["subject_id"] == "source:A5"]
    assert flagged == []


def test_a_qualifier_that_the_concept_lacks_shows_in_the_predicate(
    make: Callable[..., Mapping], tmp_path: Path
) -> None:
    texts = ["podagra", "family history of gout", "severe gout", "gout without tophi"]
    mapping = make("label\n" + "".join(f"{text}\n" for text in texts), Columns(text="label"))
    predicates = ["skos:exactMatch", "skos:relatedMatch", "skos:broadMatch", "skos:closeMatch"]
    mapping.export(tmp_path / "unchecked.sssom.tsv", unchecked=0.0)
    assert [row["predicate_id"] for row in rows(tmp_path / "unchecked.sssom.tsv")] == predicates
    mapping.approve([1, 2, 3], by="ann")
    mapping.export(tmp_path / "approved.sssom.tsv")
    assert [row["predicate_id"] for row in rows(tmp_path / "approved.sssom.tsv")] == predicates[:3]


def test_omop_is_valid_and_its_code_is_that_of_the_column(reviewed: Mapping, tmp_path: Path) -> None:
    reviewed.export(tmp_path / "out.omop.csv", metadata={"source_vocabulary_id": "WARD"})
    assert omop_validator.problems(tmp_path / "out.omop.csv") == []
    found = {row["source_code"]: row for row in rows(tmp_path / "out.omop.csv")}
    assert found["A6"]["target_concept_id"] == "440674"
    assert (found["A1"]["target_vocabulary_id"], found["A1"]["source_vocabulary_id"]) == ("SNOMED", "WARD")
    assert found["A4"]["target_concept_id"] == "0"


def test_usagi_has_its_columns_and_words(reviewed: Mapping, tmp_path: Path) -> None:
    reviewed.export(tmp_path / "out.usagi.csv")
    found = rows(tmp_path / "out.usagi.csv")
    assert list(found[0])[:5] == [
        "sourceCode",
        "sourceName",
        "sourceFrequency",
        "sourceAutoAssignedConceptIds",
        "ADD_INFO:ward",
    ]
    first = found[0]
    assert (first["mappingStatus"], first["equivalence"], first["conceptId"]) == (
        "APPROVED",
        "WIDER",
        "440674",
    )
    assert int(first["statusSetOn"]) > 1_700_000_000_000
    both = [row["conceptId"] for row in found if row["sourceCode"] == "A5"]
    assert both == ["81251", "440674"]


def test_the_concept_map_is_valid_fhir(reviewed: Mapping, tmp_path: Path) -> None:
    reviewed.export(tmp_path / "out.conceptmap.json", unchecked=0.5)
    resource = json.loads((tmp_path / "out.conceptmap.json").read_text(encoding="utf-8"))
    ConceptMap.model_validate(resource)
    elements: dict[str, Any] = {
        each["code"]: each["target"] for group in resource["group"] for each in group["element"]
    }
    assert elements["A1"][0]["equivalence"] == "wider"
    assert elements["A2"][0] == {
        "code": "81251", "display": "Breast Neoplasms", "equivalence": "relatedto", "comment": "not checked by a person",
    }  # fmt: skip
    assert elements["A4"][0]["equivalence"] == "unmatched"


def test_a_workbook_offers_the_choices_and_keeps_formulas_as_text(mapping: Mapping, tmp_path: Path) -> None:
    mapping.decide(1, GOUT, comment="=HYPERLINK(1)")
    mapping.export(tmp_path / "out.xlsx")
    book = load_workbook(tmp_path / "out.xlsx")
    lists = {choice.formula1 for choice in book["mapping"].data_validations.dataValidation}
    assert '"unchecked,approved,flagged,ignored,invalid target"' in lists
    cells = [cell for row in book["mapping"].iter_rows() for cell in row if cell.value == "=HYPERLINK(1)"]
    assert [cell.data_type for cell in cells] == ["s", "s"]
    assert book["candidates"]["C2"].value == GOUT


def test_an_unknown_ending_or_format_is_refused(mapping: Mapping, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="which format"):
        mapping.export(tmp_path / "out.doc")
    with pytest.raises(UnknownNameError):
        mapping.export(tmp_path / "out.csv", format="excel")
    assert list(tmp_path.glob("out.*")) == []


def test_systems_of_fhir_are_those_that_the_reader_knows() -> None:
    from linnet.terminology.readers import fhir_systems

    assert all(fhir_systems.known_prefix(system_of(prefix)) == prefix for prefix in fhir_systems._NAMED)


def test_overrides_link_other_strings_as_was_decided(mapping: Mapping, omop: Path, tmp_path: Path) -> None:
    import linnet

    mapping.decide(1, BREAST)
    mapping.decide(2, ())
    mapping.decide(5, [BREAST, GOUT])
    mapping.decide(3, GOUT)  # "Podagra", which compares as "podagra"
    told = mapping.export(tmp_path / "overrides.tsv")
    assert "1 string decided differently" in told[0]
    linker = linnet.load(omop, overrides=tmp_path / "overrides.tsv", threads=1)
    links = linker.link(["Breast Cancer", "breast cancer, gout", "podagra"])
    assert [link.concepts for link in links[:2]] == [(), (BREAST, GOUT)]
    assert [link.is_decided for link in links] == [True, True, False]

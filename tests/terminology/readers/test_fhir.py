import json
from pathlib import Path
from typing import Any

import pytest
from tests.advised import in_options

from linnet.advice import Note
from linnet.errors import DataError
from linnet.terminology.readers import ReadOptions, detect, read
from linnet.types import Concept

SNOMED, LOINC, BIRDS = "http://snomed.info/sct", "http://loinc.org", "http://birds.example/CodeSystem/beaks"
FSN = {"system": SNOMED, "code": "900000000000003001"}
SYSTEM: dict[str, Any] = {
    "resourceType": "CodeSystem", "id": "beaks", "url": BIRDS, "name": "Beaks", "language": "en", "content": "complete",
    "hierarchyMeaning": "is-a",
    "property": [{"code": "above", "uri": "http://hl7.org/fhir/concept-properties#parent", "type": "code"}],
    "concept": [
        {"code": "B", "display": "disease", "concept": [
            {"code": "B1", "display": "sore beak", "definition": "A beak that hurts.",
             "designation": [{"value": "beak ache"}, {"language": "en-GB", "value": "poorly beak"},
                             {"language": "fr", "value": "mal de bec"}]},
        ]},
        {"code": "B2", "display": "split beak", "property": [{"code": "above", "valueCode": "B"}]},
        {"code": "B3", "display": "bent beak", "property": [{"code": "subsumedBy", "valueCode": "B"},
                                                            {"code": "child", "valueCode": "B2"}]},
        {"code": "B4", "display": "old beak", "property": [{"code": "inactive", "valueBoolean": True}]},
        {"code": "B5", "display": "older beak", "property": [{"code": "status", "valueCode": "retired"},
                                                             {"code": "replacedBy", "valueCode": "B2"}]},
        {"code": "B6", "display": "any beak", "property": [{"code": "notSelectable", "valueBoolean": True},
                                                           {"code": "status", "valueCode": "active"}]},
    ],
}  # fmt: skip


def write(folder: Path, *documents: object, indent: int | None = None) -> Path:
    file = folder / "beaks.json"
    file.write_text("\n".join(json.dumps(document, indent=indent) for document in documents))
    return file


def concepts(file: Path, **options: Any) -> tuple[dict[str, Concept], list[Note]]:
    notices: list[Note] = []
    found = list(read(file, options=ReadOptions(notice=notices.append, **options)))
    return {c.id: c for c in found}, notices


def value_set(*contains: object, **fields: object) -> dict[str, object]:
    return {"resourceType": "ValueSet", "id": "some", "expansion": {"contains": list(contains)}, **fields}


@pytest.mark.parametrize("indent", [None, 2])
def test_a_code_system_on_one_line_or_several(tmp_path: Path, indent: int | None) -> None:
    file = write(tmp_path, SYSTEM, indent=indent)
    assert detect(file) == "fhir"
    found, notices = concepts(file)
    assert list(found) == ["beaks:B", "beaks:B1", "beaks:B2", "beaks:B3", "beaks:B5", "beaks:B6"]
    assert found["beaks:B1"].all_names == ("sore beak", "poorly beak", "beak ache")
    assert found["beaks:B1"].definition == "A beak that hurts."
    assert {id: c.parents for id, c in found.items() if c.parents} == {
        "beaks:B1": ("beaks:B",),
        "beaks:B2": ("beaks:B", "beaks:B3"),
        "beaks:B3": ("beaks:B",),
    }
    assert (found["beaks:B5"].name, found["beaks:B5"].replaced_by) == ("", ("beaks:B2",))
    assert "2 inactive, retired or deprecated codes left out" in notices[0]
    assert "names in other languages were left out: fr (1). To read them: --languages en fr" in in_options(
        notices[1]
    )


def test_the_kind_of_resource_may_stand_last(tmp_path: Path) -> None:
    document = {
        "concept": SYSTEM["concept"],
        "filler": "x" * 100_000,
        "resourceType": "CodeSystem",
        "id": "beaks",
    }
    assert detect(write(tmp_path, document)) == "fhir"


def test_suppressed_codes_and_other_languages_are_read_when_asked_for(tmp_path: Path) -> None:
    found, notices = concepts(write(tmp_path, SYSTEM), suppressed=True, languages={"en", "fr"})
    assert found["beaks:B1"].names == ("poorly beak", "mal de bec", "beak ache")
    assert (found["beaks:B4"].name, found["beaks:B5"].name) == ("old beak", "older beak")
    assert notices == []
    french, _ = concepts(write(tmp_path, SYSTEM), languages={"fr"})
    assert french["beaks:B1"].all_names == ("mal de bec", "beak ache")


@pytest.mark.parametrize(
    ("url", "id"),
    [
        (SNOMED, "SNOMEDCT:B1"),
        (f"{SNOMED}/731000124108/version/20990301", "SNOMEDCT:B1"),
        (LOINC, "LOINC:B1"),
        ("http://www.nlm.nih.gov/research/umls/rxnorm", "RXNORM:B1"),
        ("http://hl7.org/fhir/sid/icd-10-cm", "ICD10CM:B1"),
        ("http://hl7.org/fhir/sid/icd-10", "ICD10:B1"),
        ("http://human-phenotype-ontology.org", "HP:B1"),
        ("http://unitsofmeasure.org", "UCUM:B1"),
        ("urn:oid:2.16.840.1.113883.6.96", "SNOMEDCT:B1"),
        (BIRDS, "beaks:B1"),
    ],
)
def test_the_uri_of_a_system_gives_the_prefix(tmp_path: Path, url: str, id: str) -> None:
    found, _ = concepts(write(tmp_path, {**SYSTEM, "url": url}))
    assert id in found


def test_an_unknown_system_is_called_as_it_calls_itself_unless_a_prefix_is_named(tmp_path: Path) -> None:
    for fields, prefix in (({"id": "7f3c"}, "Beaks"), ({"id": "7f3c", "name": ""}, "beaks"), ({}, "beaks")):
        assert f"{prefix}:B" in concepts(write(tmp_path, {**SYSTEM, **fields}))[0]
    assert "BIRD:B" in concepts(write(tmp_path, SYSTEM), prefix="BIRD")[0]


def test_codes_that_carry_the_prefix_keep_it_once(tmp_path: Path) -> None:
    system = {
        **SYSTEM,
        "url": "http://human-phenotype-ontology.org",
        "concept": [{"code": "HP:0000001", "display": "beak"}],
    }
    assert list(concepts(write(tmp_path, system))[0]) == ["HP:0000001"]


def test_an_expanded_value_set_of_several_systems(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        value_set(
            {"system": SNOMED, "code": "11", "display": "Soreness of beak (disorder)",
             "designation": [{"use": FSN, "value": "Soreness of beak (disorder)"}, {"value": "Sore beak"}]},
            {"abstract": True, "display": "Group", "contains": [{"system": LOINC, "code": "1-8", "display": "Beak length"}]},
            {"system": LOINC, "code": "2-6", "abstract": True, "display": "Panel",
             "contains": [{"system": LOINC, "code": "3-4", "display": "Beak width", "inactive": True},
                          {"system": LOINC, "code": "4-2", "display": "Beak depth"}]},
        ),
    )  # fmt: skip
    found, notices = concepts(file)
    assert {id: c.all_names for id, c in found.items()} == {
        "SNOMEDCT:11": ("Sore beak", "Soreness of beak"),
        "LOINC:1-8": ("Beak length",),
        "LOINC:4-2": ("Beak depth",),
    }
    assert found["SNOMEDCT:11"].types == ("disorder",)
    assert found["LOINC:4-2"].parents == ("LOINC:2-6",)
    assert ["1 inactive, retired or deprecated code" in notices[0], "1 abstract entry" in notices[1]] == [
        True,
        True,
    ]
    with pytest.raises(DataError, match=r"several systems would begin with 'X:'.*Leave the prefix out"):
        concepts(file, prefix="X")


def test_two_unknown_systems_that_would_share_a_prefix_are_refused(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        value_set(
            {"system": "http://a.example/beaks", "code": "1"},
            {"system": "http://b.example/beaks", "code": "1"},
        ),
    )
    with pytest.raises(
        DataError, match=r"would begin with 'beaks:': http://a\.example/beaks, http://b\.example/beaks"
    ):
        concepts(file)


def test_a_value_set_that_lists_its_codes_is_read_and_one_with_rules_is_not(tmp_path: Path) -> None:
    listing = {"include": [{"system": LOINC, "concept": [{"code": "1-8", "display": "Beak length"}]}]}
    found, _ = concepts(write(tmp_path, {"resourceType": "ValueSet", "id": "x", "compose": listing}))
    assert found["LOINC:1-8"].name == "Beak length"
    rules = {
        "include": [{"system": SNOMED, "filter": [{"property": "concept", "op": "is-a", "value": "11"}]}]
    }
    file = write(tmp_path, {"resourceType": "ValueSet", "id": "x", "compose": rules})
    with pytest.raises(DataError, match=r"has rules but no list of codes.*\$expand"):
        concepts(file)


def test_a_page_of_an_expansion_is_told(tmp_path: Path) -> None:
    page = {"total": 2000, "contains": [{"system": LOINC, "code": "1-8", "display": "Beak length"}]}
    _, notices = concepts(write(tmp_path, value_set(expansion=page)))
    assert "holds only a page: 1 of 2,000 codes" in notices[0]


def test_a_fragment_and_parts_are_told(tmp_path: Path) -> None:
    found, notices = concepts(
        write(tmp_path, {**SYSTEM, "content": "fragment", "hierarchyMeaning": "part-of"})
    )
    assert "is marked as a fragment" in notices[0]
    assert any("1 concept listed as parts of others" in notice for notice in notices)
    assert found["beaks:B1"].parents == ()


def test_bundles_and_lines_of_resources_are_read_and_other_resources_counted(tmp_path: Path) -> None:
    patient = {"resourceType": "Patient", "id": "p"}
    bundle = {"resourceType": "Bundle", "entry": [{"resource": patient}, {"resource": SYSTEM}]}
    found, notices = concepts(write(tmp_path, bundle))
    assert len(found) == 6
    assert "were not read: 1 Patient" in notices[0]
    assert concepts(write(tmp_path, patient, SYSTEM))[0] == found
    with pytest.raises(DataError, match="holds 1 Patient; expected a FHIR CodeSystem or ValueSet"):
        concepts(write(tmp_path, patient))


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ({**SYSTEM, "concept": [], "content": "not-present"}, r"lists no concepts \(content: not-present\)"),
        ({**SYSTEM, "concept": [{"display": "no code"}]}, "is a concept without a code"),
        ({**SYSTEM, "concept": [{"code": "B"}, {"code": "B"}]}, "the code 'B' occurs twice"),
        (value_set({"code": "1", "display": "x"}), r"holds codes without a system\. Give their prefix"),
        (value_set(), "lists no codes"),
        ({**SYSTEM, "concept": [7]}, r"'concept' holds \[7\]; expected a list of objects"),
        (
            {**SYSTEM, "concept": [{"code": "B", "designation": [{"value": "b", "use": 7}]}]},
            "'use' holds 7; expected an object",
        ),
        ({"resourceType": "ValueSet", "expansion": [1]}, "'expansion' holds"),
        ({**SYSTEM, "concept": {"code": "B"}}, "expected a list of objects"),
        (value_set("x"), "expected a list of objects"),
    ],
)
def test_what_holds_no_codes_is_refused(tmp_path: Path, document: dict[str, Any], says: str) -> None:
    with pytest.raises(DataError, match=says):
        concepts(write(tmp_path, document))


def test_a_resource_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path, SYSTEM)
    file.write_text(file.read_text()[:-20])
    with pytest.raises(DataError, match="not valid JSON"):
        concepts(file)


@pytest.mark.data
@pytest.mark.parametrize("name", ["fhir-codesystem.json", "fhir-min.json"])
def test_every_code_of_a_real_code_system_is_a_concept(data: Path, name: str) -> None:
    file = data / "real-files/fhir-codesystem" / name
    listed = json.loads(file.read_text())["concept"]
    found, _ = concepts(file)
    assert {c.id: c.name for c in found.values()} == {
        f"v3-ContextControl:{c['code']}": c["display"] for c in listed
    }
    assert sum(bool(c.parents) for c in found.values()) == 4


def test_a_page_and_a_supplement_are_told(tmp_path: Path) -> None:
    bundle = {
        "resourceType": "Bundle",
        "link": [{"relation": "next", "url": "?page=2"}],
        "entry": [{"resource": SYSTEM}],
    }
    assert concepts(write(tmp_path, bundle))[1][0].endswith("give all files.")
    supplement = {**SYSTEM, "content": "supplement", "supplements": BIRDS}
    assert (
        f"it adds names to {BIRDS}. Give that CodeSystem, too." in concepts(write(tmp_path, supplement))[1][0]
    )

"""SNOMED CT's national editions and extensions: alone, and beside the international release."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.advised import advises, in_options

from linnet.advice import Note, Step
from linnet.errors import DataError
from linnet.terminology.readers import ReadOptions, detect, read

FSN, SYNONYM, DEFINITION = "900000000000003001", "900000000000013009", "900000000000550004"
PREFERRED, REPLACED_BY, IS_A = "900000000000548007", "900000000000526001", "116680003"
US, GB, ES = "900000000000509007", "900000000000508004", "448879004"
INT, BIRDS = "20990101", "20990301"
HEADERS = {
    "Concept": "id effectiveTime active moduleId definitionStatusId",
    "Description": "id effectiveTime active moduleId conceptId languageCode typeId term caseSignificanceId",
    "Relationship": "id effectiveTime active moduleId sourceId destinationId relationshipGroup typeId characteristicTypeId modifierId",
    "Language": "id effectiveTime active moduleId refsetId referencedComponentId acceptabilityId",
    "Association": "id effectiveTime active moduleId refsetId referencedComponentId targetComponentId",
}
HEADERS["TextDefinition"] = HEADERS["Description"]
Rows = Sequence[Sequence[object]]


def concept(id: int, active: int = 1, time: str = INT) -> list[object]:
    return [id, time, active, "0", "0"]


def description(
    id: int,
    concept: int,
    term: str,
    type: str = SYNONYM,
    *,
    language: str = "en",
    active: int = 1,
    time: str = INT,
) -> list[object]:
    return [id, time, active, "0", concept, language, type, term, "0"]


def is_a(id: int, child: int, parent: int) -> list[object]:
    return [id, INT, 1, "0", child, parent, 0, IS_A, "0", "0"]


def preferred(id: str, description: int, refset: str) -> list[object]:
    return [id, INT, 1, "0", refset, description, PREFERRED]


def release(folder: Path, names: dict[str, str], tables: dict[str, Rows]) -> Path:
    for content, rows in tables.items():
        place = (
            "Refset/Language"
            if content == "Language"
            else "Refset/Content"
            if content == "Association"
            else "Terminology"
        )
        file = folder / "Snapshot" / place / names[content]
        file.parent.mkdir(parents=True, exist_ok=True)
        lines = [HEADERS[content].split(), *rows]
        file.write_bytes("".join("\t".join(map(str, line)) + "\r\n" for line in lines).encode())
    return folder


def named(edition: str, language: str, rest: str) -> dict[str, str]:
    return {
        "Concept": f"sct2_Concept_{edition}Snapshot_{rest}.txt",
        "Description": f"sct2_Description_{edition}Snapshot{language}_{rest}.txt",
        "TextDefinition": f"sct2_TextDefinition_{edition}Snapshot{language}_{rest}.txt",
        "Relationship": f"sct2_Relationship_{edition}Snapshot_{rest}.txt",
        "Language": f"der2_cRefset_Language{edition}Snapshot{language}_{rest}.txt",
        "Association": f"der2_cRefset_Association{edition}Snapshot_{rest}.txt",
    }


INTERNATIONAL: dict[str, Rows] = {
    "Concept": [concept(11), concept(12), concept(13, 0)],
    "Description": [
        description(1, 11, "Soreness of beak (disorder)", FSN),
        description(2, 11, "Sore beak"),
        description(3, 12, "Disease (disorder)", FSN),
        description(4, 13, "Beak pain (finding)", FSN),
    ],
    "TextDefinition": [description(5, 11, "A beak that hurts.", DEFINITION)],
    "Relationship": [is_a(6, 11, 12)],
    "Language": [preferred("a", 2, US)],
    "Association": [["b", INT, 1, "0", REPLACED_BY, 13, 11]],
}
EXTENSION: dict[str, Rows] = {
    "Concept": [concept(21), concept(22, 0)],
    "Description": [
        description(31, 21, "Soreness of robin's beak (disorder)", FSN),
        description(32, 21, "Robin's sore beak"),
        description(33, 21, "Robin beak ache"),
        description(34, 11, "Poorly beak"),
        description(35, 22, "Robin thing (finding)", FSN),
    ],
    "TextDefinition": [description(36, 21, "A robin's beak that hurts.", DEFINITION)],
    "Relationship": [is_a(37, 21, 11), is_a(38, 11, 21)],
    "Language": [preferred("c", 33, GB), preferred("d", 34, GB)],
    "Association": [["e", INT, 1, "0", REPLACED_BY, 22, 21]],
}
EDITION = named("UKCL", "-en", f"GB1000000_{BIRDS}")
EDITIONS = {
    "UK clinical": EDITION,
    "UK drug": named("UKDG", "-en", f"GB1000001_{BIRDS}"),
    "US": named("", "-en", f"US1000124_{BIRDS}"),
    "Sweden, once": {**named("", "_sv", f"SE1000052_{BIRDS}"), "Language": f"der2_cRefset_LanguageSnapshot_sv_SE1000052_{BIRDS}.txt"},
    "beta": {content: f"x{name}" for content, name in named("UKCR", "-en-GB", f"GB1000000_{BIRDS}").items()},
    "word before": {**EDITION, "Language": f"der2_cRefset_UKCLLanguageSnapshot-en_GB1000000_{BIRDS}.txt"},
}  # fmt: skip


def summary(path: Path, options: ReadOptions) -> dict[str, tuple[object, ...]]:
    return {
        c.id.removeprefix("SNOMEDCT:"): (c.all_names, c.types, c.definition, c.parents, c.replaced_by)
        for c in read(path, options=options)
    }


@pytest.mark.parametrize("names", EDITIONS.values(), ids=EDITIONS.keys())
def test_an_extension_beside_the_international_release_adds_its_names_and_concepts(
    tmp_path: Path, names: dict[str, str]
) -> None:
    release(tmp_path / "SnomedCT_InternationalRF2", named("", "-en", f"INT_{INT}"), INTERNATIONAL)
    release(tmp_path / "SnomedCT_Extension", names, EXTENSION)
    notices: list[str] = []
    assert detect(tmp_path) == "rf2"
    found = summary(tmp_path, ReadOptions(notice=notices.append))
    assert found == {
        "11": (
            ("Sore beak", "Poorly beak", "Soreness of beak"),
            ("disorder",),
            "A beak that hurts.",
            ("SNOMEDCT:21", "SNOMEDCT:12"),
            (),
        ),
        "12": (("Disease",), ("disorder",), "", (), ()),
        "13": ((), (), "", (), ("SNOMEDCT:11",)),
        "21": (
            ("Robin beak ache", "Robin's sore beak", "Soreness of robin's beak"),
            ("disorder",),
            "A robin's beak that hurts.",
            ("SNOMEDCT:11",),
            (),
        ),
        "22": ((), (), "", (), ("SNOMEDCT:21",)),
    }
    assert notices == []


@pytest.mark.parametrize("names", EDITIONS.values(), ids=EDITIONS.keys())
def test_an_extension_alone_tells_what_belongs_to_the_release_it_extends(
    tmp_path: Path, names: dict[str, str]
) -> None:
    release(tmp_path, names, EXTENSION)
    notices: list[str] = []
    found = summary(tmp_path, ReadOptions(notice=notices.append))
    assert sorted(found) == ["21", "22"]
    assert found["21"][3] == ("SNOMEDCT:11",)
    assert len(notices) == 2
    assert "1 name of 1 concept that is not below it" in notices[0]
    assert "parents of 1 concept that is not below it were left out. Give a folder" in notices[1]


def test_an_edition_that_is_whole_is_read_whole(tmp_path: Path) -> None:
    whole = {content: [*rows, *EXTENSION[content]] for content, rows in INTERNATIONAL.items()}
    release(tmp_path / "a", named("MONO", "-en", f"GB_{BIRDS}"), whole)
    release(tmp_path / "b", named("", "-en", f"US1000124_{BIRDS}"), whole)
    both = summary(tmp_path / "a", ReadOptions()), summary(tmp_path / "b", ReadOptions())
    assert both[0] == both[1]
    assert sorted(both[0]) == ["11", "12", "13", "21", "22"]


SPANISH: dict[str, Rows] = {
    "Concept": [concept(51)],
    "Description": [
        description(61, 11, "dolor de pico (trastorno)", FSN, language="es"),
        description(62, 11, "pico dolorido", language="es"),
        description(63, 51, "módulo (metadato)", FSN, language="es"),
    ],
    "Language": [preferred("f", 62, ES)],
    "Relationship": [],
}


def test_the_spanish_extension_beside_the_international_release(tmp_path: Path) -> None:
    release(tmp_path / "int", named("", "-en", f"INT_{INT}"), INTERNATIONAL)
    spanish = named("SpanishExtension", "-es", f"INT_{BIRDS}")
    spanish["Concept"] = f"sct2_Concept_SpanishExtensionSnapshot_INT_{BIRDS}.txt"
    release(tmp_path / "es", spanish, SPANISH)
    found = summary(tmp_path, ReadOptions(languages={"es"}, notice=lambda message: None))
    assert found["11"][:2] == (("pico dolorido", "dolor de pico"), ("trastorno",))
    notices: list[Note] = []
    english = summary(tmp_path, ReadOptions(notice=notices.append))
    assert english["11"][0] == ("Sore beak", "Soreness of beak")
    (notice,) = notices
    assert "other languages were left out: es (3); 1 active concepts have names only in these" in notice
    assert in_options(notice).endswith("--languages en es")


def test_an_extension_in_another_language_alone_says_what_to_type(tmp_path: Path) -> None:
    release(tmp_path, named("SpanishExtension", "-es", f"INT_{BIRDS}"), SPANISH)
    with pytest.raises(
        DataError,
        match=r"no description in en. Languages: es \(3\)\.",
        check=advises(Step.READ_WITH, languages=["es"]),
    ):
        list(read(tmp_path))
    notices: list[str] = []
    found = summary(tmp_path, ReadOptions(languages={"es"}, notice=notices.append))
    assert sorted(found) == ["51"]
    assert "2 names of 1 concept that is not below it" in notices[0]


def test_names_of_another_release_alone_are_refused(tmp_path: Path) -> None:
    translation = {**SPANISH, "Concept": [], "Description": SPANISH["Description"][:2]}
    release(tmp_path, named("SpanishExtension", "-es", f"INT_{BIRDS}"), translation)
    with pytest.raises(DataError, match=r"2 names of 1 concept that is not below it .* and no others"):
        list(read(tmp_path, options=ReadOptions(languages={"es"})))


def test_the_latest_state_of_a_row_counts_whichever_release_it_is_in(tmp_path: Path) -> None:
    release(tmp_path / "int", named("", "-en", f"INT_{INT}"), INTERNATIONAL)
    later = {
        "Concept": [concept(11), concept(12, 1), concept(13, 1, BIRDS)],
        "Description": [
            description(2, 11, "Sore beak", active=0, time=BIRDS),
            description(1, 11, "Soreness of beak (disorder)", FSN),
        ],
    }
    release(tmp_path / "edition", named("MONO", "-en", f"GB_{BIRDS}"), later)
    found = summary(tmp_path, ReadOptions())
    assert found["11"][:2] == (("Soreness of beak",), ("disorder",))
    assert found["13"][0] == ("Beak pain",)


def test_two_releases_of_one_edition_are_refused(tmp_path: Path) -> None:
    release(tmp_path / "old", named("", "-en", f"INT_{INT}"), INTERNATIONAL)
    release(tmp_path / "new", named("", "-en", f"INT_{BIRDS}"), INTERNATIONAL)
    with pytest.raises(DataError, match="is also there in another release: sct2_Concept_Snapshot_INT_"):
        list(read(tmp_path))


def test_the_same_release_in_two_packages_is_read_once(tmp_path: Path) -> None:
    for package in ("clinical", "drug"):
        release(tmp_path / package, named("", "-en", f"INT_{INT}"), INTERNATIONAL)
    assert sorted(summary(tmp_path, ReadOptions())) == ["11", "12", "13"]


@pytest.mark.parametrize("kind", ["Full", "Delta"])
def test_a_folder_of_other_files_says_which_they_are(tmp_path: Path, kind: str) -> None:
    names = {
        content: name.replace("Snapshot", kind) for content, name in named("", "-en", f"INT_{INT}").items()
    }
    release(tmp_path, names, INTERNATIONAL)
    with pytest.raises(
        DataError, match=f"only {kind} files, which linnet does not read. Give the release folder"
    ):
        list(read(tmp_path))


@pytest.mark.parametrize("name", ["sct2_Description_Snapshot-en_INT_20990101.txt", "filtered.tsv"])
def test_descriptions_alone_are_grouped_by_their_concepts(tmp_path: Path, name: str) -> None:
    release(tmp_path, {"Description": name}, {"Description": INTERNATIONAL["Description"]})
    file = next(tmp_path.rglob(name))
    notices: list[str] = []
    assert detect(file) == "rf2"
    found = summary(file, ReadOptions(notice=notices.append))
    assert found["11"] == (("Sore beak", "Soreness of beak"), ("disorder",), "", (), ())
    assert sorted(found) == ["11", "12", "13"]
    assert "does not say which concepts are retired" in notices[0]


def test_of_a_full_file_of_descriptions_the_latest_state_counts(tmp_path: Path) -> None:
    rows = [
        description(2, 11, "Sore beak"),
        description(2, 11, "Sore beak", active=0, time=BIRDS),
        description(3, 11, "Beak ache"),
    ]
    names = {"Description": "sct2_Description_Full-en_INT_20990301.txt"}
    file = next(release(tmp_path, names, {"Description": rows}).rglob("*.txt"))
    assert summary(file, ReadOptions(notice=lambda message: None))["11"][0] == ("Beak ache",)


def test_descriptions_beside_their_concepts_are_refused_for_the_folder(tmp_path: Path) -> None:
    release(tmp_path, named("", "-en", f"INT_{INT}"), INTERNATIONAL)
    with pytest.raises(
        DataError, match=r"does not say which concepts are retired\. Give the folder: .*Terminology"
    ):
        list(read(next(tmp_path.rglob("sct2_Description*"))))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("Concept", "holds concepts, whose names are in the file of descriptions"),
        ("Relationship", "holds relationships"),
        ("Language", "holds a language reference set"),
        ("Association", "holds a reference set"),
    ],
)
@pytest.mark.parametrize("renamed", [True, False])
def test_other_files_of_a_release_alone_are_refused(
    tmp_path: Path, content: str, says: str, renamed: bool
) -> None:
    name = "some.tsv" if renamed else named("UKCL", "-en", f"GB1000000_{INT}")[content]
    release(tmp_path, {content: name}, {content: INTERNATIONAL[content]})
    with pytest.raises(DataError, match=f"{says}.*Give the release folder"):
        list(read(next(tmp_path.rglob(name))))

"""Several sources read as one terminology: supplementary records of MeSH that have become descriptors."""

from __future__ import annotations

from pathlib import Path

import pytest

from linnet.errors import RequestError
from linnet.terminology import Terminology, write_terminology
from linnet.terminology.readers import ReadOptions, read_several


def record(kind: str, id: str, name: str, *others: str) -> str:
    name_tag = "DescriptorName" if kind == "Descriptor" else "SupplementalRecordName"
    terms = "".join(f"<Term><String>{term}</String></Term>" for term in (name, *others))
    return (
        (
            f'<{kind}Record SCRClass="1"><{kind}UI>{id}</{kind}UI><{name_tag}><String>{name}</String></{name_tag}>'
            f'<ConceptList><Concept PreferredConceptYN="Y"><TermList>{terms}</TermList></Concept></ConceptList></{kind}Record>'
        )
        .replace("<SupplementalUI>", "<SupplementalRecordUI>")
        .replace("</SupplementalUI>", "</SupplementalRecordUI>")
    )


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Descriptors, and an older file of supplementary records, two of which are descriptors by now."""
    descriptors, supplements = tmp_path / "desc2099.xml", tmp_path / "supp2090.xml"
    descriptors.write_text(
        "<DescriptorRecordSet>"
        + record("Descriptor", "D1", "Featherol", "oil of feathers")
        + record("Descriptor", "D2", "Beakin")
        + record("Descriptor", "D3", "Crestine", "beakin salts")
        + "</DescriptorRecordSet>"
    )
    supplements.write_text(
        "<SupplementalRecordSet>"
        + record("Supplemental", "C1", "featherol", "FTR-17")
        + record("Supplemental", "C2", "Oil of feathers")
        + record("Supplemental", "C3", "plumase", "beakin")
        + "</SupplementalRecordSet>"
    )
    return descriptors, supplements


def built(sources: list[Path], place: Path, notes: list[str]) -> Terminology:
    options = ReadOptions(notice=notes.append)
    return write_terminology(read_several(sources, formats=["mesh"] * len(sources), options=options), place)


def named(terminology: Terminology) -> list[str]:
    return [concept.id for concept in terminology if concept.name]


@pytest.mark.parametrize("turned", [False, True])
def test_a_supplementary_record_with_a_descriptors_name_is_an_old_id_of_it(
    files: tuple[Path, Path], tmp_path: Path, turned: bool
) -> None:
    notes: list[str] = []
    terminology = built(sorted(files, reverse=turned), tmp_path / "t", notes)
    assert named(terminology) == ["MESH:C3", "MESH:D1", "MESH:D2", "MESH:D3"]
    retired = {concept.id: concept.replaced_by for concept in terminology if not concept.name}
    assert retired == {"MESH:C1": ("MESH:D1",), "MESH:C2": ("MESH:D1",)}
    (kept,) = (concept for concept in terminology if concept.id == "MESH:D1")
    assert kept.all_names == ("Featherol", "oil of feathers", "FTR-17")  # nothing is lost
    (note,) = notes
    assert "2 supplementary records have the name of a descriptor and became" in note
    assert "MESH:C1 is now MESH:D1, Featherol" in note


def test_a_further_name_makes_no_record_a_descriptor(files: tuple[Path, Path], tmp_path: Path) -> None:
    terminology = built(list(files), tmp_path / "t", [])
    assert "MESH:C3" in named(terminology)


def test_a_name_of_two_descriptors_retires_nothing(tmp_path: Path) -> None:
    descriptors, supplements = tmp_path / "desc2099.xml", tmp_path / "supp2099.xml"
    descriptors.write_text(
        "<DescriptorRecordSet>"
        + record("Descriptor", "D1", "Featherol", "quillin")
        + record("Descriptor", "D2", "Beakin", "quillin")
        + "</DescriptorRecordSet>"
    )
    supplements.write_text(
        f"<SupplementalRecordSet>{record('Supplemental', 'C1', 'quillin')}</SupplementalRecordSet>"
    )
    notes: list[str] = []
    assert "MESH:C1" in named(built([descriptors, supplements], tmp_path / "t", notes))
    assert not notes


def test_sources_of_other_formats_keep_their_places(files: tuple[Path, Path], tmp_path: Path) -> None:
    table = tmp_path / "own.csv"
    table.write_text("id,name\nMESH:C1,featherol\n")
    sources, formats = [files[1], table, files[0]], ["mesh", "table", "mesh"]
    concepts = list(read_several(sources, formats=formats))
    # The user's own table, which is no MeSH file, is left as it is.
    assert [concept.id for concept in concepts[3:4]] == ["MESH:C1"]
    assert concepts[3].name == "featherol"


def test_an_option_that_the_last_source_cannot_honour_is_refused_before_the_first_is_read(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    table = tmp_path / "own.csv"
    table.write_text("id,name\nX:1,featherol\n")
    with pytest.raises(RequestError, match="trees"):
        next(read_several([files[0], table], formats=["mesh", "table"], options=ReadOptions(trees={"D"})))

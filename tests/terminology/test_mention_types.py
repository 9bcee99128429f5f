"""Whether a terminology says what it holds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from linnet.terminology import Terminology, write_terminology
from linnet.terminology.mention_types import MentionTypes, is_of_unknown_kind
from linnet.types import Concept


def made(place: Path, *concepts: Concept) -> Terminology:
    write_terminology(concepts, place)
    return Terminology.open(place)


@pytest.mark.parametrize(
    ("concepts", "unknown"),
    [
        ([Concept("MESH:D1", "gout", sources=("MESH",))], True),
        ([Concept("OMIM:1", "gout", sources=("OMIM",))], True),
        (
            [Concept("MESH:D1", "gout", sources=("MESH",)), Concept("OMIM:1", "gout 1", sources=("OMIM",))],
            False,
        ),
        ([Concept("ICD10CM:M10", "Gout", sources=("ICD10CM",))], False),
        ([Concept("X:1", "gout")], True),
        ([Concept("X:1", "gout", types=("disorder",))], False),
        ([Concept("X:1", "Gicht", types=("Krankheit",))], True),
        ([Concept("X:1", "Gicht", types=("Krankheit", "T047"))], False),
        ([Concept("DOID:1", "gout", sources=("DOID",))], False),
        ([Concept("HP:1", "ascites", sources=("HP",))], False),
        ([Concept("GO:1", "growth", sources=("GO",)), Concept("CL:1", "B cell", sources=("CL",))], False),
    ],
)
def test_types_or_vocabularies_say_what_a_terminology_holds(
    tmp_path: Path, concepts: list[Concept], unknown: bool
) -> None:
    assert is_of_unknown_kind(made(tmp_path / "t", *concepts)) is unknown


def test_all_types_are_counted_and_the_first_one_is_the_mentions(tmp_path: Path) -> None:
    types = MentionTypes(
        made(
            tmp_path / "t",
            Concept("A:1", "renin", types=("Protein", "Chemical")),
            Concept("A:2", "salt", types=("Chemical",)),
            Concept("CHEBI:3", "zinc"),
            Concept("MONDO:4", "gout"),
        )
    )
    assert [types.of(row) for row in range(4)] == [
        "Chemical",
        "Chemical",
        "Chemical",
        "Disease",
    ]  # types are kept in order of the alphabet
    numbers = dict(zip(types.names, types.counts(np.arange(4)).tolist(), strict=True))
    assert numbers == {"Chemical": 3, "Protein": 1, "Disease": 1}


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (["MESH:D1", "OMIM:1"], ["Disease", "Disease"]),  # MEDIC
        (["MESH:D1", "OMIM:1", "X:1"], ["", "", ""]),
        (["MESH:D1"], [""]),
        (["ICD10CM:R05", "ICD10:M10", "ICD11:FA25"], ["Condition", "Condition", "Condition"]),
        (["HP:1"], [""]),
    ],
)
def test_vocabularies_say_what_concepts_without_types_are(
    tmp_path: Path, ids: list[str], expected: list[str]
) -> None:
    types = MentionTypes(made(tmp_path / "t", *(Concept(id, "gout") for id in ids)))
    assert [types.of(row) for row in range(len(ids))] == expected

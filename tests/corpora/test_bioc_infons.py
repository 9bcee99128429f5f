"""Types and concepts in the infons of BioC annotations, as different tools write them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from linnet.corpora import Notes, read
from linnet.corpora.bioc_infons import Census, concepts_of, relinked, type_of


@pytest.mark.parametrize(
    ("infons", "expected"),
    [
        ({"type": "Disease", "identifier": "MESH:D000001"}, ("MESH:D000001",)),
        ({"type": "Disease", "Identifier": "D000001|D000002"}, ("MESH:D000001", "MESH:D000002")),
        ({"type": "Gene", "NCBI Gene": "672"}, ("NCBIGENE:672",)),
        ({"type": "Gene", "NCBI Gene identifier": "672"}, ("NCBIGENE:672",)),
        ({"type": "Gene", "ncbi_gene_id": 672}, ("NCBIGENE:672",)),
        ({"type": "Gene", "Gene": "672"}, ("NCBIGENE:672",)),
        ({"type": "Gene", "gene identifier": "672"}, ("NCBIGENE:672",)),
        ({"type": "Gene", "Gene": "true"}, ()),
        ({"Type": "Chemical", "mesh": "D000001"}, ("MESH:D000001",)),
        ({"type": "Chemical", "MEDIC": "OMIM:100100"}, ("OMIM:100100",)),
        ({"type": "Species", "NCBI Taxonomy": "*9606"}, ("NCBITAXON:9606",)),
        ({"semantic_type": "T047", "CUI": "C0000001"}, ("UMLS:C0000001",)),
        ({"type": "Disease", "database": "OMIM", "id": "100100"}, ("OMIM:100100",)),
        ({"type": "Disease", "Database": "local_names", "ID": "7"}, ("local_names:7",)),
        ({"type": "Disease", "id": "7"}, ()),
        (
            {"type": "Gene", "database": "ncbi_gene", "identifier": "672", "normalized_id": 672},
            ("NCBIGENE:672",),
        ),
        ({"type": "Disease", "identifier": ["D000001", "D000002"]}, ("MESH:D000001", "MESH:D000002")),
        ({"type": "Disease", "identifier": {"id": "D000001"}}, ()),
        ({"type": "Disease", "identifier": "-", "MESH": "D000001"}, ("MESH:D000001",)),
        ({"type": "Disease", "identifier": None, "normalized_id": "D000001"}, ("MESH:D000001",)),
        ({"type": "Disease", "identifier": "-"}, ()),
        ({"type": "Disease"}, ()),
    ],
)
def test_concepts_are_found_under_the_keys_of_many_tools(infons: dict[str, Any], expected: tuple[str, ...]):
    assert concepts_of(infons, type_of(infons))[1] == expected


@pytest.mark.parametrize(
    ("infons", "expected"),
    [
        ({"type": "Disease", "MESH": "D000001"}, {"type": "Disease", "MESH": "OMIM:1"}),
        ({"Type": "Disease", "note": "x"}, {"Type": "Disease", "note": "x", "identifier": "OMIM:1"}),
        ({"type": "Disease", "database": "MESH", "id": "D1"}, {"type": "Disease", "identifier": "OMIM:1"}),
        ({"type": "Disease", "Disease": "D000001"}, {"type": "Disease", "identifier": "OMIM:1"}),
        (
            {
                "type": "Disease", "identifier": "MESH:D000001", "normalized": ["D000001"], "normalized_id": "D000001",
                "database": "ncbi_mesh", "name": "Gout", "accession": "@DISEASE_Gout", "valid": True,
            },
            {"type": "Disease", "identifier": "OMIM:1", "valid": True},
        ),
    ],
)  # fmt: skip
def test_another_concept_replaces_all_that_said_the_first(infons: dict[str, Any], expected: dict[str, Any]):
    changed = relinked(infons, "Disease", ("OMIM:1",), combined=False)
    assert changed == expected
    assert concepts_of(changed, "Disease")[1] == ("OMIM:1",)


def test_infons_that_say_the_same_are_left_as_they_are():
    infons = {"Type": "Gene", "Gene": "672", "score": 0.5}
    assert relinked(infons, "Gene", ("NCBIGENE:672",), combined=False) == infons


def test_annotations_whose_infons_hold_no_known_id_are_counted_with_their_keys():
    notes = Notes()
    census = Census(notes.add)
    for infons in (
        {"type": "Gene", "local": "x", "score": 1},
        {"type": "Gene", "local": "y"},
        {"type": "Gene"},
        {"type": "Gene", "identifier": "-"},
        {"type": "Gene", "identifier": "a b"},
    ):
        key, concepts, _ = concepts_of(infons, "Gene")
        census.add(infons, key, concepts)
    assert [line for line in notes.lines() if "infons" in line] == []
    census.close()
    assert notes.lines() == [
        "2 annotations read without a concept: none of their infons is known to hold ids (local, score)",
        "1 concept id of no known vocabulary, kept as it is written",
    ]


@pytest.mark.data
@pytest.mark.parametrize(("name", "mentions"), [("tmvar3.BioC.XML", 574), ("nlm-gene-style.BioC.xml", 3)])
def test_real_files_have_a_concept_for_every_annotation(data: Path, name: str, mentions: int):
    (document,) = read(data / "real-files" / "bioc-infon-keys" / name)
    assert len(document.mentions) == mentions
    without = [mention for mention in document.mentions if not mention.concepts]
    assert {m.extra["bioc"]["infons"].get("NCBI Gene") for m in without} <= {"-", "None", ""}

"""Concept ids as corpora spell them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.corpora.ids import as_curie, format_concepts, opaque, parse_concepts


@pytest.mark.parametrize(
    ("written", "type", "expected"),
    [
        ("D003920", "", "MESH:D003920"),
        (" MESH:D003920 ", "", "MESH:D003920"),
        ("C536277", "", "MESH:C536277"),
        ("C000600001", "", "MESH:C000600001"),
        ("C0011849", "", "UMLS:C0011849"),
        ("104300", "Disease", "OMIM:104300"),
        ("OMIM:104300", "Gene", "OMIM:104300"),
        ("672", "Gene", "NCBIGENE:672"),
        ("9606", "Species", "NCBITAXON:9606"),
        ("rs334", "SNP", "rs334"),
    ],
)
def test_the_shape_of_an_id_tells_its_vocabulary(written: str, type: str, expected: str):
    assert as_curie(written, type=type) == expected


@pytest.mark.parametrize(
    ("field", "concepts", "combined"),
    [
        ("D000001|-1", ("MESH:D000001",), False),
        ("MESH:D000001;MESH:D000002", ("MESH:D000001", "MESH:D000002"), False),
        ("672,675", ("672", "675"), False),
        ("MESH:D000001,-", ("MESH:D000001",), False),
        ("CUI-less", (), False),
        ("MESH:D000001|UMLS:C0000001", ("MESH:D000001", "UMLS:C0000001"), False),
        ("HLA-DR+", ("HLA-DR+",), False),
        (" D000001+D000002", ("MESH:D000001", "MESH:D000002"), True),
        ("-", (), False),
        ("tmVar:p|SUB|V|600|E;HGVS:p.V600E", ("tmVar:p|SUB|V|600|E;HGVS:p.V600E",), False),
    ],
)
def test_one_field_may_hold_several_concepts(field: str, concepts: tuple[str, ...], combined: bool):
    assert parse_concepts(field) == (concepts, combined)


curies = st.sampled_from(
    ["MESH:D000001", "MESH:C123456", "UMLS:C0000001", "OMIM:100100", "HP:0000001", "MESH:odd"]
)


@given(st.lists(curies, unique=True), st.booleans())
def test_concepts_written_in_a_field_are_read_back(concepts: list[str], combined: bool):
    combined = combined and len(concepts) > 1
    assert parse_concepts(format_concepts(concepts, combined=combined)) == (tuple(concepts), combined)


@pytest.mark.parametrize(
    ("type", "expected"),
    [
        ("Disease", "OMIM:920"),
        ("SpecificDisease", "OMIM:920"),
        ("DiseaseClass", "OMIM:920"),
        ("CompositeMention", "OMIM:920"),
        ("Modifier", "OMIM:920"),
        ("DiseaseOrPhenotypicFeature", "OMIM:920"),
        ("Gene", "NCBIGENE:920"),
        ("GeneOrGeneProduct", "NCBIGENE:920"),
        ("FamilyName", "NCBIGENE:920"),
        ("Species", "NCBITAXON:920"),
        ("OrganismTaxon", "NCBITAXON:920"),
        ("CellLine", "920"),
        ("Chemical", "920"),
        ("", "920"),
    ],
)
def test_the_type_tells_what_a_bare_number_is_and_without_one_it_stays_bare(type: str, expected: str):
    assert as_curie("920", type=type) == expected


@pytest.mark.parametrize(
    ("field", "genes"),
    [
        ("50929(Tax:10090)", ("NCBIGENE:50929",)),
        ("50509,12831(Tax:10090)", ("NCBIGENE:50509", "NCBIGENE:12831")),
        ("50509(Tax:9606);12831(Tax:10090)", ("NCBIGENE:50509", "NCBIGENE:12831")),
    ],
)
def test_genes_may_name_their_species(field: str, genes: tuple[str, ...]):
    assert parse_concepts(field, type="Gene") == (genes, False)


@pytest.mark.parametrize(
    ("field", "type"),
    [
        ("c|SUB|T|920|G;Gene:23417;RS#:1234;Disease:D000001;VariantGroup:0", "DNAMutation"),
        ("c|SUB|T|920|G", ""),
        ("p|DEL|138|;Gene:335", "Modifier"),
        ("c|SUB|T|33+2|C;Gene:3145", "DNAMutation"),
        ("rs1799750;VariantGroup:1", "SNP"),
        ("CorrespondingGene:673;VariantGroup:1", "ProteinMutation"),
    ],
)
def test_a_variant_is_one_concept_whatever_separators_it_has(field: str, type: str):
    assert parse_concepts(field, type=type) == ((field,), False)
    assert opaque([field]) == [field]


def test_what_was_kept_as_written_can_be_counted():
    assert opaque(["MESH:D000001", "c|SUB|T|920|G", "rs334", "920"]) == ["c|SUB|T|920|G", "rs334", "920"]


@given(st.text(max_size=12), st.sampled_from(["", "Gene", "Disease"]))
def test_a_normalised_id_is_left_as_it_is(id: str, type: str):
    once = as_curie(id, type=type)
    assert as_curie(once, type=type) == once

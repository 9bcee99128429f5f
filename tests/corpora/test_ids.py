"""Concept ids as corpora spell them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.corpora.ids import as_curie, format_concepts, parse_concepts


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
        ("672,675", ("OMIM:672", "OMIM:675"), False),
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


@given(st.text(max_size=12), st.sampled_from(["", "Gene", "Disease"]))
def test_a_normalised_id_is_left_as_it_is(id: str, type: str):
    once = as_curie(id, type=type)
    assert as_curie(once, type=type) == once

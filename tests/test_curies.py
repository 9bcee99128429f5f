"""One spelling per vocabulary, whatever the source writes."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet import curies
from linnet.curies import bare, curie


def test_the_examples_in_the_module_are_true() -> None:
    assert doctest.testmod(curies).failed == 0


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("MSH:D003920", "MESH:D003920"),
        ("mesh: D003920 ", "MESH:D003920"),
        ("MIM:104300", "OMIM:104300"),
        ("Orphanet:377788", "ORPHA:377788"),
        ("ORDO:558", "ORPHA:558"),
        ("UMLS_CUI:C0011849", "UMLS:C0011849"),
        ("NCI:C3262", "NCIT:C3262"),
        ("SNOMEDCT_US_2020_03_01:73211009", "SNOMEDCT:73211009"),
        ("ICD10CM_2021_09_28:E11", "ICD10CM:E11"),
        ("http://purl.obolibrary.org/obo/HP_0001250", "HP:0001250"),
        ("http://www.orpha.net/ORDO/Orphanet_558", "ORPHA:558"),
        ("https://identifiers.org/mesh/D003920", "MESH:D003920"),
        ("http://identifiers.org/mesh:D003920", "MESH:D003920"),
        ("Unheard-of:1", "Unheard-of:1"),
        ("plain", "plain"),
        ("", ""),
    ],
)
def test_known_spellings(written: str, expected: str) -> None:
    assert curie(written) == expected


def test_the_prefix_is_given_only_to_ids_without_one() -> None:
    assert curie("104300", prefix="MIM") == "OMIM:104300"
    assert curie("MESH:D1", prefix="OMIM") == "MESH:D1"


@given(st.text(st.characters(codec="ascii"), max_size=20), st.sampled_from(["", "MESH", "msh"]))
def test_a_spelling_settles(written: str, prefix: str) -> None:
    once = curie(written, prefix=prefix)
    assert curie(once) == curie(curie(once))


def test_the_bare_id_is_what_follows_the_prefix() -> None:
    assert [bare(id) for id in ("MESH:D1", "D1", "A:B:C", "")] == ["D1", "D1", "B:C", ""]

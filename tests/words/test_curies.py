"""One spelling per vocabulary, whatever the source writes."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.words import curies
from linnet.words.curies import bare, curie


def test_the_examples_in_the_module_are_true() -> None:
    tried = doctest.testmod(curies)
    assert tried.attempted > tried.failed == 0


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
        ("D003866", "MESH:D003866"),
        ("mesh:d003866", "MESH:D003866"),
        ("C0011849", "UMLS:C0011849"),
        ("HP_0000001", "HP:0000001"),
        ("CVCL:0023", "CVCL:0023"),
        ("CVCL_0023", "CVCL:0023"),
        ("cellosaurus:CVCL_0023", "CVCL:0023"),
        ("hgnc:5", "HGNC:5"),
        ("HGNC:HGNC:5", "HGNC:5"),
        ("HP:HP:0000001", "HP:0000001"),
        ("efo:0000001", "EFO:0000001"),
        ("http://www.ebi.ac.uk/efo/EFO_0000001", "EFO:0000001"),
        ("EntrezGene:672", "NCBIGENE:672"),
        ("GeneID:672", "NCBIGENE:672"),
        ("NCBI Gene:672", "NCBIGENE:672"),
        ("ncbigene:672", "NCBIGENE:672"),
        ("taxonomy:9606", "NCBITAXON:9606"),
        ("DrugBank:DB00001", "DRUGBANK:DB00001"),
        ("SNOMED:73211009", "SNOMEDCT:73211009"),
        ("SNOMED CT:73211009", "SNOMEDCT:73211009"),
        ("SCTID:73211009", "SNOMEDCT:73211009"),
        ("http://snomed.info/id/73211009", "SNOMEDCT:73211009"),
        ("http://snomed.info/sct|73211009", "SNOMEDCT:73211009"),
        ("http://snomed.info/sct/900000000000207008/id/73211009", "SNOMEDCT:73211009"),
        ("http://purl.bioontology.org/ontology/MESH/D003866", "MESH:D003866"),
        ("http://id.nlm.nih.gov/mesh/D003866", "MESH:D003866"),
        ("identifiers.org/mesh:D003866", "MESH:D003866"),
        ("http://identifiers.org/obo.go/GO:0006915", "GO:0006915"),
        ("urn:miriam:obo.go:GO%3A0006915", "GO:0006915"),
        ("https://example.org/terms?obo_id=HP:0000118", "HP:0000118"),
        ("RXCUI:161", "RXNORM:161"),
        ("PubChem CID:2244", "PUBCHEM.COMPOUND:2244"),
        ("kegg.compound:C00031", "KEGG:C00031"),
        ("UniProtKB:P12345", "UNIPROT:P12345"),
        ("ICD-10-CM:E11.9", "ICD10CM:E11.9"),
        ("icd-o-3:8000/3", "ICDO:8000/3"),
        ("http://example.org/vocabulary/5", "http://example.org/vocabulary/5"),
        ("PR_1", "PR_1"),
        ("C123456", "C123456"),
        ("007", "007"),
        ("OMIM:000007", "OMIM:000007"),
        ("plain", "plain"),
        ("", ""),
    ],
)
def test_known_spellings(written: str, expected: str) -> None:
    assert curie(written) == expected


def test_the_prefix_is_given_only_to_ids_without_one() -> None:
    assert curie("104300", prefix="MIM") == "OMIM:104300"
    assert curie("MESH:D1", prefix="OMIM") == "MESH:D1"


def test_a_prefix_that_is_given_goes_before_the_shape_of_an_id() -> None:
    assert curie("D003866", prefix="LAB") == "LAB:D003866"
    assert curie("HP_0000001", prefix="LAB") == "LAB:HP_0000001"
    assert curie("HP_0000001", prefix="hp") == "HP:0000001"


def test_every_vocabulary_of_the_table_is_known_in_its_own_spelling() -> None:
    for prefix in {*curies.SPELLINGS.values(), *curies._table()[0].values()}:
        assert curie(f"{prefix.lower()}:7") == f"{prefix}:7"


@given(st.text(st.characters(codec="ascii"), max_size=20), st.sampled_from(["", "MESH", "msh"]))
def test_a_spelling_settles(written: str, prefix: str) -> None:
    once = curie(written, prefix=prefix)
    assert curie(once) == curie(curie(once))


def test_the_bare_id_is_what_follows_the_prefix() -> None:
    assert [bare(id) for id in ("MESH:D1", "D1", "A:B:C", "")] == ["D1", "D1", "B:C", ""]

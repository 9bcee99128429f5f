"""Chemicals that the text presents as genes, or whose name begins a gene's."""

from __future__ import annotations

import re

import pytest

from linnet.recognise.gene_names import gene_spans


def genes(text: str, *chemicals: str) -> list[str]:
    """Which of all occurrences of these chemicals are genes."""
    spans = sorted(match.span() for name in chemicals for match in re.finditer(re.escape(name), text))
    return [text[start:end] for start, end in gene_spans(text, spans)]


@pytest.mark.parametrize(
    "text",
    [
        "The QRS2 gene was sequenced.",
        "Mutations in QRS2 were found.",
        "Homozygous QRS2 knockout mice.",
        "Exon 2 encodes QRS2.",
        "The QRS2*3 allele is rare.",
        "QRS2 (slow) genotypes were set apart.",
        "We raised QRS2 protein in cells.",
        "Quick retinal synthase 2 (QRS2) was measured.",
    ],
)
def test_a_symbol_that_is_called_a_gene_once_is_one_everywhere(text: str) -> None:
    assert genes(f"{text} Later QRS2 fell.", "QRS2") == ["QRS2", "QRS2"]


@pytest.mark.parametrize(
    ("text", "chemical"),
    [
        ("QRS2 was given, and QRS2 levels and expression rose.", "QRS2"),
        ("Release of GABA and the NMDA receptor, with an NMDA antagonist.", "NMDA"),
        ("Dopamine receptor antagonists and the serotonin transporter.", "Dopamine"),
        ("The epithelial sodium channel carries sodium.", "sodium"),
        ("Clonidine lowered the rate in gene-targeted mice.", "Clonidine"),
        ("Lithium in manic disease, and lithium increases gene expression.", "ithium"),
        ("Lithium inhibits the kinase gene and aspirin activates protein genes.", "Lithium"),
    ],
)
def test_chemicals_stay(text: str, chemical: str) -> None:
    assert genes(text, chemical) == []


def test_what_defines_a_chemical_outweighs_the_word_beside_its_short_form() -> None:
    text = "Quiet resin sulfate (QRS) was given; QRS mutant cells died."
    assert genes(text, "Quiet resin sulfate", "QRS") == []
    assert genes(text, "QRS") == ["QRS", "QRS"]


@pytest.mark.parametrize(
    "text",
    [
        "A polymorphism of the serotonin transporter.",
        "The serotonin transporter gene.",
        "The serotonin transporter (SLC) promoter.",
        "The gene encoding the serotonin transporter.",
        "Mutations in a serotonin-binding protein and serotonin transporter variants.",
    ],
)
def test_a_chemical_that_begins_the_name_of_a_gene_is_part_of_it(text: str) -> None:
    assert set(genes(text, "serotonin")) == {"serotonin"}
    again = f"{text} Serotonin itself, serotonin and the serotonin transporter."
    assert len(genes(again, "serotonin")) == text.count("serotonin") + 1  # not where it stands alone


def test_a_name_directly_before_gene_is_one_only_there() -> None:
    assert genes("The vasopressin gene makes vasopressin.", "vasopressin") == ["vasopressin"]


def test_channels_are_known_by_their_gate() -> None:
    assert genes("Ca(V)2.1 and Na(v)1.5 carry Ca and Na", "Ca", "Na") == ["Ca", "Na"]


def test_without_chemicals_nothing_is_read() -> None:
    assert gene_spans("The QRS2 gene", []) == []


def test_in_a_text_about_genetics_the_name_of_a_protein_stands_for_its_gene() -> None:
    text = "The serotonin transporter was studied, and serotonin."
    assert genes(text, "serotonin") == []
    assert genes(f"{text} Genotypes, alleles and haplotypes.", "serotonin") == ["serotonin"]

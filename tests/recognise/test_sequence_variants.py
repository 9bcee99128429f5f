"""Notations of variants, and chemicals that only look like one."""

from __future__ import annotations

import doctest

import pytest

from linnet.recognise import sequence_variants
from linnet.recognise.sequence_variants import may_be_of_variant, variant_spans


def found(text: str) -> set[str]:
    """The longest notations, as characters that at least one covers."""
    covered = [False] * len(text)
    for start, end in variant_spans(text):
        covered[start:end] = [True] * (end - start)
    runs, run = set(), ""
    for character, is_covered in zip(f"{text} ", [*covered, False], strict=True):
        if is_covered:
            run += character
        elif run:
            runs.add(run.strip())
            run = ""
    return runs


def test_the_examples_hold() -> None:
    tried = doctest.testmod(sequence_variants)
    assert tried.attempted > tried.failed == 0


@pytest.mark.parametrize(
    "notation",
    [
        "p.Val600Glu",
        "p.(Arg97Profs*23)",
        "c.35G>T",
        "c.76_77insT",
        "NM_000546.5:c.215C>G",
        "rs1801133",
        "Arg753Gln",
        "Glu(504)Lys",
        "Trp24Ter",
        "Gly12→Asp",
        "VAL66MET",
        "V600E",
        "677C→T",
        "-308G/A",
        "35delG",
        "del(5q)",
        "t(9;22)(q34;q11)",
        "valine to methionine",
        "adenine (A) to guanine (G)",
        "substitution of glycine by arginine",
        "lysine at position 27",
        "codon 72 (arginine",
        "cytosine deletion",
        "nucleotide 893",
        "single-nucleotide polymorphism",
    ],
)
def test_notations_are_found_whole(notation: str) -> None:
    [run] = found(f"We saw, {notation}, there.")
    assert notation in run


@pytest.mark.parametrize(
    "text",
    [
        "Rats were given lysine and arginine (10 mg) with serine.",
        "Glycine 200 mg and methionine 500 mg were taken.",
        "An amino acid mixture without tyrosine; nucleotides in the diet.",
        "The calcium ionophore A23187, PD98059 and FK506 were used.",
        "Metformin (MET 500 mg) and 5-FU, 6-OHDA, L-DOPA and vitamin B12.",
        "Adenosine infusion, thymidine uptake and uridine.",
        "",
    ],
)
def test_chemicals_are_no_variants(text: str) -> None:
    assert found(text) == set()


def test_a_site_in_a_protein_is_a_variant_only_beside_others() -> None:
    assert found("STAT3 is phosphorylated at Tyr705.") == set()
    assert "Tyr705" in found("STAT3 lacks Tyr705 in the variant p.Tyr705Phe.")


@pytest.mark.parametrize("text", ["valine", "Val", "nucleotide", "V600E", "rs6265", "ATG", "p.Arg97"])
def test_parts_of_variants_are_worth_a_search(text: str) -> None:
    assert may_be_of_variant(text)


@pytest.mark.parametrize("text", ["aspirin", "sodium chloride", "vitamin D", "heparin"])
def test_other_chemicals_are_not(text: str) -> None:
    assert not may_be_of_variant(text)

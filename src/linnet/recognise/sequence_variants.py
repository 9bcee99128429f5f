"""Notations of sequence variants in a text: "p.Val600Glu", "c.35G>T", "rs1801133", "677C→T", "valine to methionine".

Amino acids and bases are chemicals, but not where they say what a variant changes. Sources: HGVS recommendations (codes of amino
acids, prefixes of reference sequences, kinds of changes), dbSNP (rs numbers), ISCN (chromosomes: "del(5q)"); the older forms are
those that HGVS advises against. Written by hand, not from a corpus.
"""

from __future__ import annotations

import re

__all__ = ["may_be_of_variant", "variant_spans"]

_CODE = r"(?:Ala|Arg|Asn|Asp|Asx|Cys|Gln|Glu|Glx|Gly|His|Ile|Leu|Lys|Met|Phe|Pro|Sec|Ser|Thr|Trp|Tyr|Val)"
_CAPITALS = _CODE.upper().replace(
    "?:", "?:", 1
)  # "VAL66MET"; too much else is written in capitals for looser forms
_STOP = r"(?:Ter|TER|[Ss]top|STOP|X|\*|del|dup|ins|fs\w*)"
_ACID = (
    r"(?:alanine|arginine|asparagine|aspartic acid|aspartate|cysteine|glutamine|glutamic acid|glutamate|glycine|histidine|"
    r"(?:iso)?leucine|lysine|methionine|phenylalanine|proline|serine|threonine|tryptophan|tyrosine|valine)s?"
)
_NUCLEOBASE = r"(?:adenine|cytosine|guanine|thymine|uracil|(?:deoxy)?(?:adenosine|cytidine|guanosine|thymidine|uridine))s?"
_BASE = rf"(?:{_NUCLEOBASE}|\b[ACGTU]\b)"
_UNIT = r"(?:nucleotide|amino[ -]acid)"
_ARROW = r"(?:[-–—=]*>|→|⇒|/|&gt;)"
_CHANGE = (
    r"(?:substitut|replac|chang|exchang|conver[st]|mutat|transition|transversion|varia(?:nt|tion)|polymorphi|insert|delet|"
    r"duplicat)\w*"
)
_PLACE = r"(?:codons?|residues?|positions?|nucleotides?|exons?|introns?)"
_ASIDE = r"(?:\s?\([^()\s]{1,8}\))?"  # "adenine (A) to guanine (G)"
_ARTICLE = r"(?:(?:an?|the|one|two|three|single|\d+)\s)?"
# An amino acid or a base in words or by its code, as what changes.
_ONE = (
    rf"{_ARTICLE}(?:\w+\s)?(?:{_ACID}|{_CODE}|{_BASE}){_ASIDE}(?:\s(?:codon|residue)s?)?"
    rf"(?:\sat\s(?:the\s)?(?:{_PLACE}|{_UNIT})\s(?:position\s)?[+-]?\d+)?"
)
_CODED = rf"(?:{_CODE}|{_ACID}|{_NUCLEOBASE})"

_PATTERNS = (
    # HGVS with its prefix, to the end of the word: "p.(Arg97Profs*23)", "c.35G>T", "NM_000546.5:c.215C>G".
    r"(?<![\w.])(?:[A-Z]{2}_?\d+(?:\.\d+)?(?:\([\w-]+\))?:)?(?:[cgmnr]\.\s?[*(+-]?\d|p\.\s?[(\[]?[A-Z])[^\s,;]*",
    r"\brs\s?#?\d{3,}\b",  # dbSNP
    # A position between amino acids: "Val66Met", "Arg-753-Gln", "Glu(504)Lys", "Trp24Ter", "Gly12→Asp".
    rf"\b{_CODE}[-–\s]?\(?\d{{1,5}}\)?[-–\s]?(?:{_ARROW}\s?)?(?:{_CODE}|{_STOP})(?![a-z])",
    rf"\b{_CAPITALS}[-–]?\(?\d{{1,5}}\)?[-–]?{_ARROW}?(?:{_CAPITALS}|{_STOP})\b",
    rf"\b\d{{1,4}}\s?{_CODE}\b(?:\s?{_ARROW}\s?{_CODE}\b)?",
    # One-letter codes and bases: "V600E", "C677T", "677C→T", "-308G/A", "35delG", "CAC(3543)TAC", "A/G".
    r"(?<![\w-])[ACDEFGHIKLMNPQRSTVWY]\d{2,5}[ACDEFGHIKLMNPQRSTVWYX*](?![\w-])",
    rf"(?<!\w)[-–+]?\d{{1,6}}\s?[ACGTU]{{1,3}}\s?{_ARROW}\s?[ACGTU]{{1,3}}\b",
    rf"\b[ACGTU]{{3}}\s?(?:\(\d+\)|{_ARROW}|to)\s?[ACGTU]{{3}}\b",
    r"(?<!\w)[-–+]?\d{1,6}(?:_\d+)?\s?(?:del|ins|dup)(?:[ACGT]+|\d+)?\b",
    rf"\b(?:[ACGT]|{_CODE})\s?{_ARROW}\s?(?:[ACGT]|{_CODE})\b",
    rf"\b{_CODE}[-–]{_CODE}(?=\s(?:{_CHANGE}|genotyp\w+))",
    # Chromosomes: "del(5q)", "t(9;22)(q34;q11)", "inv(16)".
    r"\b(?:del|dup|inv|ins|t|der|i|add|trp)\s?\((?:\d{1,2}|[XY])[pq;\d.]*\)(?:\([pq\d;.-]+\))?",
    # In words: "valine to methionine", "substitution of glycine by arginine", "lysine at position 27", "codon for lysine".
    rf"\b{_ONE}(?:\s|-)(?:to|into|→)(?:\s|-){_ONE}",
    rf"\b{_CHANGE}\s(?:of|from)\s(?:(?:highly|conserved)\s)*{_ONE}(?:\s(?:to|into|by|with|for)\s{_ONE})?",
    rf"\b{_ONE}\s(?:{_CHANGE}\s)?(?:for|by|with)\s{_ONE}(?=[^.;]{{0,20}}\b(?:{_PLACE}|{_CHANGE}))",
    rf"\b{_CODED}{_ASIDE}\s(?:residues?\s)?(?:at|in)\s(?:the\s)?(?:{_PLACE}|{_UNIT})\b(?:\s(?:position\s)?\d+)?",
    rf"\b(?:{_PLACE}|{_UNIT})\s(?:position\s)?[+-]?\d{{1,5}},?\s\(?(?:from\s|of\s)?{_CODED}\b",
    rf"\b{_CODED}[\s-](?:codon|residue|allele|genotype|homozyg\w+|heterozyg\w+|{_CHANGE}|repeats?)s?\b",
    rf"\bcodons?\s(?:for|of)\s{_ARTICLE}{_CODED}\b",
    # What is counted, placed or changed: "nucleotide 893", "13 nucleotides in", "single-nucleotide deletion".
    rf"\b{_UNIT}\s(?:position|pair|{_CHANGE}|repeat|[+-]?\d)\w*",
    rf"\b{_CHANGE}\sof\s(?:(?:an?|the|one|two|three|single|\d+)[\s-])?(?:\w+\s)?{_UNIT}s?\b",
    rf"\b(?:single|\d+|one|two|three|four|five|six)[\s-]{_UNIT}s?(?:\s[\w-]+)?\s{_CHANGE}",
)  # fmt: skip
# A place in a protein, "Arg753" or "histidine 158": a variant where the text has others, else often a site that is phosphorylated or
# binds something, which NLM-Chem annotates as a chemical.
_SITES = (
    rf"\b{_CODE}[-–\s]?\(?\d{{1,5}}\)?(?![\w-])",
    rf"\b{_CODED}[\s-]\d{{2,4}}\b(?!\s?(?:[mµμ]?[gMl]\b|%|[mk]g|days?|hours?|h\b|min))(?:[\s-](?:to\s)?{_CODED})?",
)  # fmt: skip
_VARIANT = [re.compile(pattern) for pattern in _PATTERNS]
_SITE = [re.compile(pattern) for pattern in _SITES]
# What may be a chemical or a part of a variant; all else is never searched for variants.
_EITHER = re.compile(
    rf"\b{_CODE}(?![a-z])|\b{_CAPITALS}(?![A-Z])|(?i:{_ACID}|{_NUCLEOBASE}|{_UNIT})|^[ACGTU]{{1,3}}$|[A-Z]\d+[A-Z]|\brs\s?\d|\b[cgmnpr]\."
)


def may_be_of_variant(text: str) -> bool:
    """Whether a name in a text may belong to the notation of a variant: only then is it worth searching the text."""
    return _EITHER.search(text) is not None


def variant_spans(text: str) -> list[tuple[int, int]]:
    """Start and end (exclusive) of each notation of a variant, in text order; they may overlap.

    >>> text = "Met at codon 66 (Val66Met, rs6265) replaces valine; valine was infused"
    >>> [text[start:end] for start, end in variant_spans(text)]
    ['Met at codon 66', 'Val66Met', 'rs6265']
    """
    variants = [match.span() for pattern in _VARIANT for match in pattern.finditer(text)]
    sites = [match.span() for pattern in _SITE for match in pattern.finditer(text)] if variants else []
    return sorted({*variants, *sites})

"""Names that a text presents as genes or their products: "CYP2D6 gene", "mutations in NAT2", "serotonin transporter (5-HTT) gene".

Chemicals and genes share symbols, and many names of proteins begin with the chemical that the protein makes, moves or binds. The
evidence is the text's own: a word beside the symbol, or the end of the long form that defines it. Shapes follow the guidelines of
HGNC (symbols are capitals and digits) and of the enzyme nomenclature ("-ase"). Written by hand, not from a corpus.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from linnet.read.abbreviations.definitions import Definition, find_definitions

__all__ = ["gene_spans"]

_GENE = (
    r"(?:c?DNA|alleles?|coding|exons?|genes?|genetic|genotypes?|haplotypes?|heterozygo\w+|homolog(?:ue)?s?|homozygo\w+|introns?|"
    r"knock-?outs?|loci|locus|mRNA|mutants?|mutated|mutations?|null|orthologs?|polymorphi\w+|promoters?|SNPs?|transcripts?|variants?)\b"
)
_EVENT = (
    r"(?:alleles?|deletions?|amplifications?|exons?|knock-?downs?|locus|mutations?|polymorphisms?|promoters?|silencing|SNPs?|"
    r"transcription|variants?)"
)
_SYMBOL = r"(?:[A-Z][A-Za-z]{0,2}[A-Z0-9][A-Z0-9]{0,6}(?:-\d{1,2}[A-Z]?|-[A-Z]{1,3}\d?)?|[A-Z][a-z]{1,3}\d{1,2}[a-z]?)"
_BRACKETS = r"(?:\s?[(\[][^()\[\]]{2,40}[)\]])?"
_SYMBOL_CALLED = (
    # "NAT2 gene", "CYP2C9*2 allele", "NAT2 (acetylator) genotype", "SERPINE1 genetic polymorphism"
    re.compile(rf"(?<![\w-])({_SYMBOL})(?:\*\w+)?{_BRACKETS}[\s-]+(?:\w+\s)?{_GENE}"),
    # "the genes NAT1 and NAT2", "mutations in NAT2", "encodes NAT2"
    re.compile(rf"\b(?i:genes?|{_EVENT}\s(?:in|of|at)|encod(?:es|ing))\s(?:(?:the|both|human)\s)*\(?({_SYMBOL})(?![\w-])"),
    # "NAT2 protein": not "expression", which is said of chemicals as well
    re.compile(rf"(?<![\w-])({_SYMBOL})\s(?:m?RNA|proteins?|isoforms?)\b"),
)  # fmt: skip
_SHAPE = re.compile(_SYMBOL)
# Channels by their gate: "Ca(V)2.1", "Nav1.5", "K(ir)6.2".
_CHANNEL = re.compile(r"(?:\(?(?:[vV]|ir|IR)\)?\s?\d{1,2}\.\d|\([vV]\)\d)")
# From a chemical to the end of a protein's name: "dopamine D2 receptor", "glutathione S-transferase P1".
# Between them are parts of such names only, no verb: "lithium inhibits the kinase gene" is about lithium.
_PART = (
    r"(?:[A-Z][\w()]{0,6}|\d\w{0,3}|alpha|beta|gamma|delta|acid|activated|binding|cassette|concentrating|conjugating|converting|coupled|"
    r"dependent|exchange|gated|inducible|ion|inwardly|like|linked|nucleotide|phosphate|protein|receptor|rectifying|regulatory|releasing|"
    r"responsive|rich|sensing|sensitive|signal|threonine|tyrosine|type|uptake|voltage)"
)
# Words in "-ase" that name no enzyme.
_AN_ENZYME = r"(?!\w*(?:dise|incre|decre|rele|purch|datab|rel|phr)ases?\b)"
_HEAD = (
    rf"[\s-](?:{_PART}[\s-]{{1,2}}){{0,4}}?{_AN_ENZYME}"
    r"(?:[a-z]{3,}ase|transporter|exchanger|receptor|channel|carrier|protein|subunit|permease|pump|enzyme|factor|transducer|synthetase)s?\b"
)
_NUMBERED = (
    r"(?:[\s-](?:[A-Z]{0,3}\d{1,2}[A-Z]?\d?|[IVX]{1,4}|[A-Z]|alpha|beta|gamma|type\s\w+|subunit)\b){0,3}?"
)
_CALLED_AFTER = re.compile(rf"(?P<name>{_HEAD}{_NUMBERED}){_BRACKETS}[\s-]+(?:[\w*/>-]+\s)?{_GENE}")
_GENE_FOLLOWS = re.compile(rf"{_BRACKETS}\sgenes?\b(?!-)")  # "keratin 12 (KRT12) gene"
_CALLED_BEFORE = re.compile(
    rf"\b(?i:(?:{_GENE[:-2]}|{_EVENT})\s(?:encoding|for|of|in|coding\sfor)|encod(?:es|ing)(?:\sfor)?)\s(?:(?:the|an?|human|coding|promoter|region|of)\s)*(?:[\w-]+-)?$"
)
_NAME = re.compile(_HEAD)
# A text with as many of these words is about genetics: there a protein's name stands for its gene. No chemical of BC5CDR and
# NLM-Chem train is lost by it.
_GENETICS = re.compile(
    r"\b(?i:polymorphi\w+|mutations?|mutants?|genotyp\w+|alleles?|haplotypes?|SNPs?|genes?|exons?|variants?)\b"
)
_OFTEN = 3
_LONGEST_BEFORE = 70
# The last word of a long form that names a protein.
_PROTEIN = re.compile(
    rf"\b{_AN_ENZYME}"
    r"(?:\w*[a-z]{3}ase|transporter|exchanger|receptor|channel|protein|subunit|\w*globin)s?(?:\s[\dA-Z][\w-]{0,2}|\s(?:alpha|beta|gamma))?$"
)


def gene_spans(text: str, chemicals: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Those of these spans that the text presents as genes or proteins, or that begin the name of a gene, in the order given.

    chemicals  start and end (exclusive) of what may be chemicals

    What the text calls a gene once is one everywhere in it. A chemical in a protein's name ("dopamine receptor") is left alone
    unless the text speaks of the gene, or of genes throughout: BC5CDR annotates the chemical there, NLM-Chem does not. A short
    form whose long form is one of the chemicals is none.
    """
    if not chemicals:
        return []
    definitions = find_definitions(text)
    spans = set(chemicals)
    shaped = any(_SHAPE.fullmatch(text, start, end) for start, end in chemicals)
    symbols = (
        {match[1] for pattern in _SYMBOL_CALLED for match in pattern.finditer(text)}
        if shaped or definitions
        else set()
    )
    phrases = _gene_phrases(text, chemicals, definitions, symbols)
    for definition in definitions:
        long = (definition.long_start, definition.long_end)
        if long in spans and text[slice(*long)] not in phrases:
            symbols.discard(definition.short)
        elif _PROTEIN.search(definition.long):
            symbols.add(definition.short)
    return [
        (start, end)
        for start, end in chemicals
        if text[start:end] in symbols
        or _CHANNEL.match(text, end)
        or _GENE_FOLLOWS.match(text, end)
        or any(text.startswith(phrase, start) for phrase in phrases.get(text[start:end], ()))
    ]


def _gene_phrases(
    text: str, chemicals: Sequence[tuple[int, int]], definitions: Sequence[Definition], symbols: set[str]
) -> dict[str, set[str]]:
    """By the chemical's text: the phrases that begin with it and that the text calls genes somewhere."""
    phrases: dict[str, set[str]] = {}
    about_genes = sum(1 for _ in islice(_GENETICS.finditer(text), _OFTEN)) == _OFTEN
    for start, end in chemicals:
        phrase = None
        if called := _CALLED_AFTER.match(text, end):
            phrase = text[start : end + len(called["name"])]
        elif (name := _NAME.match(text, end)) and (
            about_genes or _CALLED_BEFORE.search(text[max(0, start - _LONGEST_BEFORE) : start])
        ):
            phrase = text[start : name.end()]
        else:
            for definition in definitions:
                if (
                    definition.short in symbols
                    and definition.long_start <= start
                    and end < definition.long_end
                ):
                    phrase = text[start : definition.long_end]
        if phrase:
            phrases.setdefault(text[start:end], set()).add(phrase)
    return phrases

"""Names that a text presents as genes or their products: "CYP2D6 gene", "mutations in NAT2", "serotonin transporter (5-HTT) gene".

Chemicals and genes share symbols, and many names of proteins begin with the chemical that the protein makes, moves or binds. The
evidence is the text's own: a word beside the symbol, or the end of the long form that defines it. The patterns are in the table
`gene_names` of `linnet.read`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from linnet.read.abbreviations.definitions import Definition, find_definitions
from linnet.read.named_patterns import patterns

__all__ = ["gene_spans"]

# A text with as many words of genetics is about genetics. No chemical of BC5CDR and NLM-Chem train is lost by it.
_OFTEN = 3
_BEFORE = 70  # characters before a chemical in which the text may call it a gene


def _pattern(role: str) -> re.Pattern[str]:
    [pattern] = patterns("gene_names", role)
    return pattern


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
    shaped = any(_pattern("symbol").fullmatch(text, start, end) for start, end in chemicals)
    symbols = (
        {match[1] for pattern in patterns("gene_names", "symbolcalled") for match in pattern.finditer(text)}
        if shaped or definitions
        else set()
    )
    phrases = _gene_phrases(text, chemicals, definitions, symbols)
    for definition in definitions:
        long = (definition.long_start, definition.long_end)
        if long in spans and text[slice(*long)] not in phrases:
            symbols.discard(definition.short)
        elif _pattern("protein").search(definition.long):
            symbols.add(definition.short)
    return [
        (start, end)
        for start, end in chemicals
        if text[start:end] in symbols
        or _pattern("channel").match(text, end)
        or _pattern("genefollows").match(text, end)
        or any(text.startswith(phrase, start) for phrase in phrases.get(text[start:end], ()))
    ]


def _gene_phrases(
    text: str, chemicals: Sequence[tuple[int, int]], definitions: Sequence[Definition], symbols: set[str]
) -> dict[str, set[str]]:
    """By the chemical's text: the phrases that begin with it and that the text calls genes somewhere."""
    phrases: dict[str, set[str]] = {}
    about_genes = sum(1 for _ in islice(_pattern("genetics").finditer(text), _OFTEN)) == _OFTEN
    for start, end in chemicals:
        phrase = None
        if called := _pattern("calledafter").match(text, end):
            phrase = text[start : end + len(called["name"])]
        elif (name := _pattern("head").match(text, end)) and (
            about_genes or _pattern("calledbefore").search(text[max(0, start - _BEFORE) : start])
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

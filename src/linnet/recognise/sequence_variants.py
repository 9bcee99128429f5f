"""Notations of sequence variants in a text: "p.Val600Glu", "c.35G>T", "rs1801133", "677C→T", "valine to methionine".

Amino acids and bases are chemicals, but not where they say what a variant changes. The notations are in the table
`sequence_variants` of `linnet.read`.
"""

from __future__ import annotations

from linnet.read.named_patterns import patterns

__all__ = ["may_be_of_variant", "variant_spans"]

_TABLE = "sequence_variants"


def may_be_of_variant(text: str) -> bool:
    """Whether a name in a text may belong to the notation of a variant: only then is it worth searching the text."""
    [either] = patterns(_TABLE, "either")
    return either.search(text) is not None


def variant_spans(text: str) -> list[tuple[int, int]]:
    """Start and end (exclusive) of each notation of a variant, in text order; they may overlap.

    >>> text = "Met at codon 66 (Val66Met, rs6265) replaces valine; valine was infused"
    >>> [text[start:end] for start, end in variant_spans(text)]
    ['Met at codon 66', 'Val66Met', 'rs6265']
    """
    spans = {match.span() for pattern in patterns(_TABLE, "variant") for match in pattern.finditer(text)}
    if spans:
        spans |= {match.span() for pattern in patterns(_TABLE, "site") for match in pattern.finditer(text)}
    return sorted(spans)

"""Whether the text means a chemical: not where it names an amino acid to say what a variant changes, or begins a gene's name."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from linnet.recognise.gene_names import gene_spans
from linnet.recognise.sequence_variants import may_be_of_variant, variant_spans

__all__ = ["CHEMICAL", "mean_chemicals"]

CHEMICAL = "chemical"  # the type, case-folded
_COVERED = 0.5  # share of a name within a variant's notation: "[D-Ala2,MePhe4]-enkephalin" is a chemical


def mean_chemicals(text: str, spans: Sequence[tuple[int, int]]) -> list[bool]:
    """For each span that looks like a chemical, whether the text does not present it as part of a variant or of a gene.

    >>> text = "Lysine was infused in carriers of p.Val66Met (valine to methionine at codon 66)."
    >>> names = ["Lysine", "Val", "valine", "methionine"]
    >>> mean_chemicals(text, [(text.index(name), text.index(name) + len(name)) for name in names])
    [True, False, False, False]
    """
    genes = set(gene_spans(text, spans))
    variants = variant_spans(text) if any(may_be_of_variant(text[start:end]) for start, end in spans) else []
    longest = max((last - first for first, last in variants), default=0)
    return [span not in genes and not _is_covered(span, variants, longest) for span in spans]


def _is_covered(span: tuple[int, int], variants: Sequence[tuple[int, int]], longest: int) -> bool:
    """
    variants  ascending        longest  of them
    """
    start, end = span
    enough = _COVERED * (end - start)
    near = variants[bisect_left(variants, (start - longest, 0)) : bisect_left(variants, (end, 0))]
    return any(min(end, last) - max(start, first) >= enough for first, last in near)

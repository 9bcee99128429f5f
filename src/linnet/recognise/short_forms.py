"""Abbreviations that the document defines: mentions wherever their long form is one, and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from linnet.recognise.definitions import Brackets, Definition
from linnet.recognise.spans import Span, leftmost_longest

__all__ = ["short_form_spans", "without_gene_symbols"]

# Part of the long form that a mention at its end must cover to give the short form its type.
_COVERED = 0.6
_GENE = re.compile(
    r"[\s-]+(?:c?DNA|mRNA|alleles?|exons?|genes?|homolog(?:ue)?s?|introns?|kinase|knockout|locus|loci|mutations?|promoter|proteins?|receptor|transcripts?)\b"
)
_SYMBOL = re.compile(r"[A-Z][A-Z0-9-]{1,6}")
_LEFT_OUT = (" disease", " syndrome")


def short_form_spans(
    text: str,
    brackets: Brackets,
    spans: Sequence[Span],
    common_type: Callable[[Sequence[str]], str | None],
) -> list[Span]:
    """The spans with those of defined short forms added, or taken away where the long form is no name.

    brackets     of the text
    common_type  the type of the last of several texts when all are names, else None; a long form counts as a name
                 also when "disease" or "syndrome" is left out: "von Hippel-Lindau (VHL)"
    """
    surfaces = {" ".join(text[span.start : span.end].casefold().split()) for span in spans}
    ends = {span.end: span for span in spans}
    types: dict[str, str | None] = {}
    for definition in brackets.definitions(names=surfaces):
        types.setdefault(definition.short, None)
        types[definition.short] = types[definition.short] or _type_of_long(definition, ends, common_type)
    if not types:
        return list(spans)
    kept = [
        span._replace(type=kind)  # of the long form, whatever else is called so
        for span in spans
        if (kind := types.get(text[span.start : span.end], span.type)) is not None
    ]
    added = [
        Span(match.start(), match.end(), kind)
        for short, kind in types.items()
        if kind is not None
        for match in re.finditer(rf"(?<![\w-]){re.escape(short)}(?:'?s)?(?!\w)", text)
    ]
    return leftmost_longest([*kept, *(new for new in added if not any(new.overlaps(old) for old in kept))])


def without_gene_symbols(text: str, spans: Sequence[Span]) -> list[Span]:
    """The spans without those of capital letters and digits that the text anywhere calls a gene or its product.

    Many diseases are abbreviated like the gene behind them ("APC"); where the disease is meant, texts define it.
    """
    genes = {
        symbol
        for span in spans
        if _SYMBOL.fullmatch(symbol := text[span.start : span.end]) and _GENE.match(text, span.end)
    }
    return [span for span in spans if text[span.start : span.end] not in genes]


def _type_of_long(
    definition: Definition, ends: dict[int, Span], common_type: Callable[[Sequence[str]], str | None]
) -> str | None:
    span = ends.get(definition.long_end)
    length = definition.long_end - definition.long_start
    if span is not None and span.end - max(span.start, definition.long_start) >= _COVERED * length:
        return span.type
    return next((kind for left_out in _LEFT_OUT if (kind := common_type([definition.long + left_out]))), None)

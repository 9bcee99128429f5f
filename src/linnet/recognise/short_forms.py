"""Short forms that the document defines: mentions everywhere if their long form is one, else nowhere."""

from __future__ import annotations

import re
from collections.abc import Sequence

from linnet.read.abbreviations.definitions import Definition, find_definitions
from linnet.recognise.coordination import CommonType
from linnet.recognise.spans import Span, leftmost_longest

__all__ = ["short_form_spans", "without_gene_symbols"]

_GENE = re.compile(
    r"[\s-]+(?:c?DNA|mRNA|alleles?|exons?|genes?|homolog(?:ue)?s?|introns?|kinase|knockout|locus|loci|mutations?|promoter|proteins?|receptor|transcripts?)\b"
)
_SYMBOL = re.compile(r"[A-Z][A-Z0-9-]{1,6}")
_OMITTED = (" disease", " syndrome")


def short_form_spans(text: str, spans: Sequence[Span], common_type: CommonType) -> list[Span]:
    """The spans with those of defined short forms added, or removed if the long form is not a name.

    A long form without "disease" or "syndrome" counts as a name too: "von Hippel-Lindau (VHL)".
    """
    surfaces = {" ".join(text[span.start : span.end].casefold().split()) for span in spans}
    ends = {span.end: span for span in spans}
    types: dict[str, str | None] = {}
    for definition in find_definitions(text, names=surfaces):
        types.setdefault(definition.short, None)
        types[definition.short] = types[definition.short] or _long_form_type(definition, ends, common_type)
    if not types:
        return list(spans)
    kept = [
        span._replace(type=type)  # the long form's, even if other things have the same short form
        for span in spans
        if (type := types.get(text[span.start : span.end], span.type)) is not None
    ]
    added = [
        Span(match.start(), match.end(), type)
        for short, type in types.items()
        if type is not None
        for match in re.finditer(rf"(?<![\w-]){re.escape(short)}(?:'?s)?(?!\w)", text)
    ]
    return leftmost_longest([*kept, *(new for new in added if not any(new.overlaps(old) for old in kept))])


def without_gene_symbols(text: str, spans: Sequence[Span]) -> list[Span]:
    """The spans without symbols of capitals and digits that the text calls a gene, or a gene's product, anywhere.

    Many diseases share their abbreviation with a gene ("APC"); texts that mean the disease define it.
    """
    genes = {
        symbol
        for span in spans
        if _SYMBOL.fullmatch(symbol := text[span.start : span.end]) and _GENE.match(text, span.end)
    }
    return [span for span in spans if text[span.start : span.end] not in genes]


def _long_form_type(definition: Definition, ends: dict[int, Span], common_type: CommonType) -> str | None:
    if (span := ends.get(definition.long_end)) is not None:
        return span.type
    return next((type for noun in _OMITTED if (type := common_type([definition.long + noun]))), None)

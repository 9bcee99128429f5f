"""Between spaCy's spans and linnet's mentions and links, which are stored in extension attributes.

span._.linnet_record    the link as `linnet link` writes it: plain data, so that docs can be sent and saved with it
span._.linnet           the `linnet.Link`; None for a span that was not linked
span._.linnet_concepts  ids of all concepts, () for NIL
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from spacy.tokens import Doc, Span

from linnet.jobs.records import read_link
from linnet.types import Document, Link, Mention

__all__ = ["NIL", "SPACY", "UNTYPED", "Pair", "annotate", "spans_to_link"]

# As spaCy's own entity linker writes it, and its scorer expects it.
NIL = "NIL"

# The source of mentions that were entities before.
SPACY = "spacy"

# The label of recognised entities if the terminology has no types.
UNTYPED = "CONCEPT"

Pair = tuple[Span, Mention]


def spans_to_link(
    doc: Doc, document: Document, *, labels: Collection[str] | None
) -> tuple[list[Pair], list[Span]]:
    """The spans to link with their mentions, in text order: the doc's entities and the recognised mentions of `document`;
    and the spans that are not entities yet.

    A mention becomes the tokens it overlaps. Of mentions that share a token with another, or with an entity, the entity, then
    the longest, then the first is kept.

    labels  of entities and types of mentions to link, casefolded; None for all
    """
    pairs = [
        (
            entity,
            Mention(document, entity.start_char, entity.end_char, entity.text, entity.label_, source=SPACY),
        )
        for entity in doc.ents
        if labels is None or entity.label_.casefold() in labels
    ]
    taken = {token.i for entity in doc.ents for token in entity}
    added = []
    for mention in sorted(
        document.mentions, key=lambda mention: (mention.start - mention.end, mention.start)
    ):
        label = mention.type or UNTYPED
        span = doc.char_span(mention.start, mention.end, label=label, alignment_mode="expand")
        if span is None or not (labels is None or label.casefold() in labels):
            continue
        if taken.isdisjoint(token.i for token in span):
            taken.update(token.i for token in span)
            pairs.append((span, mention))
            added.append(span)
    return sorted(pairs, key=lambda pair: pair[0].start), added


def annotate(span: Span, record: dict[str, Any]) -> None:
    """Store a link's record in an entity and its tokens."""
    for token in span:
        token.ent_kb_id_ = record["concepts"][0] if record["concepts"] else NIL
    span._.linnet_record = record


def _link(span: Span) -> Link | None:
    record = span._.linnet_record
    return None if record is None else read_link(record, Document("", span.doc.text))


def _concepts(span: Span) -> tuple[str, ...]:
    record = span._.linnet_record
    return () if record is None else tuple(record["concepts"])


_GETTERS: dict[str, Callable[[Span], Any]] = {"linnet": _link, "linnet_concepts": _concepts}

Span.set_extension("linnet_record", default=None, force=True)
for _name, _getter in _GETTERS.items():
    Span.set_extension(_name, getter=_getter, force=True)

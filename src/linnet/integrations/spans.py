"""Between spaCy's spans and linnet's mentions and links: the extension attributes that hold what was linked.

span._.linnet_record    the link as `linnet link` writes it: plain data, so that docs travel and are kept with it
span._.linnet           the `linnet.Link` of it; None where nothing was linked
span._.linnet_concepts  ids of all its concepts, () for NIL
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from spacy.tokens import Doc, Span

from linnet.link.records import read_link
from linnet.types import Document, Link, Mention

__all__ = ["NIL", "UNTYPED", "Pair", "add_entities", "annotate", "spans_to_link"]

# What spaCy's own entity linker writes, and its scorer expects.
NIL = "NIL"

# The label of an entity that linnet finds, where the terminology has no types.
UNTYPED = "CONCEPT"

Pair = tuple[Span, Mention]


def spans_to_link(
    doc: Doc, found: Document, *, labels: Collection[str] | None
) -> tuple[list[Pair], list[Span]]:
    """What to link, in the order of the text: the doc's entities and, beside them, the mentions of `found`; and the
    spans that are no entities yet.

    A mention becomes the tokens it touches; of two that share a token, the longer one stays, then the first.

    labels  of the entities and types of the mentions that are wanted, casefolded; None for all
    """
    chosen = [
        (
            entity,
            Mention(found, entity.start_char, entity.end_char, entity.text, entity.label_, source="spacy"),
        )
        for entity in doc.ents
        if labels is None or entity.label_.casefold() in labels
    ]
    taken = {token.i for entity in doc.ents for token in entity}
    added = []
    for mention in sorted(found.mentions, key=lambda one: (one.start - one.end, one.start)):
        label = mention.type or UNTYPED
        span = doc.char_span(mention.start, mention.end, label=label, alignment_mode="expand")
        if span is None or not (labels is None or label.casefold() in labels):
            continue
        if taken.isdisjoint(token.i for token in span):
            taken.update(token.i for token in span)
            chosen.append((span, mention))
            added.append(span)
    return sorted(chosen, key=lambda pair: pair[0].start), added


def add_entities(doc: Doc, spans: Sequence[Span]) -> None:
    """Make entities of spans that share no token with those that are there."""
    if spans:
        doc.set_ents(list(spans), default="unmodified")


def annotate(span: Span, record: dict[str, Any]) -> None:
    """Write a link, as a record, to an entity and its tokens."""
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

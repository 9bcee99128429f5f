"""Adds to links what their texts say of the mentions, and the sections that these stand in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from linnet.read.assertion import assertions
from linnet.read.sections import section_at
from linnet.types import Document, Link

__all__ = ["asserted"]


def asserted(links: Sequence[Link]) -> list[Link]:
    """The links with `assertion` and `section`, in their order. Mentions of one document are read together."""
    documents: dict[int, tuple[Document, list[int]]] = {}
    for place, link in enumerate(links):
        document = link.mention.document
        documents.setdefault(id(document), (document, []))[1].append(place)
    answers = list(links)
    for document, places in documents.values():
        attributes_of_mentions = assertions(
            document.with_mentions([links[place].mention for place in places])
        )
        for place, attributes in zip(places, attributes_of_mentions, strict=True):
            section = section_at(document.text, links[place].mention.start)
            kind = section.kind if section else ""
            answers[place] = replace(links[place], assertion=attributes, section=kind)
    return answers

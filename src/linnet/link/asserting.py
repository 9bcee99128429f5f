"""Adds to links what their texts say of the mentions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from linnet.read.assertion import assertions
from linnet.types import Document, Link

__all__ = ["asserted"]


def asserted(links: Sequence[Link]) -> list[Link]:
    """The links with `assertion`, in their order. Mentions of one document are read together."""
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
            answers[place] = replace(links[place], assertion=attributes)
    return answers

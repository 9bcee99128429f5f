"""Mentions as they are read: without what only the surface of their texts shows, see `linnet.surface`."""

from __future__ import annotations

from dataclasses import replace

from linnet.link.bare_strings import is_bare
from linnet.surface import surface
from linnet.types import Document, Link, Mention

__all__ = ["as_given", "as_read"]


def as_read(mention: Mention) -> Mention:
    """The mention with the text that is looked up. A string without context keeps its lines, which may name several things."""
    bare = is_bare(mention)
    text = surface(mention.text, lines=bare)
    if text == mention.text and not (bare and mention.document.text != text):
        return mention
    if bare and mention.text.strip() == mention.document.text.strip():
        return replace(
            mention, document=Document(mention.document.id, text), start=0, end=len(text), text=text
        )
    return replace(mention, text=text)


def as_given(link: Link, mention: Mention) -> Link:
    """The link of a mention that was read otherwise than it was given, with the mention as it was given."""
    return link if link.mention is mention else replace(link, mention=mention)

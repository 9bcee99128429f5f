"""Mentions as they are read: their texts, and the documents around them, in the one form of `linnet.read.plain_text`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from linnet.read.plain_text import Page, plain_name, without_marks
from linnet.types import Document, Mention

__all__ = ["as_read", "is_bare"]


def as_read(
    mentions: Sequence[Mention], are_names: Callable[[Sequence[str]], Sequence[bool]]
) -> list[Mention]:
    """The mentions as they are read, in documents as they are read. Quotes, brackets and numbers stay where they belong to a name.

    are_names  whether each of N texts is literally a name
    """
    pages: dict[int, Page] = {}
    placed = [_placed(mention, pages) for mention in mentions]
    plain = [plain_name(mention.text, lines=is_bare(mention)) for mention in placed]
    marked = [text for text in dict.fromkeys(plain) if without_marks(text) != text]
    names = {text for text, is_name in zip(marked, are_names(marked), strict=True) if is_name}
    return [
        _with_text(mention, text if text in names else without_marks(text))
        for mention, text in zip(placed, plain, strict=True)
    ]


def is_bare(mention: Mention) -> bool:
    """Whether a mention has no context: its document holds no other words."""
    text = mention.document.text
    return not any(map(str.isalnum, text[: mention.start])) and not any(map(str.isalnum, text[mention.end :]))


def _placed(mention: Mention, pages: dict[int, Page]) -> Mention:
    """The mention in its document as it is read; `pages`: id of a document → its page."""
    document = mention.document
    page = pages.get(id(document)) or pages.setdefault(id(document), Page(document))
    if page.document is document:
        return mention
    start, end = page.span(mention.start, mention.end)
    return replace(mention, document=page.document, start=start, end=end)


def _with_text(mention: Mention, text: str) -> Mention:
    """The mention with its text as it is read; without context, its document has no other text."""
    if is_bare(mention) and text != mention.document.text:
        return replace(
            mention, document=Document(mention.document.id, text), start=0, end=len(text), text=text
        )
    return mention if text == mention.text else replace(mention, text=text)

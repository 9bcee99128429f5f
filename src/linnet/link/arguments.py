"""What a caller may give to a `Linker`: strings, mentions and documents, each refused with its place if it is none of these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import index
from typing import Any

from linnet.errors import RequestError
from linnet.types import Document, Mention

__all__ = ["as_document", "as_documents", "as_mentions", "checked_count", "checked_threads"]


def as_mentions(given: Iterable[str | Mention]) -> list[Mention]:
    """The mentions, strings as documents of their own. Raises RequestError for anything else, for one instead of a list, and for
    a mention whose place is not in its document."""
    _check_several(given, "link", "mentions")
    return [_as_mention(mention, position) for position, mention in enumerate(given)]


def as_documents(
    given: Iterable[str | Document], function: str = "annotate_many", what: str = "texts"
) -> Iterator[Document]:
    """The documents, strings as their texts. Raises RequestError immediately for one instead of several, and at its place for
    anything else."""
    _check_several(given, function, what)
    return (_as_document(text, position, function) for position, text in enumerate(given))


def as_document(given: str | Document) -> Document:
    """The document, or that of a text. Raises RequestError for anything else."""
    if isinstance(given, str | Document):
        return _with_text(given) if isinstance(given, Document) else Document("", given)
    raise RequestError(
        f"annotate() takes a text or a Document; got {_shown(given)}. For several texts: annotate_many(texts)"
    )


def checked_count(k: int) -> int:
    """`k` as an int. Raises RequestError unless it is a whole number from 1 on."""
    if not _is_whole(k) or k < 1:
        raise RequestError(f"k is {k!r}; expected 1 or more candidates per mention.")
    return index(k)


def checked_threads(threads: int | None) -> int | None:
    """Raises RequestError unless `threads` is None or a whole number from 1 on."""
    if threads is not None and (not _is_whole(threads) or threads < 1):
        raise RequestError(f"threads is {threads!r}; expected 1 or more. Leave it out to use all cores.")
    return threads


def _check_several(given: Any, function: str, what: str) -> None:
    if isinstance(given, str | bytes | Mention | Document):
        raise RequestError(
            f"{function}() takes a list of {what}; got one: {_shown(given)}. Write: {function}([{_shown(given)}])"
        )
    if not isinstance(given, Iterable) and not hasattr(given, "__getitem__"):
        raise RequestError(f"{function}() takes a list of {what}; got {_shown(given)}.")


def _as_mention(given: Any, position: int) -> Mention:
    if isinstance(given, str):
        return Mention.alone(given)
    if not isinstance(given, Mention):
        raise RequestError(
            f"link() takes strings and Mentions; item {position} is {_shown(given)}. Leave missing values out, or replace them by ''."
        )
    _with_text(given.document)
    if not isinstance(given.text, str):
        raise RequestError(
            f"Item {position} is a mention whose text is {_shown(given.text)}; expected a string. Leave it out, or replace it by ''."
        )
    # Its text may differ from that of its place: the annotation helper looks up what a person typed for it.
    whole = _is_whole(given.start) and _is_whole(given.end)
    if not whole or not 0 <= given.start <= given.end <= len(given.document.text):
        raise RequestError(
            f"Item {position} is the mention {_shown(given.text)} at {given.start}–{given.end}, in a document of "
            f"{len(given.document.text):,} characters. Correct the offsets: characters, the end exclusive."
        )
    return given


def _as_document(given: Any, position: int, function: str) -> Document:
    if isinstance(given, Document):
        return _with_text(given)
    if not isinstance(given, str):
        raise RequestError(
            f"{function}() takes texts and Documents; item {position} is {_shown(given)}. Leave missing values out, or replace them by ''."
        )
    return Document("", given)


def _with_text(document: Document) -> Document:
    if not isinstance(document.text, str):
        raise RequestError(
            f"Document {_shown(document.id)} has the text {_shown(document.text)}; expected a string. Decode bytes; leave out missing ones."
        )
    return document


def _is_whole(value: Any) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"

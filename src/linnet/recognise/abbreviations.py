"""Mentions with the abbreviations spelt out that their document defines: "AT patients", where AT is ataxia telangiectasia."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Self

from linnet.recognise.definitions import Definition, find_definitions
from linnet.types import Mention

__all__ = ["Abbreviations", "expand", "expanded_texts"]


def expand(text: str, definitions: Sequence[Definition]) -> str:
    """A mention with its short forms spelt out: "AT patients" → "ataxia telangiectasia patients".

    Short forms are replaced as whole words, in the case in which they were defined, and plurals of them too. Where
    the mention says both, the short form is dropped: "ataxia telangiectasia (AT)" → "ataxia telangiectasia". Of
    several definitions of a short form the first counts.
    """
    chosen = {d.short: d.long for d in reversed(definitions) if d.short in text}
    if not chosen:
        return text
    result = text
    for short in sorted(chosen, key=len, reverse=True):
        result = _without_repetition(result, short, chosen[short])
    result, used = _spelt_out(result, chosen)
    if used:  # a long form may itself hold a short one: "AT mutated (ATM)"
        result, _ = _spelt_out(
            result, {d.short: d.long for d in reversed(definitions) if d.short not in used}
        )
    return " ".join(result.split()) or text


class Abbreviations:
    """The definitions of one document, gathered from all its texts: the whole of it, or the contexts of its mentions."""

    def __init__(self, texts: Iterable[str], *, names: Collection[str] = ()) -> None:
        self.definitions = tuple(
            definition for text in dict.fromkeys(texts) for definition in find_definitions(text, names=names)
        )

    @classmethod
    def of(cls, mentions: Iterable[Mention]) -> Self:
        """The abbreviations defined around the mentions of one document; the mentions' own texts count as `names`."""
        found = list(mentions)
        return cls(
            (m.document.text for m in found), names={" ".join(m.text.casefold().split()) for m in found}
        )

    def expand(self, text: str) -> str:
        """A mention of the document with its short forms spelt out, see `expand`."""
        return expand(text, self.definitions) if self.definitions else text


def expanded_texts(mentions: Sequence[Mention]) -> list[str]:
    """The text of each mention with the abbreviations spelt out that its document defines.

    Mentions are of one document when they share a non-empty document id, or the document object itself; the
    definitions of all the contexts given for an id count.
    """
    by_document: dict[str | int, list[Mention]] = {}
    for mention in mentions:
        by_document.setdefault(_document_key(mention), []).append(mention)
    defined = {key: Abbreviations.of(group) for key, group in by_document.items()}
    return [defined[_document_key(mention)].expand(mention.text) for mention in mentions]


def _document_key(mention: Mention) -> str | int:
    return mention.document.id or id(mention.document)


def _spelt_out(text: str, longs: dict[str, str]) -> tuple[str, set[str]]:
    """The text with its short forms replaced, but those whose long form it has; and the ones that were."""
    folded = text.casefold()
    shorts = [short for short, long in longs.items() if short in text and long.casefold() not in folded]
    if not shorts:
        return text, set()
    pattern = _any_of(tuple(sorted(shorts, key=len, reverse=True)))
    used = {match[1] for match in pattern.finditer(text)}
    return pattern.sub(lambda match: longs[match[1]], text), used


def _without_repetition(text: str, short: str, long: str) -> str:
    """Drop a bracketed short form behind (the end of) its long form, and one before its bracketed long form."""
    inside = rf"\s*[(\[]\s*{re.escape(short)}s?\s*[)\]]"
    last_word = re.escape(long.split()[-1])
    text = re.sub(rf"(?i:({last_word})(s?)){inside}", r"\1\2", text)
    return re.sub(rf"(?<!\w){re.escape(short)}\s*[(\[]\s*((?i:{re.escape(long)})s?)\s*[)\]]", r"\1", text)


@lru_cache(maxsize=1024)
def _any_of(shorts: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)({'|'.join(map(re.escape, shorts))})(?:'?s)?(?!\w)")

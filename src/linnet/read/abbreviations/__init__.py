"""Expansion of the abbreviations that a document defines: "AT patients" → "ataxia telangiectasia patients"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from linnet.read.abbreviations.alignment import align
from linnet.read.abbreviations.definitions import Definition, appositions, find_definitions
from linnet.types import Mention
from linnet.words.semantic_groups import Group, compatible, group_of_mention

__all__ = [
    "Abbreviations",
    "abbreviations_by_document",
    "document_key",
    "expand",
    "expanded_texts",
    "spelt_out",
]

_BLANKS = re.compile(r"[^\S\n]+")  # line ends stay: those of a cell separate things


def expand(text: str, definitions: Sequence[Definition]) -> str:
    """A mention with its short forms expanded: "AT patients" → "ataxia telangiectasia patients".

    Short forms and their plurals are replaced as whole words, in the letter case of their definition. If the mention has
    both forms, the short form is dropped: "ataxia telangiectasia (AT)" → "ataxia telangiectasia". The first of several
    definitions of a short form counts.
    """
    long_forms = {d.short: d.long for d in reversed(definitions) if d.short in text}
    if not long_forms:
        return text
    result = text
    for short in sorted(long_forms, key=len, reverse=True):
        result = _without_repetition(result, short, long_forms[short])
    result, used = _replace(result, long_forms)
    if used:  # a long form may itself hold a short form: "AT mutated (ATM)"
        result, _ = _replace(result, {d.short: d.long for d in reversed(definitions) if d.short not in used})
    return _BLANKS.sub(" ", result).strip() or text


def spelt_out(mention: Mention) -> str:
    """The text of a mention with the short forms expanded that its document defines by their letters."""
    return expand(mention.text, find_definitions(mention.document.text))


class Abbreviations:
    """The abbreviations defined around the mentions of one document, in all its texts; the mentions count as names."""

    def __init__(self, mentions: Sequence[Mention]) -> None:
        names = {" ".join(mention.text.casefold().split()) for mention in mentions}
        spans: dict[str, set[tuple[int, int]]] = {}
        for mention in mentions:
            spans.setdefault(mention.document.text, set()).add((mention.start, mention.end))
        kinds = {(mention.start, mention.end): group_of_mention(mention.type) for mention in mentions}
        self.definitions = [
            definition
            for text, places in spans.items()
            for definition in (*find_definitions(text, names=names), *appositions(text, sorted(places)))
            if _may_be_one(definition, kinds)
        ]
        distinct = {(definition.short, definition.long.casefold()) for definition in self.definitions}
        self._defined_twice = len(distinct) > len({short for short, _ in distinct})

    def expand(self, text: str) -> str:
        """A mention of the document with its short forms expanded, see `expand`."""
        return expand(text, self.definitions)

    def expand_mention(self, mention: Mention) -> str:
        """The text of a mention, expanded. Where a short form is defined by its letters, it has the long form defined there: the second
        "MS" in "multiple sclerosis (MS), mitral stenosis (MS)" is a stenosis; "OR" in "prostate cancer (OR=3)" stays the odds ratio.
        """
        own = (
            definition
            for definition in (find_definitions(mention.document.text) if self._defined_twice else ())
            if definition.short_start <= mention.start and mention.end <= definition.short_end
        )
        return expand(mention.text, (*own, *self.definitions))


def _may_be_one(definition: Definition, kinds: Mapping[tuple[int, int], Group]) -> bool:
    """Whether short and long form may be one thing: in "codeine (N/V)" the bracket has what the drug did."""
    short = kinds.get((definition.short_start, definition.short_end), Group(0))
    long = kinds.get((definition.long_start, definition.long_end), Group(0))
    return compatible(short, long) or align(definition.short, definition.long) is not None


def expanded_texts(mentions: Sequence[Mention]) -> list[str]:
    """The text of each mention, with the abbreviations that its document defines expanded.

    Mentions belong to one document if they share a non-empty document id, or the document object itself. The definitions
    in all contexts given for an id count.
    """
    abbreviations = abbreviations_by_document(mentions)
    return [abbreviations[document_key(mention)].expand_mention(mention) for mention in mentions]


def abbreviations_by_document(mentions: Iterable[Mention]) -> dict[str | int, Abbreviations]:
    """`document_key` of the mentions → the abbreviations defined in all contexts given for it."""
    by_document: dict[str | int, list[Mention]] = {}
    for mention in mentions:
        by_document.setdefault(document_key(mention), []).append(mention)
    return {key: Abbreviations(group) for key, group in by_document.items()}


def document_key(mention: Mention) -> str | int:
    """Equal for mentions of one document: its id, or the document object where it has none."""
    return mention.document.id or id(mention.document)


def _replace(text: str, long_forms: dict[str, str]) -> tuple[str, set[str]]:
    """The text with its short forms replaced, except those whose long form it holds; and the replaced ones."""
    folded = text.casefold()
    shorts = [short for short, long in long_forms.items() if short in text and long.casefold() not in folded]
    if not shorts:
        return text, set()
    pattern = _any_of(tuple(sorted(shorts, key=len, reverse=True)))
    used = {match[1] for match in pattern.finditer(text)}
    return pattern.sub(lambda match: long_forms[match[1]], text), used


def _without_repetition(text: str, short: str, long: str) -> str:
    """Drop a bracketed short form after (the end of) its long form, and a short form before its bracketed long form."""
    bracketed = rf"\s*[(\[]\s*{re.escape(short)}s?\s*[)\]]"
    last_word = re.escape(long.split()[-1])
    text = re.sub(rf"(?i:({last_word})(s?)){bracketed}", r"\1\2", text)
    return re.sub(rf"(?<!\w){re.escape(short)}\s*[(\[]\s*((?i:{re.escape(long)})s?)\s*[)\]]", r"\1", text)


@lru_cache(maxsize=1024)
def _any_of(shorts: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)({'|'.join(map(re.escape, shorts))})(?:'?s)?(?!\w)")

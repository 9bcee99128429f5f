"""Corpora that a recogniser learns from, and what each says of every token: annotation may be of some types only, or open.

The mentions of a source become, for each token, the labels that its annotation allows; the loss adds up all paths within them.
Source: Tsuboi et al. 2008 (conditional random fields of partly annotated corpora).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import numpy as np

from linnet.arrays import Mask
from linnet.corpora import read
from linnet.errors import DataError
from linnet.io.artifact import digest
from linnet.recognise.bioes import OUTSIDE, Labels, TokenSpan
from linnet.recognise.token_features import DocumentFeatures, TokenFeatures
from linnet.train.corpus import corpus_files, no_mention
from linnet.types import Document, Mention

__all__ = ["Example", "TaggedCorpora", "TaggedSource"]


@dataclass(frozen=True, kw_only=True)
class TaggedCorpora:
    """One of `[[data.sources]]`: corpora annotated alike.

    types     mentions of these types are learnt; empty for all, except those that `either`, `unknown` and `other` name
    label     replaces the types of all its mentions ("Disease" for NCBI's classes of mentions)
    complete  types of the model whose mentions are all annotated in it: where it has none, there is none. Nothing is learnt
              of the absence of other types. None: all that it has mentions of; where a type is not sure to be complete, say
              which are
    either    for a type of its mentions, the types of the model of which such a mention may be; which one stays open
    unknown   mentions of these types may hold a mention of any type, of any length, or none
    other     mentions of these types hold no mention of a type of the model, whatever is complete
    calibrates  whether its documents held out say how sure the recogniser is: not where its annotation is doubtful or sparse
    """

    corpora: tuple[Path, ...]
    types: tuple[str, ...] = ()
    label: str | None = None
    complete: tuple[str, ...] | None = None
    either: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()
    other: tuple[str, ...] = ()
    calibrates: bool = True

    def __post_init__(self) -> None:
        keys = ("types", "either", "unknown", "other")
        counts = Counter(name for key in keys for name in {*getattr(self, key)})
        if twice := [name for name, count in counts.items() if count > 1]:
            raise ValueError(f"'{twice[0]}' is in two of {', '.join(keys)}; expected one.")
        if empty := [name for name, types in self.either.items() if not types]:
            raise ValueError(f"'either' gives '{empty[0]}' no type; expected one or more, or 'unknown'.")


@dataclass(frozen=True, slots=True)
class TaggedSource:
    """The documents of a source. A mention has a type of the model, of `either`, `unknown` or `other`.

    types  of the mentions to learn        complete, either, unknown, other, calibrates  see `TaggedCorpora`
    """

    documents: tuple[Document, ...]
    types: frozenset[str]
    complete: frozenset[str]
    either: Mapping[str, tuple[str, ...]]
    unknown: frozenset[str]
    other: frozenset[str]
    calibrates: bool = True

    def check(self, types: Sequence[str], settings: TaggedCorpora) -> None:
        """Raises DataError where it names a type that no mention of any source has."""
        for key, named in (("complete", self.complete), ("either", set().union(*self.either.values()))):
            if absent := sorted(named - set(types)):
                raise DataError(
                    f"'{key}' of the source names the type '{absent[0]}'; the sources have mentions of "
                    f"{', '.join(types)}.",
                    path=settings.corpora[0],
                )

    @classmethod
    def read(cls, source: TaggedCorpora, data: dict[str, str]) -> Self:
        """The documents of a source with the mentions to learn; `data` gets the digest of each of its corpora.

        Raises DataError where no mention is left.
        """
        documents: list[Document] = []
        for path in source.corpora:
            settings = (
                source.types,
                source.label,
                source.complete,
                dict(source.either),
                source.unknown,
                source.other,
            )
            data[str(path)] = digest(repr(settings), *corpus_files(path))
            documents += [_relabelled(document, source) for document in read(path, annotated=True)]
        found = {mention.type or "" for document in documents for mention in document.mentions}
        if not found:
            raise no_mention(source.types, source.corpora[0] if source.corpora else None)
        types = frozenset(found - {*source.either, *source.unknown, *source.other})
        complete = types if source.complete is None else frozenset(source.complete)
        either = {name: options for name, options in source.either.items() if name in found}
        return cls(
            tuple(documents),
            types,
            complete,
            either,
            frozenset(source.unknown),
            frozenset(source.other),
            source.calibrates,
        )


@dataclass(frozen=True, slots=True)
class Example:
    """A document.

    allowed  (T, L) labels that its annotation allows        gold  its mentions (start, end, kind) of a sure kind in `kinds`
    kinds    annotated in it completely: others are not evaluated
    open     (start, end) of mentions whose type is not sure: predictions that overlap them are not evaluated
    calibrates  whether it counts for the calibration where it is held out
    """

    features: DocumentFeatures
    allowed: Mask
    gold: frozenset[tuple[int, int, int]]
    kinds: frozenset[int]
    open: tuple[tuple[int, int], ...] = ()
    calibrates: bool = True

    def is_judged(self, start: int, end: int, kind: int) -> bool:
        """Whether the annotation says if a predicted mention is right."""
        return kind in self.kinds and not any(start < last and first < end for first, last in self.open)

    @classmethod
    def of(cls, document: Document, features: TokenFeatures, labels: Labels, source: TaggedSource) -> Self:
        """What the annotation of a document of this source allows.

        Of overlapping mentions the longest is learnt, or the first of equals; one that may be anything comes last.
        """
        observed = features.of(document.text)
        tokens = observed.tokens
        allowed = np.zeros((len(tokens), len(labels)), bool)
        allowed[:, OUTSIDE] = True
        for kind, name in enumerate(labels.types):
            if name not in source.complete:
                allowed[:, labels.of_kind(kind)] = True
        mentions = {(m.start, m.end, m.type or "") for m in document.mentions}
        unknown = {mention for mention in mentions if mention[2] in source.unknown}
        sentence_ends = np.array(tokens.sentences)
        taken = np.zeros(len(tokens), bool)
        for start, end, name in sorted(mentions - unknown, key=lambda m: (m[0] - m[1], m[0], m[2])):
            first, last = tokens.within(start, end)
            if first == last or taken[first:last].any():
                continue
            taken[first:last] = True
            if (
                (sentence_ends > first) & (sentence_ends < last)
            ).any():  # crosses a supposed end of a sentence
                allowed[first:last] = True
                continue
            allowed[first:last] = False
            if name in source.other:
                allowed[first:last, OUTSIDE] = True
                continue
            for option in source.either.get(name, (name,)):
                span = TokenSpan(first, last, labels.types.index(option))
                allowed[np.arange(first, last), labels.of_span(span)] = True
        for start, end, _ in unknown:
            free = np.arange(*tokens.within(start, end))
            allowed[free[~taken[free]]] = True
        kinds = frozenset(labels.types.index(name) for name in source.complete)
        gold = frozenset(
            (start, end, labels.types.index(name))
            for start, end, name in mentions
            if name in source.types and name in source.complete
        )
        unsure = {*source.either, *source.unknown, *(source.types - source.complete)}
        open_spans = tuple((start, end) for start, end, name in sorted(mentions) if name in unsure)
        return cls(observed, allowed, gold, kinds, open_spans, source.calibrates)


def _relabelled(document: Document, source: TaggedCorpora) -> Document:
    kept_types = {*source.either, *source.unknown, *source.other}
    kept = [
        Mention(
            document,
            m.start,
            m.end,
            m.text,
            m.type if m.type in kept_types else source.label or m.type or "Entity",
        )
        for m in document.mentions
        if not source.types or m.type in source.types or m.type in kept_types
    ]
    return document.with_mentions(kept)

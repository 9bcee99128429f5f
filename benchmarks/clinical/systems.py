"""The systems that annotate the notes: linnet's pipelines, and a longest match over the names of MeSH."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

import linnet
from benchmarks.clinical.notes import TYPES, Note
from benchmarks.clinical.scoring import Annotation
from linnet.terminology import Terminology
from linnet.types import Concept, Document, Link

__all__ = ["Answers", "Concepts", "LongestMatch", "Pipeline", "System", "kind_of"]

Answers = list[
    tuple[frozenset[str], frozenset[str]]
]  # of each gold mention: concepts, and what the text says of it
_CHEMICAL = {"Chemical", "Protein"}  # both are tree D
_WORD = re.compile(r"\w+|[^\w\s]")
_SHORTEST = 3  # characters of the shortest name: shorter ones are letters and chemical symbols


class Concepts(Protocol):
    """Concepts by id: a terminology or a dictionary."""

    def __contains__(self, id: object, /) -> bool: ...

    def __getitem__(self, id: str, /) -> Concept: ...


class System(Protocol):
    """Annotates texts, and links the mentions given."""

    def annotate(self, texts: Sequence[Document]) -> Iterator[list[Annotation]]:
        """The annotations of each text, which comes without its mentions."""

    def link(self, note: Note) -> Answers:
        """An answer for each gold mention of the note."""


class Pipeline:
    """linnet with one of its recognisers; None is the default."""

    def __init__(self, terminology: Path, recogniser: str | None) -> None:
        if recogniser:
            self.linker = linnet.load(terminology, recogniser=recogniser, assertion=True)
        else:
            self.linker = linnet.load(terminology, assertion=True)
        self._terminology = Terminology.open(terminology)

    def annotate(self, texts: Sequence[Document]) -> Iterator[list[Annotation]]:
        for document in self.linker.annotate_many(texts):
            found = []
            for m in document.mentions:
                concepts, kind = frozenset(m.link.concepts), m.type
                if kind not in TYPES:
                    kind = kind_of(self._terminology, concepts)
                if kind in TYPES:
                    found.append(Annotation(m.start, m.end, m.text, kind, concepts, m.link.probability))
            yield found

    def link(self, note: Note) -> Answers:
        links: list[Link] = self.linker.link(note.document().mentions)
        return [(frozenset(link.concepts), frozenset(link.assertion or ())) for link in links]


class LongestMatch:
    """The longest stretch that is a name of a disease or chemical, from left to right, but for letter case and blanks.

    A name of several concepts means the one whose preferred name it is, else that with the lowest id.
    """

    def __init__(self, terminology: Terminology) -> None:
        names: dict[tuple[str, ...], tuple[bool, str]] = {}
        self._terminology = terminology
        for concept in terminology:
            if kind_of(terminology, frozenset({concept.id})) not in TYPES:
                continue
            for i, name in enumerate(concept.all_names):
                if len(name) >= _SHORTEST:
                    key = _words(name)
                    names[key] = min(names.get(key, (True, "~")), (i > 0, concept.id))
        self._concepts = {words: id for words, (_, id) in names.items() if words}
        self._longest = max(map(len, self._concepts))

    def annotate(self, texts: Sequence[Document]) -> Iterator[list[Annotation]]:
        for document in texts:
            yield list(self._annotate(document.text))

    def _annotate(self, text: str) -> Iterator[Annotation]:
        words = [(m[0].casefold(), m.start(), m.end()) for m in _WORD.finditer(text)]
        i = 0
        while i < len(words):
            for j in range(min(len(words), i + self._longest), i, -1):
                if concept := self._concepts.get(tuple(word for word, _, _ in words[i:j])):
                    start, end = words[i][1], words[j - 1][2]
                    concepts = frozenset({concept})
                    yield Annotation(
                        start, end, text[start:end], kind_of(self._terminology, concepts), concepts
                    )
                    i = j - 1
                    break
            i += 1

    def link(self, note: Note) -> Answers:
        answers = [self._concepts.get(_words(mention.text)) for mention in note.mentions]
        return [(frozenset({concept} if concept else ()), frozenset()) for concept in answers]


def _words(name: str) -> tuple[str, ...]:
    return tuple(word.casefold() for word in _WORD.findall(name))


def kind_of(known: Concepts, concepts: frozenset[str]) -> str:
    """ "Disease", "Chemical", or "" for a concept of other trees and for none."""
    for concept in sorted(concepts):
        if concept in known:
            types = set(known[concept].types)
            return "Disease" if "Disease" in types else "Chemical" if types & _CHEMICAL else ""
    return ""

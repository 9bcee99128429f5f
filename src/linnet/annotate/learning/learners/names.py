"""What people annotate becomes names of concepts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from linnet.annotate.learning.lesson import Lesson, Told
from linnet.evaluate.augmentation import augmentation_pairs
from linnet.evaluate.augmented_linker import spelt_out
from linnet.link.indexing import build_indexes
from linnet.link.learned import ENCODER, NAMES, searched
from linnet.terminology import Terminology, write_terminology
from linnet.text import fold
from linnet.types import Concept, Document

__all__ = ["LearnNames", "learned_names"]


class LearnNames:
    """Mentions become names of the concepts they were linked to."""

    quick = True

    def available(self) -> bool:
        """Always."""
        return True

    def learn(self, lesson: Lesson, folder: Path, told: Told) -> str:
        """Write a terminology of the learned names alone: seconds, however large the project's is."""
        told(0.0, "Learning names")
        allowed = lesson.terminology.select(types=lesson.types or None)
        names = learned_names([*lesson.documents, *lesson.partial], lesson.terminology)
        concepts = [
            concept
            for concept in _concepts(names, lesson.terminology)
            if allowed is None or allowed[lesson.terminology.row(concept.id)]
        ]
        if not concepts:
            return "no names: nothing is linked"
        built = write_terminology(concepts, folder / NAMES, sources=[{"path": "annotations"}])
        pipeline = lesson.linker.pipeline
        encoder = folder / ENCODER if (folder / ENCODER).exists() else pipeline.encoder
        build_indexes(built, searched(pipeline), encoder=encoder, threads=1)
        return f"{sum(map(len, names.values())):,} names of {len(concepts):,} concepts"


def learned_names(documents: Iterable[Document], terminology: Terminology) -> dict[str, list[str]]:
    """Concept id → the texts linked to it, as written and with abbreviations spelt out.

    A text that was linked to several concepts is a name of the one it was linked to most often; of equals, of the one
    it was linked to last. Concepts that the terminology does not have are left out.
    """
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    last: dict[tuple[str, str], int] = {}
    written: dict[str, str] = {}
    for number, document in enumerate(documents):
        for name, concept in augmentation_pairs([document], expand=spelt_out):
            if terminology.row(concept) >= 0 and (form := fold(name)):
                counts[form][concept] += 1
                last[form, concept] = number
                written.setdefault(form, name)
    names: defaultdict[str, list[str]] = defaultdict(list)
    for form, concepts in counts.items():
        best = max(concepts, key=lambda id: (concepts[id], last[form, id], id))
        names[best].append(written[form])
    return dict(names)


def _concepts(names: dict[str, list[str]], terminology: Terminology) -> Iterator[Concept]:
    for id, texts in names.items():
        row = terminology.row(id)
        yield Concept(id, terminology.name(row), tuple(texts), types=terminology.types(row))

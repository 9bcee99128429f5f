"""Learns annotated mentions as names of concepts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from linnet.active.learned_items import Blocked, LearnedName, write_name_evidence
from linnet.active.training_data import Progress, TrainingData, checked
from linnet.evaluate.augmentation import augmentation_pairs
from linnet.link.indexing import build_indexes
from linnet.link.learned import ENCODER, NAMES, indexes_of_names
from linnet.link.pipeline import Pipeline
from linnet.read.abbreviations import spelt_out
from linnet.terminology import Terminology, write_terminology
from linnet.types import Concept, Document
from linnet.words.text import fold

__all__ = ["LearnNames", "learned_names", "write_names"]


class LearnNames:
    """Mentions become names of the concepts they are linked to."""

    quick = True

    def available(self) -> bool:
        """Always."""
        return True

    def unsuitable(self, pipeline: Pipeline, terminology: Terminology) -> str:
        """See `Learner`: it learns for any."""
        return ""

    def learn(self, data: TrainingData, folder: Path, progress: Progress) -> str:
        """Write a terminology of the learned names alone, which takes seconds for any terminology of the project."""
        progress(0.0, "Learning names")
        taught = map(checked, (*data.documents, *data.others, *data.partial, *data.strings))
        names = learned_names(taught, data.terminology, blocked=data.blocked)
        return write_names(names, folder, data.terminology, data.linker.pipeline, types=data.types)


def write_names(
    names: Sequence[LearnedName],
    folder: Path,
    terminology: Terminology,
    pipeline: Pipeline,
    *,
    types: Collection[str],
) -> str:
    """Write learned names with their indexes into a version's folder; returns a summary for users.

    types  of the concepts whose names to keep; () for all
    """
    allowed = terminology.select(types=types or None)
    kept = [name for name in names if allowed is None or allowed[terminology.row(name.concept)]]
    if not kept:
        return "no names: no mention is linked that a person has checked"
    concepts = list(_concepts(kept, terminology))
    built = write_terminology(concepts, folder / NAMES, sources=[{"path": "annotations"}])
    write_name_evidence(kept, folder)
    encoder = folder / ENCODER if (folder / ENCODER).exists() else pipeline.encoder
    build_indexes(built, indexes_of_names(pipeline), encoder=encoder, like=terminology, threads=1)
    return f"{len(kept):,} names of {len(concepts):,} concepts"


def learned_names(
    documents: Iterable[Document], terminology: Terminology, *, blocked: Blocked | None = None
) -> list[LearnedName]:
    """The texts linked to each concept, as written and with abbreviations spelt out.

    blocked  what users removed

    A text with several concepts becomes a name of the one it is linked to in most documents; on a tie, of the one linked
    last. Leaves out concepts that the terminology does not have.
    """
    blocked = blocked or Blocked()
    mentions: defaultdict[str, Counter[str]] = defaultdict(Counter)
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    last: dict[tuple[str, str], int] = {}
    written: dict[str, str] = {}
    for number, document in enumerate(documents):
        for mention in document.mentions:
            pairs = augmentation_pairs([document.with_mentions([mention])], expand=spelt_out)
            for name, concept in pairs:
                if terminology.row(concept) < 0 or not (form := fold(name)):
                    continue
                if (form, concept) in blocked.names:
                    continue
                mentions[form][concept] += 1
                if last.get((form, concept)) != number:
                    counts[form][concept] += 1
                    last[form, concept] = number
                written.setdefault(form, name)
    names = []
    for form, concepts in counts.items():
        best = max(concepts, key=lambda id: (concepts[id], last[form, id], id))
        names.append(LearnedName(written[form], best, mentions[form][best], concepts[best]))
    return names


def _concepts(names: Iterable[LearnedName], terminology: Terminology) -> Iterator[Concept]:
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        texts[name.concept].append(name.text)
    for id, own in texts.items():
        row = terminology.row(id)
        yield Concept(id, terminology.name(row), tuple(own), types=terminology.types(row))

"""The names and stops that a version has learnt, each with its evidence, for users to read and correct."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from linnet.io.files import open_output
from linnet.link.learned import NAMES, STOPS
from linnet.terminology import Terminology
from linnet.words.text import fold, simplify

__all__ = [
    "Blocked",
    "LearnedName",
    "LearnedStop",
    "read_names",
    "read_stops",
    "write_name_evidence",
    "write_stops",
]

_NAMES_FILE = "names.json"  # beside `names/`, the terminology that is searched


@dataclass(frozen=True, slots=True)
class LearnedName:
    """A text that was learnt as a name of a concept.

    mentions, documents  it was learnt from; None in versions made before linnet recorded them
    """

    text: str
    concept: str
    mentions: int | None = None
    documents: int | None = None


@dataclass(frozen=True, slots=True)
class LearnedStop:
    """A name of the terminology, in normal form, that the recogniser must no longer find.

    seen       how often it was found in accepted documents   documents  number of those documents
    annotated  how often an annotation overlapped it; all None in versions made before linnet recorded them
    """

    text: str
    seen: int | None = None
    annotated: int | None = None
    documents: int | None = None


@dataclass(frozen=True, slots=True)
class Blocked:
    """What users removed and learners must not learn. names: (folded text, concept) pairs; stops: normal forms."""

    names: frozenset[tuple[str, str]] = frozenset()
    stops: frozenset[str] = frozenset()

    def has_name(self, text: str, concept: str) -> bool:
        """Whether the text, in any case, must not become a name of the concept."""
        return (fold(text), concept) in self.names

    def has_stop(self, text: str) -> bool:
        """Whether the name must not become a stop."""
        return simplify(text) in self.stops


def read_names(folder: Path) -> list[LearnedName]:
    """The learned names of a version, by text; [] if it has none."""
    if not (folder / NAMES).exists():
        return []
    file = folder / _NAMES_FILE
    if file.exists():
        return [LearnedName(**fields) for fields in json.loads(file.read_text(encoding="utf-8"))]
    # A version made before linnet recorded evidence.
    names = Terminology.open(folder / NAMES)
    concepts = map(names.concept, range(len(names)))
    return sorted(
        (LearnedName(text, concept.id) for concept in concepts for text in concept.names), key=_by_text
    )


def write_name_evidence(names: Sequence[LearnedName], folder: Path) -> None:
    """Record what the names below `folder / NAMES` were learnt from."""
    lines = [asdict(name) for name in sorted(names, key=_by_text)]
    with open_output(folder / _NAMES_FILE) as stream:
        stream.write(json.dumps(lines, ensure_ascii=False, indent=1) + "\n")


def read_stops(folder: Path) -> list[LearnedStop]:
    """The stops of a version, by text; [] if it has none."""
    file = folder / STOPS
    if not file.exists():
        return []
    content = json.loads(file.read_text(encoding="utf-8"))
    if isinstance(content, Mapping):
        return [LearnedStop(text, **fields) for text, fields in content.items()]
    return [LearnedStop(text) for text in content]


def write_stops(stops: Sequence[LearnedStop], folder: Path) -> None:
    """Write what `linnet.link.learned` reads: an object whose keys are the stops."""
    fields = {
        stop.text: {"seen": stop.seen, "annotated": stop.annotated, "documents": stop.documents}
        for stop in sorted(stops, key=lambda stop: stop.text)
    }
    with open_output(folder / STOPS) as stream:
        stream.write(json.dumps(fields, ensure_ascii=False, indent=1) + "\n")


def _by_text(name: LearnedName) -> tuple[str, str]:
    return fold(name.text), name.concept

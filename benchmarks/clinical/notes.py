"""The clinical notes as documents: text, gold mentions, traps and optional spans, read from the markup of `texts/*.txt` and `texts2/*.txt`.

    [[SOB|MESH:D004417|Disease|negated|abbreviation]]   a mention
    [[RA|trap|ambiguous]]                               looks like a mention and names nothing
    [[creatinine|optional]]                             not scored

The guideline and the fields are in README.md.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from linnet.types import Document, Mention

FOLDER = Path(__file__).with_name("texts")
KINDS = ("discharge", "gp", "ed", "radiology", "nursing", "oncology")
KINDS2 = ("psychiatry", "obstetrics", "paediatrics", "cardiology", "surgery", "dialysis")  # of texts2
TYPES = frozenset({"Disease", "Chemical"})
ASSERTIONS = frozenset({"negated", "uncertain", "hypothetical", "historical", "other person"})
CLASSES = frozenset({"abbreviation", "ambiguous", "brand", "misspelling", "table", "allergen"})
TRAPS = frozenset(
    {
        "label",
        "ambiguous",
        "dose",
        "unit",
        "route",
        "score",
        "test",
        "device",
        "service",
        "name",
        "procedure",
        "word",
    }
)

_MARK = re.compile(r"\[\[([^|\[\]]+)\|([^\[\]]+)\]\]")
_CONCEPT = re.compile(r"MESH:[CD]\d{6,9}")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a note's text; offsets are characters, the end is exclusive."""

    start: int
    end: int
    text: str

    def overlaps(self, start: int, end: int) -> bool:
        """Whether at least one character is in both."""
        return self.start < end and start < self.end


@dataclass(frozen=True, slots=True)
class GoldMention(Span):
    """A mention as annotated.

    answers    sets of concepts that are right, the best first; an empty set is NIL
    assertion  of `ASSERTIONS`, empty for a plain statement
    classes    of `CLASSES`, and what follows from the rest: "broken" (over a line), "composite", "negated", "table"
    """

    type: str
    answers: tuple[frozenset[str], ...]
    assertion: frozenset[str]
    classes: frozenset[str]

    @property
    def concepts(self) -> frozenset[str]:
        """The best answer; empty for NIL."""
        return self.answers[0]


@dataclass(frozen=True, slots=True)
class Trap(Span):
    """A span that names nothing to be linked; `kind` is one of `TRAPS`."""

    kind: str


@dataclass(frozen=True, slots=True)
class Note:
    """One note; mentions, traps and optional spans are in the order of the text and do not overlap."""

    name: str
    text: str
    mentions: tuple[GoldMention, ...]
    traps: tuple[Trap, ...]
    optional: tuple[Span, ...]

    @property
    def kind(self) -> str:
        """One of `KINDS` or `KINDS2`."""
        return self.name.rpartition("-")[0]

    def document(self) -> Document:
        """The note with its gold mentions and their best concepts."""
        bare = Document(self.name, self.text)
        return bare.with_mentions(
            [Mention(bare, m.start, m.end, m.text, m.type, tuple(sorted(m.concepts))) for m in self.mentions]
        )


def load(folder: str = "texts", *, score: bool = False) -> list[Note]:
    """The half to tune on, by name; with `score`, the half that is scored once, with a warning on stderr.

    folder  "texts" or "texts2", the second set
    """
    notes = all_notes(folder)
    chosen = halves(note.name for note in notes)[score]
    if score:
        print(
            "These notes are scored once: look at figures, not at errors, and tune nothing on them.",
            file=sys.stderr,
        )
    return [note for note in notes if note.name in chosen]


def all_notes(folder: str = "texts") -> list[Note]:
    """Both halves, by name: to check the gold, never to tune on."""
    files = sorted(FOLDER.with_name(folder).glob("*.txt"))
    return [parse(path.stem, path.read_text(encoding="utf-8")) for path in files]


def halves(names: Iterable[str]) -> tuple[list[str], list[str]]:
    """The names to tune on and those scored once, each sorted: of every kind the first half by SHA-1 of the name, and the rest."""
    kinds = defaultdict(list)
    for name in names:
        kinds[name.rpartition("-")[0]].append(name)
    tune, score = [], []
    for group in kinds.values():
        group.sort(key=lambda name: hashlib.sha1(name.encode()).hexdigest())
        tune += group[: len(group) // 2]
        score += group[len(group) // 2 :]
    return sorted(tune), sorted(score)


def parse(name: str, source: str) -> Note:
    """The note of this markup. Raises ValueError for malformed markup, with the name and the marked text."""
    pieces: list[str] = []
    marks: list[tuple[Span, list[str]]] = []
    length = place = 0
    for match in _MARK.finditer(source):
        before, surface = source[place : match.start()], match[1]
        start = length + len(before)
        marks.append((Span(start, start + len(surface), surface), match[2].split("|")))
        pieces += before, surface
        length, place = start + len(surface), match.end()
    text = "".join([*pieces, source[place:]])
    if found := re.search(r"\[\[|\]\]", text):
        raise ValueError(f"{name}: unclosed markup at {text[found.start() : found.start() + 40]!r}")
    mentions = [
        _mention(name, text, span, fields) for span, fields in marks if fields[0] not in ("trap", "optional")
    ]
    traps = [_trap(name, span, fields) for span, fields in marks if fields[0] == "trap"]
    optional = [span for span, fields in marks if fields == ["optional"]]
    if len(mentions) + len(traps) + len(optional) != len(marks):
        raise ValueError(f"{name}: an optional span has no further fields")
    return Note(name, text, tuple(mentions), tuple(traps), tuple(optional))


def _trap(name: str, span: Span, fields: list[str]) -> Trap:
    if len(fields) != 2 or fields[1] not in TRAPS:
        raise ValueError(
            f"{name}: {span.text!r} is a trap of kind {fields[1:]}; expected one of {sorted(TRAPS)}"
        )
    return Trap(span.start, span.end, span.text, fields[1])


def _mention(name: str, text: str, span: Span, fields: list[str]) -> GoldMention:
    if len(fields) not in (3, 4):
        raise ValueError(
            f"{name}: {span.text!r} has {len(fields)} fields; expected concepts, type, assertion and perhaps classes"
        )
    concepts, kind, said = fields[:3]
    if span.text != span.text.strip():
        raise ValueError(f"{name}: blanks around {span.text!r}")
    assertion = frozenset() if said == "present" else frozenset(said.split("+"))
    classes = frozenset(fields[3].split(" ")) if len(fields) == 4 else frozenset()
    for what, values, known in (
        ("type", {kind}, TYPES),
        ("assertion", assertion, ASSERTIONS),
        ("class", classes, CLASSES),
    ):
        if unknown := values - known:
            raise ValueError(
                f"{name}: {span.text!r} has {what} {sorted(unknown)}; expected of {sorted(known)}"
            )
    answers = tuple(_answer(name, span, answer) for answer in concepts.split(" or "))
    classes |= _derived(text, span, answers, assertion)
    return GoldMention(span.start, span.end, span.text, kind, answers, assertion, classes)


def _answer(name: str, span: Span, written: str) -> frozenset[str]:
    if written == "NIL":
        return frozenset()
    concepts = written.split("+")
    for concept in concepts:
        if not _CONCEPT.fullmatch(concept):
            raise ValueError(
                f"{name}: {span.text!r} has concept {concept!r}; expected MESH:D… or MESH:C…, or NIL alone"
            )
    return frozenset(concepts)


def _derived(
    text: str, span: Span, answers: tuple[frozenset[str], ...], assertion: frozenset[str]
) -> set[str]:
    line = text[text.rfind("\n", 0, span.start) + 1 : text.find("\n", span.end)]
    holds = {
        "broken": "\n" in span.text,
        "composite": len(answers[0]) > 1,
        "negated": "negated" in assertion,
        "table": " | " in line or "\t" in line,
    }
    return {name for name, true in holds.items() if true}

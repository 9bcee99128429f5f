"""The nouns of linnet: frozen dataclasses that all packages use.

Ids are CURIEs (`MESH:D003920`). NIL is an empty `concepts`. A score is always "higher is better".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

__all__ = ["Candidate", "Concept", "Document", "Link", "LinkedDocument", "LinkedMention", "Mention"]

_OVERRIDE = "override"

NOTE_FROM = 0.3
"""From what `note` on a document is read as a clinical note. Between 0.3 and 0.5 is no clinical note to tune on, no dictated one, and no
abstract of a development set; a line of the other kind turns 3 % of the notes and 2 % of the abstracts, from 0.5 on 10 % of the notes."""


@dataclass(frozen=True, slots=True)
class Concept:
    """One entry of a terminology.

    name         preferred name
    names        the other names, best first, without the preferred one
    types        semantic types or groups ("Disease", "T047"), as the source writes them
    parents      ids of the broader concepts
    xrefs        ids of the concept in other vocabularies
    sources      vocabularies that contribute to it ("MESH", "SNOMEDCT_US")
    replaced_by  ids to use instead. A concept with `replaced_by` but no name is a retired or alternative id: it can be
                 looked up but never linked to
    """

    id: str
    name: str
    names: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    definition: str = ""
    parents: tuple[str, ...] = ()
    xrefs: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    replaced_by: tuple[str, ...] = ()

    @property
    def all_names(self) -> tuple[str, ...]:
        """The preferred name, then the others."""
        return (self.name, *self.names) if self.name else self.names


@dataclass(frozen=True, slots=True)
class Document:
    """A text with its mentions, recognised or annotated.

    A document adopts its mentions: each is rebound so that `mention.document is document`. `extra` keeps what linnet does
    not model (title length, relations, passages …) unchanged under the name of its format, which writes it back.

    note  how probably the text is a clinical note, rather than an article, 0 to 1; None until mentions are looked for in it
    """

    id: str
    text: str
    mentions: tuple[Mention, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    note: float | None = field(default=None, kw_only=True, compare=False, repr=False)

    def __post_init__(self) -> None:
        adopted = tuple(m if m.document is self else replace(m, document=self) for m in self.mentions)
        object.__setattr__(self, "mentions", adopted)

    @property
    def text_kind(self) -> str:
        """What the text was read as: "note" or "article"; "" if no mentions were looked for in it."""
        if self.note is None:
            return ""
        return "note" if self.note >= NOTE_FROM else "article"

    def with_mentions(self, mentions: Sequence[Mention]) -> Document:
        """A copy with these mentions instead, in the order given."""
        return replace(self, mentions=tuple(mentions))


@dataclass(frozen=True, slots=True)
class Mention:
    """A span of a document that names something.

    start, end   character offsets into `document.text` (Unicode code points, end exclusive)
    type         semantic type ("Disease"), "" if unknown
    concepts     annotated concepts; empty for NIL or without annotation; several for a composite
    source       who made it: "gold", "user", or the recogniser's name
    confidence   of the recogniser, 0 to 1; None if not given
    extra        what linnet does not model, unchanged (annotation id, discontinuous spans, `combined` ids …)
    """

    document: Document = field(repr=False, compare=False)
    start: int
    end: int
    text: str
    type: str = ""
    concepts: tuple[str, ...] = ()
    source: str = "gold"
    confidence: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @classmethod
    def alone(
        cls, text: str, *, left: str = "", right: str = "", document: str = "", type: str = ""
    ) -> Mention:
        """A mention given as a string, in a document made of its context.

        A space is inserted between context and mention if both sides are word characters.
        """
        before = left + (" " if _touch(left, text) else "")
        after = (" " if _touch(text, right) else "") + right
        home = Document(document, before + text + after)
        return cls(home, len(before), len(before) + len(text), text, type)

    @property
    def left(self) -> str:
        """The document's text before the mention."""
        return self.document.text[: self.start]

    @property
    def right(self) -> str:
        """The document's text after the mention."""
        return self.document.text[self.end :]


def _touch(left: str, right: str) -> bool:
    return bool(left) and bool(right) and left[-1].isalnum() and right[0].isalnum()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A concept proposed for a mention: the name that matched, its score, and how it was retrieved."""

    concept: str
    name: str
    score: float
    origin: str


@dataclass(frozen=True, slots=True)
class Link:
    """The linker's answer for one mention.

    concepts     empty for NIL, several for a composite mention
    name         preferred name of the (first) concept, "" for NIL
    probability  that `concepts` is right, calibrated; None until a calibrator is installed, and for NIL that no person decided
    candidates   best first; the linker creates them lazily, as a sequence equal to a tuple
    parts        for a composite mention, one link per part, else empty
    assertion    what the text says of the mention, of `linnet.read.assertion.ATTRIBUTES`: () for what is simply so; None if
                 the pipeline does not ask
    section      kind of the section of a clinical note that the mention stands in, of `linnet.read.sections.KINDS`: "past history"; "" for
                 none, or if the pipeline does not ask for assertion
    """

    mention: Mention
    concepts: tuple[str, ...] = ()
    name: str = ""
    probability: float | None = None
    candidates: Sequence[Candidate] = ()
    parts: tuple[Link, ...] = ()
    assertion: tuple[str, ...] | None = None
    section: str = ""

    @property
    def concept(self) -> str | None:
        """The (first) concept, None for NIL."""
        return self.concepts[0] if self.concepts else None

    @property
    def origin(self) -> str:
        """How the best candidate was found; "override" for NIL that a person decided; "" for none."""
        decided = _OVERRIDE if not self.concepts and self.probability is not None else ""
        return decided or (self.candidates[0].origin if self.candidates else "")

    @property
    def is_decided(self) -> bool:
        """Whether an override decides it, a concept or NIL."""
        return self._decided_among(self.candidates)

    @property
    def is_nil(self) -> bool:
        """Whether no concept is right for the mention."""
        return not self.concepts

    def _decided_among(self, candidates: Sequence[Candidate]) -> bool:
        if not self.concepts:
            return self.probability is not None
        return bool(candidates) and _OVERRIDE in candidates[0].origin

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON: text, concepts, name, probability and candidates; parts of a composite; assertion if it was asked for, and
        the section where there is one; origin if an override decides it.
        """
        candidates = tuple(self.candidates)
        record: dict[str, Any] = {
            "text": self.mention.text,
            "concepts": list(self.concepts),
            "name": self.name,
            "probability": self.probability,
            "candidates": [
                {"concept": c.concept, "name": c.name, "score": c.score, "origin": c.origin}
                for c in candidates
            ],
        }
        if self._decided_among(candidates):
            record["origin"] = _OVERRIDE
        if self.parts:
            record["parts"] = [part.to_dict() for part in self.parts]
        if self.assertion is not None:
            record["assertion"] = list(self.assertion)
        if self.section:
            record["section"] = self.section
        return record


@dataclass(frozen=True, slots=True, repr=False)
class LinkedMention(Mention):
    """A mention with the linker's answer: `link.name`, `link.probability`, `link.candidates` … of its `concepts`."""

    link: Link = field(kw_only=True, repr=False, compare=False)

    def __repr__(self) -> str:
        answer = f"{'|'.join(self.concepts)} {self.link.name!r}" if self.concepts else "NIL"
        sure = "" if self.link.probability is None else f" ({self.link.probability:.4g})"
        return f"LinkedMention({self.start}, {self.end}, {self.text!r} → {answer}{sure})"

    @classmethod
    def of(cls, link: Link) -> LinkedMention:
        """The link's mention with its concepts."""
        own = {f.name: getattr(link.mention, f.name) for f in fields(Mention)}
        return cls(**{**own, "concepts": link.concepts}, link=link)


@dataclass(frozen=True, slots=True)
class LinkedDocument(Document):
    """A document whose mentions carry their links."""

    mentions: tuple[LinkedMention, ...] = ()

"""Finds mentions in all documents of a project, on the sheets that the user works on: never on those of others."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Row, Select, String, cast, select
from sqlalchemy.orm import Session

from linnet.annotate.editing.listing import seen_documents
from linnet.annotate.editing.snapshot import NONE
from linnet.annotate.store.tables import Annotation, Document, Project

__all__ = [
    "Criteria",
    "Found",
    "Link",
    "Meaning",
    "Variants",
    "find_inconsistent",
    "find_mentions",
    "meanings",
]

_MOST_IDS = 5000  # in one query
_BATCH = 200  # documents whose texts are in memory at once
_CONTEXT = 40  # characters on either side of a mention
_COLUMNS = tuple(column for column in Annotation.__table__.columns if column.name != "extra")

Link = tuple[tuple[str, ...], bool]
"""Concepts of a mention, and whether it is NIL. ((), False) is not linked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """Which mentions. Empty values do not restrict.

    text     in the mention, in any case and with any white space; whole: it is all of the mention
    concept  one of its concepts
    attribute, value  an attribute that it has; value: "" for any
    least, below  bounds of the probability; below excludes itself, and both exclude mentions without a probability
    unchanged  only those that were accepted unchanged, with their whole document
    """

    text: str = ""
    whole: bool = False
    concept: str = ""
    attribute: str = ""
    value: str = ""
    layers: Sequence[str] = ()
    states: Sequence[str] = ()
    least: float | None = None
    below: float | None = None
    unchanged: bool = False


class Found(NamedTuple):
    """A mention. state, revision: of its sheet; row: columns of its annotation; text: of its span; before, after: text around it."""

    document: int
    name: str
    state: str
    revision: int
    row: Row[Any]
    text: str
    before: str
    after: str

    @property
    def link(self) -> Link:
        """What it is linked to."""
        return tuple(self.row.concepts), self.row.nil


class Meaning(NamedTuple):
    """A link, and how many mentions in how many documents have it."""

    link: Link
    mentions: int
    documents: int


class Variants(NamedTuple):
    """A text with its links, the most frequent first. text: as it is written most often."""

    text: str
    meanings: list[Meaning]


def find_mentions(session: Session, project: Project, by: str, criteria: Criteria) -> Iterator[Found]:
    """The mentions that meet all criteria, by name of the document, then in text order."""
    wanted = _words(criteria.text)
    documents, sheet, state = seen_documents(project, by)
    if criteria.states:
        documents = documents.where(state.in_(criteria.states))
    heads = documents.with_only_columns(
        Document.id, Document.name, state.label("state"), sheet.id.label("sheet"), sheet.revision
    ).order_by(Document.name, Document.id)
    marks = select(Annotation.id).where(Annotation.layer != NONE)
    if criteria.layers:
        marks = marks.where(Annotation.layer.in_(criteria.layers))
    if criteria.unchanged:
        marks = marks.where(Annotation.unchanged)
    if criteria.least is not None:
        marks = marks.where(Annotation.probability >= criteria.least)
    if criteria.below is not None:
        marks = marks.where(Annotation.probability < criteria.below)
    if criteria.concept:  # a part of the list as JSON; what it finds is looked at again
        written = json.dumps(criteria.concept)
        marks = marks.where(cast(Annotation.concepts, String).contains(written, autoescape=True))
    marks = marks.order_by(Annotation.start, Annotation.end.desc(), Annotation.id)
    rows_of_documents = session.execute(heads).all()
    for first in range(0, len(rows_of_documents), _BATCH):
        batch = rows_of_documents[first : first + _BATCH]
        rows: defaultdict[int, list[Row[Any]]] = defaultdict(list)
        there = marks.where(Annotation.sheet_id.in_([head.sheet for head in batch]))
        for row in _whole_rows(session, there, batch, wanted, whole=criteria.whole):
            if (not criteria.concept or criteria.concept in row.concepts) and _has(row, criteria):
                rows[row.sheet_id].append(row)
        with_marks = [head.id for head in batch if head.sheet in rows]
        read = select(Document.id, Document.text).where(Document.id.in_(with_marks))
        texts = {id: text for id, text in session.execute(read)}  # noqa: C416
        for head in batch:
            for row in rows[head.sheet]:
                text = texts[head.id]
                mention = text[row.start : row.end]
                before, after = (
                    text[max(0, row.start - _CONTEXT) : row.start],
                    text[row.end : row.end + _CONTEXT],
                )
                yield Found(head.id, head.name, head.state, head.revision, row, mention, before, after)


def _whole_rows(
    session: Session, marks: Select[int], batch: Sequence[Any], wanted: str, *, whole: bool
) -> Iterable[Row[Any]]:
    """All columns of annotations, in the order of `marks`; where a text is wanted, only of those that have it, because most time goes
    into reading the columns."""
    if not wanted:
        return session.execute(marks.with_only_columns(*_COLUMNS)).all()
    read = select(Document.id, Document.text).where(Document.id.in_([head.id for head in batch]))
    by_document = {id: text for id, text in session.execute(read)}  # noqa: C416
    texts = {head.sheet: by_document[head.id] for head in batch}
    places = marks.with_only_columns(Annotation.id, Annotation.sheet_id, Annotation.start, Annotation.end)
    fitting = [
        id
        for id, sheet, start, end in session.execute(places)
        if _fits(wanted, _words(texts[sheet][start:end]), whole=whole)
    ]
    found: dict[int, Row[Any]] = {}
    for first in range(0, len(fitting), _MOST_IDS):
        ids = fitting[first : first + _MOST_IDS]
        found |= {row.id: row for row in session.execute(select(*_COLUMNS).where(Annotation.id.in_(ids)))}
    return [found[id] for id in fitting]


def meanings(mentions: Iterable[Found]) -> list[Meaning]:
    """The links of mentions, the most frequent first."""
    documents: defaultdict[Link, set[int]] = defaultdict(set)
    counts: Counter[Link] = Counter()
    for mention in mentions:
        counts[mention.link] += 1
        documents[mention.link].add(mention.document)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [Meaning(link, count, len(documents[link])) for link, count in ordered]


def find_inconsistent(session: Session, project: Project, by: str, criteria: Criteria) -> list[Variants]:
    """Texts whose mentions are linked to different concepts, those with the most mentions first. Ignores what is not linked yet.

    Mentions have the same text if they differ in upper and lower case or white space only.
    """
    same: defaultdict[str, list[Found]] = defaultdict(list)
    for mention in find_mentions(session, project, by, criteria):
        if mention.link != ((), False):
            same[_words(mention.text)].append(mention)
    groups = [group for group in same.values() if len({mention.link for mention in group}) > 1]
    groups.sort(key=lambda group: (-len(group), group[0].text))
    return [
        Variants(Counter(mention.text for mention in group).most_common(1)[0][0], meanings(group))
        for group in groups
    ]


def _has(row: Row[Any], criteria: Criteria) -> bool:
    """Whether a mention has the attribute that is asked for, if one is."""
    if not criteria.attribute:
        return True
    value = row.attributes.get(criteria.attribute)
    return value is not None and criteria.value in ("", value)


def _words(text: str) -> str:
    return " ".join(text.casefold().split())


def _fits(wanted: str, words: str, *, whole: bool) -> bool:
    return wanted == words if whole else wanted in words

"""Finds mentions in all documents of a project, on the sheets that the user works on: never on those of others."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, groupby, islice
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Row, Select, String, cast, func, literal, select
from sqlalchemy.orm import Session

from linnet.annotate.domain.annotations.snapshot import NONE
from linnet.annotate.domain.documents.listing import seen_documents
from linnet.annotate.store.tables import Annotation, Document, Project, Sheet

__all__ = [
    "Criteria",
    "Found",
    "Link",
    "Meaning",
    "Page",
    "Variants",
    "find_inconsistent",
    "find_mentions",
]

_BATCH = 200  # documents whose texts are in memory at once
_CONTEXT = 40  # characters on either side of a mention
_COLUMNS = tuple(column for column in Annotation.__table__.columns if column.name != "extra")
_WRITTEN = cast(Annotation.concepts, String)
# By name of the document; then as the page of a document orders them.
_IN_ORDER = (Document.name, Document.id, Annotation.start, Annotation.end.desc(), Annotation.id)

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


class _Mark(NamedTuple):
    """Of a mention only what tells whether it fits, and what it is linked to."""

    document: int
    id: int
    text: str
    link: Link


class Meaning(NamedTuple):
    """A link, and how many mentions in how many documents have it."""

    link: Link
    mentions: int
    documents: int


class Page(NamedTuple):
    """Mentions of a page; number of all mentions and of their documents, and the links of all, the most frequent first."""

    total: int
    documents: int
    meanings: list[Meaning]
    mentions: list[Found]


class Variants(NamedTuple):
    """A text with its links, the most frequent first. text: as it is written most often."""

    text: str
    meanings: list[Meaning]


def find_mentions(
    session: Session, project: Project, by: str, criteria: Criteria, *, offset: int, limit: int
) -> Page:
    """The mentions that meet all criteria, by name of the document, then in text order: those of a page, and counts of all.

    The database counts and divides them. It cannot compare texts and attributes: where one is asked for, all mentions are read, but only
    those of the page completely.
    """
    matching, sheet, state = _matching(project, by, criteria)
    columns = Document.name, state.label("state"), sheet.revision.label("seen"), Document.id.label("document")
    page = matching.with_only_columns(*columns, *_COLUMNS).order_by(*_IN_ORDER)
    if criteria.text or criteria.attribute:
        marks = list(_marks(session, matching, criteria))
        total, documents, links = len(marks), len({mark.document for mark in marks}), _meanings(marks)
        page = page.where(Annotation.id.in_([mark.id for mark in marks[offset : offset + limit]]))
    else:
        count, of_documents = func.count(), func.count(Document.id.distinct())
        groups = session.execute(
            matching.with_only_columns(_WRITTEN, Annotation.nil, count, of_documents).group_by(
                _WRITTEN, Annotation.nil
            )
        )
        links = sorted(
            (Meaning(_link(written, nil), *numbers) for written, nil, *numbers in groups), key=_frequent
        )
        total = sum(link.mentions for link in links)
        documents = session.scalar(matching.with_only_columns(of_documents)) or 0
        page = page.offset(offset).limit(limit)
    rows = session.execute(page).all()
    read = select(Document.id, Document.text).where(Document.id.in_({row.document for row in rows}))
    texts = dict(session.execute(read).all())
    return Page(total, documents, links, [_found(row, texts[row.document]) for row in rows])


def _found(row: Row[Any], text: str) -> Found:
    before, after = text[max(0, row.start - _CONTEXT) : row.start], text[row.end : row.end + _CONTEXT]
    return Found(row.document, row.name, row.state, row.seen, row, text[row.start : row.end], before, after)


def _matching(
    project: Project, by: str, criteria: Criteria
) -> tuple[Select[Document, Sheet], type[Sheet], ColumnElement[str]]:
    """A query for the mentions that meet what the database can judge, the sheet's entity, and its state as the user sees it."""
    documents, sheet, state = seen_documents(project, by)
    marks = documents.join(Annotation, Annotation.sheet_id == sheet.id).where(Annotation.layer != NONE)
    if criteria.states:
        marks = marks.where(state.in_(criteria.states))
    if criteria.layers:
        marks = marks.where(Annotation.layer.in_(criteria.layers))
    if criteria.unchanged:
        marks = marks.where(Annotation.unchanged)
    if criteria.least is not None:
        marks = marks.where(Annotation.probability >= criteria.least)
    if criteria.below is not None:
        marks = marks.where(Annotation.probability < criteria.below)
    if criteria.concept:  # a string of the list as JSON. LIKE would ignore case in SQLite
        marks = marks.where(func.replace(_WRITTEN, json.dumps(criteria.concept), "") != _WRITTEN)
    return marks, sheet, state


def _marks(session: Session, matching: Select[Document, Sheet], criteria: Criteria) -> Iterator[_Mark]:
    """The mentions of a query that have the text and the attribute, in order; a few columns of each, because most time goes into them."""
    wanted = _words(criteria.text)
    attributes = Annotation.attributes if criteria.attribute else literal(None)
    columns = Document.id, Annotation.id, Annotation.start, Annotation.end, _WRITTEN, Annotation.nil
    rows = session.execute(matching.with_only_columns(*columns, attributes).order_by(*_IN_ORDER))
    of_documents = (list(group) for _, group in groupby(rows, key=lambda row: row[0]))
    while batch := list(islice(of_documents, _BATCH)):
        read = select(Document.id, Document.text).where(Document.id.in_([group[0][0] for group in batch]))
        texts = dict(session.execute(read).all())
        for document, id, start, end, written, nil, values in chain.from_iterable(batch):
            text = texts[document][start:end]
            if wanted and not _fits(wanted, _words(text), whole=criteria.whole):
                continue
            if criteria.attribute:
                value = values.get(criteria.attribute)
                if value is None or criteria.value not in ("", value):
                    continue
            yield _Mark(document, id, text, _link(written, nil))


@lru_cache(maxsize=10_000)
def _link(written: str, nil: bool) -> Link:
    return tuple(json.loads(written)), nil


def _meanings(mentions: Iterable[_Mark]) -> list[Meaning]:
    """The links of mentions, the most frequent first."""
    documents: defaultdict[Link, set[int]] = defaultdict(set)
    counts: Counter[Link] = Counter()
    for mention in mentions:
        counts[mention.link] += 1
        documents[mention.link].add(mention.document)
    return sorted(
        (Meaning(link, count, len(documents[link])) for link, count in counts.items()), key=_frequent
    )


def _frequent(meaning: Meaning) -> tuple[int, Link]:
    return -meaning.mentions, meaning.link


def find_inconsistent(session: Session, project: Project, by: str, criteria: Criteria) -> list[Variants]:
    """Texts whose mentions are linked to different concepts, those with the most mentions first. Ignores what is not linked yet.

    Mentions have the same text if they differ in upper and lower case or white space only.
    """
    same: defaultdict[str, list[_Mark]] = defaultdict(list)
    for mention in _marks(session, _matching(project, by, criteria)[0], criteria):
        if mention.link != ((), False):
            same[_words(mention.text)].append(mention)
    groups = [group for group in same.values() if len({mention.link for mention in group}) > 1]
    groups.sort(key=lambda group: (-len(group), group[0].text))
    return [
        Variants(Counter(mention.text for mention in group).most_common(1)[0][0], _meanings(group))
        for group in groups
    ]


def _words(text: str) -> str:
    return " ".join(text.casefold().split())


def _fits(wanted: str, words: str, *, whole: bool) -> bool:
    return wanted == words if whole else wanted in words

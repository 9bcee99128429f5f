"""Concepts for a search: the linker's ranking first, then matches of words in names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sqlalchemy.orm import Session

from linnet.annotate.domain.projects.finding import find_document, find_project
from linnet.annotate.refusals import Invalid
from linnet.annotate.store.tables import Project
from linnet.arrays import Mask
from linnet.link import Linker
from linnet.terminology import Terminology
from linnet.terminology.search import Found, SearchIndex
from linnet.types import Candidate, Document, Link, Mention
from linnet.words.curies import curie
from linnet.words.text import tokens

__all__ = ["Proposed", "Span", "beyond", "link_query", "proposals", "span_of"]

_EXACT = "exact"  # in a candidate's origin


class Span(NamedTuple):
    """The mention that a search is for: the linker knows the abbreviations of its document."""

    name: str
    text: str
    start: int
    end: int


class Proposed(NamedTuple):
    """A concept row, the name that matched, and how: `linker`, `guess`, or a match of `SearchIndex.search`.

    score, origin  of candidates of the linker
    """

    concept: int
    name: str
    match: str
    score: float | None = None
    origin: str = ""


def span_of(session: Session, document: int, start: int, end: int) -> tuple[Project, Span]:
    """A span of a document, and its project. Raises NotFound, and Invalid for a span outside the text."""
    row = find_document(session, document, text=True)
    if not start < end <= row.characters:
        raise Invalid(f"The span {start}–{end} is outside the text, which has {row.characters:,} characters.")
    return find_project(session, row.project_id), Span(row.name, row.text, start, end)


def proposals(
    index: SearchIndex, linker: Linker, query: str, *, k: int, allowed: Mask | None, span: Span | None = None
) -> list[Proposed]:
    """At most k distinct concepts, best first; [] for a blank query.

    allowed  (concepts,) mask of the concepts to search
    span     the mention that the query is for

    An id, in any case, with or without prefix, finds only its concept, or nothing if that is not allowed. Otherwise:

    1. names equal to the query, those of the linker first;
    2. for several words: names that begin with them, exactly or with one letter changed;
    3. the other candidates with a score at which the linker links, in its order;
    4. names that begin with the query, and names with all its words or their beginnings;
    5. the linker's other candidates, as `guess`: it would not link to them; and names with some of the words.
    """
    words = query.strip()
    if not words:
        return []
    if ids := _ids(index.terminology, words):
        return _named(index, ids, allowed)[:k]
    hits = index.search(words, k=k, allowed=allowed)
    link = link_query(linker, words, span, k=k)
    min_score = linker.pipeline.min_score
    linked = [candidate for candidate in link.candidates if link.concepts and candidate.score >= min_score]
    several = len(tokens(words)) > 1
    known = [hit for hit in hits if hit.match != "some"]
    ranked = [
        *_of_candidates(
            index, [candidate for candidate in linked if _EXACT in candidate.origin], "linker", allowed
        ),
        *(_of_hit(index, hit) for hit in hits if hit.match in ("id", "exact")),
        *(_of_hit(index, hit) for hit in hits if several and hit.match == "prefix"),
        *(_of_hit(index, hit) for hit in (index.respelt(words, k=k, allowed=allowed) if not known else ())),
        *_of_candidates(index, linked, "linker", allowed),
        *(_of_hit(index, hit) for hit in known),
        *_of_candidates(index, link.candidates, "guess", allowed),
        *(_of_hit(index, hit) for hit in hits),
    ]
    first: dict[int, Proposed] = {}
    for proposed in ranked:
        first.setdefault(proposed.concept, proposed)
    return list(first.values())[:k]


def beyond(index: SearchIndex, query: str, allowed: Mask | None) -> list[int]:
    """Rows of the concepts with this id that `allowed` excludes."""
    rows = [index.terminology.row(id) for id in _ids(index.terminology, query.strip())]
    return [row for row in rows if allowed is not None and not allowed[row]]


def _ids(terminology: Terminology, query: str) -> Sequence[str]:
    """Current concept ids for a query that is an id."""
    for cased in dict.fromkeys((query, query.upper(), query.lower())):
        spellings = [
            cased,
            curie(cased),
            *(curie(cased, prefix=source) for source in terminology.source_names),
        ]
        for spelling in dict.fromkeys(spellings):
            if ids := terminology.resolve(spelling):
                return ids
    return ()


def _named(index: SearchIndex, ids: Sequence[str], allowed: Mask | None) -> list[Proposed]:
    terminology = index.terminology
    rows = [terminology.row(id) for id in ids]
    return [
        Proposed(row, terminology.names[int(terminology.first_name[row])], "id")
        for row in rows
        if allowed is None or allowed[row]
    ]


def link_query(linker: Linker, query: str, span: Span | None, *, k: int) -> Link:
    """The linker's answer for a text, with up to k candidates. span: its mention in a document."""
    mention = Mention.alone(query)
    if span is not None:
        mention = Mention(Document(span.name, span.text), span.start, span.end, query)
    [link] = linker.link([mention], k=k)
    return link


def _of_candidates(
    index: SearchIndex, candidates: Sequence[Candidate], match: str, allowed: Mask | None
) -> Iterator[Proposed]:
    for candidate in candidates:
        row = index.terminology.row(candidate.concept)
        if row >= 0 and (allowed is None or allowed[row]):
            yield Proposed(row, candidate.name, match, candidate.score, candidate.origin)


def _of_hit(index: SearchIndex, hit: Found) -> Proposed:
    return Proposed(hit.concept, index.terminology.names[hit.name], hit.match)

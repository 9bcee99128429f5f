"""What a text says of its mentions: denied, doubted, past, of somebody else, or only thought of.

Rules after NegEx and ConText (Harkema et al. 2009, doi:10.1016/j.jbi.2009.05.002): a cue gives its attribute to the mentions
in its scope, which reaches to the end of the sentence or to words that end it. English.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from linnet.read.assertion_cues import (
    ATTRIBUTES,
    Cue,
    Role,
    Token,
    find_cues,
    find_ends,
    headings,
    tokens_of,
)
from linnet.types import Document
from linnet.words.sentences import split_sentences

__all__ = ["ATTRIBUTES", "assertions"]

NEGATED, HISTORICAL = "negated", "historical"
_ITEM = re.compile(r"\n[^\S\n]*(?:[-*•·–]|\(?\d{1,2}[.)]|[a-z][.)])\s+|\n(?=[^\S\n]*[A-Z][\w /&-]{1,40}:)")
_LINE = re.compile(r"\n(?=[^\S\n]*[A-Z])")
_SHORT = 60  # characters of a line that was not broken because it was full
_HEADING = re.compile(r"[^\S\n]*(?:[-*•#]+\s*|\d{1,2}[.)]\s*)?([A-Za-z][A-Za-z /&-]{1,40}?)\s*(?::|-\s|$)")
_NEAR = 5  # tokens that a bare "not" denies
_ASKED = 3  # tokens of what is queried by a question mark behind it
_JOINTS = frozenset({",", "and", "or", "/", ";"})


def assertions(document: Document) -> list[tuple[str, ...]]:
    """For each mention its attributes, in the order of `ATTRIBUTES`; () for what is simply said to be so.

    Takes time in proportion to the text's length.

    >>> from linnet.types import Document, Mention
    >>> text = "Denies fever. Mother had asthma."
    >>> document = Document("1", text)
    >>> spans = [(text.index(name), text.index(name) + len(name)) for name in ("fever", "asthma")]
    >>> assertions(document.with_mentions([Mention(document, a, b, text[a:b]) for a, b in spans]))
    [('negated',), ('other person',)]
    """
    found: list[set[str]] = [set() for _ in document.mentions]
    if not found:
        return []
    order = sorted(range(len(found)), key=lambda place: document.mentions[place].start)
    starts = [document.mentions[place].start for place in order]
    for low, high, attribute in _sections(document.text):
        for place in order[bisect_left(starts, low) : bisect_left(starts, high)]:
            found[place].add(attribute)
    for low, high in _parts(document.text):
        inside = order[bisect_left(starts, low) : bisect_left(starts, high)]
        if inside:
            tokens = tokens_of(document.text, low, high)
            spans = [(document.mentions[place].start, document.mentions[place].end) for place in inside]
            for place, attributes in zip(inside, _in_part(tokens, spans), strict=True):
                found[place] |= attributes
    return [tuple(name for name in ATTRIBUTES if name in attributes) for attributes in found]


def _in_part(tokens: Sequence[Token], spans: Sequence[tuple[int, int]]) -> Iterator[set[str]]:
    """The attributes of spans by the cues of a sentence."""
    places = [_tokens_in(tokens, start, end) for start, end in spans]
    within = {place for first, last in places for place in range(first, last)}
    cues = [
        cue
        for cue in find_cues(tokens)
        if not within.issuperset(range(cue.start, cue.end)) and _is_meant(cue, tokens)
    ]
    covered = {attribute: [0] * (len(tokens) + 1) for attribute in ATTRIBUTES}
    limits = _Limits(tokens, cues)
    for cue in cues:
        if cue.role in (Role.BEFORE, Role.NEAR, Role.BOTH):
            _mark(covered[cue.attribute], cue.end, limits.after(cue))
        if cue.role in (Role.AFTER, Role.BOTH):
            _mark(covered[cue.attribute], limits.before(cue), cue.start)
    depth = {attribute: list(accumulate(marks)) for attribute, marks in covered.items()}
    for first, last in places:
        yield {attribute for attribute in ATTRIBUTES if first < last and depth[attribute][first] > 0}


def _is_meant(cue: Cue, tokens: Sequence[Token]) -> bool:
    """Whether a question mark stands before or behind what it queries, rather than at the end of a question."""
    if cue.end - cue.start > 1 or tokens[cue.start].text != "?":
        return True
    place = cue.start
    if cue.role == Role.BEFORE:
        return place + 1 < len(tokens) and tokens[place + 1].start == tokens[place].end
    return 0 < place <= _ASKED and tokens[place - 1].end == tokens[place].start


class _Limits:
    """How far the cues of a sentence reach."""

    def __init__(self, tokens: Sequence[Token], cues: Sequence[Cue]) -> None:
        acting = [cue for cue in cues if cue.role != Role.NOT]
        inside = {place for cue in acting for place in range(cue.start, cue.end)}
        ends = [end for end in find_ends(tokens) if end.start not in inside or end.end - end.start > 1]
        self._ends = {
            attribute: [end for end in ends if not end.attribute or attribute in end.attribute.split(",")]
            for attribute in ATTRIBUTES
        }
        self._starts = {name: [end.start for end in ends] for name, ends in self._ends.items()}
        self._lasts = {name: sorted(end.end for end in ends) for name, ends in self._ends.items()}
        self._after_joints = [place + 1 for place, token in enumerate(tokens) if token.text in _JOINTS]
        self._commas = [place for place, token in enumerate(tokens) if token.text == ","]
        joined = set(self._after_joints)
        # What another attribute begins after a comma is not denied by what stands before.
        self._others = [
            cue.start
            for cue in acting
            if cue.role == Role.BEFORE and cue.attribute != NEGATED and cue.start in joined
        ]
        self._tokens = tokens

    def after(self, cue: Cue) -> int:
        """The token before which its scope to the right ends."""
        starts = self._starts[cue.attribute]
        limit = _first(starts, cue.end, len(self._tokens))
        if cue.role == Role.NEAR:
            limit = min(limit, _first(self._commas, cue.end, limit), cue.end + _NEAR)
        return min(limit, _first(self._others, cue.end, limit)) if cue.attribute == NEGATED else limit

    def before(self, cue: Cue) -> int:
        """The token with which its scope to the left begins."""
        begin = _last(self._lasts[cue.attribute], cue.start)
        is_near = cue.attribute == HISTORICAL or not self._tokens[cue.start].text[0].isalnum()
        return max(begin, _last(self._after_joints, cue.start - 1)) if is_near else begin


def _first(places: Sequence[int], least: int, default: int) -> int:
    place = bisect_left(places, least)
    return places[place] if place < len(places) else default


def _last(places: Sequence[int], most: int) -> int:
    place = bisect_right(places, most)
    return places[place - 1] if place else 0


def _mark(marks: list[int], first: int, last: int) -> None:
    if first < last:
        marks[first] += 1
        marks[last] -= 1


def _tokens_in(tokens: Sequence[Token], start: int, end: int) -> tuple[int, int]:
    """First token that touches a span, and the one after the last."""
    first = bisect_right(tokens, start, key=lambda token: token.end)
    return first, max(first, bisect_left(tokens, end, key=lambda token: token.start))


def _parts(text: str) -> Iterator[tuple[int, int]]:
    """Sentences, and the items and lines of lists in them."""
    for low, high in split_sentences(text):
        cuts = [match.start() + 1 for match in _ITEM.finditer(text, low, high)]
        cuts += [
            match.start() + 1
            for match in _LINE.finditer(text, low, high)
            if match.start() - max(text.rfind("\n", 0, match.start()), -1) <= _SHORT
        ]
        yield from pairwise([low, *sorted({cut for cut in cuts if low < cut < high}), high])


def _sections(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and attribute of what stands below, or behind, a heading that has one."""
    start, attribute, is_open = 0, "", False
    place = 0
    for line in text.splitlines(keepends=True):
        match = _HEADING.match(line)
        name = " ".join(match[1].lower().split()) if match else ""
        known = headings().get(name, "")
        is_heading = match and (line[match.end() - 1] == ":" or known or (line.isupper() and " " in name))
        if attribute and (is_heading or not line.strip() or not is_open):
            yield start, place, attribute
            attribute = ""
        if match and known:
            start, attribute = place + match.end(), known
            # A line that says all of it ends its section.
            is_open = not (line[match.end() :].strip() and line.rstrip().endswith((".", ";")))
        place += len(line)
    if attribute:
        yield start, len(text), attribute

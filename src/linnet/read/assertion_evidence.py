"""What speaks for each attribute of a mention: cues on either side of it, its section, and the mention itself, each as features.

A cue is proposed to the mentions of its sentence, item or line, the two nearest of an attribute on either side; a cue at the end of a
line that introduces a list, to the items. What stands between, as commas, ends of sentences, cells or other cues, are features,
and `lexicon/assertion_weights.tsv` weighs them.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate, pairwise
from typing import NamedTuple

from linnet.read.assertion_cues import ATTRIBUTES, Cue, Role, Token, find_cues, find_ends, tokens_of
from linnet.read.rules import rows
from linnet.read.sections import section_at
from linnet.types import Document, Mention
from linnet.words.semantic_groups import Group, group_of_type
from linnet.words.sentences import split_sentences

__all__ = ["Evidence", "evidence"]

_ITEM = re.compile(r"\n[^\S\n]*(?:[-*•·–]|\(?\d{1,2}[.)]|[a-z][.)])\s+|\n(?=[^\S\n]*[A-Z][\w /&-]{1,40}:)")
_LINE = re.compile(r"\n(?=[^\S\n]*[A-Z])")
_SHORT = 60  # characters of a line that was not broken because it was full
_NEAREST = 2  # cues of an attribute on a side
_STEPS = (0, 1, 2, 4, 7, 12)
_KINDS = {
    ",": "comma", "and": "and", "or": "or", "nor": "or", "/": "slash", "+": "slash", "&": "slash", ";": "semicolon",
    ":": "colon", "(": "open", ")": "close", "-": "dash", "–": "dash", ">": "arrow", "=": "arrow", "?": "question", "…": "leader",
    "|": "cell", "with": "with", "for": "for", "of": "of",
}  # fmt: skip
_SUBSTANCE = Group.CHEMICAL | Group.PROTEIN
_JOINTS = frozenset({",", "and", "or", "nor", "/", "+", "&"})
_JOINING = 4  # tokens between two mentions of a series
_STOPS = frozenset(",.;:)(|…")


class Evidence(NamedTuple):
    """Features of one thing that speaks for, or against, an attribute."""

    attribute: str
    features: tuple[str, ...]


def evidence(document: Document) -> list[list[Evidence]]:
    """For each mention what speaks for its attributes. Takes time in proportion to the text's length."""
    text, mentions = document.text, document.mentions
    order = sorted(range(len(mentions)), key=lambda place: mentions[place].start)
    starts = [mentions[place].start for place in order]
    found = [list(_of_itself(text, mention)) for mention in mentions]
    intro: list[Cue] = []
    for low, high, continues in _parts(text):
        inside = order[bisect_left(starts, low) : bisect_left(starts, high)]
        part = _Part(text, low, high, [mentions[place] for place in inside])
        for place, place_inside in zip(inside, range(len(inside)), strict=True):
            found[place] += part.evidence(place_inside)
            if continues:
                found[place] += (Evidence(cue.attribute, (f"intro {cue.role}",)) for cue in intro)
        ending = text[low:high].rstrip().endswith(":")
        intro = part.opening() if ending else intro if continues else []
    return found


def _of_itself(text: str, mention: Mention) -> Iterator[Evidence]:
    section = section_at(text, mention.start)
    kind = section.kind if section else "none"
    what = _what(mention)
    features = ["always", f"section {kind}", what, f"section {kind}, {what}"]
    if section and section.run_in:
        features.append(f"section {kind}, run in")
        if "\n" in text[section.start : mention.start]:
            features.append(f"section {kind}, run in, later line")
    for attribute in ATTRIBUTES:
        yield Evidence(attribute, tuple(features))


@cache
def _asking() -> frozenset[str]:
    """Words that questions begin with."""
    return frozenset(row["entry"] for row in rows("lists") if row["list"] == "question")


def _what(mention: Mention) -> str:
    """ "substance", or "finding" for all else."""
    return "substance" if group_of_type([mention.type]) & _SUBSTANCE else "finding"


class _Part:
    """A sentence, item or line, with its cues, and what each token is."""

    def __init__(self, text: str, low: int, high: int, mentions: Sequence[Mention]) -> None:
        self._text, self._mentions = text, mentions
        self._tokens = tokens = tokens_of(text, low, high)
        self._places = [_tokens_in(tokens, mention.start, mention.end) for mention in mentions]
        within = {position for first, last in self._places for position in range(first, last)}
        cues = [cue for cue in find_cues(tokens) if cue.role != Role.NOT]
        self._cues = [cue for cue in cues if not within.issuperset(range(cue.start, cue.end))]
        if not mentions or not self._cues:
            return
        self._counts = self._counted()
        self._series = self._joined()
        self._by_attribute = {
            name: [cue for cue in self._cues if cue.attribute == name] for name in ATTRIBUTES
        }
        self._starts = {name: [cue.start for cue in cues] for name, cues in self._by_attribute.items()}

    def opening(self) -> list[Cue]:
        """The cues that what follows the part may have."""
        return [cue for cue in self._cues if cue.role in (Role.BEFORE, Role.BOTH)]

    def evidence(self, index: int) -> Iterator[Evidence]:
        """Of one of the mentions, by the cues of the part."""
        first, last = self._places[index]
        if first == last or not self._cues:
            return
        for attribute, cues in self._by_attribute.items():
            middle = bisect_left(self._starts[attribute], first)
            left = [
                cue
                for cue in cues[max(0, middle - 2 * _NEAREST) : middle]
                if cue.end <= first and cue.role != Role.AFTER
            ]
            right = [
                cue
                for cue in cues[middle : middle + 2 * _NEAREST]
                if cue.start >= last and cue.role not in (Role.BEFORE, Role.NEAR)
            ]
            begin, end = self._series[index]
            for rank, cue in enumerate(reversed(left[-_NEAREST:])):
                joined = index - begin if cue.end <= self._places[begin][0] else 0
                yield self._pair(index, cue, "before", cue.end, self._places[index - joined][0], rank, joined)
            for rank, cue in enumerate(right[:_NEAREST]):
                joined = end - index if cue.start >= self._places[end][1] else 0
                yield self._pair(
                    index, cue, "after", self._places[index + joined][1], cue.start, rank, joined
                )

    def _pair(self, index: int, cue: Cue, side: str, low: int, high: int, rank: int, joined: int) -> Evidence:
        tokens, mention = self._tokens, self._mentions[index]
        between = [name for name, counts in self._counts.items() if counts[high] > counts[low]]
        words = " ".join(token.text for token in tokens[cue.start : cue.end])
        features = [
            f"cue {cue.role}",
            f"at {bisect_right(_STEPS, high - low)}",
            *(f"{name} between" for name in between if name != f"end {cue.attribute}"),
            f"mentions between {min(3, self._mentions_between(low, high))}",
            f"words {words}",
            f"joined {min(3, joined)}",
            f"words of cue {min(3, cue.end - cue.start)}",
        ]
        if f"cue {cue.attribute}" in between or rank:
            features.append("nearer cue")
        if self._is_closed(cue.end):
            features.append("cue closed")
        if self._is_opened(cue.start):
            features.append("cue opened")
        begin, end = self._series[index]
        if self._is_closed(self._places[end][1]):
            features.append("mention closed")
        if self._is_opened(self._places[begin][0]):
            features.append("mention opened")
        if not between:
            features.append("nothing between")
        if cue.end - cue.start == 1 and not words[0].isalnum():
            features.append("sign in a question" if tokens[0].text in _asking() else "sign")
            if cue.start and tokens[cue.start - 1].end == tokens[cue.start].start:
                features.append("sign joined left")
            if cue.end < len(tokens) and tokens[cue.end].start == tokens[cue.start].end:
                features.append("sign joined right")
        what = _what(mention)
        features += [what, f"{what}, words {words}"]
        mine, its = section_at(self._text, mention.start), section_at(self._text, tokens[cue.start].start)
        if mine != its:
            features.append("section between")
        return Evidence(cue.attribute, tuple(f"{side}: {feature}" for feature in features))

    def _joined(self) -> list[tuple[int, int]]:
        """Of each mention the first and last of its series: "fever, chills or night sweats"."""
        begins = [0] * len(self._places)
        for index in range(1, len(self._places)):
            low, high = self._places[index - 1][1], self._places[index][0]
            begins[index] = begins[index - 1] if self._joins(low, high) else index
        ends = list(range(len(self._places)))
        for index in reversed(range(len(self._places) - 1)):
            if begins[index + 1] == begins[index]:
                ends[index] = ends[index + 1]
        return list(zip(begins, ends, strict=True))

    def _joins(self, low: int, high: int) -> bool:
        """Whether the tokens between two mentions only join them."""
        if not low < high <= low + _JOINING:
            return False
        words = [token.text for token in self._tokens[low:high]]
        others = [word for word in words if word not in _JOINTS]
        counts = self._counts
        apart = any(
            counts[name][high] > counts[name][low]
            for name in counts
            if name.startswith(("cue ", "end ")) or name in ("stop", "line", "cell")
        )
        return len(others) < len(words) and len(others) <= 2 and all(map(str.isalpha, others)) and not apart

    def _mentions_between(self, low: int, high: int) -> int:
        return self._begun[high] - self._begun[low]

    def _is_closed(self, position: int) -> bool:
        """Whether what ends before a token is followed by a sign that closes, or by a line's end."""
        return (
            position >= len(self._tokens) or self._tokens[position].text in _STOPS or self._breaks[position]
        )

    def _is_opened(self, position: int) -> bool:
        return position == 0 or self._tokens[position - 1].text in _STOPS or self._breaks[position]

    def _counted(self) -> dict[str, list[int]]:
        """Kind → how many tokens of it there are before each token."""
        tokens, text = self._tokens, self._text
        marks: dict[str, list[int]] = {}

        def mark(name: str, position: int) -> None:
            marks.setdefault(name, [0] * len(tokens))[position] = 1

        self._breaks = [False] * len(tokens)
        for position, token in enumerate(tokens):
            if kind := _KINDS.get(token.text):
                mark(kind, position)
            gap = text[tokens[position - 1].end : token.start] if position else ""
            if token.text == "." and self._stops(position):
                mark("stop", position)
            if "\n" in gap:
                self._breaks[position] = True
                begin = text.rfind("\n", 0, tokens[position - 1].end) + 1
                full = tokens[position - 1].end - begin > _SHORT
                mark("full line" if full else "line", position)
                self._breaks[position] = not full
            elif "\t" in gap or "  " in gap:
                mark("cell", position)
                self._breaks[position] = True
        for end in find_ends(tokens):
            for attribute in end.attribute.split(",") if end.attribute else ATTRIBUTES:
                mark(f"end {attribute}", end.start)
        for cue in self._cues:
            mark(f"cue {cue.attribute}", cue.start)
        counts = {name: [0, *accumulate(flags)] for name, flags in marks.items()}
        begun = [0] * len(tokens)
        for first, last in self._places:
            if first < last:
                begun[first] += 1
        self._begun = [0, *accumulate(begun)]
        return counts

    def _stops(self, position: int) -> bool:
        """Whether a full stop ends something, and is no point of a number or short form."""
        tokens = self._tokens
        if position + 1 < len(tokens) and tokens[position + 1].start == tokens[position].end:
            return False
        return position > 0 and (
            tokens[position - 1].end - tokens[position - 1].start > 1 or tokens[position - 1].text.isdigit()
        )


def _tokens_in(tokens: Sequence[Token], start: int, end: int) -> tuple[int, int]:
    """First token that touches a span, and the one after the last."""
    first = bisect_right(tokens, start, key=lambda token: token.end)
    return first, max(first, bisect_left(tokens, end, key=lambda token: token.start))


def _parts(text: str) -> Iterator[tuple[int, int, bool]]:
    """Sentences, and the items and lines of lists in them; and whether it follows the part before without a blank line."""
    last = 0
    for low, high in split_sentences(text):
        cuts = [match.start() + 1 for match in _ITEM.finditer(text, low, high)]
        cuts += [
            match.start() + 1
            for match in _LINE.finditer(text, low, high)
            if match.start() - max(text.rfind("\n", 0, match.start()), -1) <= _SHORT
        ]
        for begin, end in pairwise([low, *sorted({cut for cut in cuts if low < cut < high}), high]):
            yield begin, end, text.count("\n", last, begin) == 1 or (last == begin)
            last = end

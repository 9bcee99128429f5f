"""Whether ids and labels belong together, in a list of pairs that somebody, or something, has written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import islice
from typing import NamedTuple

from linnet.link.linker import Linker
from linnet.read.qualifiers import Relation, relation
from linnet.terminology import Terminology
from linnet.types import Link
from linnet.words.text import fold, simplify

__all__ = ["Checked", "Verdict", "check_pairs"]

_TOGETHER = 2000
_SURE = 0.5


class Verdict(StrEnum):
    """What is known of a pair."""

    NAME = "name"
    """The label is a name of the concept."""
    LIKELY = "likely"
    """The label is no name of it, but it is the concept that linnet links the label to."""
    DOUBTFUL = "doubtful"
    """The label probably means nothing that linnet knows, or it is not sure of another concept, or the label names something else about the
    concept: "family history of gout"."""
    WRONG = "wrong"
    """The label probably means another concept."""
    RETIRED = "retired"
    """Another concept replaced it."""
    UNKNOWN = "unknown id"


class Checked(NamedTuple):
    """A pair and what is known of it.

    name         preferred name of the concept that the id names, "" for an unknown one
    probability  that the label means the concept in `nearest`; None for none
    nearest      the concept that the label means, "" for none: the right one where the pair is wrong
    """

    id: str
    label: str
    verdict: Verdict
    name: str
    nearest: str
    nearest_name: str
    probability: float | None


def check_pairs(pairs: Iterable[tuple[str, str]], linker: Linker) -> Iterator[Checked]:
    """Check (id, label) pairs, in their order."""
    stream = iter(pairs)
    while batch := list(islice(stream, _TOGETHER)):
        yield from _checked(batch, linker)


def _checked(pairs: Sequence[tuple[str, str]], linker: Linker) -> Iterator[Checked]:
    links = linker.link([label for _, label in pairs], k=1)
    for (id, label), link in zip(pairs, links, strict=True):
        verdict, name, current = _verdict(id, label, link, linker.terminologies)
        nearest, nearest_name = (link.concept or "", link.name)
        if verdict in (Verdict.NAME, Verdict.RETIRED) and current:
            nearest, nearest_name = current, _name(current, linker.terminologies)
        probability = link.probability if nearest == link.concept else None
        yield Checked(id, label, verdict, name, nearest, nearest_name, probability)


def _verdict(
    id: str, label: str, link: Link, terminologies: Sequence[Terminology]
) -> tuple[Verdict, str, str]:
    """The verdict, the name of the concept and its current id."""
    for terminology in terminologies:
        current = terminology.resolve(id)
        if not current:
            continue
        named = next((each for each in current if _is_name(label, each, terminology)), "")
        is_retired = terminology.spelling(id) not in current
        name = terminology[current[0]].name
        if is_retired:
            return Verdict.RETIRED, name, named or current[0]
        if named:
            return Verdict.NAME, name, named
        if current[0] in link.concepts:
            is_other = relation(label, _names(current[0], terminology)) is Relation.OTHER
            return (Verdict.DOUBTFUL if is_other else Verdict.LIKELY), name, current[0]
        is_sure = link.concept is not None and (link.probability or 0.0) >= _SURE
        return (Verdict.WRONG if is_sure else Verdict.DOUBTFUL), name, ""
    return Verdict.UNKNOWN, "", ""


def _is_name(label: str, id: str, terminology: Terminology) -> bool:
    names = _names(id, terminology)
    return fold(label) in map(fold, names) or simplify(label) in map(simplify, names)


def _names(id: str, terminology: Terminology) -> tuple[str, ...]:
    concept = terminology[id]
    return concept.name, *concept.names


def _name(id: str, terminologies: Sequence[Terminology]) -> str:
    return next(terminology[id].name for terminology in terminologies if id in terminology)

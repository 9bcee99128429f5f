"""Candidates made when they are looked at: the same as made one by one beforehand, and no different to use."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Sequence

import pytest

from linnet.link import Linker, Pipeline
from linnet.link.candidates import read_candidates
from linnet.link.terminology_group import TerminologyGroup
from linnet.retrieve.hits import Hits, Origin
from linnet.terminology import Terminology
from linnet.types import Candidate, Link

# Homonyms, misspellings, words in another order, a composite, a dose, a symbol, nothing.
TEXTS = (
    "cold",
    "brest cancr",
    "cancer of the breast",
    "breast and ovarian cancer",
    "aspirin 100 mg",
    "Na+",
    "AT",
    "",
)


@pytest.fixture(scope="module")
def linker(terminology: Terminology) -> Linker:
    return Linker.open([terminology])


def one_by_one(group: TerminologyGroup, hits: Hits) -> list[tuple[Candidate, ...]]:
    """What each row stands for, spelt out with plain loops."""
    answers = []
    for row in range(len(hits)):
        found = []
        for place in range(hits.k):
            if hits.concepts[row, place] < 0:
                continue
            origin = Origin(int(hits.origins[row, place]))
            if Origin.EXACT in origin:
                origin = origin & (Origin.EXACT | Origin.OVERRIDE | Origin.RERANKED)
            [id] = group.ids(hits.concepts[row, place : place + 1])
            [name] = group.name_texts(hits.names[row, place : place + 1])
            score = round(float(hits.scores[row, place]), 5)
            found.append(Candidate(id, name, score, str(origin)))
        answers.append(tuple(found))
    return answers


def wholes(links: Sequence[Link]) -> list[Link]:
    return [link for link in links if not link.parts]


@pytest.mark.parametrize("together", [1, 2])
def test_they_are_what_was_found(terminology: Terminology, together: int) -> None:
    linker = Linker.open([terminology] * together, pipeline=Pipeline(reranker=None))
    otherwise = ("aspirin 100 mg", "Na+", "brest cancr")
    texts = [text for text in TEXTS if text not in otherwise]  # which are read otherwise
    links = linker.link(texts, k=6)
    expected = one_by_one(linker.group, linker.group.search(texts, k=6))
    assert [link.candidates for link in links] == expected
    for link in wholes(links):
        best = link.candidates[0].concept if link.candidates else None
        assert link.concepts in ((), (best,))


def test_they_are_a_sequence_equal_to_the_tuple(linker: Linker) -> None:
    found = linker.link(["cold"], k=6)[0].candidates
    as_tuple = tuple(found)
    assert found == as_tuple
    assert as_tuple == found
    assert hash(found) == hash(as_tuple)
    assert found != as_tuple[1:]
    assert found != list(as_tuple)
    assert repr(found) == repr(as_tuple)
    assert (len(found), found[0], found[-1], found[1:3]) == (
        len(as_tuple), as_tuple[0], as_tuple[-1], as_tuple[1:3],
    )  # fmt: skip
    assert as_tuple[1] in found
    assert list(reversed(found)) == list(reversed(as_tuple))
    with pytest.raises(IndexError):
        found[len(found)]


def test_without_any_they_are_false(linker: Linker) -> None:
    (link,) = linker.link([""])
    assert not link.candidates
    assert link.candidates == ()
    assert list(link.candidates) == []


def test_links_can_be_pickled_and_copied_without_the_terminology(linker: Linker) -> None:
    links = linker.link(TEXTS)
    for again in (pickle.loads(pickle.dumps(links)), copy.deepcopy(links)):
        assert again == links
        assert all(type(link.candidates) is tuple for link in again)


def test_a_link_can_be_kept_in_a_set(linker: Linker) -> None:
    assert len({*linker.link(TEXTS), *linker.link(TEXTS)}) == len(TEXTS)


def test_candidates_that_are_read_together_are_those_read_one_by_one(linker: Linker) -> None:
    alone, together = linker.link(TEXTS), linker.link(TEXTS)
    read_candidates(together)
    for one, other in zip(alone, together, strict=True):
        pairs = zip((one, *one.parts), (other, *other.parts), strict=True)
        assert all(
            a.candidates == b.candidates and tuple(a.candidates) == tuple(b.candidates) for a, b in pairs
        )
        assert other.candidates[1:3] == one.candidates[1:3]
    assert together == alone

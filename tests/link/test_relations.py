"""What a linked concept is to the text of its mention."""

from __future__ import annotations

import pytest

import linnet
from linnet.link.relations import relation_of
from linnet.types import Candidate, Link, Mention


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("gout", "exact"),
        ("known gout, unspecified", "exact"),
        ("HTN", "exact"),
        ("severe gout", "broad"),
        ("family history of gout", "related"),
        ("?gout", "related"),
        ("gout and asthma", "narrow"),
        ("Arm B", ""),
    ],
)
def test_qualifiers_that_the_names_lack_make_it_broader_or_other(text: str, relation: str) -> None:
    [link] = linnet.load("starter").link([text])
    assert relation_of(link) == relation


@pytest.mark.parametrize(
    ("origin", "text", "probability", "relation"),
    [
        ("exact", "gout without tophi", 0.9, "close"),
        ("dense+reranked", "gout", 0.9, "close"),
        ("exact", "gout", 0.4, "related"),
        ("override", "family history of gout", 1.0, "exact"),
    ],
)
def test_further_words_and_likeness_are_close_and_what_a_person_chose_is_exact(
    origin: str, text: str, probability: float, relation: str
) -> None:
    best = Candidate("X:1", "gout", 0.9, origin)
    assert relation_of(Link(Mention.alone(text), ("X:1",), "Gout", probability, (best,))) == relation

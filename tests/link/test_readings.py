"""The readings of strings: which there are and how each is made, whatever the weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest

from linnet.link import Linker, Pipeline
from linnet.link.lookup import Lookup
from linnet.link.readings import NOTHING, Query, Reading, Readings
from linnet.read.divide import tree
from linnet.retrieve.hits import Origin
from linnet.terminology import Terminology
from linnet.types import Concept
from linnet.words.semantic_groups import Group

CONCEPTS = (
    Concept("T:1", "Asthma", (), ("Disease",)),
    Concept("T:2", "Hypertension", ("HTN",), ("Disease",)),
    Concept("T:3", "Zarnitis", (), ("Disease",)),
    Concept("T:4", "Absent Thumb", (), ("Disease",)),
    Concept("T:5", "Lisinopril", (), ("Chemical",)),
    Concept("T:6", "Non-Small Cell Lung Cancer", (), ("Disease",)),
    Concept("T:7", "Small Cell Lung Cancer", (), ("Disease",)),
    Concept("T:8", "Eczema", (), ("Disease",)),
)
_ANYTHING = Group(0)
MISSPELT = {"astmha": "asthma"}


@pytest.fixture(scope="module")
def lookup(compile_terminology: Callable[[Sequence[Concept]], Terminology]) -> Lookup:
    group = Linker.open([compile_terminology(CONCEPTS)], pipeline=Pipeline(reranker=None)).group
    return Lookup(group, k=5)


def readings(
    lookup: Lookup,
    text: str,
    *,
    written: str | None = None,
    recalled: Mapping[tuple[str, str], float] | None = None,
    weights: Mapping[str, float] | None = None,
    groups: Group = _ANYTHING,
) -> list[Reading]:
    """The readings of a string; without weights, all score 0.

    recalled  text and id → share of mentions
    groups    what the mention may be
    """
    query = Query(text if written is None else written, text, False, groups)
    roots = {query: tree(text, composites=True, shorthand=True)}
    shares = recalled or {}

    def recall(texts: Sequence[str], ids: Sequence[Sequence[str]]) -> np.ndarray:
        return np.array(
            [[shares.get((text, id), np.nan) for id in own] for text, own in zip(texts, ids, strict=True)]
        )

    options = {"weights": weights or {}, "respelt": MISSPELT.get, "recalled": recall, "shorthand": True}
    return Readings(lookup, roots, **options).of(query)  # type: ignore[arg-type]


def texts(some: Sequence[Reading]) -> set[tuple[str, ...]]:
    return {tuple(thing.text for thing in reading.things) for reading in some}


def only(some: Sequence[Reading], *things: str) -> Reading:
    """The reading of these things."""
    [reading] = [each for each in some if tuple(thing.text for thing in each.things) == things]
    return reading


def test_a_string_is_read_as_nothing_as_it_is_and_in_other_forms(lookup: Lookup) -> None:
    assert texts(readings(lookup, "severe asthma")) >= {(), ("severe asthma",), ("asthma",)}


def test_the_score_is_the_sum_of_weighted_features(lookup: Lookup) -> None:
    weights = {"words": -2.0, "name": 0.5, "nothing": 0.25}
    some = readings(lookup, "severe asthma", weights=weights)
    assert some[0] == max(some, key=lambda reading: reading.score)
    for reading in some:
        total = sum(value * weights.get(name, 0.0) for name, value in reading.features.items())
        assert reading.score == pytest.approx(total)
    assert only(some, "asthma").score == pytest.approx(-1.5)


def test_readings_of_the_same_concepts_stand_together(lookup: Lookup) -> None:
    order = [reading.concepts for reading in readings(lookup, "severe asthma", weights={"nothing": 0.5})]
    assert order == [{0}, {0}, set()]  # two of 1 outweigh one of e^0.5


@pytest.mark.parametrize(
    ("text", "thing", "origin"),
    [
        ("astmha", "asthma", Origin.SPELLING),
        ("HTN", "hypertension", Origin.ABBREVIATION),
        ("hipertensión arterial", "hypertension", Origin.SYNONYM),
        ("severe asthma", "asthma", Origin(0)),
    ],
)
def test_a_thing_says_how_its_text_was_made(lookup: Lookup, text: str, thing: str, origin: Origin) -> None:
    things = [each for reading in readings(lookup, text) for each in reading.things if each.text == thing]
    assert {each.origin for each in things} == {origin}


def test_a_string_is_divided_and_its_parts_are_read_in_the_best_way(lookup: Lookup) -> None:
    some = readings(lookup, "severe asthma; eczema", weights={"preferred name": 9.0})
    both = only(some, "asthma", "eczema")
    assert both.concepts == {0, 7}
    assert both.features["divided: separate"] == 1
    assert both.left_out == ()


def test_a_disorder_is_seldom_divided_into_a_part_of_the_body_and_a_disorder(
    compile_terminology: Callable[[Sequence[Concept]], Terminology],
) -> None:
    concepts = [
        Concept(f"P:{n}", name, (), (type,))
        for n, (name, type) in enumerate(
            {"Ankle": "Anatomy", "Ankle Fractures": "Disease", "Wrist Fractures": "Disease"}.items()
        )
    ]
    group = Linker.open([compile_terminology(concepts)], pipeline=Pipeline(reranker=None)).group
    lookup, text = Lookup(group, k=3), "ankle and wrist fractures"
    parts, fractures = ("ankle", "wrist fractures"), ("ankle fractures", "wrist fractures")
    weights = {"preferred name": 1.0}
    unknown = readings(lookup, text, weights=weights)
    assert any(tuple(thing.text for thing in reading.things) == parts for reading in unknown)
    disorder = readings(lookup, text, weights=weights, groups=Group.DISEASE)
    scores = {tuple(thing.text for thing in reading.things): reading.score for reading in disorder}
    assert scores[parts] < scores[fractures] == only(unknown, *fractures).score


def test_what_matches_nothing_is_left_out_and_told(lookup: Lookup) -> None:
    some = readings(lookup, "asthma; blorp zing", weights={"nothing": 9.0, "name": 20.0})
    one = next(reading for reading in some if reading.left_out)
    assert (one.left_out, one.features["unread: separate"]) == (("blorp zing",), 0.5)


def test_what_says_nothing_is_left_out_and_not_told(lookup: Lookup) -> None:
    some = readings(lookup, "asthma; see notes", weights={"name": 20.0})
    one = next(reading for reading in some if "divided to one: separate" in reading.features)
    assert [thing.text for thing in one.things] == ["asthma"]
    assert one.left_out == ()


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("see notes", "nothing: placeholder"),
        ("no asthma", "nothing: negated"),
        ("asthma: no", "nothing: denied: an answer"),
        ("asthma absent", "nothing: denied: a finding"),
        ("anti-asthma", "nothing: denied: something else"),
        ("asthma-like illness", "nothing: denied: something else"),
        ("thumb absent", ""),  # a name but for the order of its words
        ("non-small cell lung cancr", ""),  # its closest name says "non", too
        ("blorp absent", ""),  # denies no name
    ],
)
def test_nothing_says_why(lookup: Lookup, text: str, rule: str) -> None:
    features = only(readings(lookup, text)).features
    assert {name for name in features if name.startswith("nothing: ")} == ({rule} if rule else set())


def test_a_disease_and_its_treatment_are_also_read_without_the_treatment(lookup: Lookup) -> None:
    some = readings(lookup, "asthma - lisinopril", weights={"name": 9.0})
    other = readings(lookup, "asthma - eczema", weights={"name": 9.0})
    without = [reading for reading in some if "treatment left out" in reading.features]
    assert [[thing.best.name for thing in reading.things] for reading in without] == [["Asthma"]]
    assert not any("treatment left out" in each.features for each in other)


def test_a_placeholder_is_not_remembered(lookup: Lookup) -> None:
    some = readings(lookup, "n/a", recalled={("n/a", one.id): 1.0 for one in CONCEPTS})
    assert not any("remembered" in reading.features for reading in some)


def test_a_short_form_that_the_document_defines_is_also_read_as_it_is_written(lookup: Lookup) -> None:
    some = readings(lookup, "hyper tension nerve", written="HTN")
    assert only(some, "HTN").features["as written"] == 1
    assert not any("as written" in each.features for each in readings(lookup, "hyper tension nerve"))


def test_nothing_must_be_much_more_probable_than_a_thing(lookup: Lookup) -> None:
    for odds, things in ((NOTHING - 0.5, 1), (NOTHING + 0.5, 0)):
        first, *_ = readings(lookup, "blorp", weights={"nothing": math.log(odds)})
        assert len(first.things) == things


def test_what_the_text_meant_elsewhere_is_told(lookup: Lookup) -> None:
    seen = {("asthmatic trouble", "T:1"): 0.75, ("asthmatic trouble", "T:8"): 0.25}
    some = readings(lookup, "asthmatic trouble", recalled=seen)
    assert only(some, "asthmatic trouble").features["remembered"] == 0.75
    assert not any("remembered" in each.features for each in readings(lookup, "asthmatic trouble"))


def test_part_of_a_name_that_is_of_another_kind_says_so(lookup: Lookup) -> None:
    """A thumb is no absent thumb."""
    part, other = (only(readings(lookup, text), text).features for text in ("Thumb", "Thumb drugs"))
    assert part["other kind, part of a name"] == part["other kind"] > 0
    assert "other kind, part of a name" not in other


def test_many_items_are_read(lookup: Lookup) -> None:
    names = ["asthma", "hypertension", "zarnitis", "eczema", "lisinopril", "absent thumb"]
    some = readings(lookup, " and ".join(names * 3) + "; " + ", ".join(names), weights={"name": 20.0})
    assert max(len(reading.concepts) for reading in some) == len(names)

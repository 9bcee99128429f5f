"""DILBERT's four strategies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.advised import advises

from linnet.advice import Step
from linnet.errors import RequestError, UnknownNameError
from linnet.terminology import Terminology, write_terminology
from linnet.train.sampling import STRATEGIES, NameVectors, TripletSampler, _smallest
from linnet.types import Concept

# Rows: T:0 disease; T:1 arthritis and T:2 gout are its children; T:3 stands alone.
CONCEPTS = [
    Concept("T:0", "disease", ("illness", "sickness")),
    Concept("T:1", "arthritis", ("joint inflammation",), parents=("T:0",)),
    Concept("T:2", "gout", ("podagra", "urate arthritis"), parents=("T:0",)),
    Concept("T:3", "ague", ("malaria",)),
]


@pytest.fixture
def terminology(tmp_path: Path) -> Terminology:
    return write_terminology(CONCEPTS, tmp_path / "t")


def vectors(terminology: Terminology, near: list[str]) -> NameVectors:
    """One mention on a line, the names `near` it in this order, then the others."""
    place = {name: i for i, name in enumerate(near)}
    names = [terminology.names[row] for row in range(len(terminology.names))]
    along = [place.get(name, len(near) + row) + 1 for row, name in enumerate(names)]
    return NameVectors(np.zeros((1, 2), np.float32), np.array([[a, 0] for a in along], np.float32))


def named(terminology: Terminology, triplets: np.ndarray, column: int) -> set[str]:
    return {terminology.names[row] for row in triplets[:, column]}


def test_random_takes_own_names_and_foreign_names(terminology: Terminology) -> None:
    triplets = TripletSampler(terminology, "random", negatives=3).triplets([2, 3], np.random.default_rng(0))
    gout, ague = triplets[triplets[:, 0] == 0], triplets[triplets[:, 0] == 1]
    assert named(terminology, gout, 1) == {"gout", "podagra", "urate arthritis"}
    assert named(terminology, ague, 1) == {"ague", "malaria"}
    assert len(gout) == 3 * 3
    assert len(ague) == 2 * 3
    assert not (terminology.name_concepts[gout[:, 2]] == 2).any()
    assert not (terminology.name_concepts[ague[:, 2]] == 3).any()


def test_every_foreign_name_can_be_drawn_and_no_own_one(terminology: Terminology) -> None:
    triplets = TripletSampler(terminology, "random", negatives=100).triplets([1], np.random.default_rng(0))
    own = set(terminology.name_rows(1))
    assert set(triplets[:, 2].tolist()) == set(range(len(terminology.names))) - own


def test_parents_are_positives_too(terminology: Terminology) -> None:
    triplets = TripletSampler(terminology, "random+parents", k=2).triplets([2], np.random.default_rng(0))
    parents = named(terminology, triplets, 1) - {"gout", "podagra", "urate arthritis"}
    assert len(parents) == 2
    assert parents < {"disease", "illness", "sickness"}


def test_resampling_takes_the_closest_own_names_and_what_ranks_above_them(terminology: Terminology) -> None:
    order = ["malaria", "arthritis", "podagra", "illness", "gout"]
    sampler = TripletSampler(terminology, "resampling", positives=2, negatives=2)
    triplets = sampler.triplets([2], np.random.default_rng(0), vectors(terminology, order))
    assert named(terminology, triplets, 1) == {"podagra", "gout"}
    assert named(terminology, triplets, 2) == {"malaria", "arthritis"}


def test_resampling_can_take_everything_that_ranks_above(terminology: Terminology) -> None:
    order = ["malaria", "arthritis", "illness", "sickness", "podagra", "disease", "gout"]
    sampler = TripletSampler(terminology, "resampling", positives=1, negatives=2, all_above=True)
    triplets = sampler.triplets([2], np.random.default_rng(0), vectors(terminology, order))
    assert named(terminology, triplets, 1) == {"podagra"}
    assert named(terminology, triplets, 2) == {"malaria", "arthritis", "illness", "sickness"}
    few = TripletSampler(terminology, "resampling", positives=1, negatives=3, nearest=2, all_above=True)
    assert (
        len(named(terminology, few.triplets([2], np.random.default_rng(0), vectors(terminology, order)), 2))
        == 3
    )


def test_resampling_draws_at_random_where_nothing_ranks_above(terminology: Terminology) -> None:
    sampler = TripletSampler(terminology, "resampling", negatives=3)
    triplets = sampler.triplets([2], np.random.default_rng(0), vectors(terminology, ["gout"]))
    assert len(named(terminology, triplets, 2)) == 3
    assert not (terminology.name_concepts[triplets[:, 2]] == 2).any()


def test_names_that_were_not_compared_are_not_near(terminology: Terminology) -> None:
    order = ["malaria", "arthritis", "podagra", "illness", "gout"]
    whole = vectors(terminology, order)
    names = [terminology.names[row] for row in range(len(terminology.names))]
    rows = np.array([row for row, name in enumerate(names) if name != "malaria"])
    some = NameVectors(whole.mentions, whole.names[rows], rows)
    sampler = TripletSampler(terminology, "resampling", positives=3, negatives=1)
    triplets = sampler.triplets([2], np.random.default_rng(0), some)
    assert named(terminology, triplets, 1) == {"podagra", "gout", "urate arthritis"}
    assert named(terminology, triplets, 2) == {"arthritis"}


def test_siblings_are_negatives_too(terminology: Terminology) -> None:
    sampler = TripletSampler(terminology, "resampling+siblings", negatives=1, k=2)
    triplets = sampler.triplets([2], np.random.default_rng(0), vectors(terminology, ["malaria", "gout"]))
    assert named(terminology, triplets, 2) == {"malaria", "arthritis", "joint inflammation"}


def test_a_homonym_is_no_negative(tmp_path: Path) -> None:
    concepts = [Concept("T:1", "cold", ("coryza",)), Concept("T:2", "Cold", ("low temperature",))]
    terminology = write_terminology(concepts, tmp_path / "homonyms")
    triplets = TripletSampler(terminology, "random", negatives=10).triplets([0], np.random.default_rng(0))
    assert named(terminology, triplets, 2) == {"low temperature"}


def test_a_name_that_reads_like_a_right_one_is_no_negative(tmp_path: Path) -> None:
    concepts = [
        Concept("T:1", "disorder", ("illness type 1",)),
        Concept("T:2", "glycogenosis 2", parents=("T:1",)),
        Concept("T:3", "Glycogenosis-II", ("Illness, type I", "ague")),
    ]
    terminology = write_terminology(concepts, tmp_path / "alike")
    sampler = TripletSampler(terminology, "random+parents", negatives=10, k=2)
    triplets = sampler.triplets([1], np.random.default_rng(0))
    assert named(terminology, triplets, 1) == {"glycogenosis 2", "disorder", "illness type 1"}
    assert named(terminology, triplets, 2) == {"ague"}


@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=40).map(lambda values: np.array(values, np.float32)),
    st.integers(1, 50),
)
def test_the_smallest_are_those_a_whole_sort_puts_first(values: np.ndarray, count: int) -> None:
    assert _smallest(values, count).tolist() == np.argsort(values, kind="stable")[:count].tolist()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_same_generator_draws_the_same(terminology: Terminology, strategy: str) -> None:
    given = vectors(terminology, ["malaria", "gout"])
    one, other = (
        TripletSampler(terminology, strategy).triplets([2], np.random.default_rng(5), given) for _ in range(2)
    )
    assert one.tolist() == other.tolist()


def test_a_hierarchy_is_asked_for_where_there_is_none(tmp_path: Path) -> None:
    flat = write_terminology([Concept("T:1", "gout", ("podagra",))], tmp_path / "flat")
    with pytest.raises(RequestError, match=r"needs a hierarchy", check=advises(Step.ADD_HIERARCHY)):
        TripletSampler(flat, "random+parents")


def test_wrong_requests(terminology: Terminology) -> None:
    with pytest.raises(UnknownNameError, match=r"random\+parents"):
        TripletSampler(terminology, "random+parent")
    with pytest.raises(RequestError, match="needs vectors"):
        TripletSampler(terminology, "resampling").triplets([1], np.random.default_rng(0))

"""Candidates of two encoders in one list, and what the second says of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from linnet.arrays import Array, Floats2d, Ints
from linnet.link.member import Member
from linnet.link.terminology_group import TerminologyGroup
from linnet.rerank.second_stage_features import SECOND_FEATURES, pooled, second_features
from linnet.retrieve.dense import DenseIndex
from linnet.retrieve.hits import Hits, Origin
from linnet.terminology import write_terminology
from linnet.terminology.overrides import read_overrides
from linnet.types import Concept

# Angles of texts: cosines are those of their differences.
ANGLES = {"gout": 0.0, "podagra": 0.1, "toe": 0.3, "knee": 1.0, "joint": 1.1, "arm": 1.5}


class Angles:
    """Two-dimensional vectors of known texts."""

    name, dimensions, digest = "angles", 2, "a" * 32

    def encode(self, texts: Sequence[str]) -> Floats2d:
        turned = np.array([ANGLES[text] for text in texts], np.float32)
        return np.stack([np.cos(turned), np.sin(turned)], axis=1)

    def pieces(self, texts: Sequence[str]) -> Ints:
        return np.array([len(text) for text in texts])


@pytest.fixture
def group(tmp_path: Path) -> TerminologyGroup:
    """T:0 gout, podagra and T:1 knee, joint in the first terminology; T:1 joint and T:2 arm in the second, which has no index."""
    members = []
    for place, concepts in (
        ("a", [Concept("T:0", "gout", ("podagra",)), Concept("T:1", "knee", ("joint",))]),
        ("b", [Concept("T:1", "joint"), Concept("T:2", "arm")]),
    ):
        terminology = write_terminology(concepts, tmp_path / place, sources=[])
        second = None
        if place == "a":
            second = DenseIndex.build(terminology, name="angles", encoder=Angles(), threads=1)
        members.append(Member(terminology, [], second=second, overrides=read_overrides(terminology)))
    return TerminologyGroup(members)


def hits(*rows: Sequence[tuple[int, int]]) -> Hits:
    """Of concept and name rows."""
    made = Hits.empty(len(rows), max(map(len, rows)))
    for row, candidates in enumerate(rows):
        for place, (concept, name) in enumerate(candidates):
            made.concepts[row, place], made.names[row, place] = concept, name
            made.scores[row, place], made.origins[row, place] = 0.9 - place / 10, Origin.CHAR
    return made


def column(features: Array, name: str) -> Array:
    return np.asarray(features[..., SECOND_FEATURES.index(name)])


def test_names_of_concepts_are_told_for_all_terminologies(group: TerminologyGroup) -> None:
    counts, names = group.all_names(np.array([1, 3, 0]))
    assert counts.tolist() == [2, 1, 2]
    assert group.name_texts(names) == ["knee", "joint", "arm", "gout", "podagra"]


def test_the_nearest_concepts_are_those_of_terminologies_with_an_index(group: TerminologyGroup) -> None:
    found = group.nearest(["toe", "knee"], Angles(), k=2)
    assert found.concepts.tolist() == [[0, 1], [1, 0]]
    assert group.name_texts(found.names[:, 0].astype(np.int64)) == ["podagra", "knee"]


def test_vectors_of_a_terminology_without_an_index_are_computed(group: TerminologyGroup) -> None:
    arm, gout = 5, 0
    vectors = group.name_vectors(np.array([arm, gout]), Angles())
    assert vectors is not None
    np.testing.assert_allclose(vectors / 32767, Angles().encode(["arm", "gout"]), atol=1e-4)


def test_a_concept_that_both_found_is_in_the_list_once(group: TerminologyGroup) -> None:
    # Row 2 is T:1 too, in the second terminology.
    pool = pooled(hits([(2, 4)], [(0, 0)]), group.nearest(["toe", "knee"], Angles(), k=2), group)
    assert pool.concepts.tolist() == [[2, 0, -1], [0, 1, -1]]
    assert pool.scores[0].tolist() == [np.float32(0.9), 0.0, -np.inf]
    assert pool.origins[0].tolist() == [Origin.CHAR, Origin.DENSE, 0]


def test_features_tell_what_the_second_encoder_finds_near(group: TerminologyGroup) -> None:
    texts, own = ["toe"], hits([(1, 2)])
    found = group.nearest(texts, Angles(), k=1)
    pool = pooled(own, found, group)
    first = np.array([[True, False]])
    cosines = np.array([[0.5, 0.25]], np.float32)
    features = second_features(texts, pool, found, group, Angles(), cosines=cosines, first=first)
    knee, joint, gout, podagra = (np.cos(ANGLES[name] - 0.3) for name in ("knee", "joint", "gout", "podagra"))
    expected = {
        "second cosine": [knee, podagra],
        "second preferred cosine": [knee, gout],
        "second best cosine": [knee, podagra],
        "second best cosine below best": [podagra - knee, 0],
        "second place": [0, 1],
        "found first": [1, 0],
        "found second": [0, 1],
        "pieces": [np.log(3)] * 2,
        "second best cosine by pieces": [np.log(3) * knee, np.log(3) * podagra],
        "second lead": [podagra - knee] * 2,
        "second best cosine by cosine": [0.5 * knee, 0.25 * podagra],
        "second nearest": [podagra] * 2,
    }
    for name, values in expected.items():
        np.testing.assert_allclose(column(features, name)[0], values, atol=2e-4, err_msg=name)
    assert joint < knee


def test_there_are_no_features_where_there_is_no_candidate(group: TerminologyGroup) -> None:
    nothing = Hits.empty(1, 2)
    features = second_features(
        ["toe"], nothing, Hits.empty(1, 1), group, Angles(),
        cosines=np.zeros((1, 2), np.float32), first=np.zeros((1, 2), bool),
    )  # fmt: skip
    assert features.shape == (1, 2, len(SECOND_FEATURES))
    assert not features.any()

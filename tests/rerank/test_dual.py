"""Reranking by the distance between mention and concept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linnet.arrays import Floats
from linnet.encode.model import Model, write_model
from linnet.errors import DamagedError, MismatchError
from linnet.link.member import Member
from linnet.link.terminology_group import TerminologyGroup
from linnet.rerank import open_reranker
from linnet.rerank.dual import DualReranker
from linnet.rerank.dual_inputs import DescribedConcept, MentionInContext
from linnet.rerank.dual_towers import DualTowers
from linnet.retrieve.hits import Hits, Origin
from linnet.terminology import write_terminology
from linnet.terminology.overrides import read_overrides
from linnet.types import Concept, Mention

NAMES = ("cold", "cough", "cramp", "coma")


class Line:
    """Mentions and concepts on a line, by the number in the text or by the length of the first name."""

    dimensions = 1

    def mentions(self, contexts: Sequence[MentionInContext]) -> Floats:
        return np.array([[float(context.text)] for context in contexts], np.float32)

    def entities(self, described: Sequence[DescribedConcept]) -> Floats:
        return np.array([[NAMES.index(one.names[0])] for one in described], np.float32)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINNET_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def concepts(tmp_path: Path) -> TerminologyGroup:
    """Row i is NAMES[i]."""
    made = [Concept(f"T:{i}", name) for i, name in enumerate(NAMES)]
    terminology = write_terminology(made, tmp_path / "t", sources=[])
    return TerminologyGroup([Member(terminology, [], overrides=read_overrides(terminology))])


def dual(*, weight: float = 0.0, within: float | None = None) -> DualReranker:
    options = {"names": 5, "weight": weight} | ({} if within is None else {"within": within})
    return DualReranker(Line(), Model("dual", "line", 1, "fold", options, digest="d" * 32))


def hits(*rows: Sequence[tuple[int, float]]) -> Hits:
    """Rows of (concept, score)."""
    made = Hits.empty(len(rows), max(map(len, rows)))
    for i, row in enumerate(rows):
        for place, (concept, score) in enumerate(row):
            made.concepts[i, place], made.names[i, place] = concept, concept
            made.scores[i, place], made.origins[i, place] = score, Origin.DENSE
    return made


def rerank(reranker: DualReranker, texts: Sequence[str], found: Hits, concepts: TerminologyGroup) -> Hits:
    return reranker.rerank([Mention.alone(text) for text in texts], texts, found, concepts)


def test_the_nearest_concept_comes_first_and_scores_are_distances_below_zero(
    concepts: TerminologyGroup,
) -> None:
    found = hits([(0, 0.9), (1, 0.8), (3, 0.7)], [(2, 0.9)])
    ranked = rerank(dual(), ["2.5", "0"], found, concepts)
    assert ranked.concepts.tolist() == [[3, 1, 0], [2, -1, -1]]
    assert ranked.names.tolist() == ranked.concepts.tolist()
    assert ranked.scores.tolist() == [[-0.5, -1.5, -2.5], [-2.0, -np.inf, -np.inf]]
    assert ranked.origins[0].tolist() == [Origin.DENSE | Origin.RERANKED] * 3
    assert ranked.origins[1].tolist() == [Origin.DENSE | Origin.RERANKED, 0, 0]
    assert found.concepts.tolist() == [[0, 1, 3], [2, -1, -1]]  # what came in is as it was


def test_ties_keep_the_order_of_retrieval(concepts: TerminologyGroup) -> None:
    ranked = rerank(dual(), ["1"], hits([(2, 0.9), (0, 0.8)]), concepts)
    assert ranked.concepts.tolist() == [[2, 0]]


def test_retrieval_counts_by_its_weight(concepts: TerminologyGroup) -> None:
    found = hits([(0, 0.9), (3, 0.1)])
    assert rerank(dual(weight=1), ["2"], found, concepts).concepts.tolist() == [[3, 0]]
    heavy = rerank(dual(weight=2), ["2"], found, concepts)
    assert heavy.concepts.tolist() == [[0, 3]]
    assert heavy.scores[0] == pytest.approx([2 * 0.9 - 2, 2 * 0.1 - 1])


def test_mentions_whose_first_candidate_stands_out_are_left_alone(concepts: TerminologyGroup) -> None:
    found = hits([(0, 0.9), (3, 0.2)], [(0, 0.9), (3, 0.8)], [(0, 0.9)])
    ranked = rerank(dual(within=0.3), ["3", "3", "3"], found, concepts)
    assert ranked.concepts.tolist() == [[0, 3], [3, 0], [0, -1]]
    for untouched in (0, 2):
        assert ranked.scores[untouched].tolist() == found.scores[untouched].tolist()
        assert ranked.origins[untouched].tolist() == found.origins[untouched].tolist()


def test_no_candidates_are_no_candidates(concepts: TerminologyGroup) -> None:
    for found in (Hits.empty(1, 3), Hits.empty(1, 0), Hits.empty(0, 3)):
        ranked = rerank(dual(), ["1"][: len(found)], found, concepts)
        assert ranked.concepts.tolist() == found.concepts.tolist()
        assert not ranked.origins.any()


def test_concepts_of_two_terminologies_are_compared(tmp_path: Path) -> None:
    made = [
        write_terminology([Concept(f"{part}:1", name)], tmp_path / part, sources=[])
        for part, name in (("A", "cold"), ("B", "coma"))
    ]
    both = TerminologyGroup([Member(t, [], overrides=read_overrides(t)) for t in made])
    ranked = rerank(dual(), ["3"], hits([(0, 0.9), (1, 0.8)]), both)
    assert ranked.concepts.tolist() == [[1, 0]]


def model(place: Path, options: dict[str, Any]) -> Path:
    """A model directory without weights."""
    write_model(place, Model("dual", "small", 1, "fold", options), fill=lambda draft: None)
    return place


def test_a_model_directory_opens_by_its_kind(
    tmp_path: Path, concepts: TerminologyGroup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DualTowers, "open", lambda *_, threads: Line())
    place = model(tmp_path / "m", {"names": 5, "weight": 1.0, "body": "transformer"})
    reranker = open_reranker(place)
    assert (reranker.kind, reranker.name) == ("dual", "small")
    ranked = reranker.rerank([Mention.alone("1")], ["1"], hits([(0, 0.9), (1, 0.8)]), concepts)
    assert ranked.concepts[0].tolist() == [1, 0]
    with pytest.raises(DamagedError, match="weight"):
        open_reranker(model(tmp_path / "odd", {"names": 5, "body": "transformer"}))


@pytest.mark.parametrize(
    ("body", "error", "says"),
    [
        ("paper", DamagedError, "body 'paper'"),
        (
            "static",
            MismatchError,
            r"m holds a model of kind 'static', which linnet no longer has\. .*\"dual\".*\"transformer\"",
        ),
        ("transformer", DamagedError, "m cannot be used"),
    ],
)
def test_what_cannot_be_used_is_refused(tmp_path: Path, body: str, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        open_reranker(model(tmp_path / "m", {"names": 5, "weight": 1.0, "body": body}))

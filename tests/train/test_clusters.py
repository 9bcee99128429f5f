"""Mentions of one concept in one document, and what a linker finds for them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from linnet.link import Linker, Pipeline
from linnet.link.indexing import build_indexes
from linnet.terminology import write_terminology
from linnet.train.clusters import Clusters, LinkedCandidates, linked_candidates, without_overlaps
from linnet.types import Concept, Document, Mention

CONCEPTS = [
    Concept("T:0", "common cold", ("cold",)),
    Concept("T:1", "cold exposure"),
    Concept("T:2", "gout", ("podagra",)),
]


def document(id: str, text: str, *spans: tuple[str, str]) -> Document:
    """Mentions by text and concept, each found after the one before."""
    mentions, at = [], 0
    home = Document(id, text)
    for span, concept in spans:
        at = text.index(span, at)
        mentions.append(
            Mention(home, at, at + len(span), span, concepts=tuple(filter(None, concept.split("|"))))
        )
        at += 1
    return home.with_mentions(mentions)


DOCUMENTS = [
    document("1", "A cold is a common cold. Gout hurts.", ("cold", "T:0"), ("common cold", "T:0"), ("Gout", "T:2")),
    document("2", "Podagra, or gout. Gout again.", ("Podagra", "T:2"), ("gout", "T:2"), ("Gout", "T:2")),
    document("3", "A cold gout, a cold.", ("cold gout", "T:0|T:2"), ("gout", "T:2"), ("cold", "")),
]  # fmt: skip
MENTIONS = [mention for one in DOCUMENTS for mention in one.mentions]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> LinkedCandidates:
    terminology = write_terminology(CONCEPTS, tmp_path_factory.mktemp("t") / "t", sources=[])
    build_indexes(terminology, ("char",))
    linker = Linker.open([terminology], pipeline=Pipeline(retrievers=("char",)))
    return linked_candidates(MENTIONS, linker, k=2)


def test_mentions_come_with_concept_context_and_candidates(found: LinkedCandidates) -> None:
    # Of document 3 the composite is left out with what it overlaps, and the mention without a concept.
    assert [context.text for context in found.contexts] == [
        "cold", "common cold", "gout", "podagra", "gout", "gout",
    ]  # fmt: skip
    assert found.gold.tolist() == [0, 0, 2, 2, 2, 2]
    assert found.documents == ("1", "1", "1", "2", "2", "2")
    assert found.contexts[1].left == "a cold is a"
    assert found.overlapping == 1
    assert found.candidates.shape == (6, 2)
    assert found.recall(1) == 1.0


def test_of_overlapping_mentions_the_longest_stays_whatever_the_order() -> None:
    text = Document("d", "acute renal failure and renal failure")
    spans = [(6, 19), (0, 11), (0, 19), (24, 37)]
    mentions = [Mention(text, start, end, text.text[start:end]) for start, end in spans]
    assert without_overlaps(mentions) == [mentions[2], mentions[3]]
    assert without_overlaps(mentions[::-1]) == [mentions[3], mentions[2]]
    other = Mention(Document("e", "acute"), 0, 5, "acute")
    assert without_overlaps([*mentions, other])[-1] is other


def test_a_cluster_is_the_mentions_of_a_concept_in_a_document(found: LinkedCandidates) -> None:
    assert sorted(numbers.tolist() for numbers in Clusters(found).members) == [[0, 1], [2], [3, 4, 5]]


def test_an_epoch_has_each_cluster_once_and_batches_follow_from_seed_and_step(
    found: LinkedCandidates,
) -> None:
    clusters = Clusters(found)
    assert clusters.steps(clusters=2, epochs=3) == 6
    batches = [clusters.batch(step, clusters=2, seed=7) for step in range(6)]
    for epoch in range(3):
        own = batches[2 * epoch : 2 * epoch + 2]
        assert sorted(np.concatenate([batch.mentions for batch in own]).tolist()) == list(range(6))
        for batch in own:
            for cluster in np.unique(batch.clusters):
                numbers = batch.mentions[batch.clusters == cluster]
                assert len({(found.documents[i], found.gold[i]) for i in numbers}) == 1
    again = Clusters(found).batch(4, clusters=2, seed=7)
    assert (again.mentions.tolist(), again.clusters.tolist()) == (
        batches[4].mentions.tolist(),
        batches[4].clusters.tolist(),
    )
    # Any mention may become the anchor, which is the first of its cluster.
    firsts = {int(clusters.batch(step, clusters=3, seed=7).mentions[0]) for step in range(40)}
    assert firsts == set(range(6))


def test_caps_bound_a_cluster_and_the_documents_of_a_concept(found: LinkedCandidates) -> None:
    small = Clusters(found, largest=2)
    for step in range(5):
        assert np.bincount(small.batch(step, clusters=9, seed=0).clusters).max() == 2
    drawn = {seed: [m.tolist() for m in Clusters(found, documents=1, seed=seed).members] for seed in range(9)}
    assert all(len(members) == 2 for members in drawn.values())
    assert {tuple(members[1]) for members in drawn.values()} == {(2,), (3, 4, 5)}


@pytest.mark.data
def test_real_clusters_have_several_mentions(data: Path, tmp_path: Path) -> None:
    from linnet.train.corpus import read_mentions

    mentions, _ = read_mentions([data / "corpora/ncbi-disease/NCBIdevelopset_corpus.txt"])
    ids = sorted({id for mention in mentions for id in mention.concepts})
    texts = {id: next(m.text for m in mentions if id in m.concepts) for id in ids}
    terminology = write_terminology([Concept(id, texts[id]) for id in ids], tmp_path / "t", sources=[])
    build_indexes(terminology, ("exact",))
    linker = Linker.open([terminology], pipeline=Pipeline(retrievers=("exact",)))
    clusters = Clusters(linked_candidates(mentions, linker, k=4))
    assert 250 < len(clusters) < 400
    assert clusters.sizes().mean() > 1.5

"""Overlaps with training data."""

from __future__ import annotations

from pathlib import Path

import pytest

from linnet.corpora import read
from linnet.evaluate.gold import gold_mentions, golds_of
from linnet.evaluate.leaks import audit, near_identical
from linnet.types import Document, Mention

LONG = "The quick brown fox jumps over the lazy dog while the cat watches from a warm window sill all day"


def document(id: str, text: str, *marked: tuple[str, str]) -> Document:
    home = Document(id, text)
    return home.with_mentions(
        [Mention(home, text.index(t), text.index(t) + len(t), t, "", (c,) if c else ()) for t, c in marked]
    )


def test_documents_are_shared_by_id_by_text_and_by_most_of_their_text() -> None:
    train = [Document("1", "one thing"), Document("2", LONG), Document("3", "nothing at all like it in here")]
    corpus = [
        Document("1", "quite another thing"),
        Document("7", LONG.upper()),
        Document("8", LONG + " and then some"),
        Document("9", "a text about tropical fish and how they are kept in tanks"),
    ]
    shared = near_identical(corpus, train)
    assert [(s.document, s.train_document) for s in shared] == [("1", "1"), ("7", "2"), ("8", "2")]
    assert shared[1].similarity == 1
    assert 0.5 < shared[2].similarity < 1


def test_empty_documents_are_not_alike() -> None:
    assert near_identical([Document("a", "")], [Document("b", "")]) == []


def test_audit_counts_surfaces_concepts_pairs_and_coverage() -> None:
    train = [document("t", "flu then pox", ("flu", "A"), ("pox", "B"))]
    corpus = [
        document(
            "d",
            "Flu, grippe, pox, fog, zest",
            ("Flu", "A"),
            ("grippe", "A"),
            ("pox", "Z"),
            ("fog", ""),
            ("zest", "Y"),
        )
    ]
    golds = golds_of(gold_mentions(corpus))
    result = audit(
        corpus,
        golds,
        train_documents=train,
        train_golds=golds_of(gold_mentions(train)),
        known={"A", "B"}.__contains__,
    )
    assert (result.documents, result.mentions, result.without_concept, result.gold_concepts) == (1, 5, 1, 3)
    assert (result.covered_mentions, result.covered_concepts, result.outside_examples) == (2, 1, ("Y", "Z"))
    assert (result.seen_surface_mentions, result.seen_concept_mentions, result.seen_pair_mentions) == (
        2,
        2,
        1,
    )
    assert result.shared_documents == ()


def test_what_was_not_given_is_not_counted() -> None:
    result = audit([], [])
    assert result.train_documents is None
    assert result.seen_surface_mentions is None
    assert result.covered_mentions is None


@pytest.mark.data
def test_the_bc5cdr_development_set_shares_surfaces_but_no_document_with_train(data: Path) -> None:
    folder = data / "corpora" / "bc5cdr"
    train = list(read(folder / "CDR_TrainingSet.PubTator.txt"))
    dev = list(read(folder / "CDR_DevelopmentSet.PubTator.txt"))
    golds = [golds_of(gold_mentions(side, types=["Disease"])) for side in (dev, train)]
    result = audit(dev, golds[0], train_documents=train, train_golds=golds[1])
    assert (result.documents, result.mentions, result.train_documents) == (500, 4244, 500)
    assert result.shared_documents == ()
    assert result.seen_surface_mentions is not None
    assert 0.55 < result.seen_surface_mentions / result.mentions < 0.7
    assert len(near_identical(dev[:20], dev)) == 20

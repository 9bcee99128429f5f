"""Overlaps with training data."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from linnet.corpora import read
from linnet.encode.model import open_model, write_model
from linnet.encode.named_models import model_place
from linnet.evaluate.gold import gold_mentions, golds_of
from linnet.evaluate.leaks import audit, near_identical, training_leaks
from linnet.io.artifact import digest
from linnet.link import Linker, Pipeline
from linnet.link.indexing import build_indexes
from linnet.terminology import write_terminology
from linnet.types import Concept, Document, Mention

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


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    file = tmp_path / "train.pubtator"
    file.write_text("1|t|Gout.\n1|a|\n1\t0\t4\tGout\tDisease\tX:1\n\n")
    return file


@pytest.fixture
def reranker(tmp_path: Path, corpus: Path) -> Path:
    """The shipped reranker, with a manifest that names the corpus as training data."""
    shipped, place = model_place("context"), tmp_path / "mine"
    model = open_model(shipped)

    def fill(draft: Path) -> None:
        for file in shipped.iterdir():
            if file.name not in ("model.toml", "README.md"):
                shutil.copy(file, draft)

    write_model(place, replace(model, training={"data": {"train": digest(corpus)}}), fill=fill)
    return place


def linker(tmp_path: Path, **pipeline: str) -> Linker:
    terminology = write_terminology([Concept("X:1", "gout")], tmp_path / "t")
    build_indexes(terminology, ("exact", "dense"))
    return Linker.open([terminology], pipeline=Pipeline(**pipeline))


def test_a_model_trained_on_the_file_is_named(tmp_path: Path, corpus: Path, reranker: Path) -> None:
    (note,) = training_leaks(linker(tmp_path, reranker=str(reranker)), corpus)
    assert note.startswith("The reranker 'context' was trained on train.pubtator")


def test_a_copy_of_the_file_under_another_name_is_recognised(
    tmp_path: Path, corpus: Path, reranker: Path
) -> None:
    copy = shutil.copy(corpus, tmp_path / "dev.pubtator")
    assert len(training_leaks(linker(tmp_path, reranker=str(reranker)), Path(copy))) == 1


def test_other_corpora_and_folders_get_no_note(tmp_path: Path, corpus: Path, reranker: Path) -> None:
    other = tmp_path / "dev.pubtator"
    other.write_text(corpus.read_text().replace("Gout", "gout"))
    mine = linker(tmp_path, reranker=str(reranker))
    assert training_leaks(mine, other) == ()
    assert training_leaks(mine, tmp_path) == ()
    assert training_leaks(linker(tmp_path), corpus) == ()


@pytest.mark.data
def test_the_shipped_models_admit_what_they_have_training_leaks(tmp_path: Path, data: Path) -> None:
    train, dev = (data / f"corpora/ncbi-disease/NCBI{part}set_corpus.txt" for part in ("train", "develop"))
    mine = linker(tmp_path, recogniser="recogniser")
    assert [note.split(" was ")[0] for note in training_leaks(mine, train, recognises=True)] == [
        "The reranker 'context'",
        "The recogniser 'recogniser'",
    ]
    assert training_leaks(mine, dev, recognises=True) == ()

"""A corpus is scored only where scores mean something."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.advised import advises

from linnet.advice import Step
from linnet.errors import RequestError
from linnet.evaluate.check import check_gold, check_vocabularies
from linnet.evaluate.gold import Gold, Predicted
from linnet.evaluate.protocols import parse_protocol
from linnet.terminology import Terminology, write_terminology
from linnet.types import Concept, Document, Mention

STRICT = [parse_protocol("strict")]


def corpus(*concepts: tuple[str, ...]) -> list[Document]:
    """A document with a mention of each."""
    home = Document("1", "a" * len(concepts))
    return [
        home.with_mentions([Mention(home, i, i + 1, "a", "Disease", ids) for i, ids in enumerate(concepts)])
    ]


@pytest.fixture
def terminology(tmp_path: Path) -> Terminology:
    return write_terminology(
        [Concept("MESH:D000001", "gout"), Concept("MESH:D000002", "pox")], tmp_path / "t"
    )


def test_a_corpus_without_a_gold_concept_is_refused(terminology: Terminology) -> None:
    with pytest.raises(RequestError, match="2 gold mentions but no concept"):
        check_gold(corpus((), ()), STRICT, [terminology], corpus="c")
    check_gold(corpus((), ()), [parse_protocol("end-to-end"), parse_protocol("nil")], [terminology])


def test_gold_of_another_vocabulary_is_refused_with_ids_of_both_sides(terminology: Terminology) -> None:
    documents = corpus(("ICD10:A00",), ("ICD10:A01",))
    with pytest.raises(RequestError) as refused:
        check_gold(documents, STRICT, [terminology], corpus="dev")
    for part in (
        "dev has 2 concept ids, of which 0 are",
        "ICD10:A00",
        "MESH:D000001",
        str(Step.ALLOW_MISSING()),
    ):
        assert part in str(refused.value)
    check_gold(documents, STRICT, [terminology], allow_missing=True)
    check_gold(documents, STRICT, [])


def test_a_tenth_of_the_gold_ids_is_enough(terminology: Terminology) -> None:
    nine = [(f"MESH:D9{number:05}",) for number in range(9)]
    check_gold(corpus(*nine, ("MESH:D000001",)), STRICT, [terminology])
    with pytest.raises(RequestError, match="10 concept ids, of which 0"):
        check_gold(corpus(*nine, ("MESH:D900009",)), STRICT, [terminology])


def test_spelling_is_no_difference_and_bare_ids_get_their_advice(tmp_path: Path) -> None:
    bare = write_terminology([Concept("D000001", "gout"), Concept("104300", "pox")], tmp_path / "bare")
    check_gold(corpus(("MESH:D000001",)), STRICT, [bare])
    with pytest.raises(RequestError, match="ids have no prefix", check=advises(Step.BUILD_WITH_PREFIX)):
        check_gold(corpus(("SNOMEDCT:104300",)), STRICT, [bare])


def test_answers_of_another_vocabulary_than_the_gold_are_refused() -> None:
    golds = [Gold("1", 0, 1, "a", concepts=frozenset({"MESH:D000001"}))]
    with pytest.raises(RequestError, match=r"'theirs' predicts .* UMLS:C0000001; the gold has MESH:D000001"):
        check_vocabularies(golds, [Predicted(frozenset({"UMLS:C0000001"}))], system="theirs")
    check_vocabularies(golds, [Predicted(frozenset({"MESH:D000002", "UMLS:C0000001"}))], system="theirs")
    check_vocabularies(golds, [Predicted()], system="theirs")

"""How probable an answer is, and which answers are so improbable that they are NIL."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from linnet.link import Linker, Pipeline
from linnet.link.decisions import if_probable, with_candidates
from linnet.rerank.calibrator import FILE, Calibrator, Curve
from linnet.rerank.listwise import ListwiseReranker
from linnet.rerank.literal_names import FACTS, LiteralNames
from linnet.rerank.mention_priors import MentionPriors
from linnet.terminology import Terminology
from linnet.types import Candidate, Document, Link, Mention


@pytest.fixture
def calibrator(tmp_path: Path) -> str:
    """To it an exact match is 40 % probable."""
    curves = {"retrieved": Curve((0.0, 1.0), (0.1, 0.4))}
    Calibrator(curves).save(tmp_path / "calibrator.json")
    return str(tmp_path)


def test_a_composite_is_no_more_probable_than_its_parts(terminology: Terminology, calibrator: str) -> None:
    pipeline = Pipeline(reranker=None, calibrator=calibrator)
    [link] = Linker.open([terminology], pipeline=pipeline).link(["breast and ovarian cancer"])
    assert link.concepts == ("T:2", "T:3")
    assert [part.probability for part in link.parts] == [0.4, 0.4]
    assert link.probability is not None
    assert 0.12 < link.probability <= 0.16  # both parts right, and the division


def test_a_composite_of_nothing_but_nil_is_nil(terminology: Terminology, calibrator: str) -> None:
    pipeline = Pipeline(reranker=None, calibrator=calibrator, min_probability=0.5)
    [link] = Linker.open([terminology], pipeline=pipeline).link(["breast and ovarian cancer"])
    assert [part.concepts for part in link.parts] == [(), ()]
    assert (link.concepts, link.name, link.probability) == ((), "", None)


def test_a_recognised_mention_is_nil_where_its_link_is_rather_wrong(
    terminology: Terminology, calibrator: str
) -> None:
    pipeline = Pipeline(reranker=None, calibrator=calibrator, recogniser="dictionary")
    document = Document("d", "She had sicca syndrome.")
    given = document.with_mentions([Mention(document, 8, 22, "sicca syndrome", "Disease")])
    for least, recognised in ((0.5, ()), (0.4, ("T:8",))):
        linker = Linker.open([terminology], pipeline=replace(pipeline, min_probability_recognised=least))
        [(annotated, [link])] = linker.link_documents([document], recognise=True)
        assert [mention.concepts for mention in annotated.mentions] == [recognised]
        assert (link.concepts, link.name, link.probability) == (
            (recognised, "Sjögren Syndrome", 0.4) if recognised else ((), "", None)
        )
        assert link.candidates[0].concept == "T:8"
        [(_, [link])] = linker.link_documents([given], recognise=False)
        assert link.concepts == ("T:8",)


def test_a_link_without_a_probability_stays(terminology: Terminology) -> None:
    linker = Linker.open([terminology], pipeline=Pipeline(reranker=None, recogniser="dictionary"))
    [mention] = linker.annotate("She had sicca syndrome.").mentions
    assert mention.concepts == ("T:8",)


def test_a_recognised_composite_is_judged_by_the_mean_of_its_parts(
    terminology: Terminology, calibrator: str
) -> None:
    pipeline = Pipeline(reranker=None, calibrator=calibrator, recogniser="dictionary")
    [link] = Linker.open([terminology], pipeline=pipeline).link(["breast and ovarian cancer"])
    assert link.probability is not None
    assert link.probability < 0.4 == link.parts[0].probability == link.parts[1].probability
    assert if_probable(link, 0.4) == link
    assert if_probable(link, 0.41).concepts == ()


def of(*candidates: tuple[str, str, float], origin: str = "exact+reranked", probability: float = 0.4) -> Link:
    """A link to the first of its candidates."""
    made = [Candidate(concept, name, score, origin) for concept, name, score in candidates]
    return Link(Mention.alone("gout"), (made[0].concept,), made[0].name, probability, tuple(made))


def test_namesakes_in_other_vocabularies_share_the_probability_of_what_they_mean() -> None:
    gout, other = ("DOID:1", "gout", 0.4), ("MONDO:2", "Gout", 0.35)
    for link, probability in (
        (of(gout, other), 0.75),
        (of(gout, other, ("ORPHA:3", "GOUT", 0.2)), 0.95),
        (of(gout, other, ("MONDO:4", "gout", 0.2)), 0.75),  # one a vocabulary
        (of(gout, ("DOID:2", "gout", 0.4)), 0.4),  # a homonym
        (of(gout, ("MONDO:3", "chronic gout", 0.4)), 0.4),
        (of(gout, other, origin="exact"), 0.4),  # its score is no probability
    ):
        assert if_probable(link, probability).concepts == ("DOID:1",)
        assert if_probable(link, probability + 0.01).concepts == ()


def test_a_link_keeps_the_best_candidates_of_itself_and_of_its_parts(terminology: Terminology) -> None:
    [link] = Linker.open([terminology], pipeline=Pipeline(reranker=None)).link(
        ["breast and ovarian cancer"], k=3
    )
    cut = with_candidates(link, 1)
    assert cut.candidates == tuple(link.candidates[:1])
    assert [len(part.candidates) for part in cut.parts] == [1, 1]
    assert with_candidates(link, 9) == link


def test_only_recognised_mentions_are_doubted(terminology: Terminology, calibrator: str) -> None:
    pipeline = Pipeline(reranker=None, calibrator=calibrator)
    linker = Linker.open([terminology], pipeline=pipeline)
    mentions = [Mention.alone("sicca syndrome")] * 2
    links = linker.link_recognised(mentions, k=1, recognised=[True, False])
    assert [link.concepts for link in links] == [(), ("T:8",)]
    assert [len(link.candidates) for link in links] == [1, 1]


def test_the_probability_of_a_literal_name_depends_on_its_facts_and_not_on_k(
    terminology: Terminology, tmp_path: Path
) -> None:
    weights = {**dict.fromkeys(FACTS, 0.0), "nearest other": -2.0, "synonym": -1.0}
    curves = {"retrieved": Curve((0.5,), (0.9297,)), "reranked": Curve((0.0, 1.0), (0.0, 1.0))}
    Calibrator(curves, LiteralNames(4.0, weights)).save(tmp_path / "calibrator.json")
    pipeline = Pipeline(calibrator=str(tmp_path / "calibrator.json"), memory=False)
    linker = Linker.open([terminology], pipeline=pipeline)
    texts = ["ataxia telangiectasia", "aspirin"]
    by_k = [[link.probability for link in linker.link(texts, k=k)] for k in (1, 5, 20)]
    assert by_k[0] == by_k[1] == by_k[2]
    assert by_k[0][0] != by_k[0][1]
    assert 0.9297 not in by_k[0]
    assert [len(link.candidates) for link in linker.link(texts, k=2)] == [2, 2]


def test_a_literal_name_is_as_probable_as_training_mentions_of_it_make_it(
    terminology: Terminology, tmp_path: Path
) -> None:
    weights = {**dict.fromkeys(FACTS, 0.0), "meant": 2.0, "meant otherwise": -2.0}
    Calibrator({"retrieved": Curve((0.5,), (0.5,))}, LiteralNames(0.0, weights)).save(tmp_path / FILE)
    linker = Linker.open([terminology], pipeline=Pipeline(calibrator=str(tmp_path), margin=0.0))
    listwise = linker.reranking.reranker
    assert isinstance(listwise, ListwiseReranker)
    meant = [
        ("aspirin", "T:6"),
        ("sicca syndrome", "T:3"),
        ("breast cancer", "T:2"),
        ("breast cancer", "T:3"),
    ]
    linker.reranking.reranker = listwise.remembering(MentionPriors.of(meant))
    texts = ["aspirin", "sicca syndrome", "breast cancer", "ovarian cancer"]
    assert [link.concepts for link in linker.link(texts)] == [("T:6",), ("T:8",), ("T:2",), ("T:3",)]
    assert [link.probability for link in linker.link(texts)] == [0.8808, 0.1192, 0.5, 0.5]
    linker.reranking.reranker = listwise.without_memory()
    assert [link.probability for link in linker.link(texts)] == [0.5] * 4

"""The door in Python: `linnet.load` and what can be asked of linkers and terminologies, with the examples of the docstrings."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

import linnet
from linnet.errors import LinnetError, RequestError, UnknownIdError, UnknownNameError
from linnet.link.linker_config import LinkerConfig
from linnet.link.starter import starter_terminology
from linnet.types import LinkedMention

TEXT = "Ataxia telangiectasia (AT) is rare. AT carriers are screened for breast and ovarian cancer."


@pytest.fixture(scope="module")
def linker() -> linnet.Linker:
    return linnet.load("starter", threads=1)


def test_the_examples_in_the_docstrings_hold() -> None:
    tried = doctest.testmod(linnet)
    assert tried.failed == 0
    assert tried.attempted > 5


def test_lazy_names_are_listed_and_there() -> None:
    assert set(linnet.__all__) <= set(dir(linnet))
    assert all(getattr(linnet, name) for name in linnet.__all__)


def test_fields_of_the_pipeline_and_restrictions_are_options() -> None:
    plain = linnet.load("starter", reranker=None, retrievers=["exact"], min_score=0.5, threads=1)
    assert (plain.pipeline.reranker, plain.pipeline.retrievers, plain.pipeline.min_score) == (
        None,
        ("exact",),
        0.5,
    )
    assert plain.link(["heart attack"])[0].probability is None
    none_left = linnet.load("starter", deny=["D009203"], threads=1).link(["heart attack"], k=1)[0]
    assert none_left.concept != "MESH:D009203"
    [path] = [str(starter_terminology())]
    assert linnet.load(path, path, threads=1).link(["heart attack"])[0].concept == "MESH:D009203"


@pytest.mark.parametrize(
    ("given", "options", "error", "says"),
    [
        ((), {}, RequestError, "No terminology"),
        (("",), {}, RequestError, "No terminology"),
        (("starter",), {"concept_types": "Disease"}, RequestError, r"must be a list.*\['Disease'\]"),
        (("starter",), {"retrievers": "exact"}, RequestError, r"must be a list.*\['exact'\]"),
        (("starter",), {"rerankr": None}, UnknownNameError, "Did you mean 'reranker'"),
        (("starter",), {"types": ["Disease"]}, UnknownNameError, "concept_types"),
        (("starter",), {"min_probability": 0.5, "reranker": None}, RequestError, "needs a calibrator"),
    ],
)
def test_what_cannot_be_honoured_is_refused(
    given: tuple[str, ...], options: dict[str, object], error: type[LinnetError], says: str
) -> None:
    with pytest.raises(error, match=says):
        linnet.load(*given, **options)  # type: ignore[arg-type]


def test_a_least_probability_holds_for_recognised_mentions_too_unless_they_have_their_own() -> None:
    for options, least in (
        ({}, (0.03, 0.5)),
        ({"min_probability": 0.2}, (0.2, 0.2)),
        ({"min_probability": 0.2, "min_probability_recognised": 0.6}, (0.2, 0.6)),
        ({"min_probability_recognised": 0.6}, (0.03, 0.6)),
    ):
        pipeline = linnet.load("starter", threads=1, **options).pipeline  # type: ignore[arg-type]
        assert (pipeline.min_probability, pipeline.min_probability_recognised) == least
    with pytest.raises(RequestError, match="min_probability_recognised needs a calibrator"):
        linnet.load("starter", min_probability_recognised=0.6, reranker=None)


def test_links_name_their_concept_or_say_that_there_is_none(linker: linnet.Linker) -> None:
    attack, none, both = linker.link(["heart attack", "xyzzy", "breast and ovarian cancer"])
    assert (attack.concept, attack.is_nil) == (attack.concepts[0], False)
    assert (none.concept, none.is_nil) == (None, True)
    assert both.concept == both.concepts[0] != both.concepts[1]


def test_mentions_of_annotated_documents_carry_their_links(linker: linnet.Linker) -> None:
    document = linker.annotate(TEXT, k=3)
    assert [mention.text for mention in document.mentions][:2] == ["Ataxia telangiectasia", "AT"]
    for mention in document.mentions:
        assert isinstance(mention, LinkedMention)
        assert mention.document is document
        assert mention.concepts == mention.link.concepts
        assert 0 < len(mention.link.candidates) <= 3
        assert mention.link.name
        assert mention.link.probability
    many = list(linker.annotate_many([TEXT, "", linnet.Document("d2", TEXT)], k=3))
    assert [one.id for one in many] == ["", "", "d2"]
    assert [one.mentions for one in many] == [document.mentions, (), document.mentions]


def test_many_texts_are_read_as_they_are_asked_for(linker: linnet.Linker) -> None:
    taken = 0

    def texts() -> object:
        nonlocal taken
        for _ in range(10_000):
            taken += 1
            yield "gout"

    first = next(linker.annotate_many(texts()))  # type: ignore[arg-type]
    assert first.mentions
    assert taken < 10_000


def test_a_terminology_is_looked_up_by_id_and_by_words(tmp_path: Path) -> None:
    terminology = linnet.open_terminology(starter_terminology())
    assert terminology["MESH:D003924"] == terminology["d003924"]
    assert "MESH:D003924" in terminology
    assert 17 not in terminology
    assert {concept.id for concept in terminology.search("diabetes", k=50)} >= {
        "MESH:D003924",
        "MESH:D003920",
    }
    assert len(terminology.search("diabetes", k=2)) == 2
    above = terminology.ancestors("MESH:D003924")
    assert above[0] == "MESH:D003920"
    assert len(above) == len(set(above))
    with pytest.raises(UnknownIdError, match=r"no concept 'MESH:D99'\. Did you mean") as caught:
        terminology["MESH:D99"]
    assert isinstance(caught.value, KeyError)


def test_the_configuration_of_a_server_has_absolute_paths_and_the_starters_second_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = starter_terminology()
    config = LinkerConfig.of(["starter", place], {"reranker": "accurate"}).located()
    assert config.terminologies == (str(place.absolute()), str(place.absolute()))
    assert config.open().pipeline.reranker == "accurate"
    monkeypatch.chdir(tmp_path)
    assert LinkerConfig.of(["mesh", Path("starter")], {}).located().terminologies == (
        str(tmp_path / "mesh"),
        str(tmp_path / "starter"),
    )

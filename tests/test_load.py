"""The door in Python: `linnet.load` and what can be asked of linkers and terminologies, with the examples of the docstrings."""

from __future__ import annotations

import doctest
import inspect
import json
import re
import subprocess
import sys
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
        (
            ("starter",),
            {"retrievers": "exact,dense"},
            RequestError,
            r"Write: \['exact', 'dense'\]",
        ),
        ((), {"terminology": "starter"}, RequestError, r"without a name: linnet.load\('starter'\)"),
        (("starter",), {"k": 10}, RequestError, r"linker.link\(mentions, k=10\)"),
        (("starter",), {"pipeline": {"speling": False}}, RequestError, "did you mean 'spelling'"),
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
        ({}, (0.06, 0.5)),
        ({"min_probability": 0.2}, (0.2, 0.2)),
        ({"min_probability": 0.2, "min_probability_recognised": 0.6}, (0.2, 0.6)),
        ({"min_probability_recognised": 0.6}, (0.06, 0.6)),
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
    terminology = linnet.open_terminology("starter")
    assert terminology.path == starter_terminology()
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


def test_fields_of_the_pipeline_can_be_given_as_a_dictionary_under_the_other_options() -> None:
    pipeline = linnet.load(
        "starter", pipeline={"spelling": False, "reranker": None}, reranker="context"
    ).pipeline
    assert (pipeline.spelling, pipeline.reranker) == (False, "context")


def test_every_option_of_load_has_a_keyword_or_is_a_field_of_the_pipeline_and_is_described() -> None:
    parameters = inspect.signature(linnet.load).parameters
    given = [name for name, one in parameters.items() if one.kind is inspect.Parameter.KEYWORD_ONLY]
    assert len(given) >= 12
    for name in given:
        assert re.search(
            rf"^    {name} {{2,}}\w", inspect.getdoc(linnet.load).replace("\n", "\n    "), re.MULTILINE
        ), name


def test_a_linked_mention_shows_its_link_and_a_link_is_a_dictionary(linker: linnet.Linker) -> None:
    document = linker.annotate("Gout.")
    [mention] = document.mentions
    assert repr(mention).startswith("LinkedMention(0, 4, 'Gout' → MESH:D006073 'Gout' (0.")
    record = json.loads(json.dumps(mention.link.to_dict()))
    assert (record["text"], record["concepts"], record["probability"]) == (
        "Gout",
        ["MESH:D006073"],
        mention.link.probability,
    )
    assert record["candidates"][0].keys() == {"concept", "name", "score", "origin"}


def test_a_mention_with_its_context_is_linked_by_it(linker: linnet.Linker) -> None:
    mention = linnet.mention("AT", "Ataxia telangiectasia (", ") carriers", type="Disease")
    assert (mention.text, mention.left, mention.type) == ("AT", "Ataxia telangiectasia (", "Disease")
    assert linker.link([mention])[0].name == "Ataxia Telangiectasia"


def test_link_documents_takes_texts_and_refuses_anything_else(linker: linnet.Linker) -> None:
    [linked] = linker.link_documents(["Gout."], recognise=True)
    assert linked.links[0].name == "Gout"
    with pytest.raises(RequestError, match=r"link_documents\(\) takes texts and Documents; item 1 is 7"):
        list(linker.link_documents(["Gout.", 7], recognise=True))  # type: ignore[list-item]
    with pytest.raises(RequestError, match=r"Write: link_documents\(\['Gout\.'\]\)"):
        linker.link_documents("Gout.", recognise=True)


def test_the_readmes_python_passes_a_users_type_checker(tmp_path: Path) -> None:
    """In a project of the user's, with linnet installed: strictly, and with the link of each mention."""
    root = Path(__file__).parents[1]
    [code] = re.findall(r"```python\n(.*?)```", (root / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "user.py").write_text(
        code + "reveal_type(linker.annotate('gout').mentions[0].link.probability)\n", encoding="utf-8"
    )
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--follow-imports=silent",
        "--cache-dir",
        str(root / ".mypy_cache"),
        "user.py",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "float | None" in done.stdout

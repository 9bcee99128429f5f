"""Where the hand-written glossary is in: exact look-up, which can do without, and indexes that were built with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.advised import advises
from typer.testing import CliRunner

from linnet.advice import Step
from linnet.cli import app
from linnet.errors import MismatchError
from linnet.io import artifact
from linnet.link import Linker, Pipeline
from linnet.link.indexing import build_indexes
from linnet.retrieve import build_retriever, open_retriever
from linnet.retrieve.index import MANIFEST, index_path
from linnet.terminology import Terminology, write_terminology
from linnet.types import Concept

# The glossary takes "renal" for "kidney" and "tumour" for "neoplasm".
CONCEPTS = (Concept("X:1", "kidney neoplasm"), Concept("X:2", "marsh fever"))
WORDS = ("sparse", "word", "bm25")


@pytest.fixture
def terminology(tmp_path: Path) -> Terminology:
    return write_terminology(CONCEPTS, tmp_path / "bog")


def scores(terminology: Terminology, name: str, text: str) -> list[float]:
    hits = open_retriever(terminology, name).search([text], k=2)
    return [float(score) for score in hits.scores[0] if score > 0]


@pytest.mark.parametrize("kind", WORDS)
def test_an_index_of_words_does_without_the_glossary_unless_asked(
    terminology: Terminology, kind: str
) -> None:
    build_retriever(terminology, kind)
    plain = scores(terminology, kind, "renal tumour")
    build_retriever(terminology, kind, glossary=True)
    glossed = scores(terminology, kind, "renal tumour")
    assert not plain
    assert glossed


def test_an_index_of_before_the_option_has_the_glossary(terminology: Terminology) -> None:
    build_retriever(terminology, "word", glossary=True)
    place = index_path(terminology, "word")
    fields = json.loads((place / MANIFEST).read_text())
    (place / MANIFEST).unlink()
    del fields["options"]["glossary"]
    artifact.write_manifest(place, MANIFEST, fields)
    assert scores(terminology, "word", "renal tumour")


def test_exact_look_up_leaves_the_glossary_out_where_the_pipeline_does(terminology: Terminology) -> None:
    build_indexes(terminology, ("exact",))
    found = {
        glossary: Linker.open(
            [terminology], pipeline=Pipeline(retrievers=("exact",), reranker=None, glossary=glossary)
        ).link(["renal tumour", "Marsh fevers"])
        for glossary in (True, False)
    }
    assert [link.concepts for link in found[True]] == [("X:1",), ("X:2",)]
    assert [link.concepts for link in found[False]] == [(), ("X:2",)]


def test_a_pipeline_without_the_glossary_refuses_an_index_that_has_it(terminology: Terminology) -> None:
    build_indexes(terminology, ("exact", "sparse"), glossary=True)
    with pytest.raises(
        MismatchError,
        match="uses linnet's glossary",
        check=advises(Step.BUILD_INDEX, retrievers=["sparse"], plain=True),
    ):
        Linker.open([terminology], pipeline=Pipeline(retrievers=("exact", "sparse"), glossary=False))


def test_update_rebuilds_an_index_only_where_the_glossary_asked_for_differs(terminology: Terminology) -> None:
    build_indexes(terminology, ("word",), glossary=True)
    rebuilt: list[str] = []
    build_indexes(terminology, ("word",), update=True, started=rebuilt.append)
    assert not rebuilt
    build_indexes(terminology, ("word",), update=True, glossary=False, started=rebuilt.append)
    assert rebuilt == ["word"]


def test_update_keeps_the_glossary_of_an_outdated_index(terminology: Terminology) -> None:
    build_indexes(terminology, ("word",), glossary=True)
    newer = write_terminology([*terminology, Concept("X:9", "Ditch cough")], terminology.path, sources=[])
    build_indexes(newer, ("word",), update=True)
    assert open_retriever(newer, "word").glossary  # type: ignore[attr-defined]


def test_linnet_index_without_the_glossary_makes_linking_do_without(terminology: Terminology) -> None:
    command = ["index", str(terminology.path), "--retriever", "exact,sparse", "--no-glossary"]
    shown = CliRunner().invoke(app, command)
    assert shown.exit_code == 0, shown.stderr
    assert Terminology.open(terminology.path).pipeline["glossary"] is False
    linked = Linker.open([terminology.path]).link(["renal tumour"])
    assert linked[0].concepts == ()
    again = CliRunner().invoke(app, [*command[:-1], "--glossary"])
    assert again.exit_code == 0, again.stderr
    assert "glossary" not in Terminology.open(terminology.path).pipeline

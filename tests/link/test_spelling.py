"""What linking makes of misspelt words."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.advised import advises

from linnet.advice import Step
from linnet.errors import DamagedError, MismatchError, StoreError
from linnet.link import Linker, Pipeline
from linnet.link.identity import identity
from linnet.link.indexing import build_indexes
from linnet.retrieve.spelling import Spelling
from linnet.terminology import Terminology
from linnet.types import Concept

Compile = Callable[[Sequence[Concept]], Terminology]
CONCEPTS = (
    Concept("T:1", "Asthma", (), ("Disease",)),
    Concept("T:2", "Diabetes Mellitus", (), ("Disease",)),
    Concept("T:3", "Naloxone", (), ("Chemical",)),
    Concept("T:4", "Renal Failure", (), ("Disease",)),
)


@pytest.fixture(scope="module")
def terminology(compile_terminology: Compile) -> Terminology:
    return compile_terminology(CONCEPTS)


@pytest.mark.parametrize(
    ("text", "concept"),
    [("astma", "T:1"), ("diabtes mellitus", "T:2"), ("nalozone", "T:3"), ("failuer, renal", "T:4")],
)
@pytest.mark.parametrize("reranker", [None, "context"])
def test_a_misspelt_name_is_linked(
    terminology: Terminology, text: str, concept: str, reranker: str | None
) -> None:
    linker = Linker.open([terminology], pipeline=Pipeline(reranker=reranker))
    (link,) = linker.link([text])
    assert link.concepts == (concept,)
    assert link.mention.text == text
    assert "spelling" in link.candidates[0].origin
    assert "abbreviation" not in link.candidates[0].origin


def test_it_can_be_switched_off(terminology: Terminology) -> None:
    pipeline = Pipeline(reranker=None, spelling=False)
    with_it, without = (Linker.open([terminology], pipeline=p) for p in (Pipeline(reranker=None), pipeline))
    assert with_it.link(["astma"])[0].candidates[0].score > without.link(["astma"])[0].candidates[0].score


def test_a_word_is_not_respelt_where_that_finds_nothing_better(terminology: Terminology) -> None:
    linker = Linker.open([terminology], pipeline=Pipeline(reranker=None))
    (link,) = linker.link(["asthmas"])  # no word of the terminology, but the same stem
    assert link.concepts == ("T:1",)
    assert link.candidates[0].origin == "exact"


def test_a_damaged_vocabulary_is_refused_instead_of_done_without(own_terminology: Path) -> None:
    file = own_terminology / "index/spelling/forms.words.npy"
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    with pytest.raises(
        DamagedError,
        match=r"forms.words.npy was altered",
        check=advises(Step.BUILD_INDEX, update=True),
    ):
        Linker.open([own_terminology])


@pytest.mark.parametrize("name", ["index.json", "vocabulary.arrow"])
def test_a_vocabulary_that_cannot_be_read_is_refused(
    own_terminology: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = own_terminology / "index/spelling" / name
    before = Path.stat

    def stat(path: Path, **options: bool) -> os.stat_result:
        if path == file:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return before(path, **options)

    monkeypatch.setattr(Path, "stat", stat)
    with pytest.raises(DamagedError, match="Too many open files"):
        Linker.open([own_terminology])


def test_without_its_vocabulary_a_terminology_is_refused_with_the_command_that_builds_it(
    own_terminology: Path,
) -> None:
    shutil.rmtree(own_terminology / "index/spelling")  # as after a kill while it was indexed
    with pytest.raises(StoreError, match="no such directory", check=advises(Step.BUILD_INDEX, update=True)):
        Linker.open([own_terminology])
    build_indexes(Terminology.open(own_terminology), ("exact", "dense"), update=True)
    assert Linker.open([own_terminology]).link(["asprin"])[0].concepts == ("T:6",)


def test_one_of_another_version_is_refused(own_terminology: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Spelling, "version", Spelling.version + 1)
    with pytest.raises(MismatchError, match="was built by another linnet"):
        Linker.open([own_terminology])


def test_a_pipeline_that_does_not_respell_does_not_need_it(own_terminology: Path) -> None:
    shutil.rmtree(own_terminology / "index/spelling")
    assert Linker.open([own_terminology], pipeline=Pipeline(spelling=False)).link(["aspirin"])[0].concepts
    assert Linker.open([own_terminology], pipeline=Pipeline(retrievers=("dense",))).link(["aspirin"])


def test_linkers_that_may_answer_differently_have_different_identities(own_terminology: Path) -> None:
    pipeline = Pipeline(retrievers=("dense",), reranker=None)
    respelling = Linker.open([own_terminology], pipeline=pipeline)
    with_it = respelling.link(["asprin"])
    before = identity(respelling)
    assert before["terminologies"][0]["indexes"]["spelling"]
    shutil.rmtree(own_terminology / "index/spelling")
    plain = Linker.open([own_terminology], pipeline=pipeline)
    assert plain.link(["asprin"])[0].candidates[0].score != with_it[0].candidates[0].score
    assert identity(plain) != before

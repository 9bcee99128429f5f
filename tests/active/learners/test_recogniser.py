from __future__ import annotations

import os
from pathlib import Path

import pytest

from linnet.active.learners import choose_learners, learners
from linnet.active.learners.recogniser import LearnRecogniser
from linnet.active.model import open_model
from linnet.active.training_data import TrainingData
from linnet.errors import UnknownNameError
from linnet.link.learned import RECOGNISER, SURE
from linnet.terminology import Terminology
from linnet.types import Document, Mention

# None of these is a name of the terminology: only what stands before them tells.
NAMES = [
    "blurritis",
    "quonosis",
    "zemia",
    "flarn fever",
    "mibble disease",
    "truntosis",
    "vonkitis",
    "spelmia",
]


def _document(number: int, *, again: bool = False) -> Document:
    """With a name of its own, or `again` one that every eighth has."""
    name = NAMES[number % len(NAMES)]
    if not again:
        name = f"{'bcdfghjklm'[number % 10]}{'aeiouyäö'[number // 10]}{name}"
    text = f"Case {number}: a patient with {name} was seen. No cause was found in the family."
    start = text.index(name)
    home = Document(str(number), text)
    return home.with_mentions([Mention(home, start, start + len(name), name, "Disease", ("X:1",))])


def _training_data(terminology: Path, documents: int, *, again: bool = False) -> TrainingData:
    opened = Terminology.open(os.path.relpath(terminology))  # as a user names it, from the working directory
    annotated = [_document(number, again=again) for number in range(documents)]
    return TrainingData(opened, (), annotated, [], open_model(opened, None).linker)


@pytest.mark.torch
def test_a_tagger_finds_what_is_no_name(small_terminology: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs the train extra")
    data = _training_data(small_terminology, 80)
    progress: list[float] = []
    learner = LearnRecogniser(
        fewest=20, steps=(160, 160), tagger={"width": 32, "projected": 32, "joined": 32}
    )
    said = learner.learn(data, tmp_path, lambda share, _: progress.append(share))
    assert said == "a tagger from 80 accepted documents, beside names"
    assert progress == sorted(progress)
    assert (tmp_path / RECOGNISER).is_dir()
    assert not list(tmp_path.rglob("*/last.safetensors"))
    model = open_model(data.terminology, tmp_path)
    links = [link for one in model.predict(data.documents) for link in one.links]
    annotated = {mention.text for document in data.documents for mention in document.mentions}
    assert len({link.mention.text for link in links} & annotated) >= 3
    assert all(link.mention.confidence is not None and SURE <= link.mention.confidence <= 1 for link in links)
    assert len(links) > 5
    again = learner.learn(
        data, tmp_path, lambda *_: None
    )  # as after a kill between this learner and the next
    assert again == said
    assert [
        link for one in open_model(data.terminology, tmp_path).predict(data.documents) for link in one.links
    ] == links


@pytest.mark.torch
def test_a_tagger_that_is_not_sure_leaves_what_names_find(small_terminology: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs the train extra")
    data = _training_data(small_terminology, 25, again=True)
    (tmp_path / "tagged").mkdir()
    (tmp_path / "plain").mkdir()
    small = {"width": 8, "projected": 8, "joined": 8}
    LearnRecogniser(fewest=20, steps=(2, 2), tagger=small).learn(data, tmp_path / "tagged", lambda *_: None)
    assert "width = 8" in (tmp_path / "tagged" / "recogniser.toml").read_text()
    for folder in ("tagged", "plain"):
        learners["names"].learn(data, tmp_path / folder, lambda *_: None)
    tagged, plain = (
        [one.links for one in open_model(data.terminology, tmp_path / folder).predict(data.documents)]
        for folder in ("tagged", "plain")
    )
    assert tagged == plain
    assert sum(map(len, plain)) >= 25


def test_from_few_documents_no_tagger_is_trained(small_terminology: Path, tmp_path: Path) -> None:
    said = learners["recogniser"].learn(_training_data(small_terminology, 5), tmp_path, lambda *_: None)
    assert "too few" in said
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_learner_is_refused_with_the_choices() -> None:
    with pytest.raises(UnknownNameError, match="names"):
        choose_learners(["magic"])
    assert choose_learners(["threshold", "names"]) == ["names", "threshold"]


def test_a_text_linked_to_several_concepts_is_a_name_of_the_commonest(
    small_terminology: Path, tmp_path: Path
) -> None:
    from linnet.active.learned_items import Blocked, LearnedName
    from linnet.active.learners.names import learned_names

    terminology = Terminology.open(small_terminology)
    documents = []
    for number, concept in enumerate(["X:1", "X:2", "X:2", "X:77"]):
        home = Document(str(number), "AX was seen")
        documents.append(home.with_mentions([Mention(home, 0, 2, "AX", "Disease", (concept,))]))
    assert learned_names(documents, terminology) == [LearnedName("AX", "X:2", 2, 2)]
    assert learned_names(documents[:2], terminology) == [LearnedName("AX", "X:2", 1, 1)]
    assert learned_names(documents[:1], terminology) == [LearnedName("AX", "X:1", 1, 1)]
    blocked = Blocked(names=frozenset({("ax", "X:2")}))
    assert learned_names(documents, terminology, blocked=blocked) == [LearnedName("AX", "X:1", 1, 1)]


def test_doubtful_links_are_suggested(small_terminology: Path) -> None:
    pipeline = open_model(Terminology.open(small_terminology), None).linker.pipeline
    assert pipeline.min_probability_recognised == pipeline.min_probability == 0.06

"""Training a reader: its examples, its loss, what it learns and keeps, and what its run file may say."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.torch

torch = pytest.importorskip("torch", reason="needs the train extra")

from tests.train.interrupting import StopAt  # noqa: E402

from linnet import corpora  # noqa: E402
from linnet.errors import DataError  # noqa: E402
from linnet.io.settings_files import settings_from  # noqa: E402
from linnet.link import Linker, Pipeline  # noqa: E402
from linnet.link.indexing import build_indexes  # noqa: E402
from linnet.link.reader import Reader  # noqa: E402
from linnet.link.readings import Query  # noqa: E402
from linnet.terminology import write_terminology  # noqa: E402
from linnet.train.reading_examples import Example, MeantElsewhere, Question  # noqa: E402
from linnet.train.run import run  # noqa: E402
from linnet.train.tasks.reader import (  # noqa: E402
    ReaderSettings,
    ReaderTask,
    ReadingScorer,
    fit,
    judged,
)
from linnet.types import Concept, Document, Mention  # noqa: E402

NAMES = (
    "Dorn fever|Marsh illness", "Vell rash|Red vell spots", "Orrin palsy|Weakness of Orrin", "Tarn cough|Barking tarn",
    "Quill ague|Shaking of Quill", "Brack pox|Blistering brack", "Sedge colic|Cramps of sedge", "Fenn dropsy|Swelling of Fenn",
)  # fmt: skip
CONCEPTS = [
    Concept(f"T:{number}", name, (synonym,), ("Disease",))
    for number, (name, synonym) in enumerate(line.split("|") for line in NAMES)
]
IDS = {concept.name: concept.id for concept in CONCEPTS}
STRINGS: dict[str, tuple[str, ...]] = {
    "Dorn fever; Vell rash": (IDS["Dorn fever"], IDS["Vell rash"]),
    "Orrin palsy and Tarn cough": (IDS["Orrin palsy"], IDS["Tarn cough"]),
    "severe Quill ague": (IDS["Quill ague"],),
    "no Brack pox": (),
    "n/a": (),
    "Sedge colick": (IDS["Sedge colic"],),
    "Fenn dropsy, 2019": (IDS["Fenn dropsy"],),
}
PRIOR = {"match": 5.0, "nothing": 2.0, "seen in no string": -3.0}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A terminology `t`, strings that are texts of their own `strings.jsonl`, and a corpus of sentences `texts.jsonl`."""
    folder = tmp_path_factory.mktemp("reader")
    build_indexes(write_terminology(CONCEPTS, folder / "t", sources=[]), ("exact", "char"))
    corpora.write(
        [annotated(text, text, ids) for text, ids in STRINGS.items()],
        folder / "strings.jsonl",
        format="jsonl",
    )
    sentences = [annotated(f"He had {text} again.", text, ids) for text, ids in STRINGS.items()]
    corpora.write(sentences, folder / "texts.jsonl", format="jsonl")
    return folder


def annotated(text: str, span: str, concepts: tuple[str, ...], id: str = "") -> Document:
    at = text.index(span)
    document = Document(id or text, text)
    return document.with_mentions([Mention(document, at, at + len(span), span, "", concepts)])


def table(home: Path, *sources: dict[str, Any], **sections: Any) -> dict[str, Any]:
    """A run file; a source without corpora is of names held out."""
    given = [{"terminology": str(home / "t"), **source} for source in sources]
    data = {
        "sources": given,
        "retrievers": ["exact", "char"],
        "place": str(home / "folds"),
        **sections.pop("data", {}),
    }
    return {
        "task": "reader", "output": "out", "loop": {"threads": 1, "steps": 30, "schedule": "constant"}, "weights": PRIOR,
        "data": data, **sections,
    }  # fmt: skip


def strings_of(home: Path, name: str = "strings") -> dict[str, Any]:
    return {"corpora": [str(home / f"{name}.jsonl")]}


NAMES_HELD_OUT: dict[str, Any] = {
    "name": "names",
    "names": 8,
    "absent": 2,
    "composed": 60,
    "total": 30,
    "composed_total": 50,
}


def prepared(given: dict[str, Any]) -> ReaderTask:
    return ReaderTask.prepare(settings_from(given, ReaderSettings))


def example(
    *readings: tuple[dict[str, float], bool],
    weight: float = 1.0,
    label: str = "a",
    names: list[int] | None = None,
) -> Example:
    question = Question(Query("x", "x", False), (), label, "", weight)
    features, right = [features for features, _ in readings], [right for _, right in readings]
    return Example(question, features, right, names or list(range(len(readings))), weight)


def test_the_loss_is_that_of_a_plain_loop() -> None:
    strings = [
        example(({"a": 1.0, "b": 0.5}, True), ({"b": 2.0}, False)),
        example(({"a": -1.0}, True), ({"a": 3.0}, True), ({"b": 1.0}, False), weight=3.0),
    ]
    prior = {"a": 0.25, "b": -0.5, "c": 7.0}
    scorer = ReadingScorer(prior, strings, penalty=0.4)
    with torch.no_grad():
        scorer.weights += torch.tensor([0.5, 0.0, 0.0])
    now = {**prior, "a": 0.75}
    total = 0.4 / 2 * 0.5**2
    for one in strings:
        odds = [
            math.exp(sum(now[name] * value for name, value in features.items())) for features in one.features
        ]
        good = sum(odd for odd, right in zip(odds, one.right, strict=True) if right)
        total -= one.weight * math.log(good / sum(odds))
    assert scorer.loss().item() == pytest.approx(total / 4)


def test_the_weights_are_those_of_least_loss_and_ones_of_features_that_no_string_has_stay() -> None:
    strings = [
        example(({"a": 1.0}, True), ({"b": 1.0}, False)),
        example(({"a": 1.0}, False), ({"b": 1.0}, True)),
        example(({"a": 1.0}, True), ({"b": 1.0}, False)),
    ]
    scorer = ReadingScorer({"a": 4.0, "unseen": -3.0}, strings, penalty=1e-9)
    fit(scorer, steps=40)
    weights = scorer.by_name()
    assert weights["unseen"] == -3.0
    # Two of three are right: odds of 2 to 1.
    assert weights["a"] - weights["b"] == pytest.approx(math.log(2), abs=1e-3)


def test_a_penalty_keeps_weights_near_those_given() -> None:
    strings = [example(({"a": 1.0}, True), ({"b": 1.0}, False))]
    near, far = (
        ReadingScorer({"a": -1.0}, strings, penalty=100.0),
        ReadingScorer({"a": -1.0}, strings, penalty=0.01),
    )
    for scorer in (near, far):
        fit(scorer, steps=40)
    assert near.by_name()["a"] == pytest.approx(-1.0, abs=0.02)
    assert far.by_name()["a"] > 0


def test_of_readings_with_one_score_the_first_is_read() -> None:
    strings = [
        example(({"a": 1.0}, False), ({"a": 1.0}, True)),
        example(({"a": 1.0}, True), ({"a": 1.0}, False)),
    ]
    assert judged(strings, {"a": 2.0})["right"] == 0.5


def test_readings_that_name_the_same_count_together() -> None:
    readings = ({"a": 1.0}, False), ({"a": 0.8}, True), ({"a": 0.7}, True)
    assert judged([example(*readings)], {"a": 1.0})["right"] == 0
    assert judged([example(*readings), example(*readings, names=[0, 1, 1])], {"a": 1.0})["right"] == 0.5


def test_a_string_is_learnt_from_if_some_of_its_readings_are_right(home: Path) -> None:
    task = prepared(table(home, strings_of(home)))
    seen = {e.question.query.text: e.weight for e in task.strings}
    assert seen["severe Quill ague"] == 1.0
    assert seen.keys() >= {"Dorn fever; Vell rash", "no Brack pox", "Fenn dropsy, 2019"}
    for one in task.strings:
        assert any(one.right)
        assert not all(one.right)
    [nothing] = [e for e in task.strings if e.question.query == Query("no Brack pox", "no Brack pox", False)]
    assert [features.get("nothing") for features in nothing.features] == [
        1.0 if right else None for right in nothing.right
    ]


def test_a_mention_in_a_text_without_a_concept_is_not_learnt_from(home: Path) -> None:
    seen = {e.question.query.text for e in prepared(table(home, strings_of(home, "texts"))).strings}
    assert "severe Quill ague" in seen
    assert not seen & {"no Brack pox", "n/a"}


def test_what_a_corpus_meant_elsewhere_counts_other_documents() -> None:
    documents = [
        annotated(text, text, (concept,), id=str(number))
        for number, (text, concept) in enumerate(
            [("Dorn fevers", "T:1"), ("dorn fever", "T:1"), ("Dorn fever", "T:2")]
        )
    ]
    recalled = MeantElsewhere([*documents, annotated("Vell rash", "Vell rash", ("T:3",), id="9")], ())
    [of_fever, of_rash, unseen] = recalled(
        ["Dorn fever", "Vell rash", "gout"], [["T:1", "T:2"], ["T:3", ""], ["T:1", "T:2"]]
    )
    assert of_fever.tolist() == [0.5, 0.0]
    assert np.isnan(of_rash).all()  # in no other document
    assert np.isnan(unseen).all()


def test_names_held_out_and_composed_strings_add_up_to_their_totals(home: Path) -> None:
    task = prepared(table(home, NAMES_HELD_OUT, strings={"kinds": {"nil": 0.0}}))
    sums: dict[str, float] = {}
    for one in task.strings:
        sums[one.question.label] = sums.get(one.question.label, 0.0) + one.weight
        if one.question.kind == "nil":
            assert one.weight == 0.0
    assert sums == {"names": pytest.approx(30), "names, composed": pytest.approx(50)}
    assert any(one.question.concepts == () for one in task.strings if one.question.label == "names")


def test_strings_may_be_composed_without_names_held_out(home: Path) -> None:
    task = prepared(table(home, {"composed": 40, "composed_total": 7}))
    assert {one.question.label for one in task.strings} == {"t, composed"}
    assert sum(one.weight for one in task.strings) == pytest.approx(7)


def test_strings_with_commas_count_as_the_run_file_says(home: Path) -> None:
    def weights(**given: Any) -> dict[tuple[str, str], float]:
        task = prepared(table(home, strings_of(home), {"name": "c", "composed": 80}, strings=given))
        return {(e.question.query.text, e.question.kind): e.weight for e in task.strings}

    plain, changed = weights(), weights(with_comma={"list": 3.0})
    assert plain.keys() == changed.keys()
    factors = {string: changed[string] / plain[string] for string in plain}
    assert {f for (text, kind), f in factors.items() if kind == "list" and ", " in text} == {3.0}
    assert {f for (text, kind), f in factors.items() if kind != "list" or ", " not in text} == {1.0}


def test_another_source_lends_its_names_as_foreign_ones(home: Path, tmp_path: Path) -> None:
    others = [
        Concept(f"G:{n}", f"Dorn fever receptor {'ABCDEFGH'[n]}", (f"Glib{n} receptor",), ("Gene",))
        for n in range(8)
    ]
    build_indexes(write_terminology(others, tmp_path / "g", sources=[]), ("exact", "char"))
    genes = {"name": "genes", "names": 8, "absent": 3, "terminology": str(tmp_path / "g")}
    task = prepared(table(home, {**NAMES_HELD_OUT, "composed": 300, "foreign": ["genes"]}, genes))
    foreign = [e.question.query.text for e in task.strings if e.question.kind == "foreign"]
    assert any("receptor" in text for text in foreign)


def test_a_second_round_reads_parts_by_what_was_learnt(home: Path) -> None:
    one, two = (
        prepared(table(home, strings_of(home), NAMES_HELD_OUT, fit={"rounds": rounds})) for rounds in (1, 2)
    )
    query = {e.question: e.features for e in one.strings}
    again = {e.question: e.features for e in two.strings if e.question in query}
    assert any(features != query[question] for question, features in again.items())
    # Each round starts from the weights of the run file, so that what only an earlier one had seen is not kept.
    assert two.module.by_name() == {name: PRIOR.get(name, 0.0) for name in two.module.features}


def test_a_run_writes_a_reader_that_links_better_than_before(home: Path, tmp_path: Path) -> None:
    given = table(home, strings_of(home), NAMES_HELD_OUT, output=str(tmp_path / "learnt"))
    file = tmp_path / "run.toml"
    file.write_text(json_as_toml(given), encoding="utf-8")
    done = run(file)
    assert (done.trained.ending, done.trained.scores) == ("steps", {})
    reader = Reader.open(tmp_path / "learnt")
    assert reader.name == "learnt"
    assert reader.weights["seen in no string"] == PRIOR["seen in no string"]
    card = (tmp_path / "learnt" / "README.md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in card.split("## Weights")[1].splitlines() if line.startswith("| ")][
        1:
    ]
    sizes = [abs(float(row[1].removesuffix(" |"))) for row in rows]
    assert len(rows) == len(reader.weights)
    assert sizes == sorted(sizes, reverse=True)
    assert "| names, composed | " in card.split("## Learnt from")[1]
    Reader("before", PRIOR).save(tmp_path / "before")
    before, after = (right_of(home, tmp_path / name) for name in ("before", "learnt"))
    assert after == len(STRINGS) > before


def right_of(home: Path, reader: Path) -> int:
    pipeline = Pipeline(retrievers=("exact", "char"), reranker=None, reader=str(reader))
    links = Linker.open([home / "t"], pipeline=pipeline).link(list(STRINGS))
    return sum(set(link.concepts) == set(gold) for link, gold in zip(links, STRINGS.values(), strict=True))


def test_scores_are_those_of_a_fold_that_is_not_learnt_from(home: Path) -> None:
    task = prepared(table(home, strings_of(home), NAMES_HELD_OUT, data={"folds": 3, "held_out": 1}))
    fit(task.module, steps=20)
    scores = task.evaluate()
    assert list(scores)[:2] == ["log-likelihood", "right"]
    assert scores["right: names, composed"] > 0.5
    learnt, every = int(task.module.counts.numel()), len(task.strings)
    assert 0 < learnt < every


def test_a_run_that_was_interrupted_ends_with_the_same_weights(home: Path, tmp_path: Path) -> None:
    weights = []
    for name, at in (("whole", None), ("cut", 7)):
        given = table(home, strings_of(home), output=str(tmp_path / name), data={"held_out": 0})
        given["loop"] |= {"steps": 15, "evaluate_every": 5}
        file = tmp_path / f"{name}.toml"
        file.write_text(json_as_toml(given), encoding="utf-8")
        if at is not None:
            assert run(file, progress=StopAt(at)).trained.ending == "interrupted"
        run(file, resume=at is not None)
        weights.append((tmp_path / name / "weights.json").read_bytes())
    assert weights[0] == weights[1]


def json_as_toml(given: dict[str, Any]) -> str:
    """Nested tables as TOML, each value on its own line."""
    lines = []

    def write(value: Any) -> str:
        if isinstance(value, dict):
            return "{" + ", ".join(f"{json.dumps(k)} = {write(v)}" for k, v in value.items()) + "}"
        return "[" + ", ".join(map(write, value)) + "]" if isinstance(value, list) else json.dumps(value)

    for name, value in given.items():
        lines.append(f"{json.dumps(name)} = {write(value)}")
    return "\n".join(lines) + "\n"


def test_a_source_of_which_nothing_can_be_learnt_is_named(home: Path) -> None:
    alone = annotated("Dorn fever", "Dorn fever", (IDS["Dorn fever"],))  # a literal name has one reading
    corpora.write([alone], home / "literal.jsonl", format="jsonl")
    with pytest.raises(DataError, match="nothing can be learnt from the source 'literal'"):
        prepared(table(home, strings_of(home), strings_of(home, "literal")))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"data": {"sources": []}}, "'sources' is empty"),
        ({"data": {"held_out": 5}}, "'held_out' is 5; expected 0 to 4"),
        (
            {"strings": {"kinds": {"lists": 1.0}}},
            "'lists' is no kind of composed string; expected one of name, list",
        ),
        ({"strings": {"kinds": {"held out": 1.0}}}, "'held out' is no kind of composed string"),
        ({"strings": {"absent": -1.0}}, "'absent' is -1.0; expected 0 or more"),
        ({"fit": {"rounds": 0}}, "'rounds' is 0; expected 1 or more"),
        ({"fit": {"penalities": 1}}, "did you mean 'fit.penalty'"),
        ({"weights": {"match": "high"}}, "'weights.match' is 'high'; expected a number"),
    ],
)
def test_mistakes_of_a_run_file_are_named(home: Path, change: dict[str, Any], expected: str) -> None:
    with pytest.raises(DataError, match=expected.replace("[", r"\[")):
        settings_from(table(home, strings_of(home), **change), ReaderSettings)


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        ([{"absent": 5, "composed": 5}], "neither 'corpora' nor 'names'"),
        ([{"names": 5, "foreign": ["x"]}], "'foreign' is of composed strings"),
        ([{"names": 5}, {"names": 6}], "two sources are named 't'; give each a 'name'"),
        ([{"names": 5, "composed": 5, "foreign": ["x"]}, {"name": "y", "names": 5}], "names 'x'; expected other sources that have .*: y"),
        ([{"names": 5, "absent": 6}], "'absent' is 6; expected at most 'names', 5"),
        ([{}], "neither 'corpora' nor 'names'"),
        ([{"names": 5, "remembered": False}], "'data.sources\\[0\\].remembered' is not a key"),
    ],
)  # fmt: skip
def test_mistakes_of_sources_are_named(home: Path, sources: list[dict[str, Any]], expected: str) -> None:
    with pytest.raises(DataError, match=expected):
        settings_from(table(home, *sources), ReaderSettings)

"""Training a recogniser: what is learnt, what is written, and that it finds the same with numpy as with torch."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.train.test_tagged_corpora import partly

from linnet.encode.model import open_model
from linnet.encode.named_models import SHIPPED
from linnet.errors import DataError, MismatchError, StoreError, UnknownNameError
from linnet.recognise import TerminologyNames, open_recogniser
from linnet.recognise.tagger import Tagger
from linnet.terminology import write_terminology
from linnet.types import Concept, Document, Mention

torch = pytest.importorskip("torch", reason="needs the train extra")

from linnet.io.settings_files import settings_from  # noqa: E402
from linnet.train.tasks.recogniser import RecogniserSettings, RecogniserTask  # noqa: E402

pytestmark = pytest.mark.torch

ILLS = ["gout", "asthma", "renal failure", "ataxia", "eczema", "anaemia", "rickets", "heart disease"]
DRUGS = ["aspirin", "lithium", "valproic acid", "heparin", "cocaine", "morphine", "zinc sulfate", "MPTP"]
Prepare = Callable[..., RecogniserTask]


def pubtator(documents: list[tuple[str, list[tuple[str, str]]]]) -> str:
    """Texts and their mentions, each with its type."""
    blocks = []
    for number, (text, mentions) in enumerate(documents):
        rows = [
            f"{number}\t{text.index(name)}\t{text.index(name) + len(name)}\t{name}\t{kind}\tX:1"
            for name, kind in mentions
        ]
        blocks.append("\n".join([f"{number}|t|{text}", f"{number}|a|", *rows]))
    return "\n\n".join(blocks) + "\n"


BOTH = pubtator([
    (f"{drug}-induced {ill} was seen. It is rare.", [(drug, "Chemical"), (ill, "Disease")])
    for drug in DRUGS for ill in ILLS[:4]
])  # fmt: skip
ONLY_ILLS = pubtator([
    (f"Cases of {ill} after {drug}. No more.", [(ill, "SpecificDisease")]) for drug in DRUGS for ill in ILLS[4:]
])  # fmt: skip


@pytest.fixture
def prepare(tmp_path: Path) -> Prepare:
    (tmp_path / "both.txt").write_text(BOTH, encoding="utf-8")
    (tmp_path / "ills.txt").write_text(ONLY_ILLS, encoding="utf-8")
    names = [Concept(f"X:{i}", name, types=("Ill",)) for i, name in enumerate(ILLS)]
    write_terminology([*names, Concept("Y:1", "was seen", types=("Other",))], tmp_path / "ills")

    def made(*, held_out: float = 0.25, seed: int = 0, encoder: str = "none", **data: Any) -> RecogniserTask:
        table = {
            "task": "recogniser",
            "output": str(tmp_path / "model"),
            "seed": seed,
            "tagger": {
                "width": 12,
                "projected": 16,
                "joined": 16,
                "buckets": 256,
                "dimensions": 8,
                "dropout": 0.1,
                "unknown": 0.1,
            },
            "data": {
                "sources": [
                    {"corpora": [str(tmp_path / "both.txt")]},
                    {"corpora": [str(tmp_path / "ills.txt")], "label": "Disease"},
                ],
                "gazetteers": [{"name": "ills", "terminologies": [str(tmp_path / "ills")], "types": ["Ill"]}],
                "encoder": encoder,
                "held_out": held_out,
                **data,
            },
        }
        torch.manual_seed(0)
        return RecogniserTask.prepare(settings_from(table, RecogniserSettings))

    return made


def trained(task: RecogniserTask, steps: int = 60) -> RecogniserTask:
    optimiser = torch.optim.Adam(task.module.parameters(), lr=0.02)
    task.module.train()
    for step in range(steps):
        optimiser.zero_grad()
        task.loss(step).backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    task.module.eval()
    return task


TEXT = "Cocaine-induced asthma was seen. Cases of rickets. Morphine-induced gout was seen."


def test_it_learns_and_its_directory_recognises(prepare: Prepare, tmp_path: Path) -> None:
    task = trained(prepare())
    with torch.no_grad():
        scores = task.evaluate()
    assert list(scores) == ["f1", "f1 Chemical", "f1 Disease"]
    assert scores["f1"] > 0.9
    task.save(tmp_path / "model", card="", training={})
    (document,) = open_recogniser(tmp_path / "model", []).recognise([Document("d", TEXT)])
    assert [(m.text, m.type) for m in document.mentions] == [
        ("Cocaine", "Chemical"),
        ("asthma", "Disease"),
        ("rickets", "Disease"),
        ("Morphine", "Chemical"),
        ("gout", "Disease"),
    ]
    assert all(m.confidence is not None and 0.5 < m.confidence <= 1 for m in document.mentions)
    assert {m.source for m in document.mentions} == {"model"}


def test_numpy_and_torch_compute_the_same(prepare: Prepare) -> None:
    task = trained(prepare(), 5)
    tagger = task.tagger()
    assert task._dev
    for example in task._dev:
        features = example.features
        with torch.no_grad():
            expected = task.module(task._batch([example])).numpy()
        [found] = tagger.network.emissions([tagger.vectors.of(features.words)], [features])
        assert found == pytest.approx(expected, abs=1e-5)


def test_the_loss_of_a_batch_is_that_of_its_documents(prepare: Prepare) -> None:
    task = trained(prepare(), 3)
    examples = task._train[:3]
    with torch.no_grad():

        def loss(chosen: Any) -> float:
            batch = task._batch(chosen)
            allowed = torch.from_numpy(np.concatenate([one.allowed for one in chosen]))
            return float(task.module.loss(task.module(batch), allowed, batch)) * len(allowed)

        assert loss(examples) == pytest.approx(sum(loss([one]) for one in examples), rel=1e-4)


def test_nothing_is_learnt_of_types_that_a_source_does_not_annotate(prepare: Prepare) -> None:
    task = prepare()
    [ills] = {example.kinds for example in task._train if len(example.kinds) == 1}
    assert [task.labels.types[kind] for kind in ills] == ["Disease"]
    chemical = task.labels.types.index("Chemical")
    for example in task._train:
        anywhere = example.allowed[:, task.labels.of_kind(chemical)]
        assert anywhere[0].all() == (chemical not in example.kinds)


def test_the_loss_adds_up_all_paths_that_a_source_allows(prepare: Prepare, tmp_path: Path) -> None:
    both = {"corpora": [str(tmp_path / "both.txt")]}
    task = prepare(sources=[both, partly(tmp_path / "partly.jsonl")], held_out=0.0)
    [example] = [example for example in task._train if "pain" in example.features.tokens.texts]
    first = slice(0, 5)  # tokens: 9⁵ paths
    generator = torch.Generator().manual_seed(1)
    emissions = torch.randn(len(example.allowed), len(task.labels), generator=generator)
    with torch.no_grad():
        for scores in (task.module.start, task.module.transitions, task.module.end):
            scores.normal_(generator=generator)
        start, transitions, end = (scores.double() for scores in task.module._legal_scores())
        totals = {False: 0.0, True: 0.0}
        for path in product(range(len(task.labels)), repeat=5):
            score = (
                start[path[0]] + end[path[-1]] + sum(emissions[at, y].double() for at, y in enumerate(path))
            )
            score += sum(transitions[before, after] for before, after in pairwise(path))
            weight = math.exp(score)
            totals[False] += weight
            totals[True] += weight * bool(example.allowed[range(5), path].all())
        batch = task._batch([example])
        order = torch.arange(5)
        cut = replace(batch, order=torch.stack([order, order.flip(0)]), active=(1,) * 5)
        loss = task.module.loss(emissions[first], torch.from_numpy(example.allowed[first]), cut)
    assert float(loss) * 5 == pytest.approx(math.log(totals[False] / totals[True]), rel=1e-4)


def test_keys_of_a_source_that_contradict_each_other_are_refused(prepare: Prepare, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="'Vague' is in two of types, either, unknown, other"):
        prepare(sources=[partly(tmp_path / "partly.jsonl") | {"other": ["Vague"]}])
    both = {"corpora": [str(tmp_path / "both.txt")]}
    with pytest.raises(DataError, match="'complete' of the source names the type 'Drug'"):
        prepare(sources=[both, partly(tmp_path / "partly.jsonl") | {"complete": ["Drug"]}])


def test_a_silent_type_is_learnt_and_never_reported(prepare: Prepare, tmp_path: Path) -> None:
    task = trained(prepare(silent=["Chemical"]))
    assert task.labels.types == ("Disease", "Chemical")
    with torch.no_grad():
        assert task.evaluate()["f1 Chemical"] > 0.9
    task.save(tmp_path / "model", card="", training={})
    assert open_model(tmp_path / "model").options["types"] == ["Disease"]
    document = Document("d", TEXT)
    for types in ([], ["Chemical"], ["Disease", "Chemical"]):
        tagger = Tagger.open(tmp_path / "model", types=types)
        assert tagger.types == {"Disease"}
        named = document.with_mentions([Mention(document, 0, 7, "Cocaine", "Chemical")])
        [(found, judged)] = tagger.recognise_beside([document], [named])
        assert [m.text for m in found.mentions] == ["asthma", "rickets", "gout"]
        assert judged == [None]
    tagger.save(tmp_path / "again", gazetteers=["ills"])
    assert open_model(tmp_path / "again").options == open_model(tmp_path / "model").options


@pytest.mark.parametrize("silent", [["Drug"], ["Chemical", "Disease"]])
def test_silent_types_are_some_of_those_of_the_sources(prepare: Prepare, silent: list[str]) -> None:
    with pytest.raises(
        DataError, match=r"data\.silent names .*; expected some, not all, .*: Chemical, Disease"
    ):
        prepare(silent=silent)


def test_only_sources_that_calibrate_make_the_curve(prepare: Prepare, tmp_path: Path) -> None:
    both, ills = ({"corpora": [str(tmp_path / name)]} for name in ("both.txt", "ills.txt"))
    doubtful = ills | {"label": "Disease", "calibrates": False}
    task = trained(prepare(sources=[both, doubtful]), 5)
    alone = task.tagger().curve
    task._dev = [example for example in task._dev if len(example.kinds) == 2]  # those of both.txt
    assert alone.probabilities.tolist() == task.tagger().curve.probabilities.tolist()
    assert alone.right.tolist() == task.tagger().curve.right.tolist()
    task._dev = [replace(example, calibrates=False) for example in task._dev]
    assert not len(task.tagger().curve.probabilities)


def test_it_may_begin_with_another_recogniser(prepare: Prepare, tmp_path: Path) -> None:
    earlier = trained(prepare(contexts={"texts": [str(tmp_path / "both.txt")], "dimensions": 4, "words": 30}))
    earlier.save(tmp_path / "earlier", card="", training={})
    ills = {"corpora": [str(tmp_path / "ills.txt")], "label": "Ailment"}
    task = prepare(
        sources=[{"corpora": [str(tmp_path / "both.txt")]}, ills],
        gazetteers=[
            {"name": name, "terminologies": [str(tmp_path / "ills")], "types": ["Ill"]}
            for name in ("new", "ills")
        ],
        start=str(tmp_path / "earlier"),
        average=0.25,
    )
    assert task.labels.types == ("Ailment", "Chemical", "Disease")
    [document] = [example for example in task._dev if "asthma" in example.features.tokens.texts][:1]
    [same] = [e for e in earlier._dev if e.features.tokens.texts == document.features.tokens.texts]
    task.module.eval()
    with torch.no_grad():
        emissions = task.module(task._batch([document])).numpy()
        before = earlier.module(earlier._batch([same])).numpy()
    assert emissions[:, [0, *range(5, 13)]] == pytest.approx(before, abs=0.02)  # stored in half precision
    assert any("to start with" in name for name in task.data)
    weight, bias = (task.module.state_dict()[name].clone() for name in ("table.weight", "output.bias"))
    trained(task, 3)
    mean, now = task.module.averaged(0.25).state_dict(), task.module.state_dict()
    assert mean["table.weight"].numpy() == pytest.approx((0.75 * now["table.weight"] + 0.25 * weight).numpy())
    assert mean["output.bias"][1:5].equal(
        now["output.bias"][1:5]
    )  # of ailments, which the earlier one lacked
    assert mean["output.bias"][5:].numpy() == pytest.approx(
        (0.75 * now["output.bias"] + 0.25 * bias)[5:].numpy()
    )
    assert task.tagger().vectors.table == pytest.approx(mean["table.weight"].numpy())
    with pytest.raises(DataError, match="'average' is of the weights of 'start'"):
        prepare(average=0.5)
    with pytest.raises(DataError, match="'start' brings its vectors of words by their contexts"):
        prepare(start=str(tmp_path / "earlier"), contexts={"texts": [str(tmp_path / "both.txt")]})
    with pytest.raises(MismatchError, match=r"another encoder than data\.encoder, 'ngram'"):
        prepare(start=str(tmp_path / "earlier"), encoder="ngram")


def test_what_is_found_does_not_depend_on_the_other_documents(prepare: Prepare) -> None:
    tagger = trained(prepare()).tagger()
    documents = [Document("1", TEXT), Document("2", ""), Document("3", f"{TEXT} {TEXT}"), Document("4", "\n")]
    together = tagger.recognise(documents)
    assert together == [tagger.recognise([document])[0] for document in documents]
    assert [len(document.mentions) for document in together] == [5, 0, 10, 0]


def test_a_batch_depends_on_seed_and_step_alone(prepare: Prepare) -> None:
    through, jumped = prepare(), prepare()
    through.module.eval()
    jumped.module.eval()
    for step in range(9):
        last = through.loss(step)
    assert torch.equal(jumped.loss(8), last)


def test_documents_held_out_are_not_trained_on_and_there_may_be_none(prepare: Prepare) -> None:
    task = prepare()
    assert (len(task._train), len(task._dev)) == (48, 16)
    everything = prepare(held_out=0.0)
    assert (len(everything._train), len(everything._dev)) == (64, 0)
    assert everything.evaluate() == {}
    assert not len(everything.tagger().curve.probabilities)


def test_words_may_have_vectors_of_an_encoder(prepare: Prepare, tmp_path: Path) -> None:
    task = prepare(encoder="ngram")
    task.save(tmp_path / "model", card="", training={})
    opened = Tagger.open(tmp_path / "model")
    assert opened.vectors.fixed.encoder is not None
    assert opened.recognise([Document("d", TEXT)])[0].text == TEXT
    manifest = tmp_path / "model" / "model.toml"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(text.replace(opened.vectors.fixed.encoder.digest, "other"), encoding="utf-8")
    with pytest.raises(MismatchError, match="was trained with encoder 'ngram'"):
        Tagger.open(tmp_path / "model")


def test_an_encoder_named_by_its_path_comes_along(prepare: Prepare, tmp_path: Path) -> None:
    encoder = shutil.copytree(SHIPPED / "ngram", tmp_path / "mine")
    prepare(encoder=str(encoder)).save(tmp_path / "model", card="", training={})
    shutil.rmtree(encoder)
    assert Tagger.open(tmp_path / "model").recognise([Document("d", TEXT)])[0].text == TEXT


def test_words_may_have_vectors_learnt_from_texts(prepare: Prepare, tmp_path: Path) -> None:
    task = prepare(contexts={"texts": [str(tmp_path / "both.txt")], "dimensions": 4, "words": 30})
    tagger = trained(task, 3).tagger()
    tagger.save(tmp_path / "model", gazetteers=["ills"])
    opened = Tagger.open(tmp_path / "model")
    assert opened.vectors.fixed.dimensions == 4
    assert opened.vectors.of(["seen"])[0, -4:].any()
    assert opened.vectors.of(["seen"]) == pytest.approx(tagger.vectors.of(["seen"]), abs=1e-3)
    assert any("both.txt" in name for name in task.data)


def test_mentions_of_types_that_no_terminology_has_are_left_out(prepare: Prepare, tmp_path: Path) -> None:
    trained(prepare()).save(tmp_path / "model", card="", training={})

    def types(*there: str) -> set[str]:
        names = [TerminologyNames(lambda forms, level: None, str, lambda row: "", frozenset(there))]  # type: ignore[arg-type, return-value]
        recogniser = open_recogniser(tmp_path / "model", names)
        [document] = recogniser.recognise([Document("d", TEXT)])
        assert {mention.type for mention in document.mentions} == recogniser.types
        return set(recogniser.types)

    assert types("disease", "Gene") == {"Disease"}
    assert types("Gene") == types() == {"Chemical", "Disease"}


def test_corpora_without_mentions_are_refused(prepare: Prepare, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no mention of type Gene is annotated in it"):
        prepare(sources=[{"corpora": [str(tmp_path / "both.txt")], "types": ["Gene"]}])
    with pytest.raises(DataError, match="expected different names"):
        prepare(gazetteers=[{"name": "a", "terminologies": []}] * 2)


def test_what_is_no_recogniser_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        UnknownNameError, match=r"Unknown recogniser 'dictionery'\. Did you mean 'dictionary'"
    ):
        open_recogniser("dictionery", [])
    with pytest.raises(StoreError, match="no such directory"):
        open_recogniser(tmp_path / "nothing", [])
    with pytest.raises(MismatchError, match="of kind 'ngram'; expected a recogniser: tagger"):
        open_recogniser("ngram", [])

"""The baseline of `accurate_cv.py` is the first reranker as it is, and its averaged encoder lies between the two."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.torch

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")

from accurate_cv import all_lists, first_examples  # noqa: E402
from accurate_encoder import WEIGHTS, averaged  # noqa: E402
from safetensors.torch import load_file, save_file  # noqa: E402
from tests.train.tasks import first_rerankers  # noqa: E402

from linnet.encode.named_models import SHIPPED  # noqa: E402
from linnet.io.settings_files import settings_from  # noqa: E402
from linnet.train.tasks.listwise import ListwiseSettings, fold_examples, open_crossfit  # noqa: E402
from linnet.train.tasks.second_encoder import SecondEncoderSettings, examples_of_lists  # noqa: E402
from linnet.types import Concept  # noqa: E402

CONCEPTS = [
    Concept("T:0", "kidney failure", ("renal failure",), ("Disease",)),
    Concept("T:1", "renal cyst", (), ("Disease",)),
    Concept("T:2", "gout", ("podagra",), ("Disease",)),
]
SENTENCES = [("He had renal failures.", "renal failures", "T:0"), ("His toe showed gout.", "gout", "T:2")]


@pytest.fixture
def settings(tmp_path: Path) -> SecondEncoderSettings:
    data = {**first_rerankers.data(tmp_path, candidates=1), "encoder": "ngram"}
    first_rerankers.fill(tmp_path, CONCEPTS, SENTENCES, data)
    second = {"first": str(tmp_path / "first"), "second": str(SHIPPED / "ngram"), "found": 2}
    table = {"task": "second-encoder", "output": str(tmp_path / "model"), "data": {**data, **second}}
    return settings_from(table, SecondEncoderSettings)


def test_the_baseline_has_the_features_of_the_first_reranker_alone(settings: SecondEncoderSettings) -> None:
    crossfit = open_crossfit(settings.data, threads=1)
    listwise = ListwiseSettings(task="listwise", output=settings.output, data=settings.data)
    expected = fold_examples(listwise, crossfit)
    parts = {fold: iter(own) for fold, own in expected.items()}
    for of_list in examples_of_lists(settings, crossfit):
        alone = first_examples(of_list)
        own = next(parts[of_list.lists.fold])
        np.testing.assert_array_equal(alone.features, own.features)
        np.testing.assert_array_equal(alone.right, own.right)
    lists = all_lists(settings, crossfit)
    assert lists.alone.features.shape[:2] == (len(lists.fold), 1)
    assert lists.both.features.shape[:2] == (len(lists.fold), 3)


def test_a_mention_is_unseen_where_no_other_fold_has_its_text(settings: SecondEncoderSettings) -> None:
    lists = all_lists(settings, open_crossfit(settings.data, threads=1))
    assert not lists.unseen.any()  # both phrases come in every fold
    assert lists.known.all()


def test_weights_are_the_mean_of_both_and_what_one_lacks_stays(tmp_path: Path) -> None:
    first, second = {"a": torch.tensor([0.0, 2.0]), "own": torch.ones(1)}, {"a": torch.tensor([1.0, 0.0])}
    for name, weights in (("first", first), ("second", second)):
        (tmp_path / name).mkdir()
        save_file(weights, tmp_path / name / WEIGHTS)
    (tmp_path / "first/config.json").write_text("{}")
    mean = load_file(averaged(tmp_path / "first", tmp_path / "second", tmp_path / "out") / WEIGHTS)
    assert {name: values.tolist() for name, values in mean.items()} == {"a": [0.5, 1.0], "own": [1.0]}
    assert (tmp_path / "out/config.json").is_file()

"""Masked-language modelling as a task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linnet.encode import load_encoder
from linnet.encode.model import open_model
from linnet.errors import DataError, RequestError

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")

from tests.train.interrupting import StopAt, save_weights  # noqa: E402

from linnet.io.settings_files import settings_from  # noqa: E402
from linnet.train.learners.transformer import TransformerLearner, TransformerSettings  # noqa: E402
from linnet.train.run import run as train_run  # noqa: E402
from linnet.train.tasks.masked_language import MaskedLanguageSettings, MaskedLanguageTask  # noqa: E402

pytestmark = pytest.mark.torch

WHAT = ("fever", "pain", "gout", "a rash", "swelling", "numbness")
WHERE = ("arm", "leg", "hand", "foot", "back", "neck")
TEXTS = [
    f"The patient had {what} of the left {where}, then of the right {where}."
    for what in WHAT
    for where in WHERE
]
TINY: dict[str, Any] = {
    "kind": "transformer",
    "layers": 1,
    "width": 32,
    "heads": 2,
    "vocabulary": 80,
    "dropout": 0.0,
}


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texts.jsonl"
    lines = [f'{{"id": "{i}", "text": "{text}"}}\n' for i, text in enumerate(TEXTS)]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def settings(texts: Path, *, encoder: Mapping[str, Any] = {}, **data: Any) -> MaskedLanguageSettings:
    table = {
        "task": "masked-language",
        "output": "model",
        "encoder": {**TINY, **encoder},
        "data": {"texts": [str(texts)], "tokens": 16, "batch": 8, **data},
    }
    made: MaskedLanguageSettings = settings_from(table, MaskedLanguageSettings)
    return made


def prepared(texts: Path, **changes: Any) -> MaskedLanguageTask:
    return MaskedLanguageTask.prepare(settings(texts, **changes))


def trained(task: MaskedLanguageTask, steps: int) -> list[float]:
    optimiser, losses = task.optimiser(), []
    task.module.train()
    for step in range(steps):
        optimiser.zero_grad()
        loss = task.loss(step)
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    return losses


def test_training_lowers_the_loss_and_predicts_the_documents_held_out(texts: Path) -> None:
    task = prepared(texts, encoder={"learning_rate": 0.005}, held_out=0.2)

    def scores() -> dict[str, float]:
        task.module.eval()
        with torch.no_grad():
            return task.evaluate()

    before = scores()
    assert scores() == before
    losses = trained(task, 60)
    assert np.mean(losses[-10:]) < 0.6 * np.mean(losses[:5])
    after = scores()
    assert list(after) == ["masked-log-likelihood", "masked-accuracy"]
    assert after["masked-accuracy"] > before["masked-accuracy"] + 0.2
    assert 0 > after["masked-log-likelihood"] > before["masked-log-likelihood"] + 0.5


def test_special_tokens_are_never_masked_and_nothing_becomes_one(tmp_path: Path) -> None:
    path = tmp_path / "texts.txt"
    path.write_text(
        "[SEP] fever [MASK] of the [UNK] arm and [PAD] pain of the leg and back", encoding="utf-8"
    )
    task = prepared(path, masked=1.0, tokens=32)
    special = task.module.encoder.tokenizer.all_special_ids
    mask = task.module.encoder.tokenizer.mask_token_id
    for step in range(20):
        batch = task.masked_batch(np.array([0]), np.random.default_rng(step))
        assert not np.isin(batch.targets, special).any()
        read = batch.ids.ravel()[batch.positions]
        assert not np.isin(read[read != mask], special).any()
        assert (batch.ids[0, 0], batch.ids[0, -1]) == (special_id(task, "cls"), special_id(task, "sep"))


def special_id(task: MaskedLanguageTask, role: str) -> int:
    return int(getattr(task.module.encoder.tokenizer, f"{role}_token_id"))


def test_a_batch_depends_on_the_step_alone(texts: Path) -> None:
    through, jumped = prepared(texts), prepared(texts)
    trained(through, 6)
    jumped.module.load_state_dict(through.module.state_dict())
    for step in (6, 7, 11):
        assert torch.equal(through.loss(step), jumped.loss(step))
    assert not torch.equal(through.loss(6), through.loss(7))


def test_a_pass_has_each_sequence_once_and_documents_held_out_are_never_trained_on(texts: Path) -> None:
    task = prepared(texts, held_out=0.25, batch=9, tokens=10)
    documents = task.sequences.documents
    held = set(documents[task._dev])
    assert len(held) == round(0.25 * len(TEXTS))
    assert not held & set(documents[task._train])
    assert len(task._train) + len(task._dev) == len(task.sequences)
    assert task.steps_of_pass() == len(task._train) // 9
    rows = np.concatenate([task._epochs.rows(step) for step in range(task.steps_of_pass())])
    assert len(np.unique(rows)) == len(rows) == task.steps_of_pass() * 9


def test_without_documents_held_out_there_are_no_scores(texts: Path) -> None:
    assert prepared(texts).evaluate() == {}


def test_the_logits_of_mixed_precision_are_float32(texts: Path) -> None:
    task = prepared(texts)
    with torch.autocast("cpu", torch.bfloat16):
        loss = task.loss(0)
    assert loss.dtype == torch.float32
    loss.backward()
    assert all(parameter.grad is not None for parameter in task.module.parameters())


def test_tensors_are_made_on_the_device_of_the_network(texts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = prepared(texts)
    network = task.module.encoder.network
    forward = network.forward
    # transformers looks at the mask's values, and this device has none.
    monkeypatch.setattr(network, "forward", lambda input_ids, attention_mask: forward(input_ids=input_ids))
    task.module.to("meta")
    assert task.loss(0).device.type == "meta"


def test_an_interrupted_run_ends_with_the_same_weights(texts: Path) -> None:
    folder = texts.parent
    weights = []
    for name, at in (("whole", None), ("cut", 5)):
        file = folder / f"{name}.toml"
        file.write_text(
            f"""
task = "masked-language"
output = "{name}"
loop = {{ passes = 3, checkpoint_minutes = 10.0, evaluate_every = 4, threads = 1, clip = 1.0 }}
encoder = {{ kind = "transformer", layers = 1, width = 16, heads = 2, vocabulary = 60, learning_rate = 0.01 }}
data = {{ texts = ["texts.jsonl"], tokens = 16, batch = 9, held_out = 0.1 }}
""",
            encoding="utf-8",
        )
        with pytest.MonkeyPatch.context() as patch, torch.random.fork_rng(devices=[]):
            patch.setattr(TransformerLearner, "save", save_weights)
            if at is not None:
                stopped = train_run(file, progress=StopAt(at)).trained
                assert (stopped.ending, stopped.step) == ("interrupted", at)
            done = train_run(file, resume=at is not None)
        assert done.trained.ending == "steps"
        assert done.trained.step == done.settings.loop.steps > 5
        weights.append((folder / name / "weights").read_bytes())
    assert weights[0] == weights[1]


def test_the_model_is_an_encoder_of_names_and_a_start_for_further_training(
    texts: Path, tmp_path: Path
) -> None:
    pytest.importorskip("onnxscript", reason="needs the train extra")
    task = prepared(texts)
    trained(task, 2)
    task.save(tmp_path / "model", card="# Tiny\n", training={"seed": 0})
    task.module.eval()
    with torch.no_grad():
        expected = task.module.encoder(["fever"]).numpy()
    assert np.allclose(load_encoder(tmp_path / "model").encode(["fever"]), expected, atol=1e-4)
    training = open_model(tmp_path / "model").training
    assert training["sequences"] == len(task.sequences)
    assert training["word_pieces"] + training["word_pieces_left_out"] == len(task.sequences.pieces)

    aligned = TransformerLearner(TransformerSettings(start=tmp_path / "model"), [], seed=0).eval()
    with torch.no_grad():
        assert np.allclose(aligned(["fever"]).numpy(), expected, atol=1e-5)
    again = prepared(texts, encoder={"start": str(tmp_path / "model")})
    assert "start" in again.inputs()
    assert np.isfinite(trained(again, 1)).all()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"masked": 0.0}, r"'masked' is 0\.0; expected more than 0, at most 1"),
        ({"masked": 1.5}, r"'masked' is 1\.5; expected more than 0, at most 1"),
        ({"tokens": 9}, "'tokens' is 9; expected 10 or more"),
        ({"batch": 0}, "'batch' is 0; expected 1 or more"),
        ({"held_out": 1.0}, r"'held_out' is 1\.0; expected 0 to less than 1"),
    ],
)
def test_unusable_settings_are_refused(texts: Path, data: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        settings(texts, **data)


def test_no_file_is_refused() -> None:
    table = {"task": "masked-language", "output": "model", "encoder": TINY, "data": {"texts": []}}
    with pytest.raises(DataError, match="'texts' is empty; expected at least one file"):
        settings_from(table, MaskedLanguageSettings)


def test_another_kind_of_encoder_is_refused(texts: Path) -> None:
    with pytest.raises(DataError, match=r"'encoder\.kind' is 'ngram'; expected 'transformer'"):
        settings(texts, encoder={"kind": "ngram"})


def test_sequences_longer_than_the_transformer_can_read_are_refused(texts: Path) -> None:
    with pytest.raises(RequestError, match=r"'data\.tokens' is 513; this transformer has only 512 positions"):
        prepared(texts, tokens=513)


def test_texts_that_are_too_short_or_missing_are_refused(tmp_path: Path) -> None:
    short = tmp_path / "short.txt"
    short.write_text("gout", encoding="utf-8")
    with pytest.raises(
        DataError,
        match=r"no document of data\.texts has a sequence with 8 word pieces.*Name files with longer",
    ):
        prepared(short)
    with pytest.raises(DataError, match="no such file"):
        prepared(tmp_path / "missing.txt")


def test_the_only_document_cannot_be_held_out(tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    path.write_text(TEXTS[0] + " " + TEXTS[1], encoding="utf-8")
    with pytest.raises(DataError, match=r"only one document.*leave 'data.held_out' out"):
        prepared(path, held_out=0.1)


def test_a_file_is_named_once(tmp_path: Path) -> None:
    path = tmp_path / "texts" / "one.txt"
    path.parent.mkdir()
    path.write_text(TEXTS[0], encoding="utf-8")
    made = settings(path)
    for twice in ([path, path], [path.parent, path]):
        with pytest.raises(DataError, match=r"names .*one\.txt more than once; expected each file once"):
            MaskedLanguageTask.prepare(replace(made, data=replace(made.data, texts=tuple(twice))))

"""Transformers without torch: pooling, batches and exports of a tiny random BERT."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from linnet.encode import encoder_digest, load_encoder, unit
from linnet.encode.transformer import TransformerEncoder
from linnet.errors import DamagedError, MissingExtraError, StoreError, UnknownNameError

pytestmark = pytest.mark.torch

NAMES = ["fever", "high fever", "", "pain in the left arm and the right arm", "fever", "arm " * 60]


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of Hugging Face's form, with linnet's export in it."""
    torch = pytest.importorskip("torch", reason="needs the train extra")
    transformers = pytest.importorskip("transformers", reason="needs the train extra")
    pytest.importorskip("onnxscript", reason="needs the train extra")
    directory = tmp_path_factory.mktemp("bert")
    words = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        "fever",
        "high",
        "pain",
        "in",
        "the",
        "left",
        "arm",
    ]
    (directory / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=32,
    )
    transformers.BertModel(config).save_pretrained(directory)
    transformers.BertTokenizerFast(str(directory / "vocab.txt")).save_pretrained(directory)
    TransformerEncoder.load(directory)
    return directory


def states_of(bert: Path, text: str, *, max_length: int = 25) -> np.ndarray:
    """(tokens, D) what torch computes."""
    import torch
    import transformers

    network = transformers.AutoModel.from_pretrained(bert).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(bert)
    with torch.no_grad():
        tokens = tokenizer(text, truncation=True, max_length=max_length, return_tensors="pt")
        return network(**tokens).last_hidden_state[0].numpy()


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_vectors_are_those_of_torch(bert: Path, pooling: str) -> None:
    encoder = TransformerEncoder.load(bert, pooling=pooling)
    vectors = encoder.encode(NAMES)
    for name, vector in zip(NAMES, vectors, strict=True):
        states = states_of(bert, name)
        expected = states[0] if pooling == "cls" else states.mean(axis=0)
        np.testing.assert_allclose(vector, expected, atol=1e-4)


def test_the_pooling_is_that_of_the_models_own_settings(
    bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in_for_exporting(bert, monkeypatch)
    shutil.copytree(bert, tmp_path / "mean", ignore=shutil.ignore_patterns("linnet*"))
    (tmp_path / "mean" / "1_Pooling").mkdir()
    (tmp_path / "mean" / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": true}')
    mean = TransformerEncoder.load(bert, pooling="mean").encode(NAMES)
    assert (load_encoder(tmp_path / "mean").encode(NAMES) == mean).all()


def test_a_vector_does_not_depend_on_batch_or_threads(bert: Path) -> None:
    names = [" ".join(["fever"] * (i % 7 + 1)) + " arm" * (i % 3) for i in range(90)]
    whole = load_encoder(bert, threads=2).encode(names)
    alone = np.concatenate([load_encoder(bert, threads=1).encode([name]) for name in names[:20]])
    assert (whole[:20] == alone).all()
    assert whole.shape == (90, 16)
    assert whole.dtype == np.float32


def test_no_names_have_no_vectors(bert: Path) -> None:
    assert load_encoder(bert).encode([]).shape == (0, 16)


def test_int8_is_smaller_near_and_independent_of_the_batch(bert: Path) -> None:
    wide, narrow = TransformerEncoder.load(bert), TransformerEncoder.load(bert, precision="int8")
    vectors = narrow.encode(NAMES)
    assert np.mean(np.sum(unit(vectors) * unit(wide.encode(NAMES)), axis=1)) >= 0.98
    assert (vectors[:1] == narrow.encode(NAMES[:1])).all()
    assert narrow.digest != wide.digest


def test_an_export_says_nothing_of_the_machine_that_made_it(bert: Path) -> None:
    import linnet

    [graph] = sorted(bert.rglob("model.onnx"))[:1]
    source = str(Path(linnet.__file__).parent).encode()
    assert source not in graph.read_bytes()
    assert b"site-packages" not in graph.read_bytes()


def stand_in_for_exporting(bert: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Files written in place of exports, which take seconds each."""
    written: list[Path] = []

    def write(network: object, file: Path) -> None:
        written.append(file)
        shutil.copyfile(bert / "linnet" / "model.onnx", file)

    monkeypatch.setattr("linnet.encode.export.write_onnx", write)
    return written


def test_an_export_is_made_once_and_again_when_the_settings_change(
    bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exports = stand_in_for_exporting(bert, monkeypatch)
    source = tmp_path / "model"
    shutil.copytree(bert, source)
    first = load_encoder(source)
    assert load_encoder(source / "linnet").digest == first.digest
    assert exports == []
    config = source / "config.json"
    config.write_text(config.read_text(encoding="utf-8") + " ", encoding="utf-8")
    again = load_encoder(source)
    load_encoder(source)
    assert len(exports) == 1
    assert encoder_digest(source) == again.digest
    assert len(exports) == 1


def test_asking_for_the_digest_exports_as_opening_does(
    bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exports = stand_in_for_exporting(bert, monkeypatch)
    source = tmp_path / "model"
    shutil.copytree(bert, source, ignore=shutil.ignore_patterns("linnet*"))
    digest = encoder_digest(source)
    assert load_encoder(source).digest == digest
    assert len(exports) == 1


def test_a_directory_that_cannot_be_written_is_exported_into_the_cache(
    bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in_for_exporting(bert, monkeypatch)
    source = tmp_path / "readonly"
    shutil.copytree(bert, source, ignore=shutil.ignore_patterns("linnet*"))
    monkeypatch.setenv("LINNET_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(os, "access", lambda *_: False)
    encoder = load_encoder(source)
    assert not (source / "linnet").exists()
    assert len(list((tmp_path / "cache" / "models").glob("*/linnet/model.onnx"))) == 1
    assert encoder.dimensions == 16


def test_without_torch_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match="train"):
        load_encoder(tmp_path)


def test_a_hub_name_that_cannot_be_fetched_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("transformers", reason="needs the train extra")
    monkeypatch.setenv("LINNET_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(StoreError, match=r"nobody/no-such-model.*network connection"):
        load_encoder("nobody/no-such-model")
    assert not list(tmp_path.rglob("*.onnx"))


def test_a_damaged_export_is_refused(bert: Path, tmp_path: Path) -> None:
    shutil.copytree(bert / "linnet", tmp_path / "copy")
    file = tmp_path / "copy" / "model.onnx"
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(DamagedError, match=r"model\.onnx has .* bytes; expected"):
        load_encoder(tmp_path / "copy")


def test_unknown_settings_list_the_choices(bert: Path) -> None:
    with pytest.raises(UnknownNameError, match="cls, mean"):
        TransformerEncoder.load(bert, pooling="max")
    with pytest.raises(UnknownNameError, match="fp32, int8"):
        TransformerEncoder.load(bert, precision="int2")

"""Encoders by name: a model directory, a shipped model, or a transformer in Hugging Face's format."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from linnet.encode.encoder import Encoder
from linnet.encode.model import MANIFEST, REBUILD
from linnet.encode.named_models import absent_model, model_class, model_of_role, model_place
from linnet.encode.two_tower import is_tower
from linnet.errors import MismatchError, StoreError

__all__ = ["encoder_digest", "encoder_of_model", "encoders", "load_encoder"]

_ROLE = "an encoder"

# Kind in model.toml → module and class, imported on first use: onnxruntime takes a while.
encoders: dict[str, str] = {
    "ngram": "linnet.encode.ngram:NgramEncoder",
    "transformer": "linnet.encode.transformer:TransformerEncoder",
}


def load_encoder(name_or_path: str | Path, *, threads: int | None = None) -> Encoder:
    """Open an encoder.

    name_or_path  a model directory, a directory of a Hugging Face transformer, the name of a shipped model, or a name
                  on the Hugging Face hub such as "cambridgeltl/SapBERT-from-PubMedBERT-fulltext"
    threads       cores that a transformer uses, None for all; vectors do not depend on it

    A transformer without ONNX weights is exported once, beside its weights or into the cache (`TransformerEncoder`).
    Raises UnknownNameError for an unknown name, StoreError, DamagedError or MismatchError for an unusable directory,
    MissingExtraError where an export needs the `train` extra.
    """
    path = _model_directory(name_or_path)
    if path is not None:
        return model_class(path, _ROLE, encoders).open(path, threads=threads)  # type: ignore[no-any-return]
    from linnet.encode.transformer import TransformerEncoder

    encoder: Encoder = TransformerEncoder.load(str(name_or_path), threads=threads)
    return encoder


def encoder_of_model(path: Path, options: Mapping[str, Any], *, threads: int | None = None) -> Encoder | None:
    """The encoder that a model was trained with, by its options `encoder` and `encoder_digest`; None if it has none.

    path  of the model; the encoder in its folder `encoder`, if there is one, counts before the name

    Raises as `load_encoder`, and MismatchError if the encoder of that name has changed.
    """
    name = options.get("encoder")
    if not name:
        return None
    own = path / "encoder"
    encoder = load_encoder(own if own.is_dir() else str(name), threads=threads)
    if encoder.digest != options.get("encoder_digest"):
        raise MismatchError(
            f"{path} was trained with encoder '{name}' (digest {options.get('encoder_digest')}); "
            f"the one of that name now has digest {encoder.digest}.",
            REBUILD,
        )
    return encoder


def encoder_digest(name_or_path: str | Path) -> str:
    """The digest of the encoder that `load_encoder` opens, from its `model.toml`: no weights are read, and none are checked.

    A transformer without ONNX weights is exported, as by `load_encoder`. Raises as `load_encoder`, but for weights that cannot
    be used.
    """
    path = _model_directory(name_or_path)
    if path is None:
        from linnet.encode.export import Settings, exported

        path = exported(str(name_or_path), Settings())
    return model_of_role(path, _ROLE, encoders).digest


def _model_directory(name_or_path: str | Path) -> Path | None:
    """The model directory that is meant; None for a transformer in Hugging Face's format. Raises as `load_encoder`."""
    name, path = str(name_or_path), model_place(name_or_path)
    if (path / MANIFEST).is_file():
        return path
    if is_tower(path):
        raise StoreError(
            f"{path} is one tower of the two-tower model {path.parent}, kept to train it further. It reads names between "
            f"markers that an encoder of names does not write. Use {path.parent}."
        )
    if path.is_dir() and not (path / "config.json").is_file():
        raise StoreError(f"{path} is not a model: it has neither {MANIFEST} nor config.json. Check the path.")
    if not path.is_dir() and (isinstance(name_or_path, Path) or not _may_be_on_hub(name)):
        raise absent_model(name_or_path, "encoder", encoders, ["DIRECTORY", "ORGANISATION/MODEL"])
    return None


def _may_be_on_hub(name: str) -> bool:
    """Whether a name has the form ORGANISATION/MODEL."""
    parts = name.split("/")
    return len(parts) == 2 and all(part and not part.startswith(".") for part in parts)

"""Model directories.

    model.toml             kind, name, dimensions, digest, the kind's options, training, checksums
    README.md              model card: data, licences, results; free to edit
    weights.safetensors    and/or model.onnx, tokenizer.json, as the kind needs

They contain no code and no pickle.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from linnet.advice import Step
from linnet.errors import DamagedError, LinnetError, MismatchError, StoreError
from linnet.io import artifact
from linnet.io.toml import to_toml

__all__ = ["CARD", "FORMAT_VERSION", "MANIFEST", "Model", "open_model", "opening_weights", "write_model"]

MANIFEST = "model.toml"
CARD = "README.md"
FORMAT_VERSION = 1
REBUILD = Step.MODEL_AGAIN()


@dataclass(frozen=True, slots=True)
class Model:
    """The content of `model.toml`.

    kind           decides the class that reads it ("ngram", "transformer")
    name           for messages and manifests
    dimensions     length of its vectors
    normalisation  of a text ("simplify", or "tokenizer" for the tokenizer's own)
    options        settings of the kind: numbers, strings, booleans and lists of them
    training       the training run's manifest: run file, seeds, digests of the data, versions …; may be nested
    digest         changes with the vectors; if "", `write_model` computes it from options and files
    """

    kind: str
    name: str
    dimensions: int
    normalisation: str
    options: Mapping[str, Any] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)
    digest: str = ""


def write_model(path: str | Path, model: Model, *, fill: Callable[[Path], None], card: str = "") -> Model:
    """Write a model directory atomically, replacing an earlier one.

    fill  writes weights and tokenizer into the given directory
    card  text of the model card; by default a heading and the facts of `model`

    Returns the model with its digest. Raises StoreError where the disk refuses.
    """
    with artifact.replacing_directory(path) as draft:
        fill(draft)
        files = sorted(file for file in draft.rglob("*") if file.is_file() and file.name != CARD)
        head = json.dumps(
            [model.kind, model.dimensions, model.normalisation, dict(model.options)], sort_keys=True
        )
        digest = model.digest or artifact.digest(head, *files)
        table = {
            "format": FORMAT_VERSION,
            "kind": model.kind,
            "name": model.name,
            "dimensions": model.dimensions,
            "normalisation": model.normalisation,
            "digest": digest,
            "options": dict(model.options),
            "training": dict(model.training),
            "files": artifact.describe(draft, files),
        }
        (draft / MANIFEST).write_text(to_toml(table), encoding="utf-8")
        (draft / CARD).write_text(card or _card(model), encoding="utf-8")
    return replace(model, digest=digest)


def open_model(path: str | Path, *, kind: str | None = None, checked: bool = True) -> Model:
    """Read and check a model directory.

    checked  verify the checksums of its files; otherwise only `model.toml` is read

    Raises StoreError where there is no model, DamagedError where files are missing or altered, MismatchError for another
    format version or kind.
    """
    directory = Path(path)
    file = directory / MANIFEST
    try:
        table = _parsed(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        reason = "no such directory" if not directory.exists() else f"it has no {MANIFEST}"
        raise StoreError(f"{directory} is not a model: {reason}. Check the path.") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DamagedError(f"{file} cannot be read: {error}.", REBUILD) from None
    if table.get("format") != FORMAT_VERSION:
        raise MismatchError(
            f"{directory} has model format {table.get('format')}; this linnet reads {FORMAT_VERSION}.",
            REBUILD,
        )
    try:
        model = Model(
            kind=str(table["kind"]),
            name=str(table["name"]),
            dimensions=int(table["dimensions"]),
            normalisation=str(table["normalisation"]),
            options=dict(table["options"]),
            training=dict(table["training"]),
            digest=str(table["digest"]),
        )
        if checked:
            artifact.check(directory, {"files": dict(table["files"])}, rebuild=REBUILD)
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedError(f"{file} is damaged: {error!r}.", REBUILD) from None
    if kind is not None and model.kind != kind:
        raise MismatchError(f"{directory} holds a model of kind '{model.kind}'; expected '{kind}'.")
    return model


@lru_cache(maxsize=16)
def _parsed(text: str) -> Mapping[str, Any]:
    """The table of a `model.toml`, which nobody changes: opening a linker asks for each model's several times."""
    return tomllib.loads(text)


def _card(model: Model) -> str:
    return f"# {model.name}\n\nA linnet model of kind `{model.kind}`, {model.dimensions} dimensions.\n"


@contextmanager
def opening_weights(directory: Path) -> Iterator[None]:
    """For a block that opens graphs and tokenizers: raise DamagedError for what ONNX Runtime and tokenizers raise, which are
    exceptions of their own that derive from Exception only. linnet's errors pass."""
    try:
        yield
    except LinnetError:
        raise
    except Exception as error:
        raise DamagedError(f"{directory} cannot be used: {error}", REBUILD) from None

"""An encoder by name: a model directory, a shipped model, or a transformer of Hugging Face's form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from linnet.encode.encoder import Encoder
from linnet.encode.model import MANIFEST, open_model
from linnet.errors import MismatchError, StoreError, UnknownNameError
from linnet.imports import imported

__all__ = ["SHIPPED", "encoder_kind", "encoders", "load_encoder", "model_place"]

# Kind in model.toml → module and class. Imported when first used: onnxruntime takes a while.
encoders: dict[str, str] = {
    "ngram": "linnet.encode.ngram:NgramEncoder",
    "transformer": "linnet.encode.transformer:TransformerEncoder",
}
# Models in the package; each folder's name is the model's name.
SHIPPED = Path(__file__).parents[1] / "models"


def load_encoder(name_or_path: str | Path, *, threads: int | None = None) -> Encoder:
    """Open an encoder.

    name_or_path  a model directory, a directory of a Hugging Face transformer, the name of a shipped model, or a name
                  on the Hugging Face hub such as "cambridgeltl/SapBERT-from-PubMedBERT-fulltext"
    threads       cores a transformer uses, None for all available; vectors do not depend on it

    A transformer without ONNX weights is exported once, next to its weights or in the cache (`TransformerEncoder`).
    Raises UnknownNameError for a name that is none of these, StoreError, DamagedError or MismatchError where the
    directory cannot be used, MissingExtraError where an export needs the `train` extra.
    """
    name, path = str(name_or_path), model_place(name_or_path)
    if (path / MANIFEST).is_file():
        kind = encoder_kind(open_model(path, checked=False).kind, path)
        return kind.open(path, threads=threads)  # type: ignore[no-any-return]
    if path.is_dir() and not (path / "config.json").is_file():
        raise StoreError(f"{path} is not a model: it has neither {MANIFEST} nor config.json. Check the path.")
    if not path.is_dir() and (isinstance(name_or_path, Path) or not _may_be_on_hub(name)):
        if path.is_absolute() or name.startswith(".") or name.count("/") > 1:
            raise StoreError(f"{path} is not a model: no such directory. Check the path.")
        raise UnknownNameError("encoder", name, [*_shipped_names(), "DIRECTORY", "ORGANISATION/MODEL"])
    from linnet.encode.transformer import TransformerEncoder

    encoder: Encoder = TransformerEncoder.load(name, threads=threads)
    return encoder


def model_place(name_or_path: str | Path) -> Path:
    """The directory a name or path stands for, whether or not there is a model.

    A string that is the name of a shipped model means that one, also where the working directory has a folder of this name
    (write ./ngram for the folder); a `Path` means the folder if there is one.
    """
    name, path = str(name_or_path), Path(name_or_path)
    shipped = SHIPPED / name
    named = isinstance(name_or_path, str) or not path.is_dir()
    return shipped if named and "/" not in name and (shipped / MANIFEST).is_file() else path


def encoder_kind(kind: str, path: Path) -> Any:
    """The class for a kind. Raises MismatchError for one that this version does not know."""
    if kind not in encoders:
        raise MismatchError(
            f"{path} holds a model of kind '{kind}'; this linnet knows {', '.join(sorted(encoders))}. Update linnet."
        )
    return imported(encoders[kind])


def _may_be_on_hub(name: str) -> bool:
    """Whether a name has the form ORGANISATION/MODEL."""
    parts = name.split("/")
    return len(parts) == 2 and all(part and not part.startswith(".") for part in parts)


def _shipped_names() -> list[str]:
    """Names of the models in the package that encode."""
    folders = (file.parent for file in sorted(SHIPPED.glob(f"*/{MANIFEST}")))
    return [folder.name for folder in folders if open_model(folder, checked=False).kind in encoders]

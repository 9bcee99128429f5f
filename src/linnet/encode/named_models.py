"""Models by name: shipped models and directories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from linnet.encode.model import MANIFEST, Model, open_model
from linnet.errors import LinnetError, MismatchError, StoreError, UnknownNameError
from linnet.registry import imported, refuse_removed

__all__ = ["SHIPPED", "absent_model", "model_class", "model_of_role", "model_place"]

# Shipped models; a folder's name is the model's name.
SHIPPED = Path(__file__).parents[1] / "models"


def model_place(name_or_path: str | Path) -> Path:
    """The directory that a name or path stands for, which need not exist.

    The name of a shipped model, as a string, takes precedence over a folder of that name in the working directory (write
    ./ngram for the folder); a `Path` means an existing folder first.
    """
    name, path = str(name_or_path), Path(name_or_path)
    shipped = SHIPPED / name
    named = isinstance(name_or_path, str) or not path.is_dir()
    return shipped if named and "/" not in name and (shipped / MANIFEST).is_file() else path


def model_class(path: Path, role: str, kinds: Mapping[str, str]) -> Any:
    """The class for the model in a directory; arguments and errors as of `model_of_role`."""
    return imported(kinds[model_of_role(path, role, kinds).kind])


def model_of_role(path: Path, role: str, kinds: Mapping[str, str]) -> Model:
    """The `model.toml` of a directory; its weights are not read.

    role   expected: "an encoder", "a reranker", "a recogniser"
    kinds  kind in model.toml → "module:class"

    Raises as `open_model`, and MismatchError for another kind, with advice for one that linnet had once.
    """
    model = open_model(path, checked=False)
    for kind in (model.kind, model.options.get("body")):
        refuse_removed(f"{path} holds a model of kind", kind)
    if model.kind not in kinds:
        raise MismatchError(
            f"{path} holds a model of kind '{model.kind}'; expected {role}: {', '.join(sorted(kinds))}. "
            f"Name the directory of {role}, or update linnet."
        )
    return model


def absent_model(
    name_or_path: str | Path, role: str, kinds: Mapping[str, str], others: Sequence[str]
) -> LinnetError:
    """The error for a missing directory or unknown name; `others` are valid besides shipped models."""
    name = str(name_or_path)
    if isinstance(name_or_path, Path) or "/" in name or name.startswith("."):
        return StoreError(f"{name} is not a model: no such directory. Check the path.")
    folders = (file.parent for file in sorted(SHIPPED.glob(f"*/{MANIFEST}")))
    shipped = [folder.name for folder in folders if open_model(folder, checked=False).kind in kinds]
    return UnknownNameError(role, name, [*shipped, *others])

"""Models by name: those in the package, and directories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from linnet.encode.model import MANIFEST, open_model
from linnet.errors import LinnetError, MismatchError, StoreError, UnknownNameError
from linnet.registry import imported

__all__ = ["SHIPPED", "absent_model", "model_class", "model_place"]

# Models in the package; each folder's name is the model's name.
SHIPPED = Path(__file__).parents[1] / "models"


def model_place(name_or_path: str | Path) -> Path:
    """The directory a name or path stands for, whether or not there is a model.

    A string that is the name of a shipped model means that one, also where the working directory has a folder of this name
    (write ./ngram for the folder); a `Path` means the folder if there is one.
    """
    name, path = str(name_or_path), Path(name_or_path)
    shipped = SHIPPED / name
    named = isinstance(name_or_path, str) or not path.is_dir()
    return shipped if named and "/" not in name and (shipped / MANIFEST).is_file() else path


def model_class(path: Path, role: str, kinds: Mapping[str, str]) -> Any:
    """The class for the model in a directory.

    role   what it has to be: "encoder", "reranker", "recogniser"
    kinds  kind in model.toml → "module:class"

    Raises StoreError or DamagedError where there is no model, MismatchError for one of another kind.
    """
    kind = open_model(path, checked=False).kind
    if kind not in kinds:
        raise MismatchError(
            f"{path} holds a model of kind '{kind}'; expected {role}: {', '.join(sorted(kinds))}. "
            f"Name the directory of {role}, or update linnet."
        )
    return imported(kinds[kind])


def absent_model(
    name_or_path: str | Path, role: str, kinds: Mapping[str, str], others: Sequence[str]
) -> LinnetError:
    """The error for a directory that does not exist, or a name that no model has; `others` may be named besides models."""
    name = str(name_or_path)
    if isinstance(name_or_path, Path) or "/" in name or name.startswith("."):
        return StoreError(f"{name} is not a model: no such directory. Check the path.")
    folders = (file.parent for file in sorted(SHIPPED.glob(f"*/{MANIFEST}")))
    shipped = [folder.name for folder in folders if open_model(folder, checked=False).kind in kinds]
    return UnknownNameError(role, name, [*shipped, *others])

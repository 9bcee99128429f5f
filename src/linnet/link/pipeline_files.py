"""Pipelines by name and from files: what `--pipeline NAME|FILE.toml` and `linnet.load(…, pipeline=…)` take.

A file is TOML and holds fields of `linnet.link.Pipeline`. Fields that it leaves out stay as the terminology has them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from linnet.encode.load import encoders
from linnet.encode.model import MANIFEST
from linnet.encode.named_models import SHIPPED, absent_model
from linnet.errors import DataError, RequestError, UnknownNameError
from linnet.io.settings_files import read_table, settings_and_mistakes
from linnet.link.pipeline import MODELS, Pipeline
from linnet.link.reader import KINDS
from linnet.recognise import recognisers, trained
from linnet.rerank import rerankers
from linnet.retrieve import retriever_class

__all__ = ["checked_fields", "pipelines", "read_pipeline"]

# Name → fields that differ from those of the terminology's own pipeline.
pipelines: dict[str, Mapping[str, Any]] = {
    "default": {},
    "accurate": {"reranker": "accurate"},
    "clinical": {"text_kind": "note"},
    "literature": {"text_kind": "article"},
    "no-memory": {"memory": False},
}

_OPTIONAL = ("encoder", "reranker", "calibrator")
# By field: kinds of models, and what it takes besides the names of shipped models, for messages.
_CHOICES: dict[str, tuple[Mapping[str, str], list[str]]] = {
    "encoder": (encoders, ["DIRECTORY", "ORGANISATION/MODEL"]),
    "recogniser": (trained, [*recognisers, "DIRECTORY"]),
    "reader": (KINDS, ["DIRECTORY"]),
    "reranker": (rerankers, ["none", "DIRECTORY"]),
}


def read_pipeline(name_or_path: str | Path) -> dict[str, Any]:
    """Fields of `Pipeline`, with their values, in which linking is to differ from the terminology's own pipeline.

    name_or_path  of `pipelines`, or a TOML file. A path in the file is relative to the file; `reranker = "none"` is no reranker

    Raises UnknownNameError for an unknown name, RequestError for what is neither name nor path, DataError that names the file
    and every key whose value cannot be used.
    """
    if not isinstance(name_or_path, str | Path):
        raise RequestError(
            f"'pipeline' is a name or a file; got {name_or_path!r}. Give single fields as options: linnet.load(…, memory=False)"
        )
    name, path = str(name_or_path), Path(name_or_path)
    # A word is a name, whatever lies in the working directory.
    if name in pipelines and (isinstance(name_or_path, str) or not path.is_file()):
        return dict(pipelines[name])
    if path.suffix != ".toml" and not path.is_file():
        raise UnknownNameError("pipeline", name, [*pipelines, "FILE.toml"])
    table = read_table(path)
    unlocated = _located(table, path)
    fields, mistakes = _checked(table)
    mistakes += [*unlocated, *([] if mistakes else _unknown_names(fields))]
    if mistakes:
        raise DataError("\n  ".join(["this pipeline cannot be used:", *mistakes]), path=path)
    return fields


def checked_fields(given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of `Pipeline` that a caller gives. Raises RequestError that names every value that cannot be used."""
    fields, mistakes = _checked(given)
    if mistakes:
        raise RequestError("\n  ".join(["this pipeline cannot be used:", *mistakes]))
    return fields


def _checked(given: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    table = {key: list(value) if isinstance(value, tuple) else value for key, value in given.items()}
    absent = [
        key
        for key in _OPTIONAL
        if key in table and (table[key] is None or (key == "reranker" and table[key] == "none"))
    ]
    values = {key: value for key, value in table.items() if key not in absent}
    pipeline, mistakes = settings_and_mistakes(values, Pipeline)
    if mistakes:
        return {}, mistakes
    return {key: None if key in absent else getattr(pipeline, key) for key in table}, []


def _located(table: dict[str, Any], file: Path) -> list[str]:
    """Replace the paths of models in `table`, which are relative to the file; a sentence for each that leads nowhere.

    A path below the working directory becomes relative to that, as an option would name it: both are then one pipeline.
    """
    mistakes = []
    for key in MODELS:
        value = table.get(key)
        if not isinstance(value, str) or not value or _is_name(key, value):
            continue
        place = os.path.abspath(file.absolute().parent / os.path.expanduser(value))  # noqa: PTH100, PTH111
        if Path(place).exists():
            relative = os.path.relpath(place)
            table[key] = place if relative.startswith("..") or _is_name(key, relative) else relative
        elif (
            key == "calibrator"
            or value.startswith((".", "~", "/"))
            or (key != "encoder" and "/" in value)
            or Path(value).exists()
        ):
            mistakes.append(
                f"'{key}' is '{value}'; expected a name, or a path relative to this file, and there is no {place}."
            )
    return mistakes


def _is_name(key: str, value: str) -> bool:
    """Whether a value is the name of a shipped model, or another one that the field knows."""
    shipped = "/" not in value and (SHIPPED / value / MANIFEST).is_file()
    return shipped or (key in _CHOICES and value in _CHOICES[key][1])


def _unknown_names(fields: Mapping[str, Any]) -> list[str]:
    """A sentence for each name that no retriever or model has."""
    mistakes = []
    for name in fields.get("retrievers", ()):
        try:
            retriever_class(name)
        except UnknownNameError as error:
            mistakes.append(f"'retrievers': {error}")
    for key, (kinds, others) in _CHOICES.items():
        value = fields.get(key)
        if value is not None and not (_is_name(key, value) or Path(value).exists() or "/" in value):
            mistakes.append(f"'{key}': {absent_model(value, key, kinds, others)}")
    return mistakes

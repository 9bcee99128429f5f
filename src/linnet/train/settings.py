"""Run files: TOML read into frozen dataclasses, with every mistake named at once.

A settings class is a frozen dataclass whose fields are numbers, strings, booleans, tuples of strings, paths, other
settings classes, or one of these or None. Keys that it does not have, values of the wrong kind and missing
required ones are all listed, each with the nearest valid key.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, asdict, fields, is_dataclass
from difflib import get_close_matches
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from linnet.errors import DataError
from linnet.files import read_text

__all__ = ["as_toml", "read_settings", "settings_from"]

T = TypeVar("T")


def read_settings(path: str | Path, kind: type[T]) -> T:
    """The settings in a TOML file. Raises DataError naming the file and every key that is wrong."""
    try:
        table = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"not valid TOML: {error}.", path=path) from None
    return settings_from(table, kind, path=path)


def settings_from(table: Mapping[str, Any], kind: type[T], *, path: str | Path | None = None) -> T:
    """The settings in a nested mapping. Raises DataError listing every mistake."""
    mistakes: list[str] = []
    made = _build(table, kind, "", mistakes)
    if mistakes:
        raise DataError("\n  ".join(["this run file cannot be used:", *mistakes]), path=path)
    return made  # type: ignore[no-any-return]


def as_toml(settings: Any) -> str:
    """The settings written out in full, in the form `read_settings` reads; None is left out."""
    return "".join(_tables(asdict(settings), ""))


def _build(table: Mapping[str, Any], kind: Any, where: str, mistakes: list[str]) -> Any:
    hints = get_type_hints(kind)
    known = {field.name: field for field in fields(kind)}
    for key in table:
        if key not in known:
            near = get_close_matches(key, known, n=1, cutoff=0.5)
            hint = f"did you mean '{where}{near[0]}'?" if near else f"valid here: {', '.join(known)}."
            mistakes.append(f"'{where}{key}' is not a key; {hint}")
    values: dict[str, Any] = {}
    for name, field in known.items():
        if name in table:
            values[name] = _convert(table[name], hints[name], f"{where}{name}", mistakes)
        elif field.default is MISSING and field.default_factory is MISSING:
            mistakes.append(f"'{where}{name}' is missing; expected {_describe(hints[name])}.")
    return None if mistakes else kind(**values)


def _convert(value: Any, hint: Any, where: str, mistakes: list[str]) -> Any:
    if get_origin(hint) in (Union, UnionType):
        [hint] = [option for option in get_args(hint) if option is not type(None)]
    if is_dataclass(hint):
        if isinstance(value, Mapping):
            return _build(value, hint, f"{where}.", mistakes)
    elif get_origin(hint) is tuple:
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
    elif hint is float and isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    elif hint is Path and isinstance(value, str):
        return Path(value)
    elif isinstance(hint, type) and isinstance(value, hint) and (hint is bool or not isinstance(value, bool)):
        return value
    mistakes.append(f"'{where}' is {value!r}; expected {_describe(hint)}.")
    return None


def _describe(hint: Any) -> str:
    if get_origin(hint) in (Union, UnionType):
        return _describe(next(option for option in get_args(hint) if option is not type(None)))
    if is_dataclass(hint):
        return "a table with " + ", ".join(field.name for field in fields(hint))
    if get_origin(hint) is tuple:
        return "a list of strings"
    return {float: "a number", int: "a whole number", bool: "true or false", str: "a string", Path: "a path"}[
        hint
    ]


def _tables(table: Mapping[str, Any], name: str) -> list[str]:
    plain = {
        key: value for key, value in table.items() if not isinstance(value, Mapping) and value is not None
    }
    lines = [f"{key} = {_literal(value)}\n" for key, value in plain.items()]
    head = [f"\n[{name}]\n"] if name and lines else []
    inner = [
        line
        for key, value in table.items()
        if isinstance(value, Mapping)
        for line in _tables(value, f"{name}.{key}" if name else key)
    ]
    return [*head, *lines, *inner]


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_literal, value)) + "]"
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'

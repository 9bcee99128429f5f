"""Run files and pipelines: TOML read into frozen dataclasses, with every mistake named at once.

A settings class is a frozen dataclass. A field is a number, string, boolean, `Literal`, path or settings class, a tuple or
mapping of these, or any of them or None. `Mapping[str, Any]` takes any table. A union of settings classes is resolved by the
table's `kind`. `Annotated[Mapping[str, Any], Checked(…)]` takes a table that a function checks.
Unknown keys, values of the wrong type and missing keys are all listed, unknown ones with the nearest valid key. Other
constraints are checked in `__post_init__`, which raises a ValueError that names the key.

A path is relative to its run file; `${NAME}` in it is an environment variable, `~` the home directory.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, asdict, dataclass, fields, is_dataclass
from difflib import get_close_matches
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from linnet.errors import DataError
from linnet.io.files import read_text

__all__ = [
    "Checked",
    "NameOrPath",
    "as_table",
    "check_at_least",
    "check_share",
    "portable",
    "read_settings",
    "read_table",
    "settings_and_mistakes",
    "settings_from",
    "variables_of",
]

T = TypeVar("T")


class NameOrPath(str):
    """A model in a run file: a directory, relative to the run file, if it exists; otherwise a name."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A check of a table: `mistakes(table, section)` returns a sentence for each mistake."""

    mistakes: Callable[[Mapping[str, Any], str], list[str]]


_VARIABLE = re.compile(r"\$\{(\w+)\}")
_NAMES = {
    float: "a number",
    int: "a whole number",
    bool: "true or false",
    str: "a string",
    Path: "a path",
    NameOrPath: "the name of a model or the path of one",
    Any: "any value",
}


def check_at_least(settings: Any, least: int, *names: str) -> None:
    """Raise ValueError where a field's value is less; None passes."""
    for name in names:
        value = getattr(settings, name)
        if value is not None and value < least:
            raise ValueError(f"'{name}' is {value}; expected {least} or more.")


def check_share(settings: Any, *names: str) -> None:
    """Raise ValueError where a field's value is not in [0, 1)."""
    for name in names:
        value = getattr(settings, name)
        if not 0 <= value < 1:
            raise ValueError(f"'{name}' is {value}; expected 0 to less than 1.")


def read_settings(path: str | Path, kind: type[T]) -> T:
    """The settings in a TOML file. Raises DataError naming the file and every key that is wrong."""
    return settings_from(read_table(path), kind, path=path)


def read_table(path: str | Path) -> dict[str, Any]:
    """The content of a TOML file. Raises DataError where it cannot be read or is not TOML."""
    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"not valid TOML: {error}.", path=path) from None


def settings_from(
    table: Mapping[str, Any], kind: type[T], *, path: str | Path | None = None, section: str = ""
) -> T:
    """The settings in a nested mapping.

    path     its file, for messages; paths in the mapping are relative to the file's folder, or unchanged without a file
    section  of the file, for messages

    Raises DataError listing every mistake.
    """
    made, mistakes = settings_and_mistakes(table, kind, path=path, section=section)
    if mistakes:
        raise DataError("\n  ".join(["this run file cannot be used:", *mistakes]), path=path)
    return made


def settings_and_mistakes(
    table: Mapping[str, Any], kind: type[T], *, path: str | Path | None = None, section: str = ""
) -> tuple[T, list[str]]:
    """As `settings_from`, with a sentence for each mistake; if there are any, the settings are unusable."""
    reader = _Reader(Path(path).parent if path is not None else None)
    made: T = reader.build(table, kind, f"{section}." if section else "")
    return made, reader.mistakes


def variables_of(path: str | Path) -> dict[str, str]:
    """The environment variables that a run file names, with their values; unset ones are left out."""
    return {name: os.environ[name] for name in _VARIABLE.findall(read_text(path)) if os.environ.get(name)}


def as_table(
    settings: Any, *, beside: Path | None = None, variables: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The settings as nested dictionaries of plain values; None is left out.

    beside     folder of the written table: absolute paths that share more than the root with it become relative, so that
               folder and data can move together
    variables  environment variables: a path that begins with a value is written with `${NAME}`
    """

    def plain(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: plain(item) for key, item in value.items() if item is not None}
        if isinstance(value, (list, tuple)):
            return [plain(item) for item in value]
        if isinstance(value, NameOrPath) and Path(value).is_absolute():
            value = Path(value)
        return portable(value, beside, variables or {}) if isinstance(value, Path) else value

    table: dict[str, Any] = plain(asdict(settings))
    return table


class _Reader:
    """Builds settings and collects mistakes."""

    def __init__(self, base: Path | None) -> None:
        self.base = base
        self.mistakes: list[str] = []

    def build(self, table: Mapping[str, Any], kind: Any, where: str) -> Any:
        hints = get_type_hints(kind, include_extras=True)
        known = {field.name: field for field in fields(kind)}
        before = len(self.mistakes)
        for key in table:
            if key not in known:
                near = get_close_matches(key, known, n=1, cutoff=0.5)
                hint = f"did you mean '{where}{near[0]}'?" if near else f"valid here: {', '.join(known)}."
                self.mistakes.append(f"'{where}{key}' is not a key; {hint}")
        values: dict[str, Any] = {}
        for name, field in known.items():
            if name in table:
                values[name] = self.convert(table[name], hints[name], f"{where}{name}")
            elif field.default is MISSING and field.default_factory is MISSING:
                self.mistakes.append(f"'{where}{name}' is missing; expected {_describe(hints[name])}.")
        if len(self.mistakes) > before:
            return None
        try:
            return kind(**values)
        except ValueError as error:
            self.mistakes.append(f"in [{where[:-1]}]: {error}" if where else str(error))
            return None

    def convert(self, value: Any, hint: Any, where: str) -> Any:
        options = _options(hint)
        if len(options) > 1:
            return self.choose(value, options, where)
        [hint] = options
        origin, inner = get_origin(hint), get_args(hint)
        if origin is Annotated:
            before = len(self.mistakes)
            made = self.convert(value, inner[0], where)
            if len(self.mistakes) == before:
                self.mistakes += [mistake for check in inner[1:] for mistake in check.mistakes(made, where)]
            return made
        if hint is Any:
            return value
        if is_dataclass(hint):
            if isinstance(value, Mapping):
                return self.build(value, hint, f"{where}.")
        elif origin is Literal:
            if value in inner:
                return value
        elif origin is tuple:
            if isinstance(value, list):
                return tuple(
                    self.convert(item, inner[0], f"{where}[{place}]") for place, item in enumerate(value)
                )
        elif origin is not None and issubclass(origin, Mapping):
            if isinstance(value, Mapping):
                return {key: self.convert(item, inner[1], f"{where}.{key}") for key, item in value.items()}
        elif hint is float and isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value)
        elif hint is Path and isinstance(value, str):
            return self.locate(value, where)
        elif hint is NameOrPath and isinstance(value, str):
            place = self.locate(value, where)
            return NameOrPath(place if place is not None and place.is_dir() else value)
        elif (
            isinstance(hint, type)
            and isinstance(value, hint)
            and (hint is bool or not isinstance(value, bool))
        ):
            return value
        self.mistakes.append(f"'{where}' is {value!r}; expected {_describe(hint)}.")
        return None

    def choose(self, value: Any, options: list[Any], where: str) -> Any:
        """The settings class that a table's `kind` names."""
        kinds = {_kind(option): option for option in options}
        if isinstance(value, Mapping) and value.get("kind") in kinds:
            return self.build(value, kinds[value["kind"]], f"{where}.")
        if isinstance(value, Mapping):
            problem = f"is {value['kind']!r}" if "kind" in value else "is missing"
            self.mistakes.append(f"'{where}.kind' {problem}; expected one of {', '.join(map(repr, kinds))}.")
        else:
            self.mistakes.append(f"'{where}' is {value!r}; expected a table.")
        return None

    def locate(self, written: str, where: str) -> Path | None:
        """The path that a string stands for."""
        unset = [name for name in _VARIABLE.findall(written) if not os.environ.get(name)]
        if unset:
            self.mistakes.append(
                f"'{where}' is {written!r}, and the environment variable {unset[0]} is not set. "
                f"Run: export {unset[0]}=DIRECTORY"
            )
            return None
        path = Path(_VARIABLE.sub(lambda match: os.environ[match[1]], written)).expanduser()
        return path if self.base is None else Path(os.path.abspath(self.base / path))  # noqa: PTH100


def _options(hint: Any) -> list[Any]:
    """The types of a field, besides None."""
    if get_origin(hint) in (Union, UnionType):
        return [option for option in get_args(hint) if option is not type(None)]
    return [hint]


def _kind(settings: Any) -> Any:
    return next(field.default for field in fields(settings) if field.name == "kind")


def _describe(hint: Any) -> str:
    options = _options(hint)
    if len(options) > 1:
        return f"a table whose kind is one of {', '.join(repr(_kind(option)) for option in options)}"
    [hint] = options
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _describe(inner[0])
    if is_dataclass(hint):
        return "a table with " + ", ".join(field.name for field in fields(hint))
    if origin is Literal:
        return "one of " + ", ".join(map(repr, inner))
    if origin is tuple:
        return f"a list, each {_describe(inner[0])}"
    if origin is not None:
        return "a table" if inner[1] is Any else f"a table, each {_describe(inner[1])}"
    return _NAMES[hint]


def portable(path: Path, beside: Path | None, variables: Mapping[str, str]) -> str:
    """A path as `as_table` writes it."""
    for name, value in variables.items():
        if path.is_relative_to(value):
            return f"${{{name}}}/{path.relative_to(value).as_posix()}".removesuffix("/.")
    if beside is None or not path.is_absolute() or path.parts[:2] != beside.absolute().parts[:2]:
        return path.as_posix()
    return Path(os.path.relpath(path, beside)).as_posix()

"""A project's attributes: their keys, and what annotations may have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Any, TypedDict

from linnet.annotate.refusals import Invalid
from linnet.read.assertion import ATTRIBUTES

__all__ = [
    "BUILT_IN",
    "Attribute",
    "Value",
    "Values",
    "changed_values",
    "check",
    "check_distinct",
    "check_restored",
    "guessed",
    "with_keys",
]

BUILT_IN = ATTRIBUTES
"""Flags that the assertion rules can guess."""
Value = bool | str
Values = dict[str, Value]
"""Name → true for a flag, else its value."""


# Meanings that fields of a mention have in exports.
_TAKEN = frozenset((
    "id", "document", "start", "end", "text", "type", "concepts", "concept", "identifier", "source", "confidence", "extra",
))  # fmt: skip


class Attribute(TypedDict):
    """A definition, as a project's row keeps it. values: [] for a flag; key: a letter, or ""; guess: by the assertion rules."""

    name: str
    values: list[str]
    key: str
    guess: bool


def check(name: str, values: Sequence[str], *, guess: bool) -> None:
    """Raise ValueError for a definition that makes no sense."""
    if name.casefold() in _TAKEN:
        raise ValueError(f"'{name}' has another meaning in export formats; choose another name")
    if len(values) == 1:
        raise ValueError(f"'{name}' has one value; give 2 to 20, or none for a flag")
    if len({value.casefold() for value in values}) < len(values):
        raise ValueError(f"'{name}' has a value twice")
    if guess and (name not in BUILT_IN or values):
        raise ValueError(f"only the flags {', '.join(BUILT_IN)} can be guessed; '{name}' cannot")


def check_distinct(attributes: Sequence[tuple[str, str]]) -> None:
    """Raise ValueError if two attributes, given as names and keys, have the same name or key."""
    names = [name.casefold() for name, _ in attributes]
    keys = [key for _, key in attributes if key]
    for what, items in (("name", names), ("key", keys)):
        if repeated := next((item for item in items if items.count(item) > 1), None):
            raise ValueError(f"two attributes have the {what} '{repeated}'")


def check_restored(attributes: Sequence[Attribute]) -> None:
    """Raise ValueError, KeyError or TypeError for definitions, from a file, that no linnet wrote."""
    for attribute in attributes:
        if attribute.keys() != Attribute.__annotations__.keys() or not isinstance(attribute["guess"], bool):
            raise ValueError(f"definition of an attribute: {attribute}")
        check(attribute["name"], attribute["values"], guess=attribute["guess"])
    check_distinct([(attribute["name"], attribute["key"]) for attribute in attributes])


def with_keys(attributes: Sequence[Attribute]) -> list[Attribute]:
    """The definitions, each with a key: its own, else the first free letter of its name, else of the alphabet."""
    taken = {attribute["key"] for attribute in attributes}
    complete = []
    for attribute in attributes:
        letters = (
            letter for letter in (*attribute["name"].upper(), *ascii_uppercase) if letter in ascii_uppercase
        )
        key = attribute["key"] or next((letter for letter in letters if letter not in taken), "")
        taken.add(key)
        complete.append(
            Attribute(name=attribute["name"], values=attribute["values"], key=key, guess=attribute["guess"])
        )
    return complete


def guessed(attributes: Sequence[Attribute]) -> frozenset[str]:
    """Names of those that the assertion rules guess."""
    return frozenset(attribute["name"] for attribute in attributes if attribute["guess"])


def changed_values(
    attributes: Sequence[Attribute],
    before: Mapping[str, Any],
    changes: Mapping[str, Value | None],
) -> Values:
    """The values after changes; None and False remove one. Others stay, also of attributes that the project no longer has.

    Raises Invalid for an attribute or value that the project does not have.
    """
    defined = {attribute["name"]: attribute for attribute in attributes}
    after = dict(before)
    for name, value in changes.items():
        if value is None or value is False:
            after.pop(name, None)
        elif after.get(name) != value:
            _check(defined, name, value)
            after[name] = value
    return after


def _check(defined: Mapping[str, Attribute], name: str, value: Value) -> None:
    if name not in defined:
        known = (
            f"Choose from: {', '.join(defined)}." if defined else "Managers add attributes in its settings."
        )
        raise Invalid(
            f"The project has no attribute '{name}'. {known}", fields={"attributes": f"unknown: {name}"}
        )
    values = defined[name]["values"]
    if values and value not in values:
        got = "only switched on" if value is True else f"'{value}'"
        raise Invalid(
            f"The attribute '{name}' cannot be {got}. Choose from: {', '.join(values)}.",
            fields={"attributes": f"unknown value of {name}"},
        )
    if not values and value is not True:
        raise Invalid(
            f"The attribute '{name}' is a flag and has no value '{value}'. Send true or false.",
            fields={"attributes": f"{name} is a flag"},
        )

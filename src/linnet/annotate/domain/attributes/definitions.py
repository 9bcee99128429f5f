"""A project's attributes: their keys, and what annotations may have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Any

from linnet.annotate.refusals import Invalid
from linnet.read.assertion import ATTRIBUTES

__all__ = ["BUILT_IN", "Value", "Values", "changed_values", "guessed", "with_keys"]

BUILT_IN = ATTRIBUTES
"""Flags that the assertion rules can guess."""
Value = bool | str
Values = dict[str, Any]
"""Name → true for a flag, else its value."""


def with_keys(attributes: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The definitions, each with a key: its own, else the first free letter of its name, else of the alphabet."""
    taken = {attribute["key"] for attribute in attributes}
    complete = []
    for attribute in attributes:
        key = attribute["key"]
        if not key:
            letters = [*attribute["name"].upper(), *ascii_uppercase]
            key = next(
                (letter for letter in letters if letter in ascii_uppercase and letter not in taken), ""
            )
            taken.add(key)
        complete.append({**attribute, "key": key})
    return complete


def guessed(attributes: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    """Names of those that the assertion rules guess."""
    return frozenset(attribute["name"] for attribute in attributes if attribute["guess"])


def changed_values(
    attributes: Sequence[Mapping[str, Any]],
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


def _check(defined: Mapping[str, Mapping[str, Any]], name: str, value: Value) -> None:
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

"""Groups of options that several commands share: dataclasses whose fields are options.

A command takes a group as one parameter; on the command line the fields stand in its place.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints

__all__ = ["with_options_of_groups"]


def with_options_of_groups(function: Callable[..., None]) -> Callable[..., None]:
    """The function with a keyword for each field of its parameters that are dataclasses."""
    signature = inspect.signature(function, eval_str=True)
    groups: dict[str, Any] = {
        p.name: p.annotation for p in signature.parameters.values() if is_dataclass(p.annotation)
    }
    if not groups:
        return function
    parameters = []
    for parameter in signature.parameters.values():
        if parameter.name in groups:
            parameters += _parameters(groups[parameter.name])
        else:
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))

    @wraps(function)
    def command(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        function(**given)

    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def _parameters(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
        )
        for field in fields(group)
    ]

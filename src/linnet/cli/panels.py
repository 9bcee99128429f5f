"""The panels that the help of a command groups its options in; a function for each makes an option of that panel."""

from __future__ import annotations

from functools import partial
from typing import Any

import typer

__all__ = [
    "input_option",
    "limit_option",
    "linking_option",
    "output_option",
    "running_option",
    "terminology_option",
    "write_panels",
]

_PANELS = ("Input", "Terminology", "Linking", "Output", "Limits", "Running")
(input_option, terminology_option, linking_option, output_option, limit_option, running_option) = (
    partial(typer.Option, rich_help_panel=panel) for panel in _PANELS
)


def write_panels(command: Any, ctx: Any, formatter: Any) -> None:
    """Write the arguments and options of a command in their panels.

    In plain text: rich takes longer to import than all else that the help needs.
    """
    panels: dict[str, list[tuple[str, str]]] = {name: [] for name in ("Arguments", *_PANELS, "Options")}
    for parameter in command.get_params(ctx):
        if row := parameter.get_help_record(ctx):
            ungrouped = "Arguments" if parameter.param_type_name == "argument" else "Options"
            panels[getattr(parameter, "rich_help_panel", None) or ungrouped].append(row)
    for name, rows in panels.items():
        if rows:
            with formatter.section(name):
                formatter.write_dl(rows)

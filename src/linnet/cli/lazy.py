"""Command groups that import the module of a command only when it runs or shows its help."""

from __future__ import annotations

import gc
import inspect
import re
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from linnet.cli.failures import OPTIONS
from linnet.cli.option_groups import with_options_of_groups
from linnet.cli.panels import write_panels
from linnet.cli.raw_arguments import moved_option, spread_values
from linnet.registry import imported
from linnet.system.memory_errors import refuse_little_address_space

__all__ = ["LazyGroup", "begin", "group", "kept_examples", "load", "names_by_kind", "options_of", "plain_app"]


plain_app = partial(typer.Typer, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
"""A typer app without shell completion and without rich: help and errors in plain text."""


class LazyGroup(TyperGroup):
    """Commands from a table {name: ("module:function", summary)}, listed in its order."""

    table: ClassVar[dict[str, tuple[str, str]]] = {}

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, (target, summary) in self.table.items():
            self.add_command(_LazyCommand(name, target, summary))

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        write_panels(self, ctx, formatter)
        self.format_commands(ctx, formatter)


def group(commands: dict[str, tuple[str, str]], help: str) -> typer.Typer:
    """The app of a group of commands, from a table as of `LazyGroup`; without a command it shows its help."""
    kind = type("_Group", (LazyGroup,), {"table": commands})
    app = plain_app(cls=kind, no_args_is_help=True, help=help)
    app.callback()(lambda: None)
    return app


class _LazyCommand(TyperCommand):
    """Stands in for a command until it is needed."""

    def __init__(self, name: str, target: str, summary: str) -> None:
        super().__init__(name, short_help=summary)
        self.target = target

    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:
        return load(str(self.name), self.target).make_context(info_name, args, parent=parent, **extra)


class _Command(TyperCommand):
    """A command whose repeatable options take several values in a row: `--types Disease Chemical`."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        for parameter in self.params:
            parameter.metavar = parameter.metavar or _metavar(parameter)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if advice := moved_option(args, options_of(self)):
            ctx.fail(advice)
        repeatable, valued = names_by_kind(self)
        required = sum(p.param_type_name == "argument" and p.required for p in self.params)
        return super().parse_args(
            ctx, spread_values(args, repeatable=repeatable, valued=valued, required=required)
        )

    def format_options(self, ctx: Any, formatter: Any) -> None:
        write_panels(self, ctx, formatter)

    def invoke(self, ctx: Any) -> Any:
        begin(self, ctx)
        return super().invoke(ctx)


def begin(command: Any, ctx: Any) -> None:
    """To be called before a command runs: errors may then name its options, and garbage is collected again (`linnet.start`)."""
    ctx.meta[OPTIONS] = options_of(command)
    refuse_little_address_space()
    if not gc.isenabled():
        gc.freeze()  # imported modules stay and need no search
        gc.enable()


def names_by_kind(command: Any) -> tuple[set[str], set[str]]:
    """The names of a command's options that may be repeated, and of all others that take a value."""
    options = [
        p for p in command.params if p.param_type_name == "option" and not getattr(p, "is_flag", False)
    ]
    repeatable = {name for p in options if getattr(p, "multiple", False) for name in p.opts}
    return repeatable, {name for p in options for name in p.opts} - repeatable


def options_of(command: Any) -> frozenset[str]:
    """The names of all options of a command."""
    return frozenset(name for p in command.params for name in (*p.opts, *p.secondary_opts))


def load(name: str, target: str) -> Any:
    """The command that `module:attribute` holds: a function with typer annotations, or a typer app."""
    command = imported(target)
    return get_command(command if isinstance(command, typer.Typer) else _single(name, command))


def _single(name: str, function: Callable[..., Any]) -> typer.Typer:
    app = plain_app()
    command = with_options_of_groups(function)
    app.command(name, cls=_Command, help=kept_examples(inspect.getdoc(function) or ""))(command)
    return app


def _metavar(parameter: Any) -> str | None:
    """How the help shows the value: INPUT for an argument, VALUE... for a repeatable option."""
    if parameter.param_type_name == "argument":
        return str(parameter.name).upper()
    return "VALUE..." if getattr(parameter, "multiple", False) else None


def kept_examples(text: str) -> str:
    """A docstring as help, its paragraph "Examples:" marked so that the lines are not joined."""
    return re.sub(r"(?m)^(?=Examples?:$)", "\b\n", inspect.cleandoc(text))

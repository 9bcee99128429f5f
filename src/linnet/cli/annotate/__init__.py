"""`linnet annotate`: the annotation tool, password resets, and simulations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import typer

from linnet.cli.annotate.serve import serve
from linnet.cli.lazy import LazyGroup, begin, kept_examples
from linnet.cli.options import spread_values

__all__ = ["COMMANDS", "app"]

COMMANDS = {
    "reset-password": (
        "linnet.cli.annotate.reset_password:reset_password",
        "Set a new password for an account.",
    ),
    "simulate": (
        "linnet.cli.annotate.simulate:simulate",
        "Compare annotation strategies on an annotated corpus.",
    ),
}


class _Group(LazyGroup):
    """Starts the tool if no command is given: `linnet annotate --terminology a b`, but `linnet annotate simulate`."""

    table: ClassVar[dict[str, tuple[str, str]]] = COMMANDS

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        options = [
            p for p in self.params if p.param_type_name == "option" and not getattr(p, "is_flag", False)
        ]
        repeatable = {name for p in options if getattr(p, "multiple", False) for name in p.opts}
        valued = {name for p in options for name in p.opts}
        end = _command(args, COMMANDS, valued)
        spread = spread_values(args[:end], repeatable=repeatable, valued=valued - repeatable, required=0)
        return super().parse_args(ctx, spread + args[end:])

    def invoke(self, ctx: Any) -> Any:
        begin(self, ctx)
        return super().invoke(ctx)


def _command(args: Sequence[str], names: dict[str, Any], valued: set[str]) -> int:
    """Index of the command; after the last word if there is none."""
    for place, word in enumerate(args):
        if word in names and (not place or args[place - 1] not in valued):
            return place
    return len(args)


app = typer.Typer(
    cls=_Group,
    add_completion=False,
    invoke_without_command=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help=kept_examples(serve.__doc__ or ""),
)
app.callback()(serve)

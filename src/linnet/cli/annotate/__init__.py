"""`linnet annotate`: the annotation tool, its backups, password resets, and simulations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from linnet.cli.annotate.serve import serve
from linnet.cli.lazy import LazyGroup, begin, kept_examples, names_by_kind, plain_app
from linnet.cli.raw_arguments import spread_values

__all__ = ["COMMANDS", "app"]

COMMANDS = {
    "backup": ("linnet.cli.annotate.backup:backup", "Back up the whole annotation server in one file."),
    "reset-password": (
        "linnet.cli.annotate.reset_password:reset_password",
        "Set a new password for an account.",
    ),
    "restore": ("linnet.cli.annotate.restore:restore", "Restore an annotation server from its backup."),
    "simulate": (
        "linnet.cli.annotate.simulate:simulate",
        "Compare annotation strategies on an annotated corpus.",
    ),
}


class _Group(LazyGroup):
    """Starts the tool if no command is given: `linnet annotate --terminology a b`, but `linnet annotate simulate`."""

    table: ClassVar[dict[str, tuple[str, str]]] = COMMANDS

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        repeatable, valued = names_by_kind(self)
        end = _command(args, COMMANDS, repeatable | valued)
        spread = spread_values(args[:end], repeatable=repeatable, valued=valued, required=0)
        return super().parse_args(ctx, spread + args[end:])

    def invoke(self, ctx: Any) -> Any:
        begin(self, ctx)
        return super().invoke(ctx)


def _command(args: Sequence[str], names: dict[str, Any], valued: set[str]) -> int:
    """Index of the command's name, or the number of words if no command is named."""
    for place, word in enumerate(args):
        if word in names and (not place or args[place - 1] not in valued):
            return place
    return len(args)


app = plain_app(cls=_Group, invoke_without_command=True, help=kept_examples(serve.__doc__ or ""))
app.callback()(serve)

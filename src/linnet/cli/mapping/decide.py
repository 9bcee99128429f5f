"""`linnet map decide`: a decision from the command line."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from linnet.cli.common_options import MappingArgument

__all__ = ["decide"]


def decide(
    dir: MappingArgument,
    text: Annotated[str, typer.Argument(help="The string, or with --code its code.", metavar="TEXT")],
    concept: Annotated[
        list[str] | None, typer.Argument(help="Concept ids in their order; none: no concept.", metavar="ID")
    ] = None,
    *,
    code: Annotated[bool, typer.Option("--code", help="TEXT is a code of the source.")] = False,
    status: Annotated[str, typer.Option(help="approved, flagged or ignored.", metavar="NAME")] = "approved",
    equivalence: Annotated[
        str | None,
        typer.Option(
            help="What the concept is to the string: equal, equivalent, broader, narrower, inexact, unmatched.",
            metavar="NAME",
        ),
    ] = None,
    comment: Annotated[str, typer.Option(help="Kept with the decision.", metavar="TEXT")] = "",
    by: Annotated[str | None, typer.Option(help="Who decides; default: you.", metavar="NAME")] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Take back the last decision.")] = False,
) -> None:
    """Map a string to a concept, to several, or to none. Decisions are appended to a log; the last one counts.

    Examples:
      linnet map decide codes.map/ "heart attack" MESH:D009203
      linnet map decide codes.map/ K35 MESH:D001064 --code --equivalence broader
      linnet map decide codes.map/ "n/a"
      linnet map decide codes.map/ "heart attack" --undo
    """
    from linnet.cli.progress import note
    from linnet.errors import RequestError
    from linnet.mapping import Mapping

    mapping = Mapping.open(dir)
    rows = mapping.find(code=text) if code else mapping.find(text=text)
    if not rows:
        raise RequestError(
            f"{dir} has no row with the {'code' if code else 'text'} '{text}'. Its rows: linnet map export {dir} -o rows.csv"
        )
    said: dict[str, Any] = {"status": status, "equivalence": equivalence, "comment": comment, "by": by}
    for row in rows:
        after = mapping.undo(row.number, by=by) if undo else mapping.decide(row.number, concept or (), **said)
        made = after.state.decision
        named = ", ".join(f"{target.concept} {target.name}" for target in made.targets) if made else ""
        what = f"{made.status}, {made.equivalence}: {named or 'no concept'}" if made else "unchecked"
        context = f" ({', '.join(row.context)})" if row.context else ""
        note(f"'{row.text}'{context}: {what}")

"""`linnet terminology diff`: the changes between two releases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from linnet.cli.common_options import compiled
from linnet.cli.progress import aligned, note

__all__ = ["diff"]


def diff(
    old: Annotated[Path, typer.Argument(help="Terminology of the earlier release.", parser=compiled)],
    new: Annotated[Path, typer.Argument(help="Terminology of the later release.", parser=compiled)],
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", help="Where to write the changes; - for standard output.", metavar="FILE"
        ),
    ] = "-",
    summary: Annotated[bool, typer.Option("--summary", help="Only count the changes.")] = False,
) -> None:
    """List the changes between two releases: one JSON object per change, and a summary on standard error.

    Kinds of change: added, removed, retired (with replaced_by), renamed (from, to), names and parents (added, removed).

    Examples:
      linnet terminology diff mesh2025/ mesh2026/ --summary
      linnet terminology diff mesh2025/ mesh2026/ -o changes.jsonl
    """
    from linnet.io.files import open_output
    from linnet.terminology import Terminology
    from linnet.terminology.diff import diff as compare

    changes = compare(Terminology.open(old), Terminology.open(new))
    if not summary:
        with open_output(output) as stream:
            for record in changes.records():
                stream.write(json.dumps(record, ensure_ascii=False) + "\n")
    note(f"From {old} to {new}, concepts:")
    note(aligned({kind.replace("_", " "): f"{count:,}" for kind, count in changes.counts().items()}))

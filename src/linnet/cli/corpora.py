"""What commands that read annotated corpora have in common."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

__all__ = [
    "AllowMissingOption",
    "ColumnOption",
    "ConceptColumnOption",
    "ConceptPrefixOption",
    "IdColumnOption",
    "OnError",
    "OnErrorOption",
    "table_columns",
]


class OnError(StrEnum):
    """What to do with malformed input."""

    stop = "stop"
    skip = "skip"


ColumnOption = Annotated[
    str | None, typer.Option(help="Column of a table with the mentions.", metavar="NAME")
]
IdColumnOption = Annotated[
    str | None, typer.Option(help="Column of a table with the id of each row.", metavar="NAME")
]
ConceptColumnOption = Annotated[
    str | None, typer.Option(help="Column of a table with the concept ids.", metavar="NAME")
]
ConceptPrefixOption = Annotated[
    str,
    typer.Option(
        help="Vocabulary of concept ids of a table that have no prefix, e.g. MEDDRA.", metavar="PREFIX"
    ),
]
OnErrorOption = Annotated[OnError, typer.Option(help="A malformed document or row: stop, or skip and count.")]
AllowMissingOption = Annotated[
    bool,
    typer.Option("--allow-missing", help="Continue even if hardly any concept id is in the terminologies."),
]


def table_columns(
    column: str | None, id_column: str | None, concept_column: str | None, concept_prefix: str
) -> dict[str, str]:
    """The options that were given, as `corpora.read` names them."""
    given = {
        "column": column,
        "id_column": id_column,
        "concept_column": concept_column,
        "concept_prefix": concept_prefix,
    }
    return {name: value for name, value in given.items() if value}

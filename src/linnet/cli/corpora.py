"""What commands that read annotated corpora have in common."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

from linnet.cli.panels import input_option

__all__ = ["CorpusOptions", "OnError"]


class OnError(StrEnum):
    """What to do with malformed input."""

    stop = "stop"
    skip = "skip"


@dataclass(frozen=True, kw_only=True)
class CorpusOptions:
    """Options that say how a corpus is read."""

    column: Annotated[str | None, input_option(help="Tables: column with the mentions.", metavar="NAME")] = (
        None
    )
    concept_column: Annotated[
        str | None, input_option(help="Tables: column with the concept ids.", metavar="NAME")
    ] = None
    concept_prefix: Annotated[
        str,
        input_option(help="Tables: prefix of concept ids that have none, e.g. MEDDRA.", metavar="PREFIX"),
    ] = ""
    on_error: Annotated[
        OnError, input_option(help="At a malformed document or row: stop, or skip and count it.")
    ] = OnError.stop
    allow_missing: Annotated[
        bool,
        input_option(
            "--allow-missing", help="Continue even if hardly any concept id is in the terminologies."
        ),
    ] = False

    def columns(self, id_column: str | None = None) -> dict[str, Any]:
        """The columns that were named, as keywords of `corpora.read`."""
        named = {
            "column": self.column,
            "id_column": id_column,
            "concept_column": self.concept_column,
            "concept_prefix": self.concept_prefix,
        }
        return {name: value for name, value in named.items() if value}

"""Usagi's table of mappings, which Usagi opens: a row for each code and target.

Source: OHDSI/Usagi, `MappingStatus`, `Equivalence` and the columns of its saved files.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from linnet.errors import RequestError
from linnet.formats.delimited import ROW_END, row_stream
from linnet.io.control_characters import spaced
from linnet.io.files import open_output
from linnet.mapping.decisions import Equivalence, Status, Target
from linnet.mapping.folder import Folder
from linnet.mapping.rows import Code, Row
from linnet.words.curies import bare

__all__ = ["EQUIVALENCES", "STATUSES", "milliseconds", "write_usagi"]

STATUSES = {
    Status.UNCHECKED: "UNCHECKED",
    Status.APPROVED: "APPROVED",
    Status.FLAGGED: "FLAGGED",
    Status.IGNORED: "IGNORED",
    Status.INVALID: "INVALID_TARGET",
}
EQUIVALENCES = {
    Equivalence.EQUAL: "EQUAL",
    Equivalence.EQUIVALENT: "EQUIVALENT",
    Equivalence.BROADER: "WIDER",
    Equivalence.NARROWER: "NARROWER",
    Equivalence.INEXACT: "INEXACT",
    Equivalence.UNMATCHED: "UNMATCHED",
    None: "UNREVIEWED",
}
_LAST = (
    "matchScore", "mappingStatus", "equivalence", "statusSetBy", "statusSetOn", "conceptId", "conceptName", "domainId",
    "mappingType", "comment", "createdBy", "createdOn", "assignedReviewer",
)  # fmt: skip
_NOTHING = Target("OMOP:0", "Unmapped")


def write_usagi(
    mapping: Folder, rows: Iterable[Row], path: str | Path, metadata: dict[str, Any]
) -> list[str]:
    """Write it; columns of context become `ADD_INFO:…`.

    Raises RequestError for a concept id that is not OMOP's.
    """
    context = mapping.columns.context
    first = ("sourceCode", "sourceName", "sourceFrequency", "sourceAutoAssignedConceptIds")
    with open_output(path) as stream:
        writer = csv.writer(row_stream(stream), lineterminator=ROW_END)
        writer.writerow([*first, *(f"ADD_INFO:{name}" for name in context), *_LAST])
        for row in rows:
            for code in row.codes or (Code(row.text, row.frequency),):
                for target in row.targets or (_NOTHING,):
                    writer.writerow(_cells(row, code, target))
    return []


def _cells(row: Row, code: Code, target: Target) -> list[object]:
    made = row.state.decision
    number = bare(target.concept)
    if not target.concept.startswith("OMOP:") or not number.isdigit():
        raise RequestError(
            f"Usagi needs OMOP concept ids; got {target.concept} for '{row.text}'. Map to an OMOP vocabulary: "
            "linnet terminology build ATHENA_DIR --format omop -o DIR"
        )
    probability = row.probability or 0.0
    at = milliseconds(made.at) if made else 0
    author = made.by if made else ""
    return [
        code.code, spaced(row.text), code.frequency, "", *row.context, f"{probability:.6f}", STATUSES[row.status],
        EQUIVALENCES[row.equivalence], author, at, number, target.name, "", target.type,
        spaced(made.comment) if made else "", author or "<auto>", at, row.state.second,
    ]  # fmt: skip


def milliseconds(at: str) -> int:
    """A time in ISO 8601 as Usagi writes it: milliseconds since 1970."""
    moment = datetime.fromisoformat(at)
    return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)

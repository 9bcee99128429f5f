"""A validator of SOURCE_TO_CONCEPT_MAP, from the table's specification in the OMOP CDM 5.4
(https://ohdsi.github.io/CommonDataModel/cdm54.html#source_to_concept_map)."""

from __future__ import annotations

import csv
import re
from pathlib import Path

# Field → pattern of its type, longest value, required.
FIELDS = {
    "source_code": (r".+", 50, True),
    "source_concept_id": (r"\d+", 10, True),
    "source_vocabulary_id": (r".+", 20, True),
    "source_code_description": (r".*", 255, False),
    "target_concept_id": (r"\d+", 10, True),
    "target_vocabulary_id": (r".+", 20, True),
    "valid_start_date": (r"\d{4}-\d\d-\d\d", 10, True),
    "valid_end_date": (r"\d{4}-\d\d-\d\d", 10, True),
    "invalid_reason": (r"[DU]?", 1, False),
}


def problems(path: Path) -> list[str]:
    """What is invalid; empty for a valid table."""
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        rows = list(reader)
    found = [] if reader.fieldnames == list(FIELDS) else [f"fields {reader.fieldnames}"]
    for number, row in enumerate(rows, 1):
        for name, (pattern, longest, required) in FIELDS.items():
            value = row[name]
            if (required and not value) or len(value) > longest or not re.fullmatch(pattern, value or ""):
                found.append(f"row {number}: {name} is {value!r}")
    return found

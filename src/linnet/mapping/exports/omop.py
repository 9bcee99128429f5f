"""Mappings as rows of OMOP's SOURCE_TO_CONCEPT_MAP."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from linnet.mapping.folder import Folder
from linnet.mapping.rows import Code, Row
from linnet.terminology.source_to_concept_map import SourceCode, vocabulary_in, write_source_to_concept_map

__all__ = ["write_omop"]


def write_omop(mapping: Folder, rows: Iterable[Row], path: str | Path, metadata: dict[str, Any]) -> list[str]:
    """A row for each code and target. Raises as `write_source_to_concept_map`."""
    has_codes = mapping.columns.id is not None
    codes = (
        SourceCode(code.code if has_codes else "", row.text, concept)
        for row in rows
        for code in row.codes or (Code("", 0),)
        for concept in [target.concept for target in row.targets] or [""]
    )
    source = metadata.get("source_vocabulary_id", "")
    return write_source_to_concept_map(
        codes, path, source_vocabulary_id=source, vocabulary=vocabulary_in(mapping.terminologies)
    )

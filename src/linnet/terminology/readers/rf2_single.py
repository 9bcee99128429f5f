"""Single files of a SNOMED CT release, recognised by their columns. Only descriptions can be read alone."""

from __future__ import annotations

import re
from pathlib import Path

from linnet.errors import DataError
from linnet.files import read_lines
from linnet.terminology.readers.folder import SourceFolder

__all__ = ["check_single"]

# Lower-cased columns that identify a file → its content; "" for descriptions.
_CONTENTS = (
    ({"conceptid", "term"}, ""),
    ({"definitionstatusid"}, "concepts, whose names are in the file of descriptions"),
    ({"sourceid", "destinationid"}, "relationships"),
    ({"sourceid", "value"}, "relationships"),
    ({"refsetid", "acceptabilityid"}, "a language reference set"),
    ({"refsetid"}, "a reference set"),
)
_CONCEPTS = re.compile(r"(?i)x?sct2_Concept_\w*Snapshot.*\.txt.*")


def check_single(path: Path) -> None:
    """Raise DataError for any file but one of descriptions that is not beside a file of concepts."""
    _, header = next(read_lines(path), (1, ""))
    columns = {name.strip().lower() for name in header.split("\t")}
    content = next((content for known, content in _CONTENTS if known <= columns), None)
    if content is None:
        raise DataError(
            f"no columns of SNOMED CT's RF2 (tab-separated: id, effectiveTime, active …). Columns: {', '.join(header.split(chr(9)))}.",
            path=path,
        )
    if content:
        raise DataError(f"holds {content}. Give the release folder with the Snapshot files.", path=path)
    if re.search(r"(?i)delta", path.name):
        raise DataError(
            "holds only the changes of a release (Delta). Give the release folder with the Snapshot files.",
            path=path,
        )
    if any(_CONCEPTS.fullmatch(file.name) for file in SourceFolder.of(path).files):
        raise DataError(
            f"is one file of a release, which does not say which concepts are retired. Give the folder: {path.parent}",
            path=path,
        )

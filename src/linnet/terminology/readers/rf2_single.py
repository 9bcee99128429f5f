"""Single files of a SNOMED CT release, recognised by their columns. Only descriptions can be read alone."""

from __future__ import annotations

import re

from linnet.io.files import read_lines
from linnet.terminology.readers.folder import SourceFolder
from linnet.terminology.readers.options import SourceFile

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


def check_single(file: SourceFile) -> None:
    """Raise DataError for any file but one of descriptions that is not beside a file of concepts."""
    _, header = next(read_lines(file.path), (1, ""))
    path = file.path
    columns = {name.strip().lower() for name in header.split("\t")}
    content = next((content for known, content in _CONTENTS if known <= columns), None)
    if content is None:
        raise file.error(
            f"no columns of SNOMED CT's RF2 (tab-separated: id, effectiveTime, active …). Columns: {', '.join(header.split(chr(9)))}."
        )
    if content:
        raise file.error(f"holds {content}. Give the release folder with the Snapshot files.")
    if re.search(r"(?i)delta", path.name):
        raise file.error(
            "holds only the changes of a release (Delta). Give the release folder with the Snapshot files."
        )
    if any(_CONCEPTS.fullmatch(other.name) for other in SourceFolder.of(path).files):
        raise file.error(
            f"is one file of a release, which does not say which concepts are retired. Give the folder: {path.parent}"
        )

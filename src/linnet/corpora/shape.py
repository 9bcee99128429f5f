"""Signs that the lines of a text file are a table or a list of names, not prose.

They prove nothing, so no format is chosen by them: `detect` refuses such files and says what they look like.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from itertools import pairwise

__all__ = ["is_heading", "is_list_of_names", "table_columns"]

# Usual names of columns with texts, names and annotations; one of them in the first row shows that it is a header.
_HEADINGS = frozenset({
    "annotation", "annotations", "category", "cell", "cell_line", "chemical", "class", "code", "comment",
    "concept", "concept_id", "concept_name", "concepts", "context", "cui", "description", "diagnosis",
    "disease", "doc_id", "document", "document_id", "drug", "end", "entities", "entity", "gene", "icd",
    "icd10", "id", "identifier", "indication", "label", "labels", "mention", "mentions", "mesh", "mesh_id",
    "name", "no", "note", "nr", "offset", "patient", "phenotype", "phrase", "pmid", "preferred",
    "procedure", "reaction", "report", "sentence", "source", "span", "start", "surface", "symptom",
    "synonym", "synonyms", "tag", "target", "term", "text", "title", "token", "type",
})  # fmt: skip
_MARKS = ((",", "commas"), (";", "semicolons"), ("|", "bars"))
_CELL = re.compile(r"[^\W\d][\w .()/%#:-]{0,39}$")
_SENTENCE = re.compile(r"[.!?:;][\"')\]]*(?:\s|$)|,\s*$")
_BULLET = re.compile(r"^\s*(?:[-*•–]|\(?\d+[.)])\s")
_LOCANT = re.compile(r"(?<=\d),(?=\d)")
# Last words of a line that is wrapped inside a sentence; no name ends so.
_UNFINISHED = re.compile(r"\b(?:a|an|and|are|by|for|from|is|of|or|that|the|to|was|were|which|with)$")
_MAX_NAME = 80  # characters; an estimate: longer lines count as prose
_MOST_WORDS = 8


def table_columns(rows: Sequence[str], *, names: bool = False) -> tuple[list[str], str] | None:
    """The cells of the first row and their separator ("tabs") if the rows look like a table.

    rows   non-blank lines
    names  the lines are known to be names, so commas between digits ("1,2-dichloroethane") count only below a header

    Signs of a table are tabs in half of the rows; or commas, semicolons or bars without a space after those of the first
    row, if all rows have the same number of cells, or the first row is a header by its words and no row has fewer cells.
    """
    if len(rows) < 2:
        return None
    tabbed = sum("\t" in row.strip() for row in rows)
    if tabbed > 1 and 2 * tabbed >= len(rows):
        first = next(row for row in rows if "\t" in row.strip())
        return [cell.strip() for cell in first.split("\t")], "tabs"
    for mark, called in _MARKS:
        if not all(mark in row for row in rows):
            continue
        cells = [_cells(row, mark) for row in rows]
        header = cells[0]
        if len(header) < 2 or f"{mark} " in rows[0]:
            continue
        named = all(map(_CELL.match, header)) and any(is_heading(cell) for cell in header)
        plain = [_cells(_LOCANT.sub("", row), mark) for row in rows] if names else cells
        regular = len(plain[0]) > 1 and len(set(map(len, plain))) == 1
        if (named and all(len(row) >= len(header) for row in cells)) or regular:
            return [cell.strip() for cell in header], called
    return None


def is_list_of_names(lines: Sequence[str]) -> bool:
    """Whether these are two or more short lines, none of which is a sentence, a bullet or a `label: value`."""
    rows = [line.strip() for line in lines if line.strip()]
    blank = sum(not line.strip() for line in "\n".join(lines).strip().split("\n"))
    if len(rows) < 2 or 4 * blank > len(rows):  # a title and a paragraph have a blank line between them
        return False
    if any(_UNFINISHED.search(row) and after[0].islower() for row, after in pairwise(rows)):
        return False
    return not any(
        len(row) > _MAX_NAME or len(row.split()) > _MOST_WORDS or _SENTENCE.search(row) or _BULLET.match(row)
        for row in rows
    )


def _cells(row: str, mark: str) -> list[str]:
    try:
        return next(csv.reader([row], delimiter=mark), [])
    except csv.Error:
        return []


def is_heading(cell: str) -> bool:
    """Whether this is a usual name of a column with texts, names or annotations."""
    return re.sub(r"[\s_-]+", "_", cell.strip().casefold()) in _HEADINGS

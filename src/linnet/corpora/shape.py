"""Signs of structure in the lines of a text file: is it a table, a list of names, or prose?

Nothing here is proof, so nothing is read by it: `detect` refuses what has such signs and says what was seen.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from itertools import pairwise

__all__ = ["is_heading", "is_list_of_names", "table_columns"]

# What columns of texts, names and annotations are called; one of them in a first row tells that it is a header.
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
# What no name ends in, but a line that is wrapped inside a sentence does.
_UNFINISHED = re.compile(r"\b(?:a|an|and|are|by|for|from|is|of|or|that|the|to|was|were|which|with)$")
_LONGEST_NAME = (
    80  # characters; not measured: a longer line is taken for prose, which is linked as it always was
)
_MOST_WORDS = 8


def table_columns(rows: Sequence[str], *, names: bool = False) -> tuple[list[str], str] | None:
    """The cells of the first row, and what separates them ("tabs"), where the rows look like those of a table.

    rows   lines with something in them
    names  the lines are said to be names: then commas between digits ("1,2-dichloroethane") are no sign of a table

    Tabs in half of the rows are a sign. So are commas, semicolons or bars where every row has as many cells, with no space
    behind the separators of the first row, or where every row has the cells of a first row that is a header by its words.
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
        cells = [_cells(_LOCANT.sub("", row) if names else row, mark) for row in rows]
        header = cells[0]
        if len(header) < 2 or f"{mark} " in rows[0]:
            continue
        named = all(map(_CELL.match, header)) and any(is_heading(cell) for cell in header)
        regular = len({len(row) for row in cells}) == 1
        if (named and all(len(row) >= len(header) for row in cells)) or regular:
            return [cell.strip() for cell in header], called
    return None


def is_list_of_names(lines: Sequence[str]) -> bool:
    """Whether these are two or more short lines without a sentence, a bullet or a `label: value` among them."""
    rows = [line.strip() for line in lines if line.strip()]
    blank = sum(not line.strip() for line in "\n".join(lines).strip().split("\n"))
    if len(rows) < 2 or 4 * blank > len(rows):  # a title and a paragraph have a blank line between them
        return False
    if any(_UNFINISHED.search(row) and after[0].islower() for row, after in pairwise(rows)):
        return False
    return not any(
        len(row) > _LONGEST_NAME
        or len(row.split()) > _MOST_WORDS
        or _SENTENCE.search(row)
        or _BULLET.match(row)
        for row in rows
    )


def _cells(row: str, mark: str) -> list[str]:
    try:
        return next(csv.reader([row], delimiter=mark), [])
    except csv.Error:
        return []


def is_heading(cell: str) -> bool:
    """Whether a column of texts, names or annotations is usually called so."""
    return re.sub(r"[\s_-]+", "_", cell.strip().casefold()) in _HEADINGS

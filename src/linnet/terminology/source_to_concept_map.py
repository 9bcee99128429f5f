"""OMOP's SOURCE_TO_CONCEPT_MAP, in the CDM 5.4: a row for each code and concept."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from linnet.advice import Note, Step
from linnet.errors import RequestError
from linnet.formats.delimited import ROW_END, row_stream
from linnet.io.control_characters import spaced
from linnet.io.files import open_output
from linnet.plural import counted
from linnet.terminology.store import Terminology
from linnet.words.curies import bare

__all__ = ["SourceCode", "vocabulary_in", "write_source_to_concept_map"]

_COLUMNS = (
    "source_code", "source_concept_id", "source_vocabulary_id", "source_code_description", "target_concept_id",
    "target_vocabulary_id", "valid_start_date", "valid_end_date", "invalid_reason",
)  # fmt: skip
_CODE, _DESCRIPTION = 50, 255  # longest values


class SourceCode(NamedTuple):
    """A code that is mapped to a concept, "" for none; without a code of its own, "", the text is its code."""

    code: str
    text: str
    concept: str


def write_source_to_concept_map(
    codes: Iterable[SourceCode],
    path: str | Path,
    *,
    source_vocabulary_id: str = "",
    vocabulary: Callable[[str], str] = lambda concept: "",
) -> list[str]:
    """Write the table; concept 0 of the vocabulary "None" for codes without a concept.

    vocabulary  that a concept is from

    Texts that are too long are cut, and as codes told apart by a checksum. Returns what had to be cut, and what was not said.
    Raises RequestError for a concept id that is not OMOP's, and for an id that is too long.
    """
    cut_codes = cut_descriptions = 0
    with open_output(path) as stream:
        writer = csv.writer(row_stream(stream), lineterminator=ROW_END)
        writer.writerow(_COLUMNS)
        for given, text, concept in codes:
            text = spaced(text)
            code, is_cut = _code(spaced(given), text)
            cut_codes += is_cut
            cut_descriptions += len(text) > _DESCRIPTION
            row = (code, 0, source_vocabulary_id or "linnet", text[:_DESCRIPTION], _target(concept))
            source = vocabulary(concept) if concept else ""
            writer.writerow((*row, source or "None", "1970-01-01", "2099-12-31", ""))
    of_codes = f"texts cut to {_CODE} characters as source_code, with a checksum"
    of_descriptions = f"texts cut to {_DESCRIPTION} characters as source_code_description"
    cut = ((cut_codes, of_codes), (cut_descriptions, of_descriptions))
    lines = [
        Note(f"{counted(count, what)}.", *([Step.OWN_CODES()] if what is of_codes else []))
        for count, what in cut
        if count
    ]
    if not source_vocabulary_id:
        lines.append(Note("source_vocabulary_id is 'linnet'.", Step.NAME_VOCABULARY()))
    return list(lines)


def vocabulary_in(terminologies: Sequence[Terminology]) -> Callable[[str], str]:
    """The vocabulary of a concept: its first source in the first of these that has the concept; "" for an unknown one."""

    def vocabulary(id: str) -> str:
        known = (terminology[id].sources for terminology in terminologies if id in terminology)
        return next(iter(next(known, ())), "")

    return vocabulary


def _code(given: str, text: str) -> tuple[str, bool]:
    """The source code, and whether a text was cut to make it."""
    if len(given or text) <= _CODE:
        return given or text, False
    if given:
        raise RequestError(
            f"The source_code '{given}' has {len(given)} characters; SOURCE_TO_CONCEPT_MAP holds at most {_CODE}.",
            Step.NAME_ID_COLUMN(),
        )
    return f"{text[: _CODE - 9]}#{blake2b(text.encode(), digest_size=4).hexdigest()}", True


def _target(concept: str) -> str:
    target = bare(concept) if concept else "0"
    if concept and (not concept.startswith("OMOP:") or not target.isdigit()):
        raise RequestError(
            f"SOURCE_TO_CONCEPT_MAP needs OMOP concept ids; got {concept}.",
            Step.LINK_TO_OMOP(),
        )
    return target

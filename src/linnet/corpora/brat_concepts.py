"""Concepts in BRAT files: normalisation rows, notes of annotators, and types that are CUIs.

N1<tab>Reference T1 MESH:D006073<tab>Gout                             BRAT
N1<tab>OntoBiotope Annotation:T1 Referent:OBT:000001                  BioNLP shared tasks
#1<tab>AnnotatorNotes T1<tab>C0018099                                 a note that holds only ids
T1<tab>C0018099 0 4<tab>Gout                                          a type that is a UMLS CUI
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from linnet.corpora.ids import as_curie
from linnet.corpora.tools.concept_fields import concepts_in

__all__ = ["concepts_of_rows", "is_cui", "target"]

_NORMALISED = re.compile(r"^(\S+) (T\S*) (\S.*)$")
_BIONLP = re.compile(r"^(\S+) Annotation:(T\S*) Referent:(\S.*)$")
_NOTE = re.compile(r"^AnnotatorNotes (T\S*)$")
_CUI = re.compile(r"^(?:UMLS[:_])?C\d{7}$")


def target(cells: Sequence[str]) -> str:
    """The annotation to which a row gives a concept; "" for other rows and for notes without an id."""
    row = cells[1] if len(cells) > 1 else ""
    if cells[0].startswith("N"):
        match = _BIONLP.match(row) or _NORMALISED.match(row)
        return match[2] if match else ""
    match = _NOTE.match(row)
    return match[1] if match and len(cells) == 3 and concepts_in(cells[2]) else ""


def concepts_of_rows(rows: Sequence[Sequence[str]], *, type: str) -> tuple[str, ...]:
    """The concepts that rows give a mention of this type: from normalisation rows, else from notes."""
    concepts: list[str] = []
    for cells in rows:
        if match := _BIONLP.match(cells[1]):
            prefix = "" if ":" in match[3] else match[1]  # "NCBI_Taxonomy Annotation:T1 Referent:562"
            concepts.append(as_curie(match[3], prefix=prefix, type=type))
        elif cells[0].startswith("N") and (match := _NORMALISED.match(cells[1])):
            concepts.append(as_curie(match[3], type=type))
    if not concepts:
        concepts = [id for cells in rows if not cells[0].startswith("N") for id in concepts_in(cells[2])]
    return tuple(dict.fromkeys(concepts))


def is_cui(type: str) -> bool:
    """Whether a type is a UMLS CUI."""
    return _CUI.match(type) is not None

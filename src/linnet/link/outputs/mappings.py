"""Links as mappings from distinct strings to concepts: SSSOM, and OMOP's SOURCE_TO_CONCEPT_MAP."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path

from linnet.corpora.control_characters import spaced
from linnet.curies import bare
from linnet.delimited import ROW_END, row_stream
from linnet.errors import RequestError
from linnet.files import open_output
from linnet.link.linker import Linked
from linnet.types import Link

__all__ = ["write_omop", "write_sssom"]

_SSSOM = (
    "subject_label", "subject_type", "predicate_id", "object_id", "object_label", "mapping_justification",
    "confidence", "similarity_score", "mapping_tool", "mapping_tool_version",
)  # fmt: skip
_OMOP = (
    "source_code", "source_concept_id", "source_vocabulary_id", "source_code_description", "target_concept_id",
    "target_vocabulary_id", "valid_start_date", "valid_end_date", "invalid_reason",
)  # fmt: skip


def write_sssom(linked: Iterable[Linked], path: str | Path) -> None:
    """SSSOM literal mappings: one for each distinct mention text and concept.

    `confidence` is the calibrated probability, if known; `similarity_score` the best candidate's score. Texts without a
    link are left out: SSSOM could only record them as judgements.
    """
    with open_output(path) as stream:
        stream.write(
            "# mapping_set_title: links made by linnet\n# license: https://creativecommons.org/publicdomain/zero/1.0/\n"
        )
        writer = csv.writer(row_stream(stream), delimiter="\t", lineterminator=ROW_END)
        writer.writerow(_SSSOM)
        for link, part, concept in _distinct(linked):
            score = part.candidates[0].score if part.candidates else ""
            probability = "" if link.probability is None else link.probability
            # A part of a composite is narrower than its text.
            predicate = "skos:narrowMatch" if link.parts else "skos:exactMatch"
            writer.writerow(
                (spaced(link.mention.text), "rdfs literal", predicate, concept, part.name, "semapv:LexicalMatching",
                 probability, score, "linnet", version("linnet"))
            )  # fmt: skip


def write_omop(linked: Iterable[Linked], path: str | Path) -> None:
    """Rows of OMOP's SOURCE_TO_CONCEPT_MAP, one for each distinct text and concept; concept 0 for texts without a link.

    Raises RequestError for a concept id that is not OMOP's.
    """
    with open_output(path) as stream:
        writer = csv.writer(row_stream(stream), lineterminator=ROW_END)
        writer.writerow(_OMOP)
        for link, _, concept in _distinct(linked, unlinked=True):
            target = bare(concept) if concept else "0"
            if concept and (not concept.startswith("OMOP:") or not target.isdigit()):
                raise RequestError(
                    f"SOURCE_TO_CONCEPT_MAP needs OMOP concept ids; got {concept}. "
                    "Link against an OMOP vocabulary: linnet terminology build ATHENA_DIR --format omop -o DIR"
                )
            text = spaced(link.mention.text)
            vocabulary = "" if concept else "None"
            writer.writerow(
                (text, 0, "linnet", text[:255], target, vocabulary, "1970-01-01", "2099-12-31", "")
            )


def _distinct(linked: Iterable[Linked], *, unlinked: bool = False) -> Iterator[tuple[Link, Link, str]]:
    """(link, itself or its part with the concept, concept) for each distinct (text, concept)."""
    seen: set[tuple[str, str]] = set()
    for _, links in linked:
        for link in links:
            pairs = [(part, concept) for part in (link.parts or (link,)) for concept in part.concepts]
            for part, concept in pairs or ([(link, "")] if unlinked else []):
                if (link.mention.text, concept) not in seen:
                    seen.add((link.mention.text, concept))
                    yield link, part, concept

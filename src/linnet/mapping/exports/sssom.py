"""Mappings as SSSOM."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from linnet.link.relations import LITERAL, REWRITTEN
from linnet.mapping.decisions import Equivalence, Status, Target
from linnet.mapping.folder import Folder
from linnet.mapping.rows import Code, Row
from linnet.terminology.sssom_table import object_of, subject_of, write_sssom_table

__all__ = ["PREDICATES", "write_sssom"]

PREDICATES = {
    Equivalence.EQUAL: "skos:exactMatch",
    Equivalence.EQUIVALENT: "skos:exactMatch",
    Equivalence.BROADER: "skos:broadMatch",
    Equivalence.NARROWER: "skos:narrowMatch",
    Equivalence.INEXACT: "skos:relatedMatch",
    Equivalence.UNMATCHED: "skos:exactMatch",  # to sssom:NoTermFound
}


def write_sssom(
    mapping: Folder, rows: Iterable[Row], path: str | Path, metadata: dict[str, Any]
) -> list[str]:
    """A mapping for each code and target; what nobody has checked is a close match, or a lexical one, with its probability."""
    has_codes, prefix = mapping.columns.id is not None, metadata.get("subject_prefix", "")
    write_sssom_table(path, _mappings(rows, has_codes, prefix), metadata=metadata)
    return []


def _mappings(rows: Iterable[Row], has_codes: bool, prefix: str) -> Iterator[dict[str, object]]:
    seen: set[tuple[str, str, str]] = set()
    for row in rows:
        for code in row.codes if has_codes else (Code("", 0),):
            for target in row.targets or (Target("", ""),):
                subject = subject_of(code.code, prefix)
                key = (subject, row.text, target.concept)
                if key not in seen:
                    seen.add(key)
                    yield _slots(row, subject, target)


def _slots(row: Row, subject: str, target: Target) -> dict[str, object]:
    made = row.state.decision if row.status is Status.APPROVED else None
    predicate, justification = _relation(row)
    return {
        "subject_id": subject,
        "subject_label": row.text,
        "subject_type": "" if subject else "rdfs literal",
        "predicate_id": predicate,
        "object_id": object_of(target.concept),
        "object_label": target.name,
        "mapping_justification": justification,
        "confidence": None if made or row.proposal is None else row.proposal.probability,
        "author_label": made.by if made else "",
        "reviewer_label": row.state.second,
        "mapping_date": made.at[:10] if made else "",
        "comment": made.comment if made else "",
    }


def _relation(row: Row) -> tuple[str, str]:
    """Predicate and justification."""
    if row.status is Status.APPROVED and row.equivalence is not None:
        return PREDICATES[row.equivalence], "semapv:ManualMappingCuration"
    origins = set(row.proposal.origin.split("+")) if row.proposal else set()
    is_literal = bool(origins & LITERAL)
    justification = "semapv:LexicalMatching" if is_literal else "semapv:SemanticSimilarityThresholdMatching"
    usual = row.usual_equivalence(row.targets)
    is_exact = is_literal and (origins & REWRITTEN or not row.has_further_words(row.targets))
    if usual is Equivalence.EQUIVALENT and not is_exact:
        return "skos:closeMatch", justification
    return PREDICATES[usual], justification

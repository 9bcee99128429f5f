"""Links as mappings from distinct strings or ids to concepts: SSSOM, and OMOP's SOURCE_TO_CONCEPT_MAP."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from linnet.link.linker import Linked
from linnet.link.relations import LITERAL, relation_of
from linnet.terminology.source_to_concept_map import SourceCode, write_source_to_concept_map
from linnet.terminology.sssom_table import object_of, subject_of, write_sssom_table
from linnet.types import Link

__all__ = ["write_omop", "write_sssom"]

_LEXICAL = frozenset({"bm25", "char", "word"})


def write_sssom(
    linked: Iterable[Linked],
    path: str | Path,
    *,
    metadata: Mapping[str, Any] | None = None,
    has_ids: bool = False,
) -> None:
    """SSSOM mappings: one for each distinct subject and concept, and one to `sssom:NoTermFound` for a subject without a link.

    has_ids  the mentions' ids are those of the subjects; else subjects are literals

    `confidence` is the calibrated probability, if known. A name that matched literally is an exact match, any other close, a
    part of a composite narrow, and a link that is probably wrong only related.
    """
    metadata = metadata or {}
    prefix = metadata.get("subject_prefix", "")
    mappings = (_slots(mapping, prefix) for mapping in _distinct(linked, has_ids=has_ids))
    write_sssom_table(path, mappings, metadata=metadata)


def write_omop(
    linked: Iterable[Linked],
    path: str | Path,
    *,
    metadata: Mapping[str, Any] | None = None,
    has_ids: bool = False,
    vocabulary: Callable[[str], str] = lambda concept: "",
) -> list[str]:
    """Rows of OMOP's SOURCE_TO_CONCEPT_MAP, one for each distinct code and concept.

    has_ids  the mentions' ids are the codes; else their texts are

    The rest as `write_source_to_concept_map`.
    """
    mappings = _distinct(linked, has_ids=has_ids)
    codes = (SourceCode(mapping.id, mapping.link.mention.text, mapping.concept) for mapping in mappings)
    source = (metadata or {}).get("source_vocabulary_id", "")
    return write_source_to_concept_map(codes, path, source_vocabulary_id=source, vocabulary=vocabulary)


class _Mapping(NamedTuple):
    """id: of the subject, "" for a literal; part: the link, or its part with the concept; concept: "" for NIL."""

    id: str
    link: Link
    part: Link
    concept: str


def _distinct(linked: Iterable[Linked], *, has_ids: bool) -> Iterator[_Mapping]:
    """A mapping for each distinct subject and concept."""
    seen: set[tuple[str, str, str]] = set()
    for _, links in linked:
        for link in links:
            id = str(link.mention.extra.get("id", "")).strip() if has_ids else ""
            pairs = [(part, concept) for part in (link.parts or (link,)) for concept in part.concepts]
            for part, concept in pairs or [(link, "")]:
                key = (id, "" if id else link.mention.text, concept)
                if key not in seen:
                    seen.add(key)
                    yield _Mapping(id, link, part, concept)


def _slots(mapping: _Mapping, prefix: str) -> dict[str, object]:
    """Slots of SSSOM."""
    link, best = mapping.link, next(iter(mapping.part.candidates), None)
    predicate, justification = _relation(mapping)
    subject = subject_of(mapping.id, prefix)
    is_lexical = best is not None and justification == "semapv:LexicalMatching"
    return {
        "subject_id": subject,
        "subject_label": link.mention.text,
        "subject_type": "" if subject else "rdfs literal",
        "predicate_id": predicate,
        "object_id": object_of(mapping.concept),
        "object_label": mapping.part.name if mapping.concept else "",
        "mapping_justification": justification,
        "confidence": link.probability if mapping.concept else None,
        "match_string": best.name if best and mapping.concept and is_lexical else "",
    }


def _relation(mapping: _Mapping) -> tuple[str, str]:
    """Predicate and justification of a mapping; NIL is an exact match of `sssom:NoTermFound`."""
    best = next(iter(mapping.part.candidates), None)
    origins = set(best.origin.split("+")) if best else set()
    if mapping.part.is_decided:
        justification = "semapv:ManualMappingCuration"
    elif not best or origins & LITERAL:
        justification = "semapv:LexicalMatching"
    else:
        kind = "Lexical" if origins & _LEXICAL and "dense" not in origins else "Semantic"
        justification = f"semapv:{kind}SimilarityThresholdMatching"
    related = relation_of(mapping.link, mapping.part) if mapping.concept else "exact"
    return f"skos:{related}Match", justification

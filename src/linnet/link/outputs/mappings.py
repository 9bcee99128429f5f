"""Links as mappings from distinct strings or ids to concepts: SSSOM, and OMOP's SOURCE_TO_CONCEPT_MAP."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from linnet.corpora.control_characters import spaced
from linnet.curies import bare, is_known
from linnet.delimited import ROW_END, row_stream
from linnet.errors import RequestError
from linnet.files import open_output
from linnet.link.linker import Linked
from linnet.link.outputs.mapping_metadata import OF_MAPPINGS, OF_SETS
from linnet.plural import counted
from linnet.terminology.sssom import NO_TERM
from linnet.terminology.sssom_header import NO_LICENCE, content_id, entity, write_header
from linnet.types import Link

__all__ = ["write_omop", "write_sssom"]

_SSSOM = (
    "subject_id", "subject_label", "subject_type", "predicate_id", "object_id", "object_label", "mapping_justification",
    "confidence", "match_string", "mapping_tool", "mapping_tool_version",
)  # fmt: skip
_OMOP = (
    "source_code", "source_concept_id", "source_vocabulary_id", "source_code_description", "target_concept_id",
    "target_vocabulary_id", "valid_start_date", "valid_end_date", "invalid_reason",
)  # fmt: skip
_CODE, _DESCRIPTION = 50, 255  # longest values in the CDM 5.4
_LITERAL = frozenset({"exact", "synonym", "spelling"})
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
    authors = {name: "|".join(metadata[name]) for name in OF_MAPPINGS if name in metadata}
    rows: list[tuple[object, ...]] = []
    for mapping in _distinct(linked, has_ids=has_ids):
        link, best = mapping.link, next(iter(mapping.part.candidates), None)
        predicate, justification = _relation(mapping)
        subject = _subject(mapping.id, metadata.get("subject_prefix", ""))
        object = entity(mapping.concept, prefix="object") if mapping.concept else NO_TERM
        rows.append(
            (subject, spaced(link.mention.text), "" if subject else "rdfs literal", predicate, object,
             mapping.part.name if mapping.concept else "", justification,
             "" if link.probability is None or not mapping.concept else link.probability,
             best.name if best and mapping.concept and justification == "semapv:LexicalMatching" else "",
             "linnet", version("linnet"), *authors.values())
        )  # fmt: skip
    given = {name: metadata[name] for name in OF_SETS if name in metadata}
    slots = {"mapping_set_id": content_id(rows), "license": NO_LICENCE, **given}
    ids = [*(str(id) for row in rows for id in (row[0], row[4])), *metadata.get("author_id", ())]
    with open_output(path) as stream:
        write_header(stream, slots, ids, curie_map=metadata.get("curie_map", {}))
        writer = csv.writer(row_stream(stream), delimiter="\t", lineterminator=ROW_END)
        writer.writerows([(*_SSSOM, *authors), *rows])


def write_omop(
    linked: Iterable[Linked],
    path: str | Path,
    *,
    metadata: Mapping[str, Any] | None = None,
    has_ids: bool = False,
    vocabulary: Callable[[str], str] = lambda concept: "",
) -> list[str]:
    """Rows of OMOP's SOURCE_TO_CONCEPT_MAP, one for each distinct code and concept; concept 0 for codes without a link.

    has_ids     the mentions' ids are the codes; else their texts are, long ones cut and told apart by a checksum
    vocabulary  that a concept is from

    Returns what had to be cut. Raises RequestError for a concept id that is not OMOP's, and for an id that is too long.
    """
    own = (metadata or {}).get("source_vocabulary_id", "")
    cut_codes = cut_descriptions = 0
    with open_output(path) as stream:
        writer = csv.writer(row_stream(stream), lineterminator=ROW_END)
        writer.writerow(_OMOP)
        for mapping in _distinct(linked, has_ids=has_ids):
            concept, text = mapping.concept, spaced(mapping.link.mention.text)
            target = bare(concept) if concept else "0"
            if concept and (not concept.startswith("OMOP:") or not target.isdigit()):
                raise RequestError(
                    f"SOURCE_TO_CONCEPT_MAP needs OMOP concept ids; got {concept}. "
                    "Link against an OMOP vocabulary: linnet terminology build ATHENA_DIR --format omop -o DIR"
                )
            code = spaced(mapping.id) or text
            if len(code) > _CODE:
                if mapping.id:
                    raise RequestError(
                        f"The source_code '{code}' has {len(code)} characters; SOURCE_TO_CONCEPT_MAP holds at most {_CODE}. "
                        "Name another --id-column."
                    )
                code = f"{code[: _CODE - 9]}#{blake2b(code.encode(), digest_size=4).hexdigest()}"
                cut_codes += 1
            cut_descriptions += len(text) > _DESCRIPTION
            row = (code, 0, own or "linnet", text[:_DESCRIPTION], target)
            # Concept 0 is of the vocabulary "None".
            source = vocabulary(concept) if concept else ""
            writer.writerow((*row, source or "None", "1970-01-01", "2099-12-31", ""))
    of_codes = f"texts cut to {_CODE} characters as source_code, with a checksum. To use codes of your own: --id-column"
    of_descriptions = f"texts cut to {_DESCRIPTION} characters as source_code_description"
    cut = ((cut_codes, of_codes), (cut_descriptions, of_descriptions))
    lines = [f"{counted(count, what)}." for count, what in cut if count]
    if not own:
        lines.append("source_vocabulary_id is 'linnet'. To name yours: --metadata source_vocabulary_id=NAME")
    return lines


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


def _relation(mapping: _Mapping) -> tuple[str, str]:
    """Predicate and justification of a mapping."""
    link, best = mapping.link, next(iter(mapping.part.candidates), None)
    origins = set(best.origin.split("+")) if best else set()
    if mapping.part.is_decided:
        justification = "semapv:ManualMappingCuration"
    elif not best or origins & _LITERAL:
        justification = "semapv:LexicalMatching"
    else:
        kind = "Lexical" if origins & _LEXICAL and "dense" not in origins else "Semantic"
        justification = f"semapv:{kind}SimilarityThresholdMatching"
    if mapping.concept and link.probability is not None and link.probability < 0.5:
        return "skos:relatedMatch", justification
    if mapping.concept and len(link.parts or link.concepts) > 1:
        return "skos:narrowMatch", justification  # a part of a composite is narrower than its text
    is_exact = not mapping.concept or "Similarity" not in justification
    return "skos:exactMatch" if is_exact else "skos:closeMatch", justification


def _subject(id: str, prefix: str) -> str:
    if not id or (not prefix and is_known(id)):
        return id
    return entity(f"{prefix or 'source'}:{id.removeprefix(f'{prefix}:')}", prefix="")

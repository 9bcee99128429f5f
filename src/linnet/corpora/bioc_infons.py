"""Type and concepts in the infons of a BioC annotation, under the keys of many tools.

Keys are compared by letters and digits only: `NCBI Gene`, `ncbi_gene` and `NCBI GENE` are equal.

    identifier, concept_id …   ids as corpora write them, of the vocabulary named by `database`, if any
    MESH, NCBI Gene …          ids of this vocabulary; `identifier` or `id` may follow the name
    database + id              an id and its vocabulary
    Gene (for type Gene)       a key named for the annotation's type
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from linnet.corpora.ids import KEPT, format_concepts, opaque, parse_concepts
from linnet.corpora.notes import Note
from linnet.listing import first_few

__all__ = ["Census", "concepts_of", "relinked", "type_of"]

_TYPES = ("type", "semantictype", "class")
# Keys with ids of any vocabulary, in order of precedence; the keys of vocabularies come between `_PLAIN` and `_NORMALISED`.
_PLAIN = ("identifier", "identifiers", "conceptid", "conceptids")
_NORMALISED = ("normalizedid", "normalisedid", "databaseid", "dbid")
# Keys of PubTator, GNormPlus, TaggerOne, NLM-Gene, NLM-Chem and CRAFT → prefix of bare ids.
_VOCABULARIES = {
    "mesh": "MESH", "msh": "MESH", "medic": "", "omim": "OMIM", "mim": "OMIM", "umls": "UMLS", "cui": "UMLS",
    "umlscui": "UMLS", "ncbigene": "NCBIGENE", "entrezgene": "NCBIGENE", "entrez": "NCBIGENE", "geneid": "NCBIGENE",
    "ncbitaxon": "NCBITAXON", "ncbitaxonomy": "NCBITAXON", "taxonomy": "NCBITAXON", "taxon": "NCBITAXON", "tax": "NCBITAXON",
    "chebi": "CHEBI", "hgnc": "HGNC", "hpo": "HP", "hp": "HP", "doid": "DOID", "mondo": "MONDO", "go": "GO",
    "uberon": "UBERON", "cl": "CL", "cellontology": "CL", "cellosaurus": "CVCL", "cvcl": "CVCL", "snomed": "SNOMEDCT",
    "snomedct": "SNOMEDCT", "sctid": "SNOMEDCT", "orphanet": "ORPHA", "orpha": "ORPHA", "ncit": "NCIT",
    "rxnorm": "RXNORM", "drugbank": "DRUGBANK", "uniprot": "UNIPROT", "meddra": "MEDDRA", "icd10": "ICD10",
    "icd10cm": "ICD10CM", "dbsnp": "DBSNP", "tmvar": "", "ncbihomologene": "HOMOLOGENE", "homologene": "HOMOLOGENE",
}  # fmt: skip
_DATABASES = _VOCABULARIES | {"ncbimesh": "MESH", "ncbitax": "NCBITAXON", "ncbiomim": "OMIM"}
_DATABASE_KEYS = ("database", "db", "dbname", "vocabulary", "terminology", "ontology", "resource")
# PubTator3's further infons about the concept, which would contradict another identifier.
_COMPANIONS = frozenset({"normalized", "accession", "name", "biotype"})
_WORD = re.compile(r"[A-Za-z][\w.\-]*")
# Values of a key named for the type: ids, not words such as `true`.
_IDS = re.compile(r"(?=.*\d)\S+|-")
_SHOWN = 6


def type_of(infons: Mapping[str, Any]) -> str:
    """The annotation's type, "" if no infon gives it."""
    folded = _folded(infons)
    return next((_field(infons[key]) for name in _TYPES for key in folded.get(name, ())), "")


def concepts_of(infons: Mapping[str, Any], type: str) -> tuple[str, tuple[str, ...], bool]:
    """The key of the infon with the concepts ("" for none), the concepts, and whether they hold only together.

    The first infon with a concept counts; if all of them say NIL, the first.
    """
    nil = ""
    for key, prefix in _holding(infons, type):
        concepts, combined = parse_concepts(_field(infons[key], prefix), prefix=prefix, type=type)
        if concepts:
            return key, concepts, combined
        nil = nil or key
    return nil, (), False


def relinked(
    infons: Mapping[str, Any], type: str, concepts: Sequence[str], *, combined: bool
) -> dict[str, Any]:
    """A copy of the infons with this type and these concepts; infons that already agree are unchanged."""
    changed = dict(infons)
    if type_of(infons) != type:
        stale = [key for name in _TYPES for key in _folded(infons).get(name, ())]
        changed = {key: value for key, value in changed.items() if key not in stale[:1]}
        changed[stale[0] if stale else "type"] = type
    key, read, together = concepts_of(infons, type)
    if (read, together) != (tuple(concepts), combined):
        own = _field_of_database(infons)
        for stale_key, _ in _holding(infons, type):
            changed.pop(stale_key, None)
        changed.pop(own, None)
        if "accession" in _folded(infons):
            changed = {name: value for name, value in changed.items() if _fold(name) not in _COMPANIONS}
        # A key named for a type or vocabulary may contradict the new concept; `identifier` does not.
        plain = key if key and _fold(key) != _fold(type) and _fold(key) != "id" else "identifier"
        changed[plain] = format_concepts(concepts, combined=combined, bare_mesh=False)
    return changed


class Census:
    """Counts the annotations of a file whose infons hold no known concept id, and notes them with their keys."""

    def __init__(self, note: Note) -> None:
        self.note = note
        self.without = 0
        self.keys: Counter[str] = Counter()

    def add(self, infons: Mapping[str, Any], key: str, concepts: Sequence[str]) -> None:
        """Count one annotation.

        key, concepts  from `concepts_of`
        """
        self.note(KEPT, len(opaque(concepts)))
        others = [name for name in infons if _fold(name) not in _TYPES and infons[name] not in (None, "")]
        if not key and others:
            self.without += 1
            self.keys.update(others)

    def close(self) -> None:
        """Note the count, at the end of the file."""
        if self.without:
            keys = first_few([key for key, _ in self.keys.most_common()], _SHOWN)
            self.note(
                f"annotations read without a concept: none of their infons is known to hold ids ({keys})",
                self.without,
                unread=True,
            )


def _holding(infons: Mapping[str, Any], type: str) -> list[tuple[str, str]]:
    """The infons that hold ids, best first, each with the prefix for bare ids."""
    folded = _folded(infons)
    database = str(infons.get(_field_of_database(infons)) or "")
    known = _DATABASES.get(_fold(database), "")
    # `id` may be a tool's own number, so it counts only with a database.
    named = known or (database if _WORD.fullmatch(database) else "")
    places = [(key, known) for name in _PLAIN for key in folded.get(name, ())]
    if database:
        places += [(key, named) for key in folded.get("id", ())]
    places += [
        (key, prefix)
        for name, prefix in _VOCABULARIES.items()
        for form in (name, f"{name}identifier", f"{name}id")
        for key in folded.get(form, ())
    ]
    places += [
        (key, "")
        for form in ("", "identifier", "id")
        for key in folded.get(_fold(type) + form, ())
        if type and _IDS.fullmatch(_field(infons[key]))
    ]
    places += [(key, known) for name in _NORMALISED for key in folded.get(name, ())]
    seen: set[str] = set()
    return [place for place in places if not (place[0] in seen or seen.add(place[0]))]  # type: ignore[func-returns-value]


def _field(value: Any, prefix: str = "") -> str:
    """The infon's value as one field; lists are joined with `|`.

    GNormPlus marks inferred species with a star, which is dropped.
    """
    text = "|".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    return text.replace("*", "") if prefix == "NCBITAXON" else text


def _field_of_database(infons: Mapping[str, Any]) -> str:
    folded = _folded(infons)
    return next((key for name in _DATABASE_KEYS for key in folded.get(name, ())), "")


def _folded(infons: Mapping[str, Any]) -> dict[str, list[str]]:
    """The keys with a value, grouped by their letters and digits."""
    folded: dict[str, list[str]] = {}
    for key, value in infons.items():
        if value is not None and not _nested(value):
            folded.setdefault(_fold(key), []).append(key)
    return folded


def _nested(value: Any) -> bool:
    """Whether a value is neither a string nor a number nor a list of these."""
    items = value if isinstance(value, (list, tuple)) else [value]
    return not all(isinstance(item, (str, int, float)) for item in items)


def _fold(key: str) -> str:
    return "".join(filter(str.isalnum, key)).casefold()

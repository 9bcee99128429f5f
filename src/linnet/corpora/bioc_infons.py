"""The infons of a BioC annotation: which hold its type and its concepts, under the keys of many tools.

Keys are compared by their letters and digits alone: `NCBI Gene`, `ncbi_gene` and `NCBI GENE` are one.

    identifier, concept_id …   ids as corpora write them, of the vocabulary that `database` names, if any
    MESH, NCBI Gene …          ids of that vocabulary; `identifier` or `id` may follow its name
    database + id              an id and its vocabulary
    Gene (for type Gene)       named for the annotation's type
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from linnet.corpora.ids import KEPT, format_concepts, opaque, parse_concepts
from linnet.corpora.notes import Note

__all__ = ["Census", "concepts_of", "relinked", "type_of"]

_TYPES = ("type", "semantictype", "class")
# Keys that hold ids of any vocabulary, in the order they are looked at; the vocabulary's own keys come after the first.
_PLAIN = ("identifier", "identifiers", "conceptid", "conceptids")
_NORMALISED = ("normalizedid", "normalisedid", "databaseid", "dbid")
# PubTator's exports and those of GNormPlus, TaggerOne, NLM-Gene, NLM-Chem, CRAFT → the prefix of ids without one.
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
# What PubTator3 says of the concept beside its identifier; it would contradict another one.
_COMPANIONS = frozenset({"normalized", "accession", "name", "biotype"})
_WORD = re.compile(r"[A-Za-z][\w.\-]*")
# What a key named for the type may hold: ids, no words such as `true`.
_IDS = re.compile(r"(?=.*\d)\S+|-")
_SHOWN = 6


def type_of(infons: Mapping[str, Any]) -> str:
    """The annotation's type, "" where no infon says it."""
    folded = _folded(infons)
    return next((_field(infons[key]) for name in _TYPES for key in folded.get(name, ())), "")


def concepts_of(infons: Mapping[str, Any], type: str) -> tuple[str, tuple[str, ...], bool]:
    """The infon that holds the concepts, "" if none does; the concepts; whether they hold only together.

    The first infon with a concept counts; where all say that there is none, the first of them.
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
    """A copy of the infons that says this type and these concepts, unchanged as far as they say so already."""
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
        # A key named for a type or a vocabulary says too much for another concept; identifier says nothing of it.
        plain = key if key and _fold(key) != _fold(type) and _fold(key) != "id" else "identifier"
        changed[plain] = format_concepts(concepts, combined=combined, bare_mesh=False)
    return changed


class Census:
    """Counts, over a file, the annotations whose infons hold no known concept id, and notes them with their keys."""

    def __init__(self, note: Note) -> None:
        self.note = note
        self.without = 0
        self.keys: Counter[str] = Counter()

    def add(self, infons: Mapping[str, Any], key: str, concepts: Sequence[str]) -> None:
        """Count one annotation.

        key, concepts  what `concepts_of` gave for it
        """
        self.note(KEPT, len(opaque(concepts)))
        others = [name for name in infons if _fold(name) not in _TYPES and infons[name] not in (None, "")]
        if not key and others:
            self.without += 1
            self.keys.update(others)

    def close(self) -> None:
        """Note what was counted: at the end of the file."""
        if self.without:
            keys = [key for key, _ in self.keys.most_common()]
            more = f" and {len(keys) - _SHOWN} more" if len(keys) > _SHOWN else ""
            self.note(
                f"annotations read without a concept: none of their infons is known to hold ids ({', '.join(keys[:_SHOWN])}{more})",
                self.without,
                unread=True,
            )


def _holding(infons: Mapping[str, Any], type: str) -> list[tuple[str, str]]:
    """The infons that hold ids, best first, each with the prefix of ids that have none."""
    folded = _folded(infons)
    database = str(infons.get(_field_of_database(infons)) or "")
    known = _DATABASES.get(_fold(database), "")
    # Under `id` a tool may keep its own number, so it counts only with a database.
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
    """The infon's value as a corpus would write it in one field: lists are joined.

    GNormPlus marks species it has inferred with a star, which is not part of their ids.
    """
    text = "|".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    return text.replace("*", "") if prefix == "NCBITAXON" else text


def _field_of_database(infons: Mapping[str, Any]) -> str:
    folded = _folded(infons)
    return next((key for name in _DATABASE_KEYS for key in folded.get(name, ())), "")


def _folded(infons: Mapping[str, Any]) -> dict[str, list[str]]:
    """The keys with a value, by their letters and digits."""
    folded: dict[str, list[str]] = {}
    for key, value in infons.items():
        if value is not None and not _nested(value):
            folded.setdefault(_fold(key), []).append(key)
    return folded


def _nested(value: Any) -> bool:
    """Whether a value is neither a word nor a number nor a list of them."""
    parts = value if isinstance(value, (list, tuple)) else [value]
    return not all(isinstance(part, (str, int, float)) for part in parts)


def _fold(key: str) -> str:
    return "".join(filter(str.isalnum, key)).casefold()

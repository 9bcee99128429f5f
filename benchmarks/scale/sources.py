"""The real concepts that the generated terminology is made of: those of the open terminologies, or the packaged ones."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from linnet import samples
from linnet.terminology.readers import ReadOptions, read
from linnet.types import Concept
from linnet.words.text import fold

__all__ = ["KINDS", "Seed", "packaged_seeds", "read_seeds"]


@dataclass(frozen=True, slots=True)
class Seed:
    """A real concept.

    kind   disease, chemical, gene, species, anatomy, cell, procedure, process or other
    names  the preferred one first
    """

    kind: str
    names: tuple[str, ...]
    definition: str = ""


# Kind → TUI and name of a semantic type of the UMLS.
KINDS = {
    "disease": ("T047", "Disease or Syndrome"),
    "chemical": ("T109", "Organic Chemical"),
    "gene": ("T028", "Gene or Genome"),
    "species": ("T001", "Organism"),
    "anatomy": ("T023", "Body Part, Organ, or Organ Component"),
    "cell": ("T025", "Cell"),
    "procedure": ("T061", "Therapeutic or Preventive Procedure"),
    "process": ("T043", "Cell Function"),
    "other": ("T078", "Idea or Concept"),
}
_TABLE = ReadOptions(columns={"name": 1, "id": 2}, prefix="ID", header=False)
# Place below LINNET_DATA/terminologies, reader's format and options, kind. Where two name a thing, the earlier has it.
_SOURCES: list[tuple[str, str | None, ReadOptions, str]] = [
    ("mesh2024/desc2024.rebuilt.xml.gz", None, ReadOptions(), "other"),
    ("mesh2024/supp2024.rebuilt.xml.gz", None, ReadOptions(), "chemical"),
    ("doid/doid.obo.gz", None, ReadOptions(only_prefixes=frozenset({"DOID"})), "disease"),
    ("hpo/hp.json", None, ReadOptions(only_prefixes=frozenset({"HP"})), "disease"),
    ("mondo_sources/ncit-disease-2018-06-08.json.gz", None, ReadOptions(only_prefixes=frozenset({"NCIT"})), "disease"),
    ("mondo_sources/ordo-2_6-2018-07-12.json.gz", None, ReadOptions(), "disease"),
    ("biolexica/phenotype.ssslm.tsv.gz", None, ReadOptions(), "disease"),
    ("biolexica/anatomy.ssslm.tsv.gz", None, ReadOptions(), "anatomy"),
    ("other/cl-basic.obo", None, ReadOptions(only_prefixes=frozenset({"CL"})), "cell"),
    ("reach/PubChem.tsv.gz", "table", _TABLE, "chemical"),
    ("reach/chebi.tsv.gz", "table", _TABLE, "chemical"),
    ("reach/bio_process.tsv.gz", "table", _TABLE, "process"),
    ("reach/Species_exhaustive.tsv.gz", "table", _TABLE, "species"),
    ("other/Homo_sapiens.gene_info.gz", None, ReadOptions(), "gene"),
]  # fmt: skip
_MESH = {
    "Disease": "disease", "Chemical": "chemical", "Anatomy": "anatomy", "Organism": "species", "Procedure": "procedure",
    "Process": "process", "Protein": "chemical",
}  # fmt: skip
# Systematic names of 500 characters occur; they would only pad the files.
_LONGEST = 120


def read_seeds(data: Path) -> list[Seed]:
    """The concepts of the files below `data`, one for each thing: what shares a preferred name is joined.

    A name that belongs to an earlier concept is left out. Raises DataError where a file is missing.
    """
    owners: dict[str, int] = {}
    kinds: list[str] = []
    names: dict[int, list[str]] = defaultdict(list)
    definitions: dict[int, str] = {}
    for place, format, options, kind in _SOURCES:
        before = len(kinds)
        for concept in _once(read(data / "terminologies" / place, format=format, options=options)):
            if "obsolete" in concept.name:
                continue
            given = sorted(concept.all_names, key=_abbreviated) if kind == "species" else concept.all_names
            folded = {fold(name): name for name in reversed(given) if 1 < len(name) <= _LONGEST}
            if not folded:
                continue
            owner = owners.get(fold(concept.name))
            if owner is None:
                if not any(name not in owners for name in folded):
                    continue
                owner = len(kinds)
                kinds.append(_kind(concept, kind))
            for key, name in reversed(folded.items()):
                if owners.setdefault(key, owner) == owner and name not in names[owner]:
                    names[owner].append(name)
            if concept.definition:
                definitions.setdefault(owner, concept.definition)
        print(f"{place}: {len(kinds) - before:,} more concepts", file=sys.stderr)
    return [
        Seed(kind, tuple(names[row]), definitions.get(row, ""))
        for row, kind in enumerate(kinds)
        if names[row]
    ]


def packaged_seeds() -> list[Seed]:
    """Those of the starter terminology: diseases and drugs, enough for some 100,000 concepts."""
    return [
        Seed(
            "chemical" if {"Chemical", "Protein"} & {*concept.types} else "disease",
            concept.all_names,
            concept.definition,
        )
        for concept in samples.concepts()
    ]


def _abbreviated(name: str) -> bool:
    return name[1:2] == "."


def _kind(concept: Concept, kind: str) -> str:
    if concept.id.startswith("MESH:") and kind == "other":
        return next((_MESH[type] for type in concept.types if type in _MESH), "other")
    return kind


def _once(concepts: Iterator[Concept]) -> Iterator[Concept]:
    """A table with one name a row gives concepts several times where its rows are scattered; joined here."""
    found: dict[str, Concept] = {}
    for concept in concepts:
        known = found.get(concept.id)
        if known is None:
            found[concept.id] = concept
        elif concept.name:
            more = dict.fromkeys((*known.names, *concept.all_names))
            found[concept.id] = replace(known, names=tuple(more))
    return (concept for concept in found.values() if concept.name)

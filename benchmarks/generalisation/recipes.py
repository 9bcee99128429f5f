"""What the terminologies of the dev sets are made of: `recipes[name].concepts(folder)`, given `terminologies/` of the real data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from linnet.terminology.merge import merge
from linnet.terminology.readers import ReadOptions, read, read_several
from linnet.terminology.sssom import Mapping, read_sssom
from linnet.types import Concept

__all__ = ["DO", "HPO", "MONDO_DO", "MONDO_UMLS", "Recipe", "recipes"]

MESH = ("mesh2024/desc2024.rebuilt.xml.gz", "mesh2024/supp2024.rebuilt.xml.gz")
MEDIC = "medic/medic_2021plus.dictionary.txt"
HPO = "hpo/hp-2025-01-16.obo.gz"
DO = "doid/doid.obo.gz"
MONDO = "biolexica/phenotype.ssslm.tsv.gz"
MONDO_DO, MONDO_UMLS = (f"mondo/mondo_exactmatch_{name}.sssom.tsv" for name in ("doid", "umls"))
CELLS = "other/cl-basic.obo"
GENES = "other/Homo_sapiens.gene_info.gz"


@dataclass(frozen=True)
class Recipe:
    """What a terminology is made of.

    sources   files below `terminologies/`
    concepts  makes the concepts, given that folder
    held_out  of how many concepts a name is held out
    asked     of which concepts
    """

    sources: tuple[str, ...]
    concepts: Callable[[Path], Iterable[Concept]]
    held_out: int = 0
    asked: Callable[[Concept], bool] = lambda concept: True


def mesh(folder: Path) -> Iterable[Concept]:
    return read_several([folder / source for source in MESH], formats=("mesh", "mesh"))


def hpo(folder: Path) -> Iterable[Concept]:
    return read(folder / HPO, options=ReadOptions(only_prefixes={"HP"}))


def mondo(folder: Path) -> Iterator[Concept]:
    """Mondo's names as Biolexica has them; a concept that is also in DO has the id of DO."""
    for concept in read(folder / MONDO, options=ReadOptions(vocabularies={"MONDO"})):
        if concept.name and not concept.name.startswith("obsolete "):
            yield concept


def diseases_and_phenotypes(folder: Path) -> Iterator[Concept]:
    """HPO, DO and Mondo, joined where Mondo or a shared concept of the UMLS equates them.

    Cross references are dropped: those to SNOMED CT must not be stored.
    """
    sources = [list(hpo(folder)), list(read(folder / DO, options=ReadOptions(only_prefixes={"DOID"})))]
    mappings = [mapping for file in (MONDO_DO, MONDO_UMLS) for mapping in read_sssom(folder / file).mappings]
    mappings += [
        Mapping(concept.id, "skos:exactMatch", id)
        for concepts in sources
        for concept in concepts
        for id in concept.xrefs
        if id.startswith("UMLS:")
    ]
    for concept in merge([*sources, list(mondo(folder))], mappings=mappings):
        yield replace(concept, xrefs=())


def cells(folder: Path) -> Iterable[Concept]:
    return read(folder / CELLS, options=ReadOptions(only_prefixes={"CL"}))


def genes(folder: Path) -> Iterable[Concept]:
    return read(folder / GENES)


recipes: dict[str, Recipe] = {
    "mesh": Recipe(MESH, mesh),
    "medic-2021": Recipe((MEDIC,), lambda folder: read(folder / MEDIC)),
    "hpo-2025": Recipe((HPO,), hpo),
    "diseases-and-phenotypes": Recipe((HPO, DO, MONDO, MONDO_DO, MONDO_UMLS), diseases_and_phenotypes),
    "mesh-held-out": Recipe(MESH, mesh, held_out=1500),
    "hpo-held-out": Recipe((HPO,), hpo, held_out=1500),
    "mondo-held-out": Recipe((MONDO,), mondo, held_out=1500),
    "cells-held-out": Recipe((CELLS,), cells, held_out=1500),
    "genes-held-out": Recipe(
        (GENES,), genes, held_out=1500, asked=lambda concept: "protein-coding" in concept.types
    ),
}

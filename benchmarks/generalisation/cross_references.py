"""Concepts of HPO, DO and Mondo for ids of the UMLS and of SNOMED CT, through the cross references of these three.

An id that leads to several concepts of the joined terminology is left out. Ids of SNOMED CT pass through memory only.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from benchmarks.generalisation.recipes import DO, HPO, MONDO_DO, MONDO_UMLS
from linnet.io.files import read_lines
from linnet.terminology import Terminology
from linnet.terminology.readers import ReadOptions, read
from linnet.terminology.sssom import read_sssom
from linnet.words.curies import curie

__all__ = ["concepts_by_reference"]

_MONDO_XREFS = "mondo/xrefs.tsv"


def concepts_by_reference(folder: Path, terminology: Terminology, *, prefix: str) -> dict[str, str]:
    """Id of another vocabulary → the one concept that it leads to.

    folder       `terminologies/` of the real data
    terminology  HPO, DO and Mondo, joined
    prefix       of the other vocabulary as linnet writes it: "UMLS" or "SNOMEDCT"
    """
    in_do = {mapping.subject: mapping.object for mapping in read_sssom(folder / MONDO_DO).mappings}
    targets: dict[str, set[str]] = defaultdict(set)
    for id, reference in _references(folder):
        if reference.startswith(f"{prefix}:"):
            targets[reference].update(terminology.resolve(id) or terminology.resolve(in_do.get(id, "")))
    return {reference: min(ids) for reference, ids in targets.items() if len(ids) == 1}


def _references(folder: Path) -> Iterator[tuple[str, str]]:
    """(concept, its cross reference)."""
    for source, own in ((HPO, "HP"), (DO, "DOID")):
        for concept in read(folder / source, options=ReadOptions(only_prefixes={own})):
            for reference in concept.xrefs:
                yield concept.id, reference
    for mapping in read_sssom(folder / MONDO_UMLS).mappings:
        yield mapping.subject, mapping.object
    for _, line in read_lines(folder / _MONDO_XREFS):
        id, _, reference = line.partition("\t")
        if reference.startswith('"SCTID:'):
            yield id, curie(reference.strip('"'))

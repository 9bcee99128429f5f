"""How right `linnet terminology merge --join-names` is, where the cross references of the terminologies say what is right.

    LINNET_DATA=… python benchmarks/name_joins.py

A pair counts if the cross references give a counterpart to one of its concepts; it is right if they equate just these two.
So what they miss counts as an error, and pairs that they are silent on do not count. Recall is of all pairs they equate.
Intervals are Wilson's, 95 %. The names of Mondo were taken from DO in part, its references were checked by curators.
Supplementary records lose their type, because the rebuilt MeSH files call all of them chemicals, rare diseases too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from measuring import data_folder

from linnet.evaluate.interval import wilson
from linnet.terminology.name_joins import join_names
from linnet.terminology.readers import ReadOptions, read, read_several
from linnet.terminology.sssom import read_sssom
from linnet.terminology.staging import union
from linnet.types import Concept

Pairs = set[tuple[str, str]]


def main() -> None:
    data = data_folder("terminologies") / "terminologies"
    terminologies = load(data)
    print(
        "| | joined | counted | right | references | found | not joined |\n|---|---:|---:|---:|---:|---:|---|"
    )
    for first, second, references in tasks(data, terminologies):
        print(row(first, second, terminologies, references), flush=True)
    joins = join_names([terminologies["MeSH"], terminologies["UNII"]])
    print(f"| MeSH–UNII | {len(joins.joined):,} | | | | | {_left_out(joins.reasons())} |")


def load(data: Path) -> dict[str, list[Concept]]:
    """The concepts of each terminology; those of Mondo that Biolexica gives under ids of DO have Mondo's id."""
    to_mondo = {
        m.object: m.subject for m in read_sssom(data / "mondo/mondo_exactmatch_doid.sssom.tsv").mappings
    }
    mesh = [data / f"mesh2024/{part}2024.rebuilt.xml.gz" for part in ("desc", "supp")]
    phenotype = data / "biolexica/phenotype.ssslm.tsv.gz"
    mondo = united(read(phenotype, options=ReadOptions(vocabularies={"MONDO"})))
    return {
        "HPO": united(read(data / "hpo/hp-2025-01-16.obo.gz", options=ReadOptions(only_prefixes={"HP"}))),
        "DO": united(read(data / "doid/doid.obo.gz", options=ReadOptions(only_prefixes={"DOID"}))),
        "Mondo": [
            replace(concept, id=to_mondo.get(concept.id, concept.id))
            for concept in mondo
            if not concept.name.startswith("obsolete ")
            and (concept.id in to_mondo or not concept.id.startswith("DOID:"))
        ],
        "MeSH": [
            replace(concept, types=()) if concept.id.startswith("MESH:C") else concept
            for concept in united(read_several(mesh, formats=("mesh", "mesh")))
        ],
        "UNII": united(read(data / "other/unii_names.tsv.gz", format="unii")),
    }


def tasks(data: Path, terminologies: dict[str, list[Concept]]) -> Iterable[tuple[str, str, Pairs]]:
    """Two terminologies and the pairs that references equate; HPO and the others through shared ids of the UMLS."""

    def mapped(name: str) -> Pairs:
        return {
            (m.subject, m.object)
            for m in read_sssom(data / f"mondo/mondo_exactmatch_{name}.sssom.tsv").mappings
        }

    hpo, do = (referred(terminologies[name], "UMLS:") for name in ("HPO", "DO"))
    yield "Mondo", "DO", mapped("doid")
    yield "Mondo", "MeSH", mapped("mesh")
    yield "DO", "MeSH", referred(terminologies["DO"], "MESH:")
    yield "HPO", "DO", through(hpo, do)
    yield "HPO", "Mondo", through(hpo, mapped("umls"))


def united(concepts: Iterable[Concept]) -> list[Concept]:
    """Live concepts, each id once."""
    by_id: dict[str, Concept] = {}
    for concept in concepts:
        by_id[concept.id] = union(by_id[concept.id], concept) if concept.id in by_id else concept
    return [concept for concept in by_id.values() if concept.name]


def referred(concepts: Iterable[Concept], prefix: str) -> Pairs:
    return {(concept.id, id) for concept in concepts for id in concept.xrefs if id.startswith(prefix)}


def through(first: Pairs, second: Pairs) -> Pairs:
    """Pairs of ids that refer to the same third id."""
    by_reference = defaultdict(set)
    for id, reference in second:
        by_reference[reference].add(id)
    return {(id, other) for id, reference in first for other in by_reference[reference]}


def row(first: str, second: str, terminologies: dict[str, list[Concept]], references: Pairs) -> str:
    subjects, objects = terminologies[first], terminologies[second]
    there = [{concept.id for concept in concepts} for concepts in (subjects, objects)]
    truth = {pair for pair in references if pair[0] in there[0] and pair[1] in there[1]}
    known = [{pair[side] for pair in truth} for side in (0, 1)]
    joins = join_names([subjects, objects])
    pairs = {(match.subject, match.object) for match in joins.joined}
    counted = {pair for pair in pairs if pair[0] in known[0] or pair[1] in known[1]}
    right = len(pairs & truth)
    return (
        f"| {first}–{second} | {len(pairs):,} | {len(counted):,} | {_share(right, len(counted))} | {len(truth):,} "
        f"| {_share(right, len(truth))} | {_left_out(joins.reasons())} |"
    )


def _share(count: int, of: int) -> str:
    low, high = wilson(count, of)
    return f"{100 * count / of:.1f} ({100 * low:.1f}–{100 * high:.1f})"


def _left_out(reasons: dict[str, int]) -> str:
    counts: Sequence[str] = [f"{reason} {count:,}" for reason, count in reasons.items()]
    return ", ".join(counts)


if __name__ == "__main__":
    main()

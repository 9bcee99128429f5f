"""`linnet terminology merge`: several terminologies → one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linnet.cli.progress import note

if TYPE_CHECKING:
    from linnet.terminology import Terminology
    from linnet.terminology.join import Conflict
    from linnet.terminology.sssom import Mapping

__all__ = ["merge"]

# Conflicts that are shown; the others are only counted.
_SHOWN = 5


def merge(
    dir: Annotated[
        list[Path], typer.Argument(help="Terminologies; the ids and names of earlier ones take precedence.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Directory to write.", metavar="DIR")],
    map: Annotated[
        list[Path] | None, typer.Option(help="SSSOM tables; their exact matches join concepts.")
    ] = None,
    enrich: Annotated[
        list[Path] | None,
        typer.Option(help="Terminologies that add parents, types and definitions, but no names or concepts."),
    ] = None,
) -> None:
    """Join terminologies into one, or enrich one from others.

    Concepts with the same id, or joined by exact mappings (also through ids of other vocabularies), become one concept.
    Two concepts of one terminology are never joined; mappings that would join them are reported.

    Examples:
      linnet terminology merge mesh/ do/ mondo/ -o diseases/ --map mondo_exactmatch_mesh.sssom.tsv mondo_exactmatch_doid.sssom.tsv
      linnet terminology merge medic/ -o medic-plus/ --enrich mesh/ do/ --map mondo_exactmatch_mesh.sssom.tsv
    """
    from linnet.cli.terminology.summary import show
    from linnet.errors import RequestError
    from linnet.terminology import Terminology, write_terminology
    from linnet.terminology.enrich import enrich as enrich_from
    from linnet.terminology.merge import merge as merge_all
    from linnet.terminology.overlap import examples
    from linnet.types import Concept

    if len(dir) == 1 and not enrich:
        raise RequestError(
            "One terminology alone cannot be merged. Name a second one, or --enrich DIR to take parents from it."
        )
    given = [Terminology.open(path) for path in dir]
    extras = [Terminology.open(path) for path in enrich or ()]
    mappings, records = _read_mappings(map or (), [*given, *extras])
    concepts: Sequence[Concept]
    if len(given) > 1:
        merged = merge_all(given, mappings=mappings)
        concepts = merged.concepts
        note(f"Joined {merged.joined:,} concepts with others.")
        if mappings and merged.unknown:
            note(f"{merged.unknown:,} of {len(mappings):,} mappings are between unknown ids.")
        if merged.cycles:
            note(f"Left out {merged.cycles:,} parents that would be their own descendants.")
        _show_conflicts(merged.conflicts)
    else:
        concepts = list(given[0])
    for extra in extras:
        enriched = enrich_from(concepts, extra, mappings=mappings)
        concepts = enriched.concepts
        if not enriched.matched:
            raise RequestError(
                f"{extra.path} has no concept in common with {dir[0]}: "
                f"{', '.join(examples(extra.ids))} and {', '.join(examples(given[0].ids))}. "
                "Name mappings between them: --map FILE.sssom.tsv"
            )
        note(
            f"From {extra.path}: {enriched.matched:,} concepts in common; {enriched.parents:,} gained parents, "
            f"{enriched.types:,} types, {enriched.definitions:,} a definition."
        )
        _show_conflicts(enriched.conflicts)
    sources = [source for terminology in (*given, *extras) for source in terminology.manifest["sources"]]
    show(write_terminology(concepts, output, sources=[*sources, *records], pipeline=given[0].pipeline))


def _read_mappings(
    paths: Sequence[Path], terminologies: Sequence[Terminology]
) -> tuple[list[Mapping], list[dict[str, Any]]]:
    """All mappings, and the manifest's record of each table."""
    from linnet.terminology.build import source_record
    from linnet.terminology.overlap import check_mapped
    from linnet.terminology.sssom import read_sssom

    mappings: list[Mapping] = []
    records: list[dict[str, Any]] = []
    for path in paths:
        table = read_sssom(path)
        check_mapped(table, terminologies, path=path)
        mappings.extend(table.mappings)
        stated = {"licence": table.licence, "version": table.version}
        records.append({**source_record(path, format="sssom"), **{k: v for k, v in stated.items() if v}})
        left_out = f", {table.skipped:,} others left out" if table.skipped else ""
        note(f"{path}: {len(table.mappings):,} exact mappings{left_out}.")
    return mappings, records


def _show_conflicts(conflicts: Sequence[Conflict]) -> None:
    for conflict in conflicts[:_SHOWN]:
        note(f"Not joined: {conflict}")
    if len(conflicts) > _SHOWN:
        note(f"Not joined: {len(conflicts) - _SHOWN:,} more like these.")

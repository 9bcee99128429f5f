"""`linnet terminology merge`: several terminologies → one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linnet.cli.common_options import compiled
from linnet.cli.progress import note
from linnet.plural import counted

if TYPE_CHECKING:
    from linnet.terminology import Terminology
    from linnet.terminology.join import Conflict
    from linnet.terminology.name_joins import NameJoins
    from linnet.terminology.sssom import Mapping
    from linnet.types import Concept

__all__ = ["merge"]

# Conflicts that are shown; the others are only counted.
_SHOWN = 5
_JOINED, _NOT_JOINED = "joined-by-name.sssom.tsv", "not-joined-by-name.tsv"


def merge(
    dir: Annotated[
        list[Path],
        typer.Argument(
            help="Terminologies; the ids and names of earlier ones take precedence.", parser=compiled
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Directory to write.", metavar="DIR")],
    map: Annotated[
        list[Path] | None, typer.Option(help="SSSOM tables; their exact matches join concepts.")
    ] = None,
    enrich: Annotated[
        list[Path] | None,
        typer.Option(help="Terminologies that add parents, types and definitions, but no names or concepts."),
    ] = None,
    join_names: Annotated[
        bool,
        typer.Option(
            "--join-names",
            help="Also join concepts that share a name which is unique on both sides; with --enrich, add names too.",
        ),
    ] = False,
) -> None:
    """Join terminologies into one, or enrich one from others.

    Concepts with the same id, or joined by exact mappings (also through ids of other vocabularies), become one concept.
    Two concepts of one terminology are never joined; mappings that would join them are reported.

    --join-names joins by a shared name if it is the preferred name of one or both concepts and not an acronym, and no other
    concept competes. DIR/joined-by-name.sssom.tsv has these joins, as a table for --map; DIR/not-joined-by-name.tsv has the
    others, with the reason.

    Examples:
      linnet terminology merge mesh/ do/ mondo/ -o diseases/ --map mondo_exactmatch_mesh.sssom.tsv mondo_exactmatch_doid.sssom.tsv
      linnet terminology merge medic/ -o medic-plus/ --enrich mesh/ do/ --map mondo_exactmatch_mesh.sssom.tsv
      linnet terminology merge hpo/ mondo/ -o both/ --join-names
      linnet terminology merge mesh/ -o mesh-unii/ --enrich unii/ --join-names
    """
    from linnet.cli.terminology.summary import show
    from linnet.errors import RequestError
    from linnet.terminology import Terminology, write_terminology
    from linnet.terminology.enrich import enrich as enrich_from
    from linnet.terminology.merge import merge as merge_all
    from linnet.terminology.overlap import examples

    if len(dir) == 1 and not enrich:
        raise RequestError(
            "One terminology alone cannot be merged. Name a second one, or --enrich DIR to take parents from it."
        )
    given = [Terminology.open(path) for path in dir]
    extras = [Terminology.open(path) for path in enrich or ()]
    mappings, records = _read_mappings(map or (), [*given, *extras])
    joins = _joined_by_name([*given, *extras], mappings) if join_names else None
    mappings = [*mappings, *joins.mappings] if joins else mappings
    concepts: Sequence[Concept]
    if len(given) > 1:
        merged = merge_all(given, mappings=mappings)
        concepts = merged.concepts
        note(f"Joined {counted(merged.joined, 'concepts')} with others.")
        if mappings and merged.unknown:
            note(f"Mappings that lead to no concept: {merged.unknown:,} of {len(mappings):,}.")
        if merged.cycles:
            note(f"Left out {merged.cycles:,} parents that would be their own descendants.")
        if merged.strangers:
            id, name, other = merged.strangers[0]
            note(
                f"{counted(len(merged.strangers), 'concepts have the id of another one')}, but no name in common with it, e.g. {id}: "
                f"'{name}' and '{other}'. They became one. If ids are equal by chance, build one source with a --prefix of its own."
            )
        _show_conflicts(merged.conflicts)
    else:
        concepts = list(given[0])
    for extra in extras:
        enriched = enrich_from(concepts, extra, mappings=mappings, names=join_names)
        concepts = enriched.concepts
        if not enriched.matched:
            raise RequestError(
                f"{extra.path} has no concept in common with {dir[0]}: "
                f"{', '.join(examples(extra.ids))} and {', '.join(examples(given[0].ids))}. "
                "Name mappings between them: --map FILE.sssom.tsv"
            )
        note(
            f"From {extra.path}: {enriched.matched:,} concepts in common; {enriched.parents:,} gained parents, "
            f"{enriched.types:,} types, {enriched.definitions:,} a definition"
            + (f", {enriched.names:,} names." if join_names else ".")
        )
        _show_conflicts(enriched.conflicts)
    sources = [source for terminology in (*given, *extras) for source in terminology.manifest["sources"]]
    written = write_terminology(concepts, output, sources=[*sources, *records], pipeline=given[0].pipeline)
    if joins:
        _write(joins, written.path)
    show(written)


def _joined_by_name(terminologies: Sequence[Iterable[Concept]], mappings: Sequence[Mapping]) -> NameJoins:
    from linnet.terminology.name_joins import REASONS, join_names

    joins = join_names(terminologies, mappings=mappings)
    note(f"{len(joins.joined):,} pairs of concepts joined by a name.")
    for reason, count in joins.reasons().items():
        note(f"{count:,} pairs that share a name not joined: they {REASONS[reason]}.")
    if joins.ambiguous:
        note(
            f"{joins.ambiguous:,} shared names are of several concepts of one terminology, so they join nothing."
        )
    return joins


def _write(joins: NameJoins, directory: Path) -> None:
    from linnet import __version__
    from linnet.terminology.sssom_writer import write_name_joins, write_not_joined

    write_name_joins(joins, directory / _JOINED, version=__version__)
    write_not_joined(joins, directory / _NOT_JOINED)
    note(f"Joins by name: {directory / _JOINED}. Not joined: {directory / _NOT_JOINED}.")


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

"""`linnet terminology info`: the content of a terminology, and a check of its files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linnet.advice import Step
from linnet.cli.common_options import CompiledArgument
from linnet.cli.progress import aligned, note

if TYPE_CHECKING:
    from linnet.terminology import Terminology

__all__ = ["info"]

# Types, vocabularies and sources that are listed; "…" stands for the others.
_SHOWN = 8


def info(
    dir: CompiledArgument,
    verify: Annotated[
        bool, typer.Option("--verify", help="Compare the checksums of all files, indexes included.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
) -> None:
    """Show counts, sources, digest, default pipeline and indexes of a terminology.

    Examples:
      linnet terminology info mesh/
      linnet terminology info mesh/ --verify
      linnet terminology info mesh/ --json
    """
    from linnet.cli.terminology.summary import counts_of
    from linnet.terminology import Terminology
    from linnet.terminology.overrides import read_overrides

    terminology = Terminology.open(dir, verify=verify)
    overrides = len(read_overrides(terminology))
    indexes = _indexes(terminology, verify=verify)
    if as_json:
        manifest = {key: value for key, value in terminology.manifest.items() if key != "files"}
        shown = {"path": str(dir), **manifest, "overrides": overrides, "indexes": indexes}
        typer.echo(json.dumps(shown, indent=1, ensure_ascii=False))
        return
    sources = [str(source["path"]) for source in terminology.manifest["sources"]]
    pipeline = ", ".join(f"{step} {value}" for step, value in terminology.pipeline.items())
    typer.echo(str(dir))
    typer.echo(
        aligned(
            {
                **counts_of(terminology),
                "types": _listed(terminology.type_names),
                "vocabularies": _listed(terminology.source_names),
                "built from": _listed(sources),
                "overrides": f"{overrides:,}",
                "pipeline": pipeline or "linnet's default",
                "indexes": ", ".join(_described(index) for index in indexes)
                or f"none. Run: linnet index {dir}",
                "digest": terminology.digest,
            }
        )
    )
    if verify:
        note("All checksums are right.")


def _listed(values: list[str]) -> str:
    if not values:
        return "none"
    return ", ".join(values[:_SHOWN]) + (f", … ({len(values):,} in all)" if len(values) > _SHOWN else "")


def _indexes(terminology: Terminology, *, verify: bool) -> list[dict[str, Any]]:
    """Of each index: name, kind, size, and whether it was built from the current content."""
    from linnet.io import artifact

    rebuild = Step.BUILD_INDEX(terminology=terminology.path)
    indexes = []
    for path in sorted((terminology.path / "index").glob("*/index.json")):
        fields = artifact.read_manifest(path.parent, path.name, what="index", rebuild=rebuild)
        if verify:
            artifact.check(path.parent, fields, rebuild=rebuild, everything=True)
        indexes.append(
            {
                "name": path.parent.name,
                "kind": fields.get("kind"),
                "bytes": sum(file["bytes"] for file in fields["files"].values()),
                "current": fields.get("terminology") == terminology.digest,
            }
        )
    return indexes


def _described(index: dict[str, Any]) -> str:
    stale = "" if index["current"] else ", out of date"
    return f"{index['name']} ({index['bytes'] / 1e6:.1f} MB{stale})"

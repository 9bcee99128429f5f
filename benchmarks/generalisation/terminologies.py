"""The terminologies that the dev sets are linked to, built and indexed once in a folder.

What has been built is kept under a name that changes with the recipes and the sizes of a recipe's sources.
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from benchmarks.generalisation import recipes as making
from benchmarks.generalisation.recipes import Recipe, recipes
from linnet.io import artifact
from linnet.link import Pipeline
from linnet.link.indexing import build_indexes, build_name_features
from linnet.terminology import Terminology, write_terminology
from linnet.train import held_out_names
from linnet.train.held_out_names import hold_out

__all__ = ["Built", "build"]

_HELD = "held-out.jsonl"
_SEED = 15


class Built(NamedTuple):
    """A terminology with its indexes, and the names held out of it with their concepts."""

    terminology: Terminology
    held_out: list[tuple[str, str]]


def build(name: str, folder: Path, out: Path) -> Built:
    """The terminology of a recipe with the indexes of the default pipeline, from `out` if it is there.

    folder  `terminologies/` of the real data
    """
    recipe = recipes[name]
    place = out / f"{name}-{_digest(recipe, folder)}"
    held_file = place / _HELD
    if not held_file.exists():
        print(f"building {name}", file=sys.stderr, flush=True)
        reduced, names, _ = hold_out(
            recipe.concepts(folder), count=recipe.held_out, seed=_SEED, asked=recipe.asked
        )
        terminology = write_terminology(
            (replace(concept, xrefs=()) for concept in reduced),
            place,
            sources=[{"path": source} for source in recipe.sources],
        )
        held_file.write_text(
            "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in names), encoding="utf-8"
        )
    terminology = Terminology.open(place)
    pipeline = Pipeline()
    build_indexes(terminology, pipeline.retrievers, update=True)
    build_name_features(terminology, pipeline, update=True)
    rows = map(json.loads, held_file.read_text(encoding="utf-8").splitlines())
    return Built(terminology, [(text, concept) for text, concept in rows])


def _digest(recipe: Recipe, folder: Path) -> str:
    sizes = [f"{source} {(folder / source).stat().st_size}" for source in recipe.sources]
    modules = (making, *([held_out_names] if recipe.held_out else []))
    code = (ast.dump(ast.parse(inspect.getsource(module))) for module in modules)
    return artifact.digest(*code, *sizes, str(recipe.held_out))[:8]

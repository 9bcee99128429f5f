"""The reranker for a dev set that `context` learns from: the same run file without the sources of that set.

`experiments/context.toml` is trained once for each left-out set, on features that are computed once. What is left out is
every source that shares the set's texts or asks names of its terminology. Kept in bench-out/generalisation/rerankers as
long as neither the run file, nor the features, nor their training changes; other changes of linking, as with the shipped
one, do not train it again.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import torch

import linnet
from linnet import artifact
from linnet.train.crossfit import Crossfit
from linnet.train.loop import train
from linnet.train.run import read_run
from linnet.train.tasks.listwise import Examples, ListwiseSettings, ListwiseTask, fold_examples, open_crossfit

__all__ = ["LEFT_OUT", "RUN_FILE", "reranker_without"]

ROOT = Path(__file__).parents[2]
RUN_FILE = ROOT / "experiments" / "context.toml"
# Dev set → sources of the run file: a corpus by its file's stem, names by their terminology's folder.
LEFT_OUT: Mapping[str, tuple[str, ...]] = {
    "tmvar-diseases": ("tmvar-diseases",),
    "nlm-chem": ("nlm-chem",),
    "hpo-notes": ("hpo-notes",),
    "medmentions": ("medmentions", "medmentions-dev"),
    "medmentions-dev": ("medmentions", "medmentions-dev"),
    "askapatient": ("askapatient",),
    "mesh-synonyms": ("names of mesh",),
    "hpo-synonyms": ("names of hpo-2025",),
    "mondo-synonyms": ("names of mondo",),
    "cells-synonyms": ("names of cells",),
    "genes-synonyms": ("names of genes",),
}


class _Prepared(NamedTuple):
    settings: ListwiseSettings
    crossfit: Crossfit
    examples: Mapping[int, Sequence[Examples]]


def reranker_without(dev_set: str, out: Path) -> Path:
    """The directory of the reranker that has learnt nothing from a dev set, trained now if it is not in `out`."""
    sources = LEFT_OUT[dev_set]
    key = artifact.digest(_code(), RUN_FILE, *sources)
    place = out / "rerankers" / f"without-{'-'.join(sources).replace(' ', '-')}-{key[:12]}"
    if not place.exists():
        prepared = _prepared()
        print(f"training without {' and '.join(sources)}", file=sys.stderr, flush=True)
        _train(prepared, sources, place)
    return place


_MODULES = (
    *(
        f"rerank/{name}.py"
        for name in ("features", "name_features", "candidate_table", "context_words", "mention_priors")
    ),
    *(f"train/{name}.py" for name in ("sources", "held_out_names", "crossfit", "tasks/listwise")),
    "semantic_groups.py",
    "models/ngram/model.toml",
)


@cache
def _code() -> str:
    package = Path(linnet.__file__).parent
    return artifact.digest(*(package / name for name in _MODULES))


@cache
def _prepared() -> _Prepared:
    settings, _ = read_run(RUN_FILE)
    assert isinstance(settings, ListwiseSettings)
    crossfit = open_crossfit(settings.data, threads=settings.loop.threads)
    print("features of all sources", file=sys.stderr, flush=True)
    return _Prepared(settings, crossfit, fold_examples(settings, crossfit, crossfit.lists()))


def _train(prepared: _Prepared, sources: Sequence[str], place: Path) -> None:
    settings, crossfit, examples = prepared
    names = [
        f"names of {source.settings.terminology.name}"
        if source.settings.names
        else source.settings.corpora[0].stem
        for source in crossfit.sources
    ]
    torch.set_num_threads(1)
    torch.manual_seed(settings.seed)
    without = [names.index(source) for source in sources]
    task = ListwiseTask(settings, crossfit, examples, without=without)
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent) as folder:
        print(train(task, settings.loop, Path(folder)).scores, file=sys.stderr, flush=True)
        draft = Path(folder) / place.name
        task.save(draft, card="", training={})
        draft.rename(place)

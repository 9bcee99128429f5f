"""The rerankers for a dev set that `context` and `accurate` learn from: the same run file without the sources of that set.

`experiments/context.toml`, and `experiments/accurate.toml` behind it, are trained once for each left-out set, on features that
are computed once. What is left out is every source that shares the set's texts or asks names of its terminology. Kept in
bench-out/generalisation/rerankers as long as neither the run file, nor the data, nor the features, nor their training changes;
other changes of linking, as with the shipped ones, do not train them again.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import torch

import linnet
from linnet.io import artifact
from linnet.io.settings_files import NameOrPath
from linnet.terminology import Terminology
from linnet.train.corpus import corpus_files
from linnet.train.crossfit import Crossfit
from linnet.train.loop import train
from linnet.train.run import read_run
from linnet.train.tasks.listwise import Examples, ListwiseSettings, ListwiseTask, fold_examples, open_crossfit
from linnet.train.tasks.second_encoder import SecondEncoderSettings, SecondEncoderTask, second_examples

__all__ = ["ACCURATE", "LEFT_OUT", "RUN_FILE", "accurate_without", "reranker_without"]

ROOT = Path(__file__).parents[2]
RUN_FILE = ROOT / "experiments" / "context.toml"
ACCURATE = ROOT / "experiments" / "accurate.toml"
# Dev set → sources of the run file: a corpus by its file's stem, names by their terminology's folder.
LEFT_OUT: Mapping[str, tuple[str, ...]] = {
    "tmvar-diseases": ("tmvar-diseases",),
    "nlm-chem": ("nlm-chem",),
    "nlm-chem-articles": ("nlm-chem",),
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
    """The directory of `context` without a dev set's sources, trained now if it is not in `out`."""
    sources = LEFT_OUT[dev_set]
    place = _place(out, "without", sources, artifact.digest(_code(), RUN_FILE, *sources))
    if not place.exists():
        prepared = _prepared()
        _train(ListwiseTask, prepared.settings, prepared, sources, place)
    return place


def accurate_without(dev_set: str, out: Path) -> Path:
    """The directory of `accurate` without a dev set's sources, behind a `context` without them, trained as `reranker_without`."""
    sources = LEFT_OUT[dev_set]
    first = reranker_without(dev_set, out)
    key = artifact.digest(_accurate_code(), ACCURATE, first.name, *sources)
    place = _place(out, "accurate-without", sources, key)
    if not place.exists():
        prepared = _accurate_prepared()
        assert isinstance(prepared.settings, SecondEncoderSettings)
        data = replace(prepared.settings.data, first=NameOrPath(str(first)))
        _train(SecondEncoderTask, replace(prepared.settings, data=data), prepared, sources, place)
    return place


def _place(out: Path, prefix: str, sources: Sequence[str], key: str) -> Path:
    return out / "rerankers" / f"{prefix}-{'-'.join(sources).replace(' ', '-')}-{key[:12]}"


_MODULES = (
    *(
        f"rerank/{name}.py"
        for name in (
            *("features", "name_features", "candidate_table", "context_words", "mention_priors"),
            *("listwise", "listwise_scorer", "calibrator"),
        )
    ),
    *(
        f"train/{name}.py"
        for name in ("sources", "held_out_names", "crossfit", "calibration", "loop", "tasks/listwise")
    ),
    "words/semantic_groups.py",
    "models/ngram/model.toml",
)


@cache
def _code() -> str:
    package = Path(linnet.__file__).parent
    settings, _ = read_run(RUN_FILE)
    assert isinstance(settings, ListwiseSettings)
    return artifact.digest(*(package / name for name in _MODULES), *_data(settings))


def _data(settings: ListwiseSettings) -> list[str]:
    """Digests of the corpora and terminologies of a run file."""
    sources = settings.data.sources
    files = {file for source in sources for path in source.corpora for file in corpus_files(path)}
    terminologies = {source.terminology for source in sources}
    return [
        *sorted(f"{file.name} {artifact.digest(file)}" for file in files),
        *sorted(f"{path.name} {Terminology.open(path).digest}" for path in terminologies),
    ]


_SECOND = (
    "rerank/second_stage_features.py",
    "rerank/second_stage.py",
    "train/tasks/second_encoder.py",
    "models/accurate/encoder/model.toml",
)


@cache
def _accurate_code() -> str:
    package = Path(linnet.__file__).parent
    return artifact.digest(_code(), *(package / name for name in _SECOND))


@cache
def _prepared() -> _Prepared:
    settings, _ = read_run(RUN_FILE)
    assert isinstance(settings, ListwiseSettings)
    crossfit = open_crossfit(settings.data, threads=settings.loop.threads)
    print("features of all sources", file=sys.stderr, flush=True)
    return _Prepared(settings, crossfit, fold_examples(settings, crossfit))


@cache
def _accurate_prepared() -> _Prepared:
    settings, _ = read_run(ACCURATE)
    assert isinstance(settings, SecondEncoderSettings)
    # The encoder is the one that is shipped; its index in each terminology has the name of the run's output.
    shipped = Path(linnet.__file__).parent / "models" / "accurate" / "encoder"
    settings = replace(settings, data=replace(settings.data, second=NameOrPath(str(shipped))))
    crossfit = open_crossfit(settings.data, threads=settings.loop.threads)
    print("features of all sources, by both encoders", file=sys.stderr, flush=True)
    return _Prepared(settings, crossfit, second_examples(settings, crossfit))


def _train(
    task: type[ListwiseTask],
    settings: ListwiseSettings,
    prepared: _Prepared,
    sources: Sequence[str],
    place: Path,
) -> None:
    print(f"training {task.__name__} without {' and '.join(sources)}", file=sys.stderr, flush=True)
    names = [
        f"names of {source.settings.terminology.name}"
        if source.settings.names
        else source.settings.corpora[0].stem
        for source in prepared.crossfit.sources
    ]
    torch.set_num_threads(1)
    torch.manual_seed(settings.seed)
    without = [names.index(source) for source in sources]
    made = task(settings, prepared.crossfit, prepared.examples, without=without)
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent) as folder:
        print(train(made, settings.loop, Path(folder)).scores, file=sys.stderr, flush=True)
        draft = Path(folder) / place.name
        made.save(draft, card="", training={})
        draft.rename(place)

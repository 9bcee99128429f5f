"""Fits the model of literal names that lies in the calibrators of `context` and `accurate`.

    python experiments/literal_names.py experiments/context.toml src/linnet/models/context src/linnet/models/accurate

The corpora of the run file are linked fold by fold, with a memory of the other folds, in their texts and as bare strings, with the
plain dictionary and, where mentions are remembered, with the other folds' mentions as names. The model is fitted to the corpora
whose mentions are remembered: NCBI and BC5CDR. Prints the weights, and for each corpus how models of the other folds do; then
writes the model into the calibrators. Names held out of terminologies are left out: what is literal among them is a homonym.
Nothing outside train is read.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from linnet.encode.model import MANIFEST
from linnet.evaluate.calibration import expected_calibration_error
from linnet.evaluate.gold import gold_mentions
from linnet.link import Pipeline
from linnet.rerank.calibrator import FILE, Calibrator
from linnet.rerank.literal_names import fit_literal_names
from linnet.train.calibration import judge_mentions
from linnet.train.crossfit import GROUP, Crossfit
from linnet.train.run import read_run
from linnet.train.tasks.listwise import ListwiseSettings, open_crossfit
from linnet.train.tasks.second_encoder import forgetting
from linnet.types import Mention

THRESHOLD = 0.95


class Case(NamedTuple):
    """A literal name: fold, corpus, whether its mentions are remembered, document, facts, whether the link is right."""

    fold: int
    corpus: str
    remembered: bool
    document: str
    facts: tuple[float, ...]
    right: bool


def main() -> None:
    """Run what the module says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run_file", type=Path)
    parser.add_argument("models", type=Path, nargs="*", help="directories whose calibrators get the model")
    given = parser.parse_args()
    settings, _ = read_run(given.run_file)
    assert isinstance(settings, ListwiseSettings)
    corpora = tuple(source for source in settings.data.sources if source.corpora)
    crossfit = open_crossfit(replace(settings.data, sources=corpora), threads=settings.loop.threads)
    found = [case for fold in range(crossfit.folds) for case in cases(crossfit, fold)]
    facts, right = np.array([case.facts for case in found]), np.array([case.right for case in found])
    fold, learnt = (np.array([getattr(case, name) for case in found]) for name in ("fold", "remembered"))
    p = np.zeros(len(found))
    for number in range(crossfit.folds):
        outside = learnt & (fold != number)
        others = fit_literal_names(facts[outside], right[outside].tolist())
        p[fold == number] = others.at(facts[fold == number])
    for corpus in dict.fromkeys(case.corpus for case in found):
        here = np.array([case.corpus == corpus for case in found])
        documents = [case.document for case in found if case.corpus == corpus]
        error = expected_calibration_error(p[here].tolist(), right[here].tolist(), documents).value
        kept = here & (p >= THRESHOLD)
        print(
            f"{corpus}: {here.sum():,} names, {right[here].mean():.3f} right, mean probability {p[here].mean():.3f}, "
            f"calibration error {error:.3f}; at {THRESHOLD} {kept.sum() / here.sum():.3f} kept, {right[kept].mean():.3f} right"
        )
    literal = fit_literal_names(facts[learnt], right[learnt].tolist())
    print(literal)
    for model in given.models:
        replace(Calibrator.open(model), literal=literal).save(model / FILE)
        print(f"{model / FILE} is written; its checksum in {MANIFEST} is to be renewed.")


def cases(crossfit: Crossfit, fold: int) -> Iterator[Case]:
    """The literal names of a fold."""
    with tempfile.TemporaryDirectory() as folder:
        reranker = str(forgetting("context", crossfit, fold, Path(folder) / "m"))
        pipeline = Pipeline(reranker=reranker, depth=8, min_probability=0.0)
        for number, source in enumerate(crossfit.sources):
            documents, types = crossfit.in_fold(number, fold), source.settings.types
            corpus = f"{source.settings.corpora[0].stem} {' '.join(types)}".strip()
            mentions = list(gold_mentions(documents, types=types))
            for augmented in (None, fold) if source.remembered else (None,):
                linker = crossfit.linker(number, augmented, pipeline)
                for bare in (False, True):
                    asked = [Mention.alone(mention.text) for mention in mentions] if bare else None
                    judged = judge_mentions(linker, documents, types=types, asked=asked)
                    for mention, link in zip(mentions, judged, strict=True):
                        if link is not None and link.literal is not None:
                            document = str(mention.document.extra.get(GROUP, mention.document.id))
                            known = tuple(link.literal.tolist())
                            yield Case(fold, corpus, source.remembered, document, known, link.right)
    print(f"fold {fold}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()

"""Fits the model of literal names that lies in the calibrators of `context` and `accurate`.

    python experiments/literal_names.py experiments/context.toml src/linnet/models/context src/linnet/models/accurate

All corpora of the run file are linked fold by fold, with a memory of the other folds and without; where mentions are remembered,
also with the other folds' mentions as names. Bare strings are left out: linked as they are written, they are the same cases
again, and those read in another way get a probability for that too. A text counts once in a document; a corpus as the square
root of its cases, and in it each way of linking the same. Prints the weights, and for each corpus how models do
that have not seen it, and that have not seen the fold; then writes the model into the calibrators. Names held out of
terminologies are left out: what is literal among them is a homonym. Nothing outside train is read.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from harness import parser_of

from linnet.encode.model import MANIFEST
from linnet.evaluate.calibration import expected_calibration_error
from linnet.evaluate.gold import gold_mentions
from linnet.io.artifact import describe
from linnet.link import Pipeline
from linnet.rerank.calibrator import FILE, Calibrator
from linnet.rerank.literal_names import fit_literal_names
from linnet.train.calibration import judge_mentions
from linnet.train.crossfit import GROUP, Crossfit
from linnet.train.run import read_run
from linnet.train.tasks.listwise import ListwiseSettings, open_crossfit
from linnet.train.tasks.second_encoder import forgetting

THRESHOLD = 0.95
WAYS = ((True, False), (False, True))  # memory, names of other folds


class Case(NamedTuple):
    """A literal name: fold, corpus, way of linking (see `WAYS`), document, text, facts, whether the link is right."""

    fold: int
    corpus: str
    way: tuple[bool, ...]
    document: str
    text: str
    facts: tuple[float, ...]
    right: bool


def main() -> None:
    """Run what the module says."""
    parser = parser_of(__doc__)
    parser.add_argument("run_file", type=Path)
    parser.add_argument("models", type=Path, nargs="*", help="directories whose calibrators get the model")
    given = parser.parse_args()
    settings, _ = read_run(given.run_file)
    assert isinstance(settings, ListwiseSettings)
    corpora = tuple(source for source in settings.data.sources if source.corpora)
    crossfit = open_crossfit(replace(settings.data, sources=corpora), threads=settings.loop.threads)
    found = list(dict.fromkeys(case for fold in range(crossfit.folds) for case in cases(crossfit, fold)))
    facts, right = np.array([case.facts for case in found]), np.array([case.right for case in found])
    of_corpus, of_way = Counter(c.corpus for c in found), Counter((c.corpus, c.way) for c in found)
    ways = Counter(corpus for corpus, _ in of_way)
    counts = np.array(
        [of_corpus[c.corpus] ** 0.5 / ways[c.corpus] / of_way[c.corpus, c.way] for c in found], np.float64
    )
    counts *= len(found) / counts.sum()
    for key in ("corpus", "fold"):
        p = np.zeros(len(found))
        parts: list[Any] = [getattr(case, key) for case in found]
        for part in dict.fromkeys(parts):
            inside = np.array([other == part for other in parts])
            seen = fit_literal_names(facts[~inside], right[~inside].tolist(), counts[~inside])
            p[inside] = seen.at(facts[inside])
        print(f"Each {key} by a model that has not seen it:")
        for corpus, memory in product(of_corpus, WAYS[0]):
            here = np.array([c.corpus == corpus and c.way == (memory, False) for c in found])
            documents = [case.document for case, is_here in zip(found, here, strict=True) if is_here]
            error = expected_calibration_error(p[here].tolist(), right[here].tolist(), documents).value
            kept = here & (p >= THRESHOLD)
            print(
                f"{corpus}, memory {memory}: {here.sum():,} names, {right[here].mean():.3f} right, mean probability "
                f"{p[here].mean():.3f}, calibration error {error:.3f}; at {THRESHOLD} {kept.sum() / here.sum():.3f} kept, "
                f"{right[kept].mean():.3f} right"
            )
    literal = fit_literal_names(facts, right.tolist(), counts)
    print(f"{len(found):,} names: {literal}")
    for model in given.models:
        replace(Calibrator.open(model), literal=literal).save(model / FILE)
        renew_checksum(model)


def renew_checksum(model: Path) -> None:
    """Writes the size and checksum of the calibrator into the manifest beside it."""
    manifest, [described] = model / MANIFEST, describe(model, [model / FILE]).values()
    lines = "".join(f"{name} = {value}\n" for name, value in described.items())
    table = re.compile(rf'(?<=\[files\."{re.escape(FILE)}"\]\n)(?:\w+ = \d+\n)+')
    manifest.write_text(table.sub(lines, manifest.read_text(encoding="utf-8")), encoding="utf-8")


def cases(crossfit: Crossfit, fold: int) -> Iterator[Case]:
    """The literal names of a fold."""
    with tempfile.TemporaryDirectory() as folder:
        reranker = str(forgetting("context", crossfit, fold, Path(folder) / "m"))
        for (number, source), way in product(enumerate(crossfit.sources), product(*WAYS)):
            memory, augmented = way
            if augmented and not source.remembered:
                continue
            documents, types = crossfit.in_fold(number, fold), source.settings.types
            corpus = f"{source.settings.corpora[0].stem.removesuffix('-dev')} {' '.join(types)}".strip()
            mentions = list(gold_mentions(documents, types=types))
            pipeline = Pipeline(reranker=reranker, depth=8, min_probability=0.0, memory=memory)
            linker = crossfit.linker(number, fold if augmented else None, pipeline)
            judged = judge_mentions(linker, documents, types=types)
            for mention, link in zip(mentions, judged, strict=True):
                if link is not None and link.literal is not None:
                    document = str(mention.document.extra.get(GROUP, mention.document.id))
                    known = tuple(link.literal.tolist())
                    yield Case(fold, corpus, way, document, mention.text, known, link.right)
    print(f"fold {fold}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()

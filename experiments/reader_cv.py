"""What the reader's weights reach on strings that they were not learnt from, and what each source and each feature does.

    LINNET_DATA=… python experiments/reader_cv.py experiments/reader.toml docs/results       (after what the run file needs; ten minutes)

Writes reader.json and, with the results in it, reader.md. The strings are read once, by the weights that the shipped reader has now.
`--report` writes the page from the JSON alone.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from harness import parser_of

from linnet.link.reader import Reader
from linnet.train.reading_examples import Example
from linnet.train.run import read_run
from linnet.train.tasks.reader import ReaderSettings, ReaderTask, ReadingScorer, fit, fold_of

_STEPS = 80  # of each fit: from the weights of all strings, half of that is enough
_JSON, _PAGE = "reader.json", "reader.md"
_STRONGEST = 24
"""So many features are on the page; all are in the JSON."""


def main() -> None:
    """Measure, unless only the page is wanted, and write the page."""
    parser = parser_of(__doc__)
    parser.add_argument("run_file", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--report", action="store_true")
    given = parser.parse_args()
    if not given.report:
        settings, _ = read_run(given.run_file)
        assert isinstance(settings, ReaderSettings)
        torch.set_num_threads(settings.loop.threads or 1)
        (given.out / _JSON).write_text(json.dumps(measured(settings), indent=1, ensure_ascii=False) + "\n")
    results = json.loads((given.out / _JSON).read_text(encoding="utf-8"))
    (given.out / _PAGE).write_text(page(results), encoding="utf-8")


def measured(settings: ReaderSettings) -> dict[str, Any]:
    """Shares right by source, and log likelihoods: before, cross-validated, without each source, and without each feature."""
    prior = settings.weights
    first = replace(settings, weights=Reader.open("reader").weights, fit=replace(settings.fit, rounds=1))
    strings = ReaderTask.prepare(first).strings
    folds = [[e for e in strings if fold_of(e, settings.data.folds) == n] for n in range(settings.data.folds)]
    print(f"{len(strings):,} strings", flush=True)

    def learnt(
        learnt_from: Sequence[Example],
        without: Collection[str] = (),
        start: Mapping[str, float] | None = None,
    ) -> dict[str, float]:
        kept = [example.without(without) for example in learnt_from] if without else learnt_from
        scorer = ReadingScorer(prior, kept, penalty=settings.fit.penalty)
        if start is not None:
            with torch.no_grad():
                scorer.weights.copy_(torch.tensor([start.get(name, 0.0) for name in scorer.features]))
        fit(scorer, steps=_STEPS if start is None else _STEPS // 2)
        return scorer.by_name()

    everything = learnt(strings)
    rest = [[e for other in folds if other is not fold for e in other] for fold in folds]
    of_folds = [learnt(kept, start=everything) for kept in rest]
    print("cross-validated", flush=True)
    sources = {}
    for label in dict.fromkeys(e.question.label.removesuffix(", composed") for e in strings):
        own = [e for e in strings if e.question.label.removesuffix(", composed") == label]
        weights = learnt(
            [e for e in strings if e.question.label.removesuffix(", composed") != label], start=everything
        )
        sources[label] = scores([(own, weights)])
        print(f"without {label}", flush=True)
    # Without each feature: on one fold, learnt from the others.
    features = {}
    whole = scores([(folds[0], learnt(rest[0], start=of_folds[0]))])  # as long as those without a feature
    for name in sorted(everything):
        weights = learnt(rest[0], {name}, start=of_folds[0])
        of_name = scores([([e.without({name}) for e in folds[0]], weights)])
        used = sum(any(name in reading for reading in e.features) for e in folds[0])
        features[name] = {
            "weight": everything[name],
            "strings": used,
            "log_likelihood": whole["log_likelihood"] - of_name["log_likelihood"],
            "right": whole["every"] - of_name["every"],
        }
    return {
        "strings": len(strings),
        "distinct": len({e.question.query.text for e in strings}),
        "before": scores([(strings, prior)]),
        "learnt": scores([(strings, everything)]),
        "cross_validated": scores(list(zip(folds, of_folds, strict=True))),
        "without_source": sources,
        "without_feature": features,
    }


def scores(judged: Sequence[tuple[Sequence[Example], Mapping[str, float]]]) -> dict[str, Any]:
    """Of strings with the weights that read them: number and share right by source, share of all strings by weight, and mean log
    likelihood by weight."""
    by_label: dict[str, list[bool]] = {}
    good = likelihood = total = 0.0
    for strings, weights in judged:
        scorer = ReadingScorer(weights, strings, penalty=0.0)
        with torch.no_grad():
            right, each = scorer.read_right().tolist(), scorer.log_likelihoods().tolist()
        for example, is_right, one in zip(strings, right, each, strict=True):
            by_label.setdefault(example.question.label, []).append(is_right)
            good += example.weight * is_right
            likelihood += example.weight * one
            total += example.weight
    return {
        "every": good / total,
        "log_likelihood": likelihood / total,
        "sources": {
            label: {"strings": len(own), "right": float(np.mean(own))} for label, own in by_label.items()
        },
    }


def page(results: Mapping[str, Any]) -> str:
    """The page."""
    before, learnt, crossed = (results[name] for name in ("before", "learnt", "cross_validated"))
    rows = []
    for label, of in crossed["sources"].items():
        alone = results["without_source"][label.removesuffix(", composed")]["sources"][label]
        cells = [f"{100 * each['right']:.1f}" for each in (before["sources"][label], of, alone)]
        rows.append(f"| {label} | {of['strings']:,} | {' | '.join(cells)} |")
    used = ((name, of) for name, of in results["without_feature"].items() if of["strings"])
    features = sorted(used, key=lambda item: -item[1]["log_likelihood"])
    shown = [
        *features[:_STRONGEST],
        *(item for item in features[_STRONGEST:] if item[1]["log_likelihood"] <= 0),
    ]
    lost = [
        f"| {name} | {of['weight']:.2f} | {1000 * of['log_likelihood']:+.2f} | {100 * of['right']:+.2f} |"
        for name, of in shown
    ]
    harmless = sum(of["log_likelihood"] <= 0 for _, of in features)
    return f"""# How strings are read

**The learnt weights read {100 * crossed["every"]:.1f} % of unseen strings right, weights by hand
{100 * before["every"]:.1f} %.**

![What the strongest features gain in log likelihood, in thousandths per string](reader.svg)

## Question

How often is the reading right that the learnt weights choose, and what does each source, and each feature, do? The strings have
right and wrong readings; literal names are not among them, nor what the search does not find. So the shares are no accuracies of
linking, which [Left-out corpora](generalisation.md) has.

## Answer

Of {results["distinct"]:,} distinct strings ({results["strings"]:,} questions, weighted as in the run file),
{100 * crossed["every"]:.1f} % are read right in folds that the weights had not seen, {100 * learnt["every"]:.1f} % of all that
they were learnt from. {len(features) - harmless} of {len(features)} features make the right readings of unseen strings more
probable, {harmless} do not.

## Sources

Share of strings read right, in %: with the weights of the run file before anything is learnt; cross-validated
in five folds by text; learnt from all sources but this one.

| source | strings | before | cross-validated | without it |
|---|---:|---:|---:|---:|
{chr(10).join(rows)}

## Features

Weights learnt without a feature, on four folds, compared with those learnt with it, on the fifth: what the feature gains there in
log likelihood (thousandths per string) and in strings read right (points), both weighted: the {_STRONGEST} strongest, and
those that do not gain.

<!-- plot reader.svg: gain in log likelihood, thousandths per string; column 2; row 1-16 -->

| feature | weight | log likelihood | right |
|---|---:|---:|---:|
{chr(10).join(lost)}

## How to repeat it

```bash
python experiments/reader_cv.py experiments/reader.toml docs/results
```

[reader.json](reader.json) has every feature and source.
"""


if __name__ == "__main__":
    main()

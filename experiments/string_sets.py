"""The curve for sets: from the product of the parts' probabilities to that of the whole set, fitted on strings composed from names.

    LINNET_DATA=… python experiments/string_sets.py [--model FOLDER] [--strings 1600] [--into FOLDER]

Links strings composed from the names of HPO, Mondo and MeSH with names held out (`linnet.train.composed_strings`,
`benchmarks.generalisation`) with the default pipeline, or another reranker, and takes those that were divided. Crosswise: fitted
on two terminologies and measured on the third. `--into` adds the curve to `calibrator.json` of a model folder: the same file that
has the curves for single links, so that a model without it still opens, and its sets keep the product. No dev set is read. A few minutes,
beside building the terminologies in bench-out/generalisation the first time.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT))

from benchmarks.generalisation.calibration import calibration  # noqa: E402
from benchmarks.generalisation.terminologies import build  # noqa: E402
from linnet.encode.named_models import model_place  # noqa: E402
from linnet.link import Linker, Pipeline  # noqa: E402
from linnet.rerank.calibrator import Calibrator, Curve  # noqa: E402
from linnet.train.composed_strings import compose  # noqa: E402
from linnet.train.set_curve import (  # noqa: E402
    JudgedSet,
    fit_set_curve,
    judge_sets,
    with_set_curve,
)

TERMINOLOGIES = ("hpo-held-out", "mondo-held-out", "mesh-held-out")
SEED = 3


def judged_sets(name: str, model: Path, *, strings: int, data: Path, out: Path) -> list[JudgedSet]:
    """The composed strings of a terminology that were divided."""
    built = build(name, data / "terminologies", out / "terminologies")
    composed = compose(iter(built.terminology), count=strings, seed=SEED, held_out=built.held_out)
    linker = Linker.open([built.terminology], pipeline=Pipeline(reranker=str(model)))
    curves = {way: curve for way, curve in linker.reranking.calibrator.curves.items() if way != "set"}
    linker.reranking.calibrator = Calibrator(curves)
    return judge_sets(linker, composed)


def error_with(curve: Curve | None, rows: Sequence[JudgedSet]) -> str:
    """Excess calibration error, mean probability and share right of sets, with a curve or without one."""
    raw = [probability for probability, _ in rows]
    found = calibration(raw if curve is None else curve.at(raw).tolist(), [right for _, right in rows])
    assert found is not None
    return f"excess {found.excess:+.3f}, mean {found.mean:.3f}, right {found.right:.3f} (n {found.answers})"


def report(judged: Mapping[str, Sequence[JudgedSet]]) -> None:
    for name, rows in judged.items():
        others = [row for other, part in judged.items() if other != name for row in part]
        print(
            f"{name}: without {error_with(None, rows)}; of the others {error_with(fit_set_curve(others), rows)}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="The curve for sets of concepts.")
    parser.add_argument("--model", type=Path, default=model_place("context"), help="folder of a reranker")
    parser.add_argument("--strings", type=int, default=1600, help="composed of each terminology")
    parser.add_argument("--into", type=Path, help="folder of a model whose calibrator gets the curve")
    parser.add_argument("--out", type=Path, default=ROOT / "bench-out" / "generalisation")
    given = parser.parse_args()
    data = Path(os.environ["LINNET_DATA"])
    judged = {
        name: judged_sets(name, given.model, strings=given.strings, data=data, out=given.out)
        for name in TERMINOLOGIES
    }
    report(judged)
    curve = fit_set_curve([row for rows in judged.values() for row in rows])
    print("scores", np.round(curve.scores, 3).tolist())
    print("probabilities", np.round(curve.probabilities, 3).tolist())
    if given.into is not None:
        with_set_curve(given.into, curve)


if __name__ == "__main__":
    main()

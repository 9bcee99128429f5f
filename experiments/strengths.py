"""The weights of the reranker of strengths, from strings of drugs, and its calibrator.

    LINNET_DATA=… python experiments/strengths.py [--out src/linnet/models/strengths]

Learns on the tuning half of `benchmarks/drug_strings.py`: the softmax over the candidates of each string, L-BFGS, L2 0.001. Printed are the
share of right answers by five-fold cross-validation over concepts; the calibrator is fitted on the held-out scores. Two minutes.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from zlib import crc32

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

import drug_strings  # noqa: E402

import linnet  # noqa: E402
from linnet.io.artifact import digest  # noqa: E402
from linnet.rerank.calibrator import FILE, Calibrator, fit_curve  # noqa: E402
from linnet.rerank.strengths import FEATURES, StrengthReranker, features_of  # noqa: E402
from linnet.types import Mention  # noqa: E402

FOLDS, PENALTY, CANDIDATES = 5, 1e-3, 64


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=ROOT / "src/linnet/models/strengths")
    options = parser.parse_args()
    folder = Path(os.environ.get("LINNET_DATA", ROOT.parent / "shared/data")) / "corpora/drug-strings"
    products = [*drug_strings.belgian(folder), *drug_strings.british(folder)]
    names = drug_strings.concepts(products)
    asked = [*((p.source, p.text, drug_strings.key(p)) for p in products), *drug_strings.written(products)]
    asked = [each for each in dict.fromkeys(asked) if drug_strings.part_of(each[1]) == "tune"]
    ids = {concept: f"DRUG:{number}" for number, concept in enumerate(names, 1)}
    with tempfile.TemporaryDirectory() as place:
        drug_strings.write_terminology(names, ids, Path(place))
        linker = linnet.load(Path(place) / "drugs", reranker=None, composites=False)
        choice = linker.retrieve([Mention.alone(text) for _, text, _ in asked], k=CANDIDATES)
        features = features_of([text for _, text, _ in asked], choice.hits, linker.group)
        found = [linker.group.ids(np.maximum(row, 0).astype(np.int64)) for row in choice.hits.concepts]
    gold = [ids[concept] for *_, concept in asked]
    right = [
        np.array([id == one for id in own[: len(f)]], bool)
        for own, one, f in zip(found, gold, features, strict=True)
    ]
    folds = np.array([crc32(one.encode()) % FOLDS for one in gold])
    scores, correct = np.zeros(len(asked)), np.zeros(len(asked), bool)
    for fold in range(FOLDS):
        weights = fitted([(f, r) for f, r, own in zip(features, right, folds, strict=True) if own != fold])
        for row in np.flatnonzero(folds == fold):
            if len(features[row]):
                shares = softmax(features[row] @ weights)
                scores[row], correct[row] = shares.max(), right[row][int(shares.argmax())]
    curve = fit_curve(scores.tolist(), correct.tolist())
    print(f"right, cross-validated: {100 * correct.mean():.1f} % of {len(asked):,}")
    weights = fitted(list(zip(features, right, strict=True)))
    print({name: round(float(weight), 2) for name, weight in zip(FEATURES, weights, strict=True)})
    data = {
        f"${{LINNET_DATA}}/corpora/drug-strings/{file.name}": digest(file)
        for file in sorted(folder.iterdir())
    }
    training = {"script": "experiments/strengths.py", "seed": 0, "data": data}
    card = (ROOT / "experiments/cards/strengths.md").read_text(encoding="utf-8")
    StrengthReranker(weights).save(options.out, card=card, training=training)
    Calibrator({"reranked": curve}).save(options.out / FILE)


def fitted(examples: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """The weights that make the right candidates most probable; strings without one among the candidates teach nothing."""
    kept = [(features, int(right.argmax())) for features, right in examples if right.any()]

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = PENALTY * weights @ weights, 2 * PENALTY * weights
        for features, best in kept:
            odds = features @ weights
            value += (logsumexp(odds) - odds[best]) / len(kept)
            slope += (softmax(odds) @ features - features[best]) / len(kept)
        return float(value), slope

    return np.asarray(minimize(loss, np.zeros(len(FEATURES)), jac=True, method="L-BFGS-B").x)


if __name__ == "__main__":
    main()

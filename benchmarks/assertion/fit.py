"""Fit how far cues reach: writes `src/linnet/read/lexicon/assertion_weights.tsv`.

    python -m benchmarks.assertion.fit [--check]

on the clinical notes to tune on of both sets, `composed.txt`, and the passages of even place in `sentences.jsonl`; the others measure
(`score.py`). `--check` writes nothing and prints F1 over the notes: by five-fold cross-validation, a note always in one fold, and of each
set by weights that learnt from the other.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from benchmarks.assertion.score import read
from benchmarks.clinical.notes import load
from linnet.read.assertion_cues import ATTRIBUTES
from linnet.read.assertion_evidence import Evidence, evidence
from linnet.types import Document, Mention

COMPOSED = Path(__file__).with_name("composed.txt")
WEIGHTS = Path("src/linnet/read/lexicon/assertion_weights.tsv")
LETTERS = dict(
    zip("nuhoy", ("negated", "uncertain", "historical", "other person", "hypothetical"), strict=True)
)
PENALTY, LEAST = 2.0, 3  # of the squared weights; examples that a feature is in at least: chosen by --check
FOLDS, REPEATS = 5, 3
FOLDERS = ("texts", "texts2")


class Example(NamedTuple):
    """A mention: what speaks for its attributes, and which it has."""

    evidence: list[Evidence]
    gold: frozenset[str]


def main() -> None:
    """Write the weights, or print scores."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="print scores by cross-validation, write nothing"
    )
    options = parser.parse_args()
    sets = [_of_notes(folder) for folder in FOLDERS]
    notes = {name: examples for of_set in sets for name, examples in of_set.items()}
    others = [example for passage in _others() for example in passage]
    if options.check:
        for repeat in range(REPEATS):
            print(f"five folds: {_validated(_folds(notes, seed=repeat), others)}")
        print(f"each set by the other: {_validated([list(of_set.values()) for of_set in sets], others)}")
        return
    model = Model([*(example for of_note in notes.values() for example in of_note), *others])
    WEIGHTS.write_text(model.table(), encoding="utf-8")
    print(f"{len(model.features)} features; written to {WEIGHTS}")


def _others() -> Iterator[list[Example]]:
    for line in COMPOSED.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield _examples(*marked(line.replace("\\n", "\n")))
    for place, (document, gold) in enumerate(read()):
        if place % 2 == 0:
            yield _examples(document, [frozenset(of_mention) for of_mention in gold])


def marked(line: str) -> tuple[Document, list[frozenset[str]]]:
    """The document of a line of `composed.txt`, and the attributes of its mentions."""
    text, spans = "", []
    for part in re.split(r"(\[[^\]]*\])", line):
        inner, _, letters = part.strip("[]").partition("|") if part.startswith("[") else (part, "", "")
        if part.startswith("["):
            kind = "Chemical" if "c" in letters else "Disease"
            spans.append((len(text), len(text) + len(inner), kind, letters.replace("c", "")))
        text += inner
    document = Document("composed", text)
    mentions = [Mention(document, start, end, text[start:end], kind) for start, end, kind, _ in spans]
    return document.with_mentions(mentions), [frozenset(LETTERS[x] for x in letters) for *_, letters in spans]


def _examples(document: Document, gold: Sequence[frozenset[str]]) -> list[Example]:
    return [Example(*pair) for pair in zip(evidence(document), gold, strict=True)]


def _of_notes(folder: str) -> dict[str, list[Example]]:
    """The examples of each note to tune on, by its name."""
    return {
        note.name: _examples(note.document(), [mention.assertion for mention in note.mentions])
        for note in load(folder, score=False)
    }


def _folds(notes: dict[str, list[Example]], *, seed: int) -> list[list[list[Example]]]:
    names = sorted(notes)
    random.Random(seed).shuffle(names)
    return [[notes[name] for name in names[fold::FOLDS]] for fold in range(FOLDS)]


def _validated(folds: Sequence[Sequence[list[Example]]], others: list[Example]) -> str:
    """F1 in per cent of each attribute and of all, of each fold by weights that learnt from the other folds."""
    counts = {name: Counter[str]() for name in (*ATTRIBUTES, "all")}
    for held_out in folds:
        learnt = [e for fold in folds if fold is not held_out for of_note in fold for e in of_note]
        examples = [example for of_note in held_out for example in of_note]
        found = Model([*learnt, *others]).probabilities(examples) >= 0.5
        for example, row in zip(examples, found, strict=True):
            for attribute, is_found in zip(ATTRIBUTES, row, strict=True):
                for count in (counts[attribute], counts["all"]) if _counts(example, attribute) else ():
                    count["right"] += int(is_found) * (attribute in example.gold)
                    count["both"] += int(is_found) + (attribute in example.gold)
    return ", ".join(f"{name} {200 * n['right'] / max(n['both'], 1):.1f}" for name, n in counts.items())


def _counts(example: Example, attribute: str) -> bool:
    """Whether an attribute is annotated: what is said of others is not also said to be past."""
    return not (attribute == "historical" and "other person" in example.gold)


class Model:
    """A weight of each feature for all attributes, and one for each: maximum a posteriori of the noisy or, by L-BFGS."""

    def __init__(self, examples: Sequence[Example]) -> None:
        counts = Counter(name for example in examples for one in example.evidence for name in _names(one))
        self.features = {
            name: i for i, name in enumerate(sorted(name for name, n in counts.items() if n >= LEAST))
        }
        design, owner = self._design(examples)
        gold = np.array([[a in e.gold for a in ATTRIBUTES] for e in examples], float).ravel()
        counted = np.array([[_counts(e, a) for a in ATTRIBUTES] for e in examples], float).ravel()

        def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
            scores = design @ weights
            doubt = np.maximum(np.bincount(owner, np.logaddexp(0, scores), minlength=len(gold)), 1e-9)
            log_likelihood = counted @ (gold * np.log(-np.expm1(-doubt)) - (1 - gold) * doubt)
            slope = counted * (gold / np.expm1(np.minimum(doubt, 700)) - (1 - gold))
            gradient = design.T @ (slope[owner] / (1 + np.exp(-scores)))
            return PENALTY * weights @ weights / 2 - log_likelihood, PENALTY * weights - gradient

        start = np.array([-1.0 if name.endswith("| always") else 0.0 for name in self.features])
        self.weights = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 400}).x

    def _design(self, examples: Sequence[Example]) -> tuple[csr_matrix, np.ndarray]:
        """(evidence, features) which has which, and (evidence,) the example and attribute it is of."""
        rows, columns, owner = [], [], []
        for place, example in enumerate(examples):
            for one in example.evidence:
                known = [self.features[name] for name in _names(one) if name in self.features]
                rows += [len(owner)] * len(known)
                columns += known
                owner.append(place * len(ATTRIBUTES) + ATTRIBUTES.index(one.attribute))
        shape = (len(owner), len(self.features))
        return csr_matrix((np.ones(len(rows)), (rows, columns)), shape=shape), np.array(owner)

    def probabilities(self, examples: Sequence[Example]) -> np.ndarray:
        """(examples, attributes)."""
        design, owner = self._design(examples)
        each = np.logaddexp(0, design @ self.weights)
        return -np.expm1(-np.bincount(owner, each, minlength=len(examples) * len(ATTRIBUTES))).reshape(
            -1, len(ATTRIBUTES)
        )

    def table(self) -> str:
        """The weights as a table: a feature, and its weight for each attribute."""
        weights = dict(zip(self.features, self.weights, strict=True))
        lines = ["\t".join(["feature", *ATTRIBUTES])]
        for feature in sorted({name.partition("| ")[2] for name in self.features}):
            shared = weights.get(f"| {feature}", 0.0)
            of_each = [shared + weights.get(f"{attribute}| {feature}", 0.0) for attribute in ATTRIBUTES]
            cells = [f"{weight:.2f}" if abs(weight) >= 0.005 else "" for weight in of_each]
            lines += ["\t".join([feature, *cells])] if any(cells) else []
        return "\n".join(lines) + "\n"


def _names(one: Evidence) -> Iterator[str]:
    for feature in one.features:
        yield f"{one.attribute}| {feature}"
        yield f"| {feature}"


if __name__ == "__main__":
    main()

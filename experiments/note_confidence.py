"""Fits how probable links in notes are (`linnet.link.note_confidence`), on the clinical notes to tune on of both sets.

    python experiments/note_confidence.py MESH

MESH  MeSH 2024, indexed

Prints precision, weak F1 (of the mentions found), precision from 0.9 on and calibration error in five folds over notes,
of each set of features; writes the weights.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "experiments")]
from link_weights import write_link_weights  # noqa: E402

import linnet  # noqa: E402
from benchmarks.clinical.notes import Note, load  # noqa: E402
from linnet.link import linker as linker_module  # noqa: E402
from linnet.link.note_confidence import FEATURES, feature_values  # noqa: E402
from linnet.types import Link  # noqa: E402

FOLDS, REPEATS = 5, 5
FOLDERS = ("texts", "texts2")


def main(mesh: Path) -> None:
    """Fit and print."""
    notes = [note for folder in FOLDERS for note in load(folder, score=False)]
    examples = list(labelled(notes, links_of(notes, mesh)))
    x = np.array([feature_values(link) for _, link, _ in examples])
    y = np.array([right for *_, right in examples])
    places = np.array([place for place, *_ in examples])
    golds = sum(bool(gold.concepts) for note in notes for gold in note.mentions)
    print(f"{len(y)} links, {y.sum()} right; {golds} mentions")
    for count in range(2, len(FEATURES) + 1):
        report(FEATURES[:count], x[:, :count], y, places, golds)
    learner = LogisticRegression(max_iter=5000).fit(x, y)
    weights = {name: round(float(w), 3) for name, w in zip(FEATURES, learner.coef_[0], strict=True)}
    write_link_weights("note confidence", {"always": round(float(learner.intercept_[0]), 3), **weights})


def links_of(notes: Sequence[Note], mesh: Path) -> list[Link]:
    """The links of what is found in the notes, with their probability as in a paper, those below the threshold, too."""
    found: list[Link] = []
    linker_module.as_in_a_note = lambda link: found.append(link) or link  # type: ignore[attr-defined]
    documents = [note.document().with_mentions([]) for note in notes]
    list(linnet.load(mesh).link_documents(documents, recognise=True))
    return found


def labelled(notes: Sequence[Note], links: Sequence[Link]) -> list[tuple[int, Link, bool]]:
    """Place of the note, link, and whether it is right; without what need not be linked."""
    places = {note.text: place for place, note in enumerate(notes)}
    found = []
    for link in links:
        mention, concepts = link.mention, frozenset(link.concepts)
        if link.probability is None or mention.confidence is None or not concepts:
            continue
        note = notes[place := places[mention.document.text]]
        over = [gold for gold in note.mentions if gold.overlaps(mention.start, mention.end)]
        if over or not any(span.overlaps(mention.start, mention.end) for span in note.optional):
            found.append((place, link, any(concepts in gold.answers for gold in over)))
    return found


def report(names: Sequence[str], x: np.ndarray, y: np.ndarray, places: np.ndarray, golds: int) -> None:
    """Print the figures of these features, the mean of several divisions into folds."""
    figures = []
    for seed in range(REPEATS):
        order = np.random.default_rng(seed).permutation(places.max() + 1)
        fold = np.argsort(order)[places] % FOLDS
        p = np.zeros(len(y))
        for held_out in range(FOLDS):
            own = fold == held_out
            learner = LogisticRegression(max_iter=5000).fit(x[~own], y[~own])
            p[own] = learner.predict_proba(x[own])[:, 1]
        linked, sure = p >= 0.5, p >= 0.9
        bins = np.array_split(np.flatnonzero(linked)[np.argsort(p[linked])], 15)
        error = sum(len(b) * abs(p[b].mean() - y[b].mean()) for b in bins) / linked.sum()
        right = (linked & y).sum()
        figures.append((right / linked.sum(), 2 * right / (linked.sum() + golds), y[sure].mean(), error))
    precision, f1, at_nine, error = np.mean(figures, axis=0)
    print(f"{', '.join(names)}: P {precision:.3f}, F1 {f1:.3f}, P from 0.9 {at_nine:.3f}, error {error:.3f}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))

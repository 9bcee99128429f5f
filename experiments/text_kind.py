"""Learns which words tell a clinical note from an article: the weights of `linnet.recognise.text_kind`.

    python experiments/text_kind.py experiments/data       (LINNET_DATA says where the texts are)

Learnt on pieces of dictated notes and of the lists that `clinical_data.py` makes, against pieces of abstracts and trial reports; a
fifth of the texts is held out. Writes src/linnet/recognise/text_kind.tsv.
"""

from __future__ import annotations

import gzip
import json
import random
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from dictated_notes import TEXTS, learnable
from harness import DATA
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from linnet import corpora
from linnet.recognise.text_kind import BIAS, word_shares

OUT = Path(__file__).parents[1] / "src/linnet/recognise/text_kind.tsv"
HEAD = (
    "# How much the share of a word or sign speaks for a clinical note, learnt by `experiments/text_kind.py`."
)
SEED, WORDS, REPORTS = 43, 1500, 600
SIZES = (150, 400, 1000, 3000)  # characters of a piece
C = 3.0
REWRAPPED = 0.5  # share of the pieces


def main(data: Path) -> None:
    """Learn, print how well, and write."""
    rng = random.Random(SEED)
    texts = [(text, kind) for kind, every in ((1, _notes(data)), (0, _articles(rng))) for text in every]
    rng.shuffle(texts)
    pieces = [(_piece(text, rng), kind) for text, kind in texts]
    shares = [word_shares(text) for text, _ in pieces]
    words = [word for word, _ in Counter(word for own in shares for word in own).most_common(WORDS)]
    columns = {word: number for number, word in enumerate(words)}
    cells = [(row, columns[w], x) for row, own in enumerate(shares) for w, x in own.items() if w in columns]
    rows, places, values = zip(*cells, strict=True)
    x = csr_matrix((values, (rows, places)), shape=(len(pieces), len(words)))
    y = np.array([kind for _, kind in pieces])
    cut = len(y) * 4 // 5
    learner = LogisticRegression(l1_ratio=1, C=C, solver="liblinear", class_weight="balanced")
    learner.fit(x[:cut], y[:cut])
    for kind in (0, 1):
        own = y[cut:] == kind
        print(f"kind {kind}: {learner.score(x[cut:][own], y[cut:][own]):.4f} of {own.sum()} held out")
    weights = {BIAS: learner.intercept_[0]} | dict(zip(words, learner.coef_[0], strict=True))
    lines = [f"{word}\t{weight:.3f}" for word, weight in weights.items() if abs(weight) >= 0.01]
    print(len(lines), "weights")
    OUT.write_text("\n".join([HEAD, "word\tweight", *lines]) + "\n", encoding="utf-8")


def _piece(text: str, rng: random.Random) -> str:
    size = rng.choice(SIZES)
    start = rng.randrange(max(1, len(text) - size))
    piece = text[start : start + size]
    if rng.random() < REWRAPPED:  # both kinds come in lines, and without
        width = rng.choice((0, 60, 80, 100))
        piece = textwrap.fill(piece, width) if width else " ".join(piece.split())
    return piece


def _notes(data: Path) -> Iterator[str]:
    for row in learnable(TEXTS, data=DATA):
        if "</" not in row["text"]:
            yield row["text"]
    for name in ("rewritten-notes", "listed"):
        for line in (data / f"recogniser/{name}.jsonl").read_text(encoding="utf-8").splitlines():
            yield json.loads(line)["text"]


def _articles(rng: random.Random) -> Iterator[str]:
    for place in ("ncbi-disease/NCBItrainset_corpus.txt", "bc5cdr/CDR_TrainingSet.PubTator.txt"):
        yield from (document.text for document in corpora.read(DATA / "corpora" / place))
    yield from (row["text"] for row in _rows(DATA / "text/pubmedqa.jsonl.gz"))
    for row in rng.sample(_rows(DATA / "text/evidence_inference.jsonl.gz"), REPORTS):
        yield row["text"]


def _rows(place: Path) -> list[dict[str, str]]:
    with gzip.open(place, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Fits how far candidates of another kind than their mention are believed (`linnet.link.kind_order`), where one of them is the first.

    LINNET_DATA=… python experiments/kind_order.py       (after experiments/other_corpora.py)

Mentions of BC5CDR train and NLM-Chem, as annotated, and of the clinical notes to tune on, as annotated and as linnet finds them, linked to
MeSH without the weights; each text and candidate once. Prints the weights of all features, of some, and of none, and how probable they make
what is right, each text left out in turn; writes those that were chosen by this.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from harness import parser_of
from link_weights import write_link_weights
from scipy.optimize import minimize

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT)]
import linnet  # noqa: E402
from benchmarks.clinical.notes import load  # noqa: E402
from linnet import corpora  # noqa: E402
from linnet.link import Linker, kind_order, linker  # noqa: E402
from linnet.retrieve.hits import Hits, Origin  # noqa: E402
from linnet.types import Document, Link, Mention  # noqa: E402

_PENALTY = 0.1


class Row(NamedTuple):
    """A mention whose best candidate is of another kind.

    exact  whether it is a name of that candidate
    own    score of the best candidate of its own kind, 0 to 1
    sure   probability of a link to this, if nothing is said against it
    """

    text: str
    other: str
    exact: bool
    own: float
    sure: float
    other_right: bool
    own_right: bool


def main() -> None:
    """Fit and print."""
    parser = parser_of(__doc__)
    parser.add_argument("--terminology", type=Path, default=ROOT / "experiments/data/other/mesh")
    rows = distinct(collected(linnet.load(parser.parse_args().terminology)))
    others, owns = [row.other_right for row in rows], [row.own_right for row in rows]
    print(f"{len(rows)} texts; of another kind {sum(others)} right, of their own {sum(owns)}")
    facts = [[1.0, row.own, float(row.exact)] for row in rows]
    for title, sure, right in (
        ("other", [1.0] * len(rows), others),
        ("own", [row.sure for row in rows], owns),
    ):
        for count in range(1, len(facts[0]) + 1):
            features = [row[:count] for row in facts]
            weights = [round(float(w), 2) for w in fitted(features, sure, right)]
            print(f"{title}: {weights}, log loss left out {left_out(features, sure, right):.3f}")
            if count == len(names := kind_order.FEATURES[title]):
                write_link_weights(f"kind order: {title}", dict(zip(names, weights, strict=True)))


def collected(model: Linker) -> Iterable[Row]:
    """Of all sources."""
    data = Path(os.environ["LINNET_DATA"])
    bc5cdr = corpora.read(data / "corpora/bc5cdr/CDR_TrainingSet.PubTator.txt")
    annotated = [*bc5cdr, *corpora.read(ROOT / "experiments/data/other/nlm-chem.jsonl")]
    notes = [note for folder in ("texts", "texts2") for note in load(folder)]
    yield from rows_of(model, [*annotated, *(note.document() for note in notes)])
    gold = {note.name: note for note in notes}
    bare = [note.document().with_mentions([]) for note in notes]
    for mention, row in seen(model, model.recognise(bare)):
        over = [one for one in gold[mention.document.id].mentions if one.overlaps(mention.start, mention.end)]
        answers = {
            concept for one in over for answer in one.answers if len(answer) == 1 for concept in answer
        }
        yield row(answers)


def rows_of(model: Linker, documents: Sequence[Document]) -> Iterable[Row]:
    """Of annotated mentions."""
    for mention, row in seen(model, documents):
        yield row(set(mention.concepts))


def seen(model: Linker, documents: Sequence[Document]) -> list[tuple[Mention, Any]]:
    """The mentions whose best candidate is of another kind, each with a function of its right concepts that gives its row."""
    mentions = [mention for document in documents for mention in document.mentions]
    ordered = kind_order.own_kind_first
    found: dict[int, tuple[str, bool, float, str]] = {}

    def own_first(read: Sequence[Mention], hits: Hits, group: Any) -> tuple[Hits, dict[int, float]]:
        other = kind_order.of_other_kinds(read, hits, group)
        best = kind_order.best_own(hits, other)
        for row in np.flatnonzero(other[:, 0] if hits.k else []).tolist():
            own = np.flatnonzero((hits.concepts[row] >= 0) & ~other[row])[:1]
            first, *second = (str(id) for id in group.ids(hits.concepts[row, [0, *own]].astype(np.int64)))
            exact = bool(hits.origins[row, 0] & Origin.EXACT)
            found[row] = first, exact, float(best[row]), "".join(second)
        return ordered(read, hits, group)[0], {}

    linker.own_kind_first = own_first  # type: ignore[assignment,attr-defined]
    try:
        links = model.link(mentions)
    finally:
        linker.own_kind_first = ordered  # type: ignore[attr-defined]
    return [(mentions[row], _maker(links[row], *facts)) for row, facts in found.items()]


def _maker(link: Link, other: str, exact: bool, own: float, own_id: str) -> Any:
    sure = link.probability or 0.0 if own_id in link.concepts else 0.0
    text = link.mention.text.lower()
    return lambda right: Row(text, other, exact, own, sure, other in right, own_id in right)


def distinct(rows: Iterable[Row]) -> list[Row]:
    """Each text with each candidate once; right if most of its mentions are."""
    together: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        together.setdefault((row.text, row.other), []).append(row)
    return [
        some[0]._replace(
            other_right=2 * sum(row.other_right for row in some) > len(some),
            own_right=2 * sum(row.own_right for row in some) > len(some),
        )
        for some in together.values()
    ]


def fitted(features: Sequence[Sequence[float]], sure: Sequence[float], right: Sequence[bool]) -> np.ndarray:
    """The weights that make what is right most probable, as the logistic function of their sum times `sure`."""
    x = np.array(features)
    result = minimize(lambda w: loss(w, x, sure, right) + _PENALTY * (w @ w), np.zeros(x.shape[1]))
    weights: np.ndarray = result.x
    return weights


def loss(weights: np.ndarray, x: np.ndarray, sure: Sequence[float], right: Sequence[bool]) -> float:
    """The sum of the logarithms, of a probability from 0.001 to 0.999 for each row."""
    p = np.clip(np.array(sure) / (1 + np.exp(-x @ weights)), 0.001, 0.999)
    return -float(np.log(np.where(right, p, 1 - p)).sum())


def left_out(features: Sequence[Sequence[float]], sure: Sequence[float], right: Sequence[bool]) -> float:
    """The mean loss of each row by the weights of the others."""
    losses = []
    for place in range(len(right)):
        rest = [n for n in range(len(right)) if n != place]
        weights = fitted([features[n] for n in rest], [sure[n] for n in rest], [right[n] for n in rest])
        losses.append(loss(weights, np.array([features[place]]), [sure[place]], [right[place]]))
    return math.fsum(losses) / len(losses)


if __name__ == "__main__":
    main()

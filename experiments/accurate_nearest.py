"""What a transformer alone finds of the corpora that `accurate` learns from: the nearest of 25,000 names.

    python experiments/accurate_nearest.py NAME=START...        (LINNET_DATA: corpora)

START is a directory of a transformer. Of each corpus at most 3,000 mentions are asked, drawn by seed; the names are those of their
concepts and 25,000 others of the terminology, fewer than all, so that an encoder takes a minute for a corpus. Prints a table for
docs/results/accurate.md. Made for choosing the second encoder: none of these is a development set of NCBI or BC5CDR.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # waiting threads leave the cores to whatever else runs

import numpy as np
from harness import parser_of
from result_tables import markdown
from transformer_runs import remembering

from linnet.terminology import Terminology
from linnet.train.corpus import read_mentions
from linnet.train.learners.transformer import TransformerLearner, TransformerSettings
from linnet.train.validation import NearestNames

HERE = Path(__file__).absolute().parent
OTHER = HERE / "data" / "other"
BC5CDR = Path(os.environ.get("LINNET_DATA", "../shared/data")) / "corpora/bc5cdr/CDR_TrainingSet.PubTator.txt"
# Title → terminology, corpus, types of the mentions.
SETS: dict[str, tuple[Path, Path, tuple[str, ...]]] = {
    "BC5CDR chemicals, train": (HERE.parent / "bench-out/chemicals", BC5CDR, ("Chemical",)),
    "NLM-Chem": (OTHER / "mesh", OTHER / "nlm-chem.jsonl", ()),
    "tmVar3": (OTHER / "medic-2021", OTHER / "tmvar-diseases.jsonl", ()),
    "HPO notes": (OTHER / "hpo-2025", OTHER / "hpo-notes.jsonl", ()),
    "MedMentions": (OTHER / "diseases-and-phenotypes", OTHER / "medmentions.jsonl", ()),
    "AskAPatient": (OTHER / "diseases-and-phenotypes", OTHER / "askapatient.jsonl", ()),
}
MENTIONS, NAMES = 3000, 25_000


def main() -> None:
    """Run what the module says."""
    parser = parser_of(__doc__)
    parser.add_argument("starts", nargs="+", metavar="NAME=START")
    starts = dict(given.split("=", 1) for given in parser.parse_args().starts)
    encoders = {
        name: remembering(TransformerLearner(TransformerSettings(start=Path(start)), (), seed=0).eval())
        for name, start in starts.items()
    }
    rows = [row(title, list(encoders.values())) for title in SETS]
    print(markdown(("Acc@1 / Acc@8, %", "mentions", *encoders), rows))


def row(title: str, encoders: Sequence[Callable[[Sequence[str]], Any]]) -> tuple[str, ...]:
    """Of the table: what each encoder finds of a set."""
    terminology, corpus, types = SETS[title]
    mentions = read_mentions([corpus], types=types)[0]
    if len(mentions) > MENTIONS:
        drawn = np.random.default_rng(0).choice(len(mentions), MENTIONS, replace=False)
        mentions = [mentions[place] for place in sorted(drawn)]
    nearest = NearestNames(Terminology.open(terminology), mentions, names=NAMES)
    ranks = [nearest.ranks(encode) for encode in encoders]
    cells = [f"{100 * np.mean(own == 1):.1f} / {100 * np.mean(own <= 8):.1f}" for own in ranks]
    return title, f"{len(ranks[0]):,}", *cells


if __name__ == "__main__":
    main()

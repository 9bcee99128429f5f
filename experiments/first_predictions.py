"""How good the first predictions of an annotation project are: names alone, and the recogniser that new projects begin with.

    python experiments/first_predictions.py             (LINNET_DATA says where the corpora are)

The terminologies are MEDIC 2012, as diseases, and the chemicals of MeSH 2024; they are built in bench-out/typed, as `recogniser.py` does.
The recogniser and the reranker have learnt from NCBI and BC5CDR train, not from these development sets, and from nothing of tmVar3,
which says nothing of what its diseases are linked to in MEDIC 2012: only its spans are compared.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from recogniser import BUILT, build
from result_tables import markdown, percent

from linnet import corpora
from linnet.active.metrics import measure
from linnet.active.model import ensure_indexes, open_model
from linnet.active.recogniser_choice import recognisers_for
from linnet.active.training_data import resolved
from linnet.corpora import Notes
from linnet.terminology import Terminology
from linnet.types import Document

CORPORA = Path(os.environ.get("LINNET_DATA", "../shared/data")) / "corpora"
SETS = {
    "NCBI dev": ("ncbi-disease/NCBIdevelopset_corpus.txt", None, "medic"),
    "BC5CDR dev, diseases": ("bc5cdr/CDR_DevelopmentSet.PubTator.txt", "Disease", "medic"),
    "BC5CDR dev, chemicals": ("bc5cdr/CDR_DevelopmentSet.PubTator.txt", "Chemical", "chemicals"),
    "tmVar3, diseases": ("tmvar3/tmVar3.PubTator", "Disease", "medic"),
}
SPANS_ONLY = "tmVar3"


def main() -> None:
    """Print F1 of spans, of overlapping mentions with the right concepts, and of exact ones."""
    rows: list[Sequence[object]] = []
    for name, (file, kind, terminology) in SETS.items():
        documents = [_of_kind(document, kind) for document in corpora.read(CORPORA / file, note=Notes().add)]
        build(terminology)
        opened = Terminology.open(BUILT / terminology)
        ensure_indexes(opened)
        for recogniser in reversed(recognisers_for(opened)):
            golds = [resolved(document, opened) for document in documents]
            scores = measure(open_model(opened, None, recogniser=recogniser, threads=None), golds) or {}
            linked = [] if name.startswith(SPANS_ONLY) else ["weak", "strong"]
            figures = [percent(scores[key]["f1"]) for key in ("spans", *linked)]
            rows.append([f"{name}, {recogniser}", *figures, *["–"] * (3 - len(figures))])
    print(markdown(["F1", "mentions, exact spans", "concepts, weak", "concepts, strong"], rows))


def _of_kind(document: Document, kind: str | None) -> Document:
    return document.with_mentions([m for m in document.mentions if kind in (None, m.type)])


if __name__ == "__main__":
    main()

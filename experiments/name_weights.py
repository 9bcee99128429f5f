"""Learns the weights of `linnet.recognise.name_evidence`: when a name that the tagger did not find is a mention.

    python experiments/name_weights.py experiments/data MESH MEDIC [MODEL]      (LINNET_DATA says where the corpora are)

MESH, MEDIC  terminologies with types, indexed        MODEL  the recogniser, the shipped one without it

Learnt on the documents of NCBI and BC5CDR train, and on those that the tagger held out of the same rewritten as notes and of dictated
notes, as far as `clinical_data.py` knows what is a mention there. Prints the weights, and precision and recall by threshold. Writes
src/linnet/recognise/name_weights.tsv.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from harness import DATA
from sklearn.linear_model import LogisticRegression

from linnet import corpora
from linnet.corpora import Notes
from linnet.encode.named_models import SHIPPED
from linnet.link.member import Member
from linnet.link.terminology_group import TerminologyGroup
from linnet.read.shorthand import expansions
from linnet.recognise.dictionary import DictionaryRecogniser
from linnet.recognise.name_evidence import FEATURES, feature_rows
from linnet.recognise.tagger import Tagger
from linnet.retrieve.spelling import Spelling
from linnet.terminology import Terminology
from linnet.terminology.overrides import read_overrides
from linnet.types import Document

OUT = Path(__file__).parents[1] / "src/linnet/recognise/name_weights.tsv"
HEAD = "# How much each feature of a name counts for its being a mention, learnt by `experiments/name_weights.py`."
HELD_OUT, SEED = 1 << 41, 0  # as in `linnet.train.tasks.recogniser`
SHARE = 0.1
C = 0.1
HOME = 0.5  # weight of a name in an abstract, most of which the tagger has learnt: it misses fewer there than elsewhere


def main(data: Path, mesh: Path, medic: Path, model: Path) -> None:
    """Learn, print and write."""
    tagger = Tagger.open(model)
    parts = [
        ("ncbi", DATA / "corpora/ncbi-disease/NCBItrainset_corpus.txt", 0, medic, HOME),
        ("bc5cdr", DATA / "corpora/bc5cdr/CDR_TrainingSet.PubTator.txt", 1, mesh, HOME),
        ("dictated", data / "recogniser/dictated.jsonl", 6, mesh, 1.0),
        ("rewritten notes", data / "recogniser/rewritten-notes.jsonl", 7, mesh, 1.0),
        ("rewritten ncbi", data / "recogniser/rewritten-ncbi.jsonl", 8, medic, 1.0),
        ("rewritten bc5cdr", data / "recogniser/rewritten-bc5cdr.jsonl", 9, mesh, 1.0),
    ]
    rows, right, weights, names = [], [], [], []
    for name, place, number, terminology, weight in parts:
        documents = list(corpora.read(place, note=Notes().add))
        documents = documents if weight == HOME else held_out(documents, number)
        found = list(
            examples(
                documents,
                tagger,
                dictionary(terminology),
                every="ncbi" in name,
                exact=weight == HOME,
                signs=name == "dictated",
            )
        )
        rows += [row for row, _ in found]
        right += [label for _, label in found]
        weights += [weight] * len(found)
        names += [name] * len(found)
        print(
            f"{name}: {len(documents)} documents, {len(found)} names, {sum(label for _, label in found)} right"
        )
    x, y = np.array(rows), np.array(right)
    learner = LogisticRegression(C=C, max_iter=5000, fit_intercept=False)
    learner.fit(x, y, sample_weight=weights)
    p = learner.predict_proba(x)[:, 1]
    for name in dict.fromkeys(names):
        own = np.array([n == name for n in names])
        for limit in (0.25, 0.4, 0.5, 0.6, 0.75):
            kept = own & (p >= limit)
            share, recall = y[kept].mean(), y[kept].sum() / max(1, y[own].sum())
            print(
                f"{name} from {limit}: {kept.sum()} of {own.sum()}, precision {share:.3f}, recall {recall:.3f}"
            )
    lines = [f"{name}\t{weight:.4f}" for name, weight in zip(FEATURES, learner.coef_[0], strict=True)]
    print("\n".join(lines))
    OUT.write_text("\n".join([HEAD, "feature\tweight", *lines]) + "\n", encoding="utf-8")


def held_out(documents: Sequence[Document], number: int) -> list[Document]:
    """Those that the tagger's training held out."""
    rng = np.random.default_rng([SEED, HELD_OUT, number])
    places = set(rng.permutation(len(documents))[: max(1, round(SHARE * len(documents)))].tolist())
    return [document for place, document in enumerate(documents) if place in places]


def dictionary(place: Path) -> DictionaryRecogniser:
    terminology = Terminology.open(place)
    spelling, overrides = Spelling.open(terminology), read_overrides(terminology)
    group = TerminologyGroup([Member(terminology, [], overrides=overrides, spelling=spelling)])
    return DictionaryRecogniser([names.without_qualifiers() for names in group.names()], shorthand=True)


def examples(
    documents: Sequence[Document],
    tagger: Tagger,
    names: DictionaryRecogniser,
    *,
    every: bool,
    exact: bool,
    signs: bool,
) -> Iterator[tuple[np.ndarray, bool]]:
    """Features of each name that overlaps no mention of the tagger, and whether a mention of the annotation overlaps it.

    every  all mentions of the annotation are diseases        exact  a mention of the same offsets
    signs  signs are not annotated, which short forms and lay names are that overlap no mention: these are left out
    Names on Unknown mentions are left out
    """
    bare = [document.with_mentions([]) for document in documents]
    named = names.recognise(bare)
    judged = tagger.recognise_beside(bare, named)
    for document, with_names, (tagged, judgements) in zip(documents, named, judged, strict=True):
        free = [
            (m, j)
            for m, j in zip(with_names.mentions, judgements, strict=True)
            if j and all(m.end <= t.start or t.end <= m.start for t in tagged.mentions)
        ]
        if not free:
            continue
        rows = feature_rows([m for m, _ in free], [j for _, j in free], tagger.features.gazetteers)
        for (mention, _), row in zip(free, rows, strict=True):
            over = [g for g in document.mentions if g.start < mention.end and mention.start < g.end]
            if exact:
                over = [g for g in over if (g.start, g.end) == (mention.start, mention.end)]
            types = {"Disease" if every else g.type for g in over}
            if types and not types & {mention.type} and "Unknown" in types:
                continue
            if signs and not types and expansions(mention.text):
                continue
            yield row, mention.type in types


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    main(*map(Path, sys.argv[1:4]), Path(sys.argv[4]) if len(sys.argv) == 5 else SHIPPED / "recogniser")

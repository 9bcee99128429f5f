"""Learns the weights of `linnet.recognise.name_evidence`: when a name that the tagger did not find, or only in part, is a mention.

    python experiments/name_weights.py experiments/data MESH MEDIC [MODEL]      (LINNET_DATA says where the corpora are)

MESH, MEDIC  terminologies with types, indexed        MODEL  the recogniser, the shipped one without it

Learnt on the documents of NCBI and BC5CDR train, and on those that the tagger held out of the same rewritten as notes and of dictated
notes, as far as `clinical_data.py` knows what is a mention there; and on the same with names put in that are mentions as a whole: those
that add a letter to another ("hepatitis A"), and in notes those that hold the name of a substance ("iron overload"). Prints the
weights, and precision and recall by threshold. Writes src/linnet/recognise/name_weights.tsv.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from harness import DATA
from scipy.optimize import minimize
from scipy.special import expit

from linnet import corpora
from linnet.arrays import Floats, Mask
from linnet.corpora import Notes
from linnet.encode.named_models import SHIPPED
from linnet.link.member import Member
from linnet.link.terminology_group import TerminologyGroup
from linnet.read.shorthand import expansions
from linnet.recognise.default_recogniser import disorders_in_notes
from linnet.recognise.dictionary import DictionaryRecogniser
from linnet.recognise.name_evidence import FEATURES, feature_rows
from linnet.recognise.tagger import Tagger
from linnet.recognise.tagger_beside_names import beside, is_part
from linnet.recognise.text_kind import is_note
from linnet.retrieve.spelling import Spelling
from linnet.terminology import Terminology
from linnet.terminology.overrides import read_overrides
from linnet.types import Document, Mention

OUT = Path(__file__).parents[1] / "src/linnet/recognise/name_weights.tsv"
HEAD = "# How much each feature of a name counts for its being a mention, learnt by `experiments/name_weights.py`."
HELD_OUT, SEED = 1 << 41, 0  # as in `linnet.train.tasks.recogniser`
SHARE = 0.1
C = 0.1
# Features of names that hold a mention of the tagger, and of those that seldom name what it knows.
LATER = (
    "seldom",
    "seldom exact",
    "holds",
    "holds exact",
    "held",
    "other held",
    "note other held",
    "adds a letter",
)
DRAWS = 3  # of a name that holds that of a substance, for each note
COMPOSED = 150  # abstracts with a name that holds another in the place of a mention
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
                *dictionary(terminology),
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
    rng = np.random.default_rng(SEED)
    lettered, holding = whole_names(mesh)
    for name, place, number, _, weight in parts:
        documents = list(corpora.read(place, note=Notes().add))
        documents = documents[:COMPOSED] if weight == HOME else held_out(documents, number)
        # What corpora of abstracts annotate of "iron overload" is theirs to say; in notes the whole counts.
        made = [*with_wholes(documents, lettered, rng)]
        made += [*with_wholes(documents * (0 if weight == HOME else DRAWS), holding, rng)]
        found = [
            *examples(made, tagger, *dictionary(mesh), every=False, exact=True, signs=False, only_wholes=True)
        ]
        rows += [row for row, _ in found]
        right += [label for _, label in found]
        weights += [weight] * len(found)
        names += ["composed"] * len(found)
        print(f"{name}, composed: {len(found)} names")
    x, y, counts = np.array(rows), np.array(right), np.array(weights)
    learnt = fit(x, y, counts)
    p = expit(x @ learnt)
    for name in dict.fromkeys(names):
        own = np.array([n == name for n in names])
        for limit in (0.25, 0.4, 0.5, 0.6, 0.75):
            kept = own & (p >= limit)
            share, recall = y[kept].mean(), y[kept].sum() / max(1, y[own].sum())
            print(
                f"{name} from {limit}: {kept.sum()} of {own.sum()}, precision {share:.3f}, recall {recall:.3f}"
            )
    lines = [f"{name}\t{weight:.4f}" for name, weight in zip(FEATURES, learnt, strict=True)]
    print("\n".join(lines))
    OUT.write_text("\n".join([HEAD, "feature\tweight", *lines]) + "\n", encoding="utf-8")


def fit(x: Floats, y: Mask, counts: Floats) -> Floats:
    """The weights: of the features that all names have, learnt on names that stand alone and name what the tagger knows; then, given
    these, of those that other names have. So composed names, which look alike, say nothing about the first."""
    later = np.array([name in LATER for name in FEATURES])
    alone = ~x[:, later].any(axis=1)
    weights = np.zeros(x.shape[1])
    for free, rows in ((~later, alone), (later, ~alone)):
        weights[free] = logistic(x[rows][:, free], y[rows], counts[rows], x[rows] @ weights)
    return weights


def logistic(x: Floats, y: Mask, counts: Floats, offset: Floats) -> Floats:
    """The weights of a logistic model beside a logit that is given."""

    def loss(w: Floats) -> tuple[float, Floats]:
        logits = offset + x @ w
        value = (counts * (np.logaddexp(0, logits) - y * logits)).sum() + w @ w / (2 * C)
        return float(value), x.T @ (counts * (expit(logits) - y)) + w / C

    return minimize(loss, np.zeros(x.shape[1]), jac=True).x


def held_out(documents: Sequence[Document], number: int) -> list[Document]:
    """Those that the tagger's training held out."""
    rng = np.random.default_rng([SEED, HELD_OUT, number])
    places = set(rng.permutation(len(documents))[: max(1, round(SHARE * len(documents)))].tolist())
    return [document for place, document in enumerate(documents) if place in places]


def with_wholes(
    documents: Sequence[Document], wholes: Sequence[str], rng: np.random.Generator
) -> Iterator[Document]:
    """The documents with a mention, drawn from those of diseases, replaced by one of the names; its only mention."""
    for document in documents:
        if diseases := [m for m in document.mentions if m.type == "Disease"]:
            old, name = diseases[rng.integers(len(diseases))], wholes[rng.integers(len(wholes))]
            text = document.text[: old.start] + name + document.text[old.end :]
            new = Document(f"{document.id}, whole", text)
            yield new.with_mentions([Mention(new, old.start, old.start + len(name), name, "Disease")])


def whole_names(place: Path) -> tuple[list[str], list[str]]:
    """Names of diseases that only add a letter or number to another, and names of diseases that hold a name of a substance."""
    terminology, lettered, held = Terminology.open(place), [], []
    kinds = {
        name.lower(): {"Disease"} & set(concept.types) or {"Chemical"} & set(concept.types)
        for concept in terminology
        for name in concept.all_names
    }
    for name, kind in kinds.items():
        words = name.split()
        if kind != {"Disease"} or not 1 < len(words) <= 4 or "," in name:
            continue
        rest = " ".join(words[:-1])
        if len(words[-1]) <= 2 and kinds.get(rest) == kind:
            lettered.append(f"{rest} {words[-1].upper()}")
        elif any(kinds.get(word) == {"Chemical"} and len(word) > 3 for word in words):
            held.append(name)
    return lettered, held


def dictionary(place: Path) -> tuple[DictionaryRecogniser, dict[str, str]]:
    """The names of a terminology, and the types of those that notes seldom use for disorders."""
    terminology = Terminology.open(place)
    spelling, overrides = Spelling.open(terminology), read_overrides(terminology)
    group = TerminologyGroup([Member(terminology, [], overrides=overrides, spelling=spelling)])
    names = group.names()
    found = DictionaryRecogniser([each.without_qualifiers() for each in names], shorthand=True)
    return found, disorders_in_notes(names)


def examples(
    documents: Sequence[Document],
    tagger: Tagger,
    names: DictionaryRecogniser,
    seldom: Mapping[str, str],
    *,
    every: bool,
    exact: bool,
    signs: bool,
    only_wholes: bool = False,
) -> Iterator[tuple[np.ndarray, bool]]:
    """Features of each name that overlaps no mention of the tagger, or holds all that it overlaps, and whether a mention of the
    annotation overlaps it, or is it.

    every  all mentions of the annotation are diseases        exact  a mention of the same offsets
    only_wholes  only of names that hold a mention of the tagger and overlap one of the annotation
    signs  signs are not annotated, which short forms and lay names are that overlap no mention: these are left out
    Names on Unknown mentions are left out
    """
    bare = [document.with_mentions([]) for document in documents]
    meant = names.recognise(bare)
    named = [
        d.with_mentions([replace(m, type=seldom.get(m.type, m.type)) for m in d.mentions])
        if is_note(d)
        else d
        for d in meant
    ]
    judged = tagger.recognise_beside(bare, named)
    for document, own, with_names, (tagged, judgements) in zip(documents, meant, named, judged, strict=True):
        free = [
            (m, beside(j, m, tagged.mentions, seldom=m.type != n.type))
            for m, n, j in zip(with_names.mentions, own.mentions, judgements, strict=True)
            if j and all(is_part(t, m) for t in tagged.mentions if m.start < t.end and t.start < m.end)
        ]
        rows = feature_rows([m for m, _ in free], [j for _, j in free], tagger.features.gazetteers)
        for (mention, judgement), row in zip(free, rows, strict=True):
            over = [g for g in document.mentions if g.start < mention.end and mention.start < g.end]
            if only_wholes and not (judgement.held and over):
                continue
            if signs and not over and (expansions(mention.text) or judgement.held):
                continue
            if exact or judgement.held:
                over = [g for g in over if (g.start, g.end) == (mention.start, mention.end)]
            types = {"Disease" if every else g.type for g in over}
            if types and not types & {mention.type} and "Unknown" in types:
                continue
            yield row, mention.type in types


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    main(*map(Path, sys.argv[1:4]), Path(sys.argv[4]) if len(sys.argv) == 5 else SHIPPED / "recogniser")

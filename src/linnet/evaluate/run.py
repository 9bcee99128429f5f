"""Evaluation of a system on annotated documents: the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from linnet.advice import Step
from linnet.corpora.ids import opaque
from linnet.errors import RequestError
from linnet.evaluate.check import check_gold
from linnet.evaluate.compare import compare
from linnet.evaluate.gold import Gold, gold_mentions, golds_of
from linnet.evaluate.hierarchy import Hierarchy
from linnet.evaluate.judge import Judge
from linnet.evaluate.leaks import audit
from linnet.evaluate.mistakes import find_mistakes
from linnet.evaluate.protocols import AUGMENTED, parse_protocol
from linnet.evaluate.report import Report
from linnet.evaluate.resolution import current_ids
from linnet.evaluate.sections import calibration, curve, frequencies, seen_groups, type_groups
from linnet.evaluate.subsets import seen_in
from linnet.evaluate.system import LinksMentions, System, ask
from linnet.evaluate.vocabulary import Vocabulary
from linnet.io import artifact
from linnet.plural import counted
from linnet.terminology import Terminology
from linnet.types import Document

__all__ = ["evaluate", "evaluate_system"]


def evaluate(
    linker: LinksMentions,
    documents: Sequence[Document],
    *,
    protocols: Sequence[str] = ("strict", "lenient"),
    train: Sequence[Document] | None = None,
    terminologies: Sequence[Terminology] = (),
    types: Collection[str] = (),
    augmented: LinksMentions | None = None,
    against: System | None = None,
    name: str = "linnet",
    corpus: str = "corpus",
    allow_missing: bool = False,
    provenance: Mapping[str, Any] | None = None,
) -> Report:
    """Link the gold mentions of the documents and report under every protocol. Parameters as in `evaluate_system`.

    augmented  a linker whose dictionary also holds the training mentions (see `augmented_linker`); required by
               protocols with `augmented`
    """
    rules = [parse_protocol(protocol) for protocol in protocols]
    if any(rule.augmented for rule in rules) and augmented is None:
        raise RequestError(
            f"Protocol '{AUGMENTED}' needs a linker with the training mentions.",
            Step.GIVE_TRAINING_DATA(),
        )
    check_gold(documents, rules, terminologies, types=types, corpus=corpus, allow_missing=allow_missing)
    system = ask(
        linker,
        documents,
        name=name,
        types=types,
        recognise=any(rule.scoring == "end-to-end" for rule in rules),
        augmented=augmented,
    )
    return evaluate_system(
        system,
        documents,
        protocols=protocols,
        train=train,
        terminologies=terminologies,
        types=types,
        against=against,
        corpus=corpus,
        allow_missing=allow_missing,
        provenance=provenance,
    )


def evaluate_system(
    system: System,
    documents: Sequence[Document],
    *,
    protocols: Sequence[str] = ("strict", "lenient"),
    train: Sequence[Document] | None = None,
    terminologies: Sequence[Terminology] = (),
    types: Collection[str] = (),
    against: System | None = None,
    corpus: str = "corpus",
    allow_missing: bool = False,
    notes: Sequence[str] = (),
    provenance: Mapping[str, Any] | None = None,
) -> Report:
    """Report on answers that already exist.

    protocols      combinations as `parse_protocol` reads them
    train          everything the system was trained on (train and dev), for seen/unseen and the leak audit
    terminologies  resolve ids, and decide which gold concepts can be found
    types          only gold mentions, and annotations of running text, of these types (`of_scored_types`)
    against        a second system to compare with, answering the same mentions
    corpus         name of the corpus, for the title
    allow_missing  score even if the terminologies have hardly any of the gold ids, see `check_gold`
    notes          further notes for the reader of the report
    provenance     what reproduces the report (command, file digests, versions); copied unchanged

    Raises RequestError if there is nothing to score (`check_gold`) or a protocol lacks what it needs,
    UnknownNameError for an unknown protocol.
    """
    rules = list(dict.fromkeys(parse_protocol(protocol) for protocol in protocols))
    check_gold(documents, rules, terminologies, types=types, corpus=corpus, allow_missing=allow_missing)
    records = [_record(document) for document in documents]
    raw = golds_of(gold_mentions(documents, types=types))
    vocabulary = Vocabulary(terminologies)
    train_golds = [
        replace(gold, concepts=current_ids(gold.concepts, vocabulary.resolve))
        for gold in golds_of(gold_mentions(train or (), types=types))
    ]
    seen = seen_in(train_golds) if train is not None else None
    in_corpus = {mention.type for mention in gold_mentions(documents)}
    judge = Judge(raw, rules, vocabulary, seen, types, in_corpus, allow_missing)
    main, known = judge.judge(system), judge.known
    other = judge.judge(against) if against else None
    golds, predictions = main.golds, main.predictions
    return Report(
        system=system.name,
        corpus={
            "name": corpus,
            "documents": len(documents),
            "mentions": len(golds),
            "types": sorted({gold.type for gold in golds}),
            "digest": artifact.digest(*records),  # of texts and annotations, independent of the file format
        },
        leaks=audit(documents, golds, train_documents=train, train_golds=train_golds, known=known),
        results=tuple(main.results),
        curve=curve(golds, predictions),
        frequencies=frequencies(golds),
        groups=seen_groups(golds, predictions, seen) if seen else (),
        types=type_groups(golds, predictions),
        mistakes=find_mistakes(
            golds, predictions, known=known, name=vocabulary.name, hierarchy=Hierarchy(vocabulary.parents)
        ),
        calibration=calibration(golds, predictions),
        comparison=compare(
            (system.name, against.name),
            golds,
            (predictions, other.predictions),
            list(zip(main.results, other.results, strict=True)),
            name=vocabulary.name,
        )
        if against and other
        else None,
        others=tuple(other.results) if other else (),
        other_curve=curve(other.golds, other.predictions) if other else (),
        provenance={
            **(provenance or {}),
            "terminologies": vocabulary.provenance(),
            "protocols": [r.name for r in rules],
        },
        notes=(
            *notes,
            *_repeated_note(documents, records),
            *_opaque_note(raw),
            *main.unscored,
            *(other.unscored if other else ()),
            *system.notes,
            *(against.notes if against else ()),
        ),
    )


def _record(document: Document) -> str:
    """The document's id, text and annotations in one string."""
    mentions = (f"{m.start} {m.end} {m.type} {' '.join(m.concepts)}" for m in document.mentions)
    return "\t".join((document.id, document.text, *mentions))


def _repeated_note(documents: Sequence[Document], records: Sequence[str]) -> list[str]:
    """A note on documents with the same record as one before: all are scored, so that they weigh more."""
    times = Counter(records)
    again = len(records) - len(times)
    if not again:
        return []
    first = next(
        document.id for document, record in zip(documents, records, strict=True) if times[record] > 1
    )
    return [
        f"{counted(again, 'documents')} occurred before, with the same id, text and annotations (e.g. '{first}'); each is scored "
        "every time."
    ]


def _opaque_note(golds: Sequence[Gold]) -> list[str]:
    """A note on gold concepts of unknown vocabularies."""
    ids = Counter(id for gold in golds for id in opaque(gold.concepts))
    if not ids:
        return []
    shown = ", ".join(f"'{id[:60]}'" for id, _ in ids.most_common(3))
    unknown = counted(ids.total(), "gold concepts are of no vocabulary that linnet knows")
    return [f"{unknown}; {'it counts' if ids.total() == 1 else 'they count'} as written: {shown}."]

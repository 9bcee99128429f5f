"""From a system and annotated documents to a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from linnet import artifact
from linnet.corpora.ids import opaque
from linnet.errors import RequestError
from linnet.evaluate.check import check_gold, check_vocabularies
from linnet.evaluate.compare import compare
from linnet.evaluate.gold import Gold, Predicted, gold_mentions, golds_of
from linnet.evaluate.hierarchy import Hierarchy
from linnet.evaluate.leaks import audit
from linnet.evaluate.mistakes import find_mistakes
from linnet.evaluate.protocols import AUGMENTED, Context, Result, parse_protocol, score
from linnet.evaluate.report import Report
from linnet.evaluate.resolution import current, settle, settled_answers
from linnet.evaluate.sections import calibration, curve, frequencies, seen_groups, type_groups
from linnet.evaluate.subsets import seen_in
from linnet.evaluate.system import LinksMentions, System, ask
from linnet.evaluate.vocabulary import Vocabulary
from linnet.terminology import Terminology
from linnet.types import Document

__all__ = ["evaluate", "evaluate_system"]


@dataclass(frozen=True, slots=True)
class _Settled:
    """A system's answers beside the gold, both with current ids."""

    golds: list[Gold]
    predictions: list[Predicted]
    results: list[Result] = field(default_factory=list)


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

    augmented  a linker whose dictionary also holds the training mentions (see `augmentation_pairs`); needed by
               protocols with `augmented`
    """
    rules = [parse_protocol(protocol) for protocol in protocols]
    if any(rule.augmented for rule in rules) and augmented is None:
        raise RequestError(
            f"Protocol '{AUGMENTED}' needs a linker with the training mentions. Name them: --train-corpus FILE…"
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
    """Report on answers that are there already.

    protocols      combinations as `parse_protocol` reads them
    train          everything the system learnt from (train and dev), for seen/unseen and the leak audit
    terminologies  what ids are resolved through, and what tells which gold can be found
    types          only gold mentions of these types
    against        a second system to compare with; its answers are to the same mentions
    corpus         name of the corpus, for the title
    allow_missing  score also where hardly a gold id is in the terminologies, see `check_gold`
    notes          what a reader of the report must know besides
    provenance     anything that helps to do it again (command, file digests, versions); kept as it is

    Raises RequestError where there is nothing to score (`check_gold`) or a protocol lacks what it needs, UnknownNameError for a
    protocol there is not.
    """
    rules = list(dict.fromkeys(parse_protocol(protocol) for protocol in protocols))
    check_gold(documents, rules, terminologies, types=types, corpus=corpus, allow_missing=allow_missing)
    raw = golds_of(gold_mentions(documents, types=types))
    vocabulary = Vocabulary(terminologies)
    known = vocabulary.known if vocabulary else None
    train_golds = [
        replace(gold, concepts=current(gold.concepts, vocabulary.resolve))
        for gold in golds_of(gold_mentions(train or (), types=types))
    ]
    seen = seen_in(train_golds) if train is not None else None
    others_types = {gold.type.casefold() for gold in golds_of(gold_mentions(documents))} - {
        t.casefold() for t in types
    }

    def judged(one: System) -> _Settled:
        if len(one.predictions) != len(raw):
            raise RequestError(
                f"'{one.name}' answers {len(one.predictions):,} mentions; the corpus has {len(raw):,}. "
                "Evaluate it on the same documents and types."
            )
        plain = _settled(raw, one.predictions, vocabulary)
        if not allow_missing:
            check_vocabularies(plain.golds, plain.predictions, system=one.name)
        found = _found(one.found, others_types if types else set(), vocabulary)
        context = Context(known, seen, found)
        for rule in rules:
            chosen = plain
            if rule.augmented:
                if one.augmented is None:
                    raise RequestError(
                        f"Protocol '{rule.name}' needs a second run with the training mentions as names; "
                        f"'{one.name}' has one run. Leave out '{AUGMENTED}', or give --terminology and --train-corpus."
                    )
                chosen = _settled(raw, one.augmented, vocabulary)
            plain.results.append(score(rule, chosen.golds, chosen.predictions, context))
        return plain

    main = judged(system)
    other = judged(against) if against else None
    golds, predictions = main.golds, main.predictions
    return Report(
        system=system.name,
        corpus={
            "name": corpus,
            "documents": len(documents),
            "mentions": len(golds),
            "types": sorted({gold.type for gold in golds}),
            "digest": _digest(documents),
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
        notes=(*notes, *_kept_whole(raw), *system.notes, *(against.notes if against else ())),
    )


def _kept_whole(golds: Sequence[Gold]) -> list[str]:
    """A note on gold concepts whose vocabulary is unknown."""
    kept = Counter(id for gold in golds for id in opaque(gold.concepts))
    if not kept:
        return []
    shown = ", ".join(f"'{id[:60]}'" for id, _ in kept.most_common(3))
    return [
        f"{kept.total():,} gold concepts are of no vocabulary that linnet knows; they count as written: {shown}."
    ]


def _settled(raw: Sequence[Gold], predictions: Sequence[Predicted], vocabulary: Vocabulary) -> _Settled:
    answers = settled_answers(predictions, vocabulary.resolve)
    offered = [
        (*sorted(answer.concepts), *(id for part in (answer, *answer.parts) for id in part.order()))
        for answer in answers
    ]
    return _Settled(settle(raw, offered, vocabulary.resolve), answers)


def _found(
    found: Sequence[Gold] | None, unwanted: Collection[str], vocabulary: Vocabulary
) -> list[Gold] | None:
    """Annotations with current ids, without those of the corpus's types that are not being scored."""
    if found is None:
        return None
    kept = [one for one in found if one.type.casefold() not in unwanted]
    return settle(kept, [()] * len(kept), vocabulary.resolve)


def _digest(documents: Sequence[Document]) -> str:
    """Of texts and annotations, whatever the file format."""
    lines = (
        "\t".join(
            (
                document.id,
                document.text,
                *(f"{m.start} {m.end} {m.type} {' '.join(m.concepts)}" for m in document.mentions),
            )
        )
        for document in documents
    )
    return artifact.digest(*lines)
